"""One published episode in full: its task, its device, how it was recorded, and its steps."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from PySide6.QtCore import QSize, Qt

from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.dataset.provenance import EpisodeProvenance, StartRecord
from odyssey_recorder.gui.dataset.commands import DatasetCommand
from odyssey_recorder.gui.dataset.redacting import RedactingViewer
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import Card, breakable, column, fill_row, row, say, selectable
from odyssey_recorder.gui.kit.table import TableColumn
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.gui.screen.step_strip import StepModel, StepStrip, StepThumbnails, StripStep, StripStyle, tooltip
from odyssey_recorder.model.flag import describe_flag
from odyssey_recorder.model.geometry import Box
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.recording.view import RecordedStep

_FACTS_PX = 330
_LOWEST_PX, _HIGHEST_PX = 268, 322
_THUMBNAIL = QSize(128, 168)
_MINUTES_FROM_S = 90
OF_ONE = (
    DatasetCommand.SAME_TASK,
    DatasetCommand.EPISODE_FOLDER,
    DatasetCommand.EPISODE_PATH,
    DatasetCommand.EPISODE_ID,
)
"""The commands for one episode."""
_MODES = {"mirror": "in mirror mode", "passive": "in passive mode"}


class EpisodeCard(Card):
    def __init__(self, background: Background, commands: Commands, who: Callable[[], str]) -> None:
        """`who` names the person who redacts."""
        super().__init__()
        self._instruction = selectable("instruction")
        self._problem = selectable("warning")
        self._facts = selectable("hint")
        self._shown_id = ""
        self._model = StepModel(TableColumn("", lambda step: step.text, spoken=_spoken, tip=tooltip))
        self._steps = StepStrip("Steps of the episode", self._model, StripStyle(_THUMBNAIL))
        self._thumbnails = StepThumbnails(background, self._model, _THUMBNAIL)
        self._background = background
        self._who = who
        self._files: EpisodeFiles | None = None
        self._steps.step_opened.connect(self._enlarge)
        buttons = row(*commands.buttons(*OF_ONE), None)
        about = scroll_area(pile(self._instruction, self._problem, self._facts, right=8), "Episode details")
        about.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        left = column((about, 1), buttons, spacing=10)
        fill_row(self, left, (self._steps, 1), margins=(16, 14, 12, 12), spacing=12)
        about.setFixedWidth(_FACTS_PX)
        self.setMinimumHeight(_LOWEST_PX)
        self.setMaximumHeight(_HIGHEST_PX)

    def _enlarge(self, at: int) -> None:
        assert self._files is not None
        viewer = RedactingViewer(
            self._background, self._model, self._thumbnails.screenshots, at, self._steps,
            files=self._files, who=self._who,
        )  # fmt: skip
        viewer.turned.connect(lambda number: self._steps.setCurrentIndex(self._model.place_index(number)))
        viewer.open()

    def show_episode(self, opened: OpenedEpisode) -> None:
        self._files = opened.files
        self._instruction.setText(opened.episode.task.instruction)
        say(self._problem, breakable(opened.problem))
        self._facts.setText("\n".join(_facts(opened)))
        self._show_steps(opened.episode.episode_id, recorded_steps(opened))

    def show_problem(self, episode_id: str, problem: str) -> None:
        self._instruction.setText(f"Episode {episode_id} cannot be read.")
        say(self._problem, breakable(problem))
        self._facts.setText("Fix the file, or restore the published one. The list updates by itself.")
        self._show_steps(episode_id, ())

    def _show_steps(self, episode_id: str, steps: Sequence[RecordedStep]) -> None:
        if episode_id != self._shown_id:
            self._shown_id = episode_id
            self._thumbnails.show_steps(())
            self._steps.scrollToTop()
        self._thumbnails.show_steps(steps)


def _spoken(step: StripStep) -> str:
    return "\n".join(filter(None, (f"{step.title}: {step.text}", step.flag, step.note, step.problem)))


def _facts(opened: OpenedEpisode) -> list[str]:
    episode, provenance = opened.episode, opened.provenance
    device = episode.device
    android = f" · Android {device.release_version}" if device.release_version else ""
    apps = ", ".join(episode.task.apps) or "no apps named"
    facts = [
        f"{category_text(episode.task.category)} · {apps}",
        f"{len(episode.steps)} steps · {device.device_name} {device.size}{android}",
    ]
    known = _provenance(provenance) if provenance else ["No provenance: annotator and time are unknown."]
    return [*facts, *known, f"Id {episode.episode_id}"]


def _provenance(provenance: EpisodeProvenance) -> list[str]:
    origin = provenance.origin
    took_s = (provenance.published_us - provenance.started_us) / 1_000_000
    took = f"{took_s:.0f} s" if took_s < _MINUTES_FROM_S else f"{took_s / 60:.1f} min"
    facts = [
        f"Recorded by {origin.annotator}, {_when(provenance.started_us)}, in {took}, {_MODES[origin.mode]}",
        f"{_start(origin.start)} · Recorder {origin.recorder_version} · {origin.model or origin.serial}"
        + (f" · Emulator {origin.emulator_version}" if origin.emulator_version else ""),
    ]
    flagged = sum(bool(step.flags) for step in provenance.steps)
    if flagged or provenance.dropped:
        facts.append(f"{counted(flagged, 'steps')} flagged · {len(provenance.dropped)} removed while recording")
    return facts


def _when(time_us: int) -> str:
    try:
        return f"{datetime.fromtimestamp(time_us / 1_000_000, UTC).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return "time unknown"


def _start(start: StartRecord) -> str:
    match start.kind:
        case "as_found":
            return "Started from the current screen"
        case "clean_home":
            cleared = f" Data deleted: {', '.join(start.cleared)}." if start.cleared else ""
            kept = f" Data kept: {', '.join(start.kept)}." if start.kept else ""
            return f"Started from a clean home screen.{cleared}{kept}".rstrip(".")
        case "snapshot":
            return f"Started from the snapshot {start.snapshot}"


def recorded_steps(opened: OpenedEpisode) -> Sequence[RecordedStep]:
    episode = opened.episode
    made = []
    for number, step in enumerate(episode.steps):
        screenshot = opened.files.screenshot(number)
        record = opened.record(number)
        flag = ", ".join(map(describe_flag, record.flags)) if record else ""
        box = Box(*record.bbox) if record and record.bbox else None
        note, tree = (record.note, opened.files.ui_tree(number) if record.ui_tree else None) if record else ("", None)
        made.append(RecordedStep(number, step.action, screenshot, flag, box, note=note, tree=tree))
    return made
