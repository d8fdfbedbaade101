"""`python -m monitor.cli` is `rackwatch`."""

from monitor.cli import main

main()
