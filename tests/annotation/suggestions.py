"""Suggested texts for episodes of the simulated phone, some of them wrong."""

from collections.abc import Sequence
from pathlib import Path

from odyssey_recorder.annotation.inputs import texts_of
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import SemanticsFile, SemanticsStore, Suggestion
from odyssey_recorder.annotation.text_kinds import TextKind, fixed_text
from odyssey_recorder.model.action import in_words
from tests.annotation.phone_dataset import CapturedStep
from tests.annotation.texts import suggestion


def suggest(root: Path, captured: Sequence[CapturedStep], *, wrong_each: int = 0) -> list[Suggestion]:
    """Suggest all texts that need a model; the instruction of every `wrong_each`-th step names another element."""
    episode_id = captured[0].episode_id
    found = open_dataset_episode(root, episode_id)
    texts = texts_of(found, SemanticsFile(episode_id))
    entries = []
    for number, step in enumerate(found.episode.steps):
        is_wrong = wrong_each and number % wrong_each == 1
        name = "Recycle bin" if is_wrong else captured[number].name
        does = f"Tap “{name}”" if captured[number].name else in_words(step.action)
        words = {
            TextKind.INSTRUCTION: f"{does}.",
            TextKind.DESCRIPTION: f"This is a screenshot with {captured[number].name or 'several things'} on it.",
            TextKind.CONTEXT: "So far, the user has looked around on the phone.",
            TextKind.INTENTION: f"I am going on to {does.lower()} to see what is there.",
        }
        for kind in TextKind:
            if not fixed_text(texts.inputs[number].action, number, kind):
                entries.append(suggestion(found, number, kind, words[kind]))
    SemanticsStore(root).add(episode_id, entries)
    return entries
