"""Damages: functions that damage an episode and return the findings it must cause."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.quality.damaged.wreck import Planted, Wreck

Spoil = Callable[[Wreck], tuple[Planted, ...] | Planted]


@dataclass(frozen=True, slots=True)
class Damage:
    name: str
    spoil: Spoil
    errands: tuple[str, ...]

    def do(self, wreck: Wreck) -> tuple[Planted, ...]:
        planted = self.spoil(wreck)
        wreck.save()
        return (planted,) if isinstance(planted, Planted) else planted


def among(damages: list[Damage]) -> Callable[..., Callable[[Spoil], Spoil]]:
    """A decorator that adds a damage to the list; its docstring is its name in tables."""

    def of(*errands: str) -> Callable[[Spoil], Spoil]:
        def put(spoil: Spoil) -> Spoil:
            words = (spoil.__doc__ or "").rstrip(".")
            damages.append(Damage(words, spoil, errands))
            return spoil

        return put

    return of
