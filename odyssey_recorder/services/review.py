"""Judging episodes: verdicts, fixes and replays."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from odyssey_recorder.checking.whole_dataset.dataset_checks import CheckStatus
from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.dataset.episode_row import EpisodeRow, read_row
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import open_damaged
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.errors import CancelledError, DatasetError, DeviceError, ReviewError
from odyssey_recorder.model.finding import EpisodeReport
from odyssey_recorder.model.geometry import GRID, Size
from odyssey_recorder.model.plain_text import counted, step_number
from odyssey_recorder.review import status as statuses
from odyssey_recorder.review.controls import as_control, defect_text, revision_shown
from odyssey_recorder.review.review import Control, Decision, Judgement, ReplayEvidence, ReviewFile
from odyssey_recorder.review.views import AlsoRight, OpenedReview, ReviewRow, VerdictDraft, blind
from odyssey_recorder.services.reviewed_dataset import ReviewedDataset

if TYPE_CHECKING:
    from odyssey_recorder.checking.checker import Checker
    from odyssey_recorder.device.connector import DeviceConnector
    from odyssey_recorder.replay.player import StepResult

_WARNED_BEFORE = "It needed a second review before it was fixed"
"""A fix may remove the warnings that asked for it."""


class ReviewService(ReviewedDataset):
    """One dataset and one reviewer; calls are safe from any thread and raise DatasetError or ReviewError.

    Without a `connector` there are no devices to replay on.
    """

    def __init__(
        self,
        index: EpisodeIndex,
        checker: "Checker",
        who: Callable[[], str],
        connector: "DeviceConnector | None" = None,
    ) -> None:
        super().__init__(index, checker, who)
        self._connector = connector

    def open(self, episode_id: str) -> OpenedReview:
        self.recover()
        # Read first: what is shown may be newer than this revision, but never older.
        revision = self._versions.revision(episode_id)
        opened = open_damaged(self.root / annotation_path(episode_id))
        checks = self._checks.look(episode_id)
        row, control = self._row(self._episode(episode_id), checks)
        entries = self._reviews.read(episode_id).entries
        if row.role is statuses.ReviewerRole.SECOND:
            entries = blind(entries, self.reviewer)
        report = checks.report or EpisodeReport(episode_id)
        review = OpenedReview(row, opened, report, entries, revision, _texts(self.root, episode_id))
        return review if control is None else as_control(review, control, self.reviewer)

    def submit(self, episode_id: str, draft: VerdictDraft) -> ReviewRow:
        """Record a verdict, apply its consequences, and return the episode's new row.

        Raises ReviewError if it is not this reviewer's turn, the answers do not support the decision, or the episode
        changed.
        """
        episode, file, checks, control = self._expect_turn(episode_id)
        revision = self._versions.revision(episode_id)
        is_altered = control is not None and draft.revision != revision
        if draft.revision != (revision_shown(control, revision) if control and is_altered else revision):
            raise ReviewError(f"Episode {episode_id} has changed since you opened it. Review it again.")
        report = checks.report or EpisodeReport(episode_id)
        decision = statuses.checked_decision(
            draft.decision,
            draft.judgements,
            worst_error=report.worst if report.has_errors else None,
            has_fixed=any(statuses.same_person(fix.by, self.reviewer) for fix in statuses.effective_fixes(file.fixes)),
        )
        self._log.verdict(episode, report, draft, decision, "" if control is None else control.id)
        row, _ = self._row(episode, checks)
        if control is not None:
            self._notify([episode_id])
            is_good = row.stage is statuses.ReviewStage.ACCEPTED and not is_altered
            return replace(row, is_hit=decision.accepts is is_good, defect=defect_text(control) if is_altered else "")
        self._settle(episode, checks)
        self._notify([episode_id])
        return row

    def judge(
        self, episode_id: str, decision: Decision, judgements: tuple[Judgement, Judgement, Judgement], note: str = ""
    ) -> ReviewRow:
        """Submit the verdict of a reviewer who looked at the present files elsewhere, for an unknown time.

        Checks the dataset first, unless that is done, so that the outcome is known. Raises ReviewError as `submit`,
        and for a step that the episode does not have.
        """
        self.recover()
        if not self._checks.look(episode_id).is_settled:
            self.check_all()
        revision = self._versions.revision(episode_id)
        steps = len(open_damaged(self.root / annotation_path(episode_id)).episode.steps)
        for judgement in judgements:
            if judgement.step is not None and judgement.step >= steps:
                raise ReviewError(
                    f"There is no step {step_number(judgement.step)}: the episode has {counted(steps, 'step')}."
                )
        return self.submit(episode_id, VerdictDraft(decision, judgements, note, revision, seconds=0.0))

    def reopen(self, episode_id: str, why: str = "") -> OpenedReview:
        """Take back the newest verdict: the reviewer's own, or with a reason that of a finished review.

        The verdict stays on record; a rejected episode comes back from the trash. Raises ReviewError, DatasetError.
        """
        self.recover()
        in_trash = not (self.root / annotation_path(episode_id)).exists()
        episode = self._trashed(episode_id) if in_trash else self._episode(episode_id)
        file = self._reviews.read_complete(episode_id)
        if in_trash:
            status = statuses.review_status(
                file, statuses.TRASH_RULE, recorder=episode.annotator, revision=lambda: episode.revision
            )
        else:
            status = self._status(episode, file, self._checks.look(episode_id))
        verdict = statuses.reopened_verdict(status, recorder=episode.annotator, reviewer=self.reviewer)
        if isinstance(verdict, str):
            raise ReviewError(verdict)
        if not why.strip() and not statuses.same_person(verdict.by, self.reviewer):
            raise ReviewError(f"Give a reason. The verdict that you take back is by {verdict.by}.")
        self._log.reopen(episode_id, verdict, why, from_trash=in_trash)
        self._notify([episode_id])
        return self.open(episode_id)

    def fix(self, episode_id: str, amendment: Amendment, why: str, revision: str) -> OpenedReview:
        """Raises ReviewError also if the episode no longer has `revision`."""
        _, file, checks, control = self._expect_turn(episode_id)
        if control is not None:
            raise ReviewError("This episode cannot be fixed now. Judge it as it is.")
        is_due = checks.warned is not False and not file.requests
        self._log.fix(episode_id, amendment, why, revision, second_because=_WARNED_BEFORE if is_due else "")
        self._notify([episode_id])
        return self.open(episode_id)

    def reply(self, episode_id: str, words: str) -> OpenedReview:
        """Say something to the annotator of an episode that was sent back."""
        self._log.reply(episode_id, words)
        self._notify([episode_id])
        return self.open(episode_id)

    def accept_also(self, episode_id: str, wanted: AlsoRight, why: str) -> OpenedReview:
        """Raises ReviewError also if nothing changes."""
        if not accept_alternatives(self.root, self.reviewer, episode_id, wanted, why):
            nothing = "was accepted" if wanted.answer is None else "new was given"
            raise ReviewError(f"Nothing {nothing} at step {step_number(wanted.step)}.")
        return self.open(episode_id)

    def undo(self, episode_id: str, revision: str) -> OpenedReview:
        """Revert the newest effective fix."""
        if self._expect_turn(episode_id)[3] is not None:
            raise ReviewError("This episode cannot be fixed now. Judge it as it is.")
        self._log.undo(episode_id, revision)
        self._notify([episode_id])
        return self.open(episode_id)

    # Replay.

    def devices(self) -> Sequence[ListedDevice]:
        """Raises DeviceError."""
        return [] if self._connector is None else self._connector.devices()

    def replay(
        self, episode_id: str, serial: str, on_step: Callable[["StepResult"], object], cancelled: Callable[[], bool]
    ) -> ReplayEvidence:
        """Calls `on_step` from this thread. Raises DeviceError, ReplayError, CancelledError."""
        from odyssey_recorder.replay.replay import replay_episode

        def on_result(result: "StepResult") -> None:
            on_step(result)
            if cancelled():
                raise CancelledError(
                    f"The replay was stopped at step {step_number(result.number)}. Its results were discarded."
                )

        if self._connector is None:
            raise DeviceError("No device can be reached from here. Open the window with: odyssey-recorder review")
        self.recover()
        revision = self._versions.revision(episode_id)
        with closing(self._connector.connect(serial)) as device:
            result = replay_episode(self.root / annotation_path(episode_id), device, on_step=on_result)
        return self._log.replay(
            episode_id,
            revision=revision,
            serial=serial,
            outcome=result.outcome,
            steps=[step.comparison.verdict.value for step in result.steps],
            problem=result.problem,
        )

    # Whose turn it is.

    def _trashed(self, episode_id: str) -> EpisodeRow:
        for trashed in Trash(self.root).episodes():
            if trashed.episode_id == episode_id and (row := read_row(trashed.folder, episode_id)) is not None:
                return row
        raise DatasetError(f"There is no episode {episode_id} in {self.root}, nor in its trash.")

    def _expect_turn(self, episode_id: str) -> tuple[EpisodeRow, ReviewFile, CheckStatus, Control | None]:
        """With the control that the episode is for the reviewer, if it is one.

        Raises ReviewError if the reviewer may not judge the episode now.
        """
        self.recover()
        episode = self._episode(episode_id)
        self._expect_sample()
        file, checks = self._reviews.read(episode_id), self._checks.look(episode_id)
        status = self._status(episode, file, checks)
        persons = {"recorder": episode.annotator, "reviewer": self.reviewer}
        if control := self._log.controls.known().for_reviewer(file, status, **persons):
            return episode, file, checks, control
        role = statuses.reviewer_role(status, **persons)
        if isinstance(role, str):
            raise ReviewError(role)
        return episode, file, checks, None


def accept_alternatives(root: Path, who: str, episode_id: str, wanted: AlsoRight, why: str = "") -> int:
    """Accept other actions at a step, or withdraw them; returns how many. Raises DatasetError, ReviewError."""
    from odyssey_recorder.agents.adapter import adapter_named
    from odyssey_recorder.annotation.alternatives import accept_alternative, rejected_at, withdraw_alternatives

    step, answer = wanted.step, wanted.answer
    if answer is None:
        return withdraw_alternatives(root, episode_id, step, who)
    reading = adapter_named("odyssey-agent").read(answer, Size(GRID, GRID), Size(GRID, GRID))
    if answer and reading.action is None:
        raise ReviewError(f"{answer!r} is not an action ({reading.problem}). Write one such as CLICK: (432, 118).")
    actions = rejected_at(root, episode_id, step) if reading.action is None else [reading.action]
    if not actions:
        raise ReviewError(f"No person corrected an agent at step {step_number(step)} of {episode_id}.")
    return sum(accept_alternative(root, episode_id, step, action, who, why) for action in actions)


def _texts(root: Path, episode_id: str) -> tuple[str, ...]:
    from odyssey_recorder.annotation.listing import step_lines

    try:
        return step_lines(root, episode_id)
    except (DatasetError, ReviewError) as error:
        return (f"The texts cannot be read: {error}",)
