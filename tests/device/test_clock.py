import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from odyssey_recorder.device.clock import DRIFT_PPM, UNKNOWN_NS, DeviceClock
from odyssey_recorder.device.device import ClockReading

SECOND = 1_000_000_000
MS = 1_000_000


def reading(before_ns: int, after_ns: int, least_us: int, most_us: int | None = None) -> ClockReading:
    return ClockReading(before_ns, after_ns, least_us, least_us if most_us is None else most_us)


def clock_ahead_by_a_second() -> DeviceClock:
    """Its one reading took 2 ms."""
    return DeviceClock(reading(10 * SECOND, 10 * SECOND + 2 * MS, 11_001_000))


def test_uncertainty_of_one_reading_is_half_its_duration() -> None:
    moment = clock_ahead_by_a_second().moment(11_001_000)
    assert abs(moment.at_ns - (10 * SECOND + MS)) <= 1000
    assert MS <= moment.uncertainty_ns <= MS + 2000
    coarse = DeviceClock(reading(0, 0, 1_000_000, 1_010_000))
    assert 5 * MS <= coarse.moment(1_005_000).uncertainty_ns <= 5 * MS + 2000


def test_only_a_better_reading_reduces_the_uncertainty() -> None:
    clock = clock_ahead_by_a_second()
    assert clock.read(reading(10 * SECOND + 3 * MS, 10 * SECOND + 3 * MS, 11_003_000))
    better = clock.moment(11_003_000)
    assert clock.read(reading(10 * SECOND + 4 * MS, 11 * SECOND, 11_500_000))
    assert better.uncertainty_ns < 10_000
    assert clock.moment(11_003_000) == better


def test_arrival_of_an_event_bounds_the_clock() -> None:
    clock = clock_ahead_by_a_second()
    assert clock.observe(11_010_000, 10 * SECOND + 10 * MS)
    latest = clock.moment(11_010_000)
    assert latest.at_ns + latest.uncertainty_ns <= 10 * SECOND + 10 * MS + 3000


@pytest.mark.parametrize("device_s", [5, 90], ids=["back", "forward"])
def test_set_clock_is_noticed_by_the_next_reading(device_s: int) -> None:
    clock = clock_ahead_by_a_second()
    assert not clock.read(reading(20 * SECOND, 20 * SECOND, device_s * 1_000_000))
    assert abs(clock.moment((device_s + 1) * 1_000_000).at_ns - 21 * SECOND) <= 1_000_000


def test_event_from_the_future_invalidates_the_clock() -> None:
    clock = clock_ahead_by_a_second()
    assert not clock.observe(90_000_000, 11 * SECOND)
    unknown = clock.moment(90_000_000)
    assert (unknown.at_ns, unknown.uncertainty_ns) == (11 * SECOND, UNKNOWN_NS)
    assert clock.read(reading(11 * SECOND, 11 * SECOND + MS, 90_000_500)), "reported only once"
    assert clock.moment(90_000_000).uncertainty_ns < 2 * MS


@given(
    ahead_us=st.integers(-(10**12), 10**12),
    drift_ppm=st.integers(-DRIFT_PPM // 2, DRIFT_PPM // 2),
    observations=st.lists(
        st.tuples(st.booleans(), st.integers(0, 5 * SECOND), st.integers(0, 50 * MS), st.integers(0, 50 * MS)),
        max_size=30,
    ),
)
@example(ahead_us=0, drift_ppm=44, observations=[(True, 0, 0, 0), (True, 0, 39_770_251, 0)])
def test_true_time_is_within_the_uncertainty_of_a_drifting_clock(
    ahead_us: int, drift_ppm: int, observations: list[tuple[bool, int, int, int]]
) -> None:
    def device_us(host_ns: int) -> int:
        return ahead_us + (host_ns + host_ns * drift_ppm // 1_000_000) // 1000

    now_ns = 1000 * SECOND
    clock = DeviceClock(reading(now_ns, now_ns + MS, device_us(now_ns), device_us(now_ns + MS) + 1))
    for is_reading, pause, before, after in observations:
        now_ns += pause + before
        truth = device_us(now_ns)
        if is_reading:
            assert clock.read(reading(now_ns - before, now_ns + after, truth, truth + 1))
        else:
            assert clock.observe(truth, now_ns + after)
        moment = clock.moment(truth)
        assert abs(moment.at_ns - now_ns) <= moment.uncertainty_ns
        now_ns += after
