"""The contacts of the phone's owner, shared by all apps."""

from dataclasses import dataclass
from functools import cache

from odyssey_simulator.apps.content import table


@dataclass(frozen=True, slots=True)
class PhonePerson:
    name: str
    handle: str
    color: str
    about: str
    place: str
    followers: int
    follows: int


OWNER = PhonePerson("Robin Keller", "robin.keller", "#3b5ba9", "Small walks, big breakfasts.", "Freiburg", 144, 0)


@cache
def people() -> tuple[PhonePerson, ...]:
    return tuple(PhonePerson(**entry) for entry in table("people")["person"])


def person_named(name: str) -> PhonePerson:
    """Raises LookupError if nobody has this full name."""
    for person in (OWNER, *people()):
        if person.name == name:
            return person
    raise LookupError(f"Nobody here is called {name!r}.")


def people_like(text: str) -> list[PhonePerson]:
    query = text.strip().lower()
    return [person for person in people() if query in f"{person.name} {person.handle}".lower()]
