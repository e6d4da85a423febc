"""The slow work of a recording, on worker threads: encoding, device queries, inputs, publishing."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Literal

from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.device import ControllableDevice, ScreenState, Snapshots
from odyssey_recorder.device.measured import Measured
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.view_hierarchy import (
    ViewNode,
    field_text,
    focused_field,
    focused_text,
    is_within,
    navigation_buttons,
    shows_overview,
)
from odyssey_recorder.errors import DatasetError, DeviceError, InputRefusedError, RecordingError
from odyssey_recorder.gesture.areas import Navigation, ScreenAreas, is_right_to_left
from odyssey_recorder.model.action import Complete, Impossible, SystemKey
from odyssey_recorder.model.geometry import Box
from odyssey_recorder.recording import events
from odyssey_recorder.recording.step_writer import SavedFrame, StepWriter, Tree

MAX_SNAPSHOTS = 5
"""Each snapshot contains the whole device memory, which can be a gigabyte."""
MAX_SNAPSHOT_S = 1.0
"""If a snapshot takes longer, "auto" makes no more: the annotator would wait for each."""

SnapshotPolicy = Literal["auto", "always", "never"]


_WORKERS = 2
"""One for screenshots, one for inputs: neither waits for a query of the device, which may take seconds."""
_READERS = 2
"""One for the screen state, one for the screen state of the previous screen."""

PASSED = "another screen followed before its view hierarchy could be read"

_GESTURES = "2"
"""The value of the secure setting `navigation_mode` for gestures; all others mean buttons."""

_TASKBAR_SDK = 32
"""The first Android whose launcher shows a taskbar on large screens."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScreenStateRead:
    """The screen state as of `read_ns`, requested while the device showed a frame; None if unknown."""

    frame_number: int
    state: ScreenState | None
    read_ns: int


@dataclass(frozen=True, slots=True)
class RestoreScreenRead:
    """The screen state, requested while the device showed a frame during a restore; None if unknown."""

    frame: Frame
    state: ScreenState | None


@dataclass(frozen=True, slots=True)
class TreeRead:
    """The view hierarchy, complete at `read_ns`, requested while the screen showed a frame; or None, and `why`."""

    frame_number: int
    tree: Tree | None
    read_ns: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Sent:
    started_ns: int
    ended_ns: int


@dataclass(frozen=True, slots=True)
class EpisodeInDataset:
    annotation: Path


@dataclass(frozen=True, slots=True)
class WorkerFailed:
    error: Exception


Reading = ScreenStateRead | RestoreScreenRead | TreeRead
Outcome = events.PassiveEvent | SavedFrame | Reading | Sent | EpisodeInDataset | WorkerFailed


class StepSnapshots:
    """Snapshots by the key of the step that follows them. All calls but `wanted` block; callable from any thread."""

    def __init__(self, device: Snapshots, episode_id: str, policy: SnapshotPolicy) -> None:
        self._device = device
        self._prefix = f"odyssey-{episode_id}-"
        self._policy = policy
        self._is_enabled = policy != "never"
        self._keys: list[int] = []
        self._lock = threading.Lock()

    @property
    def wanted(self) -> bool:
        return self._is_enabled and self._device.keeps_snapshots

    def save(self, key: int) -> None:
        """Save the device before step `key`. On failure the annotator restores by hand."""
        with self._lock:
            began_s = time.monotonic()
            try:
                self._device.save_snapshot(self._name(key))
            except DeviceError as error:
                _log.warning("No more snapshots are made for undo: %s", error)
                self._is_enabled = False
                return
            if self._policy == "auto" and time.monotonic() - began_s > MAX_SNAPSHOT_S:
                self._is_enabled = False
            self._keys = [*(known for known in self._keys if known != key), key]
            while len(self._keys) > MAX_SNAPSHOTS:
                self._forget(self._name(self._keys.pop(0)))

    def load(self, key: int) -> bool:
        """Restore the device to before step `key`; False if there is no snapshot. Raises DeviceError."""
        with self._lock:
            if self._name(key) not in self._existing():
                return False
            self._device.load_snapshot(self._name(key))
            return True

    def forget_all(self) -> None:
        """Delete all snapshots of this recording, including those of an earlier process."""
        with self._lock:
            try:
                names = self._existing()
            except DeviceError as error:
                _log.info("Snapshots %s* may be left on the emulator: %s", self._prefix, error)
                return
            for name in names:
                self._forget(name)

    def _name(self, key: int) -> str:
        return f"{self._prefix}{key}"

    def _existing(self) -> list[str]:
        if self._policy == "never" or not self._device.keeps_snapshots:
            return []
        return [name for name in self._device.snapshots() if name.startswith(self._prefix)]

    def _forget(self, name: str) -> None:
        try:
            self._device.delete_snapshot(name)
        except DeviceError as error:
            _log.info("The snapshot %s is left on the emulator: %s", name, error)


class RecorderWork:
    """Does the work of one recording and passes outcomes to `report`, on the workers' threads."""

    def __init__(
        self,
        device: ControllableDevice,
        writer: StepWriter,
        snapshots: StepSnapshots,
        report: Callable[[Outcome], None],
    ) -> None:
        self._device = device
        self._writer = writer
        self._snapshots = snapshots
        self._report = report
        self._is_finishing = False
        self._versions: dict[str, str] = {}
        self.typing = 0, 0
        """Characters typed and length of the text; 0, 0 while nothing is being typed."""
        self._buttons: tuple[Mapping[SystemKey, Box], ...] = ()
        """All positions of the navigation buttons that view hierarchies showed, the newest first."""
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="recording")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="looking")
        self._tree_reader = ThreadPoolExecutor(1, thread_name_prefix="reading views")
        self._wanted_tree = 0

    def finish(self) -> None:
        """Wait for submitted work, but drop queries that have not begun. A long text stops after its current piece."""
        self._is_finishing = True
        self._workers.shutdown(wait=True)
        for readers in (self._readers, self._tree_reader):
            readers.shutdown(wait=True, cancel_futures=True)

    def keep_screenshot(self, frame: Frame, *, snapshot: int | None = None) -> None:
        """Write a frame's screenshot; reports SavedFrame or StorageFailed.

        With `snapshot`, the key of the next step, a snapshot of the device is saved before the report.
        """
        self._submit(self._workers, partial(self._write_screenshot, frame, snapshot))

    def load_snapshot(self, key: int) -> None:
        """Load the snapshot from before step `key`, if any; reports Returned."""
        self._submit(self._workers, partial(self._load_snapshot, key))

    def forget_snapshots(self) -> None:
        if self._is_finishing:  # an episode was published while the recording stopped: no worker is left
            self._snapshots.forget_all()
        else:
            self._workers.submit(self._snapshots.forget_all)

    def read_screen(self, frame_number: int) -> None:
        """Reports ScreenStateRead."""
        self._submit(self._readers, lambda: ScreenStateRead(frame_number, self._screen_state(), time.monotonic_ns()))

    def read_screen_while_restoring(self, frame: Frame) -> None:
        """Read the screen state, for the status bar to ignore; reports RestoreScreenRead."""
        self._submit(self._readers, lambda: RestoreScreenRead(frame, self._screen_state()))

    def read_tree(self, frame_number: int) -> None:
        """Reports TreeRead. Only the newest request is read: one takes about two seconds."""
        self._wanted_tree = frame_number

        def read() -> Outcome:
            if frame_number != self._wanted_tree:
                return TreeRead(frame_number, None, time.monotonic_ns(), PASSED)
            return self._read_tree(frame_number)

        self._submit(self._tree_reader, read)

    def read_field(self, frame_number: int) -> None:
        """Read the focused field and the view hierarchy; reports FieldRead, then TreeRead."""

        def read() -> Outcome:
            requested_ns = time.monotonic_ns()
            read = self._read_tree(frame_number)
            self._report(_field_read(read, requested_ns))
            return read

        self._submit(self._tree_reader, read)

    def read_areas(self, frame_number: int, check_clock: Callable[[], bool]) -> None:
        """Read the device's clock, then the areas of its screen; reports ScreenStateRead, then ScreenLooked."""

        def look() -> Outcome:
            requested_ns = time.monotonic_ns()
            agrees = self._clock_agrees(check_clock)
            state = self._screen_state()
            self._report(ScreenStateRead(frame_number, state, time.monotonic_ns()))
            areas = self._areas(state) if state is not None else None
            return events.ScreenLooked(areas, requested_ns, time.monotonic_ns(), clock_agreed=agrees)

        self._submit(self._readers, look)

    def send(self, intent: events.Intent) -> None:
        """Carry an input out; reports Sent, InputRefused or InputUncertain."""
        self._submit(self._workers, partial(self._send, intent))

    def publish(self, store: EpisodeStore, draft: Draft) -> None:
        """Reports EpisodeInDataset or StorageFailed."""
        self._submit(self._workers, lambda: EpisodeInDataset(store.publish(draft)))

    def _submit(self, workers: ThreadPoolExecutor, call: Callable[[], Outcome]) -> None:
        def run() -> None:
            try:
                self._report(call())
            except DatasetError as error:
                self._report(events.StorageFailed(str(error), time.monotonic_ns()))
            except Exception as error:  # noqa: BLE001 - top of a thread; the engine raises it again
                self._report(WorkerFailed(error))

        workers.submit(run)

    def _write_screenshot(self, frame: Frame, snapshot: int | None) -> Outcome:
        try:
            kept = self._writer.write_screenshot(frame)
        except DatasetError as error:
            return events.StorageFailed(str(error), time.monotonic_ns(), frame.number)
        if snapshot is not None:
            self._snapshots.save(snapshot)
        return kept

    def _load_snapshot(self, key: int) -> Outcome:
        try:
            self._snapshots.load(key)
        except DeviceError as error:
            return events.Returned(time.monotonic_ns(), str(error))
        return events.Returned(time.monotonic_ns())

    def _screen_state(self) -> ScreenState | None:
        """With the version of the app, which is asked for once."""
        try:
            state = self._device.screen_state()
            if state.package and state.package not in self._versions:
                self._versions[state.package] = self._device.app_version(state.package)
                state = self._device.screen_state()
            return replace(state, app_version=self._versions.get(state.package, ""))
        except DeviceError:
            return None  # a lost device shows in the frames

    def _read_tree(self, frame_number: int) -> TreeRead:
        try:
            xml = self._device.view_hierarchy()
            read_ns = time.monotonic_ns()
            tree = self._writer.write_tree(xml)
            if (buttons := navigation_buttons(tree.nodes)) and buttons not in self._buttons[:1]:
                self._buttons = (buttons, *(known for known in self._buttons if known != buttons))
            return TreeRead(frame_number, tree, read_ns)
        except (DeviceError, RecordingError) as error:
            _log.info("No view hierarchy for frame %d: %s", frame_number, error)
            return TreeRead(frame_number, None, time.monotonic_ns(), str(error))

    def _clock_agrees(self, check_clock: Callable[[], bool]) -> bool:
        try:
            agrees = check_clock()
        except DeviceError:
            return False
        if not agrees:
            self._report(events.ClockJumped())
        return agrees

    def _areas(self, state: ScreenState) -> ScreenAreas | None:
        try:
            mode = self._device.setting("secure", "navigation_mode")
            return self._with_buttons(self._plain_areas(state, mode))
        except DeviceError:
            return None

    def _plain_areas(self, state: ScreenState, mode: str) -> ScreenAreas:
        return ScreenAreas(
            state.size,
            state.rotation,
            state.navigation_bar,
            state.keyboard,
            Navigation.GESTURES if mode == _GESTURES else Navigation.BUTTONS,
            state.package,
            state.activity,
            state.panel,
            folds=bool(state.posture),
            has_taskbar=self._has_taskbar,
            error_dialog=state.error_dialog,
        )

    def _with_buttons(self, areas: ScreenAreas) -> ScreenAreas:
        """As measured or read; computed ones depend on the language."""
        read = (buttons for buttons in self._buttons if _are_on(areas.navigation_bar, buttons))
        if buttons := self._measured.buttons_on(areas.size, areas.rotation) or next(read, {}):
            return replace(areas, buttons=buttons)
        return replace(areas, right_to_left=is_right_to_left(self._device.setting("system", "system_locales")))

    @cached_property
    def _measured(self) -> Measured:
        return self._device.measured()

    @cached_property
    def _has_taskbar(self) -> bool:
        sdk = self._device.properties().sdk_version
        return not sdk.isdecimal() or int(sdk) >= _TASKBAR_SDK

    def _send(self, intent: events.Intent) -> Outcome:
        started_ns = time.monotonic_ns()
        try:
            match intent:
                case events.Touch(stroke):
                    self._device.touch(stroke)
                case events.KeyPress(key):
                    self._device.press(key)
                case events.TextEntered(text):
                    self._type(text)
                case Complete() | Impossible():
                    raise AssertionError("a terminal action sends nothing")
        except InputRefusedError as error:
            return events.InputRefused(str(error), time.monotonic_ns())
        except DeviceError as error:
            return events.InputUncertain(str(error))
        return Sent(started_ns, time.monotonic_ns())

    def _type(self, text: str) -> None:
        def note(typed: int) -> None:
            if self._is_finishing and typed < len(text):
                raise InputRefusedError(f"The recording was stopped after {typed} of {len(text)} characters.")
            self.typing = typed, len(text)
            self._report(events.Tick(time.monotonic_ns()))  # publishes the view again

        try:
            self._device.type_text(text, note)
        finally:
            self.typing = 0, 0


def _are_on(bar: Box | None, buttons: Mapping[SystemKey, Box]) -> bool:
    return bar is not None and all(is_within(box, bar) for box in buttons.values())


def _field_read(read: TreeRead, requested_ns: int) -> events.FieldRead:
    if read.tree is None:
        return events.FieldRead(None, requested_ns, read.read_ns)
    nodes = tuple(node for node in read.tree.nodes if node.active)  # not what a keyboard suggests
    focused = focused_field(nodes)
    return events.FieldRead(
        focused_text(nodes),
        requested_ns,
        read.read_ns,
        "" if focused is None else _field_name(focused),
        tuple((_field_name(node), field_text(node)) for node in nodes if node.is_field and not node.password),
        frozenset(node.text for node in nodes if node.text and not node.is_field),
        shows_overview(nodes),
    )


def _field_name(field: ViewNode) -> str:
    return field.resource_id or f"{field.box.left},{field.box.top}"
