"""Malicious files: no command hangs, crashes, or reads or writes files outside."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.checking.folders import FIRST, SECOND, write_dataset
from tests.cli import CommandLine

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes and few links")


def series(folder: Path, seed: int, cases: int) -> None:
    words = [sys.executable, "-m", "tests.hostile.series", str(folder), str(seed), str(cases)]
    result = subprocess.run(words, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert result.returncode == 0, f"{' '.join(words)}\n{result.stdout}{result.stderr}"


def test_damaged_files_do_no_harm(tmp_path: Path) -> None:
    series(tmp_path, 1, 6)


@pytest.mark.soak
def test_damaged_files_do_no_harm_in_a_long_series(tmp_path: Path) -> None:
    series(tmp_path, time.time_ns() // 1_000_000, 1_500)


@pytest.fixture
def dataset(cli: CommandLine) -> Path:
    write_dataset(cli.dataset, FIRST, SECOND)
    return cli.dataset


def test_links_at_temporary_file_names_are_not_followed(cli: CommandLine, dataset: Path) -> None:
    victim = dataset.with_name("victim")
    victim.write_text("theirs")
    (dataset / "reviews").mkdir()
    for name in ("policy.json.part", "policy.json", ".gitignore", ".gitattributes"):
        (dataset / "reviews" / name).symlink_to(victim)

    error = cli.error("reviews", "policy", "--share", "0.3")
    assert "policy.json cannot be read: a link in its path leads out of" in error
    (dataset / "reviews/policy.json").unlink()
    assert cli("reviews", "policy", "--share", "0.3").exit_code == 0

    assert victim.read_text() == "theirs"
    assert "0.3" in (dataset / "reviews/policy.json").read_text()


@pytest.mark.parametrize(
    "name", [f"annotations/{FIRST}.json", f"provenance/{FIRST}.json", f"screenshots/{FIRST}_1.png"]
)
def test_named_pipe_instead_of_a_file_is_a_finding(cli: CommandLine, dataset: Path, name: str) -> None:
    (dataset / name).unlink()
    os.mkfifo(dataset / name)
    result = cli("check", dataset, "--jobs", "1", "--no-cache", "--json")
    assert "it is a named pipe, not a file" in result.out


def test_conversion_skips_links(cli: CommandLine, dataset: Path) -> None:
    annotation = dataset / f"annotations/{FIRST}.json"
    annotation.rename(inside := dataset / "moved.json")
    annotation.symlink_to(inside)
    out = dataset.with_name("out")
    error = cli.error("convert", dataset, out, "--dialect", "release", exit_code=1)
    assert f"{FIRST}.json was not used: it is a link. Replace it with the file itself." in error
    assert [path.name for path in (out / "annotations").iterdir()] == [f"{SECOND}.json"]


def test_merge_skips_links(cli: CommandLine, dataset: Path) -> None:
    (other := dataset.with_name("other")).mkdir()
    (other / "file").write_text("{}")
    (other / f"{FIRST}.json").symlink_to(other / "file")
    assert f"{FIRST}.json was not used: it is a link." in cli.error("reviews", "merge", other, exit_code=1)


def test_check_survives_file_names_that_are_not_utf_8(cli: CommandLine, dataset: Path) -> None:
    for folder, name in {"annotations": b"\xff.json", "screenshots": b"\xff_0.png", "reviews": b"\xff"}.items():
        (dataset / folder).mkdir(exist_ok=True)
        Path(os.fsdecode(os.fsencode(dataset / folder) + b"/" + name)).write_bytes(b"{}")
    page = dataset.with_name("page.html")
    for words in ([], ["--json"], ["--html", page]):
        result = cli("check", dataset, "--jobs", "1", "--no-cache", *words)
        assert (result.exit_code, result.err) == (1, "")
        assert FIRST in result.out
    assert "\\udcff" in page.read_text()
