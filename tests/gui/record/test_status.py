"""The status texts of a recording, and the questions at its end."""

from collections.abc import Callable
from pathlib import Path

import pytest

from odyssey_recorder.gui.record.mirror_canvas import Overlay, OverlayOpacity
from odyssey_recorder.gui.record.status import Activity, StatusText, passive_view_text, view_text
from odyssey_recorder.model.action import Action, Complete, Impossible, Press, SystemKey
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordedStep, RecordingView


@pytest.mark.parametrize(
    ("last", "word"),
    [(Press(SystemKey.HOME), "Sending"), (Complete(), "Publishing"), (Impossible("payment"), "Publishing")],
)
def test_an_end_is_published_and_any_other_action_is_sent(last: Action, word: str) -> None:
    told = view_text(RecordingView(State.INJECTING, "Wait.", None, (RecordedStep(0, last, Path("0.png"), ""),)))
    assert told.word == word
    assert told.overlay is not None
    assert told.overlay.words == f"{word}…"


def test_a_practice_episode_is_recorded_and_never_published() -> None:
    ended = RecordingView(State.FINISHED, "", None, (RecordedStep(0, Complete(), Path("0.png"), ""),))
    ending = RecordingView(State.CAPTURING, "", None, ended.steps)
    for tell in (view_text, passive_view_text):
        assert tell(ended, practice=True).overlay == Overlay(
            "Practice episode recorded", OverlayOpacity.HEAVY, "check_circle_outline"
        )
        assert tell(ended, practice=True).word == "Recorded"
        assert tell(ending, practice=True).word == "Saving"
        assert tell(ended).word == "Published"


@pytest.mark.parametrize(
    ("tell", "state", "word", "takes_input"),
    [
        (view_text, State.RESTORING, "Restoring", True),
        (passive_view_text, State.RESTORING, "Restoring", False),
        (view_text, State.RETURNING, "Returning", False),
    ],
    ids=["led back", "led back in the emulator's own window", "brought back by a snapshot"],
)
def test_on_the_way_back_the_episode_cannot_end(
    tell: Callable[[RecordingView], StatusText], state: State, word: str, takes_input: bool
) -> None:
    told = tell(view(state))
    assert (told.word, told.takes_input, told.is_ready) == (word, takes_input, False)


def test_a_break_hides_what_goes_on_but_never_trouble() -> None:
    told = view_text(view(State.READY)).paused()
    assert told.word == "Paused"
    assert not told.takes_input
    assert not told.is_ready
    assert view_text(view(State.DEVICE_LOST)).paused().activity is Activity.LOST


def view(state: State) -> RecordingView:
    return RecordingView(state, "A message.", None, ())


def test_who_acts_too_early_is_told_why() -> None:
    assert view_text(view(State.SETTLING)).hindrance == "the screen was still changing"
    assert view_text(view(State.INJECTING)).hindrance == "the phone was still busy"
    assert view_text(view(State.READY)).paused().hindrance == "the recording is paused"
    assert passive_view_text(view(State.READY)).hindrance == "work in the emulator's own window"
