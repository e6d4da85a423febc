"""A stand-in for a model that writes the memory of steps from the screenshots it is shown."""

import json
import re
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

from odyssey_recorder.annotation.text_kinds import MemoryKind
from tests.annotation.phone_dataset import CapturedStep
from tests.annotation.vision_model import VisionModel, images_of
from tests.llm.stand_in import ReceivedRequest, Reply, says

RESULT, SCREEN, CORE, APP = MemoryKind


class MemoryModel:
    """Describes what it sees in several ways; as a judge it prefers way `best`."""

    def __init__(self, screens: list[tuple[CapturedStep, str]], best: int = 2, *, ways: int = 3) -> None:
        self._vision = VisionModel(screens)
        self._best, self._ways = best, ways
        self._counts: Counter[object] = Counter()
        self.judged = 0

    def app(self, seen: str) -> str:
        return f"App {seen}"

    def __call__(self, request: ReceivedRequest) -> Reply:
        images = images_of(request)
        fields = set(request.schema["properties"])
        if fields == {"a", "b", "c"}:
            self.judged += 1
            data = json.loads(re.findall(r"<notes>\n(.*?)\n</notes>", request.words, re.DOTALL)[-1])
            return says({one: _scores(5 if f"way {self._best}" in data[one] else 2) for one in "abc"})
        key = json.dumps(request.body["messages"])
        way = f"way {self._counts[key] % self._ways}"
        self._counts[key] += 1
        if RESULT in fields:
            *before, after = images
            return says({RESULT: f"From {self._vision.seen(before)} to {self._vision.seen([after])}, {way}."})
        if APP in fields:
            return says({APP: self.app(self._vision.seen(images))})
        if SCREEN in fields:
            return says({SCREEN: f"It is {self._vision.seen(images)}, {way}."})
        data = json.loads(re.findall(r"<screen>\n(.*?)\n</screen>", request.words, re.DOTALL)[-1])
        number = re.findall(r"screen (\d+)", data["screen"])[0]
        is_needed = int(number) % 2 == 0
        return says({"is_needed_later": is_needed, CORE: f"screen {number}, {way}" if is_needed else ""})


def _scores(mark: int) -> dict[str, object]:
    return {"first": mark, "second": mark, "third": mark, "why": "Nothing to fault."}


class Rememberer:
    """Writes memory of its own, in other words each time, and leaves all other questions to `model`.

    `told` is what those say was done so far.
    """

    def __init__(self, model: Callable[[ReceivedRequest], Reply]) -> None:
        self._model = model
        self._words = map(" ".join, permutations(("a", "wide", "door", "is", "open")))
        self.told: list[str] = []

    def __call__(self, request: ReceivedRequest) -> Reply:
        fields = set(request.schema.get("properties", {}))
        if fields == {"is_needed_later", CORE}:
            return says({"is_needed_later": True, CORE: next(self._words)})
        if fields <= set(MemoryKind) and fields:
            return says(dict.fromkeys(fields, next(self._words)))
        self.told.append(request.words.partition("\nDone so far:\n")[2].partition("\nWhat is")[0])
        return self._model(request)


def told_after(folder: Path, episode_id: str) -> list[str]:
    """What `ours` is told at each step with the memory in this file of `annotate export`."""
    steps = json.loads((folder / "chain_of_memory" / f"{episode_id}.json").read_text())["steps"]
    kept = [" ".join(f"{one['app']}: {one['core']}" for one in step["long_term_memory"]) for step in steps]
    return [
        " ".join([*step["short_term_memory"], f"Remembered: {words}"]) for step, words in zip(steps, kept, strict=True)
    ]
