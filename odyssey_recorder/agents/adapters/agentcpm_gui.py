"""AgentCPM-GUI: a compact JSON object, `{"POINT":[500,250],"to":"up"}`; `to` is the direction of the finger.

Source: OpenBMB/AgentCPM-GUI, eval/ and README.md. Its schema has no key for the recent apps; APPSELECT is read as that.
The model is given no history. The mark for the image keeps vLLM from putting it first.
"""
# ruff: noqa: RUF001 - Chinese punctuation

import json

from odyssey_recorder.agents.adapter import Adapter, PromptWords, Said, made
from odyssey_recorder.agents.frames import CoordinateFrame, Fit, finger_scroll, path
from odyssey_recorder.agents.parsing import Fields, UnreadableAnswerError, json_objects, name_of, number, text_of
from odyssey_recorder.agents.phrases import writer
from odyssey_recorder.model import action as actions

_SYSTEM = """\
# Role
你是一名熟悉安卓系统触屏GUI操作的智能体，将根据用户的问题，分析当前界面的GUI元素和布局，生成相应的操作。

# Task
针对用户问题，根据输入的当前屏幕截图，输出下一步的操作。

# Rule
- 以紧凑JSON格式输出
- 输出操作必须遵循Schema约束

# Schema
{"type":"object","description":"执行操作并决定当前任务状态","additionalProperties":false,"required":["thought"],"properties":{\
"thought":{"type":"string","description":"智能体的思维过程"},\
"POINT":{"$ref":"#/$defs/Location","description":"点击屏幕上的指定位置"},\
"to":{"description":"移动，组合手势参数","oneOf":[{"enum":["up","down","left","right"],"description":\
"从当前点（POINT）出发，执行滑动手势操作，方向包括向上、向下、向左、向右"},\
{"$ref":"#/$defs/Location","description":"移动到某个位置"}]},\
"duration":{"type":"integer","description":"动作执行的时间或等待时间，毫秒","minimum":0,"default":200},\
"PRESS":{"type":"string","description":"触发特殊按键，HOME为回到主页按钮，BACK为返回按钮，ENTER为回车按钮",\
"enum":["HOME","BACK","ENTER"]},\
"TYPE":{"type":"string","description":"输入文本"},\
"STATUS":{"type":"string","description":"当前任务的状态。特殊情况：satisfied，无需操作；impossible，任务无法完成；\
interrupt，任务中断；need_feedback，需要用户反馈；",\
"enum":["continue","finish","satisfied","impossible","interrupt","need_feedback"],"default":"continue"}},\
"$defs":{"Location":{"type":"array","description":"坐标为相对于屏幕左上角位原点的相对位置，并且按照宽高比例缩放到0～1000，\
数组第一个元素为横坐标x，第二个元素为纵坐标y","items":{"type":"integer","minimum":0,"maximum":1000},"minItems":2,"maxItems":2}}}"""
_LONGEST_TAP_MS = 200
_ENDS = {"finish": "COMPLETE", "satisfied": "COMPLETE", "impossible": "IMPOSSIBLE", "need_feedback": "ASK"}


def _words(text: PromptWords) -> tuple[str, str]:
    return _SYSTEM, f"<Question>{text.task}</Question>\n当前屏幕截图：(<image>./</image>)"


def _act(fields: Fields, frame: CoordinateFrame) -> actions.Action:
    """A status that ends the task wins over everything else."""
    fields = {name.upper(): value for name, value in fields.items() if value is not None}
    place = fields.get("POINT")
    match fields:
        case {"STATUS": status} if (status := name_of(status)) not in ("continue", "start"):
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
            return made("KEY", "PRESS", frame, None, text_of(name))
        case {"DURATION": milliseconds}:
            return made("WAIT", "wait", frame, None, number(milliseconds) / 1000)
        case _:
            raise UnreadableAnswerError("unreadable", f"no action in {', '.join(fields)[:60]!r}")


_write = writer(
    CLICK='{"POINT":[$x,$y]}',
    LONG_PRESS='{"POINT":[$x,$y],"duration":1000}',
    SCROLL='{"POINT":[$x,$y],"to":[$x2,$y2]}',
    TYPE='{"TYPE":$json}',
    HOME='{"PRESS":"HOME"}',
    BACK='{"PRESS":"BACK"}',
    COMPLETE='{"STATUS":"finish"}',
    IMPOSSIBLE='{"STATUS":"impossible"}',
)


def _form(call: str, said: Said) -> str:
    return f'{{"thought":{json.dumps(f"{said.thought} {said.sentence}", ensure_ascii=False)},{call[1:]}'


ADAPTERS = (
    Adapter(
        "agentcpm-gui",
        _words,
        json_objects,
        _act,
        _write,
        form=_form,
        fit=Fit(longest=1120),
        sampling={"temperature": 0.1, "top_p": 0.3},
        source="OpenBMB/AgentCPM-GUI acbaf50",
    ),
)
