"""Exports of an event log: the records that were asked for, in a format for programs, sheets or people.

    log reader ── selection ── entries ─┬─ json_lines              a line a record
                                        ├─ csv_files ── sheets     a file a kind of thing, in a folder or a zip
                                        ├─ workbook  ── sheets     a sheet a kind of thing
                                        └─ paper     ── hand_pages a log of hands to be printed

`export` puts them together; `monitor.staging` makes the result appear whole or not at all. Records pass one at a time
and are forgotten; what is kept is bounded and each bound is told. Tile identities are taken off in `entries`, before
any format sees a record, unless they were asked for.
"""
