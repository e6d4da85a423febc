"""The person that a task is assigned to."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("assignee", sa.Text, nullable=False, server_default=""))
