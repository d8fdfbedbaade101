"""Where one page leads to another about a table: the one place that knows the address."""


def table_address(table: str) -> str:
    """The page of one table for directors; names of tables need no quoting."""
    return f"/table/{table}"
