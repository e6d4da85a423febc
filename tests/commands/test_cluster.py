"""Exports and scores on a Dask cluster in processes: equal results, also with a killed worker, and clear errors."""

import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

from odyssey_recorder.commands.export import executor_of, export_dataset
from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.evaluation import gold
from odyssey_recorder.exporting.card import About
from odyssey_recorder.exporting.export_plan import Shard
from odyssey_recorder.exporting.job import ExportRequest, run_export
from odyssey_recorder.exporting.layouts import write_shard
from odyssey_recorder.services.exports import ExportWanted
from tests.cli import CommandLine
from tests.evaluation.prediction_files import own, predictions
from tests.exporting.sample import SMALL, Dataset, contents, write_dataset


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Dask warns of a killed worker."""
    caplog.handler.addFilter(lambda record: not record.name.startswith("distributed"))


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    root = tmp_path_factory.mktemp("source") / "data"
    return Dataset(root, write_dataset(root, 12, texts=True))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers in processes of their own."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1"
    ) as started:
        yield started


def export(root: Path, out: Path, *, cluster: str | None = None) -> str:
    wanted = ExportWanted(root, out, "webdataset", SMALL)
    export_dataset(wanted, sorted(episode_ids(root)), executor_of(1, cluster), only_ready=False)
    return (out / "SHA256SUMS").read_text()


def test_cluster_export_is_identical_even_if_a_worker_is_killed(dataset: Dataset, tmp_path: Path, cluster: Any) -> None:
    local = export(dataset.root, tmp_path / "here")
    assert export(dataset.root, tmp_path / "there", cluster=cluster.scheduler_address) == local

    worker_pids = [cluster.workers[0].pid]

    def kill(*_: object) -> None:
        if worker_pids:
            os.kill(worker_pids.pop(), signal.SIGKILL)

    request = ExportRequest(dataset.root, tmp_path / "killed", "webdataset", SMALL, {}, About("data", 12, 96))
    with Client(cluster.scheduler_address) as client:
        killed = run_export(request, dataset.planned, client.get_executor(), tell=kill)
    assert not worker_pids
    assert contents(killed / "data") == contents(tmp_path / "here" / "data")


def test_cluster_gives_the_same_scores(
    dataset: Dataset, cli: CommandLine, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gold, "_AT_ONCE", 5)
    file = own(cli.folder / "predictions.jsonl", predictions(dataset.root)[3:])
    words = ("evaluate", file, "--data", dataset.root, "--json")
    local = cli(*words)
    remote = cli(*words, "--cluster", cluster.scheduler_address)
    assert (remote.exit_code, remote.out, remote.err) == (local.exit_code, local.out, local.err)
    assert json.loads(remote.out)["ams"] == 100
    assert "3 steps" in remote.err, "what was not predicted is told"


def test_unreachable_scheduler_is_reported(dataset: Dataset, tmp_path: Path) -> None:
    with socket.socket() as bound:  # nobody listens
        bound.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{bound.getsockname()[1]}"
        for wrong in (address, "foo://bar:1"):
            with pytest.raises(DatasetError, match=f"scheduler {wrong} cannot be reached: .*Check the address"):
                export(dataset.root, tmp_path / "out", cluster=wrong)
    assert not (tmp_path / "out").exists()


def test_cluster_without_workers_is_reported(dataset: Dataset, tmp_path: Path) -> None:
    with (
        LocalCluster(n_workers=0, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1") as empty,
        pytest.raises(DatasetError, match="has no workers"),
    ):
        export(dataset.root, tmp_path / "out", cluster=empty.scheduler_address)


def test_folder_missing_on_a_worker_is_reported(dataset: Dataset, tmp_path: Path, cluster: Any) -> None:
    shard = Shard("data/episodes-000000.tar", ("0000000000000001",))
    out = tmp_path / "out.part"
    with Client(cluster.scheduler_address) as client:
        for root, missing in (
            (dataset.root, out / "export.jsonl"),
            (tmp_path / "gone", tmp_path / "gone" / "annotations"),
        ):
            job = client.get_executor().submit(write_shard, "webdataset", root, shard, out, SMALL)
            with pytest.raises(DatasetError, match=f"{missing} is missing on .*same path on every machine"):
                job.result()
    assert not out.exists(), "nothing is written where nobody looks"
