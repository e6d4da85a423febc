"""Records clean episodes: chores on one simulated emulator, which is restored to the same snapshot each time."""

from collections.abc import Iterable
from pathlib import Path

from odyssey_recorder.commands.demo import play, work_on_the_phone
from odyssey_recorder.commands.demo_annotator import Eyes
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.device.device import Device
from odyssey_recorder.model.assignment import Assignment, FromSnapshot
from odyssey_recorder.recording.script import ScriptImpossible, ScriptPlayer, TypeText
from odyssey_recorder.recording_service import RecordingService
from odyssey_recorder.simulator.lab import Lab
from odyssey_recorder.wiring import lab_service
from tests.quality.clean.generated_tasks import GeneratedTask

CLEAN = FromSnapshot("clean")
PASSIVE_INTERVAL = 4


def record_generated_tasks(folder: Path, profile: str, generated_tasks: Iterable[GeneratedTask]) -> None:
    store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
    with Lab(Path(find_adb())) as lab:
        service = lab_service(lab, store, actor="script", profile=profile)
        device = service.connect(lab.phones.start(profile, animation=False))
        try:
            device.close_recents()
            device.save_snapshot(CLEAN.name)
            eyes = Eyes(lab, device.serial)
            for number, generated in enumerate(generated_tasks, 1):
                _record(service, device, eyes, generated, passive=number % PASSIVE_INTERVAL == 0)
        finally:
            device.close()


def _record(service: RecordingService, device: Device, eyes: Eyes, generated: GeneratedTask, *, passive: bool) -> None:
    is_passive = passive and not any(isinstance(move, TypeText | ScriptImpossible) for move in generated.moves)
    player = ScriptPlayer()
    recorder = service.begin(
        device, Assignment(generated.task, start=CLEAN), player, "passive" if is_passive else "mirror"
    )
    try:
        recorder.start()
        if is_passive:
            work_on_the_phone(service, recorder, eyes, generated.moves)
        else:
            play(player, recorder, eyes, generated.moves)
        player.published(recorder)
    finally:
        recorder.stop()
        recorder.join()
