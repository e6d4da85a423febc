"""Exports episodes: asks for layout and folder, and writes off the GUI thread."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from odyssey_recorder.annotation.released_texts import Texts
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting.export_plan import TRAINERS, Options, Sampling
from odyssey_recorder.gui.kit.dialogs import Dialog, ask_for_existing
from odyssey_recorder.gui.kit.layouts import labelled
from odyssey_recorder.gui.kit.parts import CheckBox, Choice, fill_column, line_edit, named, push_button, row, text_label
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Cancelled, Progress
from odyssey_recorder.services.exports import ExportWanted, Prepared, prepare_export, write_export
from odyssey_recorder.services.reviewed_dataset import ReviewedDataset

_TRAINERS = {
    "official-chat": "the official code",
    "llamafactory": "LLaMA-Factory",
    "ms-swift": "ms-swift",
    "qwen": "Qwen-VL",
    "trl": "TRL",
    "ui-tars": "UI-TARS",
}
_LAYOUTS = (
    ("release", "As the published dataset"),
    ("parquet", "Parquet, for Hugging Face"),
    ("webdataset", "WebDataset (tar files)"),
    ("jsonl", "JSON Lines, without screenshots"),
    *((name, f"Training samples for {words}") for name, words in _TRAINERS.items()),
)
_OWN_WORDS = "official-chat"
"""This layout has its own adapter and history."""
_HISTORIES = (
    ("actions", "Actions so far"),
    ("none", "None"),
    ("screenshots:4", "4 earlier screenshots"),
    ("context", "Contexts"),
    ("memory:kept", "Chain-of-Memory"),
)
_LEVELS = (("high", "Of the episode"), ("low", "Of each step"), ("both", "Both"))
_TEXTS = (("none", "As in the annotation files"), ("accepted", "Accepted by people"), ("all", "Also suggested"))
_SPLITS = (("", "No split"), ("random", "Random"), ("task", "Task"), ("device", "Device"), ("app", "App"))


@dataclass(frozen=True, slots=True)
class ExportChoice:
    ids: Sequence[str]
    layout: str
    out: Path
    only_accepted: bool
    options: Options


class ExportDialog(Dialog):
    def __init__(self, selected: Sequence[str], listed: Sequence[str], home: Path, parent: QWidget) -> None:
        super().__init__("Export", parent)
        self._ids = {"selected": selected, "listed": listed}
        self._which, self._layout = Choice("Episodes"), Choice("Layout")
        offered = [("selected", f"Selected: {counted(len(selected))}")] if selected else []
        self._which.offer([*offered, ("listed", f"All in the list: {counted(len(listed))}")])
        self._which.choose("selected" if len(selected) > 1 else "listed")
        self._layout.offer(_LAYOUTS)
        self._texts, self._samples = Choice("Texts of steps"), _Samples()
        self._texts.offer(_TEXTS)
        self._folder = line_edit("Folder", "A folder that does not exist yet")
        self._folder.setText(str(home))
        browse = push_button("Browse…", "Choose where the new folder is made", call=self._browse)
        self._accepted = named(CheckBox("Only accepted episodes without errors"), "Only accepted episodes")
        self._accepted.setToolTip("Leave out episodes that are not accepted or in which the checks find errors")
        self._accepted.setChecked(True)
        self._export = push_button("Export", "Write the export (Enter)", "primary", self.accept)
        leave = push_button("Cancel", "Export nothing (Esc)", call=self.reject)
        folder = row((labelled("&Folder", self._folder), 1), browse)
        folder.setAlignment(browse, Qt.AlignmentFlag.AlignBottom)
        self.fill(
            text_label("Export episodes", "title"),
            labelled("&Episodes", self._which),
            labelled("&Layout", self._layout),
            labelled("&Texts of steps", self._texts),
            self._samples,
            folder,
            self._accepted,
            row(None, leave, self._export),
            width=460,
        )
        self._folder.textChanged.connect(lambda name: self._export.setEnabled(bool(name.strip())))
        self._layout.currentIndexChanged.connect(self._show_samples)
        self._show_samples()

    def _show_samples(self) -> None:
        self._samples.show_for(self._layout.value)
        self.adjustSize()

    def _browse(self) -> None:
        def take(chosen: str) -> None:
            self._folder.setText(str(Path(chosen) / self._out.name))

        ask_for_existing(self, "Choose where the new folder is made", str(self._out.parent), take)

    @property
    def _out(self) -> Path:
        return Path(self._folder.text().strip()).expanduser()

    @property
    def choice(self) -> ExportChoice:
        ids, layout = self._ids[self._which.value], self._layout.value
        options = Options(texts=cast(Texts, self._texts.value), samples=self._samples.chosen(layout))
        return ExportChoice(ids, layout, self._out, self._accepted.isChecked(), options)


class _Samples(QWidget):
    """What the samples of a trainer's layout are made of; hidden for other layouts."""

    def __init__(self) -> None:
        from odyssey_recorder.agents.adapter import all_adapters  # slow to load

        super().__init__()
        self._adapter, self._history, self._level, self._split = (
            Choice(name) for name in ("Adapter", "History", "Instructions", "Split")
        )
        self._adapter.offer([(name, name) for name in sorted(all_adapters())])
        self._adapter.setToolTip("How the model is asked and answers")
        self._history.offer(_HISTORIES)
        self._history.setToolTip("What the model is told of the steps before")
        self._level.offer(_LEVELS)
        self._split.offer(_SPLITS)
        self._split.setToolTip("Write the samples in the parts of this split")
        text = row((labelled("&Adapter", self._adapter), 1), (labelled("&History", self._history), 1), spacing=8)
        more = row((labelled("&Instructions", self._level), 1), (labelled("&Split", self._split), 1), spacing=8)
        fill_column(self, text, more, spacing=10)

    def show_for(self, layout: str) -> None:
        self.setVisible(layout in TRAINERS)
        if layout in TRAINERS:
            self._adapter.choose(TRAINERS[layout])
            for choice in (self._adapter, self._history):
                choice.setEnabled(layout != _OWN_WORDS)
            if layout == _OWN_WORDS:
                self._history.choose("actions")

    def chosen(self, layout: str) -> Sampling:
        if layout not in TRAINERS:
            return Sampling()
        levels = ("high", "low") if self._level.value == "both" else (self._level.value,)
        return Sampling(
            self._adapter.value,
            self._history.value,
            cast(tuple[Literal["high", "low"], ...], levels),
            split=self._split.value,
        )


def export(
    reviews: ReviewedDataset, root: Path, choice: ExportChoice, progress: Progress, cancelled: Cancelled
) -> Prepared:
    """Raises DatasetError."""
    wanted = ExportWanted(root, choice.out.absolute(), choice.layout, choice.options)
    only_ready = choice.only_accepted
    prepared = prepare_export(
        reviews, wanted, choice.ids, only_ready=only_ready, progress=progress, cancelled=cancelled
    )
    if not prepared.episodes:
        why = f" The first: {prepared.left_out[0]}" if prepared.left_out else ""
        raise DatasetError(f"None of these episodes is accepted and without errors.{why}")
    write_export(prepared, progress=progress, cancelled=cancelled)
    return prepared
