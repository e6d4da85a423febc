"""How an export is divided: its episodes, its shards, and what was asked of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from odyssey_recorder.annotation.released_texts import Texts
from odyssey_recorder.annotation.text_kinds import SEMANTIC, MemoryKind, Semantic, TextKind

_Item = TypeVar("_Item")

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

    A step has a sample for each of `levels`: the task is the episode's instruction or, if "low", the step's. It has one
    more for each text in `semantic`. With `pairs`, there are only samples of preference pairs. `split`
    empty: all episodes, in one part.
    """

    adapter: str = "odyssey-agent"
    history: str = "actions"
    levels: tuple[Literal["high", "low"], ...] = ("high",)
    semantic: tuple[Semantic, ...] = ()
    pairs: bool = False
    split: str = ""

    @property
    def semantic_texts(self) -> set[TextKind]:
        return {kind for name in self.semantic if isinstance(kind := SEMANTIC[name], TextKind)}

    @property
    def memory_texts(self) -> set[MemoryKind]:
        return {kind for name in self.semantic if isinstance(kind := SEMANTIC[name], MemoryKind)}


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


def by_bytes(episodes: Sequence[Planned], name: str, at_most: int) -> list[Shard]:
    """Consecutive episodes, up to `at_most` bytes of screenshots each; `name` has a place for the number."""
    groups = in_groups(((episode.episode_id, episode.size) for episode in episodes), at_most)
    return [Shard(name.format(number), tuple(ids)) for number, ids in enumerate(groups)]


def in_groups(items: Iterable[tuple[_Item, int]], at_most: int) -> Iterator[list[_Item]]:
    """Consecutive items by their sizes in bytes, up to `at_most` in each group, or a single larger one."""
    group: list[_Item] = []
    size = 0
    for item, length in items:
        if group and size + length > at_most:
            yield group
            group, size = [], 0
        group.append(item)
        size += length
    if group:
        yield group


def by_count(name: str, ids: Sequence[str], count: int) -> list[Shard]:
    """Consecutive episodes, `count` each; `name` has a place for the number."""
    return [Shard(name.format(at // count), tuple(ids[at : at + count])) for at in range(0, len(ids), count)]
