"""Exports of every layout: read back by their own loaders, equal bytes, resumed after a kill."""

import json
import pickle
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import replace
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting.export_plan import Options
from odyssey_recorder.exporting.job import ExportCancelledError
from odyssey_recorder.exporting.layouts import LAYOUTS
from tests.exporting.conftest import COUNT
from tests.exporting.converter_rules import assert_convertible
from tests.exporting.sample import SMALL, STEPS, Dataset, contents, export, ids, write_dataset


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as workers:
        yield workers


def read_sums(folder: Path) -> str:
    return (folder / "SHA256SUMS").read_text()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_file_is_hashed_and_the_source_is_unchanged(dataset: Dataset, tmp_path: Path, layout: str) -> None:
    before = contents(dataset.root)
    shares: list[float | None] = []

    out = export(dataset, tmp_path / "out", layout, tell=lambda share, _text: shares.append(share))

    assert contents(dataset.root) == before
    found = contents(out)
    listed = {name: digest for digest, name in (line.split("  ") for line in read_sums(out).splitlines())}
    assert listed == {name: sha256(data).hexdigest() for name, data in found.items() if name != "SHA256SUMS"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "nothing is left beside it"
    assert shares[-1] == 1
    assert "no \\<b\\> here" in found["README.md"].decode()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_export_is_the_same_in_any_order_with_any_workers(
    dataset: Dataset, tmp_path: Path, processes: Executor, layout: str
) -> None:
    one = export(dataset, tmp_path / "one", layout)
    two = export(dataset._replace(planned=dataset.planned[::-1]), tmp_path / "two", layout, executor=processes)

    assert read_sums(one) == read_sums(two)


@pytest.mark.parametrize("like", ["v1", "v2"])
def test_official_converter_reads_a_release(dataset: Dataset, tmp_path: Path, like: Any) -> None:
    out = export(dataset, tmp_path / "out", "release", Options(like=like))

    assert assert_convertible(out, like=like) == COUNT * STEPS
    source = dataset.root / "screenshots" / f"{ids(1)[0]}_0.png"
    assert (out / "screenshots" / source.name).samefile(source), "a hard link: nothing is stored twice"


@pytest.mark.soak
def test_official_converter_reads_a_full_size_release(tmp_path: Path) -> None:
    count = 8_334
    dataset = Dataset(tmp_path / "data", write_dataset(tmp_path / "data", count, texts=True))
    out = export(dataset, tmp_path / "out", "release", Options())

    assert assert_convertible(out, like="v2") == count * STEPS


@pytest.mark.parametrize("streaming", [False, True])
def test_parquet_loads_every_split_with_images(
    dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, streaming: bool
) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    out = export(dataset, tmp_path / "out", "parquet")

    rows = 0
    for kind in ("random", "task", "device", "app")[: 1 if streaming else 4]:
        loaded = datasets.load_dataset(str(out), kind, streaming=streaming)
        for part in ("train", "test"):
            expected = [one.episode_id for one in dataset.planned if one.sides[kind] == part for _ in range(STEPS)]
            found = list(loaded[part])
            assert sorted(row["episode_id"] for row in found) == expected
            rows += len(found) if kind == "random" else 0
            for row in found[:STEPS]:
                name = f"{row['episode_id']}_{row['step']}.png"
                assert row["image"].size == (row["w"], row["h"])
                assert sha256((dataset.root / "screenshots" / name).read_bytes()).hexdigest() == row["sha256"]
                annotation = json.loads((dataset.root / "annotations" / f"{row['episode_id']}.json").read_text())
                assert row["instruction"] == annotation["task_info"]["instruction"]
    assert rows == COUNT * STEPS
    episodes = datasets.load_dataset(str(out), "episodes", streaming=streaming)["train"]
    assert [row["step_length"] for row in episodes] == [STEPS] * COUNT
    stored = [name for name in contents(out) if name.startswith("data/")]
    assert len(stored) > 4, "several shards"


def test_typed_columns_match_the_info_column(dataset: Dataset, tmp_path: Path) -> None:
    out = export(dataset, tmp_path / "out", "jsonl", Options(per_step=True))

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


def test_jsonl_lines_are_complete_annotations(dataset: Dataset, tmp_path: Path) -> None:
    out = export(dataset, tmp_path / "out", "jsonl")

    (lines,) = (out / "data").iterdir()
    trees = [json.loads(line) for line in lines.read_text().split("\n") if line]
    assert [tree["episode_id"] for tree in trees] == ids(COUNT)
    assert trees[0]["steps"][1]["action"] == "TEXT"


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_webdataset_reads_the_tars(dataset: Dataset, tmp_path: Path) -> None:
    import webdataset

    out = export(dataset, tmp_path / "out", "webdataset")

    tars = sorted(map(str, (out / "data").glob("*.tar")))
    assert len(tars) > 1
    samples = list(webdataset.WebDataset(tars, shardshuffle=False))
    assert [one["__key__"] for one in samples] == [f"{one}_{step}" for one in ids(COUNT) for step in range(STEPS)]
    for one in samples[:STEPS]:
        assert json.loads(one["json"])["screenshot"] == f"{one['__key__']}.png"
        assert one["png"] == (dataset.root / "screenshots" / f"{one['__key__']}.png").read_bytes()
    with tarfile.open(tars[0]) as tar:
        assert {(member.mtime, member.uid) for member in tar} == {(0, 0)}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_croissant_is_valid(dataset: Dataset, tmp_path: Path, layout: str, caplog: pytest.LogCaptureFixture) -> None:
    import mlcroissant

    out = export(dataset, tmp_path / "out", layout)

    found = mlcroissant.Dataset(jsonld=json.loads((out / "croissant.json").read_text()))
    assert (found.metadata.ctx.issues.errors, found.metadata.ctx.issues.warnings) == (set(), set())


class StoppingExecutor(Executor):
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


class HangingExecutor(Executor):
    """Never finishes a shard."""

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        return Future()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_finished_shards_are_reused(dataset: Dataset, tmp_path: Path, layout: str) -> None:
    options = SMALL if layout != "jsonl" else Options(per_step=True)
    out = tmp_path / "out"
    shards = len(LAYOUTS[layout].plan(dataset.planned, options))
    with pytest.raises(DatasetError, match="the disk is full"):
        export(dataset, out, layout, options, StoppingExecutor(shards - 1))
    assert not out.exists()

    rest = StoppingExecutor(shards)
    export(dataset, out, layout, options, rest)

    assert rest.done == 1
    assert read_sums(out) == read_sums(export(dataset, tmp_path / "whole", layout, options))


def test_damaged_shard_or_changed_input_is_written_again(dataset: Dataset, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(DatasetError):
        export(dataset, out, "webdataset", executor=StoppingExecutor(2))
    first = tmp_path / "out.part" / "data" / "episodes-000000.tar"
    first.write_bytes(first.read_bytes()[:-1])
    with pytest.raises(DatasetError):
        export(dataset, out, "webdataset", executor=StoppingExecutor(3))
    fewer = dataset._replace(planned=dataset.planned[1:])
    shards = len(LAYOUTS["webdataset"].plan(fewer.planned, SMALL))
    executor = StoppingExecutor(shards)
    export(fewer, out, "webdataset", executor=executor)

    assert executor.done == shards
    assert ids(1)[0] not in (out / "README.md").read_text()


def test_cancelled_export_can_be_continued(dataset: Dataset, tmp_path: Path) -> None:
    out = tmp_path / "out"
    told: list[str] = []
    callbacks: dict[str, Any] = {"tell": lambda _share, text: told.append(text), "is_cancelled": lambda: len(told) == 2}
    with pytest.raises(ExportCancelledError, match="continues it"):
        export(dataset, out, "webdataset", **callbacks)
    is_cancelled = iter([False, False, True, True]).__next__
    with pytest.raises(ExportCancelledError):
        export(dataset, out, "webdataset", executor=HangingExecutor(), is_cancelled=is_cancelled)

    assert export(dataset, out, "webdataset").is_dir()


def test_existing_target_and_empty_selection_are_rejected(dataset: Dataset, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(DatasetError, match="already exists"):
        export(dataset, tmp_path / "out", "jsonl")
    with pytest.raises(DatasetError, match="No episode"):
        export(dataset._replace(planned=[]), tmp_path / "other", "jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_foreign_folder_is_not_emptied(dataset: Dataset, tmp_path: Path) -> None:
    foreign, elsewhere = tmp_path / "out.part", tmp_path / "elsewhere"
    for folder in (foreign, elsewhere):
        folder.mkdir()
        (folder / "thesis.tex").write_text("mine")
    with pytest.raises(DatasetError, match="in the way"):
        export(dataset, tmp_path / "out", "webdataset")
    assert (foreign / "thesis.tex").read_text() == "mine"

    foreign.rename(tmp_path / "moved")
    with pytest.raises(DatasetError):
        export(dataset, tmp_path / "out", "webdataset", executor=StoppingExecutor(1))
    (foreign / "data" / "episodes-000001.tar.1234.part").write_bytes(b"half")
    (foreign / "data" / "linked").symlink_to(elsewhere)
    out = export(dataset, tmp_path / "out", "webdataset")
    assert (elsewhere / "thesis.tex").read_text() == "mine"
    assert {path.suffix for path in (out / "data").iterdir()} == {".tar"}


def test_changed_screenshot_sizes_discard_old_shards(tmp_path: Path) -> None:
    dataset = Dataset(tmp_path / "data", write_dataset(tmp_path / "data", 4))
    small, large = (
        dataset._replace(planned=[replace(one, size=size) for one in dataset.planned]) for size in (1500, 3000)
    )
    with pytest.raises(DatasetError):
        export(small, tmp_path / "out", "webdataset", executor=StoppingExecutor(1))
    out = export(large, tmp_path / "out", "webdataset")

    names: list[str] = []
    for path in (out / "data").iterdir():
        with tarfile.open(path) as tar:
            names += tar.getnames()
    assert len(names) == len(set(names)) == 2 * 4 * STEPS


@pytest.mark.parametrize("layout", sorted({*LAYOUTS} - {"jsonl"}))
def test_missing_or_linked_screenshot_is_named(tmp_path: Path, layout: str) -> None:
    dataset = Dataset(tmp_path / "data", write_dataset(tmp_path / "data", 2))
    screenshot = dataset.root / "screenshots" / f"{ids(2)[1]}_3.png"
    secret = screenshot.rename(tmp_path / "secret")
    for link in (False, True):
        if link:
            screenshot.symlink_to(secret)
        with pytest.raises(DatasetError, match=screenshot.name):
            export(dataset, tmp_path / "out", layout)
        assert not (tmp_path / "out").exists()


def test_lack_of_disk_space_is_reported_first(dataset: Dataset, tmp_path: Path) -> None:
    huge = dataset._replace(planned=[replace(one, size=10**15) for one in dataset.planned])
    with pytest.raises(DatasetError, match=r"free, and the export needs 12\d{6}\.\d GB"):
        export(huge, tmp_path / "out", "parquet")


CHILD = """
import os, pickle, resource, signal, sys
from pathlib import Path
from tests.exporting.sample import export
dataset = pickle.load(sys.stdin.buffer)
out, layout, largest, *pieces = sys.argv[1:]
def run(count, largest):
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    left = iter(range(count))
    def tell(*_):
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
    export(dataset, Path(out), layout, tell=tell)
if largest:
    run(1000, int(largest))
for count in map(int, pieces):
    if not (child := os.fork()):
        run(count, resource.RLIM_INFINITY)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print(-os.waitstatus_to_exitcode(status))
"""
"""Exports on a disk that takes no file over `largest` bytes; or, if that is empty, once for each number of `pieces`:
it is killed when as many are written, while the next one may be."""


def in_child(
    dataset: Dataset, out: Path, layout: str, largest: str = "", pieces: Sequence[int] = ()
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", CHILD, str(out), layout, largest, *map(str, pieces)]
    cwd = Path(__file__).parents[2]
    return subprocess.run(command, capture_output=True, input=pickle.dumps(dataset), cwd=cwd, check=False)


@pytest.mark.parametrize(
    ("layout", "pieces"),
    [
        ("webdataset", range(0, 10, 2)),
        ("parquet", range(0, 10, 3)),
        *(
            pytest.param(layout, [number // 2 for number in range(20)], marks=pytest.mark.soak)
            for layout in ("webdataset", "parquet")
        ),
    ],
)
def test_export_killed_many_times_ends_with_the_same_bytes(
    dataset: Dataset, tmp_path: Path, layout: str, pieces: Sequence[int]
) -> None:
    out = tmp_path / "out"
    killed = in_child(dataset, out, layout, pieces=pieces).stdout.split()
    assert killed == [b"%d" % signal.SIGKILL] * len(pieces)
    assert not out.exists()

    export(dataset, out, layout)
    whole = export(dataset, tmp_path / "whole", layout)
    assert contents(out) == contents(whole)


@pytest.mark.parametrize(("layout", "largest"), [("webdataset", "9000"), ("parquet", "2500"), ("release", "1500")])
def test_full_disk_is_reported_and_export_can_be_continued(
    dataset: Dataset, tmp_path: Path, layout: str, largest: str
) -> None:
    out = tmp_path / "out"
    error = in_child(dataset, out, layout, largest).stderr.decode().splitlines()[-1]
    assert error.startswith("odyssey_recorder.errors.DatasetError: ")
    assert "cannot be written" in error
    assert "Free some space" in error
    assert not out.exists()

    export(dataset, out, layout)
    assert contents(out) == contents(export(dataset, tmp_path / "whole", layout))
