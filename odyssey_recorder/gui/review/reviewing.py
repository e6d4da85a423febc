"""What the Review page asks of the program; every call but `reviewer` and `root` may block and is made off the GUI
thread."""

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
    """News that come until it is closed."""

    def close(self) -> None:
        """Tell nothing more."""


class Reviewing(Protocol):
    """One dataset, and one reviewer. All calls but the two properties raise OdysseyError."""

    @property
    def root(self) -> Path:
        """Where the dataset is."""

    @property
    def reviewer(self) -> str:
        """Who judges."""

    def follow(self, take: Callable[[ReviewNews], object], warn: Callable[[str], object]) -> Following:
        """Begin to tell, from another thread, of every episode there is, how it stands, and what becomes of it."""

    def check_all(self, progress: Callable[[float | None, str], object], cancelled: Callable[[], bool]) -> None:
        """Run the checks over what they have not looked at yet; what they find comes as news."""

    def figures(self, progress: Callable[[float | None, str], object], cancelled: Callable[[], bool]) -> QualityReport:
        """How far the dataset is, how far its reviewers agree, and what that proves, as it is now; all is checked
        before."""

    def open(self, episode_id: str) -> OpenedReview:
        """One episode with all that the reviewer may see, checked now."""

    def submit(self, episode_id: str, verdict_draft: VerdictDraft) -> ReviewRow:
        """Keep a verdict and do what follows from it: how the episode is then.

        Raises ReviewError, and keeps nothing, where it is not this reviewer's turn, where the answers do not bear the
        decision, or where the episode was changed since it was opened.
        """

    def fix(self, episode_id: str, amendment: Amendment, why: str, revision: str) -> OpenedReview:
        """Amend the episode as it was at `revision`; what it is then.

        Raises ReviewError, also where it was changed since; DatasetError.
        """

    def undo(self, episode_id: str, revision: str) -> OpenedReview:
        """Take the newest fix back that was not taken back yet; otherwise as `fix`."""

    def devices(self) -> Sequence[ListedDevice]:
        """The devices that the episode may be replayed on."""

    def replay(
        self, episode_id: str, serial: str, on_step: Callable[[StepResult], None], cancelled: Callable[[], bool]
    ) -> ReplayEvidence:
        """Replay the episode on a device and keep how it went; `on_step` is called from another thread."""
