"""All takes of one task, one below the other with their steps aligned: how devices and people differ in it."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import OpenedEpisode, open_episode
from odyssey_recorder.dataset_index.index import EpisodeIndex, IndexedEpisode
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.gui.dataset.episode_card import recorded_steps
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import fill_column, push_button, row, text_label
from odyssey_recorder.gui.kit.table import TableColumn
from odyssey_recorder.gui.screen.step_strip import StepModel, StepStrip, StepThumbnails, StripStep, StripStyle, tooltip
from odyssey_recorder.gui.screen.step_viewer import enlarge
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.splits.drawing import identities
from odyssey_recorder.splits.episodes import SplitEpisode, app_key

_THUMBNAIL = QSize(96, 150)
_SHARE = 0.9
"""Of the window, both ways."""
_MOST = 12

Take = tuple[IndexedEpisode, OpenedEpisode]


class SameTaskDialog(Dialog):
    """The takes of an episode's task, itself first, then by device; a step chosen in one is shown in all."""

    def __init__(self, index: EpisodeIndex, episode_id: str, background: Background, parent: QWidget) -> None:
        super().__init__("Same task", parent)
        self._background = background
        self._strips: list[StepStrip] = []
        self._is_scrolling = False
        self._title = text_label("Reading the recordings of this task…", "title")
        self._area = scroll_area(name="Recordings of the task")
        close = push_button("Close", "Close (Esc)", call=self.reject)
        self.fill(self._title, self._area, row(None, close), stretch=self._area)
        self.resize(parent.window().size() * _SHARE)
        background.run(partial(takes_of, index, episode_id), self._take, self._take, of=self)

    def _take(self, found: Sequence[Take] | Exception) -> None:
        if isinstance(found, Exception):
            self._title.setText(error_text(found))
            return
        if len(found) == 1:
            self._title.setText("This is the only recording of this task with these apps.")
        else:
            devices = len({take.device for take, _ in found})
            self._title.setText(f"{counted(len(found), 'recordings')} on {counted(devices, 'devices')}")
        more = [text_label(f"{len(found) - _MOST} more aren't shown.", "hint")] if len(found) > _MOST else []
        self._area.setWidget(pile(*map(self._lane, found[:_MOST]), *more, right=6, spacing=14))

    def _lane(self, take: Take) -> QWidget:
        episode, opened = take
        model = StepModel(TableColumn("", lambda step: step.text, spoken=_spoken, tip=tooltip))
        strip = StepStrip(f"Steps on {episode.device}, {episode.episode_id}", model, StripStyle(_THUMBNAIL))
        thumbnails = StepThumbnails(self._background, model, _THUMBNAIL)
        strip.step_opened.connect(lambda at: enlarge(self._background, model, thumbnails.screenshots, at, strip))
        strip.step_chosen.connect(self._turn_to)
        strip.horizontalScrollBar().valueChanged.connect(self._scroll_to)
        thumbnails.show_steps(recorded_steps(opened))
        strip.fit_height()
        self._strips.append(strip)
        lane, by = QWidget(), f" · by {episode.annotator}" if episode.annotator else ""
        details = (
            f"{episode.verdict.value} · {counted(episode.steps, 'steps')} · {episode.ending}{by} · {episode.episode_id}"
        )
        fill_column(lane, row(text_label(episode.device, "title"), (text_label(details, "hint"), 1)), strip, spacing=4)
        return lane

    def _turn_to(self, number: int) -> None:
        for strip in self._strips:
            if strip.currentIndex().row() != number and number < strip.model().rowCount():
                strip.turn_to(number)

    def _scroll_to(self, value: int) -> None:
        if not self._is_scrolling:  # a shorter strip stops at its own end
            self._is_scrolling = True
            for strip in self._strips:
                strip.horizontalScrollBar().setValue(value)
            self._is_scrolling = False


def takes_of(index: EpisodeIndex, episode_id: str) -> list[Take]:
    """The episode and all readable ones with the same task and apps, or the same instruction.

    Opens those with its template. Raises DatasetError if the episode itself cannot be read.
    """
    rows = index.rows()
    this = next((take for take in rows if take.episode_id == episode_id), None)
    if this is None:
        raise DatasetError(f"Episode {episode_id} is no longer in the dataset. Choose another one.")
    opened = open_episode(index.root / annotation_path(episode_id))
    apps, known = frozenset(map(app_key, this.apps)), _identities(opened)
    found = []
    for take in rows:
        is_near = take.instruction == this.instruction or (
            take.template == this.template and frozenset(map(app_key, take.apps)) == apps
        )
        if not is_near or take.problem or take.episode_id == episode_id:
            continue
        try:
            opened_take = open_episode(index.root / annotation_path(take.episode_id))
        except DatasetError:
            continue  # the list shows it as unreadable
        if known & _identities(opened_take):
            found.append((take, opened_take))
    found.sort(key=lambda take: (take[0].device == this.device, take[0].device.casefold(), take[0].episode_id))
    return [(this, opened), *found]


def _identities(opened: OpenedEpisode) -> set[tuple[str, object]]:
    task = opened.episode.task
    facts = SplitEpisode(opened.episode.episode_id, "", "", task.apps, task.meta_task, task.task, task.instruction)
    return set(identities(facts).items())


def _spoken(step: StripStep) -> str:
    return "\n".join(filter(None, (f"{step.title}: {step.text}", step.flag, step.problem)))
