"""A dataset whose episodes are reviewed by the real service; the tests say what the checks find."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.dataset.codec import read_episode, write_episode
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.model.finding import Criterion, EpisodeReport, Finding, Severity
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.services.review import ReviewService
from tests.dataset.published_episode import recorded


@dataclass
class FakeChecks:
    found: dict[str, Severity] = field(default_factory=dict)

    def __call__(self, evidence: EpisodeEvidence) -> EpisodeReport:
        episode_id = evidence.episode.episode_id
        severity = self.found.get(episode_id)
        if severity is None:
            return EpisodeReport(episode_id)
        finding = Finding("IMG07", severity, Criterion.SCREENSHOTS, episode_id, 1, "Nothing changed.", "Look at it.")
        return EpisodeReport(episode_id, (finding,))


@dataclass
class ReviewDataset:
    root: Path
    checks: FakeChecks

    def service(self, reviewer: str) -> ReviewService:
        service = self.new_service(reviewer)
        service.check_all()
        return service

    def new_service(self, reviewer: str) -> ReviewService:
        cache = self.root.parent / "checks.sqlite"
        return ReviewService(EpisodeIndex(self.root, None), Checker(cache, 1, judge=self.checks), lambda: reviewer)

    def record(self) -> str:
        episode_id = recorded(self.root.parent).episode_id
        text = f"Write {episode_id} down."
        self.change_task(episode_id, task=text, instruction=f"{text} {'Go on. ' * int(episode_id[-1])}")
        return episode_id

    def change_task(self, episode_id: str, **changes: Any) -> None:
        """Without the service, as another program might."""
        episode = read_episode(self.annotation(episode_id))
        write_episode(self.annotation(episode_id), replace(episode, task=replace(episode.task, **changes)))

    @property
    def reviews(self) -> ReviewStore:
        return ReviewStore(self.root)

    def annotation(self, episode_id: str) -> Path:
        return self.root / "annotations" / f"{episode_id}.json"
