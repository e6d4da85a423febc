"""How an export is divided: its episodes, its shards, and what was asked of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from odyssey_recorder.annotation.released_texts import Texts
from odyssey_recorder.splits.drawing import Kind

MIB = 1024 * 1024

TRAINERS: Mapping[str, str] = {
    "official-chat": "odyssey-agent",
    "llamafactory": "odyssey-agent",
    "ms-swift": "odyssey-agent",
    "qwen": "qwen2.5-vl",
    "trl": "odyssey-agent",
    "ui-tars": "ui-tars-1.5",
}
"""The layouts with a sample for each step, with their usual adapters."""


@dataclass(frozen=True, slots=True)
class Planned:
    """An episode to be exported: the bytes of its screenshots, and its side in each split."""

    episode_id: str
    size: int
    sides: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shard:
    """`name` is a path within the export; a layout of many files per shard uses it for the journal only."""

    name: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sampling:
    """The samples of a trainer's layout: for which kind of model, with which history, as `predict` asks.

    A step has a sample for each of `levels`: the task is the episode's instruction or, if "low", the step's. With
    `semantic`, it has three more, for its texts. With `pairs`, there are only samples of preference pairs. `split`
    empty: all episodes, in one part.
    """

    adapter: str = "odyssey-agent"
    history: str = "actions"
    levels: tuple[Literal["high", "low"], ...] = ("high",)
    semantic: bool = False
    pairs: bool = False
    split: Kind | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class Options:
    """`like`: the release whose keys an annotation has. `per_step`: a JSON line per step. `shard_bytes` and
    `group_bytes` bound shards and Parquet's row groups. `texts`: those of the steps. `samples`: in a layout of
    TRAINERS.
    """

    like: Literal["v1", "v2"] = "v2"
    per_step: bool = False
    shard_bytes: int = 500 * MIB
    group_bytes: int = 32 * MIB
    texts: Texts = "none"
    samples: Sampling = field(default_factory=Sampling)


def by_bytes(episodes: Sequence[Planned], name: str, at_most: int) -> Iterator[Shard]:
    """Consecutive episodes, up to `at_most` bytes of screenshots each; `name` has a place for the number."""
    ids: list[str] = []
    size = number = 0
    for episode in episodes:
        if ids and size + episode.size > at_most:
            yield Shard(name.format(number), tuple(ids))
            ids, size, number = [], 0, number + 1
        ids.append(episode.episode_id)
        size += episode.size
    if ids:
        yield Shard(name.format(number), tuple(ids))


def by_count(name: str, ids: Sequence[str], count: int) -> list[Shard]:
    """Consecutive episodes, `count` each; `name` has a place for the number."""
    return [Shard(name.format(at // count), tuple(ids[at : at + count])) for at in range(0, len(ids), count)]
