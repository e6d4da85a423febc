"""Conversion of the database's times, whatever numbers it contains."""

import pytest

from odyssey_recorder.task.queue.snapshot import at


@pytest.mark.parametrize(("time_us", "year"), [(-(2**63), 1970), (1_795_000_000_000_000, 2026), (2**63 - 1, 2255)])
def test_every_number_is_a_time_that_can_be_shown(time_us: int, year: int) -> None:
    assert at(time_us).astimezone().year in (year - 1, year)
