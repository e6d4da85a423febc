"""Which frame was on the screen at a moment: by stream, by request, and what neither shows."""

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate, cycle

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.recording.events import FrameSeen
from odyssey_recorder.recording.timeline import RUNS_HELD, Answer, FrameFound, NoFrame, Pending, Timeline

MS = 1_000_000


def frame_seen(number: int, started_ns: int, arrived_ns: int, *, streamed: bool, same: bool) -> FrameSeen:
    return FrameSeen(number, 0 if same else number, started_ns, streamed=streamed, arrived_ns=arrived_ns)


def asked(number: int, started_ms: int, arrived_ms: int, *, same: bool = False) -> FrameSeen:
    return frame_seen(number, started_ms * MS, arrived_ms * MS, streamed=False, same=same)


def streamed(number: int, started_ms: int, *, same: bool = False) -> FrameSeen:
    return frame_seen(number, started_ms * MS, (started_ms + 5) * MS, streamed=True, same=same)


def seen(*frames: FrameSeen) -> Timeline:
    timeline = Timeline()
    for frame in frames:
        timeline.see(frame)
    return timeline


def at(timeline: Timeline, ms: int, give_or_take_ms: int = 0, *, patient: bool = True) -> Answer:
    return timeline.at(ms * MS, give_or_take_ms * MS, patient=patient)


# A device that sends frames by itself.


def test_the_newest_streamed_frame_is_the_answer_when_a_later_one_has_come() -> None:
    assert at(seen(), 10) == Pending()
    timeline = seen(streamed(1, 0))
    assert at(timeline, 400) == Pending(), "another may still be under way"
    timeline.see(streamed(2, 500))
    assert at(timeline, 400) == FrameFound(1, 0, 400 * MS, check=2)


def test_a_frame_asked_for_after_the_moment_proves_a_still_streamed_screen() -> None:
    timeline = seen(streamed(1, 0), asked(2, 400, 450, same=True))

    assert at(timeline, 400) == FrameFound(1, 0, 400 * MS, check=2)
    assert at(timeline, 401) == Pending()


def test_a_frame_that_was_asked_for_and_shows_another_screen_waits_for_the_word_of_the_stream() -> None:
    timeline = seen(streamed(1, 0), asked(2, 400, 450))
    assert at(timeline, 390) == Pending()

    timeline.see(streamed(3, 395, same=True))
    assert at(timeline, 390) == FrameFound(1, 0, 390 * MS, check=2)
    assert at(timeline, 399) == FrameFound(2, 0, 4 * MS, check=2, doubts=(Flag(FlagCode.MOVING),))


def test_what_was_asked_for_is_taken_back_where_the_stream_tells_another_story() -> None:
    timeline = seen(streamed(1, 0), asked(2, 400, 450), streamed(3, 395), streamed(4, 420))

    assert at(timeline, 390) == FrameFound(1, 0, 390 * MS, check=3)
    assert at(timeline, 410) == FrameFound(3, 0, 15 * MS, check=4, doubts=(Flag(FlagCode.MOVING),))
    assert timeline.held() == {1, 3, 4}


def test_a_missing_frame_was_another_screen_and_nothing_is_proved_across_it() -> None:
    timeline = seen(streamed(1, 0), streamed(3, 500))

    assert at(timeline, 400) == FrameFound(1, 400 * MS, 400 * MS, None, (Flag(FlagCode.UNWATCHED),))


def test_a_screen_that_was_asked_for_is_not_dated_by_a_stream_that_has_left_pictures_out() -> None:
    timeline = seen(streamed(1, 0), asked(2, 420, 450), streamed(4, 410, same=True))

    assert at(timeline, 400) == FrameFound(1, 400 * MS, 400 * MS, check=None, doubts=(Flag(FlagCode.UNWATCHED),))


def test_frames_that_overtook_each_other_prove_as_well() -> None:
    timeline = seen(streamed(1, 0), asked(3, 390, 450, same=True), streamed(2, 410))

    assert at(timeline, 400) == FrameFound(1, 0, 400 * MS, check=2)


def test_a_moment_that_the_clock_cannot_tell_from_a_change_is_not_proved_and_never_the_later_screen() -> None:
    timeline = seen(streamed(1, 0), streamed(2, 500), streamed(3, 900))

    assert at(timeline, 498, 5) == FrameFound(1, 498 * MS, 498 * MS, None, (Flag(FlagCode.CHANGING),))
    assert at(timeline, 503, 5) == FrameFound(1, 503 * MS, 503 * MS, None, (Flag(FlagCode.CHANGING),))
    assert at(timeline, 720, 5) == FrameFound(2, 0, 220 * MS, check=3)


# A device that sends frames on request only.


def test_a_frame_asked_for_after_the_moment_that_shows_the_same_proves_the_one_before() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 100, 150, same=True), asked(3, 300, 350, same=True))

    assert at(timeline, 290) == FrameFound(1, 0, 240 * MS, check=3)


def test_a_screen_at_rest_shortly_before_is_taken_without_proof_where_the_touch_changed_it() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 250, 300, same=True), asked(3, 400, 450))

    assert at(timeline, 390) == FrameFound(1, 140 * MS, 340 * MS, None)


def test_a_frame_under_way_that_shows_another_screen_casts_doubt_for_it_may_be_older_than_the_touch() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 250, 300, same=True), asked(3, 380, 450), asked(4, 460, 470, same=True))

    assert at(timeline, 390) == FrameFound(1, 140 * MS, 340 * MS, None, (Flag(FlagCode.CHANGING),))


def test_a_screen_that_was_seen_last_a_second_before_is_too_old() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 1500, 1550))

    assert at(timeline, 990) == FrameFound(1, 990 * MS, 940 * MS, None)
    assert at(timeline, 1490) == FrameFound(1, 1490 * MS, 1440 * MS, None, (Flag(FlagCode.OLDER, (1.5,)),))


def test_a_screen_that_is_the_same_after_the_touch_needs_no_flag_however_long_nobody_looked() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 16300, 16350, same=True))

    assert at(timeline, 16200) == FrameFound(1, 0, 16150 * MS, check=2)


def test_a_screen_that_is_there_again_after_two_touches_does_not_prove_what_the_second_met() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 900, 950, same=True))

    unproved = (Flag(FlagCode.OLDER_THAN_LAST_ACTION, (0.8,)),)
    assert timeline.at(800 * MS, last_ns=500 * MS) == FrameFound(1, 800 * MS, 750 * MS, None, unproved)
    assert timeline.at(800 * MS, last_ns=40 * MS) == FrameFound(1, 800 * MS, 750 * MS, None, (Flag(FlagCode.MOVING),))


def test_a_screen_that_was_seen_between_two_touches_is_proved_as_ever() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 700, 750, same=True), asked(3, 900, 950, same=True))

    assert timeline.at(800 * MS, last_ns=500 * MS) == FrameFound(1, 0, 750 * MS, check=3)


def test_a_screen_that_has_just_come_was_still_moving() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 100, 150), asked(3, 300, 350, same=True))

    assert at(timeline, 250) == FrameFound(2, 0, 100 * MS, check=3, doubts=(Flag(FlagCode.MOVING),))


def test_nothing_is_told_of_a_moment_before_the_first_frame() -> None:
    assert at(seen(asked(1, 0, 50), asked(2, 60, 70)), 40) == NoFrame()


# Answers without patience.


@pytest.mark.parametrize("frame", [streamed(1, 0), asked(1, 0, 0)])
def test_the_impatient_get_what_is_known_and_are_told_that_it_is_not_proved(frame: FrameSeen) -> None:
    assert at(seen(), 10, patient=False) == NoFrame()
    assert at(seen(frame), 400, patient=False) == FrameFound(1, 400 * MS, 400 * MS, None, (Flag(FlagCode.UNWATCHED),))
    assert at(seen(streamed(1, 0), asked(2, 410, 420)), 400, patient=False) == FrameFound(
        1, 400 * MS, 400 * MS, None, (Flag(FlagCode.UNWATCHED),)
    )


# Held frames.


def test_the_first_frame_of_each_of_the_last_screens_is_held() -> None:
    timeline = seen(streamed(1, 0), streamed(2, 10, same=True), streamed(3, 20))
    assert timeline.held() == {1, 3}

    for number in range(4, 50):
        timeline.see(streamed(number, number * 10))
    assert timeline.held() == frozenset(range(50 - RUNS_HELD, 50))
    assert at(timeline, 25) == NoFrame()


def test_a_history_that_is_forgotten_answers_nothing() -> None:
    timeline = seen(streamed(1, 0), streamed(2, 500))
    timeline.forget()

    assert at(timeline, 400) == Pending()
    assert timeline.held() == frozenset()


def test_a_stale_frame_does_not_make_a_screen_older() -> None:
    timeline = seen(streamed(1, 0), asked(2, 300, 400, same=True), asked(3, 200, 450, same=True))

    assert at(timeline, 290) == FrameFound(1, 0, 290 * MS, check=2)


# No wrong answer, whatever the delays.


@dataclass(frozen=True)
class World:
    """Screens, each with the moment when it appeared; the frames of a device that shows them, in order of arrival."""

    changes: list[int]
    frames: list[tuple[FrameSeen, int]]
    touches: list[tuple[int, int, int]]

    def screen_at(self, ns: int) -> int:
        return bisect_right(self.changes, ns) - 1


@st.composite
def worlds(draw: st.DrawFn) -> World:
    gaps = draw(st.lists(st.integers(1, 600), min_size=1, max_size=12))
    changes = [0]
    for gap in gaps:
        changes.append(changes[-1] + gap)
    raw: list[tuple[int, int, bool, int]] = []  # arrived, started, streamed, screen
    if draw(st.booleans()):
        arrived = 0
        for screen, change in enumerate(changes):
            arrived = max(arrived, change + draw(st.integers(0, 60)))
            raw.append((arrived, change, True, screen))
    now = draw(st.integers(0, 50))
    for pause, before, after in draw(
        st.lists(st.tuples(st.integers(0, 400), st.integers(0, 150), st.integers(0, 150)), max_size=25)
    ):
        started = now + pause
        now = started + before + after
        raw.append((now, started, False, bisect_right(changes, started + before) - 1))
    raw.sort(key=lambda frame: frame[0])
    lost = draw(st.sets(st.integers(0, len(raw)), max_size=2))
    frames, anchor = [], -1
    for number, (arrived, started, is_streamed, screen) in enumerate(raw, 1):
        if number in lost:
            continue
        frames.append((frame_seen(number, started, arrived, streamed=is_streamed, same=screen == anchor), screen))
        anchor = screen
    end = max(changes[-1], now) + 300
    touches = draw(
        st.lists(st.tuples(st.integers(0, end), st.integers(-20, 20), st.integers(0, 60)), min_size=1, max_size=12)
    )
    return World(changes, frames, touches)


@settings(max_examples=400)
@given(worlds())
def test_no_answer_is_newer_than_the_touch_and_no_proved_one_is_wrong(world: World) -> None:
    timeline = Timeline()
    shows: dict[int, int] = {}
    for frame, screen in world.frames:
        timeline.see(frame)
        shows[frame.number] = screen
        for touched, error, margin in world.touches:
            for patient in (True, False):
                answer = timeline.at(touched + error, max(margin, abs(error)), patient=patient)
                if not isinstance(answer, FrameFound):
                    continue
                event(f"proved {answer.check is not None}, patient {patient}")
                assert answer.number in timeline.held()
                assert shows[answer.number] <= world.screen_at(touched)
                if answer.check is not None:
                    assert shows[answer.number] == world.screen_at(touched)


# A device that sends frames on request only, and fingers that change its screen.


@dataclass(frozen=True)
class Look:
    """A frame that was requested at `started` and taken at `taken`; the timeline does not see `taken`."""

    started: int
    taken: int
    arrived: int
    screen: int


@dataclass(frozen=True)
class Touched:
    """`shows`: which screen was shown from when on. Each touch has its moment and that of its first effect."""

    shows: list[tuple[int, int]]
    touches: list[tuple[int, int]]
    margin: int
    paces: list[tuple[int, int, int]]
    looks: list[Look] = field(default_factory=list, repr=False)

    def screen_at(self, ns: int) -> int:
        return next(screen for since, screen in reversed(self.shows) if since <= ns)


@st.composite
def touched_worlds(draw: st.DrawFn, *, quiet: bool) -> Touched:
    """Each finger soon changes the screen or reverts the last change; unless `quiet`, it also changes by itself."""
    gaps = draw(st.lists(st.integers(1200 if quiet else 1, 2000), min_size=1, max_size=4))
    moments = list(accumulate(gaps))
    touches = [(at, at + draw(st.integers(1, 150))) for at in moments]
    own: set[int] = {shown for _, shown in touches}
    alone: set[int] = set() if quiet else draw(st.sets(st.integers(1, moments[-1]), max_size=4)) - own
    shows = [(-1, 0), (0, 0)]
    for number, at in enumerate(sorted(own | alone), 1):
        undoes = {at, shows[-1][0]} <= own and draw(st.booleans())
        shows.append((at, shows[-2][1] if undoes else number))
    pace = st.tuples(st.integers(20, 120), st.integers(0, 90), st.integers(0, 90))
    world = Touched(shows, touches, draw(st.integers(0, 5)), draw(st.lists(pace, min_size=1, max_size=5)))
    at = 0
    for pause, before, after in cycle(world.paces):
        started, taken, at = at + pause, at + pause + before, at + pause + before + after
        world.looks.append(Look(started, taken, at, world.screen_at(taken)))
        if at > moments[-1] + 500:
            return world
    raise AssertionError("a cycle has no end")


def answers(world: Touched) -> list[tuple[int, FrameFound]]:
    """The first answer of the timeline to each touch, if it has one."""
    timeline, shown, found, last_ns = Timeline(), -1, [], None
    waiting = [touched for touched, _ in world.touches]
    for number, look in enumerate(world.looks, 1):
        timeline.see(
            frame_seen(number, look.started * MS, look.arrived * MS, streamed=False, same=look.screen == shown)
        )
        shown = look.screen
        while waiting:
            answer = timeline.at(waiting[0] * MS, world.margin * MS, last_ns=last_ns)
            if isinstance(answer, Pending):
                break
            touched = waiting.pop(0)
            last_ns = touched * MS
            if isinstance(answer, FrameFound):
                found.append((touched, answer))
    assert waiting == []
    return found


@settings(max_examples=300)
@given(touched_worlds(quiet=False))
def test_a_picture_that_was_gone_when_a_look_was_taken_before_the_touch_is_flagged_and_no_proved_one_is_wrong(
    world: Touched,
) -> None:
    for touched, found in answers(world):
        shown = world.looks[found.number - 1].screen
        is_right = shown == world.screen_at(touched)
        event(f"right {is_right}, proved {found.check is not None}, flagged {bool(found.doubts)}")
        assert is_right or found.check is None
        was_gone = any(look.taken <= touched and look.screen != shown for look in world.looks[found.number :])
        assert found.doubts or not was_gone


@settings(max_examples=300)
@given(touched_worlds(quiet=True))
def test_a_quiet_tap_is_flagged_only_where_a_look_under_way_shows_what_it_did(world: Touched) -> None:
    for touched, found in answers(world):
        earliest, latest = touched - world.margin, touched + world.margin
        under_way = [look for look in world.looks if look.started < latest and look.arrived > earliest]
        is_ambiguous = any(look.screen != world.screen_at(touched) for look in under_way)
        event(f"ambiguous {is_ambiguous}, proved {found.check is not None}")
        assert bool(found.doubts) == is_ambiguous
        assert world.looks[found.number - 1].screen == world.screen_at(touched)
