"""Cost of checking a dataset relative to decoding its frames, and of a second run without changes.

Frames are screens of simulated emulators of 1080x2400. Each file gets its own comment, so that no two are identical and
each is decoded.
"""

import random
import resource
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path

from PIL import Image

from benchmarks.figure import Figure, timed
from benchmarks.memory import peak_mb
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.provenance import FORMAT, EpisodeProvenance, FrameRecord, Origin, StepRecord, StrokeRecord
from odyssey_recorder.model.action import Action, Click, Complete
from odyssey_recorder.model.episode import DeviceInfo, Episode, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import Point, Size
from odyssey_simulator.phone import Phone, TouchPhase
from odyssey_simulator.profile import profile_named
from odyssey_simulator.shell.uiautomator import dump_views

STEPS = 15
PROCESSES = 2
_PROFILE = "medium_phone"
_SIZE = Size(1080, 2400)
_PHONES, _TAPS = 3, 2
_FOLDERS = ("annotations", "screenshots", "provenance", "ui_trees")


@dataclass(frozen=True, slots=True)
class _Sight:
    png: bytes
    tree: bytes


def measure(folder: Path, *, episodes: int) -> list[Figure]:
    dataset = folder / "checked"
    _record(dataset, episodes)
    command = [sys.executable, "-m", "benchmarks.checks", str(dataset)]  # a fresh process
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    shutil.rmtree(dataset)
    decoding, first, second, memory = map(float, told)
    name = f"checks of {episodes} episodes of {STEPS} steps"
    floor = "decoding alone", decoding
    return [
        Figure(name, first, "s", *floor, "<= 1.5"),
        Figure(f"{name}, again", second, "s", *floor, "<= 0.05"),
        Figure(f"{name}, most memory of all processes", memory, "MB"),
    ]


def main(dataset: Path) -> None:
    annotations = sorted((dataset / "annotations").glob("*.json"))
    images = [[dataset / "screenshots" / f"{path.stem}_{step}.png" for step in range(STEPS)] for path in annotations]
    before = timed(lambda: _decode_all(images))
    runs = [timed(lambda: _check_all(annotations, dataset / "cache.sqlite3")) for _ in range(2)]
    child_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    decoding = (before + timed(lambda: _decode_all(images))) / 2
    print(*(value / 1000 for value in (decoding, *runs)), peak_mb() + PROCESSES * child_mb)


def _check_all(annotations: Sequence[Path], cache: Path) -> None:
    checker = Checker(cache, PROCESSES)
    checker.check_all(annotations, lambda report: None)
    checker.close()


def _decode_all(images: Sequence[Sequence[Path]]) -> None:
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        for _ in pool.map(_decode, images):
            pass


def _decode(paths: Sequence[Path]) -> None:
    for path in paths:
        with Image.open(path) as image:
            image.load()


# Dataset.


def _record(dataset: Path, episodes: int) -> None:
    sights = [sight for seed in range(_PHONES) for sight in _tour(seed)]
    for name in _FOLDERS:
        (dataset / name).mkdir(parents=True)
    for number in range(episodes):
        _write(dataset, f"{number:016}", sights, random.Random(number))


def _tour(seed: int) -> Iterator[_Sight]:
    chance = random.Random(seed)
    phone = Phone(profile_named(_PROFILE), seed=seed, animation=False).without_notices()
    phone.start()
    for package in phone.packages():
        phone.start_activity(package.package)
        for _ in range(_TAPS):
            yield _sight(phone)
            x, y = chance.randrange(_SIZE.width), chance.randrange(200, _SIZE.height - 200)
            phone.touch(TouchPhase.DOWN, x, y)
            phone.touch(TouchPhase.UP, x, y)
    phone.stop()


def _sight(phone: Phone) -> _Sight:
    screen, file = phone.screen(), BytesIO()
    image = Image.frombytes("RGBA", (screen.width, screen.height), screen.rgba).convert("RGB")
    image.save(file, "PNG", compress_level=1)
    return _Sight(file.getvalue(), dump_views(phone))


def _write(dataset: Path, episode_id: str, sights: Sequence[_Sight], chance: random.Random) -> None:
    hashes = []
    for step in range(STEPS):
        sight = chance.choice(sights)
        image = _told_apart(sight.png, chance)
        hashes.append(sha256(image).hexdigest())
        (dataset / "screenshots" / screenshot_name(episode_id, step)).write_bytes(image)
        (dataset / "ui_trees" / f"{episode_id}_{step}.xml").write_bytes(sight.tree)
    places = [Point(chance.randrange(1001), chance.randrange(1001)) for _ in range(STEPS - 1)]
    actions: list[Action] = [*map(Click, places), Complete()]
    steps = tuple(Step(screenshot_name(episode_id, number), action) for number, action in enumerate(actions))
    words = f"Tap around in episode {episode_id}."
    task = TaskInfo("General_Tool", ("Notes", "Clock"), words, words, words)
    annotation = dataset / "annotations" / f"{episode_id}.json"
    write_episode(annotation, Episode(episode_id, DeviceInfo("Medium Phone", _SIZE), task, steps))
    proof = _proof(episode_id, hashes)
    (dataset / "provenance" / annotation.name).write_text(proof.model_dump_json(indent=2))


def _proof(episode_id: str, hashes: Sequence[str]) -> EpisodeProvenance:
    steps = tuple(
        StepRecord(
            frame=FrameRecord(
                number=number, source="adb", started_us=number * 3_000_000, arrived_us=number * 3_000_000 + 90_000,
                settled=True, width=_SIZE.width, height=_SIZE.height, png_sha256=png_sha256, rgb_sha256="",
            ),
            check=None,
            touched_us=number * 3_000_000 + 1_000_000,
            input=StrokeRecord(samples=((500, 500, 0),), duration_us=80_000),
            ui_tree=f"{episode_id}_{number}.xml",
        )
        for number, png_sha256 in enumerate(hashes)
    )  # fmt: skip
    origin = Origin(
        recorder_version="", mode="mirror", actor="script", annotator="bench", task_id="", serial="", model="",
        fingerprint="", avd_name="", density=420,
    )  # fmt: skip
    return EpisodeProvenance(
        format=FORMAT, episode_id=episode_id, origin=origin, started_us=0, published_us=0, steps=steps, dropped=()
    )


def _told_apart(png: bytes, chance: random.Random) -> bytes:
    """Add a unique comment before the closing chunk."""
    body = b"tEXtComment\0" + chance.randbytes(8).hex().encode()
    comment = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return png[:-12] + comment + png[-12:]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
