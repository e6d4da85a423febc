"""Damages: functions that damage an episode or a dataset and return the findings they must cause.

The docstring of such a function is its name in tables.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from tests.checking.damaged.damaged_episode import DamagedEpisode, ExpectedFinding


class Savable(Protocol):
    def save(self) -> None: ...


T = TypeVar("T", bound=Savable)
Apply = Callable[[T], tuple[ExpectedFinding, ...] | ExpectedFinding | None]
ApplyToStep = Callable[[DamagedEpisode, int], object]
StepFilter = Callable[[DamagedEpisode, int], bool]


@dataclass(frozen=True, slots=True)
class Damage(Generic[T]):
    """`expected` are findings on the whole episode, besides those that `apply` returns."""

    name: str
    apply: Apply[T]
    tasks: tuple[str, ...] = ()
    expected: tuple[ExpectedFinding, ...] = ()

    def do(self, target: T) -> tuple[ExpectedFinding, ...]:
        found = self.apply(target) or ()
        target.save()
        return (*self.expected, *((found,) if isinstance(found, ExpectedFinding) else found))


EPISODE_DAMAGES: list[Damage[DamagedEpisode]] = []


def damage(checks: str = "", *tasks: str) -> Callable[[Apply[DamagedEpisode]], Apply[DamagedEpisode]]:
    """A damage to an episode of one of these tasks, or of any; each of the checks finds it."""

    def register(apply: Apply[DamagedEpisode]) -> Apply[DamagedEpisode]:
        EPISODE_DAMAGES.append(Damage(name_of(apply), apply, tasks, tuple(map(ExpectedFinding, checks.split()))))
        return apply

    return register


def at_step(
    checks: str, *tasks: str, where: StepFilter = lambda episode, step: True
) -> Callable[[ApplyToStep], ApplyToStep]:
    """A damage to a step that `where` allows, never the last one; each of the checks finds it there."""

    def register(apply: ApplyToStep) -> ApplyToStep:
        def apply_to_random_step(episode: DamagedEpisode) -> tuple[ExpectedFinding, ...]:
            step = episode.random_step(where=lambda step: where(episode, step))
            apply(episode, step)
            return tuple(ExpectedFinding(check, step) for check in checks.split())

        EPISODE_DAMAGES.append(Damage(name_of(apply), apply_to_random_step, tasks))
        return apply

    return register


def name_of(apply: Callable[..., object]) -> str:
    return (apply.__doc__ or "").rstrip(".")


def action(name: str) -> StepFilter:
    return lambda episode, step: episode.is_action(step, name)


def key(name: str) -> StepFilter:
    return lambda episode, step: episode.is_key(step, name)


def not_first(episode: DamagedEpisode, step: int) -> bool:
    return step > 0
