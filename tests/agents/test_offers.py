"""A prompt offers nothing that its reader refuses; the table of adapters says what they are."""

import json
import re
from collections.abc import Callable

import pytest

from odyssey_recorder.agents.adapter import Adapter, History, SentScreenshot, adapter_named, all_adapters
from odyssey_recorder.agents.adapter_table import row_of
from odyssey_recorder.llm.model import Image, LazyImage, Words
from odyssey_recorder.llm.tool_calls import ToolCall
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.geometry import Size
from tests.agents.gold_replayer import LACKING, OF_PAPER
from tests.cli import CommandLine

TRUE = Size(1080, 2400)
POINTS = {"coordinate": [5, 5], "start_coordinate": [5, 5], "end_coordinate": [5, 500]}


def as_json(key: str, **more: object) -> Callable[[str], str]:
    return lambda name: json.dumps({key: name, "text": "a", "x": 5, "y": 5, **more})


def as_call(name: str) -> str:
    box = "<|box_start|>(5,5)<|box_end|>"
    point = "<point>5 5</point>"
    places = f"start_box='{box}', end_box='{box}', point='{point}', start_point='{point}', end_point='{point}'"
    several = "drag" in name or "scroll" in name
    words = "content='a', app_name='a', key='enter', direction='down'"
    return f"Action: {name}({places if several else places.split(', ')[0]}, {words})"


def as_command(name: str) -> str:
    more = {"TYPE": "[a]", "SCROLL": "[UP]", "OPEN_APP": "[a]"}
    return f"actions:\n{name} {more.get(name, '<point>[[5, 5]]</point>')}"


def as_line(name: str) -> str:
    return f"{name}: {({'SCROLL': 'UP', 'TYPE': 'a'}).get(name, '(5, 5)')}"


def as_do(name: str) -> str:
    swiped = "start=[5,5], end=[5,500]" if name == "Swipe" else 'element=[5,5], text="a"'
    return f'<answer>do(action="{name}", {swiped}, app="a", duration="1 seconds", message="a")</answer>'


def as_fields(name: str) -> str:
    value = "5" if name == "WAIT" else "a"
    return (
        f"<THINK> so </THINK>\naction:{name}\tvalue:{value}\treturn:a\tpoint:5,5\tpoint1:5,5\tpoint2:5,500\tsummary:so"
    )


def as_action(arguments: str) -> Callable[[str], str]:
    return lambda name: f"<action>\n{name}({arguments})\n</action>"


def as_tool(**more: Json) -> Callable[[str], str]:
    return lambda name: str(ToolCall(name, {"text": "a", "x": 5, "y": 5, **more}))


TOOL = (r"\* `(\w+)`:", as_json("action", coordinate2=[5, 500], time=1, button="Enter", status="failure", **POINTS))
CALL = (r"^(\w+)\(", as_call)
OFFERS: dict[str, tuple[str | tuple[str, ...], Callable[[str], str]]] = {
    "qwen2.5-vl": TOOL,
    "qwen3-vl": TOOL,
    "gui-owl-1.5": TOOL,
    "mai-ui": (r'^\{"action": "(\w+)"', as_json("action", button="enter", status="fail", direction="up", **POINTS)),
    "ui-tars-1.0": CALL,
    "ui-tars-1.5": CALL,
    "doubao-ui-tars": CALL,
    "claude": (r'\{"action": "(\w+)"', as_json("action", scroll_direction="up", **POINTS)),
    "openai-computer": (
        r'\{"type": "(\w+)"',
        as_json("type", scroll_x=0, scroll_y=500, path=[{"x": 5, "y": 5}, {"x": 5, "y": 500}]),
    ),
    "android-world": (r'"action_type": "(\w+)"', as_json("action_type", direction="up", goal_status="infeasible")),
    "os-atlas": (r"Action \d+: (\w+)", as_command),
    "ours": (
        r"\b(CLICK|LONG_PRESS|SCROLL|TYPE|HOME|BACK|RECENT|COMPLETE|IMPOSSIBLE)\b",
        as_json("action", direction="UP"),
    ),
    **dict.fromkeys(OF_PAPER, (r"^([A-Z_]+)(?::|$)", as_line)),
    "autoglm-phone": (r'action="([\w ]+)"', as_do),
    "gelab-zero": (r"action:([A-Z]+)", as_fields),
    "scalecua": (
        r"^def (\w+)\(",
        as_action("x=5, y=5, from_coord=(5, 5), to_coord=(5, 500), app_name='a', message='a', status='success'"),
    ),
    "ui-venus-1.5": (
        r"^(\w+)\((?:box|start|content|app|\))",
        as_action("box=(5,5), start=(5,5), end=(5,500), content='a', app='a'"),
    ),
    "gemini-mobile": (
        ("click", "long_press", "type", "drag_and_drop", "go_back", "press_key", "open_app", "list_apps", "wait",
         "take_screenshot"),
        as_tool(start_x=5, start_y=5, end_x=5, end_y=500, key="enter", app_name="a", seconds=1),
    ),
    "claude-computer-tool": (
        ("left_click", "left_click_drag", "scroll", "type", "key", "wait", "screenshot"),
        as_tool(scroll_direction="up", coordinate=[5, 500], start_coordinate=[5, 5]),
    ),
    "openai-computer-tool": (
        ("click", "drag", "scroll", "type", "keypress", "wait", "screenshot"),
        as_tool(scroll_x=0, scroll_y=500, path=[{"x": 5, "y": 5}, {"x": 5, "y": 500}], keys=["ENTER"]),
    ),
}  # fmt: skip
"""How each prompt names its actions, or those of the maker's tool that a finger can do, and an answer with that name
and all that it may need.
"""
NAMELESS = {"odyssey-agent", "cogagent", "agentcpm-gui"}
"""Their prompts name no actions, or as a schema: the samples of answers in test_adapters.py have them."""


def words_of(adapter: Adapter[object]) -> str:
    screenshot = SentScreenshot(LazyImage("", (1080, 2400), lambda: Image(b"")), TRUE)
    messages = adapter.prompt("Buy milk.", History(), screenshot)
    return "\n".join(part.text for message in messages for part in message.parts if isinstance(part, Words))


@pytest.mark.parametrize("name", sorted({*all_adapters()} - NAMELESS))
def test_every_action_that_a_prompt_offers_is_an_action_or_a_request(name: str) -> None:
    adapter = adapter_named(name)
    named, answer = OFFERS[name]
    own = re.findall(r'"name": "(\w+)"', json.dumps(adapter.tools))
    offered = [*own, *(re.findall(named, words_of(adapter), re.MULTILINE) if isinstance(named, str) else named)]
    assert len({*offered}) >= 7, "the pattern finds its actions"
    for action in offered:
        reading = adapter.read(answer(action), adapter.fit(TRUE), TRUE)
        assert reading.action or reading.request, (action, answer(action), reading)


def test_table_lists_every_adapter_and_what_it_cannot_say(cli: CommandLine) -> None:
    rows = {name: row_of(adapter) for name, adapter in all_adapters().items()}
    for name, (shown, unsaid, *_) in rows.items():
        assert (shown, set(unsaid.split(", ")) & {*["RECENT", "LONG_PRESS", "HOME", "BACK", "IMPOSSIBLE"]}) == (
            name, LACKING.get(name, set()),
        )  # fmt: skip
    assert rows["mai-ui"][1:4] == ("words of IMPOSSIBLE", "0 to 999", "turns, 2 screenshots")
    listed = cli("agents", "list")
    assert listed.exit_code == 0
    assert all(name in listed.out for name in rows)
