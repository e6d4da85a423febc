"""Cost of exports: Parquet and tar beside a bare writer of the same screenshots, and their peak memory."""

import io
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.figure import Figure, in_turn
from benchmarks.memory import peak_mb
from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.exporting.card import About
from odyssey_recorder.exporting.export_plan import MIB, Options, Planned
from odyssey_recorder.exporting.hashed_files import sha256_of
from odyssey_recorder.exporting.job import ExportRequest, run_export
from odyssey_recorder.model.action import Action, Click, Complete
from odyssey_recorder.model.episode import Category, DeviceInfo, Episode, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import Point, Size

EPISODES, STEPS, IMAGE = 64, 16, 400_000
"""400 MB of screenshots."""

ROUNDS = 3


def measure(folder: Path) -> list[Figure]:
    root, out = folder / "exported", folder / "export"
    (root / "screenshots").mkdir(parents=True)
    (root / "annotations").mkdir()
    for number in range(EPISODES):
        _write(root, f"{number:016}")
    figures = [
        figure
        for layout, bare in (("parquet", _bare_parquet), ("webdataset", _bare_tar))
        for figure in _of_layout(layout, bare, root, out)
    ]
    shutil.rmtree(root)
    return figures


def _of_layout(layout: str, bare: Callable[[Path, Path], None], root: Path, out: Path) -> list[Figure]:
    floor, exported = in_turn(
        [lambda: _anew(lambda: _hashed(bare, root, out), out), lambda: _anew(lambda: _export(layout, root, out), out)],
        rounds=ROUNDS,
    )
    command = [sys.executable, "-m", "benchmarks.exporting", layout, str(root), str(out)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    shutil.rmtree(out)
    name = f"{EPISODES * STEPS} screenshots of {IMAGE / 1000:.0f} kB as {layout}"
    return [
        Figure(name, exported, "ms", "a bare writer, synced and hashed", floor, "at most 1.67"),
        Figure(f"{name}, peak memory", float(told[1]), "MB", "the modules alone", float(told[0]), "at most 500 MB"),
    ]


def _anew(call: Callable[[], object], out: Path) -> None:
    shutil.rmtree(out, ignore_errors=True)
    call()


def _export(layout: str, root: Path, out: Path) -> None:
    planned = [Planned(path.stem, STEPS * IMAGE) for path in (root / "annotations").iterdir()]
    about = About("bench", EPISODES, EPISODES * STEPS)
    with ThreadPoolExecutor(1) as pool:
        run_export(ExportRequest(root, out, layout, Options(shard_bytes=100 * MIB), {}, about), planned, pool)


def _hashed(bare: Callable[[Path, Path], None], root: Path, out: Path) -> None:
    bare(root, out)
    for path in out.iterdir():
        sha256_of(path)


def _images(root: Path) -> list[Path]:
    return sorted((root / "screenshots").iterdir())


def _bare_tar(root: Path, out: Path) -> None:
    out.mkdir()
    with (out / "bare.tar").open("wb") as file, tarfile.open(fileobj=file, mode="w") as tar:
        for path in _images(root):
            data = path.read_bytes()
            entry = tarfile.TarInfo(path.name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
        os.fsync(file.fileno())


def _bare_parquet(root: Path, out: Path) -> None:
    out.mkdir()
    schema, images = pa.schema([("image", pa.binary())]), _images(root)
    with (out / "bare.parquet").open("wb") as file:
        with pq.ParquetWriter(file, schema, compression="NONE", use_dictionary=False) as writer:
            for at in range(0, len(images), 80):  # 32 MB
                group = [{"image": path.read_bytes()} for path in images[at : at + 80]]
                writer.write_table(pa.Table.from_pylist(group, schema=schema))
        file.flush()
        os.fsync(file.fileno())


def _write(root: Path, episode_id: str) -> None:
    """Screenshots of noise: the writers do not look into them."""
    names = [screenshot_name(episode_id, number) for number in range(STEPS)]
    for name in names:
        (root / "screenshots" / name).write_bytes(os.urandom(IMAGE))
    actions: list[Action] = [*(Click(Point(500, 500)) for _ in names[1:]), Complete()]
    steps = tuple(Step(name, action) for name, action in zip(names, actions, strict=True))
    task = TaskInfo(next(iter(Category)).value, ("App",), "Open {}.", "Open it.", "Open the app.")
    write_episode(
        root / annotation_path(episode_id), Episode(episode_id, DeviceInfo("Phone", Size(1080, 2400)), task, steps)
    )


if __name__ == "__main__":
    import odyssey_recorder.exporting.parquet  # noqa: F401 - part of the floor

    before = peak_mb()
    _export(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]) / "peak")
    print(before, peak_mb())
