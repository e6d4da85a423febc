"""Prediction files for the episodes of a dataset folder, in every known format."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from odyssey_recorder.dataset.codec import read_annotation
from odyssey_recorder.dataset.layout import annotation_files
from odyssey_recorder.evaluation.answers import answer_of
from odyssey_recorder.evaluation.predictions import Prediction, PredictionsHeader, header_line, prediction_line, spelled

_POINTS = ("result_touch_yx", "result_lift_yx")


def predictions(root: Path) -> list[Prediction]:
    """The gold action of every step."""
    return [
        Prediction(path.stem, number, spelled(step.action), "raw", "", 10, 2, 0.5)
        for path in annotation_files(root)
        for number, step in enumerate(read_annotation(path).steps)
    ]


def own(path: Path, some: Iterable[Prediction], *, model: str = "gold") -> Path:
    path.write_bytes(header_line(PredictionsHeader("ours", model, "none")) + b"".join(map(prediction_line, some)))
    return path


def _answers(some: Iterable[Prediction]) -> Iterator[tuple[str, str]]:
    """Screenshots and answers."""
    for one in some:
        assert one.action is not None
        yield f"{one.episode}_{one.step}.png", answer_of(one.action["action"], one.action["info"])


def official(path: Path, some: Iterable[Prediction], *, final: bool = False) -> Path:
    about = {"category": "Multi_Apps", "step_length": 4, "sam2_bbox": None}
    tree: Any = [
        {"question": f"Picture 1: <img>/x/{image}</img>\nI", "pred": answer, "gt": answer, "more_info": about}
        for image, answer in _answers(some)
    ]
    path.write_text(json.dumps({"dataset": "d", "model": "m", "metrics": {"pred": tree}} if final else tree, indent=4))
    return path


def osatlas(path: Path, some: Iterable[Prediction]) -> Path:
    rows = ((image, f"actions:\n{_atlas(answer)}") for image, answer in _answers(some))
    trees = (
        {"id": 1, "image": image, "conversations": [{}, {"value": words}], "pred": f"thought:\nx\n{words}"}
        for image, words in rows
    )
    path.write_text("".join(json.dumps(tree) + "\n" for tree in trees))
    return path


def _atlas(answer: str) -> str:
    name, _, rest = answer.partition(": ")
    if name in ("CLICK", "LONG_PRESS"):
        return f"{name} <point>[[{rest[1:-1]}]]</point>"
    return f"{name} [{rest}]" if rest else name


def agentcpm(path: Path, some: Iterable[Prediction]) -> Path:
    rows = ({"episode_id": one.episode, "step_id": one.step, "pred": _schema(one)} | _wild(one) for one in some)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _schema(one: Prediction) -> dict[str, Any]:
    match one.action:
        case {"action": "CLICK", "info": str(key)}:
            return {"PRESS": key.removeprefix("KEY_")}
        case {"action": "CLICK", "info": [point, _]}:
            return {"POINT": point}
        case {"action": "TEXT", "info": text}:
            return {"TYPE": text}
        case _:
            return {"STATUS": "finish"}


def _wild(one: Prediction) -> dict[str, Any]:
    """The true action, as in the data of Android in the Wild."""
    match one.action:
        case {"action": "CLICK", "info": str(key)}:
            return {"result_action_type": {"KEY_BACK": 5}.get(key, 6)}  # RECENT is HOME
        case {"action": "CLICK", "info": [[int(x), int(y)], _]}:
            return {"result_action_type": 4, **dict.fromkeys(_POINTS, f"[{y / 1000}, {x / 1000}]")}
        case {"action": "TEXT", "info": text}:
            return {"result_action_type": 3, "result_action_text": text}
        case _:
            return {"result_action_type": 10}
