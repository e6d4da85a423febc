"""What the Review page needs of the program, as `ReviewService` has it.

All calls but `reviewer` and `root` raise OdysseyError, may block, and run off the GUI thread.
"""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Protocol

from odyssey_recorder.agreement.quality_report import QualityReport
from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.progress import Cancelled, Progress
from odyssey_recorder.replay.player import StepResult
from odyssey_recorder.review.review import ReplayEvidence
from odyssey_recorder.review.views import OpenedReview, ReviewNews, ReviewRow, VerdictDraft
from odyssey_recorder.services.admission import Reviews


class Following(Protocol):
    def close(self) -> None: ...


class Reviewing(Reviews, Protocol):
    @property
    def root(self) -> Path: ...

    @property
    def reviewer(self) -> str: ...

    def follow(self, take: Callable[[ReviewNews], object], warn: Callable[[str], object]) -> Following: ...

    def figures(self, progress: Progress, cancelled: Cancelled) -> QualityReport: ...

    def request(self, ids: Collection[str], why: str, progress: Progress, cancelled: Cancelled) -> Sequence[str]: ...

    def withdraw(self, ids: Collection[str], why: str) -> Sequence[str]: ...

    def open(self, episode_id: str) -> OpenedReview: ...

    def submit(self, episode_id: str, verdict_draft: VerdictDraft) -> ReviewRow: ...

    def fix(self, episode_id: str, amendment: Amendment, why: str, revision: str) -> OpenedReview: ...

    def undo(self, episode_id: str, revision: str) -> OpenedReview: ...

    def devices(self) -> Sequence[ListedDevice]: ...

    def replay(
        self, episode_id: str, serial: str, on_step: Callable[[StepResult], None], cancelled: Cancelled
    ) -> ReplayEvidence: ...
