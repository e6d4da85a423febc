"""The figures from the index equal those from the files, and are the same in window and command."""

from contextlib import closing
from pathlib import Path

from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.dataset_index.filter import parse_filter
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.exporting.job import sides_of
from odyssey_recorder.figures.episodes import read_figures
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.services.figures import figures_of
from odyssey_recorder.splits.files import read_splits
from tests.cli import CommandLine
from tests.exporting.sample import write_dataset
from tests.gui.dataset.figures_driver import FiguresDriver


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


def test_window_and_command_write_the_same_page(
    qtbot: QtBot, background: Background, cli: CommandLine, root: Path, tmp_path: Path
) -> None:
    by_window, by_command = tmp_path / "window.html", tmp_path / "command.html"
    text = 'device:"Small Phone"'
    with closing(EpisodeIndex(root, None)) as index:
        index.refresh()
        driver = FiguresDriver(qtbot, background, index)
        driver.view.show_filter(parse_filter(text))
        driver.open()
        driver.save("Save as page", by_window)
        driver.wait_for_text("The page is saved.")
    result = cli("stats", root, "--filter", text, "--html", by_command)
    assert result.err.splitlines() == ["1 retired episode left out", "1 episode by agents left out"]
    assert by_window.read_bytes() == by_command.read_bytes()
    assert driver.says("6 episodes")


def test_other_dataset_to_compare_with_has_no_retired_or_agents_episodes(
    cli: CommandLine, root: Path, tmp_path: Path
) -> None:
    write_dataset(tmp_path / "other", 6)
    report = cli.json("stats", tmp_path / "other", "--against", root)
    [devices] = [figure for figure in report["figures"] if figure["key"] == "devices"]
    assert report["against"] == str(root)
    assert devices["panels"][0]["rows"] == [["Small Phone", 5, 83.3, 75.0], ["Pixel Tablet", 1, 16.7, 25.0]]
