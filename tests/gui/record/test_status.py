"""The status texts of a recording."""

from pathlib import Path

import pytest

from odyssey_recorder.gui.record.status import Activity, StatusText, passive_view_text, view_text
from odyssey_recorder.gui.screen.canvas import Overlay, OverlayOpacity
from odyssey_recorder.model.action import Action, Complete, Impossible, Press, SystemKey
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordedStep, RecordingView


def view(state: State, *done: Action) -> RecordingView:
    steps = tuple(RecordedStep(number, action, Path("0.png"), "") for number, action in enumerate(done))
    return RecordingView(state, "A message.", None, steps)


READY, ENDED, ENDING = view(State.READY), view(State.FINISHED, Complete()), view(State.CAPTURING, Complete())


@pytest.mark.parametrize(
    ("text", "word", "takes_input"),
    [
        (view_text(view(State.INJECTING, Press(SystemKey.HOME))), "Sending", False),
        (view_text(view(State.INJECTING, Complete())), "Publishing", False),
        (view_text(view(State.INJECTING, Impossible("payment"))), "Publishing", False),
        (view_text(view(State.RESTORING)), "Restoring", True),
        (passive_view_text(view(State.RESTORING)), "Restoring", False),
        (view_text(view(State.RETURNING)), "Returning", False),
        (view_text(READY).paused(), "Paused", False),
        (view_text(ENDED), "Published", False),
        (view_text(ENDED, practice=True), "Recorded", False),
        (passive_view_text(ENDED, practice=True), "Recorded", False),
        (view_text(ENDING, practice=True), "Saving", False),
        (passive_view_text(ENDING, practice=True), "Saving", False),
    ],
    ids=lambda value: None if isinstance(value, StatusText) else str(value),
)
def test_state_that_is_not_ready_has_its_word(text: StatusText, word: str, takes_input: bool) -> None:
    assert (text.word, text.takes_input, text.is_ready) == (word, takes_input, False)


def test_overlay_names_sending_and_recorded_practice() -> None:
    sending = view_text(view(State.INJECTING, Press(SystemKey.HOME))).overlay
    assert sending is not None
    assert sending.text == "Sending…"
    recorded = Overlay("Practice episode recorded", OverlayOpacity.HEAVY, "check_circle_outline")
    assert view_text(ENDED, practice=True).overlay == passive_view_text(ENDED, practice=True).overlay == recorded


def test_ignored_input_is_explained_and_a_pause_hides_no_lost_device() -> None:
    assert view_text(view(State.DEVICE_LOST)).paused().activity is Activity.LOST
    assert view_text(view(State.SETTLING)).hindrance == "the screen was still changing"
    assert view_text(view(State.INJECTING)).hindrance == "the phone was still busy"
    assert view_text(READY).paused().hindrance == "the recording is paused"
    assert passive_view_text(READY).hindrance == "work in the emulator's own window"


def test_passive_mode_says_what_it_waits_for() -> None:
    waiting = view(State.SETTLING)
    assert passive_view_text(waiting).message == f"Not recording yet. {waiting.message}"
