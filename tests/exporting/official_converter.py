"""What the official converter writes for a folder, by the rules read off OpenGVLab/GUI-Odyssey's converter.

An independent implementation over plain JSON; paths are relative here, and its shuffling is left out.
"""

import json
from pathlib import Path
from typing import Any

KEYS = {"KEY_HOME": "PRESS_HOME", "KEY_BACK": "PRESS_BACK", "KEY_APPSELECT": "PRESS_RECENT"}
QUESTIONS = {
    "action": "Provide the command-style action directly.",
    "intention": "Explain the intention of the next action.",
    "context": "What steps have been taken so far for this task?",
}


def command(step: dict[str, Any]) -> str:
    action, info = step["action"], step["info"]
    if action in ("CLICK", "LONG_PRESS"):
        return KEYS[info] if isinstance(info, str) else f"{action}: ({info[0][0]}, {info[0][1]})"
    if action == "SCROLL":
        (x1, y1), (x2, y2) = info
        across = abs(x2 - x1) > abs(y2 - y1)
        return "SCROLL: " + (("LEFT" if x2 < x1 else "RIGHT") if across else ("UP" if y2 < y1 else "DOWN"))
    return {"TEXT": f"TYPE: {info}", "COMPLETE": "COMPLETE", "INCOMPLETE": "IMPOSSIBLE"}[action]


def value(image: str, task: str, commands: list[str], length: int, question: str) -> str:
    lines = [f"Picture 1: <img>{image}</img>", f"I'm looking for guidance on how to {task}"]
    if commands and length:
        recent = commands[-length:]
        lines.append(f"Previous screenshots: <img>image-history: {image}</img>")
        lines.append("Previous Actions: " + "".join(f"{at + 1}. {one}\n" for at, one in enumerate(recent)))
    else:
        lines += ["Previous screenshots: None", "Previous Actions: None"]
    return "\n".join([*lines, question])


def steps_of(root: Path, kind: str, part: str) -> list[dict[str, Any]]:
    """Every step with its image, the earlier images and commands, its command, its task and its tree."""
    found = []
    for name in json.loads((root / f"splits/{kind}_split.json").read_text())[part]:
        tree = json.loads((root / "annotations" / name).read_text())
        images = [f"screenshots/{one['screenshot']}" for one in tree["steps"]]
        commands = [command(one) for one in tree["steps"]]
        for at, step in enumerate(tree["steps"]):
            found.append({
                "image": images[at], "earlier": images[:at], "done": commands[:at], "command": commands[at],
                "high": tree["task_info"]["instruction"], "low": step.get("low_level_instruction"), "step": step,
                "category": tree["task_info"]["category"], "length": tree["step_length"],
            })  # fmt: skip
    return found


def train(root: Path, kind: str, level: str, length: int = 4) -> list[dict[str, Any]]:
    samples = []
    for number, one in enumerate(steps_of(root, kind, "train")):
        question_text = value(one["image"], one[level], one["done"], length, QUESTIONS["action"])
        samples.append(sample(f"GUIOdyssey_{kind}_split_{number}", one, question_text, one["command"]))
    return samples


def semantic(root: Path, kind: str, level: str) -> list[dict[str, Any]]:
    samples = []
    for number, one in enumerate(steps_of(root, kind, "train")):
        name = f"{kind}_split_{number}"
        described = f"Picture 1: <img>{one['image']}</img>\nProvide a 2-3 sentence summary of the screenshot content."
        samples.append(sample(f"GUIOdyssey_{name}_desc", one, described, one["step"]["description"]))
        for what, prefix in (("action", ""), ("intention", ""), ("context", "single_")):
            answer = one["command"] if what == "action" else one["step"][what]
            question_text = value(one["image"], one[level], one["done"], 4, QUESTIONS[what])
            samples.append(sample(f"GUIOdyssey_{prefix}{name}_{what}", one, question_text, answer))
    return samples


def sample(name: str, one: dict[str, Any], question_text: str, answer: str) -> dict[str, Any]:
    turns = [{"from": "user", "value": question_text}, {"from": "assistant", "value": answer}]
    return {"id": name, "image": one["image"], "conversations": turns, "history": str(one["earlier"])}


def test(root: Path, kind: str, level: str) -> list[dict[str, Any]]:
    return [
        {
            "id": f"GUIOdyssey_{kind}_split_{number}", "image": one["image"], "question": one[level],
            "answer": one["command"], "category": one["category"], "step_length": one["length"],
            "history_action": str(one["done"]), "history_screenshot": str(one["earlier"]),
            "sam2_bbox": one["step"]["sam2_bbox"],
        }
        for number, one in enumerate(steps_of(root, kind, "test"))
    ]  # fmt: skip


def spelled(rows: object) -> str:
    return json.dumps(rows, indent=4, ensure_ascii=False)
