"""Alembic's entry point: runs the migrations within the transaction that the program has opened."""

from alembic import context

from odyssey_recorder.tasks.queue.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
