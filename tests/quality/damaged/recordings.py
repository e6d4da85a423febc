"""The clean episodes: errands on simulated emulators, recorded by the recorder through the real adb."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from odyssey_recorder.commands.demo import play
from odyssey_recorder.commands.demo_annotator import Eyes
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.errors import RecordingError
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.recording.script import ScriptPlayer
from odyssey_recorder.simulator.lab import Lab
from odyssey_recorder.wiring import lab_service
from tests.quality.damaged.errands import ERRANDS, Errand

_AT_ONCE = 3
_TRIES = 3


def record_all(folder: Path, *, seed: int, errands: tuple[Errand, ...] = ERRANDS) -> Mapping[str, str]:
    """Record all errands into ``folder/dataset``; returns episode ids by errand. Each device has its own wallpaper."""
    store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
    seeds = range(seed * len(errands), (seed + 1) * len(errands))
    with Lab(Path(find_adb())) as lab, ThreadPoolExecutor(_AT_ONCE) as hands:
        ids = hands.map(partial(_record, lab, store), errands, seeds)
        return dict(zip((errand.name for errand in errands), ids, strict=True))


def _record(lab: Lab, store: EpisodeStore, errand: Errand, seed: int) -> str:
    """Record an errand; repeated if a busy computer made the recorder undo a step."""
    for _ in range(_TRIES):
        episode_id = _record_once(lab, store, errand, seed)
        provenance = store.provenance(episode_id)
        if provenance is not None and not provenance.dropped and not any(step.flags for step in provenance.steps):
            return episode_id
    raise RecordingError(f"The errand {errand.name!r} did not run smoothly in {_TRIES} tries.")


def _record_once(lab: Lab, store: EpisodeStore, errand: Errand, seed: int) -> str:
    service = lab_service(lab, store, actor="annotator", profile=errand.profile)
    serial = lab.phones.start(errand.profile, seed=seed, animation=False)
    device = service.connect(serial)
    player = ScriptPlayer()
    recorder = service.begin(device, Assignment(errand.task), player)
    try:
        recorder.start()
        play(player, recorder, Eyes(lab, serial), errand.moves)
        player.published(recorder)
    finally:
        recorder.stop()
        recorder.join()
        device.close()
    return recorder.episode_id
