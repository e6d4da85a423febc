"""What the window says while the annotator has to wait."""

from pathlib import Path

import pytest

from odyssey_recorder.gui.state_words import tell_view
from odyssey_recorder.model.action import Action, Complete, Impossible, Press, SystemKey
from odyssey_recorder.recording.session import State
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
