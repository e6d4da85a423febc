"""Which app plays which role of a task: each as often as the others, and no app two roles of the same task."""

from collections import Counter
from collections.abc import Iterable
from itertools import product
from random import Random

from odyssey_recorder.task.generation.turns import Turns
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.templates.catalogue import Catalogue
from odyssey_recorder.task.templates.template import Role
from odyssey_recorder.task.templates.template_rules import players


class AppChoice:
    """Gives roles to the apps of a catalogue; in the tasks of `have` they had some already."""

    def __init__(self, catalogue: Catalogue, have: Iterable[ListedTask], chance: Random) -> None:
        self._catalogue = catalogue
        self._had = Counter(played for task in have for played in task.roles.items())
        self._chance = chance
        self._turns: dict[Role, Turns[str]] = {}

    def company(self, roles: tuple[Role, ...]) -> "Company":
        """The apps for the roles of one template."""
        return Company({role.name: self._turns_of(role) for role in roles})

    def _turns_of(self, role: Role) -> Turns[str]:
        if role not in self._turns:
            names = [app.name for app in players(role, self._catalogue)]
            had = {name: self._had[role.name, name] for name in names}
            self._turns[role] = Turns(dict.fromkeys(names, 1.0), had, self._chance)
        return self._turns[role]


class Company:
    """The apps that may play the roles of one template."""

    def __init__(self, turns: dict[str, Turns[str]]) -> None:
        self._turns = turns
        self._hardest_first = sorted(turns.items(), key=lambda role: len(role[1].things))
        self._is_hardest_first = self._hardest_first == list(turns.items())

    def cast(self) -> dict[str, str]:
        """An app for each role, in the order of the template."""
        chosen: dict[str, str] = {}
        for role, turns in self._hardest_first:
            app = turns.take(unless=chosen.values())
            if app is None:
                return self._any_cast()
            chosen[role] = app
        return chosen if self._is_hardest_first else {role: chosen[role] for role in self._turns}

    def _any_cast(self) -> dict[str, str]:
        """The first cast of different apps that there is; a template has one, or is refused when it is read."""
        casts = product(*(turns.things for turns in self._turns.values()))
        cast = next(cast for cast in casts if len(set(cast)) == len(cast))
        return dict(zip(self._turns, cast, strict=True))
