"""The first tables: tasks and their events. Queues of revision 0001, from before the first release, are refused."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "tasks",
        sa.Column("task_id", sa.Text, primary_key=True),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("rank", sa.BigInteger, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
        sa.Column("listed_as", sa.Text, nullable=False, server_default=""),
        sa.Column("is_listed", sa.Boolean, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("devices", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False, server_default="0"),
        sa.Column("annotator", sa.Text, nullable=False, server_default=""),
        sa.Column("place", sa.Text, nullable=False, server_default=""),
        sa.Column("token", sa.Text, nullable=False, server_default=""),
        sa.Column("since_us", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("until_us", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("is_recording", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    only_open = sa.text("is_open")
    op.create_index("tasks_offered", "tasks", ["rank"], sqlite_where=only_open, postgresql_where=only_open)
    op.create_table(
        "events",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("task_id", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at_us", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
        sa.Column("episode_id", sa.Text, nullable=False, server_default=""),
        sa.Column("place", sa.Text, nullable=False, server_default=""),
    )
    op.create_index("events_of_task", "events", ["task_id"])
    op.create_table("notes", sa.Column("key", sa.Text, primary_key=True), sa.Column("words", sa.Text, nullable=False))
