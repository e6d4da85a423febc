"""The clean episodes: scripted tasks on simulated emulators, recorded through the real adb."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

from odyssey_recorder.commands.demo import play, work_on_the_phone
from odyssey_recorder.commands.demo_annotator import Eyes, Move
from odyssey_recorder.dataset.layout import provenance_path
from odyssey_recorder.dataset.provenance import read_provenance
from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.device.device import Device
from odyssey_recorder.errors import RecordingError
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.recording.script import ScriptPlayer
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.simulated.private_emulators import PrivateEmulators
from odyssey_recorder.wiring.demo import demo_service
from tests.checking.damaged.scripted_tasks import SCRIPTED_TASKS, ScriptedTask

_PARALLEL = 3
_ATTEMPTS = 3


def record_tasks(folder: Path, *, seed: int, tasks: tuple[ScriptedTask, ...] = SCRIPTED_TASKS) -> Mapping[str, str]:
    """Record tasks into ``folder/dataset``; returns episode ids by task. Each device has its own wallpaper."""
    seeds = range(seed * len(tasks), (seed + 1) * len(tasks))
    with PrivateEmulators(Path(find_adb())) as emulators, ThreadPoolExecutor(_PARALLEL) as pool:
        ids = pool.map(partial(_record, emulators, folder), tasks, seeds)
        return dict(zip((scripted.name for scripted in tasks), ids, strict=True))


def _record(emulators: PrivateEmulators, folder: Path, scripted: ScriptedTask, seed: int) -> str:
    """Record a task; again if a busy computer made the recorder undo or flag a step."""
    for _ in range(_ATTEMPTS):
        episode_id = _record_once(emulators, folder, scripted, seed)
        provenance = read_provenance(folder / "dataset" / provenance_path(episode_id))
        if provenance is not None and not provenance.dropped and not any(step.flags for step in provenance.steps):
            return episode_id
    raise RecordingError(f"The task {scripted.name!r} did not run smoothly in {_ATTEMPTS} attempts.")


def _record_once(emulators: PrivateEmulators, folder: Path, scripted: ScriptedTask, seed: int) -> str:
    service = demo_service(emulators, folder, actor="annotator", profile=scripted.profile)
    serial = emulators.phones.start(scripted.profile, seed=seed, animation=False)
    device = service.connect(serial)
    with closing(device):
        return record_moves(service, device, Eyes(emulators, serial), Assignment(scripted.task), scripted.moves)


def record_moves(  # noqa: PLR0913 - what a recording consists of
    service: RecordingService,
    device: Device,
    eyes: Eyes,
    assignment: Assignment,
    moves: Sequence[Move],
    mode: Mode = "mirror",
) -> str:
    """Record and publish an episode; returns its id."""
    player = ScriptPlayer()
    recorder = service.begin(device, assignment, player, mode)
    try:
        recorder.start()
        if mode == "passive":
            work_on_the_phone(service, recorder, eyes, moves)
        else:
            play(player, recorder, eyes, moves)
        player.published(recorder)
    finally:
        recorder.stop()
        recorder.join()
    return recorder.episode_id
