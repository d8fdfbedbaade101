"""JSON schemas of the records, for programs in other languages: `docs/schema`, made from the types.

`meanings` says what each key means, `build` makes the schemas, `reference` the page that lists them; `python -m
monitor.schemas` writes them all. Nothing at run time needs this package.
"""
