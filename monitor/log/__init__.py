"""The event log: what was seen and said, appended by one writer, durable before anybody is told.

`place` says where a log is, `schema` names its tables and `migrations` bring old ones up to date. `scribe` makes rows
of records (`payloads` their JSON, `hands` numbers the hands, `chain` links, `keys` sign and seal), `store` writes them
through `opening` (`lock` keeps a second writer out), `reader` reads a `part` or all. `notes` are what is written about
the log itself (`amending`, `purging`), and what people did. `verifying` says whether it is the log that was written.

    from monitor.log import Part, open

    with open("rackwatch.sqlite") as log:
        for stored in log.records(Part(table="T1")):
            print(stored.seq, stored.record)
"""

from monitor.log.part import Part
from monitor.log.reader import open_log as open  # noqa: A004  # the name that says what it does
from monitor.log.schema import Stream

__all__ = ["Part", "Stream", "open"]
