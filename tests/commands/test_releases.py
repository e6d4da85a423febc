"""`odyssey-recorder release`."""

import json
import os
import shutil

import pytest

from odyssey_recorder.dataset.trash import Trash
from tests.checking.folders import FIRST, SECOND, THIRD, write_dataset
from tests.cli import CommandLine
from tests.commands.acceptance import accept_episodes

pytestmark = pytest.mark.usefixtures("one_processor")


@pytest.fixture
def dataset(cli: CommandLine) -> CommandLine:
    """With three episodes; two of them are accepted."""
    write_dataset(cli.dataset, FIRST, SECOND, THIRD)
    accept_episodes(cli.dataset, FIRST, SECOND)
    return cli


def test_accepted_episodes_are_released_verified_and_compared(dataset: CommandLine) -> None:
    root = dataset.dataset
    planned = dataset("release", "make", root, "--dry-run")
    assert (planned.exit_code, (root / "releases").exists()) == (0, False)
    made = dataset("release", "make", root)
    assert (made.exit_code, made.out) == (0, planned.out.replace("would be released", "released"))
    assert made.out.endswith("2 episodes released as 1.0.0\n")
    assert f"{THIRD}.json is not accepted: unreviewed" in made.err
    folder = root / "releases/1.0.0"
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    assert [(row["episode_id"], row["verdict"]) for row in rows] == [(FIRST, "accept"), (SECOND, "accept")]
    stats = json.loads((folder / "stats.json").read_text())
    assert (stats["episodes"], stats["dataset"]) == (2, "dataset")
    assert "1 episode of the dataset left out" in (folder / "README.md").read_text()
    assert dataset("release", "list", root).out.split()[:3] == ["1.0.0", "2", "episodes"]
    assert dataset("release", "verify", root).out == "1.0.0: 2 episodes, 0 differences\n"
    assert dataset.error("release", "make", root) == "Nothing has changed since release 1.0.0.\n"

    Trash(root).move(FIRST)
    assert dataset.json("release", "make", root)["name"] == "1.1.0"
    diff = dataset.json("release", "diff", root)
    assert (diff["old"], diff["new"]) == ("1.0.0", "1.1.0")
    assert diff["removed"] == {FIRST: "no longer in the dataset"}
    assert f"{FIRST}  no longer in the dataset" in dataset("release", "diff", root, "1.0.0", "1.1.0").out
    assert f"the released one is in trash/{FIRST}-" in dataset.output("release", "verify", root, "1.0.0")
    shutil.rmtree(root / "trash")
    assert dataset.json("release", "verify", root, "1.0.0")["lost"]


BEGINS, ENDS = "<!-- your own section begins -->", "<!-- your own section ends -->"


def test_custom_card_section_is_in_every_export_and_release(dataset: CommandLine) -> None:
    root, section = dataset.dataset, "## Who we are\n\n---\nname: <b>us</b>\n\nÄsk *Ada*."
    export = "export", root, "--as", "jsonl", "--all", "--jobs", "1"
    dataset(*export, root.parent / "first")
    card = (root.parent / "first/README.md").read_text()
    assert f"## Notes\n\n{BEGINS}\n{ENDS}\n" in card, "a place to begin"
    for name in ("second", "third"):  # the card of one export is kept as the dataset's, and exported again
        (root / "README.md").write_text(card.replace(f"{BEGINS}\n{ENDS}", f"{BEGINS}\r\n{section}\n{ENDS}"), newline="")
        assert dataset(*export, root.parent / name).exit_code == 0
        card = (root.parent / name / "README.md").read_text()
        assert card.endswith(f"{BEGINS}\n{section}\n{ENDS}\n")
    dataset("release", "make", root)
    Trash(root).move(FIRST)
    dataset("release", "make", root)
    for name in ("1.0.0", "1.1.0"):
        assert section in (root / "releases" / name / "README.md").read_text()
    assert dataset("release", "verify", root).exit_code == 0

    (root / "README.md").write_text(f"{BEGINS}\nabc")
    assert "Add that line." in dataset.error(*export, root.parent / "fourth")
    (root / "README.md").write_bytes(b"\xff")
    assert "is not UTF-8" in dataset(*export, root.parent / "fourth").err
    (root / "README.md").unlink()
    os.mkfifo(root / "README.md")
    assert "a named pipe" in dataset(*export, root.parent / "fourth").err


def test_dataset_that_cannot_be_released_is_explained(cli: CommandLine) -> None:
    root = cli.dataset
    assert "has no episodes" in cli("release", "make", root).err
    assert "has no releases" in cli("release", "verify", root).err
    assert cli("release", "list", root).out == "No releases yet.\n"
    write_dataset(root, FIRST)
    error = cli.error("release", "make", root)
    assert "no episode of" in error
    assert "is not accepted: unreviewed" in error
    assert "cannot name a release" in cli.error("release", "make", root, "../out")
    assert not (root / "releases").exists()
