"""Dialogues with a session: events, and the effects they cause."""

from collections.abc import Sequence
from dataclasses import replace

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
    TextEntered,
    Tick,
    Touch,
    TouchCancelled,
    TouchedDown,
    UndoWanted,
)
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
TEXT = TextEntered("milk")
TURNED = Size(500, 300)


def still(number: int, *, anchor: int, at: int) -> FrameSeen:
    return FrameSeen(number, anchor, at, still=True)


def moving(number: int, *, at: int, anchor: int | None = None) -> FrameSeen:
    return FrameSeen(number, number if anchor is None else anchor, at)


def restless(number: int, *, at: int, size: Size | None = None) -> FrameSeen:
    return FrameSeen(number, number, at, restless=True, size=size)


def say(session: Session, *events: Event) -> list[Effect]:
    """Pass the events to the session; return the effects of the last one."""
    effects: list[Effect] = []
    for event in events:
        effects = session.handle(event)
    return effects


def ready() -> Session:
    """A session that is ready on frame 2, at time 100; the screen has been settled since frame 1."""
    session = Session()
    say(session, Started(0), moving(1, at=50), still(2, anchor=1, at=90), FrameKept(2))
    assert (session.state, session.frame) == (State.READY, 2)
    return session


def sending(intent: Intent = HOME) -> Session:
    """A session that waits for the device to carry out `intent`, requested at time 100 on frame 2."""
    session = ready()
    if isinstance(intent, Touch):
        say(session, TouchedDown(2, 100))
    say(session, Intended(intent, 100), still(3, anchor=1, at=110), StepSaved(intent))
    return session


def restless_and_ready() -> Session:
    """A session on a screen that never settles, ready on frame 2."""
    session = Session()
    say(session, Started(0), moving(1, at=50), restless(2, at=5000), FrameKept(2))
    assert (session.state, session.frame) == (State.READY, 2)
    return session


def publishing() -> Session:
    """A session whose terminal step is saved."""
    session = ready()
    say(session, Intended(Complete("done"), 100), still(3, anchor=1, at=110), StepSaved(Complete("done")))
    assert session.publishing
    return session


def disk_full(now_ns: int = 1000, frame: int | None = None) -> StorageFailed:
    return StorageFailed("The disk is full.", now_ns, frame)


# The course of a step.


def test_an_input_that_may_still_arrive_is_waited_for_before_it_is_judged() -> None:
    lost = Session(late_input_ns=500)
    say(lost, Started(0), moving(1, at=50), still(2, anchor=1, at=90), FrameKept(2))
    say(lost, Intended(HOME, 100), still(3, anchor=1, at=110), StepSaved(HOME), InputUncertain("gone"))
    assert say(lost, DeviceCameBack(1000)) == [Watch(1500, after_input=True)]


def test_before_it_is_started_a_session_takes_no_notice_of_the_device() -> None:
    session = Session()
    assert say(session, DeviceWentAway("gone")) == []
    assert say(session, still(1, anchor=1, at=5)) == []
    assert session.state is State.IDLE


def test_a_screen_at_rest_is_kept_before_the_session_is_ready() -> None:
    session = Session()
    assert say(session, Started(7)) == [Watch(7)]
    assert say(session, moving(1, at=10)) == say(session, moving(2, at=20)) == []
    assert session.state is State.SETTLING
    assert say(session, still(3, anchor=2, at=300)) == [KeepFrame(3)]
    assert (session.state, session.frame) == (State.CAPTURING, None)
    assert say(session, still(4, anchor=2, at=400)) == []
    assert say(session, FrameKept(3)) == []
    assert (session.state, session.frame) == (State.READY, 3)


@pytest.mark.parametrize(
    ("kept", "other"),
    [(still(2, anchor=1, at=300), moving(3, at=400)), (restless(2, at=300), FrameSeen(3, 3, 400, size=TURNED))],
)
def test_a_screen_that_changes_while_it_is_kept_is_waited_for_anew(kept: FrameSeen, other: FrameSeen) -> None:
    session = Session()
    assert say(session, Started(0), moving(1, at=10), kept, other) == []
    assert session.state is State.SETTLING
    assert say(session, FrameKept(2)) == []
    assert session.frame is None
    assert say(session, replace(other, number=4, still=True)) == [KeepFrame(4)]


def test_a_screen_that_changes_by_itself_while_ready_is_waited_for_anew() -> None:
    session = ready()
    assert say(session, still(3, anchor=1, at=200)) == []
    assert say(session, moving(4, at=300)) == [Watch(300)]
    assert (session.state, session.frame) == (State.SETTLING, None)


def test_a_tap_goes_out_when_its_step_is_saved_and_the_screen_was_seen_unchanged_since_touch_down() -> None:
    session = ready()
    assert say(session, TouchedDown(2, 100)) == []
    assert (session.state, session.touched) == (State.READY, True)
    assert (say(session, Intended(TAP, 200)), session.state) == ([], State.CHECKING)
    assert say(session, TouchCancelled()) == [], "it is complete"
    assert say(session, still(3, anchor=1, at=99)) == [], "this frame was asked for before the touch-down"
    assert say(session, still(4, anchor=1, at=100)) == [SaveStep(2, 4, True, 100, TAP)]
    assert session.state is State.INJECTING
    assert say(session, StepSaved(TAP)) == [SendInput(TAP)]
    assert say(session, InputDone(400)) == [Watch(400, after_input=True)]
    assert (session.state, session.touched) == (State.SETTLING, False)


def test_the_frame_that_is_kept_is_the_picture_whichever_frame_of_the_same_screen_was_touched() -> None:
    session = ready()
    say(session, still(3, anchor=1, at=95), TouchedDown(1, 100), still(4, anchor=1, at=120))
    assert say(session, Intended(TAP, 200)) == [SaveStep(2, 4, True, 100, TAP)]


@pytest.mark.parametrize("intent", [HOME, TEXT])
def test_keys_and_text_need_the_same_proof_as_a_tap(intent: Intent) -> None:
    session = ready()
    assert say(session, Intended(intent, 100)) == []
    assert say(session, still(3, anchor=1, at=110)) == [SaveStep(2, 3, True, 100, intent)]
    assert say(session, StepSaved(intent)) == [SendInput(intent)]


def test_the_step_before_is_judged_as_soon_as_the_screen_is_still() -> None:
    session = sending()
    assert say(session, still(4, anchor=1, at=120), moving(5, at=130)) == [], "the input is on its way"
    assert session.state is State.INJECTING
    say(session, InputDone(400))
    assert say(session, moving(4, at=410), still(5, anchor=4, at=700)) == [
        KeepFrame(5),
        JudgeLastStep(5, uncertain=False),
    ]
    say(session, LastStepJudged(), FrameKept(5), moving(6, at=800))
    assert say(session, still(7, anchor=6, at=1100)) == [CompareScreens(5, 7), KeepFrame(7)], "it is judged once"


@pytest.mark.parametrize(
    ("asked_for", "turned"), [(350, True), (400 + NO_EFFECT_NS - 1, True), (400 + NO_EFFECT_NS, False)]
)
def test_a_device_that_turns_before_the_input_can_have_turned_it_flags_the_step(asked_for: int, turned: bool) -> None:
    session = sending()
    seen = replace(moving(4, at=asked_for), size=TURNED)
    events: list[Event] = [seen, InputDone(400)] if asked_for < 400 else [InputDone(400), seen]
    say(session, *events)
    judged = say(session, replace(still(5, anchor=4, at=2 * NO_EFFECT_NS), size=TURNED))
    assert JudgeLastStep(5, uncertain=False, turned=turned) in judged


@pytest.mark.parametrize("end", [Complete("done"), Impossible("no such shop")])
def test_the_last_step_is_published_and_nothing_is_sent(end: Intent) -> None:
    session = ready()
    assert say(session, Intended(end, 100), still(3, anchor=1, at=110)) == [SaveStep(2, 3, True, 100, end)]
    assert say(session, StepSaved(end)) == [Publish()]
    assert session.publishing
    assert say(session, DeviceWentAway("gone")) == [], "publishing does not need the device"
    assert session.publishing
    assert say(session, Published()) == []
    assert session.state is State.FINISHED


# Refused inputs.


def test_a_touch_while_the_screen_is_not_ready_is_refused_and_its_gesture_ignored() -> None:
    session = Session()
    say(session, Started(0), moving(1, at=10))
    assert say(session, TouchedDown(1, 20)) == [Tell(NOT_READY)]
    assert say(session, Intended(TAP, 30)) == []
    assert say(session, Intended(HOME, 30)) == [Tell(NOT_READY)]


def test_a_second_finger_is_refused_and_the_first_counts() -> None:
    session = ready()
    say(session, TouchedDown(2, 100))
    assert say(session, TouchedDown(2, 101)) == [Tell(NOT_READY)]
    assert say(session, Intended(HOME, 102)) == [Tell(NOT_READY)]
    say(session, Intended(TAP, 200))
    assert say(session, Intended(TAP, 210)) == [], "one touch-down, one gesture"
    assert say(session, still(3, anchor=1, at=220)) == [SaveStep(2, 3, True, 100, TAP)]


def test_a_touch_on_a_picture_of_the_screen_before_is_refused() -> None:
    session = Session()
    say(session, Started(0), moving(5, at=50), still(6, anchor=5, at=90), FrameKept(6))
    assert say(session, TouchedDown(4, 100)) == [Tell(OUT_OF_DATE)]
    assert not session.touched
    assert say(session, TouchedDown(5, 101)) == []


@pytest.mark.parametrize(
    "story",
    [
        pytest.param((TouchedDown(2, 100), moving(3, at=90), Intended(TAP, 200)), id="under the finger"),
        pytest.param(
            (TouchedDown(2, 100), moving(3, at=110), still(4, anchor=3, at=400), Intended(TAP, 500)),
            id="under the finger, and is at rest again",
        ),
        pytest.param((Intended(HOME, 100), moving(3, at=110)), id="after a key"),
    ],
)
def test_a_gesture_is_refused_when_the_screen_changes(story: Sequence[Event]) -> None:
    session = ready()
    assert say(session, *story) == [Tell(CHANGED), Watch(100)]
    assert session.state is State.SETTLING


def test_a_cancelled_touch_leaves_nothing_behind() -> None:
    session = ready()
    assert say(session, TouchedDown(2, 100), TouchCancelled()) == [Watch(100)]
    assert not session.touched
    assert say(session, TouchCancelled()) == []


# Screens that never settle.


def test_a_screen_that_never_rests_is_taken_as_it_is() -> None:
    session = Session()
    assert say(session, Started(0), moving(1, at=50), restless(2, at=5000)) == [KeepFrame(2)]
    assert say(session, restless(3, at=5050)) == [], "one screenshot at a time"
    assert session.state is State.CAPTURING
    say(session, FrameKept(2))
    assert (session.state, session.frame) == (State.READY, 2)
    assert say(session, restless(4, at=5100)) == [], "it is ready, and need not keep each frame"


def test_a_touch_on_a_restless_screen_pins_the_frame_that_was_touched() -> None:
    session = restless_and_ready()
    say(session, restless(3, at=5100), restless(4, at=5200))
    assert say(session, TouchedDown(3, 5210)) == [KeepFrame(3)]
    assert say(session, Intended(TAP, 5300)) == [], "the screenshot is not safe yet"
    assert say(session, restless(5, at=5310)) == [], "nor can a restless screen prove anything"
    assert say(session, FrameKept(2)) == [], "another screenshot"
    assert say(session, FrameKept(3)) == [SaveStep(3, None, False, 5210, TAP, flags=(Flag(FlagCode.MOVING),))]


def test_a_restless_screen_that_comes_to_rest_after_all_is_kept_again() -> None:
    session = restless_and_ready()
    assert say(session, still(4, anchor=3, at=6000)) == [KeepFrame(4)]
    assert session.state is State.CAPTURING
    say(session, FrameKept(4), TouchedDown(4, 6100), Intended(TAP, 6200))
    assert say(session, still(5, anchor=3, at=6300)) == [SaveStep(4, 5, True, 6100, TAP)]


def test_a_restless_screen_that_is_turned_is_another_screen() -> None:
    session = restless_and_ready()
    assert say(session, restless(3, at=5100, size=TURNED)) == [Watch(5100)]
    assert say(session, TouchedDown(2, 5110)) == [Tell(NOT_READY)]

    say(session, restless(4, at=10_100, size=TURNED), FrameKept(4))
    assert say(session, TouchedDown(2, 10_110)) == [Tell(OUT_OF_DATE)]
    assert say(session, TouchedDown(3, 10_110)) == [KeepFrame(3)]
    say(session, restless(5, at=10_200), FrameKept(3))
    assert say(session, Intended(TAP, 10_300)) == [Tell(CHANGED), Watch(10_110)], "it was turned under the finger"


# Undo.


def test_a_step_that_was_undone_is_not_judged() -> None:
    session = sending()
    say(session, InputDone(400), UndoWanted(410), StepsDropped(), moving(4, at=420))
    assert say(session, still(5, anchor=4, at=700)) == [KeepFrame(5)]


def test_an_uncertain_step_that_was_undone_does_not_cast_doubt_on_the_one_before() -> None:
    session = Session()
    say(session, Started(0, goal=Goal.UNCERTAIN))
    assert say(session, UndoWanted(10))[1:] == [RemoveSteps("undone by the annotator", leads_back=True)]
    assert say(session, StepsDropped(leads_back=True)) == [ReturnDevice()]
    say(session, Returned(20), moving(1, at=30), still(2, anchor=1, at=300))
    assert say(session, ReturnJudged(matches=True)) == [KeepFrame(2)], "no step is left to vouch for"


def test_a_step_that_was_undone_goes_though_no_picture_leads_back_to_its_screen() -> None:
    session = Session()
    say(session, Started(0, goal=Goal.UNCERTAIN), UndoWanted(10))
    assert say(session, StepsDropped(lost=True), moving(1, at=20)) == []
    assert say(session, still(2, anchor=1, at=300)) == [KeepFrame(2)]
    assert session.next_flags == (Flag(FlagCode.RESUMED_UNSEEN),)


def test_undo_waits_for_the_end_of_the_last_action() -> None:
    session = ready()
    say(session, TouchedDown(2, 100))
    assert say(session, UndoWanted(110)) == [Tell(TOO_EARLY_TO_UNDO)]
    assert say(sending(), UndoWanted(300)) == [Tell(TOO_EARLY_TO_UNDO)]
    assert say(publishing(), UndoWanted(300)) == [Tell(TOO_EARLY_TO_UNDO)]


def returning(steps: int = 1) -> Session:
    """A session that has undone `steps` at time 300 and is restoring by snapshot."""
    session = ready()
    assert say(session, UndoWanted(300, steps))[-1] == RemoveSteps("undone by the annotator", steps, leads_back=True)
    assert say(session, StepsDropped(leads_back=True)) == [ReturnDevice()]
    assert session.state is State.RETURNING
    return session


def restoring() -> Session:
    """A session that waits for a restore by hand, at time 700; frame 4 shows another screen."""
    session = returning()
    assert say(session, Returned(400)) == [Watch(400)]
    assert say(session, moving(3, at=450), still(4, anchor=3, at=700)) == [JudgeReturn(4)]
    say(session, ReturnJudged(matches=False))
    assert (session.state, session.frame) == (State.RESTORING, None)
    return session


def test_a_screen_on_the_way_back_is_judged_once_and_again_when_it_changes_by_itself() -> None:
    session = restoring()
    assert say(session, still(5, anchor=3, at=800)) == []
    assert say(session, moving(6, at=900)) == []
    assert say(session, still(7, anchor=6, at=1200)) == [JudgeReturn(7)]


def test_a_refused_or_lost_input_on_the_way_back_takes_no_step_away() -> None:
    session = restoring()
    say(session, Intended(TAP, 810))
    assert say(session, InputRefused("no", 900)) == [Tell("no"), Watch(900)]
    say(session, moving(5, at=950), still(6, anchor=5, at=1200), ReturnJudged(matches=False), Intended(TAP, 1300))
    say(session, InputUncertain("gone"))
    assert session.state is State.DEVICE_LOST
    assert say(session, DeviceCameBack(2000)) == [Watch(2000)]


def test_a_device_that_is_away_while_its_snapshot_loads_is_not_lost_and_a_failure_is_told() -> None:
    session = returning()
    assert say(session, DeviceWentAway("offline")) == []
    assert session.state is State.RETURNING
    told = Tell(NOT_RETURNED.format("No such snapshot."))
    assert say(session, Returned(400, "No such snapshot.")) == [told, Watch(400)]
    assert session.restoring, "the annotator leads back"


def test_more_can_be_undone_on_the_way_back() -> None:
    session = restoring()
    assert say(session, UndoWanted(800, 2)) == [Watch(800), RemoveSteps("undone by the annotator", 2, leads_back=True)]
    assert say(session, StepsDropped(leads_back=True)) == [ReturnDevice()]


def resumed(goal: Goal = Goal.LEFT) -> Session:
    """A session that has resumed a draft, and has seen frame 2 settled since frame 1."""
    session = Session(late_input_ns=40)
    assert say(session, Started(0, steps=2, goal=goal)) == [Watch(40 if goal is Goal.UNCERTAIN else 0)]
    looks = [JudgeReturn(2)] if goal is Goal.LEFT else []
    assert say(session, moving(1, at=50), still(2, anchor=1, at=90)) == looks
    return session


def test_a_draft_whose_last_step_was_undone_is_led_back_when_it_is_resumed() -> None:
    assert say(Session(), Started(0, steps=2, goal=Goal.UNDONE)) == [ReturnDevice()]


def test_a_draft_that_is_resumed_on_another_screen_is_brought_back_by_a_snapshot_then_by_hand() -> None:
    session = resumed()
    assert say(session, ReturnJudged(matches=False)) == [ReturnDevice()]
    assert session.state is State.RETURNING
    assert say(session, Returned(200), moving(3, at=250), still(4, anchor=3, at=400)) == [JudgeReturn(4)]
    assert say(session, ReturnJudged(matches=False)) == []
    assert (session.state, session.goal) == (State.RESTORING, Goal.LEFT)
    assert say(session, Intended(Complete(), 500)) == [Tell(BRING_BACK_FIRST)]
    assert say(session, ScreenAccepted(600)) == [Watch(600)]
    assert session.next_flags == (Flag(FlagCode.RESUMED_ELSEWHERE),)


@pytest.mark.parametrize(("goal", "owed"), [(Goal.UNKNOWN, []), (Goal.UNCERTAIN, [VouchForLastStep()])])
def test_a_draft_that_does_not_know_its_screen_needs_the_annotators_word(goal: Goal, owed: list[Effect]) -> None:
    session = resumed(goal)
    assert session.state is State.RESTORING
    assert say(session, still(3, anchor=1, at=300)) == [], "no screen is the right one by itself"
    assert say(session, ScreenAccepted(600)) == [Watch(600), *owed]
    assert session.next_flags == (Flag(FlagCode.RESUMED_UNSEEN),)
    assert say(session, disk_full(700), Tick(700 + RETRY_NS), still(8, anchor=7, at=800), FrameKept(8))[1:] == owed
    say(session, LastStepJudged(), DeviceWentAway("gone"))
    assert say(session, DeviceCameBack(900 + RETRY_NS)) == [Watch(900 + RETRY_NS)], "it is vouched for once"


def test_what_is_owed_to_the_next_step_is_said_by_the_one_that_is_recorded_instead_of_it() -> None:
    session = ready()
    say(session, StepsDropped(flags=(Flag(FlagCode.RESUMED_ELSEWHERE),)), Intended(HOME, 100))
    (save,) = say(session, still(3, anchor=1, at=110))
    assert isinstance(save, SaveStep)
    assert save.flags == (Flag(FlagCode.RESUMED_ELSEWHERE),)

    undone = returning()
    say(
        undone, Returned(400), UndoWanted(410), StepsDropped(leads_back=True, flags=(Flag(FlagCode.RESUMED_ELSEWHERE),))
    )
    assert undone.next_flags == (Flag(FlagCode.RESUMED_ELSEWHERE),)


def test_what_is_said_of_a_screen_that_has_changed_since_means_nothing() -> None:
    session = resumed()
    say(session, moving(3, at=100))
    assert say(session, ReturnJudged(matches=True)) == []
    assert say(session, still(4, anchor=3, at=400)) == [JudgeReturn(4)]

    session = restoring()
    assert say(session, moving(5, at=800), still(6, anchor=5, at=1100)) == [JudgeReturn(6)]
    say(session, Intended(HOME, 1200))
    assert say(session, ReturnJudged(matches=True)) == []
    assert session.restoring
    assert say(session, InputDone(1300)) == [Watch(1300)]
    assert say(session, moving(7, at=1400), still(8, anchor=7, at=1700)) == [JudgeReturn(8)]


def test_a_screen_that_never_rests_is_another_one_than_the_wanted_after_one_look() -> None:
    session = Session()
    say(session, Started(0, goal=Goal.LEFT))
    assert say(session, restless(2, at=5000)) == [JudgeReturn(2)]
    assert say(session, restless(3, at=5050)) == [], "one look at a time"
    assert say(session, ReturnJudged(matches=False)) == [ReturnDevice()]


def test_an_end_that_was_undone_is_not_the_end() -> None:
    session = publishing()
    say(session, disk_full())
    assert say(session, UndoWanted(2000)) == [Watch(2000), RemoveSteps("undone by the annotator", leads_back=True)]
    say(session, StepsDropped(), moving(4, at=2010), still(5, anchor=4, at=2300), FrameKept(5))
    say(session, Intended(HOME, 3000), DeviceWentAway("gone"))
    assert session.state is State.DEVICE_LOST, "it records again, and needs the device"


# The device is lost.


@pytest.mark.parametrize("session", [ready(), restless_and_ready(), sending()])
def test_a_device_that_goes_away_is_waited_for(session: Session) -> None:
    say(session, InputDone(150), DeviceWentAway("It is gone."))
    assert (session.state, session.reason, session.frame) == (State.DEVICE_LOST, "It is gone.", None)
    assert say(session, DeviceWentAway("Still gone.")) == []
    assert session.reason == "Still gone."
    assert say(session, still(9, anchor=9, at=400)) == []
    assert say(session, Intended(HOME, 410)) == [Tell(NOT_READY)]
    assert say(session, UndoWanted(420)) == [Tell(TOO_EARLY_TO_UNDO)]
    assert say(session, DeviceCameBack(500)) == [Watch(500, after_input=True)]
    assert (session.state, session.reason) == (State.SETTLING, "")


@pytest.mark.parametrize("before", [(moving(1, at=5),), (moving(1, at=5), still(2, anchor=1, at=90))])
def test_a_device_that_goes_away_while_the_screen_is_awaited_or_kept_costs_nothing(
    before: Sequence[FrameSeen],
) -> None:
    session = Session()
    say(session, Started(0), *before)
    assert say(session, DeviceWentAway("gone")) == []
    assert say(session, FrameKept(2)) == []
    assert (session.state, session.frame) == (State.DEVICE_LOST, None)


def test_doubt_about_a_step_outlives_a_second_loss_of_the_device() -> None:
    session = sending()
    say(session, InputUncertain("gone"), DeviceCameBack(500), moving(4, at=510), DeviceWentAway("gone"))
    say(session, DeviceCameBack(600), moving(5, at=610))
    assert say(session, still(6, anchor=5, at=900)) == [KeepFrame(6), JudgeLastStep(6, uncertain=True)]


def test_a_device_is_not_back_while_it_owes_an_answer_for_an_input() -> None:
    session = sending()
    say(session, DeviceWentAway("A screenshot was cut short."))
    assert say(session, DeviceCameBack(200)) == []
    assert session.state is State.DEVICE_LOST
    assert say(session, InputDone(300)) == []
    assert say(session, DeviceCameBack(400), moving(4, at=410), still(5, anchor=4, at=700)) == [
        KeepFrame(5),
        JudgeLastStep(5, uncertain=False),
    ], "it was carried out, that is certain"


def test_an_input_may_turn_out_uncertain_after_the_frames_failed() -> None:
    session = sending()
    say(session, DeviceWentAway("gone"), InputUncertain("gone too"), DeviceCameBack(400), moving(4, at=410))
    assert say(session, still(5, anchor=4, at=700)) == [KeepFrame(5), JudgeLastStep(5, uncertain=True)]


def test_an_input_that_was_refused_before_the_device_went_away_is_dropped_when_it_is_back() -> None:
    session = sending()
    say(session, DeviceWentAway("gone"))
    assert say(session, InputRefused("It is locked.", 300)) == [Tell("It is locked.")]
    assert say(session, DeviceCameBack(400)) == [Watch(400), RemoveSteps("refused by the device")]


# The storage fails.


@pytest.mark.parametrize("session", [ready(), restless_and_ready(), Session()])
def test_a_failure_to_write_is_shown_until_a_frame_could_be_kept_again(session: Session) -> None:
    assert say(session, Started(0), disk_full(now_ns=1000)) == []
    assert (session.state, session.reason, session.frame) == (State.STORAGE_LOST, "The disk is full.", None)
    assert say(session, Intended(HOME, 1100)) == [Tell(NOT_READY)]
    assert say(session, Tick(1000 + RETRY_NS - 1), still(7, anchor=7, at=1000)) == [], "not yet"
    assert say(session, Tick(1000 + RETRY_NS), still(8, anchor=7, at=2000)) == [KeepFrame(8)]
    assert session.state is State.STORAGE_LOST, "whether it was mended is not known yet"
    assert say(session, Tick(5 * RETRY_NS), still(9, anchor=7, at=2010)) == [], "one try at a time"
    assert say(session, FrameKept(8)) == [Watch(1000 + RETRY_NS)]
    assert (session.state, session.reason) == (State.SETTLING, "")


def test_a_storage_that_fails_again_is_tried_again() -> None:
    session = ready()
    say(session, disk_full(now_ns=0), Tick(RETRY_NS), still(8, anchor=7, at=2000), disk_full(RETRY_NS + 5, frame=8))
    assert session.state is State.STORAGE_LOST
    assert say(session, Tick(2 * RETRY_NS), still(9, anchor=7, at=2010)) == []
    assert say(session, Tick(2 * RETRY_NS + 5), still(10, anchor=7, at=2020)) == [KeepFrame(10)]


def test_a_gesture_whose_picture_cannot_be_written_is_refused_with_the_reason() -> None:
    session = restless_and_ready()
    say(session, restless(3, at=5100), TouchedDown(3, 5110), Intended(TAP, 5200))
    assert say(session, disk_full(frame=2)) == [], "that screenshot is wanted no more"
    assert say(session, disk_full(frame=3)) == [
        Tell("The disk is full. Your last action was neither recorded nor sent.")
    ]


def test_a_step_that_cannot_be_saved_is_not_sent() -> None:
    session = ready()
    say(session, Intended(HOME, 100), still(3, anchor=1, at=110))
    [tell] = say(session, disk_full())
    assert isinstance(tell, Tell)
    assert "neither recorded nor sent" in tell.text
    assert session.state is State.STORAGE_LOST


def test_a_step_that_could_not_be_taken_away_is_taken_away_when_the_storage_is_back() -> None:
    session = sending()
    say(session, InputRefused("It is locked.", 400), disk_full(500))
    say(session, Tick(500 + RETRY_NS), still(7, anchor=7, at=600))
    assert say(session, FrameKept(7)) == [Watch(500 + RETRY_NS), RemoveSteps("refused by the device")]
    say(session, StepsDropped(), DeviceWentAway("gone"))
    assert say(session, DeviceCameBack(700)) == [Watch(700)], "it is taken away once"


def test_a_step_that_could_not_be_judged_is_judged_when_the_storage_is_back() -> None:
    session = sending()
    say(session, InputUncertain("gone"), DeviceCameBack(500), moving(4, at=510), still(5, anchor=4, at=800))
    say(session, disk_full(900), Tick(900 + RETRY_NS), still(6, anchor=4, at=1000), FrameKept(6), moving(7, at=2000))
    assert say(session, still(8, anchor=7, at=2300)) == [KeepFrame(8), JudgeLastStep(8, uncertain=True)]


def test_nothing_is_tried_on_the_storage_while_an_input_is_under_way() -> None:
    session = sending()
    assert say(session, disk_full(100)) == [], "the action was sent"
    assert say(session, Tick(9 * RETRY_NS), still(6, anchor=6, at=1000)) == []
    assert say(session, InputDone(9 * RETRY_NS)) == [Watch(9 * RETRY_NS, after_input=True)]


def test_an_episode_that_cannot_be_published_is_tried_again_one_try_at_a_time() -> None:
    session = publishing()
    assert say(session, disk_full(now_ns=0)) == []
    assert (session.state, session.publishing) == (State.STORAGE_LOST, False)
    assert say(session, Tick(RETRY_NS - 1)) == []
    assert say(session, Tick(RETRY_NS)) == [Publish()]
    assert session.publishing
    assert say(session, Tick(5 * RETRY_NS)) == []
    say(session, Published())
    assert session.state is State.FINISHED


# Start and end.


def test_a_complete_draft_is_published_at_once() -> None:
    session = Session()
    assert say(session, Started(0, complete=True)) == [Publish()]
    assert session.publishing
    assert say(session, still(1, anchor=1, at=10)) == []


@pytest.mark.parametrize("session", [Session(), ready(), sending()])
def test_a_recording_may_be_thrown_away_at_any_time_but_while_it_is_published(session: Session) -> None:
    assert say(session, AbandonWanted()) == [Abandon()]
    assert session.state is State.ABANDONED
    assert say(session, InputDone(500)) == []
    assert say(session, disk_full()) == [Tell("The disk is full.")], "the draft cannot go to the trash"
    assert (session.state, session.reason) == (State.ABANDONED, "The disk is full.")

    session = publishing()
    assert say(session, AbandonWanted()) == [Tell(TOO_LATE_TO_ABANDON)]
    say(session, disk_full())
    assert say(session, AbandonWanted()) == [Abandon()]


# Invariants.


class _World:
    """The recorder's side of the dialogue: answers what must be answered at once, and keeps account."""

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
            case JudgeLastStep(number):
                assert self.in_flight is None
                self.take(LastStepJudged())
            case CompareScreens():
                self.take(ScreensCompared(frozenset(range(self.newest % 3))))
            case VouchForLastStep():
                self.take(LastStepJudged())
            case Watch() | Publish() | Abandon() | Tell() | LowerFinger() | DropTouch():
                pass


_MOVES = [
    "same frame", "same frame", "other frame", "restless frame", "kept", "kept", "not kept", "touch", "lift", "key",
    "cancel", "done", "refused", "uncertain", "undo", "returned", "accept", "lost", "back", "disk", "tick", "late",
]  # fmt: skip


def _move(world: _World, move: str) -> None:  # noqa: C901 - one case for each kind of event
    world.now_ns += RETRY_NS if move == "late" else 1
    now = world.now_ns
    match move:
        case "same frame" | "other frame" | "restless frame":
            world.newest += 1
            if move != "same frame" or not world.anchor:
                world.anchor = world.newest
            world.frames[world.newest] = (world.anchor, now)
            is_still = world.newest - world.anchor >= 1
            seen = FrameSeen(world.newest, world.anchor, now, still=is_still, restless=move == "restless frame")
            world.take(seen)
        case "kept" | "not kept" if world.writing:
            number = world.writing.pop()
            if move == "kept":
                world.kept.add(number)
            world.take(FrameKept(number) if move == "kept" else disk_full(now, frame=number))
        case "touch" if world.newest:
            world.touches.add(now)
            world.take(TouchedDown(world.newest, now))
        case "lift":
            world.take(Intended(TAP, now))
        case "key":
            world.touches.add(now)
            world.take(Intended(KeyPress(SystemKey.BACK), now))
        case "done" | "refused" | "uncertain" if world.in_flight is not None:
            world.in_flight = None
            answers: dict[str, Event] = {
                "done": InputDone(now),
                "refused": InputRefused("no", now),
                "uncertain": InputUncertain("?"),
            }
            world.take(answers[move])
        case "cancel":
            world.take(TouchCancelled())
        case "returned" if world.returning:
            world.returning = False
            world.take(Returned(now))
        case _:
            happens: dict[str, Event] = {
                "undo": UndoWanted(now),
                "accept": ScreenAccepted(now),
                "lost": DeviceWentAway("gone"),
                "back": DeviceCameBack(now),
                "disk": disk_full(now),
            }
            world.take(happens.get(move, Tick(now)))


@settings(max_examples=400)
@given(st.lists(st.sampled_from(_MOVES), max_size=120))
def test_whatever_happens_an_input_follows_its_saved_step_and_a_step_its_proof(moves: list[str]) -> None:
    world = _World()
    for move in moves:
        _move(world, move)
        assert world.session.state in State
