"""The people whom the owner of the phone knows, by name, for every app that speaks of them."""

from dataclasses import dataclass
from functools import cache

from odyssey_recorder.simulator.apps.content import table


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    handle: str
    color: str
    about: str
    place: str
    followers: int
    follows: int


OWNER = Person("Robin Keller", "robin.keller", "#3b5ba9", "Small walks, big breakfasts.", "Freiburg", 144, 0)


@cache
def people() -> tuple[Person, ...]:
    """Everybody but the owner."""
    return tuple(Person(**entry) for entry in table("people")["person"])


def person_named(name: str) -> Person:
    """The person of this full name; raises LookupError for a stranger."""
    for person in (OWNER, *people()):
        if person.name == name:
            return person
    raise LookupError(f"Nobody here is called {name!r}.")


def people_like(words: str) -> list[Person]:
    wanted = words.strip().lower()
    return [person for person in people() if wanted in f"{person.name} {person.handle}".lower()]
