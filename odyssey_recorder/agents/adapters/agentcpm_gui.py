"""AgentCPM-GUI: a compact JSON object, `{"POINT":[500,250],"to":"up"}`; `to` is the direction of the finger.

Source: OpenBMB/AgentCPM-GUI, eval/. Its schema has no key for the recent apps; APPSELECT is read as that.
"""
# ruff: noqa: RUF001 - Chinese punctuation

import json

from odyssey_recorder.agents.adapter import Adapter, PromptWords, made
from odyssey_recorder.agents.frames import CoordinateFrame, finger_scroll, path, within
from odyssey_recorder.agents.parsing import Fields, UnreadableAnswerError, json_objects, number, optional_text
from odyssey_recorder.model import action as actions

_LOCATION = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 1000}, "minItems": 2, "maxItems": 2}
_TO = {"description": "移动，组合手势参数", "oneOf": [{"enum": ["up", "down", "left", "right"]}, _LOCATION]}
_STATUSES = ["continue", "finish", "satisfied", "impossible", "interrupt", "need_feedback"]
_SCHEMA = {
    "type": "object",
    "description": "执行操作并决定当前任务状态",
    "additionalProperties": False,
    "required": ["thought"],
    "properties": {
        "thought": {"type": "string", "description": "智能体的思维过程"},
        "POINT": {"description": "点击屏幕上的指定位置", **_LOCATION},
        "to": _TO,
        "duration": {"type": "integer", "description": "动作执行的时间或等待时间，毫秒", "minimum": 0, "default": 200},
        "PRESS": {"type": "string", "description": "触发特殊按键", "enum": ["HOME", "BACK", "ENTER"]},
        "TYPE": {"type": "string", "description": "输入文本"},
        "STATUS": {"type": "string", "description": "当前任务的状态", "enum": _STATUSES, "default": "continue"},
    },
}
_SYSTEM = """\
# Role
你是一名熟悉安卓系统触屏GUI操作的智能体，将根据用户的问题，分析当前界面的GUI元素和布局，生成相应的操作。

# Task
针对用户问题，根据输入的当前屏幕截图，输出下一步的操作。

# Rule
- 以紧凑JSON格式输出
- 输出操作必须遵循Schema约束

# Schema
"""
_LONGEST_TAP_MS = 200
_KEYS = {"HOME": "HOME", "BACK": "BACK", "APPSELECT": "RECENT"}
_ENDS = {"finish": "COMPLETE", "satisfied": "COMPLETE", "impossible": "IMPOSSIBLE"}


def _words(text: PromptWords) -> tuple[str, str]:
    earlier = f"\n历史操作：\n{text.listed('')}" if text.done else ""
    schema = json.dumps(_SCHEMA, ensure_ascii=False, separators=(",", ":"))
    return _SYSTEM + schema, f"<Question>{text.task}</Question>{earlier}\n当前屏幕截图："


def _act(fields: Fields, frame: CoordinateFrame) -> actions.Action:
    """A status that ends the task wins over everything else."""
    fields = {name.upper(): value for name, value in fields.items()}
    place = fields.get("POINT")
    match fields:
        case {"STATUS": str(status)} if (status := status.lower()) not in ("continue", "start"):
            return made(_ENDS.get(status), status, frame)
        case {"POINT": _, "TO": str(direction)} if direction.strip().isalpha():
            return finger_scroll(direction, frame.at(place))
        case {"POINT": _, "TO": end}:
            return path(frame.at(place), frame.at(end))
        case {"POINT": _}:
            is_long = number(fields.get("DURATION", 0)) > _LONGEST_TAP_MS
            return made("LONG_PRESS" if is_long else "CLICK", "", frame, place)
        case {"TYPE": text}:
            return made("TYPE", "", frame, None, text)
        case {"PRESS": name}:
            return made(_KEYS.get(optional_text(name).upper()), name, frame)
        case {"DURATION": _}:
            return made(None, "wait", frame)
        case _:
            raise UnreadableAnswerError("unreadable", f"no action in {', '.join(fields)[:60]!r}")


def _write(action: actions.Action, frame: CoordinateFrame) -> str | None:
    fields: dict[str, object]
    match action:
        case actions.Click(point):
            fields = {"POINT": frame.place(point)}
        case actions.LongPress(point):
            fields = {"POINT": frame.place(point), "duration": 1000}
        case actions.Scroll(start, end):
            fields = {"POINT": frame.place(start), "to": frame.place(end)}
        case actions.Type(text):
            fields = {"TYPE": text}
        case actions.Press(actions.SystemKey.RECENT):
            return None
        case actions.Press(key):
            fields = {"PRESS": key.value}
        case actions.Complete():
            fields = {"STATUS": "finish"}
        case actions.Impossible():
            fields = {"STATUS": "impossible"}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


ADAPTERS = (Adapter("agentcpm-gui", _words, json_objects, _act, _write, fit=within(1120)),)
