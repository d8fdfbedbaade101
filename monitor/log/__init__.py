"""The event log: what was seen and said, appended by one writer, durable before anybody is told.

`schema` names the tables, `lock` keeps a second writer out, `hands` numbers the hands, `store` writes, `reader` reads.

    with monitor.log.open("rackwatch.sqlite") as log:
        for stored in log.records(table="T1"):
            print(stored.seq, stored.record)
"""

from monitor.log.reader import open_log as open  # noqa: A004  # the name that says what it does

__all__ = ["open"]
