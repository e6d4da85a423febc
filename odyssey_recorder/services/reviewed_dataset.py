"""The reviews of a dataset: episodes with their status, and which are judged, twice, as controls, or not at all."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import choice
from threading import Lock
from typing import TYPE_CHECKING

from odyssey_recorder.agreement.quality_report import QualityReport, quality_report
from odyssey_recorder.agreement.reviewed import AllReviewed, read_reviewed
from odyssey_recorder.checking.whole_dataset.dataset_checks import CheckStatus, DatasetChecks
from odyssey_recorder.dataset.episode_row import EpisodeRow
from odyssey_recorder.dataset.layout import ANNOTATIONS
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.watch import DatasetWatch, FolderChanges
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.errors import CancelledError, DatasetError, ReviewError
from odyssey_recorder.model.finding import EpisodeReport
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.review import status as statuses
from odyssey_recorder.review.controls import altered_row, steps_to_alter
from odyssey_recorder.review.review import Control, Defect, ReviewFile
from odyssey_recorder.review.review_log import ReviewLog
from odyssey_recorder.review.views import ReviewNews, ReviewRow

if TYPE_CHECKING:
    from odyssey_recorder.annotation.checking import CheckedEpisode
    from odyssey_recorder.checking.checker import Checker

_EPISODES_PER_NEWS = 100
"""A visible list takes a moment for each announcement."""
_ROWS_PER_NEWS = 500


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


class ReviewedDataset:
    """A dataset as one reviewer sees it; calls are safe from any thread and raise DatasetError or ReviewError.

    `who` returns the reviewer's name.
    """

    def __init__(self, index: EpisodeIndex, checker: "Checker", who: Callable[[], str]) -> None:
        self.root = index.root
        self._index = index
        self._checker = checker
        self._checks = DatasetChecks(self.root, checker, self._notify)
        self._who = who
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

    # Rows and status.

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
        if status.stage is statuses.ReviewStage.SENT_BACK:
            is_replied = any(statuses.same_person(last.by, episode.annotator) for last in file.replies[-1:])
            row = replace(row, thread=file.thread, is_replied=is_replied)
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
