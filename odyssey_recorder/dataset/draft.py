"""A draft on disk: an append-only log of steps and their screenshots, complete at every instant.

<drafts>/<id>/draft.json    task, device and annotator
              steps.jsonl   a line per change of the steps; a torn last line is ignored
              <n>.png       screenshots, in the order they were stored; steps may share one
              <n>.xml       view hierarchies, likewise
              lock          held while a process works on the draft
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from threading import Lock

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from odyssey_recorder.dataset import draft_log, provenance
from odyssey_recorder.dataset.codec import action_from_json, action_to_json
from odyssey_recorder.dataset.draft_log import DraftLog
from odyssey_recorder.dataset.goals import TaskGoal
from odyssey_recorder.dataset.layout import read_dataset_file
from odyssey_recorder.errors import DatasetError, RecordingError
from odyssey_recorder.files import Largest, make_folder, storage_error, write_durably
from odyssey_recorder.model.action import Action, Complete, Impossible, Type, action_type, is_terminal
from odyssey_recorder.model.episode import DeviceInfo, Json, TaskInfo
from odyssey_recorder.model.flag import Flag
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.validation import FrozenModel, first_fault

_NUMBERED = re.compile(r"([0-9]+)\.(png|xml)", re.ASCII)


@dataclass(frozen=True, slots=True)
class DraftStep:
    """One recorded step; `key` survives the undo of other steps and is not used again."""

    key: int
    action: Action
    screenshot: Path
    record: provenance.StepRecord

    @property
    def tree(self) -> Path | None:
        name = self.record.ui_tree
        return None if name is None else self.screenshot.with_name(name)


@dataclass(frozen=True, slots=True)
class DraftState:
    """The result of the log lines so far.

    `next_key` counts all steps, including dropped ones. `touched`: a live finger went down without becoming a step, so
    its effect on the device is unknown. `wanted` is the step last undone, until another one replaces it: the device
    should show its screenshot again. `left` is the screenshot of the device after the last step; None if unknown.
    `rejected` are an agent's actions in place of which the next step is shown, `refused_on` the screen that they are
    from if a person refused them; None if they were undone. `note` and `reason` are what the annotator has written at
    the questions for the end, and `goals` what was marked there as proof that the task is done.
    """

    steps: tuple[DraftStep, ...] = ()
    dropped: tuple[provenance.DroppedRecord, ...] = ()
    next_key: int = 0
    touched: bool = False
    wanted: DraftStep | None = None
    left: Path | None = None
    next_flags: tuple[Flag, ...] = ()
    resumed: tuple[provenance.ResumedRecord, ...] = ()
    rejected: tuple[provenance.RejectedRecord, ...] = ()
    refused_on: Path | None = None
    note: str = ""
    reason: str = ""
    goals: tuple[TaskGoal, ...] = ()

    def with_step(self, step: DraftStep) -> "DraftState":
        steps, next_key = (*self.steps, step), self.next_key + 1
        return replace(
            self, steps=steps, next_key=next_key, touched=False, wanted=None, left=None, next_flags=(), rejected=(),
            refused_on=None,
        )  # fmt: skip

    def with_refused(self, screenshot: Path, record: provenance.RejectedRecord) -> "DraftState":
        """Forget what was refused on another screen; of two equal actions only the first counts."""
        before = self.rejected if self.refused_on in (None, screenshot) else ()
        is_new = all(rejected.action != record.action for rejected in before)
        return replace(self, rejected=(*before, *[record] * is_new), refused_on=screenshot)

    def with_amended(self, step: DraftStep) -> "DraftState":
        return replace(self, steps=tuple(step if kept.key == step.key else kept for kept in self.steps))

    def with_ending(self, ending: Action) -> "DraftState":
        match ending:
            case Complete(note):
                return replace(self, note=note)
            case Impossible(reason):
                return replace(self, reason=reason)
            case _:
                return self

    def step(self, key: int) -> DraftStep | None:
        return next((step for step in reversed(self.steps) if step.key == key), None)


class DraftHead(FrozenModel):
    """draft.json: what is known of a draft before its first step; readable while another process holds it."""

    format: provenance.Whole
    episode_id: str = Field(pattern=r"^[0-9]{16}\z")
    dataset: str
    started_us: provenance.Whole
    category: str
    apps: tuple[str, ...]
    meta_task: str
    task: str
    instruction: str
    device_name: str
    width: provenance.Extent
    height: provenance.Extent
    product: str | None
    release_version: str | None
    sdk_version: str | None
    origin: provenance.Origin

    @property
    def task_info(self) -> TaskInfo:
        return TaskInfo(self.category, self.apps, self.meta_task, self.task, self.instruction)

    @property
    def device_info(self) -> DeviceInfo:
        size = Size(self.width, self.height)
        return DeviceInfo(self.device_name, size, self.product, self.release_version, self.sdk_version)


def hold(folder: Path) -> FileLock:
    """Lock a draft for this process. Raises DatasetError if another process has it or it does not exist."""
    if not folder.is_dir():
        raise DatasetError(f"There is no draft {folder.name} in {folder.parent}.")
    lock = FileLock(folder / "lock", blocking=False, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise DatasetError(f"The draft {folder.name} is open in another window. Close it there first.") from error
    except OSError as error:
        raise storage_error(error, folder, "opened") from error
    return lock


class Draft:
    """One draft, held by this process until `close`. Only the methods that store and delete files are thread-safe.

    Every change is on disk when its method returns; a method that raises DatasetError changed nothing.
    """

    def __init__(self, folder: Path) -> None:
        """Raises DatasetError if `folder` is not a draft, or another process holds it."""
        head = read_head(folder)
        self.episode_id, self.dataset, self.origin = head.episode_id, Path(head.dataset), head.origin
        self.task, self.device = head.task_info, head.device_info
        self.started_us = head.started_us
        """In microseconds since 1970."""
        self._lock = hold(folder)
        self._trees_lock = Lock()
        self._is_closed = False  # guarded by _trees_lock
        self.folder = folder
        self._log = DraftLog(folder / "steps.jsonl")
        self.state = DraftState()  # changed by `_write` only
        try:
            for line in self._log.read():
                self.state = self._applied(line)
        except DatasetError:
            self.close()
            raise
        self._delete_unused_trees()
        self._file_numbers = count(1 + max((number for number, _ in self._numbered()), default=0))

    @classmethod
    def create(
        cls, folder: Path, *, dataset: Path, task: TaskInfo, device: DeviceInfo, origin: provenance.Origin
    ) -> "Draft":
        """Start a draft in `folder`, whose name is the episode's id. Raises DatasetError."""
        head = DraftHead(
            format=provenance.FORMAT,
            episode_id=folder.name,
            dataset=str(dataset),
            started_us=time.time_ns() // 1000,
            category=task.category,
            apps=task.apps,
            meta_task=task.meta_task,
            task=task.task,
            instruction=task.instruction,
            device_name=device.device_name,
            width=device.size.width,
            height=device.size.height,
            product=device.product,
            release_version=device.release_version,
            sdk_version=device.sdk_version,
            origin=origin,
        )
        make_folder(folder)
        write_durably(folder / "draft.json", head.model_dump_json(indent=2).encode())
        return cls(folder)

    @property
    def steps(self) -> tuple[DraftStep, ...]:
        return self.state.steps

    @property
    def complete(self) -> bool:
        return bool(self.steps) and is_terminal(self.steps[-1].action)

    @property
    def uncertain(self) -> bool:
        """Whether it is unknown that the last step's input was carried out."""
        return bool(self.steps) and not self.complete and self.steps[-1].record.sent_until_us is None

    # Screenshots and view hierarchies.

    def keep_screenshot(self, png: bytes) -> Path:
        """Store a screenshot under a new number; thread-safe. Raises DatasetError."""
        path = self.folder / f"{next(self._file_numbers)}.png"
        write_durably(path, png, within=self.folder)
        return path

    def forget_screenshot(self, screenshot: Path) -> None:
        """Delete a screenshot unless a step uses it or the device should show it again; thread-safe."""
        state = self.state
        used = [
            state.left,
            state.refused_on,
            *(step.screenshot for step in (*state.steps, *filter(None, [state.wanted]))),
        ]
        if screenshot not in used:
            with suppress(OSError):
                screenshot.unlink(missing_ok=True)

    def keep_tree(self, xml: str) -> str:
        """Store a view hierarchy; returns its name for `StepRecord.ui_tree`. Thread-safe.

        Raises DatasetError, and RecordingError once the draft is closed.
        """
        with self._trees_lock:
            if self._is_closed:
                raise RecordingError(f"The draft {self.folder.name} is closed.")
            path = self.folder / f"{next(self._file_numbers)}.xml"
            write_durably(path, xml.encode(errors="replace"), within=self.folder)
            return path.name

    # Steps.

    def add_step(self, action: Action, screenshot: Path, record: provenance.StepRecord) -> int:
        """Add a step whose screenshot is stored, and return its key. Raises DatasetError."""
        self._write(draft_log.StepLine(picture=screenshot.name, action=action_to_json(action), record=record))
        return self.steps[-1].key

    def amend_last(self, changes: Mapping[str, Json]) -> None:
        """Add what became known later to the last step's record. Raises DatasetError."""
        self._write(draft_log.AmendLine(changes=dict(changes)))

    def amend(self, key: int, changes: Mapping[str, Json]) -> bool:
        """Like `amend_last` for any step; False if it no longer exists. Raises DatasetError."""
        if self.state.step(key) is None:
            return False
        self._write(draft_log.AmendStepLine(step=key, changes=dict(changes)))
        return True

    def amend_text(self, key: int, text: str) -> bool:
        """Set what a TYPE step typed; False if it no longer exists. Raises DatasetError."""
        if self.state.step(key) is None:
            return False
        self._write(draft_log.AmendTextLine(step=key, text=text))
        return True

    def drop_last(
        self,
        why: str,
        count: int = 1,
        *,
        leads_back: bool = False,
        rejects: bool = False,
        next_flags: tuple[Flag, ...] = (),
    ) -> None:
        """Remove the last `count` steps; the log keeps them and `why`. Raises DatasetError.

        With `leads_back` the first of them becomes `wanted`. `next_flags` are due to the screen before it. With
        `rejects` the first of them, if it is an agent's, becomes `rejected`.
        """
        now_us = time.time_ns() // 1000
        self._write(
            draft_log.DropLine(
                why=why, dropped_us=now_us, count=count, leads_back=leads_back, rejects=rejects, next_flags=next_flags
            )
        )

    def refuse(self, action: Action, screenshot: Path, agent: provenance.AgentRecord) -> None:
        """A person did not allow an agent's action on the screen of `screenshot`. Raises DatasetError."""
        record = provenance.RejectedRecord(action=action_to_json(action), agent=agent)
        self._write(draft_log.RejectLine(picture=screenshot.name, record=record))

    # The screen that the steps led to, and the device.

    def note_screen(self, screenshot: Path, flags: tuple[Flag, ...]) -> None:
        """Not synced to disk: survives this process, but perhaps not a power failure. Raises DatasetError."""
        self._write(draft_log.ScreenLine(picture=screenshot.name, flags=flags), durable=False)

    def keep_ending(self, ending: Complete | Impossible) -> None:
        """Keep what is written before it is answered. Not synced to disk. Raises DatasetError."""
        self._write(draft_log.EndingLine(action=action_to_json(ending)), durable=False)

    def keep_goals(self, goals: Sequence[TaskGoal]) -> None:
        """Keep what is marked as proof instead of what was. Raises DatasetError."""
        self._write(draft_log.GoalsLine(goals=tuple(goals)))

    def note_resumed(self, record: provenance.ResumedRecord) -> None:
        self._write(draft_log.ResumeLine(record=record))

    # A live finger.

    def note_touch(self, screenshot: Path, touched_us: int) -> None:
        """A finger is about to go down. Not synced to disk, so it takes far below 1 ms. Raises DatasetError."""
        self._write(draft_log.TouchLine(picture=screenshot.name, touched_us=touched_us), durable=False)

    def drop_touch(self, why: str) -> None:
        self._write(draft_log.DropTouchLine(why=why, dropped_us=time.time_ns() // 1000))

    def close(self) -> None:
        """Wait for a view hierarchy that is being written, so that the folder can be moved or deleted."""
        with self._trees_lock:
            self._is_closed = True
        self._lock.release()

    def _write(self, line: draft_log.Line, *, durable: bool = True) -> None:
        state = self._applied(line)
        self._log.append(line, durable=durable)
        self.state = state

    def _applied(self, line: draft_log.Line) -> DraftState:  # noqa: C901 - one case for each line
        state = self.state
        match line:
            case draft_log.StepLine(picture=screenshot, action=action, record=record):
                return state.with_step(
                    DraftStep(state.next_key, self._action(action), self.folder / screenshot, record)
                )
            case draft_log.AmendLine(changes=changes):
                return self._with_changes(self._existing_step(self.steps[-1].key if self.steps else -1), changes)
            case draft_log.AmendStepLine(step=key, changes=changes):
                return self._with_changes(self._existing_step(key), changes)
            case draft_log.AmendTextLine(step=key, text=text):
                return self._with_text(self._existing_step(key), text)
            case draft_log.DropLine():
                return self._without(line)
            case draft_log.RejectLine(picture=screenshot, record=record):
                return state.with_refused(self.folder / screenshot, record)
            case draft_log.ScreenLine(picture=screenshot, flags=flags):
                return replace(state, left=self.folder / screenshot, next_flags=flags)
            case draft_log.ResumeLine(record=record):
                return replace(state, resumed=(*state.resumed, record))
            case draft_log.EndingLine(action=action):
                return state.with_ending(self._action(action))
            case draft_log.GoalsLine(goals=goals):
                return replace(state, goals=goals)
            case draft_log.TouchLine():
                return replace(state, touched=True)
            case draft_log.DropTouchLine(why=why, dropped_us=dropped_us):
                dropped = provenance.DroppedRecord(action="TOUCH", why=why, dropped_us=dropped_us)
                return replace(state, dropped=(*state.dropped, dropped), touched=False)

    def _without(self, line: draft_log.DropLine) -> DraftState:
        state = self.state
        if line.count > len(state.steps):
            raise DatasetError(f"{self._log.path} changes a step that does not exist.")
        left, gone = state.steps[: -line.count], state.steps[-line.count :]
        records = (
            provenance.DroppedRecord(action=action_type(step.action), why=line.why, dropped_us=line.dropped_us)
            for step in gone
        )
        wanted = gone[0] if line.leads_back else None
        dropped = (*state.dropped, *records)
        screen, flags = gone[0].screenshot, line.next_flags
        rejected = _rejected(gone[0], rejects=line.rejects)
        return replace(
            state, steps=left, dropped=dropped, wanted=wanted, left=screen, next_flags=flags, rejected=rejected,
            refused_on=screen if rejected and not line.leads_back else None,
        )  # fmt: skip

    def _delete_unused_trees(self) -> None:
        used = {step.tree for step in self.steps}
        for _, tree in self._numbered():
            if tree.suffix == ".xml" and tree not in used:
                with suppress(OSError):
                    tree.unlink(missing_ok=True)

    def _numbered(self) -> Iterator[tuple[int, Path]]:
        """The numbered files; there may be others, such as a copy of one."""
        for path in self.folder.glob("[0-9]*"):
            if named := _NUMBERED.fullmatch(path.name):
                yield int(named[1]), path

    def _with_changes(self, step: DraftStep, changes: Mapping[str, Json]) -> DraftState:
        try:
            record = provenance.StepRecord.model_validate({**step.record.model_dump(), **changes})
        except ValidationError as error:
            raise DatasetError(f"{self._log.path} contains an invalid step record ({first_fault(error)}).") from error
        return self.state.with_amended(replace(step, record=record))

    def _with_text(self, step: DraftStep, text: str) -> DraftState:
        if not isinstance(step.action, Type):
            raise DatasetError(f"{self._log.path} adds text to a step that is not a TYPE.")
        record = step.record.model_copy(update={"input": provenance.TextRecord(text=text)})
        return self.state.with_amended(replace(step, action=Type(text), record=record))

    def _existing_step(self, key: int) -> DraftStep:
        step = self.state.step(key)
        if step is None:
            raise DatasetError(f"{self._log.path} changes a step that does not exist.")
        return step

    def _action(self, tree: dict[str, Json]) -> Action:
        return action_from_json(tree, source=f"{self._log.path}, step {step_number(len(self.steps))}")


def _rejected(step: DraftStep, *, rejects: bool) -> tuple[provenance.RejectedRecord, ...]:
    """What was rejected on the screen of a removed step, before it or with it."""
    before, agent = step.record.rejected, step.record.agent
    if not rejects or agent is None:
        return before
    return (*before, provenance.RejectedRecord(action=action_to_json(step.action), agent=agent))


def read_head(folder: Path) -> DraftHead:
    """Raises DatasetError."""
    path = folder / "draft.json"
    try:
        head = DraftHead.model_validate_json(read_dataset_file(path, Largest.PROVENANCE, within=folder))
    except ValidationError as error:
        raise DatasetError(f"{path} is not a valid draft: {first_fault(error)}.") from error
    provenance.expect_format(head.format, path)
    if head.episode_id != folder.name.partition("-")[0]:  # in the trash the time follows
        raise DatasetError(f"{path} belongs to another draft.")
    return head
