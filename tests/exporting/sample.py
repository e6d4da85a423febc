"""Datasets to be exported: episodes with every action, on two devices, with splits."""

import json
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.exporting.card import About
from odyssey_recorder.exporting.export_plan import Options, Planned
from odyssey_recorder.exporting.job import ExportRequest, run_export
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.episode import (
    Category,
    DeviceInfo,
    Episode,
    Step,
    StepAnnotations,
    TaskInfo,
    screenshot_name,
)
from odyssey_recorder.model.geometry import Point, Size
from tests.fakes import screenshot

SIZE = Size(36, 64)
ACTIONS: tuple[Action, ...] = (
    Click(Point(500, 250)), Type("buy: milk"),
    Scroll(Point(500, 800), Point(500, 200), (Point(500, 800), Point(500, 200))),
    LongPress(Point(100, 900)), Press(SystemKey.BACK), Press(SystemKey.HOME), Press(SystemKey.RECENT),
)  # fmt: skip
TEXTS = StepAnnotations(
    description="A screen.", intention="Go on.", context="So far, so good.", low_level_instruction="Press the button."
)
STEPS = len(ACTIONS) + 1
SMALL = Options(shard_bytes=3000, group_bytes=1500)
"""Several shards."""


class Dataset(NamedTuple):
    root: Path
    planned: list[Planned]


def contents(root: Path) -> dict[str, bytes]:
    """The files below `root`."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def ids(count: int) -> list[str]:
    return [f"{number:016}" for number in range(1, count + 1)]


def write_dataset(root: Path, count: int, *, texts: bool = False) -> list[Planned]:
    """Episodes without provenance; every third is in the test part of the random split, every fourth of the others."""
    for name in ("annotations", "screenshots", "splits"):
        (root / name).mkdir(parents=True)
    planned = []
    for number, episode_id in enumerate(ids(count)):
        end: Action = Impossible("no such shop") if number % 5 == 4 else Complete("done")
        actions = (*ACTIONS, end)
        steps = tuple(
            Step(screenshot_name(episode_id, place), action, TEXTS if texts else StepAnnotations())
            for place, action in enumerate(actions)
        )
        category = list(Category)[number % 6].value
        task = TaskInfo(category, ("Notes", "Clock"), "Buy {}.", f"Buy {number}.", f"Buy “{number}” & <more>.")
        device = DeviceInfo("Pixel Tablet" if number % 4 == 3 else "Small Phone", SIZE)
        write_episode(root / annotation_path(episode_id), Episode(episode_id, device, task, steps))
        size = 0
        for place, step in enumerate(steps):
            path = root / "screenshots" / step.screenshot
            screenshot(number * 10 + place, SIZE).save(path)
            size += path.stat().st_size
        sides = {kind: "test" if number % every == every - 1 else "train" for kind, every in EVERY.items()}
        planned.append(Planned(episode_id, size, sides))
    for kind, data in splits(planned).items():
        (root / "splits" / kind).write_bytes(data)
    return planned


EVERY = {"random": 3, "task": 4, "device": 4, "app": 4}


def splits(planned: list[Planned]) -> dict[str, bytes]:
    return {
        f"{kind}_split.json": json.dumps(
            {
                part: sorted(f"{one.episode_id}.json" for one in planned if one.sides.get(kind) == part)
                for part in ("train", "test")
            },
            indent=4,
        ).encode()
        for kind in EVERY
    }


def export(
    dataset: Dataset,
    out: Path,
    layout: str,
    options: Options = SMALL,
    executor: Executor | None = None,
    **callbacks: Any,
) -> Path:
    """Export in one thread, unless another executor is given."""
    root, planned = dataset
    about = About("My data", len(planned), len(planned) * STEPS, published="2026-11-22", limits=("no <b> here",))
    request = ExportRequest(root, out, layout, options, splits(planned), about)
    with nullcontext(executor) if executor else ThreadPoolExecutor(1) as workers:
        return run_export(request, planned, workers, **callbacks)
