"""Whose turn it is among several that shall each come as often as their share says."""

from collections.abc import Container, Hashable, Mapping
from heapq import heapify, heappop, heappush, heapreplace
from random import Random
from typing import Generic, TypeVar

_Thing = TypeVar("_Thing", bound=Hashable)


class Turns(Generic[_Thing]):
    """First is always one that has least of its share, of several such any, as `chance` has it.

    What each came before is in `had`. A share is any number above 0; when one drops out, its share goes to the others.
    This is the method of Sainte-Laguë, as parliaments know it: after every turn the counts are in proportion.
    """

    def __init__(self, shares: Mapping[_Thing, float], had: Mapping[_Thing, int], chance: Random) -> None:
        self.things = tuple(shares)
        self._steps = tuple(1 / share for share in shares.values())
        self._draw = chance.random
        self._heap = [
            ((had.get(thing, 0) + 0.5) * step, self._draw(), number)
            for number, (thing, step) in enumerate(zip(self.things, self._steps, strict=True))
        ]
        heapify(self._heap)

    def __len__(self) -> int:
        return len(self._heap)

    @property
    def first(self) -> _Thing:
        """Whose turn it is. Raises IndexError where nobody is left."""
        return self.things[self._heap[0][2]]

    def serve(self) -> None:
        """The first had its turn."""
        had, _, number = self._heap[0]
        heapreplace(self._heap, (had + self._steps[number], self._draw(), number))

    def drop(self) -> None:
        """The first shall never come again."""
        heappop(self._heap)

    def take(self, unless: Container[_Thing] = ()) -> _Thing | None:
        """Serve the first that is not in `unless`; None where all are."""
        heap, aside = self._heap, []
        while heap and self.things[heap[0][2]] in unless:
            aside.append(heappop(heap))
        thing = None
        if heap:
            thing = self.first
            self.serve()
        for entry in aside:
            heappush(heap, entry)
        return thing
