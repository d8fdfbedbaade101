"""Plays hands and emits the wire bytes of nodes; a process of its own, never imported by the running monitor."""
