"""Ways for bytes to come in: serial lines, a broker, a recording, memory. Each third-party I/O library in one file."""
