"""Raw readings of a season beside the event log: files of bounded size and age, and which of them are kept.

`names` is what a file's name says, `retention` which files go (both pure); `part_file` is one file while it is written,
`mending` what becomes of one that a crash cut off, `folder` the files of one run in their folder, `recorder` the thread
that all of it runs in. Flow: daemon.receive → **recorder** → folder → part file.
"""
