"""Reviewing one dataset: episodes with their check results, verdicts, fixes and replays."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from random import choice
from threading import Lock
from typing import TYPE_CHECKING

from odyssey_recorder.agreement.quality_report import QualityReport, quality_report
from odyssey_recorder.agreement.reviewed import AllReviewed, read_reviewed
from odyssey_recorder.checking.whole_dataset.dataset_checks import CheckStatus, DatasetChecks
from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.dataset.episode_row import EpisodeRow, read_row
from odyssey_recorder.dataset.layout import ANNOTATIONS, annotation_path
from odyssey_recorder.dataset.opened import open_damaged
from odyssey_recorder.dataset.trash import Trash, TrashedEpisode
from odyssey_recorder.dataset.watch import DatasetWatch, FolderChanges
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.errors import CancelledError, DatasetError, DeviceError, ReviewError
from odyssey_recorder.model.finding import EpisodeReport
from odyssey_recorder.model.geometry import GRID, Size
from odyssey_recorder.model.plain_text import counted, step_number
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.review import status as statuses
from odyssey_recorder.review.controls import altered_row, as_control, defect_text, revision_shown, steps_to_alter
from odyssey_recorder.review.review import Control, Decision, Defect, Judgement, Move, ReplayEvidence, ReviewFile
from odyssey_recorder.review.review_log import ReviewLog
from odyssey_recorder.review.review_merge import Merged, check_elsewhere, check_reviews, merge_copies, merge_reviews
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.views import AlsoRight, OpenedReview, ReviewNews, ReviewRow, VerdictDraft, blind

if TYPE_CHECKING:
    from odyssey_recorder.annotation.checking import CheckedEpisode
    from odyssey_recorder.checking.checker import Checker
    from odyssey_recorder.device.connector import DeviceConnector
    from odyssey_recorder.replay.player import StepResult

_EPISODES_PER_NEWS = 100
"""A visible list takes a moment for each announcement."""
_ROWS_PER_NEWS = 500
_WARNED_BEFORE = "It needed a second review before it was fixed"
"""A fix may remove the warnings that asked for it."""


@dataclass(frozen=True, slots=True)
class InTrash:
    """An episode in the trash, and who moved it there, when and why; empty texts if that is unknown."""

    episode_id: str
    instruction: str
    moved_at: datetime
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ListedControl:
    """A control episode, who planted it, and how many reviewers have judged it."""

    episode_id: str
    instruction: str
    defect: Defect | None
    by: str
    judged: int


class ReviewSubscription:
    def __init__(self, on_news: Callable[[ReviewNews], object]) -> None:
        self._on_news = on_news
        self._lock = Lock()
        self.watch: DatasetWatch | None = None
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True
        if self.watch is not None:
            self.watch.close()

    def send(self, make: Callable[[], ReviewNews]) -> None:
        """Report what `make` returns; two threads take turns, so that no older row follows a newer one."""
        with self._lock:
            if not self.is_closed:
                self._on_news(make())


class ReviewService:
    """One dataset and one reviewer; calls are safe from any thread and raise DatasetError or ReviewError.

    `who` returns the reviewer's name; without a `connector` there are no devices to replay on.
    """

    def __init__(
        self,
        index: EpisodeIndex,
        checker: "Checker",
        who: Callable[[], str],
        connector: "DeviceConnector | None" = None,
    ) -> None:
        self.root = index.root
        self._index = index
        self._checker = checker
        self._checks = DatasetChecks(self.root, checker, self._notify)
        self._who = who
        self._connector = connector
        self._log = ReviewLog(self.root, who)
        self._reviews = self._log.reviews
        self._versions = self._log.versions
        self._subscriptions: list[ReviewSubscription] = []

    @property
    def reviewer(self) -> str:
        return self._who()

    # The list.

    def follow(self, on_news: Callable[[ReviewNews], object], warn: Callable[[str], object]) -> ReviewSubscription:
        """Call `on_news`, from another thread, with every episode and its status, and with each change.

        `warn` gets a message for the reviewer if the system cannot watch for changes.
        """
        subscription = ReviewSubscription(on_news)
        self._subscriptions = [other for other in self._subscriptions if not other.is_closed] + [subscription]
        subscription.watch = self._index.follow(
            partial(self._on_folder_changes, subscription, warn),
            warn,
            # Their rows are the other half.
            lambda done, count: subscription.send(lambda: ReviewNews(unread=2 * count - done)),
            lambda: subscription.is_closed,
        )
        return subscription

    def check_all(self, progress: Progress = untold, cancelled: Cancelled = never) -> list[EpisodeReport]:
        """Check what has changed; returns all results, which arrive as news too, and in the index.

        Raises CancelledError.
        """
        news: list[str] = []

        def on_news(done: int, count: int, new: str) -> None:
            news.extend(filter(None, [new]))
            progress(done / count, f"{done:,} of {count:,} episodes")
            if done == count:
                progress(None, "The whole dataset")
            if len(news) == _EPISODES_PER_NEWS:
                self._notify(news)
                news.clear()

        self._checks.run(on_news, cancelled)
        reports = self._checks.reports()
        self._index.take_reports(reports, settled=True)
        return reports

    def figures(self, progress: Progress = untold, cancelled: Cancelled = never) -> QualityReport:
        """Checks changed episodes first. Raises CancelledError."""
        if not (self.root / ANNOTATIONS).is_dir():
            return quality_report(AllReviewed(()))
        self.check_all(progress, cancelled)
        from odyssey_recorder.annotation.checking import checked_episodes, text_figures  # imported late: slow to load

        self._index.refresh(cancelled=cancelled)
        present = self._index.rows()
        report = quality_report(read_reviewed(self.root, present, self._checks.warned, self._expect_sample()))
        ids = [episode.episode_id for episode in present]

        def checked() -> "Iterator[CheckedEpisode]":
            for episode in checked_episodes(self.root, ids, self._checker.evidence):
                if cancelled():
                    raise CancelledError("The check was cancelled.")
                progress(None, f"The texts of {episode.episode_id}")
                yield episode

        return replace(report, texts=text_figures(checked()))

    # Second reviews.

    def request(
        self, ids: Collection[str], why: str, progress: Progress = untold, cancelled: Cancelled = never
    ) -> list[str]:
        """Request a second review of each; returns those for which one was requested, until it is cancelled.

        Raises DatasetError, also if there is no such episode, and ReviewError.
        """
        requested: list[str] = []
        for done, episode in enumerate(self._episodes(ids)):
            if cancelled():
                break
            progress(done / len(ids), f"{done:,} of {counted(ids, 'episodes')}")
            requested += [episode.episode_id] if self._log.request(episode, why) else []
        self._notify(requested)
        return requested

    def withdraw(self, ids: Collection[str], why: str) -> list[str]:
        """Withdraw the requests; returns those that had one. Raises as `request`."""
        withdrawn = [one.episode_id for one in self._episodes(ids) if self._log.withdraw(one.episode_id, why)]
        self._notify(withdrawn)
        return withdrawn

    def withdraw_episodes(self, ids: Collection[str], why: str) -> None:
        """Move one's own episodes to the trash, all or none; their tasks can be recorded again.

        Raises ReviewError if one is somebody else's or has been judged, DatasetError.
        """
        self.recover()
        episodes = self._episodes(ids)
        for episode in episodes:
            self._log.check_withdrawal(episode)
        for episode in episodes:
            self._log.withdraw_episode(episode.episode_id, why)
        self._notify(ids)

    # Controls.

    def control(
        self,
        ids: Collection[str],
        defect: Defect | None = None,
        progress: Progress = untold,
        cancelled: Cancelled = never,
    ) -> list[str]:
        """Make finished episodes controls, whose verdict is known; returns those that were not controls before.

        Reviewers who have no part in such an episode get it as if nobody had judged it. Their verdicts measure them and
        change nothing else. With a `defect` they are shown accepted episodes with it, so the known verdict is that they
        are bad; episodes that cannot have it are left out. Checks first what has changed. Raises as `request`,
        CancelledError.
        """
        self.check_all(progress, cancelled)
        finished = (statuses.ReviewStage.ACCEPTED, *(() if defect else (statuses.ReviewStage.SENT_BACK,)))
        known, made = self._log.controls.known().present, []
        for episode in self._episodes(ids):
            steps = steps_to_alter(episode.steps, defect)
            words = self._other_instruction(episode) if defect is Defect.INSTRUCTION else ""
            can_have = steps and (words or defect is not Defect.INSTRUCTION)
            if episode.episode_id not in known and can_have and self.stage(episode.episode_id) in finished:
                step = choice(steps) if steps else 0
                self._log.control([episode.episode_id], defect=defect, step=step, words=words)
                made.append(episode.episode_id)
        self._notify(made)
        return made

    def end_controls(self, ids: Collection[str]) -> list[str]:
        """Make them ordinary episodes again; returns those that were controls. Raises DatasetError, ReviewError."""
        known = self._log.controls.known().present
        ended = sorted({*ids} & known.keys())
        for episode_id in ended:
            self._log.control([episode_id], withdraws=known[episode_id].id)
        self._notify(ended)
        return ended

    def controls(self) -> Sequence[ListedControl]:
        """The present controls, newest first. Raises DatasetError, ReviewError."""
        known = self._log.controls.known()
        self._index.update(known.present)
        said = {episode.episode_id: episode.instruction for episode in self._index.rows(among=list(known.present))}
        return [
            ListedControl(of, said.get(of, ""), one.defect, one.by, len(known.verdicts.get(of, ())))
            for of, one in sorted(known.present.items(), key=lambda item: item[1].at, reverse=True)
        ]

    def _other_instruction(self, episode: EpisodeRow) -> str:
        """Of another task, of the same category if there is one; empty if there is none."""
        others = [other for other in self._index.rows() if other.instruction not in ("", episode.instruction)]
        alike = [other for other in others if other.category == episode.category]
        return choice(alike or others).instruction if others else ""

    # One episode.

    def file(self, episode_id: str) -> ReviewFile:
        """All entries on the episode, with what is unreadable as problems. Raises DatasetError."""
        return self._reviews.read(episode_id)

    def recover(self) -> None:
        """Complete or revert an interrupted fix."""
        self._versions.recover()

    def stage(self, episode_id: str) -> statuses.ReviewStage:
        """CHECKING before `check_all`, and if the episode has changed since; checks nothing itself."""
        episode = self._episode(episode_id)
        self._expect_sample()
        return self._status(episode, self._reviews.read(episode_id), self._checks.known(episode_id)).stage

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

    def restore(self, ids: Collection[str], why: str) -> None:
        """Put rejected or withdrawn episodes back, to be reviewed again; all, or none if one is not in the trash.

        Raises DatasetError, ReviewError.
        """
        self.recover()
        if unknown := sorted({*ids}.difference(trashed.episode_id for trashed in Trash(self.root).episodes())):
            raise DatasetError(f"There is no episode {unknown[0]} in the trash of {self.root}.")
        for episode_id in sorted({*ids}):
            self._log.restore(episode_id, why)
        self._notify(ids)

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

    # Rows and status.

    def _expect_sample(self) -> frozenset[str]:
        """Raises ReviewError while the sample is unknown: no verdict is taken then."""
        if self._index.sampled is None:
            raise ReviewError(self._index.sample_problem)
        return self._index.sampled

    def _episode(self, episode_id: str) -> EpisodeRow:
        if self._index.sampled is None:
            self._index.refresh()
        else:
            self._index.update([episode_id])
        for episode in self._index.rows(among=[episode_id]):
            return episode
        raise DatasetError(f"Episode {episode_id} is no longer in {self.root}.")

    def _trashed(self, episode_id: str) -> EpisodeRow:
        for trashed in Trash(self.root).episodes():
            if trashed.episode_id == episode_id and (row := read_row(trashed.folder, episode_id)) is not None:
                return row
        raise DatasetError(f"There is no episode {episode_id} in {self.root}, nor in its trash.")

    def _episodes(self, ids: Collection[str]) -> Sequence[EpisodeRow]:
        self._index.update(ids)
        found = self._index.rows(among=ids)
        if unknown := sorted({*ids}.difference(episode.episode_id for episode in found)):
            raise DatasetError(f"There is no episode {unknown[0]} in {self.root}.")
        return found

    def _row(self, episode: EpisodeRow, checks: CheckStatus) -> tuple[ReviewRow, Control | None]:
        """With the control that the episode is for the reviewer, if it is one."""
        row = ReviewRow(episode, report=checks.report, is_settled=checks.is_settled)
        try:
            file = self._reviews.read(episode.episode_id)
            status = self._status(episode, file, checks)
            controls = self._log.controls.known()
        except (ReviewError, DatasetError) as error:
            return replace(row, problem=str(error), refusal=str(error)), None
        row = replace(row, stage=status.stage, twice=status.twice)
        if file.problems:
            return replace(row, problem=file.problems[0], refusal=file.problems[0]), None
        persons = {"recorder": episode.annotator, "reviewer": self.reviewer}
        if control := controls.for_reviewer(file, status, **persons):
            seen = altered_row(control, episode)
            first, unreviewed = statuses.ReviewerRole.FIRST, statuses.ReviewStage.UNREVIEWED
            return replace(row, episode=seen, stage=unreviewed, twice=None, role=first), control
        row = replace(row, reply="" if file.reply is None else file.reply.words)
        role, newest = statuses.reviewer_role(status, **persons), statuses.reopened_verdict(status, **persons)
        row = replace(row, reopens="" if isinstance(newest, str) else newest.by)
        return replace(row, refusal=role) if isinstance(role, str) else replace(row, role=role), None

    def _settled_row(self, episode: EpisodeRow) -> ReviewRow:
        """Applies pending consequences first: verdicts may have come by a merge, or by hand."""
        checks = self._checks.known(episode.episode_id)
        row, _ = self._row(episode, checks)
        if row.stage in (statuses.ReviewStage.SENT_BACK, statuses.ReviewStage.REJECTED) and not row.problem:
            try:
                self._settle(episode, checks)
            except (ReviewError, DatasetError) as error:
                return replace(row, problem=str(error))
        return row

    def _settle(self, episode: EpisodeRow, checks: CheckStatus) -> None:
        file = self._reviews.read(episode.episode_id)
        self._log.settle(episode.episode_id, self._status(episode, file, checks))

    def _status(self, episode: EpisodeRow, file: ReviewFile, checks: CheckStatus) -> statuses.ReviewStatus:
        return statuses.review_status(
            file,
            statuses.StatusRule(warned=checks.warned, sampled=self._index.is_sampled(episode.episode_id)),
            recorder=episode.annotator,
            revision=lambda: episode.revision,
        )

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

    def _on_folder_changes(
        self, subscription: ReviewSubscription, warn: Callable[[str], object], changes: FolderChanges
    ) -> None:
        if self._index.sample_problem:
            warn(self._index.sample_problem)
        pending = sorted(changes.added | changes.changed, reverse=True)
        subscription.send(partial(ReviewNews, gone=changes.removed, unread=len(pending)))
        while pending and not subscription.is_closed:
            part, pending = pending[:_ROWS_PER_NEWS], pending[_ROWS_PER_NEWS:]
            subscription.send(partial(self._news, part, unread=len(pending)))

    def _notify(self, episode_ids: Iterable[str]) -> None:
        ids = list(episode_ids)
        if ids and self._subscriptions:
            self._index.update(ids)
        for subscription in self._subscriptions:
            subscription.send(partial(self._news, ids))

    def _news(self, episode_ids: Sequence[str], unread: int = 0) -> ReviewNews:
        return ReviewNews(tuple(map(self._settled_row, self._index.rows(among=episode_ids))), unread=unread)


# The review files.


def review_faults(root: Path, path: Path | None = None) -> Iterator[str]:
    """Problems of the dataset's review files, or of those at `path`. Raises DatasetError, ReviewError."""
    return check_reviews(ReviewStore(root)) if path is None else check_elsewhere(path)


def add_reviews(root: Path, path: Path | None = None) -> Merged:
    """Add the reviews at `path` to the dataset, or those in conflict copies that a shared drive left.

    Raises DatasetError, ReviewError.
    """
    store = ReviewStore(root)
    return merge_copies(store) if path is None else merge_reviews(store, path)


def review_policy(root: Path, *, share: float | None = None, seed: int | None = None) -> statuses.ReviewPolicy:
    """The dataset's rule for second reviews, after changing what is given. Raises DatasetError, ReviewError."""
    store = ReviewStore(root)
    now = store.policy()
    wanted = statuses.ReviewPolicy(now.seed if seed is None else seed, now.second_share if share is None else share)
    if wanted != now:
        store.set_policy(wanted)
    return wanted


def reply_to_reviewer(root: Path, annotator: str, episode_id: str, words: str) -> None:
    """Store what the annotator says to an episode that was sent back. Raises DatasetError, ReviewError."""
    if (episode := read_row(root, episode_id)) is None:
        raise DatasetError(f"There is no episode {episode_id} in {root}.")
    ReviewLog(root, lambda: annotator).reply(episode, words)


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


def trashed_episodes(root: Path) -> Sequence[InTrash]:
    """Newest first. Raises DatasetError."""
    store = ReviewStore(root)
    return [_in_trash(store, trashed) for trashed in Trash(root).episodes()]


def _in_trash(store: ReviewStore, trashed: TrashedEpisode) -> InTrash:
    row = read_row(trashed.folder, trashed.episode_id)
    known = InTrash(trashed.episode_id, "" if row is None else row.instruction, trashed.moved_at)
    with suppress(DatasetError, ReviewError):
        for entry in reversed(store.read(trashed.episode_id).entries):
            if isinstance(entry, Move) and entry.to == "trash":
                return replace(known, by=entry.by, why=entry.why)
    return known


def _texts(root: Path, episode_id: str) -> tuple[str, ...]:
    from odyssey_recorder.annotation.listing import step_lines

    try:
        return step_lines(root, episode_id)
    except (DatasetError, ReviewError) as error:
        return (f"The texts cannot be read: {error}",)
