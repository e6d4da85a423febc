"""What proves that a task is done: found at the end of a recording, and the tasks of episodes that say it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from odyssey_recorder.dataset.goal_proposals import proposals, proves
from odyssey_recorder.dataset.goals import Facts, TaskGoal, source_of
from odyssey_recorder.dataset.layout import read_dataset_file
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.state import screen_facts
from odyssey_recorder.device.view_hierarchy import parse
from odyssey_recorder.errors import RecordingError
from odyssey_recorder.files import Largest
from odyssey_recorder.model.action import Complete
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.services.recording import start_state
from odyssey_recorder.tasks.listing import ListedTask

_NAMESPACES = ("system", "secure", "global")
_PROVIDERS = (
    "content://sms",
    "content://com.android.contacts/data/phones",
    "content://com.android.calendar/events",
    "content://call_log/calls",
)
_FOLDERS = ("/sdcard/Download/", "/sdcard/Documents/", "/sdcard/Pictures/", "/sdcard/DCIM/Camera/")
_SOURCES = (
    *(("settings", namespace) for namespace in _NAMESPACES),
    *(("content", provider) for provider in _PROVIDERS),
    *(("files", folder) for folder in _FOLDERS),
)


@dataclass(frozen=True, slots=True)
class EndProof:
    """What the device said at the start and says now, and the goals that follow from the difference."""

    before: Facts
    after: Facts
    proposals: tuple[TaskGoal, ...]

    def proves(self, goal: TaskGoal) -> bool:
        return proves(goal, self.before, self.after)

    def contradicts(self, goal: TaskGoal) -> bool:
        """Whether a goal that was marked before no longer holds; after a resume, what the device said is unknown."""
        return source_of(goal.path)[0] in self.after and not self.proves(goal)


@dataclass(frozen=True, slots=True)
class ProvedTask:
    """A task as an episode has it, with what proves that it is done and the steps that a person took.

    Its id is the episode's, and it starts from the same state. `answer` is the annotator's, empty if there is none.
    """

    listed: ListedTask
    goals: tuple[TaskGoal, ...]
    answer: str
    steps: int


def device_facts(connector: DeviceConnector, serial: str) -> Facts:
    """What a device can be asked for, as far as it answers. Blocks for seconds; raises DeviceError."""
    return connector.facts(serial, _SOURCES, lenient=True)


def end_proof(connector: DeviceConnector, recorder: Recorder, before: Facts | None) -> EndProof:
    """What may be marked as proof of the task now; `before` is what the device said at the start, if it is known.

    Blocks for seconds; not from the engine's thread. Raises OdysseyError.
    """
    start, now = ({}, {}) if before is None else (dict(before), dict(device_facts(connector, recorder.serial)))
    steps, shown = recorder.view.steps, recorder.shown()
    if shown is None:
        raise RecordingError("The screen is still changing. Press Mark proof… again when the recorder is ready.")
    if steps and steps[0].tree is not None and shown.nodes:
        tree = read_dataset_file(steps[0].tree, Largest.TREE).decode(errors="replace")
        start["screen"], now["screen"] = screen_facts(parse(tree)), screen_facts(shown.nodes)
    return EndProof(start, now, proposals(start, now, recorder.task.instruction))


def proved_tasks(store: EpisodeStore, episode_ids: Iterable[str]) -> Iterator[ProvedTask]:
    """Of those episodes that say what proves their task. Raises DatasetError."""
    for episode_id in episode_ids:
        known = store.provenance(episode_id)
        if known is None or not known.goals:
            continue
        episode = store.load(episode_id)
        last = episode.steps[-1].action
        listed = ListedTask(episode_id, episode.task, start=start_state(known.origin.start))
        yield ProvedTask(listed, known.goals, last.note if isinstance(last, Complete) else "", len(episode.steps))
