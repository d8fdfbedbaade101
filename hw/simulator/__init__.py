"""Plays hands and emits what nodes would send; a process of its own, never imported by the running monitor.

    options      what evening is asked for: tier, pace, noise, faults, length
    script       deal -> charleston -> play (turns, claims, mischief) -> ending, on a `stage`, by `people` who `fidget`
    physical     what came of it: tiles that moved, hands that pressed, buttons          truth: the referee's log of it
    sensors      load_cell, antenna: what cells and readers make of it, at a `noise` level; faults: what breaks in them
    node         clocks, batches, links                                        line_faults: what breaks on the way
    evening      all of the above, seeded                                      serial_lines, wire: messages as bytes
    reception    what a host receives, before decoding
    case         as a recording with set-up and truth                          referee_events: the truth for the rules
    live_serial  as pseudo-terminals in real time (pty_port, pacing)           live_mqtt: as clients of a broker

Pure and seeded up to `reception`: equal options give equal bytes. Only `case`, `pty_port`, `live_serial`, `live_mqtt`
do input and output.
"""
