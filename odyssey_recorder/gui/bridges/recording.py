"""Passes the annotator's commands to devices and recorders, and reports the outcomes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from odyssey_recorder.device.device import Device, DeviceProperties, ListedDevice
from odyssey_recorder.device.preflight import PreflightFinding, findings, fix, take_readings
from odyssey_recorder.device.profile import profile_of
from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gui.bridges.recorder import LiveView, RecorderBridge
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.model.action import Complete, Impossible, SystemKey
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import Actor, Mode
from odyssey_recorder.recording.notice import Notice
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import Listener, RecordingView

if TYPE_CHECKING:
    from odyssey_recorder.dataset.goals import Facts
    from odyssey_recorder.device.connector import DeviceConnector
    from odyssey_recorder.model.finding import EpisodeReport
    from odyssey_recorder.recording.recorder import Recorder
    from odyssey_recorder.services.proof import EndProof
    from odyssey_recorder.services.recording import DraftSummary, RecordingService

T = TypeVar("T")


class Phase(Enum):
    """The annotator's progress; while RECORDING, the recorder's state says more."""

    NO_DEVICE = "no device"
    CONNECTING = "connecting"
    WATCHING = "watching"
    STARTING = "starting"
    RECORDING = "recording"
    FINISHED = "finished"


class RecordingController(QObject):
    """Owns the chosen device and the recorder; methods return at once, outcomes come as signals."""

    phase_changed = Signal(object)
    devices_listed = Signal(object)
    listing_failed = Signal(str)
    connecting_failed = Signal(str)
    device_connected = Signal(object)
    drafts_listed = Signal(object)
    day_counted = Signal(object)
    frame_came = Signal(object)
    view_changed = Signal(object)
    watching_failed = Signal(str)
    noticed = Signal(object)
    looked_over = Signal(object)
    look_over_failed = Signal(str)
    failed = Signal(str)

    def __init__(self, service: "RecordingService", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.background = Background(self)
        self._service = service
        self.phase = Phase.NO_DEVICE
        self.serial = ""  # the chosen device, empty without one
        self._labels: dict[str, str] = {}  # of the listed devices, by serial
        self.mode: Mode = "mirror"
        self.assignment: Assignment | None = None
        self.is_practising = False
        self.is_needed = True  # not for reviewers, who record nothing
        self._about: _About | None = None
        self._device: Device | None = None
        self._recorder: Recorder | None = None
        self._bridge: RecorderBridge | None = None
        self._facts: Facts | None = None  # what the device said at the start of the present recording
        self._asks_facts = False
        self._begins_again: Assignment | None = None  # once the present recording is in the trash
        self.wanted_device = ""  # the name of the one that is being started
        self._resumes: Callable[[], None] | None = None  # on the device that is being connected
        self._live = LiveView(self.background, self)
        self._live.frame_came.connect(self.frame_came)
        self._live.failed.connect(self.watching_failed)

    @property
    def label(self) -> str:
        return self._labels.get(self.serial, self.serial) or self.wanted_device

    @property
    def capture_path(self) -> str:
        return "" if self._device is None else self._device.capture_path

    @property
    def is_simulated(self) -> bool:
        return self._about is not None and self._about.properties.is_simulated

    @property
    def is_agents(self) -> bool:
        """Whether the recording was begun by an agent, in this window or another."""
        return self._recorder is not None and self._recorder.actor == "agent"

    @property
    def profile(self) -> str | None:
        """The key of the device's profile, empty if it has none; None without a device."""
        return None if self._about is None else self._about.profile

    @property
    def connector(self) -> "DeviceConnector":
        return self._service.connector

    @property
    def can_simulate(self) -> bool:
        return self._service.can_simulate

    def who_records(self) -> str:
        return self._service.who_records()

    def tell_recording(self, show: Callable[[str], None]) -> None:
        """Call `show` now and at every change with the serial of the device being recorded, empty without one."""

        def tell(phase: Phase) -> None:
            show(self.serial if phase in (Phase.STARTING, Phase.RECORDING) else "")

        self.phase_changed.connect(tell)
        tell(self.phase)

    # Devices and drafts.

    def list_devices(self) -> None:
        if not self.is_needed:
            return
        self.background.run(
            self._service.devices, self._on_devices_listed, lambda error: self.listing_failed.emit(error_text(error))
        )

    def list_drafts(self) -> None:
        """With the discarded ones that can be restored. Also count what was recorded today."""
        service = self._service
        self._run(lambda: [*service.drafts(), *service.discarded()], self.drafts_listed.emit)
        self.background.run(self._service.recorded_today, self.day_counted.emit)

    def reply(
        self, episode_id: str, words: str, on_done: Callable[[None], object], on_error: Callable[[Exception], object]
    ) -> None:
        self.background.run(partial(self._service.reply, episode_id, words), on_done, on_error)

    def start_simulated(self) -> None:
        self.wanted_device = ""
        self._enter(Phase.CONNECTING)
        self.background.run(self._service.simulate, self._on_simulated, partial(self._fail_connecting, self.serial))

    def choose_device(self, serial: str) -> None:
        """Connect to `serial` instead of the present device; ignored while recording, and if it is empty."""
        if self.phase in (Phase.STARTING, Phase.RECORDING) or serial in (self.serial, ""):
            return
        self._release_device()
        self.serial = serial
        self._enter(Phase.CONNECTING)
        call = partial(_connect, self._service, serial)
        self.background.run(call, partial(self._on_connected, serial), partial(self._fail_connecting, serial))

    def choose_mode(self, mode: Mode) -> None:
        if self.phase not in (Phase.STARTING, Phase.RECORDING):
            self.mode = mode
            self._show_window()
            self.look_over()

    def look_over(self) -> None:
        """Check the device for passive mode, if that is the mode; ignored while recording."""
        if self._device is None or self.phase is not Phase.WATCHING or self.mode != "passive":
            return
        device = self._device

        def report(error: Exception) -> None:
            text = error_text(error)
            if device is self._device:
                self.look_over_failed.emit(text)

        def show(found: Sequence[PreflightFinding]) -> None:
            if device is self._device:
                self.looked_over.emit(found)

        self.background.run(lambda: findings(take_readings(device)), show, report)

    def fix(self, finding: PreflightFinding) -> None:
        if self._device is not None and self.phase is Phase.WATCHING:
            self._run(partial(fix, self._device, finding), lambda _: self.look_over(), self.look_over)

    def discard_draft(self, episode_id: str) -> None:
        self._run(partial(self._service.discard, episode_id), lambda _: self.list_drafts())

    def restore_draft(self, episode_id: str) -> None:
        self._run(partial(self._service.restore, episode_id), lambda _: self.list_drafts())

    def press_unrecorded(self, key: SystemKey) -> None:
        """Press a key before the recording, to bring the device to where the task starts."""
        if self._device is not None and self.phase is Phase.WATCHING:
            self._run(partial(self._device.press, key), lambda _: None)

    # A recording.

    def start(self, assignment: Assignment, actor: Actor | None = None) -> None:
        mode = self.mode
        self.assignment, self.is_practising = assignment, assignment.is_practice
        begin = partial(self._service.begin, may_clear=True)  # the window has asked
        self._begin(lambda device, listener: begin(device, assignment, listener, mode, actor))

    def resume(self, draft: "DraftSummary", *, is_practice: bool = False) -> None:
        """On the chosen device, or on one that suits the draft, which is started if none runs."""
        if self._about is not None and self._service.suits(self._about.properties, draft):
            self._resume(draft.episode_id, is_practice=is_practice)
            return
        before = self.serial
        self._release_device()
        self.serial, self.wanted_device = "", draft.device.device_name
        self._enter(Phase.CONNECTING)

        def found(serial: str) -> None:
            if self.phase is Phase.CONNECTING and not self.serial:  # nobody has chosen another one meanwhile
                self._resumes = partial(self._resume, draft.episode_id, is_practice=is_practice)
                self._on_simulated(serial)

        def fail(error: Exception) -> None:
            if self.phase is Phase.CONNECTING and not self.serial:
                self._fail_connecting("", error)
                self.failed.emit(error_text(error))
                self.choose_device(before)

        self.background.run(partial(self._service.device_for, draft), found, fail)

    def _resume(self, episode_id: str, *, is_practice: bool) -> None:
        self.assignment, self.is_practising = None, is_practice
        self._begin(lambda device, listener: self._service.resume(device, episode_id, listener))

    def record_again(self) -> None:
        """Move the recording to the trash, and begin its task again on the same device."""
        if self._recorder is not None:
            self._begins_again = self._service.assignment_of(self._recorder)
            self._recorder.abandon()

    def ask(self, command: Callable[["Recorder"], None]) -> bool:
        """Send a command to the recorder; whether it took it. A refusal is emitted as `failed`."""
        if self._recorder is None:
            return False
        try:
            command(self._recorder)
        except OdysseyError as error:
            self.failed.emit(str(error))
            return False
        return True

    def check_trial(
        self,
        ending: Complete | Impossible,
        on_report: "Callable[[EpisodeReport], object]",
        on_failure: Callable[[Exception], object],
    ) -> None:
        """Check the episode as it would be published with `ending`, in the background."""
        if self._recorder is not None:
            self.background.run(partial(self._service.check_trial, self._recorder, ending), on_report, on_failure)

    def find_proof(self, on_found: "Callable[[EndProof], object]", on_failure: Callable[[Exception], object]) -> None:
        """What may be marked as proof that the task is done, in the background."""
        if self._recorder is not None:
            self.background.run(partial(_end_proof, self.connector, self._recorder, self._facts), on_found, on_failure)

    def stop(self) -> None:
        if self._recorder is not None:
            recorder = self._recorder
            recorder.stop()
            self._leave_recording()
            self._run(recorder.join, lambda _: self.list_drafts())

    def record_another(self) -> None:
        if self.phase is Phase.FINISHED:
            self._leave_recording()

    def close(self) -> None:
        """Release everything; a recording becomes a draft. Waits for the recorder's last write."""
        self._live.stop()
        if self._recorder is not None:
            self._recorder.stop()
            self._recorder.join()
        if self._device is not None:
            self._device.close()
        self.background.close()

    def _on_devices_listed(self, devices: Sequence[ListedDevice]) -> None:
        self._labels = {device.serial: device.label for device in devices}
        self.devices_listed.emit(devices)

    def _on_simulated(self, serial: str) -> None:
        self.list_devices()
        self.choose_device(serial)

    def _on_connected(self, serial: str, connected: "tuple[Device, _About]") -> None:
        device, about = connected
        if serial != self.serial:
            device.close()
            return
        self._device = device
        self._about = about
        self.device_connected.emit(about.rules)
        self._enter(Phase.WATCHING)
        self._live.start(device)
        self._show_window()
        self.look_over()
        resumes, self._resumes = self._resumes, None
        if resumes is not None:
            resumes()

    def _show_window(self) -> None:
        """The simulated emulator's own window is for passive mode; in mirror mode it would only hide ours."""
        self._service.show_window(self.serial, on=self.mode == "passive")

    def _fail_connecting(self, serial: str, error: Exception) -> None:
        if serial != self.serial:
            return  # another device was chosen
        self.serial, self._resumes = "", None
        self._enter(Phase.NO_DEVICE)
        self.connecting_failed.emit(error_text(error))
        self.list_devices()

    def _release_device(self) -> None:
        self._live.stop()
        if self._device is not None:
            self._service.show_window(self._device.serial, on=False)
            self._device.close()
            self._device = self._about = None

    def _begin(self, make: Callable[[Device, Listener], "Recorder"]) -> None:
        if self._device is None or self.phase is not Phase.WATCHING:
            return
        self._live.stop()
        self._make(self._device, make)

    def _make(self, device: Device, make: Callable[[Device, Listener], "Recorder"]) -> None:
        self._begins_again = None
        self._enter(Phase.STARTING)
        bridge = RecorderBridge(self)

        def give_up() -> None:
            bridge.deleteLater()
            self._leave_recording()

        self._run(partial(make, device, bridge), partial(self._on_recorder_ready, bridge), give_up)

    def _on_recorder_ready(self, bridge: RecorderBridge, recorder: "Recorder") -> None:
        self._bridge, self._recorder, self.mode = bridge, recorder, recorder.mode
        self._show_window()
        bridge.frame_came.connect(self.frame_came)
        bridge.view_changed.connect(self._on_view)
        bridge.notice_came.connect(self.noticed)
        self._enter(Phase.RECORDING)
        self._facts, self._asks_facts = None, not (self.is_practising or recorder.actor == "agent")
        recorder.start()
        if kept := recorder.origin.start.kept:
            why = "The package is unknown, or Android did not delete the data."
            self.noticed.emit(Notice(f"These apps keep their data: {', '.join(kept)}. {why}"))

    def _on_view(self, view: RecordingView) -> None:
        if self.sender() is not self._bridge:
            return
        self.view_changed.emit(view)
        if self._asks_facts and view.state is State.READY:
            self._asks_facts = False
            if not view.steps:
                self._ask_facts()
        if view.state is State.FINISHED:
            self._enter(Phase.FINISHED)
            self.list_drafts()  # without a resumed one
        elif view.state is State.ABANDONED:
            self._leave_recording() if self._begins_again is None else self._begin_again(self._begins_again)
            self.list_drafts()

    def _ask_facts(self) -> None:
        """What the device says before the first action; unknown if it does not answer, or after a resume."""
        recorder = self._recorder
        assert recorder is not None

        def keep(facts: "Facts") -> None:
            if recorder is self._recorder:
                self._facts = facts

        self.background.run(partial(_device_facts, self.connector, recorder.serial), keep, lambda _: None)

    def _begin_again(self, assignment: Assignment) -> None:
        """The new recorder is made once the discarded one has restored the device's settings."""
        recorder, self.assignment = self._let_go(), assignment
        assert self._device is not None
        assert recorder is not None

        def make(device: Device, listener: Listener) -> "Recorder":
            recorder.join()
            return self._service.begin(device, assignment, listener, recorder.mode, may_clear=True)

        self._make(self._device, make)

    def _let_go(self) -> "Recorder | None":
        recorder, bridge = self._recorder, self._bridge
        self._recorder = self._bridge = None
        if recorder is not None and bridge is not None:
            self._run(recorder.join, lambda _: bridge.deleteLater())  # its threads may call the bridge until they end
        return recorder

    def _leave_recording(self) -> None:
        self._let_go()
        if self._device is not None:
            self._enter(Phase.WATCHING)
            self._live.start(self._device)

    def _enter(self, phase: Phase) -> None:
        self.phase = phase
        self.phase_changed.emit(phase)

    def _run(
        self, call: Callable[[], T], on_done: Callable[[T], object], on_failure: Callable[[], object] = lambda: None
    ) -> None:
        def report(error: Exception) -> None:
            on_failure()
            self.failed.emit(error_text(error))

        self.background.run(call, on_done, report)


@dataclass(frozen=True, slots=True)
class _About:
    """What a device says of itself, and the key of its profile, empty without one."""

    properties: DeviceProperties
    profile: str
    rules: TouchRules


def _connect(service: "RecordingService", serial: str) -> tuple[Device, _About]:
    device = service.connect(serial)
    try:
        properties = device.properties()
        profile = profile_of(properties)
        return device, _About(properties, "" if profile is None else profile.key, service.touch_rules(device))
    except OdysseyError:
        device.close()
        raise


def _device_facts(connector: "DeviceConnector", serial: str) -> "Facts":
    from odyssey_recorder.services.proof import device_facts  # imported late: the window opens sooner

    return device_facts(connector, serial)


def _end_proof(connector: "DeviceConnector", recorder: "Recorder", before: "Facts | None") -> "EndProof":
    from odyssey_recorder.services.proof import end_proof  # imported late: the window opens sooner

    return end_proof(connector, recorder, before)
