"""Exports of every layout: read back by their own loaders, equal bytes, resumed after a kill."""

import json
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting.job import ExportCancelledError, ExportProgress, run_export
from odyssey_recorder.exporting.layouts import LAYOUTS
from odyssey_recorder.exporting.shards import Options, Planned
from tests.exporting.converter_rules import assert_convertible
from tests.exporting.sample import SMALL, STEPS, ids, request, write_dataset

COUNT = 12


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Planned]]:
    root = tmp_path_factory.mktemp("source") / "data"
    return root, write_dataset(root, COUNT, texts=True)


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as threads:
        yield threads


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as workers:
        yield workers


def sums(folder: Path) -> str:
    return (folder / "SHA256SUMS").read_text()


def contents(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_file_is_hashed_and_the_source_is_unchanged(
    dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor, layout: str
) -> None:
    before = contents(dataset[0])
    told: list[ExportProgress] = []

    out = run_export(request(dataset, tmp_path / "out", layout), dataset[1], pool, tell=told.append)

    assert contents(dataset[0]) == before
    found = contents(out)
    listed = {name: digest for digest, name in (line.split("  ") for line in sums(out).splitlines())}
    assert listed == {name: sha256(data).hexdigest() for name, data in found.items() if name != "SHA256SUMS"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "nothing is left beside it"
    assert (told[-1].episodes, told[-1].bytes) == (told[-1].of_episodes, told[-1].of_bytes)
    assert "no \\<b\\> here" in found["README.md"].decode()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_same_input_has_the_same_bytes_in_any_order_and_with_any_workers(
    dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor, processes: Executor, layout: str
) -> None:
    one = run_export(request(dataset, tmp_path / "one", layout), dataset[1], pool)
    two = run_export(request(dataset, tmp_path / "two", layout), dataset[1][::-1], processes)

    assert sums(one) == sums(two)


@pytest.mark.parametrize("like", ["v1", "v2"])
def test_a_release_is_what_the_official_converter_reads(
    dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor, like: Any
) -> None:
    out = run_export(request(dataset, tmp_path / "out", "release", Options(like=like)), dataset[1], pool)

    assert assert_convertible(out, like=like) == COUNT * STEPS
    source = dataset[0] / "screenshots" / f"{ids(1)[0]}_0.png"
    assert (out / "screenshots" / source.name).samefile(source), "a hard link: nothing is stored twice"


@pytest.mark.soak
def test_a_release_of_the_size_of_the_second_one_is_what_the_official_converter_reads(
    tmp_path: Path, pool: Executor
) -> None:
    count = 8_334
    planned = write_dataset(tmp_path / "data", count, texts=True)
    out = run_export(request((tmp_path / "data", planned), tmp_path / "out", "release", Options()), planned, pool)

    assert assert_convertible(out, like="v2") == count * STEPS


@pytest.mark.parametrize("streaming", [False, True])
def test_parquet_loads_by_split_with_images_and_nothing_is_stored_twice(
    dataset: tuple[Path, list[Planned]],
    tmp_path: Path,
    pool: Executor,
    streaming: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    out = run_export(request(dataset, tmp_path / "out", "parquet"), dataset[1], pool)

    rows = 0
    for kind in ("random", "task", "device", "app"):
        loaded = datasets.load_dataset(str(out), kind, streaming=streaming)
        for part in ("train", "test"):
            expected = [one.episode_id for one in dataset[1] if one.sides[kind] == part for _ in range(STEPS)]
            found = list(loaded[part])
            assert sorted(row["episode_id"] for row in found) == expected
            rows += len(found) if kind == "random" else 0
            for row in found[:STEPS]:
                name = f"{row['episode_id']}_{row['step']}.png"
                assert row["image"].size == (row["w"], row["h"])
                assert sha256((dataset[0] / "screenshots" / name).read_bytes()).hexdigest() == row["sha256"]
                annotation = json.loads((dataset[0] / "annotations" / f"{row['episode_id']}.json").read_text())
                assert row["instruction"] == annotation["task_info"]["instruction"]
    assert rows == COUNT * STEPS
    episodes = datasets.load_dataset(str(out), "episodes", streaming=streaming)["train"]
    assert [row["step_length"] for row in episodes] == [STEPS] * COUNT
    stored = [name for name in contents(out) if name.startswith("data/")]
    assert len(stored) > 4, "several shards"


def test_typed_columns_and_info_say_the_same(
    dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor
) -> None:
    out = run_export(request(dataset, tmp_path / "out", "jsonl", Options(per_step=True)), dataset[1], pool)

    rows = [json.loads(line) for path in sorted((out / "data").iterdir()) for line in path.read_text().splitlines()]
    assert len(rows) == COUNT * STEPS
    for row in rows[:STEPS]:
        info = json.loads(row["info"])
        match row["action"]:
            case "SCROLL":
                assert info == [[row["x1"], row["y1"]], [row["x2"], row["y2"]]]
            case "CLICK" | "LONG_PRESS":
                assert info == (row["key"] or [[row["x1"], row["y1"]]] * 2)
            case "TEXT":
                assert info == row["text"] == "buy: milk"
            case _:
                assert row["action"] in ("COMPLETE", "INCOMPLETE")


def test_lines_are_whole_annotations(dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor) -> None:
    out = run_export(request(dataset, tmp_path / "out", "jsonl"), dataset[1], pool)

    (lines,) = (out / "data").iterdir()
    trees = [json.loads(line) for line in lines.read_text().split("\n") if line]
    assert [tree["episode_id"] for tree in trees] == ids(COUNT)
    assert trees[0]["steps"][1]["action"] == "TEXT"


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_tars_are_read_by_webdataset(dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor) -> None:
    import webdataset

    out = run_export(request(dataset, tmp_path / "out", "webdataset"), dataset[1], pool)

    tars = sorted(map(str, (out / "data").glob("*.tar")))
    assert len(tars) > 1
    samples = list(webdataset.WebDataset(tars, shardshuffle=False))
    assert [one["__key__"] for one in samples] == [f"{one}_{step}" for one in ids(COUNT) for step in range(STEPS)]
    for one in samples[:STEPS]:
        assert json.loads(one["json"])["screenshot"] == f"{one['__key__']}.png"
        assert one["png"] == (dataset[0] / "screenshots" / f"{one['__key__']}.png").read_bytes()
    with tarfile.open(tars[0]) as tar:
        assert {(member.mtime, member.uid) for member in tar} == {(0, 0)}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_croissant_is_valid(
    dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor, layout: str, caplog: pytest.LogCaptureFixture
) -> None:
    import mlcroissant

    out = run_export(request(dataset, tmp_path / "out", layout), dataset[1], pool)

    found = mlcroissant.Dataset(jsonld=json.loads((out / "croissant.json").read_text()))
    assert (found.metadata.ctx.issues.errors, found.metadata.ctx.issues.warnings) == (set(), set())


class Stopping(Executor):
    """Runs shards in this thread, and stops before the `after`-th."""

    def __init__(self, after: int) -> None:
        self.done = 0
        self._after = after

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        self.done += 1
        if self.done > self._after:
            future.set_exception(DatasetError("the disk is full"))
        else:
            future.set_result(call(*args, **kwargs))
        return future


class Endless(Executor):
    """Never finishes a shard."""

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        return Future()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_finished_is_used_by_the_next_call(
    dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor, layout: str
) -> None:
    options = SMALL if layout != "jsonl" else Options(per_step=True)
    wanted = request(dataset, tmp_path / "out", layout, options)
    shards = len(LAYOUTS[layout].plan(dataset[1], options))
    with pytest.raises(DatasetError, match="the disk is full"):
        run_export(wanted, dataset[1], Stopping(shards - 1))
    assert not wanted.out.exists()

    rest = Stopping(shards)
    run_export(wanted, dataset[1], rest)

    assert rest.done == 1
    assert sums(wanted.out) == sums(run_export(request(dataset, tmp_path / "b", layout, options), dataset[1], pool))


def test_a_shard_that_was_damaged_meanwhile_or_other_input_is_written_again(
    dataset: tuple[Path, list[Planned]], tmp_path: Path
) -> None:
    wanted = request(dataset, tmp_path / "out", "webdataset")
    shards = len(LAYOUTS["webdataset"].plan(dataset[1], SMALL))
    with pytest.raises(DatasetError):
        run_export(wanted, dataset[1], Stopping(2))
    first = tmp_path / "out.part" / "data" / "episodes-000000.tar"
    first.write_bytes(first.read_bytes()[:-1])
    again = Stopping(3)
    with pytest.raises(DatasetError):
        run_export(wanted, dataset[1], again)
    fewer = Stopping(shards)
    run_export(wanted, dataset[1][1:], fewer)

    assert fewer.done == len(LAYOUTS["webdataset"].plan(dataset[1][1:], SMALL))
    assert ids(1)[0] not in (tmp_path / "out" / "README.md").read_text()


def test_a_cancelled_export_is_continued(dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor) -> None:
    wanted = request(dataset, tmp_path / "out", "webdataset")
    told: list[ExportProgress] = []
    with pytest.raises(ExportCancelledError, match="continues it"):
        run_export(wanted, dataset[1], pool, tell=told.append, is_cancelled=lambda: len(told) == 2)
    with pytest.raises(ExportCancelledError):
        run_export(wanted, dataset[1], Endless(), is_cancelled=iter([False, False, True, True]).__next__)

    assert run_export(wanted, dataset[1], pool).is_dir()


def test_nothing_is_written_over_and_an_empty_selection_says_so(
    dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor
) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(DatasetError, match="already exists"):
        run_export(request(dataset, tmp_path / "out", "jsonl"), dataset[1], pool)
    with pytest.raises(DatasetError, match="No episode"):
        run_export(request(dataset, tmp_path / "other", "jsonl"), [], pool)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_of_someone_else_is_not_emptied(
    dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor
) -> None:
    theirs, away = tmp_path / "out.part", tmp_path / "away"
    for folder in (theirs, away):
        folder.mkdir()
        (folder / "thesis.tex").write_text("mine")
    wanted = request(dataset, tmp_path / "out", "webdataset")
    with pytest.raises(DatasetError, match="in the way"):
        run_export(wanted, dataset[1], pool)
    assert (theirs / "thesis.tex").read_text() == "mine"

    theirs.rename(tmp_path / "moved")
    with pytest.raises(DatasetError):
        run_export(wanted, dataset[1], Stopping(1))
    (theirs / "data" / "episodes-000001.tar.1234.part").write_bytes(b"half")
    (theirs / "data" / "linked").symlink_to(away)
    out = run_export(wanted, dataset[1], pool)
    assert (away / "thesis.tex").read_text() == "mine"
    assert {path.suffix for path in (out / "data").iterdir()} == {".tar"}


def test_screenshots_of_another_size_are_planned_anew(tmp_path: Path, pool: Executor) -> None:
    planned = write_dataset(tmp_path / "data", 4)
    wanted = request((tmp_path / "data", planned), tmp_path / "out", "webdataset")
    with pytest.raises(DatasetError):
        run_export(wanted, [Planned(one.episode_id, 1500, one.sides) for one in planned], Stopping(1))
    run_export(wanted, [Planned(one.episode_id, 3000, one.sides) for one in planned], pool)

    names: list[str] = []
    for path in (tmp_path / "out" / "data").iterdir():
        with tarfile.open(path) as tar:
            names += tar.getnames()
    assert len(names) == len(set(names)) == 2 * 4 * STEPS


def test_a_missing_screenshot_is_named(tmp_path: Path, pool: Executor) -> None:
    planned = write_dataset(tmp_path / "data", 2)
    (tmp_path / "data" / "screenshots" / f"{ids(2)[1]}_3.png").unlink()

    with pytest.raises(DatasetError, match=f"{ids(2)[1]}_3.png"):
        run_export(request((tmp_path / "data", planned), tmp_path / "out", "webdataset"), planned, pool)
    assert not (tmp_path / "out").exists()


def test_a_link_in_the_dataset_is_not_followed(tmp_path: Path, pool: Executor) -> None:
    planned = write_dataset(tmp_path / "data", 1)
    secret = tmp_path / "secret"
    secret.write_text("secret")
    shot = tmp_path / "data" / "screenshots" / f"{ids(1)[0]}_0.png"
    shot.unlink()
    shot.symlink_to(secret)

    for layout in LAYOUTS:
        if layout != "jsonl":
            with pytest.raises(DatasetError):
                run_export(request((tmp_path / "data", planned), tmp_path / layout, layout), planned, pool)
            assert not (tmp_path / layout).exists()


def test_too_little_room_is_said_before_anything_is_written(
    dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor
) -> None:
    huge = [Planned(one.episode_id, 10**15, one.sides) for one in dataset[1]]
    with pytest.raises(DatasetError, match=r"free, and the export needs 12\d{6}\.\d GB"):
        run_export(request(dataset, tmp_path / "out", "parquet"), huge, pool)


CHILD = """
import os, resource, signal, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from odyssey_recorder.exporting.job import run_export
from odyssey_recorder.exporting.shards import Planned
from tests.exporting.sample import EVERY, ids, request
root, out, layout, largest = sys.argv[1:]
planned = [
    Planned(one, sum(p.stat().st_size for p in Path(root, "screenshots").glob(one + "_*")),
            {kind: "test" if number % every == every - 1 else "train" for kind, every in EVERY.items()})
    for number, one in enumerate(ids(12))
]
def run(pieces, largest):
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    left = iter(range(pieces))
    def tell(_):
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
    with ThreadPoolExecutor(1) as pool:
        run_export(request((Path(root), planned), Path(out), layout), planned, pool, tell=tell)
if largest:
    run(1000, int(largest))
for number in range(20):
    if not (child := os.fork()):
        run(number // 2, resource.RLIM_INFINITY)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print(-os.waitstatus_to_exitcode(status))
"""
"""Exports on a disk that takes no file over `largest` bytes; or, if that is empty, again and again, and is killed each
time when some pieces are written, while the next one may be."""


def in_child(dataset: Path, out: Path, layout: str, largest: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", CHILD, str(dataset), str(out), layout, largest]
    return subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)


@pytest.mark.parametrize("layout", ["webdataset", "parquet"])
def test_an_export_that_is_killed_twenty_times_ends_with_the_same_bytes(
    dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor, layout: str
) -> None:
    out = tmp_path / "out"
    assert in_child(dataset[0], out, layout).stdout.split() == [str(int(signal.SIGKILL))] * 20
    assert not out.exists()

    run_export(request(dataset, out, layout), dataset[1], pool)
    whole = run_export(request(dataset, tmp_path / "whole", layout), dataset[1], pool)
    assert contents(out) == contents(whole)


@pytest.mark.parametrize(("layout", "largest"), [("webdataset", "9000"), ("parquet", "2500"), ("release", "1500")])
def test_a_disk_without_room_for_the_rest_is_told_and_the_export_goes_on_later(
    dataset: tuple[Path, list[Planned]], tmp_path: Path, pool: Executor, layout: str, largest: str
) -> None:
    out = tmp_path / "out"
    told = in_child(dataset[0], out, layout, largest).stderr.splitlines()[-1]
    assert told.startswith("odyssey_recorder.errors.DatasetError: ")
    assert "cannot be written" in told
    assert "Free some space" in told
    assert not out.exists()

    run_export(request(dataset, out, layout), dataset[1], pool)
    assert contents(out) == contents(run_export(request(dataset, tmp_path / "whole", layout), dataset[1], pool))
