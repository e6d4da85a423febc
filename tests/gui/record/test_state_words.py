"""What the window says while the annotator has to wait."""

from pathlib import Path

import pytest

from odyssey_recorder.gui.record.mirror_canvas import Veil, Weight
from odyssey_recorder.gui.record.status import Mood, tell_passive_view, tell_view
from odyssey_recorder.model.action import Action, Complete, Impossible, Press, SystemKey
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordedStep, RecordingView


@pytest.mark.parametrize(
    ("last", "word"),
    [(Press(SystemKey.HOME), "Sending"), (Complete(), "Publishing"), (Impossible("payment"), "Publishing")],
)
def test_an_end_is_published_and_any_other_action_is_sent(last: Action, word: str) -> None:
    told = tell_view(RecordingView(State.INJECTING, "Wait.", None, (RecordedStep(0, last, Path("0.png"), ""),)))
    assert told.word == word
    assert told.veil is not None
    assert told.veil.words == f"{word}…"


def test_a_practice_episode_is_recorded_and_never_published() -> None:
    ended = RecordingView(State.FINISHED, "", None, (RecordedStep(0, Complete(), Path("0.png"), ""),))
    ending = RecordingView(State.CAPTURING, "", None, ended.steps)
    for tell in (tell_view, tell_passive_view):
        assert tell(ended, practice=True).veil == Veil(
            "Practice episode recorded", Weight.HEAVY, "check_circle_outline"
        )
        assert tell(ended, practice=True).word == "Recorded"
        assert tell(ending, practice=True).word == "Saving"
        assert tell(ended).word == "Published"


def test_while_the_device_is_led_back_it_takes_input_and_the_episode_cannot_end() -> None:
    told = tell_view(view(State.LEADING_BACK))
    assert told.word == "Leading back"
    assert told.takes_input
    assert not told.is_ready


def test_in_passive_mode_it_is_led_back_in_the_emulator_s_own_window() -> None:
    told = tell_passive_view(view(State.LEADING_BACK))
    assert told.word == "Leading back"
    assert not told.takes_input
    assert not told.is_ready


def test_while_a_snapshot_brings_the_device_back_it_takes_no_input() -> None:
    told = tell_view(view(State.RETURNING))
    assert told.word == "Returning"
    assert not told.takes_input


def test_a_break_hides_what_goes_on_but_never_trouble() -> None:
    told = tell_view(view(State.READY)).paused()
    assert told.word == "Paused"
    assert not told.takes_input
    assert not told.is_ready
    assert tell_view(view(State.DEVICE_LOST)).paused().mood is Mood.LOST


def view(state: State) -> RecordingView:
    return RecordingView(state, "A message.", None, ())
