"""A task to read: the instruction in large type, notes and start state in small type."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from odyssey_recorder.device.profile import profiles
from odyssey_recorder.gui.kit.app_chips import AppChips
from odyssey_recorder.gui.kit.parts import fill_column, say, text_label
from odyssey_recorder.model.assignment import AsFound, CleanHome, FromSnapshot, StartState
from odyssey_recorder.model.episode import Category, TaskInfo
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.task_status import QueuedTask


class TaskText(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._category = text_label(kind="field")
        self._instruction = text_label(kind="instruction")
        self._apps = AppChips()
        self._reason = text_label(kind="warning")
        self._notes = text_label()
        self._start = text_label(kind="hint")
        above = (self._category, self._instruction, self._apps)
        fill_column(self, *above, self._reason, self._notes, self._start, spacing=10)

    def show_task(self, task: TaskInfo) -> None:
        self._category.setText(category_text(task.category))
        self._instruction.setText(task.instruction)
        self._apps.set_apps(task.apps)
        for label in (self._reason, self._notes, self._start):
            label.hide()

    def show_queued(self, queued: QueuedTask) -> None:
        listed = queued.listed
        self.show_task(listed.task)
        say(self._reason, _reason(queued))
        say(self._notes, listed.notes)
        say(self._start, _conditions(listed))


def category_text(category: str) -> str:
    return category.replace("_", " ")


CATEGORIES = [(category.value, category_text(category.value)) for category in Category]
"""The entries of a choice."""


def start_text(start: StartState) -> str:
    match start:
        case AsFound():
            return "Starts from the current screen."
        case CleanHome(clears_apps=True):
            return "Starts from a clean home screen, after the data of its apps is deleted. You confirm it first."
        case CleanHome():
            return "Starts from a clean home screen. Apps keep their data."
        case FromSnapshot(name=name):
            return f"Starts from the snapshot {name}."


def device_text(profile: str) -> str:
    """A profile's display name, such as "Pixel Fold"; the key itself if unknown."""
    return next((known.name for known in profiles() if known.key == profile), profile)


def misfit_text(task: QueuedTask) -> str:
    return f"This task is for {_joined(task.listed.devices)}. Choose such a device first."


def no_fitting_text(waiting: Sequence[QueuedTask]) -> str:
    wanted = Counter(device for task in waiting for device in task.listed.devices)
    counts = ", ".join(f"{count} for {device_text(device)}" for device, count in wanted.most_common())
    return f"No tasks left for this device. Waiting: {counts}."


def _joined(devices: Sequence[str]) -> str:
    return " or ".join(map(device_text, devices))


def _conditions(listed: ListedTask) -> str:
    lines = [start_text(listed.start)]
    if listed.devices:
        lines.append(f"For {_joined(listed.devices)}.")
    if listed.due is not None:
        lines.append(f"Due {listed.due:%Y-%m-%d}.")
    return "\n".join(lines)


def _reason(queued: QueuedTask) -> str:
    if (past := queued.given_up) is None:
        return ""
    said = "\n".join(("", *queued.thread)) or f" {past.reason}"
    return f"{past.event.value.capitalize()} before:{said}"
