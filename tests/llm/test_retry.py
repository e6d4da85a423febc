from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.errors import ModelBusyError
from odyssey_recorder.llm.retry import RetryPolicy, retry_after_s

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


@given(st.integers(1, 20), st.floats(0, 1), st.none() | st.floats(0, 500))
def test_waits_are_bounded_and_end(tried: int, chance: float, asked_s: float | None) -> None:
    policy = RetryPolicy(chance=lambda: chance)
    wait_s = policy.wait_s(ModelBusyError("busy", asked_s), tried)
    if tried >= policy.tries or (asked_s or 0) > policy.longest_asked_s:
        assert wait_s is None
    else:
        assert wait_s is not None
        assert (asked_s or 0) <= wait_s <= 1.25 * max(policy.longest_wait_s, asked_s or 0)


def test_waits_double_up_to_a_limit_with_random_jitter() -> None:
    policy = RetryPolicy(tries=9, first_wait_s=1, longest_wait_s=5, chance=lambda: 0.0)
    busy = ModelBusyError("busy")
    assert [policy.wait_s(busy, tried) for tried in range(1, 6)] == [1, 2, 4, 5, 5]
    assert replace(policy, chance=lambda: 1.0).wait_s(busy, 1) == 1.25


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "20"}, 20),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "Sat, 21 Nov 2026 12:01:30 GMT"}, 90),
        ({"retry-after": "Sat, 21 Nov 2026 13:01:30 +0100"}, 90),
        ({"retry-after": "Sat, 21 Nov 2026 12:01:30 -0000"}, 90),
        ({"retry-after": "Fri, 20 Nov 2026 12:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "150", "retry-after": "9"}, 0.15),
        ({"retry-after-ms": "?", "retry-after": "9"}, 9),
    ],
)
def test_retry_after_is_read_in_every_format(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW) == seconds
