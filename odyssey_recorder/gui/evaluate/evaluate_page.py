"""The Evaluate page: which predictions are scored by which protocol, and the scores."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedWidget, QWidget

from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.evaluation.protocols import PROTOCOLS, Name, ScoringTerms
from odyssey_recorder.gui.evaluate.commands import EvaluateCommand
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.job_card import JobCard
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.frame.panels import Panels
from odyssey_recorder.gui.frame.tabs import Tabs
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.dialogs import ask_for_existing, ask_for_file, ask_where_to_save
from odyssey_recorder.gui.kit.layouts import labelled, notice, pile, scroll_area
from odyssey_recorder.gui.kit.parts import CheckBox, Choice, breakable, fill_column, line_edit, named, row
from odyssey_recorder.progress import Cancelled, Progress
from odyssey_recorder.services.evaluation import ScoredFiles, score_files, write_report
from odyssey_recorder.splits.drawing import KINDS

if TYPE_CHECKING:
    from odyssey_recorder.evaluation.report import Evaluation

_FORM_PX = 260
_ROOMY_PX = 560
_SPACE = 16
_SPLITS = [("", "All episodes"), *((kind, f"Test part of {kind}") for kind in KINDS)]
_LEVELS = [("", "As in the file, otherwise high"), ("high", "High"), ("low", "Low")]
_TABLES = ("Markdown (*.md)", "CSV (*.csv)", "LaTeX (*.tex)")
_HOW_TO_BEGIN = (
    "Choose a file of predictions, then “Score”. It can come from the official evaluator, AgentCPM-GUI, OS-Atlas, "
    "or “odyssey-recorder predict”."
)
_VIEWS = (EvaluateCommand.SHOW_SCORES, EvaluateCommand.SHOW_JUDGED, EvaluateCommand.SHOW_PROBLEMS,
          EvaluateCommand.SHOW_LEADERBOARD)  # fmt: skip


class EvaluatePage(MainPage):
    """`open_index` is called off the GUI thread, for each evaluation of the open dataset."""

    def __init__(self, open_index: Callable[[], EpisodeIndex], background: Background, commands: Commands) -> None:
        super().__init__()
        self._open_index = open_index
        self._background = background
        self._commands = commands
        self._scored: ScoredFiles | None = None
        self._all: dict[ScoringTerms, Evaluation] = {}
        self._is_scoring = False
        self._predictions = line_edit("Predictions", "A file of predictions")
        self._against = line_edit("Compare with", "Another file (optional)")
        self._dataset = line_edit("Dataset", "The open dataset")
        self._protocol, self._level, self._split = Choice("Protocol"), Choice("Level"), Choice("Episodes")
        self._alternatives = named(CheckBox("Count accepted &alternatives too"), "Count accepted alternatives too")
        self._alternatives.setToolTip(
            "Show the scores if what reviewers accepted besides the recorded actions is right"
        )
        self._message = Banner(commands.button(EvaluateCommand.DISMISS_EVALUATE, kind="quiet", wordless=True))
        self._job = JobCard()
        self._views = QStackedWidget()
        self._home = self._predictions
        self._lay_out()
        self._connect()
        self._update_commands()

    # Scoring.

    def _score(self) -> None:
        self._message.hide()
        against = _path(self._against) if self._against.text().strip() else None
        work = partial(_score, self._terms, against, self._index_opener())
        self._is_scoring = True
        job = self._background.start(f"Scoring {Path(self._terms.predictions).name}", work, self._on_scored)
        job.ended.connect(self._end)
        self._job.follow(job)
        self._update_commands()

    @property
    def _terms(self) -> ScoringTerms:
        protocol = cast(Name, self._protocol.value)
        path, alternatives = str(_path(self._predictions)), self._alternatives.isChecked()
        return ScoringTerms("", path, protocol, self._split.value, self._level.value, alternatives=alternatives)

    def _index_opener(self) -> Callable[[], EpisodeIndex]:
        is_other = bool(self._dataset.text().strip())
        return partial(EpisodeIndex, _path(self._dataset), None) if is_other else self._open_index

    def _on_scored(self, scored: ScoredFiles) -> None:
        from odyssey_recorder.gui.evaluate.judged_view import JudgedView
        from odyssey_recorder.gui.evaluate.scores_view import ScoresView, leaderboard_view, problems_view

        self._scored = scored
        self._update_commands()
        steps = JudgedView(scored, self._background)
        figures = ScoresView(scored)
        figures.cell_chosen.connect(steps.show_cell)
        figures.cell_chosen.connect(lambda _cell: self._commands[EvaluateCommand.SHOW_JUDGED].setChecked(True))
        found = scored.found
        self._all[replace(found.asked, alternatives=False)] = found
        save = self._commands.button(EvaluateCommand.SAVE_LEADERBOARD)
        self._show((figures, steps, problems_view(scored), leaderboard_view([*self._all.values()], save)))
        misfits = [f"{Path(name).name}: {fit.counts}" for name, fit in found.fits if not fit.is_clean]
        if misfits or found.unread:
            unread = f"{len(found.unread):,} unreadable episodes in the dataset" if found.unread else ""
            detail = "; ".join(filter(None, (*misfits, unread)))
            text = "Some predictions don't match the dataset. See Problems."
            self._message.show_message(Tone.WARNING, text, breakable(detail))

    def _end(self) -> None:
        self._is_scoring = False
        self._update_commands()

    def _update_commands(self) -> None:
        is_named = bool(self._predictions.text().strip())
        why = "Wait until the current work has ended." if self._is_scoring else "Choose a file of predictions."
        self._commands.enable(EvaluateCommand.SCORE, on=is_named and not self._is_scoring, why=why)
        there = self._scored is not None
        there_only = (EvaluateCommand.EXPORT_REPORT, EvaluateCommand.SAVE_LEADERBOARD, *_VIEWS)
        self._commands.enable(*there_only, on=there, why="There are no scores yet.")

    # Files.

    def _browse(self, field: QLineEdit, title: str, *, is_file: bool = True) -> None:
        start = str(_path(field).parent) if field.text() else ""
        ask_for_existing(self, title, start, field.setText, is_file=is_file)

    def _export(self, file: Path) -> None:
        if self._scored is not None:
            self._save("report", file, partial(write_report, file, self._scored))

    def _save_leaderboard(self, file: Path) -> None:
        from odyssey_recorder.evaluation.leaderboard import write_leaderboard

        self._save("table", file, partial(write_leaderboard, file, [*self._all.values()]))

    def _save(self, what: str, file: Path, write: Callable[[], None]) -> None:
        show = self._message.show_message
        self._background.run(
            write,
            lambda _: show(Tone.SUCCESS, f"The {what} is saved.", breakable(str(file))),
            lambda error: show(Tone.DANGER, f"Couldn't save the {what}.", breakable(error_text(error))),
        )

    # Layout.

    def _show(self, views: tuple[QWidget, ...]) -> None:
        while (old := self._views.widget(0)) is not None:
            self._views.removeWidget(old)
            old.deleteLater()
        for view in views:
            self._views.addWidget(view)
        chosen = next((at for at, command in enumerate(_VIEWS) if self._commands[command].isChecked()), 0)
        self._commands[_VIEWS[chosen]].setChecked(True)
        self._views.setCurrentIndex(chosen)

    def _connect(self) -> None:
        browse = self._browse
        self._commands.bind(self, {
            EvaluateCommand.SCORE: self._score,
            EvaluateCommand.OPEN_PREDICTIONS: lambda: browse(self._predictions, "Choose the predictions"),
            EvaluateCommand.OPEN_OTHER: lambda: browse(self._against, "Choose the predictions to compare with"),
            EvaluateCommand.OPEN_DATASET: lambda: browse(self._dataset, "Choose the dataset", is_file=False),
            EvaluateCommand.EXPORT_REPORT: lambda: ask_where_to_save(
                self, "Export report", "evaluation.html", self._export, "JSON (*.json)"
            ),
            EvaluateCommand.SAVE_LEADERBOARD: lambda: ask_for_file(
                self, "Save table", "scores.md", _TABLES, self._save_leaderboard
            ),
            EvaluateCommand.DISMISS_EVALUATE: self._message.hide,
        })  # fmt: skip
        for field in (self._predictions, self._against, self._dataset):
            field.textChanged.connect(lambda _text: self._update_commands())
            field.returnPressed.connect(self._commands[EvaluateCommand.SCORE].trigger)

    def _lay_out(self) -> None:
        self._protocol.offer([(name, name) for name in PROTOCOLS])
        self._level.offer(_LEVELS)
        self._split.offer(_SPLITS)
        form = pile(
            self._with_button("&Predictions", self._predictions, EvaluateCommand.OPEN_PREDICTIONS),
            self._with_button("&Compare with", self._against, EvaluateCommand.OPEN_OTHER),
            self._with_button("&Dataset", self._dataset, EvaluateCommand.OPEN_DATASET),
            labelled("P&rotocol", self._protocol), labelled("&Level of the instructions", self._level),
            labelled("&Episodes", self._split), self._alternatives, 4,
            *self._commands.buttons(EvaluateCommand.SCORE, EvaluateCommand.EXPORT_REPORT, wide=True),
            right=6, spacing=10,
        )  # fmt: skip
        self._views.addWidget(pile(notice("No scores yet.", _HOW_TO_BEGIN)))
        tabs, middle = Tabs(self._commands), QWidget()
        self._commands.belong_to(self, *_VIEWS)
        for at, command in enumerate(_VIEWS):
            tabs.add(command, partial(self._views.setCurrentIndex, at))
        fill_column(middle, tabs, self._message, self._job, (self._views, 1), spacing=10)
        panels = Panels(
            "evaluate", self._commands, middle, {"left": (scroll_area(form, "Predictions to score"), _FORM_PX)},
            lambda _side, px: px >= _ROOMY_PX,
        )  # fmt: skip
        fill_column(self, (panels, 1), margins=(_SPACE, 12, _SPACE, _SPACE))

    def _with_button(self, text: str, field: QLineEdit, command: Command) -> QHBoxLayout:
        button = self._commands.button(command, wordless=True)
        line = row((labelled(text, field), 1), button, spacing=6)
        line.setAlignment(button, Qt.AlignmentFlag.AlignBottom)
        return line


def _path(field: QLineEdit) -> Path:
    return Path(field.text().strip()).expanduser()


# Off the GUI thread.


def _score(
    terms: ScoringTerms,
    against: Path | None,
    open_index: Callable[[], EpisodeIndex],
    progress: Progress,
    cancelled: Cancelled,
) -> ScoredFiles:
    progress(None, "Loading…")
    with closing(open_index()) as index:
        scored = score_files(index, terms, progress, cancelled, against=against)
    from odyssey_recorder.gui.evaluate import judged_view, scores_view  # noqa: F401 - the window uses them next

    return scored
