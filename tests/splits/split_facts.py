"""Facts of episodes for tests of splits."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from odyssey_recorder.model.episode import Category
from odyssey_recorder.splits.drawing import Split
from odyssey_recorder.splits.episodes import SplitEpisode, app_key

CATEGORIES = [category.value for category in Category]
DEVICES = ("Pixel 7 Pro", "Pixel Fold", "Pixel Tablet")
CLASSES: Mapping[str, str] = {app_key(f"App{letter}{number}"): letter for letter in "ABCDE" for number in range(8)}
APPS = [f"App{letter}{number}" for number in range(8) for letter in "ABCDE"]


def facts(number: int, **other: Any) -> SplitEpisode:
    """By default an episode that shares only its device with others."""
    defaults: dict[str, Any] = {
        "episode_id": f"{number:016}",
        "category": CATEGORIES[number % 6],
        "device": "Pixel 7 Pro",
        "apps": (f"AppA{number}",),
        "meta_task": f"Template {number} of {{}}.",
        "task": f"Template {number} of item {number}.",
        "instruction": " ".join(f"word{number}x{place}" for place in range(12)),
        "sha256": f"annotation {number}",
        "contents": f"contents {number}",
        "screenshots": tuple(f"{number}_{step}" for step in range(6)),
        "entrances": frozenset({0}),
    }
    return SplitEpisode(**defaults | other)


def dataset(seed: int, *, episodes: int, templates: int | None = None, start: int = 0) -> list[SplitEpisode]:
    """Episodes as a dataset has them: tasks of templates, some recorded again, rare and frequent apps.

    `start` is the number of the first; episodes of one seed are the same for any range.
    """
    return [_episode(seed, number, templates or max(12, episodes // 20)) for number in range(start, start + episodes)]


def _episode(seed: int, number: int, templates: int) -> SplitEpisode:
    rng = random.Random(f"{seed} {number}")
    if number and rng.random() < 0.1:  # a take of an earlier task
        earlier = _episode(seed, rng.randrange(number), templates)
        return facts(
            number, category=earlier.category, device=rng.choice(DEVICES), apps=earlier.apps[::-1],
            meta_task=earlier.meta_task, task=earlier.task.upper(),
        )  # fmt: skip
    template = rng.randrange(templates)
    apps = rng.choices(APPS, [1 / (place + 1) for place in range(len(APPS))], k=2)
    return facts(
        number,
        category=CATEGORIES[template % 6],
        device=rng.choice(DEVICES),
        apps=tuple(dict.fromkeys(apps)),
        meta_task=f"Template {template} of {{}}.",
        task=f"Template {template} of item {number}.",
    )


def split(kind: str, train: Sequence[int], test: Sequence[int]) -> Split:
    return Split(kind, *(tuple(f"{number:016}" for number in part) for part in (train, test)))
