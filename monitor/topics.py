"""The topics on which the monitor itself publishes: states, records, and whether it is there.

Owns their form. Refuses to know what is published on them. Topics of nodes and inputs: `firmware_bridge.topics`.
"""


def state_topic(table: str) -> str:
    """What a public screen shows of a table now; kept by the broker."""
    return f"rackwatch/v1/{table}/public/state"


def records_topic(table: str, audience: str, kind: str) -> str:
    """A table's records for an audience (`public`, `director`); `kind`: `events` or `alerts`."""
    return f"rackwatch/v1/{table}/{audience}/{kind}"


def status_topic(client_id: str) -> str:
    """Whether the monitor watches: `online` or `offline`; kept by the broker."""
    return f"rackwatch/v1/monitor/{client_id}/status"
