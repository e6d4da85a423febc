"""The tables of the queue, which `migrations` makes."""

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
    # The line of the list that it comes from; empty for a task that comes from no list.
    Column("listed_as", Text, nullable=False, server_default=""),
    Column("is_listed", Boolean, nullable=False),
    Column("status", Text, nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("devices", Text, nullable=False),
    # Offered to this person only; empty for everybody.
    Column("assignee", Text, nullable=False, server_default=""),
    # Grows with each event and each change of the line, so that a reader fetches only what is new.
    Column("version", Integer, nullable=False, server_default="0"),
    # The lease, its owner and its end. A claim has a token; a recording belongs to its place.
    Column("annotator", Text, nullable=False, server_default=""),
    Column("place", Text, nullable=False, server_default=""),
    Column("token", Text, nullable=False, server_default=""),
    Column("since_us", _US, nullable=False, server_default="0"),
    Column("until_us", _US, nullable=False, server_default="0"),
    Column("is_recording", Boolean, nullable=False, server_default=false()),
)
"""`status` and `is_open` are derived from the events and written together with them."""

Index("tasks_offered", tasks.c.rank, sqlite_where=text("is_open"), postgresql_where=text("is_open"))

events = Table(
    "events",
    metadata,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("task_id", Text, nullable=False),
    Column("event", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at_us", _US, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("episode_id", Text, nullable=False, server_default=""),
    Column("place", Text, nullable=False, server_default=""),
)
"""Append-only. An event's task may be missing: a list may bring it back."""

Index("events_of_task", events.c.task_id)

notes = Table("notes", metadata, Column("key", Text, primary_key=True), Column("words", Text, nullable=False))
"""What the queue remembers about itself: the list it is in line with."""
