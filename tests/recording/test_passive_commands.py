"""Dialogues with a passive session: commands of the recorder's window, and failures."""

import pytest

from odyssey_recorder.gesture.contacts import LossCause
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Complete, Impossible, SystemKey
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.events import KeyPress, Touch
from odyssey_recorder.recording.passive import ENDING, USE_EMULATOR
from odyssey_recorder.recording.raw_input import NO_SCREENSHOT
from odyssey_recorder.recording.raw_input_queue import LOST
from odyssey_recorder.recording.restore import BRING_BACK_FIRST
from odyssey_recorder.recording.session import TOO_EARLY_TO_UNDO, TOO_LATE_TO_ABANDON
from odyssey_recorder.recording.state import State
from tests.recording.passive_bench import Bench, count, steps, word_of

# Commands of the recorder's window.


@pytest.mark.parametrize("wanted", [events.TouchedDown(1, 0), events.Intended(KeyPress(SystemKey.HOME), 0)])
def test_nothing_is_done_from_the_recorders_window(wanted: events.Event) -> None:
    bench = Bench().begin()
    bench.happens(wanted, events.Intended(Touch(TouchStroke.press(Pixel(1, 2))), bench.now_ns), events.TouchCancelled())
    bench.wait(100)

    assert (bench.steps, bench.told) == ([], [USE_EMULATOR])


@pytest.mark.parametrize("end", [Complete("done"), Impossible("no such shop")])
def test_the_end_is_published_and_what_is_done_afterwards_is_told(end: Complete | Impossible) -> None:
    bench = Bench().begin()
    bench.happens(events.Intended(end, bench.now_ns), events.Intended(end, bench.now_ns))
    bench.press(SystemKey.HOME).wait(100)

    assert (steps(bench), bench.told) == (["end on 0"], [ENDING])
    assert bench.steps[0].sent is None
    assert bench.session.publishing
    bench.happens(events.UndoWanted(bench.now_ns), events.AbandonWanted(), events.DeviceWentAway("gone"))
    assert bench.told == [ENDING, TOO_EARLY_TO_UNDO, TOO_LATE_TO_ABANDON]
    assert bench.state() is State.INJECTING
    bench.happens(events.Published(), events.Intended(end, bench.now_ns))
    assert bench.state() is State.FINISHED

    resumed = Bench()
    resumed.happens(events.Started(resumed.now_ns, complete=True, steps=4))
    assert effects.Publish() in resumed.wanted


@pytest.mark.parametrize("last", ["BACK", "end"])
def test_undo_takes_the_last_step_away_even_one_that_waits(last: str) -> None:
    bench = Bench().begin().press(SystemKey.HOME)
    if last == "end":
        bench.happens(events.Intended(Complete(), bench.now_ns))
    else:
        bench.press(SystemKey.BACK)
    bench.happens(events.UndoWanted(bench.now_ns)).wait(100)
    bench.press(SystemKey.RECENT).wait(300)

    assert steps(bench) == ["HOME on 0", "RECENT on 0"]
    assert [word_of(step) for step in bench.dropped] == [last]
    assert count(bench, effects.Publish) == 0


def restoring(steps: int = 1) -> Bench:
    """A bench after an undo, on another screen than the wanted one."""
    bench = Bench().begin()
    for _ in range(steps):
        bench.tap(10, 10, then=bench.screen + 1).wait(300)
    bench.leads_back = True
    bench.happens(events.UndoWanted(bench.now_ns, steps)).wait(300)
    assert bench.state() is State.RESTORING
    return bench


def test_what_is_done_after_an_undo_until_the_screen_is_back_is_no_step() -> None:
    bench = restoring(steps=2)
    assert count(bench, effects.ReturnDevice) == 1
    bench.press(SystemKey.BACK)
    bench.happens(events.Intended(Complete(), bench.now_ns))
    assert bench.told == [BRING_BACK_FIRST]
    bench.show(0).wait(500)
    assert bench.state() is State.READY
    bench.press(SystemKey.HOME).wait(300)

    assert steps(bench) == ["HOME on 0"]
    assert bench.steps[0].flags == ()


def test_a_screen_taken_for_the_wanted_one_is_told_with_the_next_step() -> None:
    bench = restoring()
    bench.happens(events.ScreenAccepted(bench.now_ns))
    assert bench.state() is State.READY
    bench.press(SystemKey.HOME).wait(300)
    bench.press(SystemKey.BACK).wait(300)

    assert [step.flags for step in bench.steps] == [(Flag(FlagCode.UNLIKE),), ()]


def test_an_abandoned_recording_takes_notice_of_nothing_but_a_draft_that_will_not_go() -> None:
    bench = Bench().begin()
    bench.happens(events.AbandonWanted(), events.StorageFailed("It is locked.", 0))
    bench.press(SystemKey.HOME).wait(300)

    assert (bench.state(), bench.steps, bench.told) == (State.ABANDONED, [], ["It is locked."])
    assert bench.session.reason == "It is locked."


# Failures.


@pytest.mark.parametrize("fails", ["keeps", "saves"])
def test_what_could_not_be_written_is_written_when_the_storage_takes_it(fails: str) -> None:
    bench = Bench().begin()
    setattr(bench, fails, False)
    bench.tap(10, 10, then=1).wait(300)
    assert (bench.state(), bench.session.reason) == (State.STORAGE_LOST, "The disk is full.")
    bench.tap(20, 20, then=2).wait(2500)
    assert bench.state() is State.STORAGE_LOST
    assert bench.session.needed >= {1}
    setattr(bench, fails, True)
    bench.wait(1500)

    assert steps(bench) == ["10,10 on 0", "20,20 on 1"]
    assert bench.state() is State.READY


def test_a_storage_that_is_not_needed_counts_as_well_again() -> None:
    bench = Bench().begin()
    bench.happens(events.StorageFailed("The disk is full.", bench.now_ns, 99))
    assert bench.state() is State.READY, "the screenshot is no longer needed"
    bench.happens(events.StorageFailed("The disk is full.", bench.now_ns))
    assert bench.state() is State.STORAGE_LOST
    bench.wait(1500)
    assert bench.state() is State.READY


def test_an_episode_that_cannot_be_published_is_tried_again_or_undone() -> None:
    bench = Bench().begin()
    bench.happens(events.Intended(Complete(), bench.now_ns)).wait(100)
    bench.happens(events.StorageFailed("The disk is full.", bench.now_ns)).wait(1500)
    assert count(bench, effects.Publish) == 2
    bench.happens(events.StorageFailed("The disk is full.", bench.now_ns), events.UndoWanted(bench.now_ns))
    bench.wait(1500)
    bench.press(SystemKey.HOME).wait(100)
    assert steps(bench) == ["HOME on 0"]


def test_when_the_device_is_lost_what_waits_is_taken_as_far_as_it_is_known() -> None:
    bench = Bench().begin()
    bench.sees = False
    bench.tap(10, 10)
    bench.down()
    bench.happens(events.DeviceWentAway("It is gone."), events.DeviceWentAway("Still gone."))
    assert (bench.state(), bench.session.reason) == (State.DEVICE_LOST, "Still gone.")
    bench.lose(LossCause.STREAM_LOST).wait(100)
    assert steps(bench) == ["10,10 on 0"]
    assert Flag(FlagCode.UNWATCHED) in bench.steps[0].flags

    bench.happens(events.DeviceCameBack(bench.now_ns))
    bench.sees = True
    bench.press(SystemKey.HOME).wait(20)
    bench.show(1).wait(300)
    assert bench.told == [LOST.format(LossCause.STREAM_LOST.value), NO_SCREENSHOT]
    bench.press(SystemKey.BACK).wait(300)
    assert steps(bench)[1:] == ["BACK on 1"]
