"""Which frame was on the screen at a moment: by stream, by asking, and what neither can tell."""

from bisect import bisect_right
from dataclasses import dataclass

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from odyssey_recorder.recording.timeline import (
    CHANGING,
    MOVING,
    RUNS_HELD,
    UNWATCHED,
    Answer,
    Found,
    Nothing,
    NotYet,
    Sighting,
    Timeline,
)

MS = 1_000_000


def asked(number: int, started_ms: int, arrived_ms: int, *, same: bool = False) -> Sighting:
    return Sighting(number, started_ms * MS, arrived_ms * MS, streamed=False, same=same)


def streamed(number: int, started_ms: int, *, same: bool = False) -> Sighting:
    return Sighting(number, started_ms * MS, (started_ms + 5) * MS, streamed=True, same=same)


def seen(*frames: Sighting) -> Timeline:
    timeline = Timeline()
    for frame in frames:
        timeline.see(frame)
    return timeline


def at(timeline: Timeline, ms: int, give_or_take_ms: int = 0, *, patient: bool = True) -> Answer:
    return timeline.at(ms * MS, give_or_take_ms * MS, patient=patient)


# A device that sends frames by itself.


def test_the_newest_streamed_frame_is_the_answer_when_a_later_one_has_come() -> None:
    timeline = seen(streamed(1, 0), streamed(2, 500))

    assert at(timeline, 400) == Found(1, 0, 400 * MS, check=2)


def test_until_a_later_frame_came_another_may_still_be_under_way() -> None:
    assert at(seen(), 10) == NotYet()
    assert at(seen(streamed(1, 0)), 400) == NotYet()


def test_a_frame_asked_for_after_the_moment_proves_a_still_streamed_screen() -> None:
    timeline = seen(streamed(1, 0), asked(2, 400, 450, same=True))

    assert at(timeline, 400) == Found(1, 0, 400 * MS, check=2)
    assert at(timeline, 401) == NotYet()


def test_a_frame_that_was_asked_for_and_shows_another_screen_waits_for_the_word_of_the_stream() -> None:
    timeline = seen(streamed(1, 0), asked(2, 400, 450))
    assert at(timeline, 390) == NotYet()

    timeline.see(streamed(3, 395, same=True))
    assert at(timeline, 390) == Found(1, 0, 390 * MS, check=2)
    assert at(timeline, 399) == Found(2, 0, 4 * MS, check=2, doubts=(MOVING,))


def test_what_was_asked_for_is_taken_back_where_the_stream_tells_another_story() -> None:
    timeline = seen(streamed(1, 0), asked(2, 400, 450), streamed(3, 395), streamed(4, 420))

    assert at(timeline, 390) == Found(1, 0, 390 * MS, check=3)
    assert at(timeline, 410) == Found(3, 0, 15 * MS, check=4, doubts=(MOVING,))
    assert timeline.held() == {1, 3, 4}


def test_a_missing_frame_was_another_screen_and_nothing_is_proved_across_it() -> None:
    timeline = seen(streamed(1, 0), streamed(3, 500))

    assert at(timeline, 400) == Found(1, 400 * MS, 400 * MS, None, (UNWATCHED,))


def test_a_screen_that_was_asked_for_is_not_dated_by_a_stream_that_has_left_pictures_out() -> None:
    timeline = seen(streamed(1, 0), asked(2, 420, 450), streamed(4, 410, same=True))

    assert at(timeline, 400) == Found(1, 400 * MS, 400 * MS, check=None, doubts=(UNWATCHED,))


def test_frames_that_overtook_each_other_prove_as_well() -> None:
    timeline = seen(streamed(1, 0), asked(3, 390, 450, same=True), streamed(2, 410))

    assert at(timeline, 400) == Found(1, 0, 400 * MS, check=2)


def test_a_moment_that_the_clock_cannot_tell_from_a_change_is_not_proved_and_never_the_later_screen() -> None:
    timeline = seen(streamed(1, 0), streamed(2, 500), streamed(3, 900))

    assert at(timeline, 498, 5) == Found(1, 498 * MS, 498 * MS, None, (CHANGING,))
    assert at(timeline, 503, 5) == Found(1, 503 * MS, 503 * MS, None, (CHANGING,))
    assert at(timeline, 720, 5) == Found(2, 0, 220 * MS, check=3)


# A device that must be asked.


def test_a_frame_asked_for_after_the_moment_that_shows_the_same_proves_the_one_before() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 100, 150, same=True), asked(3, 300, 350, same=True))

    assert at(timeline, 290) == Found(1, 0, 240 * MS, check=3)


def test_a_screen_at_rest_shortly_before_is_taken_without_proof_where_the_touch_changed_it() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 250, 300, same=True), asked(3, 400, 450))

    assert at(timeline, 390) == Found(1, 140 * MS, 340 * MS, None)


def test_a_frame_under_way_that_shows_another_screen_casts_doubt_for_it_may_be_older_than_the_touch() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 250, 300, same=True), asked(3, 380, 450), asked(4, 460, 470, same=True))

    assert at(timeline, 390) == Found(1, 140 * MS, 340 * MS, None, (CHANGING,))


def test_a_screen_that_was_seen_last_a_second_before_is_too_old() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 1500, 1550))

    assert at(timeline, 1490) == Found(1, 1490 * MS, 1440 * MS, None, ("the picture is 1.5 s older than the touch",))


def test_a_screen_that_looks_the_same_after_a_long_silence_may_have_been_another_meanwhile() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 5000, 5050, same=True), asked(3, 5500, 5550, same=True))

    assert at(timeline, 3000) == Found(1, 3000 * MS, 2950 * MS, None, ("the picture is 3.0 s older than the touch",))
    assert at(timeline, 5400) == Found(2, 0, 350 * MS, check=3)


def test_a_screen_that_has_just_come_was_still_moving() -> None:
    timeline = seen(asked(1, 0, 50), asked(2, 100, 150), asked(3, 300, 350, same=True))

    assert at(timeline, 250) == Found(2, 0, 100 * MS, check=3, doubts=(MOVING,))


def test_nothing_is_told_of_a_moment_before_the_first_frame() -> None:
    assert at(seen(asked(1, 0, 50), asked(2, 60, 70)), 40) == Nothing()


# What is known when nobody waits any longer.


@pytest.mark.parametrize("frame", [streamed(1, 0), asked(1, 0, 0)])
def test_the_impatient_get_what_is_known_and_are_told_that_it_is_not_proved(frame: Sighting) -> None:
    assert at(seen(), 10, patient=False) == Nothing()
    assert at(seen(frame), 400, patient=False) == Found(1, 400 * MS, 400 * MS, None, (UNWATCHED,))
    assert at(seen(streamed(1, 0), asked(2, 410, 420)), 400, patient=False) == Found(
        1, 400 * MS, 400 * MS, None, (UNWATCHED,)
    )


# What is held.


def test_the_first_frame_of_each_of_the_last_screens_is_held() -> None:
    timeline = seen(streamed(1, 0), streamed(2, 10, same=True), streamed(3, 20))
    assert timeline.held() == {1, 3}

    for number in range(4, 50):
        timeline.see(streamed(number, number * 10))
    assert timeline.held() == frozenset(range(50 - RUNS_HELD, 50))
    assert at(timeline, 25) == Nothing()


def test_a_history_that_is_forgotten_answers_nothing() -> None:
    timeline = seen(streamed(1, 0), streamed(2, 500))
    timeline.forget()

    assert at(timeline, 400) == NotYet()
    assert timeline.held() == frozenset()


def test_a_stale_frame_does_not_make_a_screen_older() -> None:
    timeline = seen(streamed(1, 0), asked(2, 300, 400, same=True), asked(3, 200, 450, same=True))

    assert at(timeline, 290) == Found(1, 0, 290 * MS, check=2)


# No wrong answer, whatever the delays.


@dataclass(frozen=True)
class World:
    """Screens, each with the moment when it came; the frames of a device that shows them, in order of arrival."""

    changes: list[int]
    frames: list[tuple[Sighting, int]]
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
        frames.append((Sighting(number, started, arrived, streamed=is_streamed, same=screen == anchor), screen))
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
                if not isinstance(answer, Found):
                    continue
                event(f"proved {answer.check is not None}, patient {patient}")
                assert answer.number in timeline.held()
                assert shows[answer.number] <= world.screen_at(touched)
                if answer.check is not None:
                    assert shows[answer.number] == world.screen_at(touched)
