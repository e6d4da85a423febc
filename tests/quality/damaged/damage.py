"""Damages: functions that damage an episode and return the findings it must cause; a docstring is a name in tables."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.quality.damaged.wreck import Planted, Wreck

Spoil = Callable[[Wreck], tuple[Planted, ...] | Planted | None]
SpoilStep = Callable[[Wreck, int], object]
Where = Callable[[Wreck, int], bool]


@dataclass(frozen=True, slots=True)
class Damage:
    name: str
    spoil: Spoil
    errands: tuple[str, ...]

    def do(self, wreck: Wreck) -> tuple[Planted, ...]:
        planted = self.spoil(wreck)
        wreck.save()
        return (planted,) if isinstance(planted, Planted) else planted or ()


DAMAGES: list[Damage] = []


def damage(*errands: str) -> Callable[[Spoil], Spoil]:
    """A damage to one of these errands, or of all."""

    def put(spoil: Spoil) -> Spoil:
        DAMAGES.append(Damage(name_of(spoil), spoil, errands))
        return spoil

    return put


def at_step(checks: str, *errands: str, where: Where = lambda wreck, step: True) -> Callable[[SpoilStep], SpoilStep]:
    """A damage to a step that `where` allows, not to the last; each of the checks finds it there."""

    def put(spoil: SpoilStep) -> SpoilStep:
        def do(wreck: Wreck) -> tuple[Planted, ...]:
            step = wreck.any_step(where=lambda step: where(wreck, step))
            spoil(wreck, step)
            return tuple(Planted(check, step) for check in checks.split())

        DAMAGES.append(Damage(name_of(spoil), do, errands))
        return spoil

    return put


def name_of(spoil: Callable[..., object]) -> str:
    return (spoil.__doc__ or "").rstrip(".")


def action(name: str) -> Where:
    return lambda wreck, step: wreck.is_action(step, name)


def key(name: str) -> Where:
    return lambda wreck, step: wreck.is_key(step, name)


def not_first(wreck: Wreck, step: int) -> bool:
    return step > 0
