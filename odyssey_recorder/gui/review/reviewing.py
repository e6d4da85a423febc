"""What the Review page needs of the program; all calls but `reviewer` and `root` may block and run off the GUI
thread.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.quality.agreement.quality_report import QualityReport
from odyssey_recorder.quality.reviewing.review import ReplayEvidence
from odyssey_recorder.quality.reviewing.views import OpenedReview, ReviewNews, ReviewRow, VerdictDraft
from odyssey_recorder.replay.player import StepResult


class Following(Protocol):
    """A subscription to news."""

    def close(self) -> None:
        """Stop the news."""


class Reviewing(Protocol):
    """One dataset and one reviewer. All calls but the two properties raise OdysseyError."""

    @property
    def root(self) -> Path:
        """The dataset's folder."""

    @property
    def reviewer(self) -> str:
        """The reviewer's name."""

    def follow(self, take: Callable[[ReviewNews], object], warn: Callable[[str], object]) -> Following:
        """Call `take` from another thread with the state of every episode, then with each change."""

    def check_all(self, progress: Callable[[float | None, str], object], cancelled: Callable[[], bool]) -> None:
        """Check the episodes not checked yet; findings arrive as news."""

    def figures(self, progress: Callable[[float | None, str], object], cancelled: Callable[[], bool]) -> QualityReport:
        """The quality figures as of now, after running outstanding checks."""

    def open(self, episode_id: str) -> OpenedReview:
        """One episode with everything visible to the reviewer, freshly checked."""

    def submit(self, episode_id: str, verdict_draft: VerdictDraft) -> ReviewRow:
        """Store a verdict, apply its consequences, and return the new state.

        Raises ReviewError, and stores nothing, if it is not this reviewer's turn, the answers do not support the
        decision, or the episode has changed since it was opened.
        """

    def fix(self, episode_id: str, amendment: Amendment, why: str, revision: str) -> OpenedReview:
        """Amend the episode at `revision` and return the result.

        Raises ReviewError, also if it has changed since; DatasetError.
        """

    def undo(self, episode_id: str, revision: str) -> OpenedReview:
        """Undo the newest fix; otherwise like `fix`."""

    def devices(self) -> Sequence[ListedDevice]:
        """The devices that can replay the episode."""

    def replay(
        self, episode_id: str, serial: str, on_step: Callable[[StepResult], None], cancelled: Callable[[], bool]
    ) -> ReplayEvidence:
        """Replay the episode and store the evidence; calls `on_step` from another thread."""
