"""Which moments and numbers a file may tell: those that every calendar, time zone and reader of JSON can show."""

from datetime import UTC, datetime

EARLIEST, LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
LARGEST_WHOLE = 2**53
"""The largest whole number that all readers of JSON tell exactly; in microseconds since 1970, the year 2255."""


def in_utc(at: datetime) -> datetime:
    """A moment of a file in UTC, which one without a zone is already.

    Raises ValueError before 1970-01-02 and after 2999.
    """
    if not EARLIEST.year <= at.year <= LATEST.year:  # at both ends of the calendar there is no UTC
        raise _not_a_moment()
    moment = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    if not EARLIEST <= moment < LATEST:
        raise _not_a_moment()
    return moment


def _not_a_moment() -> ValueError:
    return ValueError(f"expected a time from {EARLIEST:%Y-%m-%d} to {LATEST.year - 1}-12-31")
