"""Every adapter: its round trip, samples of real answers, and unusable answers."""
# ruff: noqa: RUF001 - full-width punctuation

import random
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from odyssey_recorder.agents.adapter import History, Moment, PastStep, SentScreenshot, adapter_named, all_adapters
from odyssey_recorder.agents.frames import finger_scroll, path
from odyssey_recorder.agents.parsing import LONGEST
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.llm.model import Image, LazyImage, Words
from odyssey_recorder.model.action import (
    Action,
    Click,
    Complete,
    Impossible,
    LongPress,
    Press,
    Scroll,
    SystemKey,
    Type,
    action_type,
)
from odyssey_recorder.model.geometry import Point, Size
from tests.agents.gold_replayer import LACKING, expressible, is_same_action
from tests.exporting import official_converter

SIZES = {
    "Pixel 7 Pro": Size(1440, 3120), "Small Phone": Size(720, 1280), "Pixel Fold": Size(2208, 1840),
    "Pixel Tablet": Size(2560, 1600),
}  # fmt: skip
TEXTS = (
    "buy milk", "it's 10:30", "say \"hi\", x='1', ok", "a\nSCROLL: UP\nb", "C:\\new\\table", "[x](y) {z}", "日本語",
    "0",
)  # fmt: skip


def examples() -> Iterator[Action]:
    seeded = random.Random(5)
    places = [Point(0, 0), Point(1000, 1000), Point(500, 500), Point(999, 1)]
    places += [Point(seeded.randint(0, 1000), seeded.randint(0, 1000)) for _ in range(60)]
    for point in places:
        yield Click(point)
        yield LongPress(point)
        for other in (Point(point.x, 1000 - point.y), Point(1000 - point.x, point.y), Point(3, 700)):
            if other != point:
                yield Scroll(point, other, (point, other))
    yield from map(Type, TEXTS)
    yield from map(Press, SystemKey)
    yield from (Complete(), Complete("It's 5 o'clock."), Impossible(""), Impossible("No such app."))


@pytest.mark.parametrize("name", all_adapters())
def test_written_actions_can_be_read_back(name: str) -> None:
    adapter = adapter_named(name)
    for true in SIZES.values():
        sent = adapter.fit(true)
        frame = adapter.frame(sent, true)
        for action in examples():
            written = adapter.write(action, frame)
            assert (written is None) == (action_type(action) in LACKING.get(name, ())), action
            if written is not None:
                reading = adapter.read(written, sent, true)
                assert not reading.problem, (written, reading)
                assert is_same_action(expressible(action, name), reading.action), (action, written, reading)


@pytest.mark.parametrize("done", [(), (Click(Point(500, 250)), Type("at 10:30"))])
def test_odyssey_agent_prompt_matches_the_official_converter(done: tuple[Action, ...]) -> None:
    screenshot = SentScreenshot(LazyImage("", (1080, 2400), lambda: Image(b"")), Size(1080, 2400))
    history = History(tuple(map(PastStep, done)))
    (message,) = adapter_named("odyssey-agent").prompt("open Settings", history, screenshot)
    (words,) = (part.text for part in message.parts if isinstance(part, Words))
    written = ["CLICK: (500, 250)", "TYPE: at 10:30"][: len(done)]
    official = official_converter.value("", "open Settings", written, 4, official_converter.QUESTIONS["action"])
    assert words == "\n".join(
        line for line in official.split("\n") if "<img>" not in line and "screenshots: " not in line
    )


SENT, TRUE = Size(1092, 2408), Size(1080, 2400)
SAMPLES: tuple[tuple[str, str, Action], ...] = (
    ("ours", '```json\n{"action": "SCROLL", "x": null, "direction": "UP", "text": null}\n```', finger_scroll("UP")),
    ("ours", '<think>{"action": "HOME"}</think>\n{"action": "BACK"}', Press(SystemKey.BACK)),
    ("odyssey-agent", "CLICK: (500, 250)", Click(Point(500, 250))),
    ("odyssey-agent", "TYPE: at 10:30", Type("at 10:30")),
    ("odyssey-agent", "PRESS_RECENT", Press(SystemKey.RECENT)),
    ("qwen2.5-vl", '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [546, 1204]}}\n'
     "</tool_call>", Click(Point(500, 500))),
    ("qwen2.5-vl", '{"name": "mobile_use", "arguments": {"action": "system_button", "button": "Menu"}}',
     Press(SystemKey.RECENT)),
    ("qwen2.5-vl", "{'name': 'mobile_use', 'arguments': {'action': 'terminate', 'status': 'failure'}}", Impossible("")),
    ("qwen3-vl", 'Thought: {so}.\nAction: Tap.\n<tool_call>\n{"name": "mobile_use", "arguments": {"action": "click", '
     '"coordinate": [999, 0]}}\n</tool_call>', Click(Point(1000, 0))),
    ("qwen3-vl", '<think>Or {"action": "wait"}?</think><tool_call>{"name": "mobile_use", "arguments": '
     '{"action": "answer", "text": "12"}}</tool_call>', Complete("12")),
    ("ui-tars-1.0", "Thought: Open it.\nAction: click(start_box='<|box_start|>(500,250)<|box_end|>')",
     Click(Point(500, 250))),
    ("ui-tars-1.0", "Thought: Down.\nAction: scroll(direction='down')", finger_scroll("UP")),
    ("ui-tars-1.0", "Action: click(start_box='[100, 200, 300, 400]')", Click(Point(200, 300))),
    ("ui-tars-1.0", "Action: press_appselect()", Press(SystemKey.RECENT)),
    ("ui-tars-1.0", "Action: type(content='it's here\\n')", Type("it's here")),
    ("ui-tars-1.5", "Action: click(point='<point>546 1204</point>')", Click(Point(500, 500))),
    ("ui-tars-1.5", "Action: drag(start_point='<point>546 1806</point>', end_point='<point>546 602</point>')",
     Scroll(Point(500, 750), Point(500, 250), (Point(500, 750), Point(500, 250)))),
    ("doubao-ui-tars", "Action: click(point='<point>500 250</point>')", Click(Point(500, 250))),
    ("ui-tars-1.0", "Action: scroll(start_box='<|box_start|>(500,800)<|box_end|>', end_box='<|box_start|>(500,200)"
     "<|box_end|>')", path(Point(500, 800), Point(500, 200))),
    ("ui-tars-1.0", "Action：long_press（start_box='(104,56)'，time='2'）", LongPress(Point(104, 56))),
    ("ui-tars-1.0", "Action: click(start_box='(104,56)'", Click(Point(104, 56))),
    ("ui-tars-1.0", "Thought: So.\nAction: type(content='Action: press_home()')", Type("Action: press_home()")),
    ("ui-tars-1.0", "Action: type(content='one\ntwo')", Type("one\ntwo")),
    ("ui-tars-1.5", "Thought: Open it.\nAction: click(start_box='(546,1204)')", Click(Point(500, 500))),
    ("ui-tars-1.5", "Action: hotkey(key='back')", Press(SystemKey.BACK)),
    ("doubao-ui-tars", "Action: click(point='<point>500 250</point>\"", Click(Point(500, 250))),
    ("doubao-ui-tars", "Action: click(point='<point>500 250</point>)", Click(Point(500, 250))),
    ("doubao-ui-tars", "\n\nAction：click(start_box='<bbox>191 21 191 21</bbox>')", Click(Point(191, 21))),
    ("doubao-ui-tars", "<think_never_used_51bc>A <point>1 1</point>?</think_never_used_51bc>click>point>"
     "<point>500 250</point>", Click(Point(500, 250))),
    ("doubao-ui-tars", "scroll>point><point>500 500</point>direction>down", finger_scroll("UP", Point(500, 500))),
    ("doubao-ui-tars", "type>content>a > b<|im_end|>", Type("a > b")),
    ("doubao-ui-tars", "<thinkt>So.</thinkt><seed:tool_call>\n<function=scroll>\n<parameter=direction>up</parameter>\n"
     "<parameter=point><point>500 500</point></parameter>\n</function>\n</seed:tool_call>",
     finger_scroll("DOWN", Point(500, 500))),
    ("doubao-ui-tars", "<function_never_used_51bc=drag><parameter_never_used_51bc=start_point><point>500 800</point>"
     "<parameter=end_point><point>500 200</point></parameter></function>", path(Point(500, 800), Point(500, 200))),
    ("doubao-ui-tars", "<function name='finished'><parameter name='content'>At 9\n</parameter></function>",
     Complete("At 9")),
    ("os-atlas", "thoughts:\nTap it.\nactions:\nCLICK <point>[[101, 872]]</point>", Click(Point(101, 872))),
    ("os-atlas", "actions:\nTYPE [Shanghai [new] mall]", Type("Shanghai [new] mall")),
    ("os-atlas", "actions:\nSCROLL [UP]", finger_scroll("UP")),
    ("os-atlas", "actions:\nWAIT", Impossible("")),
    ("agentcpm-gui", '{"thought":"点","POINT":[500,250],"to":"up"}', finger_scroll("UP", Point(500, 250))),
    ("agentcpm-gui", '{"POINT":[500,250],"duration":1000}', LongPress(Point(500, 250))),
    ("agentcpm-gui", '{"POINT":[500,250],"duration":200}', Click(Point(500, 250))),
    ("agentcpm-gui", '{"POINT":[500,250],"STATUS":"satisfied"}', Complete()),
    ("cogagent-v1", "Plan: 1. So.\nNext Action: Tap.\nGrounded Operation: tap [[780,862]]", Click(Point(780, 862))),
    ("cogagent-v1", "Grounded Operation:[button] Find -> CLICK at the box [[876,308,940,338]]", Click(Point(908, 323))),
    ("cogagent-v1", "Grounded Operation:[combobox] Find -> TYPE: sour milk at the box [[341,460,640,482]]",
     Type("sour milk")),
    ("cogagent-v1", "Grounded Operation: long press [[1,2]]", LongPress(Point(1, 2))),
    ("cogagent-v1", "TYPE: a -> b", Type("a -> b")),
    ("cogagent-v1", "CLICK: (500, 250)", Click(Point(500, 250))),
    ("cogagent", "Action: Tap.\nGrounded Operation: CLICK(box=[[067,096,133,104]], element_type='x', element_info='Y')",
     Click(Point(100, 100))),
    ("agentcpm-gui", '{"thought":"…","POINT":[729,69]}', Click(Point(729, 69))),
    ("agentcpm-gui", '{"POINT":[500,200],"to":[500,800],"PRESS":null}', path(Point(500, 200), Point(500, 800))),
    ("agentcpm-gui", '{"PRESS":"APPSELECT"}', Press(SystemKey.RECENT)),
    ("cogagent", "Grounded Operation: CLICK(box=[[219,186,311,207]], element_info='Read')\n<<一般操作>>",
     Click(Point(265, 196))),
    ("cogagent", "Grounded Operation: TYPE(box=[[0,0,9,9]], text='it's 5', element_info='Search')", Type("it's 5")),
    ("cogagent", "Grounded Operation: SCROLL_DOWN(box=[[0,209,998,952]], step_count=5)",
     finger_scroll("UP", Point(499, 580))),
    ("claude", '{"type": "tool_use", "name": "computer", "input": {"action": "left_click", "coordinate": [546, 602]}}',
     Click(Point(500, 250))),
    ("claude", '{"action": "scroll", "scroll_direction": "down", "scroll_amount": 3}', finger_scroll("UP")),
    ("openai-computer", '{"type": "computer_call", "action": {"type": "click", "x": 546, "y": 602, "button": "left"}}',
     Click(Point(500, 250))),
    ("claude", '{"name":"left_click","toolset_name":"computer","input":{"coordinate":[546,602]}}',
     Click(Point(500, 250))),
    ("openai-computer", '{"type":"computer_call","call_id":"c1","actions":[{"type":"click","button":"left","x":546,'
     '"y":602}]}', Click(Point(500, 250))),
    ("openai-computer", '{"type": "click", "button": "back", "x": 0, "y": 0}', Press(SystemKey.BACK)),
    ("openai-computer", '{"type": "keypress", "keys": ["ESC"]}', Press(SystemKey.BACK)),
    ("openai-computer", '{"type": "drag", "path": [[546, 602], [546, 700], [546, 1806]]}',
     path(Point(500, 250), Point(500, 750))),
    ("openai-computer", '{"type": "scroll", "scroll_x": 0, "scroll_y": 300}', finger_scroll("UP")),
    ("android-world", 'Reason: so\nAction: {"action_type": "click", "x": 540, "y": 600}', Click(Point(500, 250))),
    ("android-world", 'Action: {"action_type": "scroll", "direction": "down"}', finger_scroll("UP")),
    ("android-world", 'Action: {"action_type": "swipe", "direction": "down"}', finger_scroll("DOWN")),
    ("android-world", 'Action: {"action_type": "swipe", "direction": "left"}', finger_scroll("RIGHT")),
    ("ours", '{{"action": "scroll", "direction": "up"}}', finger_scroll("UP")),
    ("ours", '{“action”： “long press”， “x”： "500"， “y”： 250，}', LongPress(Point(500, 250))),
    ("ours", "{action: 'TYPE', text: 'Lena\\'s \"milk\"', x: None}", Type("Lena's \"milk\"")),
    ("ours", '{"action": "TYPE", "text": "one\ntwo"}', Type("one\ntwo")),
    ("ours", '{"answer": {"action": "BACK"}}', Press(SystemKey.BACK)),
    ("ours", '```json\n{"action": "CLICK", "x": 500, "y": 250\n```', Click(Point(500, 250))),
    ("autoglm-phone", '<think>The field is open.</think><answer>do(action="Type", text="rain coat")</answer>',
     Type("rain coat")),
    ("autoglm-phone", 'Open it first.</think><answer>do(action="Swipe", start=[500,780], end=[500,260])',
     path(Point(500, 780), Point(500, 260))),
    ("autoglm-phone", '<answer>finish(message="The alarm is set for 7:30")', Complete("The alarm is set for 7:30")),
    ("autoglm-phone", '<think>finish(message="no")?</think>\n<answer>do(action="Tap", element=[250,500])</answer>',
     Click(Point(250, 500))),
    ("autoglm-phone", 'do(action="Long Press", element=[250,500])', LongPress(Point(250, 500))),
    ("ui-venus-1.5", "<think>Menu is open.</think>\n<action>Click(box=(731,88))</action>\n<conclusion>Tapped share"
     "</conclusion>", Click(Point(731, 88))),
    ("ui-venus-1.5", "<action>Scroll(start=(500,760), end=(500,300))</action>", path(Point(500, 760), Point(500, 300))),
    ("ui-venus-1.5", "<action>CallUser(content='Two files match')</action>", Complete("Two files match")),
    ("ui-venus-1.5", "PressRecent()", Press(SystemKey.RECENT)),
    ("gelab-zero", "<THINK> The list is below. </THINK>\nexplain:scroll\taction:SLIDE\tpoint1:500,800\tpoint2:500,300"
     "\tsummary:Opened Settings, scrolled once", path(Point(500, 800), Point(500, 300))),
    ("gelab-zero", "<TINK>a</TINK>\nexplain:x\taction:TYPE\tvalue:milk\tpoint:480,120\tsummary:y", Type("milk")),
    ("gelab-zero", r"explain:x\taction:CLICK\tpoint:480 120\tsummary:y", Click(Point(480, 120))),
    ("gelab-zero", "explain:x\taction:ABORT\tvalue:no network\tsummary:y", Impossible("no network")),
    ("scalecua", "<operation>\nTap Save\n</operation>\n<action>\nclick(x=546, y=1204)\n</action>",
     Click(Point(500, 500))),
    ("scalecua", "<action>\nclick(x=0.25, y=0.5)\n</action>", Click(Point(250, 500))),
    ("scalecua", "<action>\nswipe(direction='up', amount=0.5)\n</action>", finger_scroll("UP")),
    ("scalecua", "terminate(status='failure', info='no such note')", Impossible("no such note")),
    ("scalecua", "response(answer='42 euros')", Complete("42 euros")),
)  # fmt: skip


@pytest.mark.parametrize(("name", "raw", "action"), SAMPLES)
def test_sample_answers_are_read(name: str, raw: str, action: Action) -> None:
    reading = adapter_named(name).read(raw, SENT, TRUE)
    assert (reading.action, reading.problem.partition(":")[0]) == (action, "several" if "here\\n" in raw else "")


TODAY = date(2026, 11, 28)


def words_of(name: str, *past: PastStep) -> str:
    messages = adapter_named(name).prompt("Buy milk.", History(past), screenshot_named("now"), Moment(TODAY, "Clock"))
    return "\n".join(part.text for message in messages for part in message.parts if isinstance(part, Words))


def test_models_of_2026_are_told_what_they_said_before() -> None:
    venus = "<think>So.</think>\n<action>PressHome()</action>\n<conclusion>At home</conclusion>"
    assert "Step 0: <think>So.</think><action>PressHome()</action>\n" in words_of(
        "ui-venus-1.5", PastStep(Press(SystemKey.HOME), raw=venus)
    )
    two = [
        PastStep(Type(word), raw=f"explain:x\taction:TYPE\tvalue:a\tsummary:Wrote {word}") for word in ("one", "two")
    ]
    told = words_of("gelab-zero", *two)
    assert "The history: Wrote two\n" in told
    assert "Wrote one" not in told
    scale = PastStep(
        Press(SystemKey.BACK), raw="<operation>\nGo back\n</operation>\n<action>\nnavigate_back()\n</action>"
    )
    assert "Previous operations:\nStep 1: Go back" in words_of("scalecua", scale)
    home = PastStep(Press(SystemKey.HOME), raw='<answer>do(action="Home")', moment=Moment(TODAY, "Mail"))
    glm = words_of("autoglm-phone", home)
    in_order = ('{"current_app": "Mail"}', "<answer>do(", '** Screen Info **\n\n{"current_app": "Clock"}')
    assert sorted(in_order, key=glm.index) == [*in_order]
    assert "2026-11-28, Saturday" in glm


PROBLEMS = (
    ("odyssey-agent", "SWIPE: UP", "unmapped: SWIPE is none of the nine actions"),
    ("odyssey-agent", "[CLICK] (1, 2)", "unreadable"),
    ("cogagent-v1", "Grounded Operation: zoom [[1,2]]", "unreadable"),
    ("cogagent-v1", "Grounded Operation: tap [[780,", "unreadable"),
    ("set-of-marks", "CLICK: 7", "unreadable"),
    ("os-atlas", "actions:\nROTATE [left]", "unmapped"),
    ("os-atlas", "actions:\nI would tap it.", "unreadable"),
    ("qwen2.5-vl", '{"arguments": {"action": "wait", "time": 2}}', "not an action: wait 2 s"),
    ("qwen2.5-vl", '{"arguments": {"action": "system_button", "button": "Enter"}}', "not an action"),
    ("agentcpm-gui", '{"PRESS":"ENTER"}', "not an action: press the key 'ENTER'"),
    ("agentcpm-gui", '{"POINT":[1,1],"STATUS":"need_feedback"}', "not an action: ask the user"),
    ("agentcpm-gui", '{"duration":500}', "not an action: wait 0.5 s"),
    ("agentcpm-gui", '{"STATUS":"interrupt"}', "unmapped"),
    ("cogagent", "Grounded Operation: LAUNCH(app='None', url='example.org')", "unmapped"),
    ("cogagent", "Grounded Operation: KEY_PRESS(key='Return')", "not an action: press the key 'Return'"),
    ("cogagent", "Grounded Operation: QUOTE_TEXT(box=[[387,249,727,317]], output='__CogName_Price__', result='17.00')",
     "not an action: note '17.00'"),
    ("cogagent", "Grounded Operation: DOUBLE_CLICK(box=[[1,2,3,4]], element_type='Icon')", "unmapped"),
    ("claude", '{"name": "key", "toolset_name": "computer", "input": {"text": "Return"}}', "not an action: press the"),
    ("claude", '{"action": "zoom", "region": [0, 0, 9, 9]}', "not an action: see the screen again"),
    ("openai-computer", '{"type": "keypress", "keys": ["ENTER"]}', "not an action: press the key 'ENTER'"),
    ("openai-computer", '{"type": "computer_call", "actions": [{"type": "screenshot"}]}', "not an action: see"),
    ("openai-computer", '{"type": "computer_call", "actions": []}', "unreadable"),
    ("openai-computer", '{"type": "click", "button": "right", "x": 1, "y": 1}', "unmapped"),
    ("android-world", '{"action_type": "open_app", "app_name": "Clock"}', "not an action: open the app 'Clock'"),
    ("android-world", '{"action_type": "keyboard_enter"}', "not an action: press the key 'enter'"),
    ("doubao-ui-tars", "<seed:tool_call><function=wait></function></seed:tool_call>", "not an action: wait 2 s"),
    ("doubao-ui-tars", "<seed:tool_call><function=type><parameter=content>shrimp and", "unreadable"),
    ("ours", '<think>Perhaps {"action": "HOME"}', "unreadable"),
    ("ours", '{"action": "CLICK", "x": 0.5, "y": 0.25}', "unreadable"),
    ("ours", '{"action": "CLICK", "x": "50%", "y": "20%"}', "unreadable"),
    ("ours", '{"action": "CLICK", "x": 500, "y": 250, "x": 300}', "unreadable"),
    ("ours", '{"action": "TYPE", "text": "say "hi" now"}', "unreadable"),
    ("ours", '{"action": "COMPLETE"}, "text": "17"}', "unreadable"),
    ("odyssey-agent", "CLICK: (500, 250) or (300, 200)", "unreadable"),
    ("odyssey-agent", "CLICK: (500, 25", "unreadable"),
    ("os-atlas", "actions:\nTYPE [Shang", "unreadable"),
    ("ui-tars-1.0", "Action: click(start_box='(104,5", "unreadable"),
    ("ui-tars-1.0", "Action: type(content='Lena'", "unreadable"),
    ("cogagent", "Grounded Operation: CLICK(box=[[300,600,10,20]])", "unreadable"),
    ("android-world", '{"action_type": "click", "index": 3}', "unmapped"),
    ("odyssey-agent", "CLICK: (1300, 250)", "outside: 1300 is not between 0 and 1000"),
    ("odyssey-agent", "CLICK: (250+250, 250)", "unreadable"),
    ("openai-computer", '{"type": "click", "x": NaN, "y": 1e309}', "unreadable"),
    ("openai-computer", '{"type": "click", "x": ' + "9" * 400 + ', "y": 1}', "unreadable"),
    ("ours", "I would tap the search field.", "unreadable: there is no JSON object"),
    ("ours", "", "unreadable"),
    ("autoglm-phone", '<answer>do(action="Launch", app="Clock")</answer>', "not an action: open the app 'Clock'"),
    ("autoglm-phone", '<answer>do(action="Wait", duration="3 seconds")</answer>', "not an action: wait 3 s"),
    ("autoglm-phone", '<answer>do(action="Take_over", message="Log in")</answer>', "not an action: ask the user 'Log"),
    ("ui-venus-1.5", "<action>PressEnter()</action>", "not an action: press the key 'enter'"),
    ("ui-venus-1.5", "<action>Wait()</action>", "not an action: wait 2 s"),
    ("gelab-zero", "explain:x\taction:AWAKE\tvalue:Clock\tsummary:y", "not an action: open the app 'Clock'"),
    ("gelab-zero", "explain:x\taction:WAIT\tvalue:4\tsummary:y", "not an action: wait 4 s"),
    ("scalecua", "open_app(app_name='Clock')", "not an action: open the app 'Clock'"),
    ("ui-tars-1.5", "Action: __import__('os').system('x')", "unreadable"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "raw", "problem"), PROBLEMS)
def test_answers_without_an_action_have_a_problem(name: str, raw: str, problem: str) -> None:
    reading = adapter_named(name).read(raw, SENT, TRUE)
    assert reading.action is None
    assert reading.problem.startswith(problem), reading


def test_long_answers_take_a_time_that_grows_with_their_length() -> None:
    longest = {"claude": "[", "ours": '{"a":', "os-atlas": "PRESS_RE" + " " * 190_000 + "x", "ui-tars-1.5": "x"}
    for name, piece in longest.items():
        raw = piece * (LONGEST // len(piece))
        assert adapter_named(name).read(raw, SENT, TRUE).problem.startswith("unreadable")
    assert adapter_named("ours").read("x" * (LONGEST + 1), SENT, TRUE).problem.startswith("unreadable: too long")


def test_first_of_several_actions_counts_and_is_flagged() -> None:
    two = "Action: press_home()\n\nclick(point='<point>5 5</point>')"
    reading = adapter_named("ui-tars-1.5").read(two, SENT, TRUE)
    assert reading.action == Press(SystemKey.HOME)
    assert reading.problem.startswith("several: the first of 2 actions, before FunctionCall(name='click'")


@pytest.mark.parametrize("count", [1_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_mutated_answers_never_break_an_adapter(count: int) -> None:
    seeded = random.Random(23)
    adapters = [*all_adapters().values()]
    pieces = [piece for name, raw, _ in SAMPLES for piece in (raw, name)] + list("{}[]()<>'\"\\,:=\n\0\ud800") + [
        "1e309", "NaN", "-", "9" * 500, "Action:", "<think>", "</think>", "0x", "1_0", "None", "\\u0000", "[" * 300,
    ]  # fmt: skip
    for number in range(count):
        raw = seeded.choice(SAMPLES)[1] if number % 3 else "".join(map(chr, seeded.choices(range(1, 0x2FFF), k=30)))
        for _ in range(seeded.randint(1, 4)):
            at, piece = seeded.randint(0, len(raw)), seeded.choice(pieces)
            raw = raw[:at] + piece + raw[at + seeded.randint(0, 8) :]
        for adapter in adapters:
            reading = adapter.read(raw, SENT, TRUE)
            assert (reading.action is None) <= bool(reading.problem)
            assert_on_grid(reading.action)
            reading.problem.encode()


def assert_on_grid(action: Action | None) -> None:
    match action:
        case Click(point) | LongPress(point):
            points: tuple[Point, ...] = (point,)
        case Scroll(start, end):
            points = (start, end)
        case Type(text) | Complete(text) | Impossible(text):
            text.encode()
            return
        case _:
            return
    assert all(type(value) is int and 0 <= value <= 1000 for point in points for value in (point.x, point.y))


def screenshot_named(name: str) -> SentScreenshot:
    """It has no bytes, because a prompt needs none."""
    return SentScreenshot(LazyImage(name, (1092, 2408), pytest.fail), TRUE)


@pytest.mark.parametrize("name", all_adapters())
def test_prompt_contains_task_history_and_screenshots_in_order(name: str) -> None:
    past = tuple(PastStep(Type(f"word {number}"), screenshot_named(f"before {number}")) for number in range(3))
    messages = adapter_named(name).prompt("Buy {milk}.", History(past, "It is late."), screenshot_named("now"))
    parts = [part for message in messages for part in message.parts]
    shown = [part.identity for part in parts if isinstance(part, LazyImage)]
    assert shown == ["before 0", "before 1", "before 2", "now"]
    words = "\n".join(part.text for part in parts if isinstance(part, Words))
    assert screenshot_named("now").image in messages[-1].parts
    for text in ("Buy {milk}.", "It is late.", "word 0", "word 2"):
        assert text in words


@pytest.mark.parametrize("name", all_adapters())
def test_memory_is_told_in_place_of_the_history(name: str) -> None:
    """Whatever a prompt says when nothing was done, such as "nothing", must not stand beside a memory."""
    memory = "The lamp costs 37 dollars."
    nothing, acted, recalled = (
        "\n".join(
            part.text
            for message in adapter_named(name).prompt("Buy it.", history, screenshot_named("now"))
            for part in message.parts
            if isinstance(part, Words)
        )
        for history in (History(), History((PastStep(Press(SystemKey.HOME)),)), History(memory=memory))
    )
    assert recalled.count(memory) == 1
    without, with_action, with_memory = ({*words.splitlines()} for words in (nothing, acted, recalled))
    assert not (without - with_action) & with_memory


def test_memory_is_told_in_the_slot_of_a_file_or_before_it(tmp_path: Path) -> None:
    mine, memory = tmp_path / "mine.txt", History(memory="It is late.")
    told = []
    for text in ("{screenshot}\n{task} Before: {history}", "{screenshot}\n{task}"):
        mine.write_text(text)
        (message,) = adapter_named("zero-shot", mine).prompt("Go.", memory, screenshot_named("now"))
        told.append([part.text if isinstance(part, Words) else "image" for part in message.parts])
    assert told == [["image", "Go. Before: It is late."], ["Done so far: It is late.", "image", "Go."]]


def test_unknown_adapter_is_rejected() -> None:
    with pytest.raises(SettingsError, match=r"There is no adapter 'gpt'\. Use one of agentcpm-gui, android-world"):
        adapter_named("gpt")
