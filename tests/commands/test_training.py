"""`train` and `serve` without the libraries of the extra; train_tests/ has the rest."""

import sys
from pathlib import Path

import pytest

from odyssey_recorder.errors import TrainingError
from odyssey_recorder.exporting.export_plan import Options, Sampling
from odyssey_recorder.training.samples import read_samples
from tests.cli import CommandLine
from tests.exporting.sample import Dataset, export, write_dataset


@pytest.mark.parametrize("words", [("train", "--config", "x.toml"), ("serve", "x")])
def test_missing_library_is_reported_with_its_extra(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "pip install 'odyssey-recorder[train]'" in cli.error(*words)


def test_training_reads_exported_samples(tmp_path: Path) -> None:
    dataset = Dataset(tmp_path / "data", write_dataset(tmp_path / "data", 3))
    export(dataset, tmp_path / "out", "trl", Options(samples=Sampling(history="screenshots:2", split="random")))
    samples = read_samples(tmp_path / "out", "test")
    assert [len(one.images) for one in samples] == [1, 2, 3, 3, 3, 3, 3, 3]
    assert samples[3].answer == "LONG_PRESS: (100, 900)"
    assert samples[3].image(0).size == (36, 64)
    lines = tmp_path / "out/data/test/00000.jsonl"
    lines.write_text(lines.read_text().replace("buy: milk", "buy:\u2028milk"))
    assert [one.answer for one in read_samples(tmp_path / "out", "test")][1] == "TYPE: buy:\u2028milk"
    with pytest.raises(TrainingError, match="The export has test and train"):
        read_samples(tmp_path / "out", "all")
    lines.write_text('{"id": "x", "images": ["a.png"], "prompt": [], "completion": []}')
    with pytest.raises(TrainingError, match=r"00000\.jsonl:1: "):
        read_samples(tmp_path / "out", "test")
