"""The figures from the index equal those from the files."""

from contextlib import closing
from pathlib import Path

from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.dataset_index.filter import parse_filter
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.exporting.job import sides_of
from odyssey_recorder.figures.episodes import read_figures
from odyssey_recorder.services.figures import figures_of
from odyssey_recorder.splits.files import read_splits
from tests.exporting.sample import write_dataset


def test_index_gives_the_same_figures_as_the_files(tmp_path: Path) -> None:
    write_dataset(tmp_path, 12)
    (tmp_path / "annotations" / f"{99:016}.json").write_text("{")
    with closing(EpisodeIndex(tmp_path, None)) as index:
        index.refresh()
        figures, unread = figures_of(index)
        tablets, _ = figures_of(index, parse_filter('device:"Pixel Tablet"'))

    sides = sides_of(read_splits(tmp_path / "splits"))
    assert figures == list(read_figures(tmp_path, sides, episode_ids(tmp_path)))
    assert len(unread) == 1
    assert {one.device for one in tablets} == {"Pixel Tablet"}
    assert len(tablets) == 3
