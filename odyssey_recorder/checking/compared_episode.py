"""The facts of all episodes, for the checks of the whole dataset."""

import zlib
from collections import defaultdict
from collections.abc import Iterator
from hashlib import blake2b

from pydantic import TypeAdapter

from odyssey_recorder.checking.evidence import ComparedEpisode, EpisodeEvidence, ScreenFingerprint, StepEvidence
from odyssey_recorder.model.action import describe
from odyssey_recorder.model.plain_text import on_one_line

_LONGEST_ACTION = 80
_FACTS = TypeAdapter(ComparedEpisode)


def facts_of(evidence: EpisodeEvidence) -> ComparedEpisode:
    episode, task = evidence.episode, evidence.episode.task
    screenshots = [step.screenshot for step in evidence.steps]
    return ComparedEpisode(
        episode_id=episode.episode_id,
        category=task.category,
        device="" if episode.device is None else episode.device.device_name,
        annotator="" if evidence.provenance is None else evidence.provenance.origin.annotator,
        apps=task.apps,
        meta_task=task.meta_task,
        task=task.task,
        instruction=task.instruction,
        actions=tuple(_words(step) for step in evidence.steps),
        screenshots=tuple("" if screenshot is None else screenshot.sha256 for screenshot in screenshots),
        looks=tuple(
            None if screenshot is None or screenshot.problem else screenshot.look for screenshot in screenshots
        ),
        screens=tuple(map(_shown, evidence.steps)),
    )


def facts_as_json(facts: ComparedEpisode) -> str:
    return _FACTS.dump_json(facts).decode()


def facts_from_json(kept: str) -> ComparedEpisode:
    return _FACTS.validate_json(kept)


class ComparedEpisodes:
    """The facts of one run in memory, compressed to about a kilobyte per episode; a `FactsSource`."""

    def __init__(self) -> None:
        self._facts: defaultdict[str, list[bytes]] = defaultdict(list)

    def put(self, episode_id: str, facts: str) -> None:
        self._facts[episode_id].append(zlib.compress(facts.encode(), 1))

    def take(self, episode_id: str) -> ComparedEpisode | None:
        """Remove an episode and return its facts, or None."""
        stored = self._facts.pop(episode_id, None)
        return None if stored is None else _FACTS.validate_json(zlib.decompress(stored[0]))

    def __call__(self) -> Iterator[ComparedEpisode]:
        for episode_id in sorted(self._facts):
            for stored in self._facts[episode_id]:
                yield _FACTS.validate_json(zlib.decompress(stored))


def _shown(step: StepEvidence) -> ScreenFingerprint | None:
    if step.record is None or step.record.screen is None or not step.record.screen.package:
        return None
    words = ""
    if step.views is not None:
        labels = sorted(f"{view.text}\0{view.description}" for view in step.views)
        words = blake2b("\n".join(labels).encode(errors="replace"), digest_size=8).hexdigest()
    return ScreenFingerprint(step.record.frame.started_us, step.record.screen.package, words)


def _words(step: StepEvidence) -> str:
    action = step.spelled.action
    words = step.spelled.name if action is None else describe(action)
    return on_one_line(words)[:_LONGEST_ACTION]
