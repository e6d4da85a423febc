"""Malicious files: no command hangs, crashes, or reads or writes files outside."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command_line import CommandLine
from tests.quality.folders import FIRST, SECOND, write_dataset

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes and few links")


def series(folder: Path, seed: int, cases: int) -> None:
    words = [sys.executable, "-m", "tests.hostile.series", str(folder), str(seed), str(cases)]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert ran.returncode == 0, f"{' '.join(words)}\n{ran.stdout}{ran.stderr}"


def test_damaged_files_do_no_harm(tmp_path: Path) -> None:
    series(tmp_path, 1, 6)


@pytest.mark.soak
def test_damaged_files_do_no_harm_in_a_long_series(tmp_path: Path) -> None:
    series(tmp_path, time.time_ns() // 1_000_000, 1_500)


@pytest.fixture
def dataset(command_line: CommandLine) -> Path:
    write_dataset(command_line.dataset, FIRST, SECOND)
    return command_line.dataset


def test_a_link_that_waits_for_a_temporary_file_leads_nothing_outside(command_line: CommandLine, dataset: Path) -> None:
    victim = dataset.with_name("victim")
    victim.write_text("theirs")
    (dataset / "reviews").mkdir()
    for name in ("policy.json.part", "policy.json", ".gitignore", ".gitattributes"):
        (dataset / "reviews" / name).symlink_to(victim)

    refused = command_line("reviews", "policy", "--share", "0.3")
    assert refused.exit_code == 2
    assert "policy.json cannot be read: a link in its path leads out of" in refused.err
    (dataset / "reviews/policy.json").unlink()
    assert command_line("reviews", "policy", "--share", "0.3").exit_code == 0

    assert victim.read_text() == "theirs"
    assert "0.3" in (dataset / "reviews/policy.json").read_text()


@pytest.mark.parametrize(
    "name", [f"annotations/{FIRST}.json", f"provenance/{FIRST}.json", f"screenshots/{FIRST}_1.png"]
)
def test_a_pipe_in_the_place_of_a_file_is_a_finding(command_line: CommandLine, dataset: Path, name: str) -> None:
    (dataset / name).unlink()
    os.mkfifo(dataset / name)
    ran = command_line("check", dataset, "--jobs", "1", "--no-cache", "--json")
    assert "it is a named pipe, not a file" in ran.out


def test_an_export_takes_no_link_along(command_line: CommandLine, dataset: Path) -> None:
    screenshot = dataset / f"screenshots/{FIRST}_1.png"
    screenshot.rename(inside := dataset / "moved.png")
    screenshot.symlink_to(inside)
    out = dataset.with_name("out")
    ran = command_line("convert", dataset, out, "--dialect", "release", "--with-screenshots", "--unchecked")
    assert ran.exit_code == 1
    assert f"{FIRST}_1.png was not used: it is a link. Replace it with the file itself." in ran.err
    assert [path.name for path in (out / "annotations").iterdir()] == [f"{SECOND}.json"]


def test_a_merge_takes_no_link_along(command_line: CommandLine, dataset: Path) -> None:
    (other := dataset.with_name("other")).mkdir()
    (other / "file").write_text("{}")
    (other / f"{FIRST}.json").symlink_to(other / "file")
    ran = command_line("reviews", "merge", other)
    assert ran.exit_code == 1
    assert f"{FIRST}.json was not used: it is a link." in ran.err


def test_a_name_that_is_no_utf_8_is_shown_and_the_rest_is_checked(command_line: CommandLine, dataset: Path) -> None:
    for folder, name in {"annotations": b"\xff.json", "screenshots": b"\xff_0.png", "reviews": b"\xff"}.items():
        (dataset / folder).mkdir(exist_ok=True)
        Path(os.fsdecode(os.fsencode(dataset / folder) + b"/" + name)).write_bytes(b"{}")
    page = dataset.with_name("page.html")
    for words in ([], ["--json"], ["--html", page]):
        ran = command_line("check", dataset, "--jobs", "1", "--no-cache", *words)
        assert (ran.exit_code, ran.err) == (1, "")
        assert FIRST in ran.out
    assert "\\udcff" in page.read_text()
