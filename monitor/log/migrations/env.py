"""Alembic's way in: it migrates over the connection that it is given."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transaction_per_migration=False)
context.run_migrations()
