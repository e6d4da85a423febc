"""Records clean episodes: chores on one simulated emulator, which is restored to the same snapshot each time."""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from odyssey_recorder.commands.demo_annotator import Eyes
from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.errors import RecordingError
from odyssey_recorder.model.assignment import Assignment, FromSnapshot
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.recording.script import ScriptImpossible, TypeText
from odyssey_recorder.simulated.private_emulators import PrivateEmulators
from odyssey_recorder.wiring.demo import demo_service
from tests.checking.clean.generated_tasks import GeneratedTask
from tests.checking.damaged.recordings import record_moves

CLEAN = FromSnapshot("clean")
PASSIVE_INTERVAL = 4


def record_generated_tasks(folder: Path, profile: str, generated_tasks: Iterable[GeneratedTask]) -> None:
    with PrivateEmulators(Path(find_adb())) as emulators:
        service = demo_service(emulators, folder, actor="script", profile=profile)
        with closing(service.connect(emulators.phones.start(profile, animation=False))) as device:
            device.close_recents()
            device.save_snapshot(CLEAN.name)
            eyes = Eyes(emulators, device.serial)
            for number, (task, moves) in enumerate(generated_tasks, 1):
                needs_window = any(isinstance(move, TypeText | ScriptImpossible) for move in moves)
                mode: Mode = "mirror" if needs_window or number % PASSIVE_INTERVAL else "passive"
                assignment = Assignment(task, start=CLEAN)
                try:
                    record_moves(service, device, eyes, assignment, moves, mode)
                except RecordingError:  # a busy computer may lose the device, and a script cannot restore its screen
                    record_moves(service, device, eyes, assignment, moves, mode)
