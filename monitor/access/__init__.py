"""Who may see and do what: roles, people, devices, sessions, and the door at which they are told apart.

Owns the access file and every decision about it. Refuses to know HTTP, cookies and pages: `monitor.web` carries what is
said here to browsers, `rackwatch access` to a terminal.
"""
