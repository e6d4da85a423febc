from itertools import count

import pytest
from PIL import Image, ImageDraw

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.settle import SettleRule, Stillness, StillnessWatch
from odyssey_recorder.model.geometry import Size

SIZE = Size(100, 200)
MOVING, STILL, RESTLESS = Stillness.MOVING, Stillness.STILL, Stillness.RESTLESS
MS = 1_000_000

numbers = count(1)


def frame(
    start_ms: int,
    *,
    size: Size = SIZE,
    colour: str = "white",
    mark: tuple[int, int, int, int] | None = None,
    mark_colour: tuple[int, int, int] = (0, 0, 0),
) -> Frame:
    """A plain frame that takes 10 ms to arrive, with a rectangle `mark` that includes its last pixels."""
    screenshot = Image.new("RGBA", (size.width, size.height), colour)
    if mark is not None:
        ImageDraw.Draw(screenshot).rectangle(mark, fill=mark_colour)
    return Frame(next(numbers), size, screenshot.tobytes(), start_ms * MS, (start_ms + 10) * MS, "drawn")


def test_alpha_channel_of_a_frame_is_ignored() -> None:
    image = Frame(1, Size(2, 1), bytes([1, 2, 3, 0]) * 2, 0, 1, "test").image()
    assert image.mode == "RGB"
    assert image.tobytes() == bytes([1, 2, 3]) * 2


@pytest.mark.parametrize(("top", "same"), [(10, True), (9, False)])
def test_top_rows_can_be_ignored(top: int, same: bool) -> None:
    clock_ticked = frame(0, mark=(0, 9, 19, 9), mark_colour=(255, 253, 255))
    assert frame(0).shows_same_as(clock_ticked, ignore_top_px=top) == same
    assert frame(0).shows_same_as(frame(0))
    assert not frame(0).shows_same_as(frame(0, size=Size(10, 10)))


def test_check_box_is_a_change_but_a_cursor_is_not() -> None:
    size = Size(1080, 2400)
    blank = frame(0, size=size)
    assert blank.shows_same_as(frame(0, size=size, mark=(500, 1000, 504, 1049)))
    assert not blank.shows_same_as(frame(0, size=size, mark=(500, 1000, 563, 1063)))


@pytest.fixture
def watch() -> StillnessWatch:
    return StillnessWatch(SettleRule(still_ms=200, cap_ms=1000), since_ns=0)


def test_screen_is_still_after_the_settle_time(watch: StillnessWatch) -> None:
    assert [watch.see(frame(at)) for at in (0, 100, 209, 210)] == [MOVING, MOVING, MOVING, STILL]
    assert watch.still_ns == 200 * MS


def test_single_frame_is_not_still() -> None:
    watch = StillnessWatch(SettleRule(still_ms=0), since_ns=0)
    assert [watch.see(frame(at)) for at in (0, 20)] == [MOVING, STILL]


def test_change_restarts_the_settle_time(watch: StillnessWatch) -> None:
    watch.see(frame(0))
    assert [watch.see(frame(at, colour="red")) for at in (250, 300, 460)] == [MOVING, MOVING, STILL]
    assert watch.anchor is not None
    assert watch.anchor.started_ns == 250 * MS


def test_slowly_changing_screen_is_not_still(watch: StillnessWatch) -> None:
    assert all(watch.see(frame(at * 30, mark=(0, 100, at, 101))) is MOVING for at in range(20))


def test_change_in_the_status_bar_is_ignored(watch: StillnessWatch) -> None:
    watch.see(frame(0, mark=(0, 0, 30, 9)), ignore_top_px=10)
    assert watch.see(frame(300, mark=(0, 0, 60, 9)), ignore_top_px=10) is STILL


def test_restless_screen_is_accepted_after_the_cap(watch: StillnessWatch) -> None:
    seen = [watch.see(frame(at, mark=(0, 100, at // 20, 150))) for at in range(0, 1000, 90)]
    assert (set(seen[:-1]), seen[-1]) == ({MOVING}, RESTLESS)


@pytest.mark.parametrize(("colour", "still_at"), [("white", 610), ("red", 310)], ids=["not moved", "moved"])
def test_unchanged_screen_is_watched_longer_after_an_input(colour: str, still_at: int) -> None:
    watch = StillnessWatch(SettleRule(still_ms=200, unmoved_ms=600), since_ns=0, before=frame(-500))
    watch.see(frame(0))
    assert [watch.see(frame(at, colour=colour)) for at in (100, still_at - 1, still_at)] == [MOVING, MOVING, STILL]


def test_frames_from_before_the_watch_are_ignored() -> None:
    watch = StillnessWatch(SettleRule(still_ms=200), since_ns=100 * MS)
    assert watch.see(frame(99)) is MOVING
    assert (watch.anchor, watch.still_ns) == (None, 0)
    shown, late = frame(100), frame(50, colour="black")
    watch.see(shown)

    assert watch.ignores(late)
    assert not watch.ignores(shown)
    assert watch.see(late) is MOVING
    assert watch.anchor is shown
