"""Messages on the Record page: their ranks, when they leave, and the list of the last ones."""

from odyssey_recorder.gui.record.messages import MessageArea
from odyssey_recorder.recording.notice import Notice, NoticeKind
from odyssey_recorder.recording.state import State
from tests.gui.pilot import Pilot, texts_in

DOUBT = Notice("You typed milk, but the field shows tea.", after=0)
NEWS = Notice("Screenshots come over gRPC again.", NoticeKind.NEWS, after=0)


def test_message_leaves_with_its_step_and_can_be_read_again(pilot: Pilot) -> None:
    pilot.start()
    pilot.press("Home")
    pilot.wait_for_steps(1)
    area = pilot.find(MessageArea)
    for notice in (DOUBT, NEWS, Notice("The screen was not ready.", NoticeKind.REFUSAL, after=0)):
        pilot.controller.noticed.emit(notice)
        assert texts_in(area)[0] == DOUBT.text, "neither good news nor a refusal replaces a warning"
    pilot.controller.noticed.emit(Notice("The device's clock was changed.", after=0))
    assert texts_in(area)[0] == "The device's clock was changed."
    pilot.press("Undo last")
    pilot.wait_for_state(State.RESTORING)
    assert area.isHidden()

    pilot.shortcut("Ctrl+Shift+L").trigger()
    listed = [text for text in texts_in(pilot.dialog()) if ":" not in text]
    assert listed[:3] == ["The device's clock was changed.", "The screen was not ready.", NEWS.text]
    assert listed[3] == DOUBT.text


def test_message_that_was_replaced_comes_back_while_it_holds(pilot: Pilot) -> None:
    area = pilot.find(MessageArea)
    area.say(NoticeKind.WARNING, "The task is no longer reserved for you.")
    area.say(NoticeKind.WARNING, "The gRPC connection is lost.", cause="path")
    assert texts_in(area)[0] == "The gRPC connection is lost."
    area.end("path")
    area.say(NoticeKind.NEWS, NEWS.text)
    assert texts_in(area)[0] == "The task is no longer reserved for you."
    pilot.press("Dismiss")
    assert area.isHidden()
