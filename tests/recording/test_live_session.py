"""Scenarios of live touches: what is sent at once, and what proves the frame afterwards."""

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
    Effect,
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
    ReturnJudged,
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
    ROTATED_BEFORE_TOUCH,
    TOO_EARLY_TO_UNDO,
    Session,
)
from odyssey_recorder.recording.state import State
from tests.recording.test_session import (
    NOT_WRITTEN,
    ROTATED,
    Line,
    Scenario,
    disk_full,
    has,
    refused,
    run,
    run_scenario,
    send,
)

UPRIGHT = Size(300, 500)
DRAG = Touch(TouchStroke.drag((Pixel(10, 20), Pixel(10, 200)), duration_ms=300))


def polled(number: int, *, anchor: int, at: int, still: bool = False) -> FrameSeen:
    return FrameSeen(number, anchor, at, still=still, size=UPRIGHT)


def streamed(number: int, *, at: int, size: Size = UPRIGHT) -> FrameSeen:
    """A frame of the stream: the screen changed at `at`."""
    return FrameSeen(number, number, at, streamed=True, size=size)


def ready() -> Session:
    """A session that is ready on frame 2; the screen has been settled since frame 1."""
    session = Session()
    send(session, Started(0), streamed(1, at=50), polled(2, anchor=1, at=90, still=True), FrameKept(2))
    assert (session.state, session.frame) == (State.READY, 2)
    return session


def touched() -> Session:
    """A session that sends a finger to the device."""
    session = ready()
    send(session, TouchedDown(2, 99, live=True))
    return session


def down() -> Session:
    """A session whose finger went down on the device at 100."""
    session = touched()
    send(session, FingerGoesDown(100))
    return session


def lifted() -> Session:
    """A session whose finger left the device at 400, without proof so far."""
    session = down()
    run(session, FingerLifted(DRAG, 400), [])
    return session


def step(frame: int = 2, check: int | None = None, *, proven: bool = True, flag: FlagCode | None = None) -> SaveStep:
    flags = () if flag is None else (Flag(flag),)
    settled = flag is not FlagCode.NEWER
    return SaveStep(frame, check, settled, 100, DRAG, proven=proven, sent=(100, 400), flags=flags)


UNPROVEN = step(proven=False, flag=FlagCode.UNPROVEN)
BROKEN_OFF_EFFECTS: list[Effect] = [Tell(f"{ROTATED_BEFORE_TOUCH} {BROKEN_OFF}"), DropTouch(ROTATED_BEFORE_TOUCH)]
ROTATED_BEFORE: tuple[Line, ...] = (
    [*BROKEN_OFF_EFFECTS, Watch(400)], State.SETTLING, has(live=False),
    polled(5, anchor=5, at=410, still=True), [CompareScreens(2, 5), KeepFrame(5)],
)  # fmt: skip
NEWER_SCREENSHOT: tuple[Line, ...] = (
    polled(4, anchor=3, at=410), [],  # the screenshot of the newer frame is not safe yet
    FrameKept(3), [step(3, 4, flag=FlagCode.NEWER)],
)  # fmt: skip
SCENARIOS: dict[str, Scenario] = {
    "a touch is sent to the device at once, unless its screenshot is outdated": (
        ready, TouchedDown(0, 98, live=True), [refused(OUT_OF_DATE)],
        TouchedDown(2, 99, live=True), [LowerFinger(2)], State.INJECTING, has(live=True),
        FingerGoesDown(100), TouchedDown(2, 110, live=True), [refused(NOT_READY)],
        UndoWanted(120), [Tell(TOO_EARLY_TO_UNDO)],
    ),
    "a touch before the first screenshot is rejected": (Session, TouchedDown(0, 99, live=True), [refused(NOT_READY)]),
    "on a screen that never settles the touch is held back": (
        Session, Started(0), FrameSeen(1, 1, 5000, restless=True, size=UPRIGHT), FrameKept(1), streamed(2, at=5100),
        TouchedDown(2, 5200, live=True), [KeepFrame(2)], has(live=False),
    ),
    "only an equal frame that was requested after the touch is the proof": (
        down, polled(3, anchor=1, at=99), [], polled(4, anchor=1, at=100), FingerLifted(DRAG, 400), [step(check=4)],
    ),
    "a change that the stream reports after the touch is the proof": (
        lifted, polled(3, anchor=3, at=150, still=True), [],  # it is not taken for the next screenshot either
        streamed(4, at=120), [step()],
    ),
    "a change does not prove anything if frames before it are missing": (
        down, streamed(4, at=150), FingerLifted(DRAG, 400), [UNPROVEN],  # another screen may have been touched
    ),
    "missing frames do not matter if a requested frame has proved the touch before": (
        down, polled(3, anchor=1, at=100), streamed(5, at=150), FingerLifted(DRAG, 400), [step(check=3)],
    ),
    "a frame that was requested before the finger landed proves nothing": (
        down, polled(3, anchor=1, at=101), FingerLifted(DRAG, 400, landed_ns=105), [],
        polled(4, anchor=1, at=105), [step(check=4)],
    ),
    "a change before the finger landed is flagged": (
        down, polled(3, anchor=1, at=101), streamed(4, at=103),
        FingerLifted(DRAG, 400, landed_ns=105), [step(check=3, proven=False, flag=FlagCode.CHANGING)],
    ),
    "a change before the touch, reported before the finger is down, makes the newer frame the screenshot": (
        touched, streamed(3, at=95), [KeepFrame(3)], FingerGoesDown(100), FingerLifted(DRAG, 400), *NEWER_SCREENSHOT,
    ),
    "a change before the touch, reported while the finger is down, does too": (
        down, streamed(3, at=95), [KeepFrame(3)], FingerLifted(DRAG, 400), *NEWER_SCREENSHOT,
    ),
    "a change before the touch, reported after the finger lifted, does too": (
        lifted, streamed(3, at=95), [KeepFrame(3)], *NEWER_SCREENSHOT,
    ),
    "a touch on a screen that rotated before the finger landed is not a step": (
        touched, streamed(3, at=95, size=ROTATED), FingerGoesDown(100),
        FingerLifted(DRAG, 400, landed_ns=102), *ROTATED_BEFORE,
    ),
    "a touch on a screen that rotated while the finger was landing is not a step": (
        down, streamed(3, at=101, size=ROTATED), FingerLifted(DRAG, 400, landed_ns=102), *ROTATED_BEFORE,
    ),
    "a touch on a screen that rotated and is upright again is not a step": (
        down, streamed(3, at=93, size=ROTATED), streamed(4, at=95), FingerLifted(DRAG, 400), *ROTATED_BEFORE,
    ),
    "a touch on a screen whose rotation is reported late is not a step": (
        lifted, streamed(3, at=95, size=ROTATED), *ROTATED_BEFORE,
    ),
    "a touch on a screen whose rotation only a requested frame shows is not a step": (
        down, replace(polled(3, anchor=3, at=101), size=ROTATED), streamed(4, at=150),
        FingerLifted(DRAG, 400, landed_ns=102), *ROTATED_BEFORE,
    ),
    "a rotation under the finger comes after the touch-down and proves its screenshot": (
        down, streamed(3, at=150, size=ROTATED), FingerLifted(DRAG, 400, landed_ns=102), [step()],
    ),
    "a gesture whose finger was lost ends when the device can be reached again": (
        down, streamed(3, at=94), streamed(4, at=95, size=ROTATED), DeviceWentAway("gone"),
        FingerLifted(DRAG, 400), BROKEN_OFF_EFFECTS, State.DEVICE_LOST, DeviceCameBack(900), [Watch(900)],
    ),
    "a touch that the device rejects completely leaves nothing to restore": (
        down, InputRefused("No.", 120), [Tell("No."), DropTouch("No."), Watch(120)], State.SETTLING,
    ),
    "a step without a proof is saved and flagged": (
        lifted, Tick(400 + PROOF_NS), [], Tick(401 + PROOF_NS), [UNPROVEN],
    ),
    "after the step the screen must settle and the step is judged": (
        lifted, streamed(3, at=150), StepSaved(DRAG), [Watch(400, after_input=True)], State.SETTLING, has(live=False),
        polled(4, anchor=3, at=700, still=True), [KeepFrame(4), JudgeLastStep(4, uncertain=False)],
    ),
    "a gesture that the device received in part leaves no step, and recording continues": (
        down, InputRefused("No.", 120, is_partial=True),
        [Tell(f"No. {BROKEN_OFF}"), DropTouch("No."), Watch(120 + LATE_INPUT_NS)], State.SETTLING, has(live=False),
        FingerLifted(DRAG, 400), [],  # the gesture is over
    ),
    "a gesture whose connection breaks leaves no step either": (
        down, InputUncertain("No."), [Tell(f"No. {BROKEN_OFF}"), DropTouch("No."), Watch(100 + LATE_INPUT_NS)],
        State.SETTLING, has(live=False), FingerLifted(DRAG, 400), [],
    ),
    "after a finger that may lift late the next screen is waited for until it cannot": (
        down, DeviceWentAway("frozen"), InputUncertain("It broke."),
        DeviceCameBack(900), [Watch(900 + LATE_INPUT_NS)],
        polled(4, anchor=4, at=900, still=True), ReturnJudged(matches=True), FrameKept(4), State.READY,
        polled(5, anchor=5, at=1000), [Watch(1000)],  # it can no longer lift
    ),
    "if the device is lost after the lift, the step is saved without a proof": (
        lifted, DeviceWentAway("gone"), [UNPROVEN], StepSaved(DRAG), [], State.DEVICE_LOST,
        DeviceCameBack(900), [Watch(900, after_input=True)],
    ),
    "if the device is lost during the touch, the result of the touch is awaited": (
        down, DeviceWentAway("gone"), [], DeviceCameBack(200), [], FingerLifted(DRAG, 400), [UNPROVEN],
    ),
    "a note that cannot be written keeps the finger off the device": (
        ready, TouchedDown(2, 99, live=True), disk_full(99), [NOT_WRITTEN], State.STORAGE_LOST, has(live=False),
    ),
    "a step that cannot be written is written later, because the device has the gesture": (
        lifted, streamed(3, at=150), disk_full(500), [], State.STORAGE_LOST,
        Tick(500 + RETRY_NS), [step()], StepSaved(DRAG), [Watch(400, after_input=True)],
    ),
    "a newer screenshot that cannot be written is written before its step": (
        lifted, streamed(3, at=95), disk_full(500, frame=3), Tick(500 + RETRY_NS), [KeepFrame(3)],
        polled(4, anchor=3, at=600), FrameKept(3), [step(3, 4, flag=FlagCode.NEWER)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_live_touch_scenario(scenario: Scenario) -> None:
    run_scenario(scenario)


def test_lost_newer_screenshot_drops_the_gesture() -> None:
    message, dropped, watched = send(lifted(), streamed(3, at=95), TouchCancelled())
    assert isinstance(message, Tell)
    assert BROKEN_OFF in message.text
    assert isinstance(dropped, DropTouch)
    assert watched == Watch(400)


MOVES = st.lists(
    st.sampled_from(["same", "change", "late change", "other", "kept", "lift", "lost", "back", "disk", "tick"]),
    max_size=40,
)


@settings(max_examples=300)
@given(MOVES)
def test_live_gesture_is_one_step_with_an_earlier_screenshot(  # noqa: C901 - one case a move
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
                take(polled(newest, anchor=anchor, at=now))
            case "change" | "late change":
                anchor = newest
                shown_ns[newest] = now if move == "change" else 95
                take(streamed(newest, at=shown_ns[newest]))
            case "other":
                take(polled(newest, anchor=newest, at=now))
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
