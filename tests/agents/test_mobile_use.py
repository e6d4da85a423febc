"""The mobile_use tool: what its makers' models wrote, and what GUI-Owl and MAI-UI are asked."""

import json
from dataclasses import replace
from datetime import date

import pytest

from odyssey_recorder.agents.adapter import History, Moment, PastStep, Request, Said, SentScreenshot, adapter_named
from odyssey_recorder.agents.frames import finger_scroll, path
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.llm.model import ChatMessage, Image, LazyImage, Part, Words
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, SystemKey, Type
from odyssey_recorder.model.geometry import Point, Size

TRUE = Size(1080, 2400)
TOOL = '<tool_call>\n{"name": "mobile_use", "arguments": %s}\n</tool_call>'


def read(name: str, arguments: str, before: str = "Action: Go on.\n") -> Action | Request:
    """Each in a call; sizes are those of a screenshot that is sent as it is."""
    reading = adapter_named(name).read(before + TOOL % arguments, TRUE, TRUE)
    found = reading.action or reading.request
    assert found is not None, reading
    return found


OF_ALL = (
    ('{"action": "tap", "coordinate1": [500, 250]}', Click(Point(500, 250))),
    ('{"action": "click", "coordinate": [400, 200, 600, 300]}', Click(Point(500, 250))),
    ('"{\\"action\\": \\"long_press\\", \\"coordinate\\": [500, 250]}"', LongPress(Point(500, 250))),
    ('{"action": "scroll", "coordinate": [500, 800], "coordinate2": [500, 300]}',
     path(Point(500, 800), Point(500, 300))),
    ('{"action": "drag", "start_coordinate": [500, 800], "end_coordinate": [500, 300]}',
     path(Point(500, 800), Point(500, 300))),
    ('{"action": "swipe", "direction": "up"}', finger_scroll("UP")),
    ('{"action": "swipe", "direction": "left", "coordinate": [800, 600]}', finger_scroll("LEFT", Point(800, 600))),
    ('{"action": "type", "text": "rain coat"}', Type("rain coat")),
    ('{"action": "system_button", "button": "back"}', Press(SystemKey.BACK)),
    ('{"action": "system_button", "button": "Menu"}', Press(SystemKey.RECENT)),
    ('{"action": "system_button", "button": "ENTER"}', Request("KEY", "enter")),
    ('{"action": "key", "text": "volume_up"}', Request("KEY", "volume_up")),
    ('{"action": "key", "text": "KEYCODE_HOME"}', Press(SystemKey.HOME)),
    ('{"action": "answer", "text": "42 euros"}', Complete("42 euros")),
    ('{"action": "terminate", "status": "Success"}', Complete()),
    ('{"action": "terminate", "status": "fail"}', Impossible("")),
    ('{"action": "open_app", "text": "Clock"}', Request("OPEN", "Clock")),
    ('{"action": "AWAKE", "text": "Clock"}', Request("OPEN", "Clock")),
    ('{"action": "interact", "text": "Which one?"}', Request("ASK", "Which one?")),
    ('{"action": "ask_user", "text": "Which one?"}', Request("ASK", "Which one?")),
)  # fmt: skip


@pytest.mark.parametrize("name", ["gui-owl-1.5", "mai-ui", "qwen3-vl", "qwen2.5-vl"])
def test_one_reader_serves_all_models_of_the_tool(name: str) -> None:
    size = 1000 if name == "gui-owl-1.5" else 999
    for arguments, expected in OF_ALL:
        reading = adapter_named(name).read(TOOL % arguments, Size(1000, 1000), TRUE)
        found = reading.action or reading.request
        assert found == expected or (size == 999 and type(found) is type(expected)), (arguments, reading)


def test_seconds_of_a_wait_are_read_from_what_models_write() -> None:
    waits = ('{"action": "wait", "time": 5}', '{"action": "wait", "time": "3 seconds"}', '{"action": "wait"}')
    found = [read("mai-ui", wait) for wait in waits]
    assert [one.seconds for one in found if isinstance(one, Request)] == [5.0, 3.0, 2.0]


def test_braces_in_a_thought_are_no_call() -> None:
    thought = '<thinking>\nI could {wait} or <tool_call>{"action": "wait"}</tool_call>.\n</thinking>\n'
    assert read("mai-ui", '{"action":"click","coordinate":[999,0]}', thought) == Click(Point(1000, 0))


def step(number: int, *, pictured: bool, raw: str = "") -> PastStep:
    image = LazyImage(f"before {number}", (1080, 2400), lambda: Image(b""))
    said = Said("I look.", f'Tap "{number}".')
    moment = Moment(date(2026, 2, 1))
    return PastStep(Click(Point(5, 5)), SentScreenshot(image, TRUE) if pictured else None, raw, said, moment)


def words_of(part: Part) -> str:
    assert isinstance(part, Words)
    return part.text


def shape(messages: tuple[ChatMessage, ...]) -> list[tuple[str, ...]]:
    """Role and parts; a screenshot by its name, and words by their first line."""

    def named(part: Part) -> str:
        return part.identity if isinstance(part, LazyImage) else words_of(part).splitlines()[0]

    return [(message.role, *map(named, message.parts)) for message in messages]


NOW = SentScreenshot(LazyImage("now", (1080, 2400), lambda: Image(b"")), TRUE)
RAW = (
    'Action: Open it.\n<tool_call>\n{"name": "mobile_use", "arguments": {"action": "open", "text": "A"}}\n</tool_call>'
)


def test_gui_owl_lists_older_steps_and_shows_the_last_as_turns() -> None:
    past = (step(1, pictured=False), step(2, pictured=False, raw=RAW), step(3, pictured=True), step(4, pictured=True))
    messages = adapter_named("gui-owl-1.5").prompt("Buy milk.", History(past, told=("No.",)), NOW, Moment())
    request = "Please generate the next move according to the UI screenshot, instruction and previous actions."
    assert shape(messages[1:]) == [
        ("user", request, "before 3"), ("assistant", "Action: Tap \"3\"."), ("user", "before 4"),
        ("assistant", "Action: Tap \"4\"."), ("user", "No.", "now"),
    ]  # fmt: skip
    words = words_of(messages[1].parts[0])
    assert "Instruction: Today's date is: 2026-02-01 Sunday.Buy milk." in words
    assert "Previous actions:\nStep 1: Tap 1.\nStep 2: Open it." in words
    assert "available actions are:\n* `key`" in words_of(messages[0].parts[0])


def test_mai_ui_shows_every_earlier_answer_and_the_last_screenshots() -> None:
    past = (step(1, pictured=False), step(2, pictured=False, raw=RAW), step(3, pictured=True))
    messages = adapter_named("mai-ui").prompt("Buy milk.", History(past), NOW, Moment(apps=("Clock", "Notes")))
    assert shape(messages[1:]) == [
        ("user", "Buy milk."), ("assistant", "<thinking>"), ("assistant", "Action: Open it."), ("user", "before 3"),
        ("assistant", "<thinking>"), ("user", "now"),
    ]  # fmt: skip
    assert 'Available Apps: `["Clock", "Notes"]`' in str(messages[0].parts)
    thought, call = words_of(messages[2].parts[0]).split("\n</thinking>\n")
    assert thought == '<thinking>\nI look. Tap "1".'
    assert json.loads(call.removeprefix("<tool_call>\n").removesuffix("\n</tool_call>"))["arguments"] == {
        "action": "click", "coordinate": [5, 5],
    }  # fmt: skip


def test_qwen3_vl_is_told_its_own_sentences() -> None:
    past = (step(1, pictured=False), step(2, pictured=False, raw=RAW))
    system, user = adapter_named("qwen3-vl").prompt("Buy milk", History(past), NOW)
    words = words_of(user.parts[0])
    assert words.startswith("The user query: Buy milk.\nTask progress")
    assert words.endswith(": Step 1: Tap 1.; Step 2: Open it.; .\n")
    assert words_of(system.parts[0]).startswith("\n\n# Tools")


def test_number_of_pixels_can_be_limited() -> None:
    limited = adapter_named("mai-ui:400000")
    assert (limited.name, limited.fit(TRUE)) == ("mai-ui:400000", Size(424, 943))
    assert adapter_named("mai-ui").fit(TRUE) == TRUE
    assert replace(limited, name="", fit=adapter_named("mai-ui").fit) == replace(adapter_named("mai-ui"), name="")
    for wrong in ("mai-ui:", "mai-ui:99999", "mai-ui:x", "mai-ui:²00000"):
        with pytest.raises(SettingsError, match="is no number of pixels from 100,000"):
            adapter_named(wrong)
