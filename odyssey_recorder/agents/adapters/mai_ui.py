"""MAI-UI: calls of `mobile_use` on a grid to 999, after a thought in tags; swipes name the direction of the finger.

Source: Tongyi-MAI/MAI-UI, src/prompt.py and src/mai_naivigation_agent.py (Apache-2.0). The task is a message of its
own, and each earlier answer one too, the newest two with their screenshots. The apps are those of the device.
"""

import json

from odyssey_recorder.agents.adapter import Adapter, PromptWords, Turns
from odyssey_recorder.agents.frames import Fit, grid_999_frame
from odyssey_recorder.agents.mobile_use import act, split
from odyssey_recorder.agents.phrases import form, writer

_SYSTEM = """\
You are a GUI agent. You are given a task and your action history, with screenshots. You need to perform the next \
action to complete the task.

## Output Format
For each function call, return the thinking process in <thinking> </thinking> tags, and a json object with function \
name and arguments within <tool_call></tool_call> XML tags:
```
<thinking>
...
</thinking>
<tool_call>
{"name": "mobile_use", "arguments": <args-json-object>}
</tool_call>
```

## Action Space

{"action": "click", "coordinate": [x, y]}
{"action": "long_press", "coordinate": [x, y]}
{"action": "type", "text": ""}
{"action": "swipe", "direction": "up or down or left or right", "coordinate": [x, y]} # "coordinate" is optional. Give \
it to swipe a certain element.
{"action": "open", "text": "app_name"}
{"action": "drag", "start_coordinate": [x1, y1], "end_coordinate": [x2, y2]}
{"action": "system_button", "button": "button_name"} # Options: back, home, menu, enter
{"action": "wait"}
{"action": "terminate", "status": "success or fail"}
{"action": "answer", "text": "xxx"} # Escape quotes and line breaks in the text.

## Note
- Write a small plan and finally summarize your next action (with its target element) in one sentence in \
<thinking></thinking> part."""
_APPS = """
- Available Apps: `{}`. Use the `open` action to open one of them if possible; it is the fastest way."""


def _words(told: PromptWords) -> tuple[str, str]:
    apps = told.moment.apps
    return _SYSTEM + (_APPS.format(json.dumps(apps, ensure_ascii=False)) if apps else ""), told.task


_write = writer(
    '<tool_call>\n{"name":"mobile_use","arguments":%s}\n</tool_call>',
    CLICK='{"action":"click","coordinate":[$x,$y]}',
    LONG_PRESS='{"action":"long_press","coordinate":[$x,$y]}',
    SCROLL='{"action":"swipe","direction":"$finger","coordinate":[$x,$y]}',
    TYPE='{"action":"type","text":$json}',
    HOME='{"action":"system_button","button":"home"}',
    BACK='{"action":"system_button","button":"back"}',
    RECENT='{"action":"system_button","button":"menu"}',
    ANSWER='{"action":"answer","text":$json}',
    COMPLETE='{"action":"terminate","status":"success"}',
    IMPOSSIBLE='{"action":"terminate","status":"fail"}',
)


ADAPTERS = (
    Adapter(
        "mai-ui",
        _words,
        split,
        act,
        _write,
        form=form("<thinking>\n$thought $sentence\n</thinking>\n$call"),
        frame=grid_999_frame,
        fit=Fit(),
        turns=Turns(is_apart=True),
        pictures=2,
        sampling={"temperature": 0.0, "top_p": 1.0, "top_k": -1, "repetition_penalty": 1.0, "seed": 42},
        source="Tongyi-MAI/MAI-UI 4dd07b9",
    ),
)
