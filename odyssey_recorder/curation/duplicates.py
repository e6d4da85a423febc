"""Groups of episodes that may be the same one, and which of each to keep. Pure."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from odyssey_recorder.splits.drawing import identities
from odyssey_recorder.splits.episodes import SplitEpisode

Likeness = Literal["annotation", "screenshots", "actions", "instruction", "take"]
LIKENESSES: tuple[Likeness, ...] = get_args(Likeness)
"""What duplicates have in common, the strongest first. `actions` is the check EPI05."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An episode and what speaks for it: `is_proved` by its provenance, `errors` and `warnings` of the checks.

    `alike` are the episodes that EPI05 names for it.
    """

    facts: SplitEpisode
    is_accepted: bool = False
    is_proved: bool = False
    errors: int = 0
    warnings: int = 0
    alike: tuple[str, ...] = ()

    @property
    def episode_id(self) -> str:
        return self.facts.episode_id


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """`common` is what episodes of the group share, `best` the one to keep and `why`; `others` are sorted by id."""

    common: tuple[Likeness, ...]
    best: Candidate
    why: str
    others: tuple[Candidate, ...]


def duplicate_groups(candidates: Iterable[Candidate], by: Collection[Likeness]) -> list[DuplicateGroup]:
    """Sorted by the id of the best; an episode is in one group at most."""
    of = {
        candidate.episode_id: candidate for candidate in sorted(candidates, key=lambda candidate: candidate.episode_id)
    }
    parent = {episode_id: episode_id for episode_id in of}

    def find(episode_id: str) -> str:
        while parent[episode_id] != episode_id:
            parent[episode_id] = episode_id = parent[parent[episode_id]]
        return episode_id

    shared: defaultdict[str, set[Likeness]] = defaultdict(set)
    links = [(kind, ids) for kind in LIKENESSES if kind in by for ids in _links(of, kind)]
    for _, (first, *rest) in links:
        for other in rest:
            parent[find(other)] = find(first)
    members: defaultdict[str, list[Candidate]] = defaultdict(list)
    for kind, ids in links:
        shared[find(ids[0])].add(kind)
    for candidate in of.values():
        members[find(candidate.episode_id)].append(candidate)
    groups = (_group(some, shared[root]) for root, some in members.items() if len(some) > 1)
    return sorted(groups, key=lambda group: group.best.episode_id)


def _links(of: Mapping[str, Candidate], kind: Likeness) -> Iterable[Sequence[str]]:
    """Ids of two or more episodes that have it in common."""
    if kind == "actions":
        return [(candidate.episode_id, other) for candidate in of.values() for other in candidate.alike if other in of]
    same: defaultdict[Hashable, list[str]] = defaultdict(list)
    for candidate in of.values():
        if kind in (known := identities(candidate.facts)):
            same[known[kind]].append(candidate.episode_id)
    return [ids for ids in same.values() if len(ids) > 1]


_Rank = Callable[[Candidate], int]
_RANKS: tuple[tuple[_Rank, str], ...] = (
    (lambda candidate: not candidate.is_accepted, "accepted"),
    (lambda candidate: not candidate.is_proved, "has provenance"),
    (lambda candidate: candidate.errors, "fewest errors"),
    (lambda candidate: candidate.warnings, "fewest warnings"),
)


def _group(some: Sequence[Candidate], common: Collection[Likeness]) -> DuplicateGroup:
    left, why = list(some), []
    for rank, words in _RANKS:
        lowest = min(map(rank, left))
        kept = [candidate for candidate in left if rank(candidate) == lowest]
        why += [words] if len(kept) < len(left) else []
        left = kept
    best = left[0]
    others = tuple(candidate for candidate in some if candidate is not best)
    reason = ", ".join(why) if len(left) == 1 else ", ".join([*why, "lowest id"])
    return DuplicateGroup(tuple(kind for kind in LIKENESSES if kind in common), best, reason, others)
