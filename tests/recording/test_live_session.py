"""Dialogues about a finger that the device follows: what is sent at once, and what proves its frame afterwards."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel, Size
from odyssey_recorder.recording.effects import (
    CompareScreens,
    DropTouch,
    JudgeLastStep,
    KeepFrame,
    LowerFinger,
    SaveStep,
    Tell,
    Watch,
)
from odyssey_recorder.recording.events import (
    DeviceCameBack,
    DeviceWentAway,
    Event,
    FingerGoesDown,
    FingerLifted,
    FrameKept,
    FrameSeen,
    InputRefused,
    InputUncertain,
    Started,
    StepSaved,
    StorageFailed,
    Tick,
    Touch,
    TouchCancelled,
    TouchedDown,
    UndoWanted,
)
from odyssey_recorder.recording.session import (
    BROKEN_OFF,
    LATE_INPUT_NS,
    NOT_READY,
    OUT_OF_DATE,
    PROOF_NS,
    RETRY_NS,
    TOO_EARLY_TO_UNDO,
    TURNED_AWAY,
    Session,
)
from odyssey_recorder.recording.state import State
from tests.recording.test_session import TURNED, say

UPRIGHT = Size(300, 500)
DRAG = Touch(TouchStroke.drag((Pixel(10, 20), Pixel(10, 200)), duration_ms=300))


def asked(number: int, *, anchor: int, at: int, still: bool = False) -> FrameSeen:
    return FrameSeen(number, anchor, at, still=still, size=UPRIGHT)


def streamed(number: int, *, at: int, size: Size = UPRIGHT) -> FrameSeen:
    """A frame of the stream: the screen changed at `at`."""
    return FrameSeen(number, number, at, streamed=True, size=size)


def ready() -> Session:
    """A session that is ready on frame 2; the screen has been settled since frame 1."""
    session = Session()
    say(session, Started(0), streamed(1, at=50), asked(2, anchor=1, at=90, still=True), FrameKept(2))
    assert (session.state, session.frame) == (State.READY, 2)
    return session


def down() -> Session:
    """A session whose finger went down on the device at 100."""
    session = ready()
    say(session, TouchedDown(2, 99, live=True), FingerGoesDown(100))
    return session


def lifted() -> Session:
    """A session whose finger left the device at 400, without proof so far."""
    session = down()
    assert say(session, FingerLifted(DRAG, 400)) == []
    return session


def step(
    frame: int = 2, check: int | None = None, *, settled: bool = True, proven: bool = True, sent: int = 400
) -> SaveStep:
    flags = (*(() if settled else (Flag(FlagCode.NEWER),)), *(() if proven else (Flag(FlagCode.UNPROVEN),)))
    return SaveStep(frame, check, settled, 100, DRAG, proven=proven, sent=(100, sent), flags=flags)


def test_a_finger_goes_to_the_device_at_once_unless_its_picture_is_old_or_not_safe() -> None:
    session = ready()
    assert say(session, TouchedDown(0, 98, live=True)) == [Tell(OUT_OF_DATE)]
    assert say(session, TouchedDown(2, 99, live=True)) == [LowerFinger(2)]
    assert (session.live, session.state) == (True, State.INJECTING)
    say(session, FingerGoesDown(100))
    assert say(session, TouchedDown(2, 110, live=True)) == [Tell(NOT_READY)]
    assert say(session, UndoWanted(120)) == [Tell(TOO_EARLY_TO_UNDO)]

    assert say(Session(), TouchedDown(0, 99, live=True)) == [Tell(NOT_READY)]


def test_on_a_screen_that_never_rests_the_finger_is_held_back() -> None:
    session = Session()
    say(session, Started(0), FrameSeen(1, 1, 5000, restless=True, size=UPRIGHT), FrameKept(1), streamed(2, at=5100))

    assert say(session, TouchedDown(2, 5200, live=True)) == [KeepFrame(2)]
    assert not session.live


def test_a_frame_asked_for_after_the_touch_that_shows_the_same_is_the_proof() -> None:
    session = down()
    assert say(session, asked(3, anchor=1, at=99)) == [], "asked for before"
    say(session, asked(4, anchor=1, at=100))

    assert say(session, FingerLifted(DRAG, 400)) == [step(check=4)]


def test_a_change_that_the_stream_tells_of_after_the_touch_is_the_proof() -> None:
    session = lifted()

    assert say(session, asked(3, anchor=3, at=150, still=True)) == [], "it is not taken for the next screenshot either"
    assert say(session, streamed(4, at=120)) == [step()]


def test_a_change_is_no_proof_if_frames_before_it_are_missing() -> None:
    session = down()
    say(session, streamed(4, at=150))
    assert say(session, FingerLifted(DRAG, 400)) == [step(proven=False)], "another screen may have been touched"

    session = down()
    say(session, asked(3, anchor=1, at=100), streamed(5, at=150))
    assert say(session, FingerLifted(DRAG, 400)) == [step(check=3)], "a requested frame has proved it before"


def test_a_frame_asked_for_while_the_finger_is_on_its_way_down_proves_nothing_and_a_change_is_flagged() -> None:
    session = down()
    say(session, asked(3, anchor=1, at=101))
    assert say(session, FingerLifted(DRAG, 400, landed_ns=105)) == []
    assert say(session, asked(4, anchor=1, at=105)) == [step(check=4)]

    session = down()
    say(session, asked(3, anchor=1, at=101), streamed(4, at=103))
    assert say(session, FingerLifted(DRAG, 400, landed_ns=105)) == [
        SaveStep(2, 3, True, 100, DRAG, proven=False, sent=(100, 400), flags=(Flag(FlagCode.CHANGING),))
    ]


@pytest.mark.parametrize("news_comes", ["before the finger is down", "while it is down", "after it has lifted"])
def test_a_change_from_before_the_touch_makes_the_newer_frame_the_picture(news_comes: str) -> None:
    session = ready()
    say(session, TouchedDown(2, 99, live=True))
    late = streamed(3, at=95)
    if news_comes == "before the finger is down":
        kept = say(session, late)
    say(session, FingerGoesDown(100))
    if news_comes == "while it is down":
        kept = say(session, late)
    say(session, FingerLifted(DRAG, 400))
    if news_comes == "after it has lifted":
        kept = say(session, late)

    assert kept == [KeepFrame(3)]
    assert say(session, asked(4, anchor=3, at=410)) == [], "its screenshot is not safe yet"
    assert say(session, FrameKept(3)) == [step(3, 4, settled=False)]


BROKEN = [Tell(f"{TURNED_AWAY} {BROKEN_OFF}"), DropTouch(TURNED_AWAY), Watch(400)]


@pytest.mark.parametrize(
    "story",
    [
        pytest.param(
            (streamed(3, at=95, size=TURNED), FingerGoesDown(100), FingerLifted(DRAG, 400, landed_ns=102)),
            id="before the finger went down",
        ),
        pytest.param(
            (FingerGoesDown(100), streamed(3, at=101, size=TURNED), FingerLifted(DRAG, 400, landed_ns=102)),
            id="while it was on its way",
        ),
        pytest.param(
            (FingerGoesDown(100), streamed(3, at=93, size=TURNED), streamed(4, at=95), FingerLifted(DRAG, 400)),
            id="and is upright again",
        ),
        pytest.param(
            (FingerGoesDown(100), FingerLifted(DRAG, 400), streamed(3, at=95, size=TURNED)), id="as is told late"
        ),
        pytest.param(
            (
                FingerGoesDown(100),
                replace(asked(3, anchor=3, at=101), size=TURNED),
                streamed(4, at=150),
                FingerLifted(DRAG, 400, landed_ns=102),
            ),
            id="as only a requested frame shows, and is upright again",
        ),
    ],
)
def test_a_finger_that_met_a_screen_that_had_been_turned_is_no_step(story: Sequence[Event]) -> None:
    session = ready()
    say(session, TouchedDown(2, 99, live=True))

    assert say(session, *story) == BROKEN
    assert (session.state, session.live) == (State.SETTLING, False)
    assert say(session, asked(5, anchor=5, at=410, still=True)) == [CompareScreens(2, 5), KeepFrame(5)]


def test_a_turn_under_the_finger_comes_after_the_touch_down_and_proves_its_picture() -> None:
    session = down()
    say(session, streamed(3, at=150, size=TURNED))

    assert say(session, FingerLifted(DRAG, 400, landed_ns=102)) == [step()]


def test_a_gesture_astray_ends_when_the_way_to_the_device_is_back() -> None:
    session = down()
    say(session, streamed(3, at=94), streamed(4, at=95, size=TURNED), DeviceWentAway("gone"))
    told, dropped = say(session, FingerLifted(DRAG, 400))

    assert [told, dropped] == BROKEN[:2]
    assert session.state is State.DEVICE_LOST
    assert say(session, DeviceCameBack(900)) == [Watch(900)]


def test_a_finger_that_the_device_refuses_altogether_leaves_nothing_to_restore() -> None:
    session = down()
    assert say(session, InputRefused("Look again.", 120)) == [Tell("Look again."), DropTouch("Look again."), Watch(120)]
    assert session.state is State.SETTLING


def test_when_no_proof_comes_the_step_is_saved_and_says_so() -> None:
    session = lifted()

    assert say(session, Tick(400 + PROOF_NS)) == []
    assert say(session, Tick(401 + PROOF_NS)) == [step(proven=False)]


def test_after_the_step_the_screen_is_waited_for_and_the_step_is_judged() -> None:
    session = lifted()
    say(session, streamed(3, at=150))

    assert say(session, StepSaved(DRAG)) == [Watch(400, after_input=True)]
    assert (session.state, session.live) == (State.SETTLING, False)
    assert say(session, asked(4, anchor=3, at=700, still=True)) == [KeepFrame(4), JudgeLastStep(4, uncertain=False)]


@pytest.mark.parametrize(
    ("answer", "since"),
    [(InputRefused("It will not.", 120, is_partial=True), 120), (InputUncertain("It will not."), 100)],
)
def test_a_finger_whose_way_breaks_leaves_no_step_and_recording_goes_on(answer: Event, since: int) -> None:
    session = down()

    assert say(session, answer) == [
        Tell(f"It will not. {BROKEN_OFF}"),
        DropTouch("It will not."),
        Watch(since + LATE_INPUT_NS),
    ]
    assert (session.state, session.live) == (State.SETTLING, False)
    assert say(session, FingerLifted(DRAG, 400)) == [], "it is a gesture no more"


def test_after_a_finger_that_may_lift_late_the_next_screen_is_waited_for_until_it_cannot() -> None:
    session = down()
    say(session, DeviceWentAway("frozen"), InputUncertain("It broke."))

    assert say(session, DeviceCameBack(900)) == [Watch(900 + LATE_INPUT_NS)]
    say(session, asked(4, anchor=4, at=900, still=True), FrameKept(4))
    assert session.state is State.READY
    assert say(session, asked(5, anchor=5, at=1000)) == [Watch(1000)], "it cannot any more"


def test_a_device_that_goes_away_after_the_lift_costs_the_proof_not_the_step() -> None:
    session = lifted()

    assert say(session, DeviceWentAway("gone")) == [step(proven=False)]
    assert say(session, StepSaved(DRAG)) == []
    assert session.state is State.DEVICE_LOST
    assert say(session, DeviceCameBack(900)) == [Watch(900, after_input=True)]


def test_a_device_that_goes_away_under_the_finger_is_waited_for_until_the_finger_reports() -> None:
    session = down()
    assert say(session, DeviceWentAway("gone")) == []
    assert say(session, DeviceCameBack(200)) == []

    assert say(session, FingerLifted(DRAG, 400)) == [step(proven=False)]


def test_a_note_that_cannot_be_written_keeps_the_finger_off_the_device() -> None:
    session = ready()
    say(session, TouchedDown(2, 99, live=True))

    assert say(session, StorageFailed("The disk is full.", 99)) == [
        Tell("The disk is full. Your last action was neither recorded nor sent.")
    ]
    assert not session.live
    assert session.state is State.STORAGE_LOST


def test_a_step_that_cannot_be_written_is_owed_for_the_device_has_the_gesture() -> None:
    session = lifted()
    say(session, streamed(3, at=150))

    assert say(session, StorageFailed("The disk is full.", 500)) == []
    assert session.state is State.STORAGE_LOST
    assert say(session, Tick(500 + RETRY_NS)) == [step()]
    assert say(session, StepSaved(DRAG)) == [Watch(400, after_input=True)]


def test_a_newer_picture_that_cannot_be_written_is_owed_first() -> None:
    session = lifted()
    say(session, streamed(3, at=95), StorageFailed("The disk is full.", 500, frame=3))

    assert say(session, Tick(500 + RETRY_NS)) == [KeepFrame(3)]
    assert say(session, asked(4, anchor=3, at=600), FrameKept(3)) == [step(3, 4, settled=False)]

    gone = lifted()
    told, dropped, watched = say(gone, streamed(3, at=95), TouchCancelled())
    assert isinstance(told, Tell)
    assert BROKEN_OFF in told.text
    assert isinstance(dropped, DropTouch)
    assert watched == Watch(400), "a screenshot that is not at hand any more costs the gesture"


MOVES = st.lists(
    st.sampled_from(["same", "change", "late change", "other", "kept", "lift", "lost", "back", "disk", "tick"]),
    max_size=40,
)


@settings(max_examples=300)
@given(MOVES)
def test_whatever_happens_a_live_gesture_gives_one_step_with_an_earlier_picture(  # noqa: C901 - one case a move
    moves: list[str],
) -> None:
    session, now, newest, anchor = down(), 1000, 2, 1
    shown_ns = {2: 90}
    steps: list[SaveStep] = []
    keeping: set[int] = set()

    def take(event: Event) -> None:
        for effect in session.handle(event):
            match effect:
                case KeepFrame(number):
                    keeping.add(number)
                case SaveStep():
                    steps.append(effect)
                    take(StepSaved(effect.intent))
                case _:
                    pass

    for move in [*moves, "lift", "kept", "back", "tick", "kept", "tick"]:
        now += RETRY_NS if move == "tick" else 1
        newest += 1
        match move:
            case "same":
                take(asked(newest, anchor=anchor, at=now))
            case "change" | "late change":
                anchor = newest
                shown_ns[newest] = now if move == "change" else 95
                take(streamed(newest, at=shown_ns[newest]))
            case "other":
                take(asked(newest, anchor=newest, at=now))
            case "kept":
                for number in sorted(keeping):
                    take(FrameKept(number))
                keeping.clear()
            case "lift":
                take(FingerLifted(DRAG, now))
            case "lost":
                take(DeviceWentAway("gone"))
            case "back":
                take(DeviceCameBack(now))
            case "disk":
                take(StorageFailed("full", now))
            case _:
                take(Tick(now))

    assert len(steps) == 1
    assert shown_ns[steps[0].frame] < 100
