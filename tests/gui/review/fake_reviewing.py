"""A dataset under review: real files and review rules, verdicts kept in memory."""

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from odyssey_recorder.agreement.quality_report import QualityReport, quality_report
from odyssey_recorder.agreement.reviewed import AllReviewed, Reviewed
from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.episode_row import EpisodeRow
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import open_episode
from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.errors import OdysseyError, ReviewError
from odyssey_recorder.model.action import Action, Click, Complete, Type
from odyssey_recorder.model.episode import screenshot_name
from odyssey_recorder.model.finding import Criterion, EpisodeReport, Finding, Severity
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.replay.player import StepResult
from odyssey_recorder.review.review import Decision, Judgement, ReplayEvidence, Verdict
from odyssey_recorder.review.status import (
    ReviewerRole,
    ReviewStage,
    SecondReviewReason,
    decision_fault,
    reviewer_role,
    verdict_status,
)
from odyssey_recorder.review.views import OpenedReview, ReviewNews, ReviewRow, VerdictDraft
from odyssey_recorder.services.review import ReviewService
from odyssey_recorder.services.reviewed_dataset import ReviewSubscription
from tests.checking.verdicts import judgements, verdict
from tests.dataset.drafts import png
from tests.episodes import episode

BEGAN = datetime(2026, 3, 1, 9, tzinfo=UTC)
ACTIONS: tuple[Action, ...] = (Click(Point(500, 300)), Type("milk"), Complete("done"))
Answers = tuple[Judgement, Judgement, Judgement]
PASSED: Answers = judgements("ppp")


class FakeReviewing(ReviewService):
    """Episodes for the tests of the Review page; the reviewer's verdicts are kept in `submitted`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._rows: dict[str, EpisodeRow] = {}
        self._reports: dict[str, EpisodeReport] = {}
        self._verdicts: dict[str, list[Verdict]] = {}
        self._second_reviews: dict[str, SecondReviewReason] = {}
        self._followers: list[ReviewSubscription] = []
        self.submitted: list[tuple[str, VerdictDraft]] = []
        self.opened: list[str] = []
        self.failure: OdysseyError | None = None  # raised by the next submission or figures
        self.checks: list[tuple[str, Severity, int | None]] = []  # what the checks find when they run
        self.reports_removal_first = False  # a rejected episode is reported as gone before its submission is answered
        self.may_check = threading.Event()  # the checks wait for it
        self.may_check.set()
        for name in ("annotations", "screenshots"):
            (root / name).mkdir(parents=True)

    def record(
        self,
        instruction: str,
        *actions: Action,
        category: str = "General_Tool",
        device: str = "Small Phone",
        annotator: str = "Ada",
        checked: bool = True,
    ) -> str:
        """Add the newest episode and return its id."""
        number = len(self._rows) + 1
        recorded = episode(*(actions or ACTIONS), episode_id=f"{10**15 + number}")
        task = replace(recorded.task, instruction=instruction, category=category)
        recorded = replace(recorded, task=task, device=replace(recorded.device, device_name=device))
        write_episode(self._annotation(recorded.episode_id), recorded)
        for step in range(len(recorded.steps)):
            screenshot = png(40 + 30 * step)
            (self.root / "screenshots" / screenshot_name(recorded.episode_id, step)).write_bytes(screenshot)
        self._rows[recorded.episode_id] = EpisodeRow(
            recorded.episode_id, instruction, category, device, len(recorded.steps), annotator,
            BEGAN + timedelta(hours=number), template=task.meta_task, task_id=f"task-{number}",
        )  # fmt: skip
        if checked:
            self.find(recorded.episode_id)
        return recorded.episode_id

    def find(self, episode_id: str, *found: tuple[str, Severity, int | None]) -> None:
        findings = tuple(
            Finding(check, severity, Criterion.SCREENSHOTS, episode_id, step, f"{check} found it.", "Look at it.")
            for check, severity, step in found
        )
        self._reports[episode_id] = EpisodeReport(episode_id, findings)

    def add_to_sample(self, episode_id: str) -> None:
        self._second_reviews[episode_id] = SecondReviewReason.SAMPLE

    def add_verdict(self, episode_id: str, by: str, decision: Decision, answers: Answers = PASSED) -> None:
        earlier = self._verdicts.setdefault(episode_id, [])
        given = verdict(by, "ppp", decision, minute=len(earlier), revision=self.revision(episode_id))
        earlier.append(given.model_copy(update={"judgements": answers}))

    def change_instruction(self, episode_id: str, instruction: str) -> None:
        path = self._annotation(episode_id)
        path.write_text(path.read_text().replace(self._rows[episode_id].instruction, instruction))
        self._rows[episode_id] = replace(self._rows[episode_id], instruction=instruction)

    def remove(self, episode_id: str) -> None:
        self._annotation(episode_id).unlink()
        del self._rows[episode_id]
        self.publish(ReviewNews(gone=frozenset({episode_id})))

    def publish(self, news: ReviewNews) -> None:
        for follower in self._followers:
            follower.send(lambda: news)

    def publish_rows(self, *episode_ids: str) -> None:
        self.publish(ReviewNews(read=tuple(map(self.row, episode_ids))))

    def row(self, episode_id: str) -> ReviewRow:
        now = verdict_status(
            self._verdicts.get(episode_id, ()), {self.revision(episode_id)}, self._second_reviews.get(episode_id),
            recorder=self._rows[episode_id].annotator,
        )  # fmt: skip
        role = reviewer_role(now, recorder=self._rows[episode_id].annotator, reviewer=self.reviewer)
        return ReviewRow(
            self._rows[episode_id], now.stage, now.twice,
            role=role if isinstance(role, ReviewerRole) else None,
            refusal="" if isinstance(role, ReviewerRole) else role,
            report=self._reports.get(episode_id),
            is_settled=episode_id in self._reports,
        )  # fmt: skip

    def revision(self, episode_id: str) -> str:
        return sha256(self._annotation(episode_id).read_bytes()).hexdigest()

    @property
    def reviewer(self) -> str:
        return "Rosa"

    @property
    def ids(self) -> list[str]:
        return list(self._rows)

    def follow(self, on_news: Callable[[ReviewNews], object], warn: Callable[[str], object]) -> ReviewSubscription:
        self._followers.append(ReviewSubscription(on_news))
        on_news(ReviewNews(read=tuple(map(self.row, self._rows))))
        return self._followers[-1]

    def check_all(self, progress: Progress = untold, cancelled: Cancelled = never) -> list[EpisodeReport]:
        waiting = [one for one in self._rows if one not in self._reports]
        for number, episode_id in enumerate(waiting):
            progress(number / len(waiting), f"{number} of {len(waiting)} episodes")
            while not self.may_check.wait(0.01):
                if cancelled():
                    raise ReviewError("The checks were stopped.")
            self.find(episode_id, *self.checks)
            self.publish_rows(episode_id)
        return list(self._reports.values())

    def request(
        self, ids: Collection[str], why: str, progress: Progress = untold, cancelled: Cancelled = never
    ) -> list[str]:
        raise ReviewError("The fake sends no episodes to review.")

    def withdraw(self, ids: Collection[str], why: str) -> list[str]:
        raise ReviewError("The fake sends no episodes to review.")

    def recover(self) -> None:
        """No fix is interrupted."""

    def stage(self, episode_id: str) -> ReviewStage:
        return self.row(episode_id).stage

    def figures(self, progress: Progress = untold, cancelled: Cancelled = never) -> QualityReport:
        self._fail()
        subject = verdict(self.reviewer).subject
        reviewed = (
            Reviewed(one, subject, self.row(one).stage, tuple(self._verdicts.get(one, ()))) for one in self._rows
        )
        return quality_report(AllReviewed(tuple(reviewed)))

    def open(self, episode_id: str) -> OpenedReview:
        self.opened.append(episode_id)
        row = self.row(episode_id)
        shown = self._verdicts.get(episode_id, []) if row.role is not ReviewerRole.SECOND else []
        report = self._reports.get(episode_id, EpisodeReport(episode_id))
        opened = open_episode(self._annotation(episode_id))
        return OpenedReview(row, opened, report, tuple(shown), self.revision(episode_id))

    def submit(self, episode_id: str, draft: VerdictDraft) -> ReviewRow:
        self._fail()
        if draft.revision != self.revision(episode_id):
            raise ReviewError("The episode has changed since you opened it. Review it again.")
        refusal = decision_fault(draft.decision, draft.judgements)
        if refusal:
            raise ReviewError(refusal)
        if draft.decision.accepts and self._reports[episode_id].has_errors:
            raise ReviewError("The checks found an error that is open. Fix it, or decide otherwise.")
        self.submitted.append((episode_id, draft))
        self.add_verdict(episode_id, self.reviewer, draft.decision, draft.judgements)
        row = self.row(episode_id)
        if self.reports_removal_first and draft.decision is Decision.REJECT:
            self.remove(episode_id)
        return row

    def fix(self, episode_id: str, amendment: Amendment, why: str, revision: str) -> OpenedReview:
        raise ReviewError("The fake cannot fix episodes.")

    def undo(self, episode_id: str, revision: str) -> OpenedReview:
        raise ReviewError("The fake cannot fix episodes.")

    def devices(self) -> Sequence[ListedDevice]:
        return ()

    def replay(
        self, episode_id: str, serial: str, on_step: Callable[[StepResult], object], cancelled: Cancelled
    ) -> ReplayEvidence:
        raise ReviewError("The fake has no device.")

    def _fail(self) -> None:
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure

    def _annotation(self, episode_id: str) -> Path:
        return self.root / annotation_path(episode_id)
