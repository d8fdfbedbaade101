"""The event log: what was seen and said, appended by one writer, durable before anybody is told.

`schema` names the tables, `lock` keeps a second writer out, `hands` numbers the hands, `store` writes, `reader` reads.
"""
