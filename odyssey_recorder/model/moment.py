"""The times and numbers accepted in files: those that every calendar, time zone and JSON reader supports."""

from datetime import UTC, datetime

EARLIEST, LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
LARGEST_WHOLE = 2**53
"""The largest whole number that every JSON reader represents exactly; in microseconds since 1970, the year 2255."""


def in_utc(at: datetime) -> datetime:
    """A time from a file in UTC, which is assumed if it has no zone.

    Raises ValueError before 1970-01-02 and after 2999.
    """
    if not EARLIEST.year <= at.year <= LATEST.year:  # datetime cannot convert to UTC at either end of the calendar
        raise _not_a_moment()
    moment = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    if not EARLIEST <= moment < LATEST:
        raise _not_a_moment()
    return moment


def _not_a_moment() -> ValueError:
    return ValueError(f"expected a time from {EARLIEST:%Y-%m-%d} to {LATEST.year - 1}-12-31")
