"""Facts of episodes for tests: each has distinct screenshots by default."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from odyssey_recorder.checking.evidence import ComparedEpisode, FactsSource

ACTIONS = ("CLICK 500, 900", "CLICK 120, 400", "TYPE “milk”", "CLICK 900, 950", "HOME", "COMPLETE")


def sha(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()


def look(words: str) -> int:
    return int(sha(words)[:16], 16)


def facts(number: int, **other: Any) -> ComparedEpisode:
    actions: Sequence[str] = other.get("actions", ACTIONS)
    mine = ComparedEpisode(
        episode_id=f"{number:016}",
        category="General_Tool",
        device="Pixel 7 Pro",
        annotator="Ada",
        apps=("Notes",),
        meta_task=f"Template {number} of {{}}.",
        task=f"Template {number} of milk.",
        instruction=" ".join(f"word{number}x{place}" for place in range(12)),
        actions=tuple(actions),
        screenshots=tuple(sha(f"{number}_{step}") for step in range(len(actions))),
        looks=tuple(look(f"{number}_{step}") for step in range(len(actions))),
    )
    return replace(mine, **other)


def source(*episodes: ComparedEpisode) -> FactsSource:
    return lambda: iter(episodes)
