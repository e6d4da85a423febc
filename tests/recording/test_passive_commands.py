"""Scenarios of a passive session: commands of the recorder's window, and failures."""

import pytest

from odyssey_recorder.gesture.contacts import LossCause
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Complete, Impossible, SystemKey
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.events import KeyPress, Touch
from odyssey_recorder.recording.passive import ENDING, TOUCHED_TOO_EARLY, USE_EMULATOR
from odyssey_recorder.recording.raw_input_queue import LOST
from odyssey_recorder.recording.restore import BRING_BACK_FIRST
from odyssey_recorder.recording.session import TOO_EARLY_TO_UNDO, TOO_LATE_TO_ABANDON
from odyssey_recorder.recording.state import Goal, State
from tests.recording.passive_bench import Bench, count, describe, steps

# Commands of the recorder's window.


@pytest.mark.parametrize("emitted", [events.TouchedDown(1, 0), events.Intended(KeyPress(SystemKey.HOME), 0)])
def test_input_in_the_recorder_window_is_rejected(emitted: events.Event) -> None:
    bench = Bench().begin()
    bench.send(emitted, events.Intended(Touch(TouchStroke.press(Pixel(1, 2))), bench.now_ns), events.TouchCancelled())
    bench.wait(100)

    assert (bench.steps, bench.messages) == ([], [USE_EMULATOR])


@pytest.mark.parametrize("end", [Complete("done"), Impossible("no such shop")])
def test_terminal_step_is_published_and_later_commands_rejected(end: Complete | Impossible) -> None:
    bench = Bench().begin()
    bench.send(events.Intended(end, bench.now_ns), events.Intended(end, bench.now_ns))
    bench.press(SystemKey.HOME).wait(100)

    assert (steps(bench), bench.messages) == (["end on 0"], [ENDING])
    assert bench.steps[0].sent is None
    assert bench.session.publishing
    bench.send(events.UndoWanted(bench.now_ns), events.AbandonWanted(), events.DeviceWentAway("gone"))
    assert bench.messages == [ENDING, TOO_EARLY_TO_UNDO, TOO_LATE_TO_ABANDON]
    assert bench.state() is State.INJECTING
    bench.send(events.Published(), events.Intended(end, bench.now_ns))
    assert bench.state() is State.FINISHED

    resumed = Bench()
    resumed.send(events.Started(resumed.now_ns, complete=True, steps=4))
    assert effects.Publish() in resumed.emitted


@pytest.mark.parametrize("last", ["BACK", "end"])
def test_undo_removes_the_last_step_even_if_not_yet_saved(last: str) -> None:
    bench = Bench().begin().press(SystemKey.HOME)
    if last == "end":
        bench.send(events.Intended(Complete(), bench.now_ns))
    else:
        bench.press(SystemKey.BACK)
    bench.send(events.UndoWanted(bench.now_ns)).wait(100)
    bench.press(SystemKey.RECENT).wait(300)

    assert steps(bench) == ["HOME on 0", "RECENT on 0"]
    assert [describe(step) for step in bench.dropped] == [last]
    assert count(bench, effects.Publish) == 0


def restoring(steps: int = 1) -> Bench:
    """A bench after an undo, on another screen than the one to restore."""
    bench = Bench().begin()
    for _ in range(steps):
        bench.tap(10, 10, then=bench.screen + 1).wait(300)
    bench.restores = True
    bench.send(events.UndoWanted(bench.now_ns, steps)).wait(300)
    assert bench.state() is State.RESTORING
    return bench


def test_input_while_restoring_is_not_recorded() -> None:
    bench = restoring(steps=2)
    assert count(bench, effects.ReturnDevice) == 1
    bench.press(SystemKey.BACK)
    bench.send(events.Intended(Complete(), bench.now_ns))
    assert bench.messages == [BRING_BACK_FIRST]
    bench.show(0).wait(500)
    assert bench.state() is State.READY
    bench.press(SystemKey.HOME).wait(300)

    assert steps(bench) == ["HOME on 0"]
    assert bench.steps[0].flags == ()


def test_accepted_screen_is_flagged_with_the_next_step() -> None:
    bench = restoring()
    bench.send(events.ScreenAccepted(bench.now_ns))
    assert bench.state() is State.READY
    bench.press(SystemKey.HOME).wait(300)
    bench.press(SystemKey.BACK).wait(300)

    assert [step.flags for step in bench.steps] == [(Flag(FlagCode.UNLIKE),), ()]


def test_abandoned_recording_reports_only_a_locked_draft() -> None:
    bench = Bench().begin()
    bench.send(events.AbandonWanted(), events.StorageFailed("It is locked.", 0))
    bench.press(SystemKey.HOME).wait(300)

    assert (bench.state(), bench.steps, bench.messages) == (State.ABANDONED, [], ["It is locked."])
    assert bench.session.reason == "It is locked."


# Failures.


@pytest.mark.parametrize("write", ["keeps_frames", "saves_steps"])
def test_failed_write_is_retried(write: str) -> None:
    bench = Bench().begin()
    setattr(bench, write, False)
    bench.tap(10, 10, then=1).wait(300)
    assert (bench.state(), bench.session.reason) == (State.STORAGE_LOST, "The disk is full.")
    bench.tap(20, 20, then=2).wait(2500)
    assert bench.state() is State.STORAGE_LOST
    assert bench.session.needed >= {1}
    setattr(bench, write, True)
    bench.wait(1500)

    assert steps(bench) == ["10,10 on 0", "20,20 on 1"]
    assert bench.state() is State.READY


def test_failure_of_an_unneeded_write_is_forgotten() -> None:
    bench = Bench().begin()
    bench.send(events.StorageFailed("The disk is full.", bench.now_ns, 99))
    assert bench.state() is State.READY, "the screenshot is no longer needed"
    bench.send(events.StorageFailed("The disk is full.", bench.now_ns))
    assert bench.state() is State.STORAGE_LOST
    bench.wait(1500)
    assert bench.state() is State.READY


def test_failed_publishing_is_retried_or_undone() -> None:
    bench = Bench().begin()
    bench.send(events.Intended(Complete(), bench.now_ns)).wait(100)
    bench.send(events.StorageFailed("The disk is full.", bench.now_ns)).wait(1500)
    assert count(bench, effects.Publish) == 2
    bench.send(events.StorageFailed("The disk is full.", bench.now_ns), events.UndoWanted(bench.now_ns))
    bench.wait(1500)
    bench.press(SystemKey.HOME).wait(100)
    assert steps(bench) == ["HOME on 0"]


def test_waiting_input_is_recorded_when_the_device_is_lost() -> None:
    bench = Bench().begin()
    bench.gives_frames = False
    bench.tap(10, 10)
    bench.down()
    bench.send(events.DeviceWentAway("It is gone."), events.DeviceWentAway("Still gone."))
    assert (bench.state(), bench.session.reason) == (State.DEVICE_LOST, "Still gone.")
    bench.lose(LossCause.STREAM_LOST).wait(100)
    assert steps(bench) == ["10,10 on 0"]
    assert Flag(FlagCode.UNWATCHED) in bench.steps[0].flags

    bench.come_back()
    bench.press(SystemKey.HOME).wait(300)
    assert bench.messages == [LOST.format(LossCause.STREAM_LOST.value)]
    bench.show(1).wait(300)
    bench.press(SystemKey.BACK).wait(300)
    assert steps(bench)[1:] == ["HOME on 0", "BACK on 1"], "it was the same screen"


def test_device_that_is_back_on_another_screen_is_restored_before_the_next_step() -> None:
    bench = Bench().begin()
    bench.tap(10, 10, then=1).wait(500)
    bench.send(events.DeviceWentAway("It is gone."))
    bench.show(0).come_back()
    bench.tap(20, 20).wait(500)
    assert (bench.state(), bench.session.goal, bench.messages) == (State.RESTORING, Goal.LOST, [TOUCHED_TOO_EARLY])
    bench.tap(10, 10, then=1).wait(500)
    assert (bench.state(), bench.session.next_flags) == (State.READY, ())
    bench.tap(30, 30).wait(500)
    assert steps(bench) == ["10,10 on 0", "30,30 on 1"]


def test_screen_accepted_after_a_loss_is_flagged() -> None:
    bench = Bench().begin()
    bench.send(events.DeviceWentAway("It is gone."))
    bench.show(1).come_back()
    bench.wait(500).send(events.ScreenAccepted(bench.now_ns))
    bench.tap(10, 10).wait(500)
    assert Flag(FlagCode.AFTER_LOSS) in bench.steps[0].flags


def test_finger_that_was_down_when_the_device_was_lost_is_still_a_step() -> None:
    bench = Bench().begin()
    bench.down().wait(20).send(events.DeviceWentAway("It is gone."))
    bench.judges = False
    bench.come_back()
    bench.wait(80).up((10, 10), ms=100).wait(300)
    assert steps(bench) == ["10,10 on 0"]
