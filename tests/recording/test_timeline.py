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


def polled(number: int, started_ms: int, arrived_ms: int, *, same: bool = False) -> FrameSeen:
    return frame_seen(number, started_ms * MS, arrived_ms * MS, streamed=False, same=same)


def streamed(number: int, started_ms: int, *, same: bool = False) -> FrameSeen:
    return frame_seen(number, started_ms * MS, (started_ms + 5) * MS, streamed=True, same=same)


def timeline_of(*frames: FrameSeen) -> Timeline:
    timeline = Timeline()
    for frame in frames:
        timeline.see(frame)
    return timeline


def answer_at(timeline: Timeline, ms: int, give_or_take_ms: int = 0, *, patient: bool = True) -> Answer:
    return timeline.at(ms * MS, give_or_take_ms * MS, patient=patient)


def found(number: int, age_ms: int, shown_ms: int, check: int | None = None, *doubts: Flag) -> FrameFound:
    return FrameFound(number, age_ms * MS, shown_ms * MS, check, doubts)


MOVING, CHANGING, UNWATCHED = (Flag(code) for code in (FlagCode.MOVING, FlagCode.CHANGING, FlagCode.UNWATCHED))
STREAM = (streamed(1, 0), streamed(2, 500), streamed(3, 900))
STREAM_BEHIND = (streamed(1, 0), polled(2, 400, 450))
"""A requested frame shows another screen; the stream has yet to report when it appeared."""
RESTING = (polled(1, 0, 50), polled(2, 250, 300, same=True))
CASES: dict[str, tuple[tuple[FrameSeen, ...], int, Answer]] = {
    # A device that sends frames by itself.
    "a later frame has come": (STREAM[:2], 400, found(1, 0, 400, 2)),
    "no frame has come": ((), 10, Pending()),
    "another frame may be under way": (STREAM[:1], 400, Pending()),
    "a later request shows the same": ((STREAM[0], polled(2, 400, 450, same=True)), 400, found(1, 0, 400, 2)),
    "an earlier request shows the same": ((STREAM[0], polled(2, 400, 450, same=True)), 401, Pending()),
    "the stream has not reported the other screen": (STREAM_BEHIND, 390, Pending()),
    "the stream confirms it": ((*STREAM_BEHIND, streamed(3, 395, same=True)), 390, found(1, 0, 390, 2)),
    "the stream dates it": ((*STREAM_BEHIND, streamed(3, 395, same=True)), 399, found(2, 0, 4, 2, MOVING)),
    "the stream contradicts it": ((*STREAM_BEHIND, streamed(3, 395), streamed(4, 420)), 390, found(1, 0, 390, 3)),
    "and later": ((*STREAM_BEHIND, streamed(3, 395), streamed(4, 420)), 410, found(3, 0, 15, 4, MOVING)),
    "a missing frame was another screen": ((STREAM[0], streamed(3, 500)), 400, found(1, 400, 400, None, UNWATCHED)),
    "a stream that left screenshots out dates nothing": (
        (STREAM[0], polled(2, 420, 450), streamed(4, 410, same=True)), 400, found(1, 400, 400, None, UNWATCHED)
    ),
    "frames overtook each other": (
        (STREAM[0], polled(3, 390, 450, same=True), streamed(2, 410)), 400, found(1, 0, 400, 2)
    ),
    "a stale frame does not make a screen older": (
        (STREAM[0], polled(2, 300, 400, same=True), polled(3, 200, 450, same=True)), 290, found(1, 0, 290, 2)
    ),
    # A device that sends frames on request only.
    "the screen is the same as before": (
        (polled(1, 0, 50), polled(2, 100, 150, same=True), polled(3, 300, 350, same=True)), 290, found(1, 0, 240, 3)
    ),
    "the touch changed a screen at rest": ((*RESTING, polled(3, 400, 450)), 390, found(1, 140, 340)),
    "a frame under way may be older than the touch": (
        (*RESTING, polled(3, 380, 450), polled(4, 460, 470, same=True)), 390, found(1, 140, 340, None, CHANGING)
    ),
    "just not too old": ((polled(1, 0, 50), polled(2, 1500, 1550)), 990, found(1, 990, 940)),
    "too old": (
        (polled(1, 0, 50), polled(2, 1500, 1550)), 1490, found(1, 1490, 1440, None, Flag(FlagCode.OLDER, (1.5,)))
    ),
    "the same after a long gap": (
        (polled(1, 0, 50), polled(2, 16300, 16350, same=True)), 16200, found(1, 0, 16150, 2)
    ),
    "it had just appeared": (
        (polled(1, 0, 50), polled(2, 100, 150), polled(3, 300, 350, same=True)), 250, found(2, 0, 100, 3, MOVING)
    ),
    "before the first frame": ((polled(1, 0, 50), polled(2, 60, 70)), 40, NoFrame()),
}  # fmt: skip


@pytest.mark.parametrize(("frames", "ms", "answer"), CASES.values(), ids=CASES)
def test_screen_at_a_moment_is_found_from_frames(frames: tuple[FrameSeen, ...], ms: int, answer: Answer) -> None:
    assert answer_at(timeline_of(*frames), ms) == answer


def test_requested_frame_that_the_stream_contradicts_is_not_held() -> None:
    assert timeline_of(*STREAM_BEHIND, streamed(3, 395), streamed(4, 420)).held() == {1, 3, 4}


def test_moment_close_to_a_change_gets_the_earlier_screen_unproved() -> None:
    timeline = timeline_of(*STREAM)

    assert answer_at(timeline, 498, 5) == found(1, 498, 498, None, CHANGING)
    assert answer_at(timeline, 503, 5) == found(1, 503, 503, None, CHANGING)
    assert answer_at(timeline, 720, 5) == found(2, 0, 220, 3)


def test_same_screen_after_two_touches_does_not_prove_the_second() -> None:
    timeline = timeline_of(polled(1, 0, 50), polled(2, 900, 950, same=True))
    older = Flag(FlagCode.OLDER_THAN_LAST_ACTION, (0.8,))
    assert timeline.at(800 * MS, last_ns=500 * MS) == found(1, 800, 750, None, older)
    assert timeline.at(800 * MS, last_ns=40 * MS) == found(1, 800, 750, None, MOVING)

    between = timeline_of(polled(1, 0, 50), polled(2, 700, 750, same=True), polled(3, 900, 950, same=True))
    assert between.at(800 * MS, last_ns=500 * MS) == found(1, 0, 750, 3)


# Answers without patience.


@pytest.mark.parametrize("frame", [streamed(1, 0), polled(1, 0, 0)])
def test_impatient_answer_is_unproved(frame: FrameSeen) -> None:
    assert answer_at(timeline_of(), 10, patient=False) == NoFrame()
    assert answer_at(timeline_of(frame), 400, patient=False) == found(1, 400, 400, None, UNWATCHED)
    assert answer_at(timeline_of(streamed(1, 0), polled(2, 410, 420)), 400, patient=False) == found(
        1, 400, 400, None, UNWATCHED
    )


# Held frames.


def test_first_frame_of_each_recent_screen_is_held() -> None:
    timeline = timeline_of(streamed(1, 0), streamed(2, 10, same=True), streamed(3, 20))
    assert timeline.held() == {1, 3}

    for number in range(4, 50):
        timeline.see(streamed(number, number * 10))
    assert timeline.held() == frozenset(range(50 - RUNS_HELD, 50))
    assert answer_at(timeline, 25) == NoFrame()


def test_forgotten_timeline_has_no_answer() -> None:
    timeline = timeline_of(streamed(1, 0), streamed(2, 500))
    timeline.forget()

    assert answer_at(timeline, 400) == Pending()
    assert timeline.held() == frozenset()


# No wrong answer, however long the delays.


@dataclass(frozen=True)
class ShownScreens:
    """Screens, each with the moment when it appeared; the frames of a device that shows them, in order of arrival."""

    changes: list[int]
    frames: list[tuple[FrameSeen, int]]
    touches: list[tuple[int, int, int]]

    def screen_at(self, ns: int) -> int:
        return bisect_right(self.changes, ns) - 1


@st.composite
def shown_screens(draw: st.DrawFn) -> ShownScreens:
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
    return ShownScreens(changes, frames, touches)


@settings(max_examples=200)
@given(shown_screens())
def test_answers_are_not_newer_than_the_touch_and_proofs_are_correct(screens: ShownScreens) -> None:
    timeline = Timeline()
    shows: dict[int, int] = {}
    for frame, screen in screens.frames:
        timeline.see(frame)
        shows[frame.number] = screen
        for touched, error, margin in screens.touches:
            for patient in (True, False):
                answer = timeline.at(touched + error, max(margin, abs(error)), patient=patient)
                if not isinstance(answer, FrameFound):
                    continue
                event(f"proved {answer.check is not None}, patient {patient}")
                assert answer.number in timeline.held()
                assert shows[answer.number] <= screens.screen_at(touched)
                if answer.check is not None:
                    assert shows[answer.number] == screens.screen_at(touched)


# A device that sends frames on request only, and fingers that change its screen.


@dataclass(frozen=True)
class Look:
    """A frame that was requested at `started` and taken at `taken`; the timeline does not see `taken`."""

    started: int
    taken: int
    arrived: int
    screen: int


@dataclass(frozen=True)
class TouchedScreens:
    """`shows`: which screen was shown from when on. Each touch has its moment and that of its first effect."""

    shows: list[tuple[int, int]]
    touches: list[tuple[int, int]]
    margin: int
    paces: list[tuple[int, int, int]]
    looks: list[Look] = field(default_factory=list, repr=False)

    def screen_at(self, ns: int) -> int:
        return next(screen for since, screen in reversed(self.shows) if since <= ns)


@st.composite
def touched_screens(draw: st.DrawFn, *, quiet: bool) -> TouchedScreens:
    """Each finger soon changes the screen or reverts the last change; unless `quiet`, it also changes by itself."""
    gaps = draw(st.lists(st.integers(1200 if quiet else 1, 2000), min_size=1, max_size=4))
    moments = list(accumulate(gaps))
    touches = [(moment, moment + draw(st.integers(1, 150))) for moment in moments]
    own: set[int] = {shown for _, shown in touches}
    alone: set[int] = set() if quiet else draw(st.sets(st.integers(1, moments[-1]), max_size=4)) - own
    shows = [(-1, 0), (0, 0)]
    for number, moment in enumerate(sorted(own | alone), 1):
        reverts = {moment, shows[-1][0]} <= own and draw(st.booleans())
        shows.append((moment, shows[-2][1] if reverts else number))
    pace = st.tuples(st.integers(20, 120), st.integers(0, 90), st.integers(0, 90))
    screens = TouchedScreens(shows, touches, draw(st.integers(0, 5)), draw(st.lists(pace, min_size=1, max_size=5)))
    now = 0
    for pause, before, after in cycle(screens.paces):
        started, taken, now = now + pause, now + pause + before, now + pause + before + after
        screens.looks.append(Look(started, taken, now, screens.screen_at(taken)))
        if now > moments[-1] + 500:
            return screens
    raise AssertionError("a cycle has no end")


def answers(screens: TouchedScreens) -> list[tuple[int, FrameFound]]:
    """The first answer of the timeline to each touch, if it has one."""
    timeline, shown, found, last_ns = Timeline(), -1, [], None
    waiting = [touched for touched, _ in screens.touches]
    for number, look in enumerate(screens.looks, 1):
        timeline.see(
            frame_seen(number, look.started * MS, look.arrived * MS, streamed=False, same=look.screen == shown)
        )
        shown = look.screen
        while waiting:
            answer = timeline.at(waiting[0] * MS, screens.margin * MS, last_ns=last_ns)
            if isinstance(answer, Pending):
                break
            touched = waiting.pop(0)
            last_ns = touched * MS
            if isinstance(answer, FrameFound):
                found.append((touched, answer))
    assert waiting == []
    return found


@settings(max_examples=200)
@given(touched_screens(quiet=False))
def test_outdated_screenshot_is_flagged_and_proofs_are_correct(screens: TouchedScreens) -> None:
    for touched, found in answers(screens):
        shown = screens.looks[found.number - 1].screen
        is_right = shown == screens.screen_at(touched)
        event(f"right {is_right}, proved {found.check is not None}, flagged {bool(found.doubts)}")
        assert is_right or found.check is None
        was_gone = any(look.taken <= touched and look.screen != shown for look in screens.looks[found.number :])
        assert found.doubts or not was_gone


@settings(max_examples=200)
@given(touched_screens(quiet=True))
def test_quiet_tap_is_flagged_only_if_a_pending_frame_shows_its_effect(screens: TouchedScreens) -> None:
    for touched, found in answers(screens):
        earliest, latest = touched - screens.margin, touched + screens.margin
        under_way = [look for look in screens.looks if look.started < latest and look.arrived > earliest]
        is_ambiguous = any(look.screen != screens.screen_at(touched) for look in under_way)
        event(f"ambiguous {is_ambiguous}, proved {found.check is not None}")
        assert bool(found.doubts) == is_ambiguous
        assert screens.looks[found.number - 1].screen == screens.screen_at(touched)
