from itertools import count

import pytest
from PIL import Image, ImageDraw

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.settle import SettleRule, Stillness, StillnessWatch
from odyssey_recorder.model.geometry import Size

SIZE = Size(100, 200)
RULE = SettleRule(still_ms=200, cap_ms=1000)
MS = 1_000_000

numbers = count(1)


def frame(start_ms: int, *, colour: str = "white", mark: tuple[int, int, int, int] | None = None) -> Frame:
    """The frame takes 10 ms to arrive and is plain except for a black rectangle `mark`."""
    picture = Image.new("RGBA", (SIZE.width, SIZE.height), colour)
    if mark is not None:
        ImageDraw.Draw(picture).rectangle(mark, fill="black")
    return Frame(next(numbers), SIZE, picture.tobytes(), start_ms * MS, (start_ms + 10) * MS, "drawn")


def test_a_screen_that_shows_the_same_long_enough_is_still() -> None:
    watch = StillnessWatch(RULE, since_ns=0)

    assert [watch.see(frame(at)) for at in (0, 100, 209, 210)] == [
        Stillness.MOVING,
        Stillness.MOVING,
        Stillness.MOVING,
        Stillness.STILL,
    ]


def test_time_counts_from_the_arrival_of_the_first_frame_to_the_request_of_the_last() -> None:
    watch = StillnessWatch(RULE, since_ns=0)

    watch.see(frame(0))
    watch.see(frame(150))

    assert watch.still_ns == 140 * MS


def test_one_frame_alone_proves_nothing() -> None:
    watch = StillnessWatch(SettleRule(still_ms=0), since_ns=0)

    assert watch.see(frame(0)) is Stillness.MOVING
    assert watch.see(frame(20)) is Stillness.STILL


def test_a_change_begins_a_new_run() -> None:
    watch = StillnessWatch(RULE, since_ns=0)
    watch.see(frame(0))

    assert watch.see(frame(250, colour="red")) is Stillness.MOVING
    assert watch.anchor is not None
    assert watch.anchor.started_ns == 250 * MS
    assert watch.see(frame(300, colour="red")) is Stillness.MOVING
    assert watch.see(frame(460, colour="red")) is Stillness.STILL


def test_a_screen_that_creeps_is_not_still() -> None:
    watch = StillnessWatch(RULE, since_ns=0)
    creeping = [frame(at * 30, mark=(0, 100, at, 101)) for at in range(20)]

    assert all(watch.see(picture) is Stillness.MOVING for picture in creeping)


def test_the_clock_in_the_status_bar_may_run() -> None:
    watch = StillnessWatch(RULE, since_ns=0)
    watch.see(frame(0, mark=(0, 0, 30, 9)), ignore_top_px=10)

    assert watch.see(frame(300, mark=(0, 0, 60, 9)), ignore_top_px=10) is Stillness.STILL


def test_a_screen_that_never_rests_is_taken_as_it_is_after_the_cap() -> None:
    watch = StillnessWatch(RULE, since_ns=0)
    seen = [watch.see(frame(at, mark=(0, 100, at // 20, 150))) for at in range(0, 1000, 90)]

    assert set(seen[:-1]) == {Stillness.MOVING}
    assert seen[-1] is Stillness.RESTLESS


@pytest.mark.parametrize("start_ms", [0, 499])
def test_a_frame_asked_for_before_the_watch_began_does_not_count(start_ms: int) -> None:
    watch = StillnessWatch(RULE, since_ns=500 * MS)

    assert watch.see(frame(start_ms)) is Stillness.MOVING
    assert watch.anchor is None
    assert watch.still_ns == 0


def test_a_screen_that_an_input_has_not_moved_yet_is_watched_for_longer() -> None:
    watch = StillnessWatch(SettleRule(still_ms=200, unmoved_ms=600), since_ns=0, before=frame(-500))

    seen = [watch.see(frame(at)) for at in (0, 300, 609, 610)]

    assert seen == [Stillness.MOVING, Stillness.MOVING, Stillness.MOVING, Stillness.STILL]


def test_a_screen_that_an_input_has_moved_is_still_as_soon_as_any_other() -> None:
    watch = StillnessWatch(SettleRule(still_ms=200, unmoved_ms=600), since_ns=0, before=frame(-500))
    watch.see(frame(0))

    assert [watch.see(frame(at, colour="red")) for at in (100, 310)] == [Stillness.MOVING, Stillness.STILL]


def test_a_frame_that_comes_late_from_before_the_moment_is_ignored_and_no_part_of_the_run() -> None:
    watch = StillnessWatch(RULE, since_ns=100 * MS)
    shown, late = frame(100), frame(50, colour="black")
    watch.see(shown)

    assert watch.ignores(late)
    assert not watch.ignores(shown)
    assert watch.see(late) is Stillness.MOVING
    assert watch.anchor is shown
