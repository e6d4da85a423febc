from datetime import UTC, datetime, timedelta, timezone

import pytest

from odyssey_recorder.model.moment import EARLIEST, LATEST, in_utc

FAR_EAST, FAR_WEST = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))


@pytest.mark.parametrize(
    "at",
    [
        datetime(1, 1, 1, tzinfo=FAR_EAST),
        datetime.max.replace(tzinfo=FAR_WEST),
        datetime.min,
        EARLIEST - timedelta(microseconds=1),
        datetime(1970, 1, 2, tzinfo=FAR_EAST),
        LATEST,
        datetime(2999, 12, 31, 23, tzinfo=FAR_WEST),
    ],
)
def test_time_out_of_range_is_rejected(at: datetime) -> None:
    with pytest.raises(ValueError, match="expected a time from 1970-01-02 to 2999-12-31"):
        in_utc(at)


def test_time_is_converted_to_utc() -> None:
    assert in_utc(datetime(2026, 11, 20, 10, tzinfo=FAR_EAST)) == datetime(2026, 11, 19, 20, tzinfo=UTC)
    assert in_utc(datetime(1970, 1, 2)) == EARLIEST
    assert in_utc(datetime(3000, 1, 1, 13, tzinfo=FAR_EAST)) == datetime(2999, 12, 31, 23, tzinfo=UTC)
