"""The files of the official converter (OpenGVLab/GUI-Odyssey, data/format_converter.py); paths are relative here."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.agents.frames import grid_frame
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.dataset.layout import SCREENSHOTS
from odyssey_recorder.exporting.episodes import ExportedEpisode
from odyssey_recorder.exporting.export_plan import Sampling, Shard
from odyssey_recorder.model.episode import Json

ADAPTER = "odyssey-agent"
"""The adapter whose answers are those of the converter."""

TASK = "I'm looking for guidance on how to "
_ACT = "Provide the command-style action directly."
DESCRIBE = "Provide a 2-3 sentence summary of the screenshot content."
INTENTION = "Explain the intention of the next action."
CONTEXT = "What steps have been taken so far for this task?"

_HISTORY = "his_index.json"

Parts = Mapping[tuple[str, str], tuple[str, ...]]
"""The episodes of a split's side, by split and side."""


def shards(wanted: Parts, with_history: tuple[str, ...], chosen: Sampling) -> list[Shard]:
    """A file for each part and level, and the index of earlier screenshots."""
    texts = [
        Shard(f"{side}_anno/{level}_{'sementic_' * (bool(chosen.semantic) and side == 'train')}{kind}_split.json", ids)
        for (kind, side), ids in wanted.items()
        for level in chosen.levels
    ]
    return [*texts, Shard(_HISTORY, with_history)]


def pieces(file: str, episodes: Iterable[ExportedEpisode], chosen: Sampling) -> Iterator[str]:
    """The text of a file."""
    if file == _HISTORY:
        steps = (step for exported in episodes for step in _steps(exported))
        yield from _indented("{}", (f"{json.dumps(step.path)}: {_spelled(step.earlier)}" for step in steps))
        return
    level, _, rest = Path(file).stem.partition("_")
    name = rest.removeprefix("sementic_")
    is_train = file.startswith("train_anno/")
    rows = _train_rows(episodes, name, level, chosen) if is_train else _test_rows(episodes, name, level)
    yield from _indented("[]", map(_spelled, rows))


@dataclass(frozen=True, slots=True)
class _Step:
    """A step as the converter sees it."""

    path: str
    earlier: list[str]
    answer: str
    done: list[str]
    tree: dict[str, Any]

    def value(self, task: str, length: int, question: str) -> str:
        recent = self.done[-length:] if length else []
        listed = "".join(f"{number}. {words}\n" for number, words in enumerate(recent, 1))
        history = f"<img>image-history: {self.path}</img>" if recent else "None"
        before = f"Previous screenshots: {history}\nPrevious Actions: {listed or None}"
        return f"{self.image_line}{TASK}{task}\n{before}\n{question}"

    @property
    def image_line(self) -> str:
        return f"Picture 1: <img>{self.path}</img>\n"


def _steps(exported: ExportedEpisode) -> Iterator[_Step]:
    write = adapter_named(ADAPTER).write
    frame = grid_frame(exported.episode.device.size, exported.episode.device.size)
    paths = [f"{SCREENSHOTS}/{step.screenshot}" for step in exported.episode.steps]
    answers = [write(step.action, frame) or "" for step in exported.episode.steps]
    trees: Any = exported.tree["steps"]
    for at, tree in enumerate(trees):
        yield _Step(paths[at], paths[:at], answers[at], answers[:at], tree)


def _train_samples(exported: ExportedEpisode, level: str, chosen: Sampling) -> Iterator[list[Any]]:
    """For each step its samples: the suffix of the id, what is asked, the answer, and the step."""
    length, texts = HistoryRule.parse(chosen.history).steps, chosen.semantic_texts
    for step in _steps(exported):
        task = exported.episode.task.instruction if level == "high" else step.tree["low_level_instruction"]
        act = ("", step.value(task, length, _ACT), step.answer, step)
        if not texts:
            yield [act]
            continue
        samples = (
            (TextKind.DESCRIPTION, "_desc", step.image_line + DESCRIBE),
            (None, "_action", act[1]),
            (TextKind.INTENTION, "_intention", step.value(task, length, INTENTION)),
            (TextKind.CONTEXT, "_context", step.value(task, length, CONTEXT)),
        )
        yield [
            (suffix, question, step.tree[kind] if kind else step.answer, step)
            for kind, suffix, question in samples
            if kind in {None, *texts}
        ]


def _train_rows(episodes: Iterable[ExportedEpisode], name: str, level: str, options: Sampling) -> Iterator[Json]:
    samples = (sample for exported in episodes for sample in _train_samples(exported, level, options))
    for number, of_step in enumerate(samples):
        for suffix, question, answer, step in of_step:
            single = "single_" if suffix == "_context" else ""
            yield {
                "id": f"GUIOdyssey_{single}{name}_{number}{suffix}",
                "image": step.path,
                "conversations": [{"from": "user", "value": question}, {"from": "assistant", "value": answer}],
                "history": str(step.earlier),
            }


def _test_rows(episodes: Iterable[ExportedEpisode], name: str, level: str) -> Iterator[Json]:
    steps = ((exported, step) for exported in episodes for step in _steps(exported))
    for number, (exported, step) in enumerate(steps):
        task = exported.episode.task
        yield {
            "id": f"GUIOdyssey_{name}_{number}",
            "image": step.path,
            "question": task.instruction if level == "high" else step.tree["low_level_instruction"],
            "answer": step.answer,
            "category": task.category,
            "step_length": len(exported.episode.steps),
            "history_action": str(step.done),
            "history_screenshot": str(step.earlier),
            "sam2_bbox": step.tree.get("sam2_bbox", []),
        }


def _spelled(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False, indent=4)


def _indented(brackets: str, items: Iterable[str]) -> Iterator[str]:
    """As json.dump with an indent of 4 writes it."""
    yield brackets[0]
    between = "\n    "
    for item in items:
        yield between + item.replace("\n", "\n    ")
        between = ",\n    "
    yield ("" if between == "\n    " else "\n") + brackets[1]
