"""The tables of the queue, as the newest program has them; `migrations` leads there from what older ones made."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, MetaData, Table, Text, false, text

metadata = MetaData()

_US = BigInteger  # microseconds since 1970, UTC

tasks = Table(
    "tasks",
    metadata,
    Column("task_id", Text, primary_key=True),
    Column("position", BigInteger, nullable=False),
    Column("rank", BigInteger, nullable=False),
    Column("line", Text, nullable=False),
    # What the line was in the list that it comes from; empty for a task that comes from none.
    Column("listed_as", Text, nullable=False, server_default=""),
    Column("is_listed", Boolean, nullable=False),
    Column("status", Text, nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("devices", Text, nullable=False),
    # Grows with each event and each change of the line, so that a reader fetches only what is new.
    Column("version", Integer, nullable=False, server_default="0"),
    # The lease: whose it is, and until when. A claim has a token; a recording belongs to its place.
    Column("annotator", Text, nullable=False, server_default=""),
    Column("place", Text, nullable=False, server_default=""),
    Column("token", Text, nullable=False, server_default=""),
    Column("since_us", _US, nullable=False, server_default="0"),
    Column("until_us", _US, nullable=False, server_default="0"),
    Column("is_recording", Boolean, nullable=False, server_default=false()),
)
"""Each task; `status` and `is_open` follow from its events, and are written together with them."""

Index(
    "tasks_offered",
    tasks.c.rank,
    sqlite_where=text("is_open"),
    postgresql_where=text("is_open"),
)

events = Table(
    "deeds",
    metadata,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("task_id", Text, nullable=False),
    Column("deed", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at_us", _US, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("episode_id", Text, nullable=False, server_default=""),
    Column("place", Text, nullable=False, server_default=""),
)
"""Every event of every task, never changed. Its task need not be there: a list may bring it back."""

Index("deeds_of_task", events.c.task_id)

notes = Table(
    "notes",
    metadata,
    Column("key", Text, primary_key=True),
    Column("words", Text, nullable=False),
)
"""What the queue remembers of itself: which list it was brought in line with, which older files were taken over."""
