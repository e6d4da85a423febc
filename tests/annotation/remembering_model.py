"""A stand-in for a model that writes the memory of steps; it sees what it is shown."""

import json
import re
from collections import Counter

from odyssey_recorder.annotation.kinds import MemoryKind
from tests.annotation.phone_dataset import Touched
from tests.annotation.seeing_model import SeeingModel, images_of
from tests.llm.stand_in import Asked, Says, says

RESULT, SCREEN, CORE = MemoryKind


class RememberingModel:
    """Says what it sees in three ways, of which `best` is the one that its judge likes."""

    def __init__(self, screens: list[tuple[Touched, str]], best: int = 2, *, ways: int = 3) -> None:
        self._eyes = SeeingModel(screens)
        self._best, self._ways = best, ways
        self._turns: Counter[object] = Counter()
        self.judged = 0

    def __call__(self, asked: Asked) -> Says:
        images = images_of(asked)
        fields = set(asked.schema["properties"])
        if fields == {"a", "b", "c"}:
            self.judged += 1
            told = json.loads(re.findall(r"<notes>\n(.*?)\n</notes>", asked.words, re.DOTALL)[-1])
            return says({one: _marks(5 if f"way {self._best}" in told[one] else 2) for one in "abc"})
        whole = json.dumps(asked.body["messages"])
        way = f"way {self._turns[whole] % self._ways}"
        self._turns[whole] += 1
        if RESULT in fields:
            *before, after = images
            return says({RESULT: f"From {self._eyes.seen(before)} to {self._eyes.seen([after])}, {way}."})
        if SCREEN in fields:
            return says({SCREEN: f"It is {self._eyes.seen(images)}, {way}."})
        told = json.loads(re.findall(r"<screen>\n(.*?)\n</screen>", asked.words, re.DOTALL)[-1])
        number = re.findall(r"screen (\d+)", told["screen"])[0]
        is_needed = int(number) % 2 == 0
        return says({"is_needed_later": is_needed, CORE: f"screen {number}, {way}" if is_needed else ""})


def _marks(mark: int) -> dict[str, object]:
    return {"first": mark, "second": mark, "third": mark, "why": "Nothing to fault."}
