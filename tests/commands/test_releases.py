"""`odyssey-recorder release`."""

import json
import os
import shutil

import pytest

from odyssey_recorder.dataset.trash import Trash
from tests.command_line import CommandLine
from tests.commands.accepting import accept
from tests.quality.folders import FIRST, SECOND, THIRD, write_dataset


@pytest.fixture
def dataset(command_line: CommandLine) -> CommandLine:
    """With three episodes; two of them are accepted."""
    write_dataset(command_line.dataset, FIRST, SECOND, THIRD)
    accept(command_line.dataset, FIRST, SECOND)
    return command_line


def test_accepted_episodes_are_released_listed_verified_and_compared(dataset: CommandLine) -> None:
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
    again = dataset("release", "make", root)
    assert (again.exit_code, again.err) == (2, "Nothing has changed since release 1.0.0.\n")

    Trash(root).move(FIRST)
    assert json.loads(dataset("release", "make", root, "--json").out)["name"] == "1.1.0"
    told = json.loads(dataset("release", "diff", root, "--json").out)
    assert (told["old"], told["new"]) == ("1.0.0", "1.1.0")
    assert told["removed"] == {FIRST: "no longer in the dataset"}
    assert f"{FIRST}  no longer in the dataset" in dataset("release", "diff", root, "1.0.0", "1.1.0").out
    kept = dataset("release", "verify", root, "1.0.0")
    assert (kept.exit_code, f"the released one is in trash/{FIRST}-" in kept.out) == (0, True)
    shutil.rmtree(root / "trash")
    lost = json.loads(dataset("release", "verify", root, "1.0.0", "--json").out)
    assert [line.split(": ")[0][-40:] for line in lost["lost"]] != []


BEGINS, ENDS = "<!-- your own section begins -->", "<!-- your own section ends -->"


def test_peoples_own_section_of_the_card_is_in_every_export_and_release(dataset: CommandLine) -> None:
    root, own = dataset.dataset, "## Who we are\n\n---\nname: <b>us</b>\n\nÄsk *Ada*."
    export = "export", root, "--as", "jsonl", "--all", "--jobs", "1"
    dataset(*export, root.parent / "first")
    card = (root.parent / "first/README.md").read_text()
    assert f"## Notes\n\n{BEGINS}\n{ENDS}\n" in card, "a place to begin"
    for name in ("second", "third"):  # the card of one export is kept as the dataset's, and exported again
        (root / "README.md").write_text(card.replace(f"{BEGINS}\n{ENDS}", f"{BEGINS}\r\n{own}\n{ENDS}"), newline="")
        assert dataset(*export, root.parent / name).exit_code == 0
        card = (root.parent / name / "README.md").read_text()
        assert card.endswith(f"{BEGINS}\n{own}\n{ENDS}\n")
    dataset("release", "make", root)
    Trash(root).move(FIRST)
    dataset("release", "make", root)
    for name in ("1.0.0", "1.1.0"):
        assert own in (root / "releases" / name / "README.md").read_text()
    assert dataset("release", "verify", root).exit_code == 0

    (root / "README.md").write_text(f"{BEGINS}\nabc")
    refused = dataset(*export, root.parent / "fourth")
    assert (refused.exit_code, "Add that line." in refused.err) == (2, True)
    (root / "README.md").write_bytes(b"\xff")
    assert "is not UTF-8" in dataset(*export, root.parent / "fourth").err
    (root / "README.md").unlink()
    os.mkfifo(root / "README.md")
    assert "a named pipe" in dataset(*export, root.parent / "fourth").err


def test_what_cannot_be_released_is_said(command_line: CommandLine) -> None:
    root = command_line.dataset
    assert "has no episodes" in command_line("release", "make", root).err
    assert "has no releases" in command_line("release", "verify", root).err
    assert command_line("release", "list", root).out == "No releases yet.\n"
    write_dataset(root, FIRST)
    ran = command_line("release", "make", root)
    assert (ran.exit_code, "no episode of" in ran.err, "is not accepted: unreviewed" in ran.err) == (2, True, True)
    named = command_line("release", "make", root, "../out")
    assert (named.exit_code, "cannot name a release" in named.err) == (2, True)
    assert not (root / "releases").exists()
