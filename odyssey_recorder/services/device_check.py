"""A check of a device that anyone can run: in at most three minutes, on the device itself, which stays as it was."""

import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_keyboard import CHOSEN_KEYBOARD
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.emulator_console import console_of
from odyssey_recorder.device.kept_settings import NEVER_SET, put_command
from odyssey_recorder.device.repair import WHILE_RECORDING
from odyssey_recorder.device_check.checked import CheckedDevice, Patience, in_field
from odyssey_recorder.device_check.found import (
    CheckLine,
    DeviceReport,
    Outcome,
    different,
    expected,
    guarded,
    impossible,
    without_names,
)
from odyssey_recorder.device_check.probes import PROBES, Probe, facts_of
from odyssey_recorder.device_check.screens import AUTO_ROTATE, LOCKED_TO
from odyssey_recorder.errors import DeviceError, RecordingError
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.recording import script
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView
from odyssey_recorder.replay.player import PlayRules
from odyssey_recorder.replay.replay import replay_episode
from odyssey_recorder.services.recording import RecordingService, check_alone

__all__ = ["CheckLine", "DeviceReport", "Outcome", "Patience"]

LONGEST_S = 180.0
_READ_S = 20.0
_INSTRUCTION = "Look for the display in Settings"
_TASK = TaskInfo("General_Tool", ("Settings",), _INSTRUCTION, _INSTRUCTION, _INSTRUCTION)
_CHANGED = (CHOSEN_KEYBOARD, *WHILE_RECORDING, AUTO_ROTATE, LOCKED_TO)
_NOT_YET = "Do not record on this device yet: send this report."
_Move = script.Command | Callable[[CheckedDevice], script.Command]


@dataclass(frozen=True, slots=True)
class DeviceCheck:
    """Calls block, and raise OdysseyError."""

    connector: DeviceConnector
    patience: Patience = field(default_factory=Patience)
    probes: Mapping[str, Probe] = field(default_factory=lambda: ALL_PROBES)

    def run(self, serial: str, progress: Progress = untold, cancelled: Cancelled = never) -> DeviceReport:
        """Find out everything about a device, keep what was measured, and restore what was changed.

        What a device refuses is in the report, and that it was lost. Raises CancelledError; DeviceError if the device
        cannot be reached at all, and DatasetError if nothing can be kept.
        """
        started_s = time.monotonic()
        with self._connected(serial, cancelled) as checked:
            facts = {name: without_names(value, checked.device) for name, value in facts_of(checked).items()}
            lines: list[CheckLine] = []
            before = _settings_of(checked)
            with _left_as_it_was(checked):
                for number, (what, probe) in enumerate(self.probes.items(), 1):
                    progress((number - 1) / len(self.probes), f"{what}, {number} of {len(self.probes)}")
                    if time.monotonic() - started_s > LONGEST_S:
                        lines.append(impossible(what, f"The check ends after {LONGEST_S:g} s."))
                    else:
                        lines += guarded(what, checked.device, probe(checked))
            lines += guarded("Settings", checked.device, _not_restored(checked, before))
            with suppress(DeviceError):
                checked.keep_measured()
        return DeviceReport(facts, tuple(lines), round(time.monotonic() - started_s))

    @contextmanager
    def _connected(self, serial: str, cancelled: Cancelled) -> Iterator[CheckedDevice]:
        with (
            closing(self.connector.connect(serial)) as device,
            closing(AdbShell(serial, self.connector.server)) as shell,
        ):
            token = self.connector.console_token
            console = console_of(serial, token) if token is not None else None
            yield CheckedDevice(device, shell, console, self.connector, self.patience, cancelled, device.measured())


@contextmanager
def _left_as_it_was(checked: CheckedDevice) -> Iterator[None]:
    front = checked.device.screen_state().package
    try:
        yield
    finally:
        with suppress(DeviceError), checked.undisturbed():
            checked.device.press(SystemKey.HOME)
            if front and "launcher" not in front.lower():
                checked.shell.run(f"monkey -p {front} -c android.intent.category.LAUNCHER 1")


def _settings_of(checked: CheckedDevice) -> Mapping[tuple[str, str], str]:
    return {name: checked.device.setting(*name) for name in _CHANGED}


def _not_restored(checked: CheckedDevice, before: Mapping[tuple[str, str], str]) -> Iterator[CheckLine]:
    after = _settings_of(checked)
    for name, value in before.items():
        if after[name] != value:
            is_keyboard = name == CHOSEN_KEYBOARD
            command = shlex.join(("ime", "set", value)) if is_keyboard else put_command(name, value or NEVER_SET)
            found = f"{' '.join(name)} was {value or 'never set'}, and now is {after[name] or 'not set'}"
            yield different("Settings", found, f"It did not come back. Change it by hand: adb shell {command}")
    if after == before:
        yield expected("Settings", "the keyboard and the other settings that were changed are as they were")


def recording(checked: CheckedDevice) -> Iterator[CheckLine]:
    """An episode, recorded into a dataset of its own, checked, and replayed, with what was measured before."""
    checked.keep_measured()
    rules = PlayRules(settle=checked.patience.settle, patience_ms=checked.patience.effect_ms)
    with (
        closing(checked.connector.connect(checked.device.serial)) as device,
        TemporaryDirectory(prefix="odyssey-check-") as folder,
    ):
        checked = replace(checked, device=device)
        store = EpisodeStore(Path(folder) / "dataset", drafts=Path(folder) / "drafts")
        _go_to_start(checked)
        annotation = _recorded(checked, RecordingService(checked.connector, store, "device check", "script"))
        report = check_alone(annotation)
        _go_to_start(checked)
        result = replay_episode(annotation, device, rules)
    errors = sorted({finding.check for finding in report.findings if finding.severity is Severity.ERROR})
    steps = f"{len(result.episode.steps)} steps"
    if errors:
        yield different("Recording", f"{steps}, with errors: {', '.join(errors)}", _NOT_YET)
    else:
        yield expected("Recording", f"{steps}, and the checks found no error")
    yield expected("Replay", result.summary) if result.exit_code == 0 else different("Replay", result.summary, _NOT_YET)


def _go_to_start(checked: CheckedDevice) -> None:
    """The home screen, with Settings as the newest of the recent apps: a replay starts there too."""
    checked.open_settings()
    checked.act(SystemKey.HOME)


def _recorded(checked: CheckedDevice, service: RecordingService) -> Path:
    """The annotation of an episode. Raises RecordingError."""
    player = script.ScriptPlayer()
    recorder = service.begin(checked.device, Assignment(_TASK), player)
    try:
        recorder.start()
        for move in _MOVES:
            checked.stop_if_cancelled()
            if callable(move):
                with suppress(RecordingError):  # it records without views too
                    recorder.wait_for(_is_read, _READ_S)
                move = move(checked)
            player.perform(move, recorder)
        published = player.published(recorder).published
        assert published is not None
        return published
    finally:
        recorder.stop()
        recorder.join()


def _is_read(view: RecordingView) -> bool:
    return view.state is State.READY and (view.is_read or view.no_tree != "")


def _down_the_middle(checked: CheckedDevice, *places: float) -> tuple[tuple[int, int], ...]:
    """`places` are shares of the height."""
    size = checked.device.capture().size
    return tuple((size.width // 2, int(size.height * place)) for place in places)


def _field(checked: CheckedDevice) -> tuple[int, int]:
    at = in_field(checked.search_view().box)
    return at.x, at.y


_MOVES: tuple[_Move, ...] = (
    script.PressKey(key="RECENT"),
    lambda checked: script.Tap(tap=_down_the_middle(checked, 0.5)[0]),
    lambda checked: script.Swipe(swipe=_down_the_middle(checked, 0.7, 0.6, 0.5), ms=400),
    lambda checked: script.Swipe(swipe=_down_the_middle(checked, 0.5, 0.65, 0.8), ms=400),
    lambda checked: script.Tap(tap=_field(checked)),
    script.TypeText(type="display"),
    lambda checked: script.ScriptLongPress(long_press=_field(checked)),
    script.PressKey(key="BACK"),
    script.PressKey(key="HOME"),
    script.ScriptComplete(complete="Done"),
)
ALL_PROBES: Mapping[str, Probe] = {**PROBES, "Recording": recording}
