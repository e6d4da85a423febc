"""Wrong texts of ten kinds, made from walks whose labels say what is true, and what the checks make of them."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from odyssey_recorder.annotation.checks import check_texts
from odyssey_recorder.annotation.findings import Support, TextFinding
from odyssey_recorder.annotation.kinds import TextKind
from odyssey_recorder.annotation.said import WrittenText
from tests.annotation import wordings
from tests.annotation.walks import Done, Walk
from tests.annotation.wordings import Wording

LOW, INTENTION, DESCRIPTION, CONTEXT = (
    TextKind.INSTRUCTION, TextKind.INTENTION, TextKind.DESCRIPTION, TextKind.CONTEXT,
)  # fmt: skip
_OF_ACTION = (LOW, INTENTION)
APPS = (
    "Browser",
    "Notes",
    "Settings",
    "Shop",
    "Calendar",
    "Calculator",
    "Clock",
    "Messages",
    "Mail",
    "Photos",
    "Music",
)
_REFUSALS = (
    "I'm sorry, but I can't assist with that request.",
    "As an AI language model, I cannot see the screenshot.",
    '```json {"instruction": "Tap the button"} ```',
    "CLICK: [273, 911]",
    "I'm unable to identify the element in this image.",
    "Der Benutzer tippt auf die Schaltfläche und öffnet danach eine neue Seite.",
)


@dataclass(frozen=True, slots=True)
class Planted:
    """A wrong text for a step."""

    wrong: str
    walk: Walk
    number: int
    kind: TextKind
    text: WrittenText


@dataclass(frozen=True, slots=True)
class Maker:
    walks: Sequence[Walk]
    wording: Wording
    chance: random.Random

    def every_kind(self) -> Iterator[Planted]:
        makers: tuple[tuple[str, Callable[[Walk, int], tuple[TextKind, str] | None]], ...] = (
            ("other step", self._other_step), ("other episode", self._other_episode), ("neighbour", self._neighbour),
            ("verb", self._verb), ("typed", self._typed), ("app", self._app), ("direction", self._direction),
            ("future", self._future), ("refusal", self._refusal), ("stale", self._stale),
        )  # fmt: skip
        for walk in self.walks:
            for number in range(len(walk.done)):
                for wrong, make in makers:
                    if (made := make(walk, number)) is not None:
                        kind, words = made
                        hashes = ("a" * 64, "b" * 64) if wrong == "stale" else ("", "")
                        yield Planted(wrong, walk, number, kind, WrittenText(words, *hashes))

    def _text(self, walk: Walk, number: int, kind: TextKind) -> str:
        return wordings.text(walk, number, kind, self.wording, self.chance)

    def _of_action(self, walk: Walk, number: int, done: Done) -> tuple[TextKind, str]:
        kind = self.chance.choice(_OF_ACTION)
        if kind is LOW:
            return kind, wordings.low_level(done, self.wording, self.chance)
        return kind, wordings.intention(walk, number, self.wording, self.chance, done)

    def _other_step(self, walk: Walk, number: int) -> tuple[TextKind, str] | None:
        own = walk.done[number]
        others = [at for at, one in enumerate(walk.done) if _differ(one, own)]
        if not others or own.action in wordings.ENDS:
            return None
        other, kind = self.chance.choice(others), self.chance.choice((*_OF_ACTION, DESCRIPTION))
        if kind is DESCRIPTION and walk.done[other].app == own.app:
            kind = LOW
        return kind, self._text(walk, other, kind)

    def _other_episode(self, walk: Walk, number: int) -> tuple[TextKind, str] | None:
        other = self.chance.choice(self.walks)
        apps = {one.app for one in walk.done}
        there = [
            at
            for at, one in enumerate(other.done)
            if one.app and one.app not in apps and _differ(one, walk.done[number])
        ]
        if not there or walk.done[number].action in wordings.ENDS:
            return None
        kind, at = self.chance.choice((LOW, DESCRIPTION, CONTEXT)), self.chance.choice(there)
        if kind is CONTEXT and (number == 0 or other.done[at - 1].app != other.done[at].app):
            kind = LOW
        return kind, self._text(other, at, kind)

    def _neighbour(self, walk: Walk, number: int) -> tuple[TextKind, str] | None:
        own = walk.done[number]
        others = [one for one in own.labels if _apart(one, own.label)]
        if own.action not in ("CLICK", "LONG_PRESS") or not others:
            return None
        return self._of_action(walk, number, replace(own, label=self.chance.choice(others)))

    def _verb(self, walk: Walk, number: int) -> tuple[TextKind, str] | None:
        own = walk.done[number]
        if own.action in wordings.ENDS:
            return None
        others = [one for one in ("LONG_PRESS", "SCROLL", "HOME", "BACK", "RECENT", "CLICK") if one != own.action]
        action = self.chance.choice(others)
        if own.action == "LONG_PRESS" and action == "CLICK":
            action = "SCROLL"  # a held element may be said to be selected
        return self._of_action(
            walk,
            number,
            replace(own, action=action, label=own.label or "Save", direction=own.direction or "down", app="x"),
        )

    def _typed(self, walk: Walk, number: int) -> tuple[TextKind, str] | None:
        own = walk.done[number]
        if own.action != "TYPE":
            return None
        words = own.typed.split()
        typed = self.chance.choice((" ".join([*words[:-1], "umbrella"]), "train tickets to Ghent", own.typed + " 42"))
        return self._of_action(walk, number, replace(own, typed=typed))

    def _app(self, walk: Walk, number: int) -> tuple[TextKind, str] | None:
        own = walk.done[number]
        asked = walk.evidence.episode.task.instruction
        others = [app for app in APPS if app not in asked]
        other = self.chance.choice(others)
        if own.app:
            moved = replace(own, app=other)
            wrong = replace(walk, done=(*walk.done[:number], moved, *walk.done[number + 1 :]))
            return DESCRIPTION, wordings.description(wrong, number, self.wording, self.chance)
        if wordings.kind_of(own) == "APP" and number == 0:
            return self._of_action(walk, number, replace(own, label=other))
        return None

    def _direction(self, walk: Walk, number: int) -> tuple[TextKind, str] | None:
        own = walk.done[number]
        if own.action != "SCROLL":
            return None
        other = self.chance.choice([one for one in ("up", "down", "left", "right") if one != own.direction])
        return self._of_action(walk, number, replace(own, direction=other))

    def _future(self, walk: Walk, number: int) -> tuple[TextKind, str] | None:
        later = range(number + 1, min(number + 5, len(walk.done)))
        new = [at for at in later if any(_is_news(walk, number, done) for done in walk.done[max(number, at - 4) : at])]
        return (CONTEXT, self._text(walk, self.chance.choice(new), CONTEXT)) if new and number else None

    def _refusal(self, walk: Walk, number: int) -> tuple[TextKind, str] | None:
        return (LOW, self.chance.choice(_REFUSALS)) if walk.done[number].action not in wordings.ENDS else None

    def _stale(self, walk: Walk, number: int) -> tuple[TextKind, str] | None:
        kind = self.chance.choice(tuple(TextKind))
        return kind, self._text(walk, number, kind)


def _differ(one: Done, own: Done) -> bool:
    if one.action in wordings.ENDS:
        return False
    same = (one.action, one.label, one.typed, one.direction) == (own.action, own.label, own.typed, own.direction)
    return not same and (one.label != own.label or one.action != own.action)


def _apart(one: str, other: str) -> bool:
    """Whether two labels share no word, so that no text can name both."""
    words = [set(re.findall(r"\w+", label.casefold())) for label in (one, other)]
    return bool(words[0]) and words[0].isdisjoint(words[1])


def _is_news(walk: Walk, number: int, done: Done) -> bool:
    """Whether a context that tells of `done` before its time can be told from a true one."""
    told = done.label or done.typed
    return bool(told) and all(told not in (one.label, one.typed) for one in walk.done[:number])


def findings_on(planted: Planted) -> list[TextFinding]:
    return check_texts(planted.walk.evidence, {(planted.number, planted.kind): planted.text})


def is_caught(planted: Planted) -> bool:
    return any(one.verdict is Support.CONTRADICTS for one in findings_on(planted))


def clean_texts(
    walks: Sequence[Walk], wording: Wording, seed: int
) -> Iterator[tuple[Walk, dict[tuple[int, TextKind], WrittenText]]]:
    for place, walk in enumerate(walks):
        chance = random.Random(f"{seed} {place}")
        yield (
            walk,
            {
                (number, kind): WrittenText(wordings.text(walk, number, kind, wording, chance))
                for number in range(len(walk.done))
                for kind in TextKind
            },
        )


def blinded(walk: Walk, chance: random.Random, share: float) -> Walk:
    """Without the view hierarchies of some steps."""
    steps = tuple(
        replace(step, views=None, no_views="none was stored") if chance.random() < share else step
        for step in walk.evidence.steps
    )
    return replace(walk, evidence=replace(walk.evidence, steps=steps))
