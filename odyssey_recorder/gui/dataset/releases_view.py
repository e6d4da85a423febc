"""The releases of a dataset: what each holds, whether its files are still there, and what changed between two."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTableView, QWidget

from odyssey_recorder.gui.dataset.commands import DatasetCommand
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.job_card import JobCard
from odyssey_recorder.gui.frame.question_dialog import Question, ask
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.layouts import labelled, notice
from odyssey_recorder.gui.kit.parts import breakable, fill_column, line_edit, row, say, text_label
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, table_view
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Cancelled, Progress
from odyssey_recorder.services import releases
from odyssey_recorder.services.reviewed_dataset import ReviewedDataset

_ROW_PX = 30
_UNVERIFIED = "not verified"
_REASONS = 3
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Row:
    record: releases.ReleaseRecord
    written: datetime
    hashes: str = _UNVERIFIED


_Difference = tuple[str, str, str]
"""What happened, to which episode, and why or how."""


class ReleasesView(QWidget):
    """Lists the releases whenever it is shown; long work runs as a job with progress."""

    def __init__(self, reviews: ReviewedDataset, root: Path, background: Background, commands: Commands) -> None:
        super().__init__()
        self._reviews = reviews
        self._root = root
        self._background = background
        self._commands = commands
        self._hashes: dict[str, str] = {}
        self._works = False
        self._model = TableModel(_COLUMNS, key=lambda release: release.record.name)
        self._view = table_view("Releases", self._model, _ROW_PX)
        self._view.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self._view.selectionModel().selectionChanged.connect(lambda _now, _before: self._offer())
        self._nothing = notice("No releases yet.", "Press “Make release…” to make one from the accepted episodes.")
        self._diff_title = text_label(kind="title")
        self._difference_table = TableModel(_DIFFERENCE_COLUMNS)
        self._differences = table_view("Differences", self._difference_table, _ROW_PX)
        self._message = Banner(can_dismiss=True)
        self._job = JobCard()
        for part in (self._nothing, self._diff_title, self._differences):
            part.hide()
        calls = {
            DatasetCommand.MAKE_RELEASE: self._ask_for_name,
            DatasetCommand.VERIFY_RELEASE: self._verify,
            DatasetCommand.COMPARE_RELEASES: self._compare,
        }
        commands.bind(self, calls)
        head = row(text_label("Releases", "title"), None, *commands.buttons(*reversed(calls)))
        fill_column(
            self, head, self._message, self._job, self._nothing, (self._view, 2), self._diff_title,
            (self._differences, 3), spacing=10,
        )  # fmt: skip
        self._offer()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self.refresh()

    def refresh(self) -> None:
        self._background.run(partial(_rows, self._root), self._take, partial(self._fail, "Couldn't read the releases."))

    def _take(self, found: Sequence[_Row]) -> None:
        self._message.end("reading")
        chosen = self._chosen
        self._model.show(
            replace(release, hashes=self._hashes.get(release.record.name, _UNVERIFIED)) for release in found
        )
        self._nothing.setVisible(not found)
        self._view.setVisible(bool(found))
        if found:
            names = [record.name for record in chosen] or [found[0].record.name]
            self._view.selectRow(self._model.place_index(names[0]).row())
        self._offer()

    @property
    def _chosen(self) -> list[releases.ReleaseRecord]:
        """The selected releases, oldest first."""
        rows = (self._model.at(index.row()) for index in self._view.selectionModel().selectedRows())
        return sorted((release.record for release in rows if release is not None), key=lambda record: record.number)

    def _offer(self) -> None:
        chosen, busy = self._chosen, "Wait until the current work has ended."
        is_single = len(chosen) == 1
        comparable = len(chosen) == 2 or (is_single and bool(chosen[0].previous))
        why_not = "Select two releases, or one that has another before it."
        enable = self._commands.enable
        enable(DatasetCommand.MAKE_RELEASE, on=not self._works, why=busy)
        enable(
            DatasetCommand.VERIFY_RELEASE,
            on=is_single and not self._works,
            why=busy if is_single else "Select one release.",
        )
        enable(DatasetCommand.COMPARE_RELEASES, on=comparable and not self._works, why=busy if comparable else why_not)

    def _fail(self, text: str, error: Exception) -> None:
        self._message.show_message(Tone.DANGER, text, breakable(error_text(error)), cause="reading")

    # Work.

    def _start(self, title: str, work: Callable[[Progress, Cancelled], _T], take: Callable[[_T], object]) -> None:
        self._works = True
        self._message.hide()
        job = self._background.start(title, work, take)
        job.ended.connect(self._end)
        self._job.follow(job)
        self._offer()

    def _end(self) -> None:
        self._works = False
        self._offer()

    def _ask_for_name(self) -> None:
        question = Question(
            "Make a release", "Name of the new release", "Preview", "Show its contents without writing it",
            "Make no release (Esc)", "Without a name, it gets the next version, such as 1.2.0. It contains the "
            "accepted episodes without errors. No screenshots are copied.",
        )  # fmt: skip
        name = line_edit("Name of the release", "The next version")
        ask(question, self, lambda: self._plan(name.text().strip()), labelled("&Name", name))
        name.setFocus()

    def _plan(self, name: str) -> None:
        self._start("Preparing the release", partial(releases.draft, self._reviews, self._root, name), self._confirm)

    def _confirm(self, planned: releases.PlannedRelease) -> None:
        record = planned.record
        question = Question(
            "Make a release", f"Release {counted(record.episodes, 'episodes')} as {record.name}?", "Make release",
            "Write the release; it never changes afterwards", "Make no release (Esc)", "\n".join(_planned(planned)),
        )  # fmt: skip
        ask(question, self, partial(self._make, planned), width=520)

    def _make(self, planned: releases.PlannedRelease) -> None:
        def work(progress: Progress, _: Cancelled) -> Path:
            progress(None, "Counting the figures and writing the files…")
            return releases.make_release(self._root, planned)

        def take(folder: Path) -> None:
            self._message.show_message(Tone.SUCCESS, f"{folder.name} is released.", breakable(str(folder)))
            self._view.clearSelection()
            self.refresh()

        self._start(f"Making release {planned.record.name}", work, take)

    def _verify(self) -> None:
        name = self._chosen[0].name
        work = partial(releases.verify, self._root, name)
        self._start(f"Verifying {name}", work, partial(self._show_verified, name))

    def _show_verified(self, name: str, found: Sequence[releases.FileDifference]) -> None:
        lost = sum(not difference.kept for difference in found)
        self._hashes[name] = f"{counted(lost, 'differences')}" if lost else "all found"
        text = f"{name}: {counted(lost, 'differences')}." if lost else f"All files of {name} are as released."
        self._message.show_message(Tone.DANGER if lost else Tone.SUCCESS, text)
        self._show(
            f"Differences from {name}" if found else "",
            [("kept" if difference.kept else "lost", "", difference.what) for difference in found],
        )
        self.refresh()

    def _compare(self) -> None:
        *before, after = self._chosen
        old, new = before[0].name if before else after.previous, after.name
        work = partial(releases.compare, self._root, old, new)
        self._background.run(work, self._show_changes, partial(self._fail, f"{old} and {new} cannot be compared."))

    def _show_changes(self, compared: releases.Comparison) -> None:
        rows = [
            (what, episode_id, why)
            for what, episodes in compared.changes.by_kind.items()
            for episode_id, why in episodes.items()
        ]
        what_changed = ", ".join(_counts(compared.changes)) or "nothing changed"
        self._show(f"From {compared.old} to {compared.new}: {what_changed}", rows)

    def _show(self, title: str, rows: Sequence[_Difference]) -> None:
        say(self._diff_title, title)
        self._difference_table.show(rows)
        self._differences.setVisible(bool(rows))


# Off the GUI thread.


def _rows(root: Path) -> list[_Row]:
    """Newest first."""
    made = reversed(releases.releases(root))
    return [_Row(release, releases.written_at(root, release.name)) for release in made]


# Words.


def _planned(planned: releases.PlannedRelease) -> list[str]:
    record, left_out = planned.record, list(planned.left_out.values())
    since = f"Since {record.previous}" if record.previous else "The first release"
    lines = [f"{since}: {', '.join(_counts(record.changes))}."]
    if not record.with_splits:
        lines.append("The dataset has no splits. Make them first if the release needs them.")
    if left_out:
        lines += [f"{counted(len(left_out), 'episodes')} left out:", *map(breakable, left_out[:_REASONS])]
    more = len(left_out) - _REASONS
    return [*lines, *([f"and {more:,} more"] if more > 0 else [])]


def _counts(changed: releases.ReleaseChanges) -> list[str]:
    return [f"{len(episodes):,} {what}" for what, episodes in changed.by_kind.items() if episodes]


_COLUMNS: list[TableColumn[_Row]] = [
    TableColumn("Name", lambda release: release.record.name, width=140, is_bold=lambda _: True),
    TableColumn(
        "Written",
        lambda release: f"{release.written:%Y-%m-%d %H:%M}",
        width=140,
        tip=lambda _: "Date created on this computer",
    ),
    TableColumn("Episodes", lambda release: f"{release.record.episodes:,}", width=84, is_number=True),
    TableColumn("Steps", lambda release: f"{release.record.steps:,}", width=84, is_number=True),
    TableColumn("Size", lambda release: f"{release.record.bytes / 1e6:,.1f} MB", width=100, is_number=True),
    TableColumn("Splits", lambda release: "with splits" if release.record.with_splits else "none", width=100),
    TableColumn(
        "Changes",
        lambda release: ", ".join(_counts(release.record.changes)),
        tip=lambda release: ", ".join(_counts(release.record.changes)),
    ),
    TableColumn("Hashes", lambda release: release.hashes, width=120),
]

_DIFFERENCE_COLUMNS: list[TableColumn[_Difference]] = [
    TableColumn("What", lambda change: change[0], width=140),
    TableColumn("Episode", lambda change: change[1], width=160),
    TableColumn("Why or how", lambda change: change[2], tip=lambda change: breakable(change[2])),
]
