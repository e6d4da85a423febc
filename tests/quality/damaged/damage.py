"""How a damage is told to the bench: by a function that spoils a wreck and says what must be found of it."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.quality.damaged.wreck import Planted, Wreck

Spoil = Callable[[Wreck], tuple[Planted, ...] | Planted]


@dataclass(frozen=True, slots=True)
class Damage:
    """One damage; `errands` are those whose episodes it can be done to, all of them where there are none."""

    name: str
    spoil: Spoil
    errands: tuple[str, ...]

    def do(self, wreck: Wreck) -> tuple[Planted, ...]:
        """Damage an episode on the disk; what must be found, and nothing else."""
        planted = self.spoil(wreck)
        wreck.save()
        return (planted,) if isinstance(planted, Planted) else planted


def among(damages: list[Damage]) -> Callable[..., Callable[[Spoil], Spoil]]:
    """A decorator that puts a damage among the others; its docstring is its name in tables."""

    def of(*errands: str) -> Callable[[Spoil], Spoil]:
        def put(spoil: Spoil) -> Spoil:
            words = (spoil.__doc__ or "").rstrip(".")
            damages.append(Damage(words, spoil, errands))
            return spoil

        return put

    return of
