"""Scenarios of a session: events, and the effects they cause."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Complete, Impossible, SystemKey
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel, Size
from odyssey_recorder.recording.effects import (
    Abandon,
    CompareScreens,
    DropTouch,
    Effect,
    JudgeLastStep,
    JudgeReturn,
    KeepFrame,
    LowerFinger,
    Publish,
    RemoveSteps,
    ReturnDevice,
    SaveStep,
    SendInput,
    Tell,
    VouchForLastStep,
    Watch,
)
from odyssey_recorder.recording.events import (
    AbandonWanted,
    DeviceCameBack,
    DeviceWentAway,
    ErrorDialogSeen,
    Event,
    FrameKept,
    FrameSeen,
    InputDone,
    InputRefused,
    InputUncertain,
    Intended,
    Intent,
    KeyPress,
    LastStepJudged,
    Published,
    Returned,
    ReturnJudged,
    ScreenAccepted,
    ScreensCompared,
    Started,
    StepSaved,
    StepsDropped,
    StorageFailed,
    Tick,
    Touch,
    TouchCancelled,
    TouchedDown,
    UndoWanted,
)
from odyssey_recorder.recording.notice import NoticeKind
from odyssey_recorder.recording.restore import BRING_BACK_FIRST, NOT_RETURNED
from odyssey_recorder.recording.session import (
    CHANGED,
    NO_EFFECT_NS,
    NOT_READY,
    OUT_OF_DATE,
    RETRY_NS,
    TOO_EARLY_TO_UNDO,
    TOO_LATE_TO_ABANDON,
    Session,
)
from odyssey_recorder.recording.state import Goal, State

TAP = Touch(TouchStroke.press(Pixel(10, 20)))
HOME = KeyPress(SystemKey.HOME)
ROTATED = Size(500, 300)
JUDGE = JudgeLastStep(5, uncertain=False)
NOT_WRITTEN = Tell("The disk is full. Your last action was neither recorded nor sent.")


def refused(text: str) -> Tell:
    return Tell(text, NoticeKind.REFUSAL)


def still(number: int, *, anchor: int, at: int) -> FrameSeen:
    return FrameSeen(number, anchor, at, still=True)


def moving(number: int, *, at: int, anchor: int | None = None) -> FrameSeen:
    return FrameSeen(number, number if anchor is None else anchor, at)


def restless(number: int, *, at: int, size: Size | None = None) -> FrameSeen:
    return FrameSeen(number, number, at, restless=True, size=size)


def send(session: Session, *events: Event) -> list[Effect]:
    """Pass events to the session; return the effects of the last one."""
    effects: list[Effect] = []
    for event in events:
        effects = session.handle(event)
    return effects


Begin = Callable[[], Session]
Line = Begin | Event | Sequence[Effect] | State | Mapping[str, object]
Scenario = Sequence[Line]
"""A function that creates a session, then events. Each may be followed by the effects that it must cause, the state it
must lead to, and attributes that the session must then have."""


def has(**values: object) -> Mapping[str, object]:
    return values


def run(session: Session, *lines: Line) -> None:
    effects: Sequence[Effect] = []
    for number, line in enumerate(lines):
        context = f"after {number} entries: {lines[max(0, number - 1)]}"
        match line:
            case Sequence():
                assert effects == line, context
            case State():
                assert session.state is line, context
            case Mapping():
                assert {name: getattr(session, name) for name in line} == line, context
            case _:
                assert not callable(line), "one session per scenario"
                effects = session.handle(line)


def run_scenario(scenario: Scenario) -> None:
    begin, *lines = scenario
    assert callable(begin)
    run(begin(), *lines)


def ready(*, late_input_ns: int = 0) -> Session:
    """A session that is ready on frame 2, at time 100; the screen has been settled since frame 1."""
    session = Session(late_input_ns=late_input_ns)
    run(session, Started(0), moving(1, at=50), still(2, anchor=1, at=90), FrameKept(2), has(frame=2), State.READY)
    return session


def sending(*, late_input_ns: int = 0) -> Session:
    """A session that waits for the device to carry out a key, requested at time 100 on frame 2."""
    session = ready(late_input_ns=late_input_ns)
    send(session, Intended(HOME, 100), still(3, anchor=1, at=110), StepSaved(HOME))
    return session


def restless_and_ready() -> Session:
    """A session on a screen that never settles, ready on frame 2."""
    session = Session()
    run(session, Started(0), moving(1, at=50), restless(2, at=5000), FrameKept(2), has(frame=2), State.READY)
    return session


def publishing() -> Session:
    """A session whose terminal step is saved."""
    session = ready()
    send(session, Intended(Complete("done"), 100), still(3, anchor=1, at=110), StepSaved(Complete("done")))
    assert session.publishing
    return session


def returning() -> Session:
    """A session that has undone a step at time 300 and restores a snapshot."""
    session = ready()
    run(session, UndoWanted(300), [Watch(300), RemoveSteps(UNDONE, leads_back=True)])
    run(session, StepsDropped(leads_back=True), [ReturnDevice()], State.RETURNING)
    return session


def restoring() -> Session:
    """A session that waits for a restore by hand, at time 700; frame 4 shows another screen."""
    session = returning()
    run(session, Returned(400), [Watch(400)], moving(3, at=450), still(4, anchor=3, at=700), [JudgeReturn(4)])
    run(session, ReturnJudged(matches=False), State.RESTORING, has(frame=None))
    return session


def resumed(goal: Goal = Goal.LEFT) -> Session:
    """A session that has resumed a draft, and has seen frame 2 settled since frame 1."""
    session = Session(late_input_ns=40)
    run(session, Started(0, steps=2, goal=goal), [Watch(40 if goal is Goal.UNCERTAIN else 0)])
    run(session, moving(1, at=50), still(2, anchor=1, at=90), [JudgeReturn(2)] if goal is Goal.LEFT else [])
    return session


def disk_full(now_ns: int = 1000, frame: int | None = None) -> StorageFailed:
    return StorageFailed("The disk is full.", now_ns, frame)


UNDONE, REFUSED = "undone by the annotator", "refused by the device"
ELSEWHERE, UNSEEN = (Flag(FlagCode.RESUMED_ELSEWHERE),), (Flag(FlagCode.RESUMED_UNSEEN),)
LOST = (Flag(FlagCode.AFTER_LOSS),)
SCENARIOS: dict[str, Scenario] = {
    # The course of a step.
    "an input that may still arrive is waited for before it is judged": (
        partial(sending, late_input_ns=500), InputUncertain("gone"),
        DeviceCameBack(1000), [Watch(1500, after_input=True)],
    ),
    "a session ignores the device until it is started": (
        Session, DeviceWentAway("gone"), [], still(1, anchor=1, at=5), [], State.IDLE,
    ),
    "a screen at rest is kept before the session is ready": (
        Session, Started(7), [Watch(7)], moving(1, at=10), [], moving(2, at=20), [], State.SETTLING,
        still(3, anchor=2, at=300), [KeepFrame(3)], State.CAPTURING, has(frame=None),
        still(4, anchor=2, at=400), [], FrameKept(3), [], State.READY, has(frame=3),
    ),
    "a screen that changes by itself while ready has to settle again": (
        ready, still(3, anchor=1, at=200), [], moving(4, at=300), [Watch(300)], State.SETTLING, has(frame=None),
    ),
    "a tap goes out when its step is saved and the screen was seen unchanged since touch-down": (
        ready, TouchedDown(2, 100), [], State.READY, has(touched=True), Intended(TAP, 200), [], State.CHECKING,
        TouchCancelled(), [],  # it is complete
        still(3, anchor=1, at=99), [],  # requested before the touch-down
        still(4, anchor=1, at=100), [SaveStep(2, 4, True, 100, TAP)], State.INJECTING,
        StepSaved(TAP), [SendInput(TAP)],
        InputDone(400), [Watch(400, after_input=True)], State.SETTLING, has(touched=False),
    ),
    "the saved frame is the screenshot, whichever equal frame was touched": (
        ready, still(3, anchor=1, at=95), TouchedDown(1, 100), still(4, anchor=1, at=120),
        Intended(TAP, 200), [SaveStep(2, 4, True, 100, TAP)],
    ),
    "the step before is judged once, as soon as the screen is still": (
        sending, still(4, anchor=1, at=120), moving(5, at=130), [], State.INJECTING,  # the input is on its way
        InputDone(400), moving(4, at=410), still(5, anchor=4, at=700), [KeepFrame(5), JUDGE],
        LastStepJudged(), FrameKept(5), moving(6, at=800),
        still(7, anchor=6, at=1100), [CompareScreens(5, 7), KeepFrame(7)],
    ),
    # Refused inputs.
    "a touch while the screen is not ready is refused and its gesture ignored": (
        Session, Started(0), moving(1, at=10), TouchedDown(1, 20), [refused(NOT_READY)], Intended(TAP, 30), [],
        Intended(HOME, 30), [refused(NOT_READY)],
    ),
    "a second finger is refused and the first counts, once": (
        ready, TouchedDown(2, 100), TouchedDown(2, 101), [refused(NOT_READY)],
        Intended(HOME, 102), [refused(NOT_READY)],
        Intended(TAP, 200), Intended(TAP, 210), [], still(3, anchor=1, at=220), [SaveStep(2, 3, True, 100, TAP)],
    ),
    "a touch on a frame of the previous screen is refused": (
        Session, Started(0), moving(5, at=50), still(6, anchor=5, at=90), FrameKept(6),
        TouchedDown(4, 100), [refused(OUT_OF_DATE)], has(touched=False), TouchedDown(5, 101), [],
    ),
    "a gesture is refused when the screen changes under the finger": (
        ready, TouchedDown(2, 100), moving(3, at=90), Intended(TAP, 200), [refused(CHANGED), Watch(100)],
        State.SETTLING,
    ),
    "a gesture is refused even if the screen has settled again": (
        ready, TouchedDown(2, 100), moving(3, at=110), still(4, anchor=3, at=400),
        Intended(TAP, 500), [refused(CHANGED), Watch(100)], State.SETTLING,
    ),
    "a key is refused when the screen changes after it": (
        ready, Intended(HOME, 100), moving(3, at=110), [refused(CHANGED), Watch(100)], State.SETTLING,
    ),
    "a cancelled touch leaves nothing behind": (
        ready, TouchedDown(2, 100), TouchCancelled(), [Watch(100)], has(touched=False), TouchCancelled(), [],
    ),
    # Screens that never settle.
    "a screen that never rests is taken as it is": (
        Session, Started(0), moving(1, at=50), restless(2, at=5000), [KeepFrame(2)],
        restless(3, at=5050), [], State.CAPTURING,  # one screenshot at a time
        FrameKept(2), State.READY, has(frame=2), restless(4, at=5100), [],  # not each frame is saved
    ),
    "a touch on a restless screen pins the frame that was touched": (
        restless_and_ready, restless(3, at=5100), restless(4, at=5200), TouchedDown(3, 5210), [KeepFrame(3)],
        Intended(TAP, 5300), [],  # the screenshot is not safe yet
        restless(5, at=5310), [],  # and a restless screen proves nothing
        FrameKept(2), [],  # not this one
        FrameKept(3), [SaveStep(3, None, False, 5210, TAP, flags=(Flag(FlagCode.MOVING),))],
    ),
    "a restless screen that settles after all is saved again": (
        restless_and_ready, still(4, anchor=3, at=6000), [KeepFrame(4)], State.CAPTURING,
        FrameKept(4), TouchedDown(4, 6100), Intended(TAP, 6200),
        still(5, anchor=3, at=6300), [SaveStep(4, 5, True, 6100, TAP)],
    ),
    "a restless screen that rotates is another screen": (
        restless_and_ready, restless(3, at=5100, size=ROTATED), [Watch(5100)],
        TouchedDown(2, 5110), [refused(NOT_READY)],
        restless(4, at=10_100, size=ROTATED), FrameKept(4), TouchedDown(2, 10_110), [refused(OUT_OF_DATE)],
        TouchedDown(3, 10_110), [KeepFrame(3)], restless(5, at=10_200), FrameKept(3),
        Intended(TAP, 10_300), [refused(CHANGED), Watch(10_110)],  # it rotated during the touch
    ),
    # Undo.
    "a step that was undone is not judged": (
        sending, InputDone(400), UndoWanted(410), StepsDropped(), moving(4, at=420),
        still(5, anchor=4, at=700), [KeepFrame(5)],
    ),
    "an uncertain step that was undone does not cast doubt on the one before": (
        Session, Started(0, goal=Goal.UNCERTAIN), UndoWanted(10), [Watch(10), RemoveSteps(UNDONE, leads_back=True)],
        StepsDropped(leads_back=True), [ReturnDevice()], Returned(20), moving(1, at=30), still(2, anchor=1, at=300),
        ReturnJudged(matches=True), [KeepFrame(2)],  # no step is left to vouch for
    ),
    "a step is undone even if no screenshot shows the screen to return to": (
        Session, Started(0, goal=Goal.UNCERTAIN), UndoWanted(10), StepsDropped(lost=True), moving(1, at=20), [],
        still(2, anchor=1, at=300), [KeepFrame(2)], has(next_flags=UNSEEN),
    ),
    "undo waits for the end of a gesture": (
        ready, TouchedDown(2, 100), UndoWanted(110), [Tell(TOO_EARLY_TO_UNDO)],
    ),
    "undo waits for the end of an input": (sending, UndoWanted(300), [Tell(TOO_EARLY_TO_UNDO)]),
    "undo waits for the end of publishing": (publishing, UndoWanted(300), [Tell(TOO_EARLY_TO_UNDO)]),
    "while restoring, a screen is judged once, and again when it changes by itself": (
        restoring, still(5, anchor=3, at=800), [], moving(6, at=900), [],
        still(7, anchor=6, at=1200), [JudgeReturn(7)],
    ),
    "while restoring, a refused or lost input removes no step": (
        restoring, Intended(TAP, 810), InputRefused("no", 900), [Tell("no"), Watch(900)],
        moving(5, at=950), still(6, anchor=5, at=1200), ReturnJudged(matches=False), Intended(TAP, 1300),
        InputUncertain("gone"), State.DEVICE_LOST, DeviceCameBack(2000), [Watch(2000)],
    ),
    "a device is not lost while its snapshot loads, and a failure is reported": (
        returning, DeviceWentAway("offline"), [], State.RETURNING,
        Returned(400, "No such snapshot."), [Tell(NOT_RETURNED.format("No such snapshot.")), Watch(400)],
        has(restoring=True),  # now by hand
    ),
    "more steps can be undone while restoring": (
        restoring, UndoWanted(800, 2), [Watch(800), RemoveSteps(UNDONE, 2, leads_back=True)],
        StepsDropped(leads_back=True), [ReturnDevice()],
    ),
    "a draft whose last step was undone is restored when it is resumed": (
        Session, Started(0, steps=2, goal=Goal.UNDONE), [ReturnDevice()],
    ),
    "a draft that is resumed on another screen is restored by a snapshot, then by hand": (
        resumed, ReturnJudged(matches=False), [ReturnDevice()], State.RETURNING,
        Returned(200), moving(3, at=250), still(4, anchor=3, at=400), [JudgeReturn(4)],
        ReturnJudged(matches=False), [], State.RESTORING, has(goal=Goal.LEFT),
        Intended(Complete(), 500), [Tell(BRING_BACK_FIRST)],
        ScreenAccepted(600), [Watch(600)], has(next_flags=ELSEWHERE),
    ),
    "a flag for the next step goes to the step that is recorded instead of it": (
        ready, StepsDropped(flags=ELSEWHERE), Intended(HOME, 100),
        still(3, anchor=1, at=110), [SaveStep(2, 3, True, 100, HOME, flags=ELSEWHERE)],
    ),
    "a flag for the next step stays when more steps are undone": (
        returning, Returned(400), UndoWanted(410), StepsDropped(leads_back=True, flags=ELSEWHERE),
        has(next_flags=ELSEWHERE),
    ),
    "the verdict on a screen that has changed since is ignored": (
        resumed, moving(3, at=100), ReturnJudged(matches=True), [], still(4, anchor=3, at=400), [JudgeReturn(4)],
    ),
    "the verdict on a screen that an input has changed since is ignored": (
        restoring, moving(5, at=800), still(6, anchor=5, at=1100), [JudgeReturn(6)],
        Intended(HOME, 1200), ReturnJudged(matches=True), [], has(restoring=True), InputDone(1300), [Watch(1300)],
        moving(7, at=1400), still(8, anchor=7, at=1700), [JudgeReturn(8)],
    ),
    "a restless screen is compared with the screen to restore once": (
        Session, Started(0, goal=Goal.LEFT), restless(2, at=5000), [JudgeReturn(2)],
        restless(3, at=5050), [], ReturnJudged(matches=False), [ReturnDevice()],
    ),
    "recording continues when the terminal step is undone": (
        publishing, disk_full(), UndoWanted(2000), [Watch(2000), RemoveSteps(UNDONE, leads_back=True)],
        StepsDropped(), moving(4, at=2010), still(5, anchor=4, at=2300), FrameKept(5), Intended(HOME, 3000),
        DeviceWentAway("gone"), State.DEVICE_LOST,  # it records again, and needs the device
    ),
    # The device is lost.
    "a device lost while the screen is awaited loses nothing": (
        Session, Started(0), moving(1, at=5), DeviceWentAway("gone"), [], FrameKept(2), [], State.DEVICE_LOST,
        has(frame=None),
    ),
    "a device lost while the screen is saved loses nothing": (
        Session, Started(0), moving(1, at=5), still(2, anchor=1, at=90), DeviceWentAway("gone"), [], FrameKept(2), [],
        State.DEVICE_LOST, has(frame=None),
    ),
    "doubt about a step outlives a second loss of the device": (
        sending, InputUncertain("gone"), DeviceCameBack(500), moving(4, at=510), DeviceWentAway("gone"),
        DeviceCameBack(600), moving(5, at=610), still(6, anchor=5, at=900), [JudgeLastStep(6, True)],
        LastStepJudged(), [KeepFrame(6)], State.CAPTURING,  # it was removed: the screen is as before
    ),
    "after a doubtful step the annotator says whether the screen is its result": (
        sending, InputUncertain("gone"), DeviceCameBack(500), moving(4, at=510), still(5, anchor=4, at=800),
        [JudgeLastStep(5, True)], LastStepJudged(is_doubtful=True), [Watch(800)], has(goal=Goal.LOST),
        still(6, anchor=6, at=900), [JudgeReturn(6)], ReturnJudged(matches=False), [ReturnDevice()],
        Returned(910), moving(7, at=920), still(8, anchor=7, at=1000), ReturnJudged(matches=False), State.RESTORING,
        ScreenAccepted(1100), [Watch(1100)], has(next_flags=LOST),
    ),
    "a device that is back on the screen from before goes on": (
        ready, DeviceWentAway("gone"), has(goal=None, was_lost=True), DeviceCameBack(200), [Watch(200)],
        State.SETTLING, has(goal=Goal.LOST), still(5, anchor=4, at=300), [JudgeReturn(5)],
        ReturnJudged(matches=True), [CompareScreens(2, 5), KeepFrame(5)], FrameKept(5), State.READY,
        has(next_flags=(), goal=None),
    ),
    "a device that is back on another screen is restored before the next step": (
        ready, DeviceWentAway("gone"), DeviceCameBack(200), still(5, anchor=4, at=300), ReturnJudged(matches=False),
        [ReturnDevice()], Returned(310), moving(6, at=320), still(7, anchor=6, at=400), [JudgeReturn(7)],
        ReturnJudged(matches=False), State.RESTORING, Intended(TAP, 500), [SendInput(TAP)], InputDone(510),
        still(9, anchor=8, at=600), [JudgeReturn(9)], ReturnJudged(matches=True), [KeepFrame(9)],
    ),
    "a device lost again while it is restored is restored for the same reason": (
        restoring, DeviceWentAway("gone"), DeviceCameBack(900), [Watch(900)], has(goal=Goal.UNDONE),
    ),
    "a device lost before the storage is compared once the storage works": (
        ready, DeviceWentAway("gone"), disk_full(1000), State.STORAGE_LOST, Tick(1000 + RETRY_NS),
        still(7, anchor=7, at=1100), FrameKept(7), [Watch(1000 + RETRY_NS)], has(goal=Goal.LOST),
    ),
    "a message of Android in front of the screen is no screen to return to": (
        ready, ErrorDialogSeen("Maps keeps stopping"), has(goal=Goal.ANSWERED), DeviceWentAway("gone"),
        DeviceCameBack(200), has(goal=Goal.LOST),
    ),
    "a device is not back before it has answered an input": (
        sending, DeviceWentAway("A screenshot was cut short."), DeviceCameBack(200), [], State.DEVICE_LOST,
        InputDone(300), [], DeviceCameBack(400), moving(4, at=410), still(5, anchor=4, at=700), [JudgeReturn(5)],
        ReturnJudged(matches=True), [KeepFrame(5), JUDGE],
    ),
    "an input may turn out uncertain after the frames failed": (
        sending, DeviceWentAway("gone"), InputUncertain("gone too"), DeviceCameBack(400), moving(4, at=410),
        still(5, anchor=4, at=700), [JudgeLastStep(5, True)],
    ),
    "an input that was refused before the device went away is dropped when it is back": (
        sending, DeviceWentAway("gone"), InputRefused("It is locked.", 300), [Tell("It is locked.")],
        DeviceCameBack(400), [Watch(400), RemoveSteps(REFUSED)],
    ),
    # The storage fails.
    "after another failure the storage is tried again": (
        ready, disk_full(now_ns=0), Tick(RETRY_NS), still(8, anchor=7, at=2000), disk_full(RETRY_NS + 5, frame=8),
        State.STORAGE_LOST, Tick(2 * RETRY_NS), still(9, anchor=7, at=2010), [],
        Tick(2 * RETRY_NS + 5), still(10, anchor=7, at=2020), [KeepFrame(10)],
    ),
    "a gesture whose screenshot cannot be written is refused with the reason": (
        restless_and_ready, restless(3, at=5100), TouchedDown(3, 5110), Intended(TAP, 5200),
        disk_full(frame=2), [],  # that screenshot is no longer needed
        disk_full(frame=3), [NOT_WRITTEN],
    ),
    "a step that cannot be saved is not sent": (
        ready, Intended(HOME, 100), still(3, anchor=1, at=110), disk_full(), [NOT_WRITTEN], State.STORAGE_LOST,
    ),
    "a step that could not be removed is removed once when the storage is back": (
        sending, InputRefused("It is locked.", 400), disk_full(500), Tick(500 + RETRY_NS),
        still(7, anchor=7, at=600), FrameKept(7), [Watch(500 + RETRY_NS), RemoveSteps(REFUSED)],
        StepsDropped(), DeviceWentAway("gone"), DeviceCameBack(700), [Watch(700)],
    ),
    "a step that could not be judged is judged when the storage is back": (
        sending, InputUncertain("gone"), DeviceCameBack(500), moving(4, at=510), still(5, anchor=4, at=800),
        disk_full(900), Tick(900 + RETRY_NS), still(6, anchor=4, at=1000), FrameKept(6), moving(7, at=2000),
        still(8, anchor=7, at=2300), [JudgeLastStep(8, True)],
    ),
    "nothing is tried on the storage while an input is under way": (
        sending, disk_full(100), [],  # the action was sent
        Tick(9 * RETRY_NS), still(6, anchor=6, at=1000), [],
        InputDone(9 * RETRY_NS), [Watch(9 * RETRY_NS, after_input=True)],
    ),
    "an episode that cannot be published is tried again, one try at a time": (
        publishing, disk_full(now_ns=0), [], State.STORAGE_LOST, has(publishing=False),
        Tick(RETRY_NS - 1), [], Tick(RETRY_NS), [Publish()], has(publishing=True), Tick(5 * RETRY_NS), [],
        Published(), State.FINISHED,
    ),
    # Start and end.
    "a complete draft is published at once": (
        Session, Started(0, complete=True), [Publish()], has(publishing=True), still(1, anchor=1, at=10), [],
    ),
    "a recording cannot be thrown away while it is published": (
        publishing, AbandonWanted(), [Tell(TOO_LATE_TO_ABANDON)], disk_full(), AbandonWanted(), [Abandon()],
    ),
}  # fmt: skip


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_session_scenario(scenario: Scenario) -> None:
    run_scenario(scenario)


@pytest.mark.parametrize(
    ("kept", "other"),
    [(still(2, anchor=1, at=300), moving(3, at=400)), (restless(2, at=300), FrameSeen(3, 3, 400, size=ROTATED))],
)
def test_screen_that_changes_while_it_is_saved_must_settle_again(kept: FrameSeen, other: FrameSeen) -> None:
    session = Session()
    run(session, Started(0), moving(1, at=10), kept, other, [], State.SETTLING)
    run(session, FrameKept(2), [], has(frame=None), replace(other, number=4, still=True), [KeepFrame(4)])


@pytest.mark.parametrize(
    ("requested", "rotated"), [(350, True), (400 + NO_EFFECT_NS - 1, True), (400 + NO_EFFECT_NS, False)]
)
def test_rotation_too_early_for_the_input_flags_the_step(requested: int, rotated: bool) -> None:
    session = sending()
    seen = replace(moving(4, at=requested), size=ROTATED)
    events: list[Event] = [seen, InputDone(400)] if requested < 400 else [InputDone(400), seen]
    send(session, *events)
    judged = send(session, replace(still(5, anchor=4, at=2 * NO_EFFECT_NS), size=ROTATED))
    assert JudgeLastStep(5, uncertain=False, turned=rotated) in judged


@pytest.mark.parametrize("end", [Complete("done"), Impossible("no such shop")])
def test_terminal_step_is_published_and_sends_nothing(end: Intent) -> None:
    session = ready()
    run(session, Intended(end, 100), still(3, anchor=1, at=110), [SaveStep(2, 3, True, 100, end)])
    run(session, StepSaved(end), [Publish()], has(publishing=True), DeviceWentAway("gone"), [], has(publishing=True))
    run(session, Published(), [], State.FINISHED)


@pytest.mark.parametrize(("goal", "owed"), [(Goal.UNKNOWN, []), (Goal.UNCERTAIN, [VouchForLastStep()])])
def test_draft_with_unknown_screen_needs_confirmation(goal: Goal, owed: list[Effect]) -> None:
    session = resumed(goal)
    run(session, State.RESTORING, still(3, anchor=1, at=300), [])  # no screen is accepted automatically
    run(session, ScreenAccepted(600), [Watch(600), *owed], has(next_flags=UNSEEN))
    assert send(session, disk_full(700), Tick(700 + RETRY_NS), still(8, anchor=7, at=800), FrameKept(8))[1:] == owed
    send(session, LastStepJudged(), DeviceWentAway("gone"))
    assert send(session, DeviceCameBack(900 + RETRY_NS)) == [Watch(900 + RETRY_NS)], "it is confirmed once"


@pytest.mark.parametrize("session", [ready(), restless_and_ready(), sending()])
def test_lost_device_is_awaited(session: Session) -> None:
    send(session, InputDone(150), DeviceWentAway("It is gone."))
    run(session, has(state=State.DEVICE_LOST, reason="It is gone.", frame=None))
    run(session, DeviceWentAway("Still gone."), [], has(reason="Still gone."), still(9, anchor=9, at=400), [])
    run(session, Intended(HOME, 410), [refused(NOT_READY)], UndoWanted(420), [Tell(TOO_EARLY_TO_UNDO)])
    run(session, DeviceCameBack(500), [Watch(500, after_input=True)], State.SETTLING, has(reason=""))


@pytest.mark.parametrize("session", [ready(), restless_and_ready(), Session()])
def test_storage_failure_lasts_until_a_frame_is_saved(session: Session) -> None:
    run(session, Started(0), disk_full(now_ns=1000), [], State.STORAGE_LOST)
    run(session, has(reason="The disk is full.", frame=None), Intended(HOME, 1100), [refused(NOT_READY)])
    run(session, Tick(1000 + RETRY_NS - 1), still(7, anchor=7, at=1000), [])
    run(session, Tick(1000 + RETRY_NS), still(8, anchor=7, at=2000), [KeepFrame(8)], State.STORAGE_LOST)
    run(session, Tick(5 * RETRY_NS), still(9, anchor=7, at=2010), [])  # one try at a time
    run(session, FrameKept(8), [Watch(1000 + RETRY_NS)], State.SETTLING, has(reason=""))


@pytest.mark.parametrize("session", [Session(), ready(), sending()])
def test_recording_can_be_abandoned_at_any_time(session: Session) -> None:
    run(session, AbandonWanted(), [Abandon()], State.ABANDONED, InputDone(500), [])
    run(session, disk_full(), [Tell("The disk is full.")], State.ABANDONED, has(reason="The disk is full."))


# Invariants.


class FakeRecorder:
    """Answers what the recorder must answer at once, and checks what the session may ask for."""

    def __init__(self) -> None:
        self.session = Session()
        self.now_ns = 0
        self.newest = 0
        self.anchor = 0
        self.frames: dict[int, tuple[int, int]] = {}  # number: (anchor, requested at)
        self.writing: set[int] = set()
        self.kept: set[int] = set()
        self.saved: Intent | None = None
        self.in_flight: Intent | None = None
        self.returning = False
        self.touches: set[int] = set()  # times of touch-downs that no step has used
        self.take(Started(0))

    def take(self, event: Event) -> None:
        for effect in self.session.handle(event):
            self._check(effect)

    def _check(self, effect: Effect) -> None:  # noqa: C901 - one case for each effect
        match effect:
            case KeepFrame(number):
                self.writing.add(number)
            case SaveStep(frame, check, settled, touched_ns, intent):
                assert frame in self.kept
                assert not self.session.restoring
                assert self.in_flight is None
                assert touched_ns in self.touches, "never two steps for one gesture"
                self.touches.remove(touched_ns)
                if settled:
                    assert check is not None
                    assert self.frames[check][0] == self.frames[frame][0], "the screen was the same"
                    assert self.frames[check][1] >= touched_ns
                self.saved = intent
                self.take(StepSaved(intent))
            case SendInput(intent) if self.session.restoring:
                assert self.in_flight is None, "one input at a time"
                self.in_flight = intent
            case SendInput(intent):
                assert self.saved is intent
                assert self.in_flight is None, "one input at a time"
                self.in_flight, self.saved = intent, None
            case RemoveSteps(leads_back=leads_back):
                self.take(StepsDropped(leads_back=leads_back))
            case ReturnDevice():
                self.returning = True
            case JudgeReturn(number):
                self.take(ReturnJudged(matches=number % 3 == 0))
            case JudgeLastStep(number, uncertain=uncertain):
                assert self.in_flight is None
                self.take(LastStepJudged(is_doubtful=uncertain and number % 2 == 0))
            case CompareScreens():
                self.take(ScreensCompared(frozenset(range(self.newest % 3))))
            case VouchForLastStep():
                self.take(LastStepJudged())
            case Watch() | Publish() | Abandon() | Tell() | LowerFinger() | DropTouch():
                pass


_HAPPENINGS = [
    "same frame", "same frame", "other frame", "restless frame", "kept", "kept", "not kept", "touch", "lift", "key",
    "cancel", "done", "refused", "uncertain", "undo", "returned", "accept", "lost", "back", "disk", "tick", "late",
]  # fmt: skip


def _happen(recorder: FakeRecorder, move: str) -> None:  # noqa: C901 - one case for each kind of event
    recorder.now_ns += RETRY_NS if move == "late" else 1
    now = recorder.now_ns
    happenings: dict[str, Event] = {
        "done": InputDone(now), "refused": InputRefused("no", now), "uncertain": InputUncertain("?"),
        "cancel": TouchCancelled(), "undo": UndoWanted(now), "accept": ScreenAccepted(now),
        "lost": DeviceWentAway("gone"), "back": DeviceCameBack(now), "disk": disk_full(now),
    }  # fmt: skip
    match move:
        case "same frame" | "other frame" | "restless frame":
            recorder.newest += 1
            if move != "same frame" or not recorder.anchor:
                recorder.anchor = recorder.newest
            recorder.frames[recorder.newest] = (recorder.anchor, now)
            is_still = recorder.newest - recorder.anchor >= 1
            seen = FrameSeen(recorder.newest, recorder.anchor, now, still=is_still, restless=move == "restless frame")
            recorder.take(seen)
        case "kept" | "not kept" if recorder.writing:
            number = recorder.writing.pop()
            if move == "kept":
                recorder.kept.add(number)
            recorder.take(FrameKept(number) if move == "kept" else disk_full(now, frame=number))
        case "touch" if recorder.newest:
            recorder.touches.add(now)
            recorder.take(TouchedDown(recorder.newest, now))
        case "lift":
            recorder.take(Intended(TAP, now))
        case "key":
            recorder.touches.add(now)
            recorder.take(Intended(KeyPress(SystemKey.BACK), now))
        case "done" | "refused" | "uncertain" if recorder.in_flight is not None:
            recorder.in_flight = None
            recorder.take(happenings[move])
        case "returned" if recorder.returning:
            recorder.returning = False
            recorder.take(Returned(now))
        case "cancel" | "undo" | "accept" | "lost" | "back" | "disk":
            recorder.take(happenings[move])
        case _:
            recorder.take(Tick(now))


@settings(max_examples=400)
@given(st.lists(st.sampled_from(_HAPPENINGS), max_size=120))
def test_input_is_sent_only_after_its_step_is_saved(moves: list[str]) -> None:
    recorder = FakeRecorder()
    for move in moves:
        _happen(recorder, move)
        assert recorder.session.state in State
