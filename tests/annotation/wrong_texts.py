"""Wrong texts of ten kinds, made from episodes whose correct labels are known, and whether the checks catch them."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from odyssey_recorder.annotation.checks import check_texts
from odyssey_recorder.annotation.findings import Support
from odyssey_recorder.annotation.text_in_context import WrittenText
from odyssey_recorder.annotation.text_kinds import TextKind
from tests.annotation import wordings
from tests.annotation.played_episodes import PlayedEpisode, PlayedStep
from tests.annotation.wordings import Wording

LOW, INTENTION, DESCRIPTION, CONTEXT = (
    TextKind.INSTRUCTION, TextKind.INTENTION, TextKind.DESCRIPTION, TextKind.CONTEXT,
)  # fmt: skip
_OF_ACTION = (LOW, INTENTION)
APPS = (
    "Browser", "Notes", "Settings", "Shop", "Calendar", "Calculator", "Clock", "Messages", "Mail", "Photos", "Music",
)  # fmt: skip
_REFUSALS = (
    "I'm sorry, but I can't assist with that request.",
    "As an AI language model, I cannot see the screenshot.",
    '```json {"instruction": "Tap the button"} ```',
    "CLICK: [273, 911]",
    "I'm unable to identify the element in this image.",
    "Der Benutzer tippt auf die Schaltfläche und öffnet danach eine neue Seite.",
)


@dataclass(frozen=True, slots=True)
class WrongText:
    """A wrong text for a step."""

    wrong: str
    played: PlayedEpisode
    number: int
    kind: TextKind
    text: WrittenText


@dataclass(frozen=True, slots=True)
class WrongTextMaker:
    episodes: Sequence[PlayedEpisode]
    wording: Wording
    rng: random.Random

    def of_every_kind(self) -> Iterator[WrongText]:
        makers: tuple[tuple[str, Callable[[PlayedEpisode, int], tuple[TextKind, str] | None]], ...] = (
            ("other step", self._other_step), ("other episode", self._other_episode), ("neighbour", self._neighbour),
            ("verb", self._verb), ("typed", self._typed), ("app", self._app), ("direction", self._direction),
            ("future", self._future), ("refusal", self._refusal), ("stale", self._stale),
        )  # fmt: skip
        for played in self.episodes:
            for number in range(len(played.steps)):
                for wrong, make in makers:
                    if (made := make(played, number)) is not None:
                        kind, words = made
                        hashes = ("a" * 64, "b" * 64) if wrong == "stale" else ("", "")
                        yield WrongText(wrong, played, number, kind, WrittenText(words, *hashes))

    def _text(self, played: PlayedEpisode, number: int, kind: TextKind) -> str:
        return wordings.text(played, number, kind, self.wording, self.rng)

    def _of_action(self, played: PlayedEpisode, number: int, step: PlayedStep) -> tuple[TextKind, str]:
        kind = self.rng.choice(_OF_ACTION)
        if kind is LOW:
            return kind, wordings.instruction(step, self.wording, self.rng)
        return kind, wordings.intention(played, number, self.wording, self.rng, step)

    def _other_step(self, played: PlayedEpisode, number: int) -> tuple[TextKind, str] | None:
        step = played.steps[number]
        others = [at for at, one in enumerate(played.steps) if _differ(one, step)]
        if not others or step.action in wordings.ENDS:
            return None
        other, kind = self.rng.choice(others), self.rng.choice((*_OF_ACTION, DESCRIPTION))
        if kind is DESCRIPTION and played.steps[other].app == step.app:
            kind = LOW
        return kind, self._text(played, other, kind)

    def _other_episode(self, played: PlayedEpisode, number: int) -> tuple[TextKind, str] | None:
        other = self.rng.choice(self.episodes)
        apps = {one.app for one in played.steps}
        candidates = [
            at
            for at, one in enumerate(other.steps)
            if one.app and one.app not in apps and _differ(one, played.steps[number])
        ]
        if not candidates or played.steps[number].action in wordings.ENDS:
            return None
        kind, at = self.rng.choice((LOW, DESCRIPTION, CONTEXT)), self.rng.choice(candidates)
        if kind is CONTEXT and (number == 0 or other.steps[at - 1].app != other.steps[at].app):
            kind = LOW
        return kind, self._text(other, at, kind)

    def _neighbour(self, played: PlayedEpisode, number: int) -> tuple[TextKind, str] | None:
        step = played.steps[number]
        others = [one for one in step.labels if _apart(one, step.label)]
        if step.action not in ("CLICK", "LONG_PRESS") or not others:
            return None
        return self._of_action(played, number, replace(step, label=self.rng.choice(others)))

    def _verb(self, played: PlayedEpisode, number: int) -> tuple[TextKind, str] | None:
        step = played.steps[number]
        if step.action in wordings.ENDS:
            return None
        others = [one for one in ("LONG_PRESS", "SCROLL", "HOME", "BACK", "RECENT", "CLICK") if one != step.action]
        action = self.rng.choice(others)
        if step.action == "LONG_PRESS" and action == "CLICK":
            action = "SCROLL"  # a held element may be said to be selected
        other = replace(step, action=action, label=step.label or "Save", direction=step.direction or "down", app="x")
        return self._of_action(played, number, other)

    def _typed(self, played: PlayedEpisode, number: int) -> tuple[TextKind, str] | None:
        step = played.steps[number]
        if step.action != "TYPE":
            return None
        words = step.typed.split()
        typed = self.rng.choice((" ".join([*words[:-1], "umbrella"]), "train tickets to Ghent", step.typed + " 42"))
        return self._of_action(played, number, replace(step, typed=typed))

    def _app(self, played: PlayedEpisode, number: int) -> tuple[TextKind, str] | None:
        step = played.steps[number]
        instruction = played.evidence.episode.task.instruction
        others = [app for app in APPS if app not in instruction]
        other = self.rng.choice(others)
        if step.app:
            moved = replace(step, app=other)
            wrong = replace(played, steps=(*played.steps[:number], moved, *played.steps[number + 1 :]))
            return DESCRIPTION, wordings.description(wrong, number, self.wording, self.rng)
        if wordings.kind_of(step) == "APP" and number == 0:
            return self._of_action(played, number, replace(step, label=other))
        return None

    def _direction(self, played: PlayedEpisode, number: int) -> tuple[TextKind, str] | None:
        step = played.steps[number]
        if step.action != "SCROLL":
            return None
        other = self.rng.choice([one for one in ("up", "down", "left", "right") if one != step.direction])
        return self._of_action(played, number, replace(step, direction=other))

    def _future(self, played: PlayedEpisode, number: int) -> tuple[TextKind, str] | None:
        later = range(number + 1, min(number + 5, len(played.steps)))
        new = [
            at for at in later if any(_is_new(played, number, step) for step in played.steps[max(number, at - 4) : at])
        ]
        return (CONTEXT, self._text(played, self.rng.choice(new), CONTEXT)) if new and number else None

    def _refusal(self, played: PlayedEpisode, number: int) -> tuple[TextKind, str] | None:
        return (LOW, self.rng.choice(_REFUSALS)) if played.steps[number].action not in wordings.ENDS else None

    def _stale(self, played: PlayedEpisode, number: int) -> tuple[TextKind, str] | None:
        kind = self.rng.choice(tuple(TextKind))
        return kind, self._text(played, number, kind)


def _differ(one: PlayedStep, step: PlayedStep) -> bool:
    if one.action in wordings.ENDS:
        return False
    same = (one.action, one.label, one.typed, one.direction) == (step.action, step.label, step.typed, step.direction)
    return not same and (one.label != step.label or one.action != step.action)


def _apart(one: str, other: str) -> bool:
    """Whether two labels share no word, so that no text can name both."""
    words = [set(re.findall(r"\w+", label.casefold())) for label in (one, other)]
    return bool(words[0]) and words[0].isdisjoint(words[1])


def _is_new(played: PlayedEpisode, number: int, step: PlayedStep) -> bool:
    """Whether a context that mentions `step` too early differs from a true one."""
    label = step.label or step.typed
    return bool(label) and all(label not in (one.label, one.typed) for one in played.steps[:number])


def is_caught(wrong_text: WrongText) -> bool:
    found = check_texts(wrong_text.played.evidence, {(wrong_text.number, wrong_text.kind): wrong_text.text})
    return any(one.verdict is Support.CONTRADICTS for one in found)


def clean_texts(
    episodes: Sequence[PlayedEpisode], wording: Wording, seed: int
) -> Iterator[tuple[PlayedEpisode, dict[tuple[int, TextKind], WrittenText]]]:
    for place, played in enumerate(episodes):
        rng = random.Random(f"{seed} {place}")
        yield (
            played,
            {
                (number, kind): WrittenText(wordings.text(played, number, kind, wording, rng))
                for number in range(len(played.steps))
                for kind in TextKind
            },
        )


def without_views(played: PlayedEpisode, rng: random.Random, share: float) -> PlayedEpisode:
    """Without the view hierarchies of some steps."""
    steps = tuple(
        replace(step, views=None, no_views="none was stored") if rng.random() < share else step
        for step in played.evidence.steps
    )
    return replace(played, evidence=replace(played.evidence, steps=steps))
