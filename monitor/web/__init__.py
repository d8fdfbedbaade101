"""The live page: what a hall, a director or a club table sees.

`picture` places racks and tiles, `pages` renders, `hub` fans out, `server` serves. None of them decides who may see
what: they are given views that hold no more than their viewer may know.
"""
