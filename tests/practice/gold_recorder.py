"""Records the gold episodes of the practice tasks again, on a simulated emulator.

    python -m tests.practice.gold_recorder [FOLDER ...]

A practice script is like a recording script (docs/scripts.md), but finds positions by text: ``{"on": "Notes"}``,
``{"on": "Delta", "hold": true}``, and ``{"reach": "About phone"}``, which scrolls there.
"""

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from rich.console import Console

from odyssey_recorder.commands.demo_annotator import Drag, Eyes, Move, On
from odyssey_recorder.commands.terminal import say
from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.device.device import Device
from odyssey_recorder.errors import RecordingError, ScriptError
from odyssey_recorder.files import Largest, read_text, write_durably
from odyssey_recorder.practice.gold import Trail, gold_as_json, trail_of
from odyssey_recorder.practice.tasks import PracticeTask, practice_tasks
from odyssey_recorder.recording import script
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import State
from odyssey_recorder.simulated.private_emulators import PrivateEmulators
from odyssey_recorder.validation import ClosedModel
from odyssey_recorder.wiring.demo import demo_service

PROFILE = "small_phone"
_MOST_DRAGS = 12
_DRAG = 0.4


class _On(ClosedModel):
    on: str
    hold: bool = False


class _Reach(ClosedModel):
    reach: str


_Command = _On | _Reach | script.Command
_COMMAND: TypeAdapter[_Command] = TypeAdapter(_Command)


@dataclass(frozen=True, slots=True)
class Recorded:
    trail: Trail
    gold: bytes


class GoldRecorder:
    def __init__(self, emulators: PrivateEmulators, folder: Path, profile: str = PROFILE) -> None:
        self._emulators = emulators
        self._service = demo_service(emulators, folder, actor="script", profile=profile)

    def record(self, task: PracticeTask) -> Recorded:
        """Play the task on a freshly started simulated emulator. Raises OdysseyError."""
        serial = self._service.simulate()
        device = self._service.connect(serial)
        try:
            return self._record(task, device)
        finally:
            device.close()
            self._emulators.phones.stop()

    def _record(self, task: PracticeTask, device: Device) -> Recorded:
        player = script.ScriptPlayer()
        recorder = self._service.begin(device, replace(task.assignment, is_practice=False), player)
        eyes = Eyes(self._emulators, device.serial)
        try:
            recorder.start()
            for command in _read(task):
                for move in _moves(command, recorder, eyes):
                    player.perform(eyes.command(move), recorder)
            player.published(recorder)
        finally:
            recorder.stop()
            recorder.join()
        return self._recorded(recorder.episode_id)

    def _recorded(self, episode_id: str) -> Recorded:
        store = self._service.store
        episode, provenance = store.load(episode_id), store.provenance(episode_id)
        assert provenance is not None
        paths = [store.ui_tree_path(episode_id, step) for step in range(len(episode.steps))]
        trail = trail_of(episode, provenance, lambda step: read_text(paths[step], Largest.TREE))
        return Recorded(trail, gold_as_json(episode, trail))


def _read(task: PracticeTask) -> Iterator[_Command]:
    for number, text in enumerate(read_text(task.script_file, Largest.WRITTEN_BY_HAND).rstrip("\n").split("\n"), 1):
        try:
            yield _COMMAND.validate_json(text)
        except ValidationError as error:
            raise ScriptError(f"{task.script_file}, line {number}: {text} is not a command.") from error


def _moves(command: _Command, recorder: Recorder, eyes: Eyes) -> Iterator[Move]:
    """The moves for one line; each waits until the screen before it is recorded with its view hierarchy."""
    recorder.wait_for(lambda view: view.state is State.READY and view.is_read, script.PATIENCE_S)
    match command:
        case _On(on=label, hold=hold):
            yield On(label, hold)
        case _Reach(reach=label):
            for _ in range(_MOST_DRAGS):
                if eyes.see(label):
                    return
                yield Drag(up=_DRAG)
                recorder.wait_for(lambda view: view.state is State.READY and view.is_read, script.PATIENCE_S)
            raise RecordingError(f"Scrolling did not bring {label!r} to the simulated emulator's screen.")
        case _:
            yield command


def main(names: list[str]) -> None:
    console = Console()
    with tempfile.TemporaryDirectory(prefix="odyssey-gold-") as folder, PrivateEmulators(Path(find_adb())) as emulators:
        gold = GoldRecorder(emulators, Path(folder))
        for task in practice_tasks():
            if not names or task.folder.name in names:
                write_durably(task.gold_file, gold.record(task).gold)
                say(str(task.gold_file), to=console)


if __name__ == "__main__":
    main(sys.argv[1:])
