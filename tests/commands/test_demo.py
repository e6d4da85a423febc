import json
from pathlib import Path

import pytest
from PIL import Image

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.model.action import Type, action_type
from tests.command_line import CommandLine

CROSS_APP = {"CLICK", "SCROLL", "LONG_PRESS", "TYPE", "HOME", "BACK", "RECENT", "COMPLETE"}


@pytest.mark.timeout(300)
def test_it_records_publishes_and_replays_three_episodes(command_line: CommandLine) -> None:
    folder = command_line.folder / "demo"
    ran = command_line("demo", "--out", folder, "--profile", "small_phone")
    assert ran.exit_code == 0, ran.out + ran.err
    assert ran.out.endswith("All steps match.\n")
    store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
    episodes = sorted((store.load(episode) for episode in store.episodes()), key=lambda episode: len(episode.steps))
    impossible, by_hand, cross_app = episodes
    assert [action_type(one.steps[-1].action) for one in episodes] == ["IMPOSSIBLE", "COMPLETE", "COMPLETE"]
    assert {action_type(step.action) for step in cross_app.steps} == CROSS_APP
    assert len(cross_app.steps) >= 12
    assert len(cross_app.task.apps) >= 2
    assert [store.provenance(one.episode_id).origin.mode for one in episodes] == ["mirror", "passive", "mirror"]  # type: ignore[union-attr]
    assert Type("buy milk") in [step.action for step in by_hand.steps]
    assert len(impossible.steps) >= 2
    for episode in episodes:
        assert f"  {episode.episode_id}  " in ran.out
        assert (folder / f"replay-{episode.episode_id}.html").is_file()
    with Image.open(folder / "contact-sheet.png") as sheet:
        assert sheet.width == 2000
    assert max(map(len, ran.out.partition("Replaying")[2].partition("Dataset")[0].splitlines())) <= 80
    assert list((folder / "drafts").glob("[0-9]*")) == []
    checked = json.loads(command_line("check", folder / "dataset", "--json").out)
    found = [one["check"] for one in checked["findings"] if one["severity"] in ("error", "warning")]
    # On a busy computer an answer may come too late to prove of what moment a screenshot is, but not for most steps.
    assert set(found) <= {"IMG05"}
    assert len(found) < 10


def test_a_phone_that_cannot_be_simulated_is_named(command_line: CommandLine) -> None:
    ran = command_line("demo", "--out", command_line.folder / "demo", "--profile", "[red]nokia")
    assert ran.exit_code == 1
    assert "([red]nokia)" in ran.out
    assert "No simulated device '[red]nokia'; there are small_phone" in ran.err


def test_a_folder_that_cannot_be_written_is_named(command_line: CommandLine) -> None:
    Path(command_line.folder / "file").write_text("")
    ran = command_line("demo", "--out", command_line.folder / "file", "--profile", "small_phone")
    assert ran.exit_code == 1
    assert "a file is where a folder must be" in ran.err
