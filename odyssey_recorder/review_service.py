"""Where a reviewer works: episodes with what the checks say of them, the verdicts, fixes and replays of one dataset."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.dataset.journal import Change
from odyssey_recorder.dataset.published import PublishedEpisodes
from odyssey_recorder.dataset.summaries import EpisodeSummary, summarise
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.dataset.watch import PROOFS
from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.errors import CancelledError, DatasetError, DeviceError, ReviewError
from odyssey_recorder.quality.agreement.quality_report import QualityReport, quality_report
from odyssey_recorder.quality.agreement.reviewed import AllReviewed, read_reviewed
from odyssey_recorder.quality.dataset_wide.dataset_checks import CheckStatus, DatasetChecks
from odyssey_recorder.quality.finding import EpisodeReport
from odyssey_recorder.quality.reviewing.following import ReviewFollowing, Sample
from odyssey_recorder.quality.reviewing.review import (
    Decision,
    Fix,
    Move,
    ReplayEvidence,
    Subject,
    Verdict,
)
from odyssey_recorder.quality.reviewing.review_file import ReviewFile
from odyssey_recorder.quality.reviewing.review_store import REVIEWS, ReviewStore
from odyssey_recorder.quality.reviewing.status import (
    ReviewerRole,
    ReviewStage,
    ReviewStatus,
    bears,
    revisions_to,
    same_person,
    standing_fixes,
    standing_so_far,
    turn,
    why_refused,
)
from odyssey_recorder.quality.reviewing.views import OpenedReview, ReviewNews, ReviewRow, VerdictDraft, blind

if TYPE_CHECKING:
    from odyssey_recorder.connector import DeviceConnector
    from odyssey_recorder.quality.checker import Checker
    from odyssey_recorder.replay.player import StepResult

_TOLD_AT_ONCE = 100
"""So many new reports are told together: a list that is shown takes a moment for each news."""


class ReviewService:
    """One dataset and one reviewer. Every call may come from any thread.

    `who` is asked for the reviewer's name; without a `reach` there are no devices to replay on.
    """

    def __init__(
        self, root: Path, checker: "Checker", who: Callable[[], str], connector: "DeviceConnector | None" = None
    ) -> None:
        self._root = root.absolute()
        self._checks = DatasetChecks(root, checker, self._tell)
        self._who = who
        self._connector = connector
        self._published = PublishedEpisodes(root, beside=(*PROOFS, REVIEWS))
        self._reviews = ReviewStore(root)
        self._versions = Versions(root, self._is_recorded)
        self._trash = Trash(root, self._is_recorded)
        self._sample = Sample(self._reviews.policy, self._read_all, self._read_trash)
        self._trashed: dict[Path, EpisodeSummary] = {}
        self._followings: list[ReviewFollowing] = []

    @property
    def root(self) -> Path:
        """Where the dataset is."""
        return self._root

    @property
    def reviewer(self) -> str:
        """Who judges."""
        return self._who()

    # The list.

    def follow(self, take: Callable[[ReviewNews], object], warn: Callable[[str], object]) -> "ReviewFollowing":
        """Begin to tell `take`, from another thread, of every episode there is, how it stands, and what becomes of it.

        `warn` is called with words for the reviewer where the system cannot give notice of changes.
        """
        following = ReviewFollowing(self._sample, self._settled_row, take)
        self._followings = [one for one in self._followings if not one.is_closed] + [following]
        following.begin(self._published, warn)
        return following

    def check_all(
        self,
        progress: Callable[[float | None, str], object] = lambda _share, _words: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Run the checks over each episode, where they have not yet, and over the dataset; what is found comes as news.

        Raises DatasetError, CancelledError.
        """
        news: list[str] = []

        def take(done: int, count: int, new: str) -> None:
            news.extend(filter(None, [new]))
            progress(done / count, f"{done:,} of {count:,} episodes")
            if done == count:
                progress(None, "The dataset as a whole")
            if len(news) == _TOLD_AT_ONCE:
                self._tell(news)
                news.clear()

        self._checks.run(take, cancelled)

    def figures(
        self,
        progress: Callable[[float | None, str], object] = lambda _share, _words: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> QualityReport:
        """How far the dataset is, how far its reviewers agree, and what that proves, as the files say now.

        What the checks have not looked at is checked before: figures do not change later. Where there is no dataset
        yet, all figures are 0. Raises DatasetError, ReviewError, CancelledError.
        """
        if not (self._root / "annotations").is_dir():
            return quality_report(AllReviewed(()))
        self.check_all(progress, cancelled)
        return quality_report(read_reviewed(self._root, self._checks.warned))

    # One episode.

    def recover(self) -> None:
        """Finish or take back a fix that was cut short, as its record says. Raises DatasetError."""
        self._versions.recover()

    def stage(self, episode_id: str) -> ReviewStage:
        """How far the review of an episode is; CHECKING before `check_all`. Raises DatasetError, ReviewError."""
        return self._standing(*self._look(episode_id)).stage

    def open(self, episode_id: str) -> OpenedReview:
        """One episode with all that the reviewer may see, checked now. Raises DatasetError, ReviewError."""
        self.recover()
        revision = self._versions.revision(episode_id)  # read first: what is shown may be newer, and never older
        opened = self._published.open_damaged(episode_id)
        looked = self._checks.look(episode_id)
        row = self._row(self._summary(episode_id), looked)
        entries = self._reviews.read(episode_id).entries
        if row.role is ReviewerRole.SECOND:
            entries = blind(entries, self.reviewer)
        return OpenedReview(row, opened, looked.report or EpisodeReport(episode_id), entries, revision)

    def submit(self, episode_id: str, verdict_draft: VerdictDraft) -> ReviewRow:
        """Keep a verdict and do what follows from it: how the episode stands then.

        Raises ReviewError, and keeps nothing, where it is not this reviewer's turn, where the answers do not bear the
        decision, or where the episode was changed since it was opened. Raises DatasetError.
        """
        self.recover()
        summary, file, looked = self._look(episode_id)
        self._expect_turn(summary, file, looked)
        if self._versions.revision(episode_id) != verdict_draft.revision:
            raise ReviewError(f"Episode {episode_id} was changed since you opened it: look at it again.")
        report = looked.report or EpisodeReport(episode_id)
        decision = self._borne(verdict_draft, file, report)
        self._reviews.append(
            episode_id,
            Verdict(
                **self._signed(),
                decision=decision,
                judgements=verdict_draft.judgements,
                note=verdict_draft.note,
                revision=verdict_draft.revision,
                seconds=verdict_draft.seconds,
                findings=tuple(finding.name for finding in report.findings),
                subject=_subject(summary),
                replay=verdict_draft.replay,
            ),
        )
        row = self._row(summary, looked)
        self._settle(summary, looked)
        self._tell([episode_id])
        return row

    def restore(self, episode_id: str, why: str) -> None:
        """Bring a rejected episode back from the trash; it is to be judged anew. Raises DatasetError, ReviewError."""
        self._trash.restore(episode_id, record=partial(self._record_move, "dataset", why))

    def fix(self, episode_id: str, amendment: Amendment, why: str, revision: str) -> OpenedReview:
        """Amend the episode as it was at `revision`, the old version being kept; what it is then.

        Raises ReviewError, also where it was changed since; DatasetError.
        """
        with self._amending(episode_id):
            self._versions.amend(
                episode_id,
                amendment,
                expected=revision,
                record=partial(self._record_fix, amendment=amendment, why=why),
            )
        return self.open(episode_id)

    def undo(self, episode_id: str, revision: str) -> OpenedReview:
        """Take the newest fix back that was not taken back yet; otherwise as `fix`."""
        with self._amending(episode_id):
            newest = _newest_fix(self._reviews.read(episode_id).fixes)
            self._versions.restore(
                episode_id,
                newest.version,
                expected=revision,
                record=partial(self._record_fix, amendment=None, why="taken back", undoes=newest.id),
            )
        return self.open(episode_id)

    # Replay.

    def devices(self) -> Sequence[ListedDevice]:
        """The devices that an episode may be replayed on. Raises DeviceError."""
        return [] if self._connector is None else self._connector.server.devices()

    def replay(
        self,
        episode_id: str,
        serial: str,
        on_step: Callable[["StepResult"], object],
        cancelled: Callable[[], bool],
    ) -> ReplayEvidence:
        """Replay the episode on a device and keep how it went; `on_step` is called from this thread.

        Raises DeviceError, ReplayError, DatasetError, CancelledError.
        """
        from odyssey_recorder.replay.replay import ReplayOptions, replay_episode

        def look(result: "StepResult") -> None:
            on_step(result)
            if cancelled():
                raise CancelledError(f"The replay was stopped at step {result.number}; nothing was kept of it.")

        if self._connector is None:
            raise DeviceError("No device can be reached from here: open the window with odyssey-recorder review.")
        self.recover()
        revision = self._versions.revision(episode_id)
        device = self._connector.connect(serial)
        try:
            result = replay_episode(self._annotation(episode_id), device, ReplayOptions(on_step=look))
        finally:
            device.close()
        evidence = ReplayEvidence.model_validate(
            {
                **self._signed(),
                "revision": revision,
                "serial": serial,
                "outcome": result.outcome,
                "steps": [step.comparison.verdict.value for step in result.steps],
                "problem": result.problem,
            }
        )
        self._reviews.append(episode_id, evidence)
        return evidence

    # What is known.

    def _annotation(self, episode_id: str) -> Path:
        return self._root / "annotations" / f"{episode_id}.json"

    def _ids(self) -> list[str]:
        return sorted(path.stem for path in (self._root / "annotations").glob("*.json"))

    def _read_all(self) -> Iterator[EpisodeSummary]:
        found = (summarise(self._root, episode_id) for episode_id in self._ids())
        return (one for one in found if one is not None)

    def _read_trash(self) -> Iterator[EpisodeSummary]:
        """The episodes in the trash, each read once."""
        for one in self._trash.episodes():
            if one.folder not in self._trashed and (summary := summarise(one.folder, one.episode_id)) is not None:
                self._trashed[one.folder] = summary
            if one.folder in self._trashed:
                yield self._trashed[one.folder]

    def _summary(self, episode_id: str) -> EpisodeSummary:
        summary = summarise(self._root, episode_id)
        if summary is None:
            raise DatasetError(f"There is no episode {episode_id} in {self._root} any more.")
        return summary

    def _look(self, episode_id: str) -> tuple[EpisodeSummary, ReviewFile, CheckStatus]:
        """All that a verdict depends on, as it is now."""
        self._sample.complete()
        return self._summary(episode_id), self._reviews.read(episode_id), self._checks.look(episode_id)

    def _row(self, summary: EpisodeSummary, looked: CheckStatus | None = None) -> ReviewRow:
        looked = looked or self._checks.known(summary.episode_id)
        row = ReviewRow(summary, report=looked.report, is_settled=looked.is_settled)
        try:
            file = self._reviews.read(summary.episode_id)
            now = self._standing(summary, file, looked)
        except (ReviewError, DatasetError) as error:
            return replace(row, problem=str(error), refusal=str(error))
        row = replace(row, stage=now.stage, twice=now.twice)
        if file.problems:
            return replace(row, problem=file.problems[0], refusal=file.problems[0])
        whose = turn(now, recorder=summary.annotator, reviewer=self.reviewer)
        return replace(row, refusal=whose) if isinstance(whose, str) else replace(row, role=whose)

    def _standing(self, summary: EpisodeSummary, file: ReviewFile, looked: CheckStatus) -> ReviewStatus:
        revisions: Iterable[str] = ()
        if file.present_verdicts:
            revisions = revisions_to(self._versions.revision(summary.episode_id), file.fixes)
        return standing_so_far(
            file.present_verdicts,
            revisions,
            recorder=summary.annotator,
            warned=looked.warned,
            sampled=self._sample.is_sampled(summary.episode_id),
        )

    # What may be done.

    def _expect_turn(self, summary: EpisodeSummary, file: ReviewFile, looked: CheckStatus) -> None:
        """Raise ReviewError where the reviewer may not judge the episode now."""
        whose = turn(self._standing(summary, file, looked), recorder=summary.annotator, reviewer=self.reviewer)
        if isinstance(whose, str):
            raise ReviewError(whose)

    def _borne(self, verdict_draft: VerdictDraft, file: ReviewFile, report: EpisodeReport) -> Decision:
        """The decision as it is kept: who accepts what they have fixed accepts it so. Raises ReviewError."""
        unborne = bears(verdict_draft.decision, verdict_draft.judgements)
        if unborne:
            raise ReviewError(unborne)
        if not verdict_draft.decision.accepts:
            return verdict_draft.decision
        if report.has_errors:
            worst = report.worst
            raise ReviewError(f"With an error an episode is not accepted ({worst.name}): {worst.found} {worst.todo}")
        fixed = any(same_person(fix.by, self.reviewer) for fix in standing_fixes(file.fixes))
        if verdict_draft.decision is Decision.FIX_AND_ACCEPT and not fixed:
            raise ReviewError("You have fixed nothing in this episode: accept it, or fix it first.")
        return Decision.FIX_AND_ACCEPT if fixed else Decision.ACCEPT

    @contextmanager
    def _amending(self, episode_id: str) -> Iterator[None]:
        """A fix by the one whose turn it is. Others hear what came of it."""
        self.recover()
        self._expect_turn(*self._look(episode_id))
        yield
        self._tell([episode_id])

    def _settled_row(self, summary: EpisodeSummary) -> ReviewRow:
        """How an episode stands, once what follows from that is done: verdicts may have come by a merge, or by hand."""
        looked = self._checks.known(summary.episode_id)
        row = self._row(summary, looked)
        if row.stage in (ReviewStage.SENT_BACK, ReviewStage.REJECTED) and not row.problem:
            try:
                self._settle(summary, looked)
            except (ReviewError, DatasetError) as error:
                return replace(row, problem=str(error))
        return row

    def _settle(self, summary: EpisodeSummary, looked: CheckStatus) -> None:
        """Do what follows from a final decision, unless somebody did."""
        file = self._reviews.read(summary.episode_id)
        now = self._standing(summary, file, looked)
        if not now.stage.is_final or not now.verdicts:
            return
        last = now.verdicts[-1]
        done = {entry.to for entry in file.entries if isinstance(entry, Move) and entry.at >= last.at}
        if now.stage is ReviewStage.REJECTED and "trash" not in done:
            record = partial(self._record_move, "trash", why_refused(now), by=last.by)
            self._trash.move(summary.episode_id, record=record)
        elif now.stage is ReviewStage.SENT_BACK and "annotator" not in done:
            move = Move(**self._signed() | {"by": last.by}, to="annotator", why=why_refused(now))
            self._reviews.append(summary.episode_id, move)

    # What is kept.

    def _signed(self) -> dict[str, Any]:
        return {"id": secrets.token_hex(16), "at": datetime.now(UTC), "by": self.reviewer}

    def _is_recorded(self, change: Change) -> bool:
        return any(entry.id == change.id for entry in self._reviews.read(change.episode_id).entries)

    def _record_fix(self, change: Change, *, amendment: Amendment | None, why: str, undoes: str = "") -> None:
        fix = Fix(
            **self._signed() | {"id": change.id},
            amendment=amendment,
            why=why,
            before=change.before,
            after=change.after,
            version=change.version,
            removed=change.removed,
            undoes=undoes,
        )
        self._reviews.append(change.episode_id, fix)

    def _record_move(self, to: Literal["trash", "dataset"], why: str, change: Change, *, by: str = "") -> None:
        signed = self._signed() | {"id": change.id, "by": by or self.reviewer}
        self._reviews.append(change.episode_id, Move(**signed, to=to, why=why))

    def _tell(self, episode_ids: Iterable[str]) -> None:
        for following in self._followings:
            following.tell(episode_ids)


def _newest_fix(fixes: Sequence[Fix]) -> Fix:
    holding = standing_fixes(fixes)
    if not holding:
        raise ReviewError("There is no fix of this episode to be taken back.")
    return holding[-1]


def _subject(summary: EpisodeSummary) -> Subject:
    return Subject(
        recorder=summary.annotator,
        category=summary.category,
        device=summary.device,
        template=summary.template,
        steps=summary.steps,
    )
