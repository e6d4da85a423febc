import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from odyssey_recorder.checking.check_cache import Cache, CodeHashes, Inspection, Measurements
from odyssey_recorder.checking.screenshot import MeasuredScreenshot
from odyssey_recorder.model.geometry import Size

VERSIONS = CodeHashes("measures", "checks")
INSPECTION = Inspection("stamp", "0000000000000001", 3, '{"report": 1}', "{}")
SCREENSHOT = MeasuredScreenshot("aa", "", Size(9, 9), 1.5, 0.25, 2**64 - 1)
MEASUREMENTS = Measurements({"/d/1.png": ("10 20 30", "aa")}, {"aa": SCREENSHOT}, {("aa", "bb"): 0.125})
ANNOTATION = Path("/d/annotations/1.json")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "checks.sqlite"


def filled_cache(path: Path | None, rules: CodeHashes = VERSIONS) -> Cache:
    cache = Cache(path, rules)
    cache.keep(ANNOTATION, INSPECTION, MEASUREMENTS)
    return cache


def has_everything(cache: Cache) -> bool:
    assert cache.sha256(Path("/d/1.png"), "10 20 31") is None
    found = cache.sha256(Path("/d/1.png"), "10 20 30"), cache.screenshot("aa"), cache.change("aa", "bb")
    return (*found, cache.episode(ANNOTATION)) == ("aa", SCREENSHOT, 0.125, INSPECTION)


def test_results_are_visible_to_readers_and_later_runs(path: Path) -> None:
    writer = filled_cache(path)
    reader = Cache(path, VERSIONS, reader=True)
    assert has_everything(reader)
    reader.close()
    writer.close()
    assert has_everything(Cache(path, VERSIONS))


def test_results_of_other_code_are_ignored(path: Path) -> None:
    filled_cache(path).close()
    cache = Cache(path, CodeHashes("measures", "newer checks"))
    assert (cache.screenshot("aa"), cache.change("aa", "bb"), cache.episode(ANNOTATION)) == (SCREENSHOT, 0.125, None)
    cache = Cache(path, CodeHashes("newer measures", "checks"))
    assert (cache.screenshot("aa"), cache.change("aa", "bb"), cache.episode(ANNOTATION)) == (None, None, INSPECTION)


def test_cache_without_a_file_is_empty_and_readers_create_none(path: Path) -> None:
    cache = filled_cache(None)
    assert (cache.screenshot("aa"), cache.episode(ANNOTATION), cache.problem) == (None, None, "")
    assert Cache(path, VERSIONS, reader=True).screenshot("aa") is None
    assert not path.exists()


@pytest.mark.parametrize(
    "content", [b"this is no database, though it is long enough to be one" * 20, b"SQLite format 3\0"]
)
def test_broken_file_is_set_aside_and_replaced(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    cache = filled_cache(path)
    assert has_everything(cache)
    assert "The cache of earlier checks was damaged" in cache.problem
    assert path.with_name("checks.sqlite.broken").read_bytes() == content
    assert Cache(path, VERSIONS).problem == ""


def overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"?" * path.stat().st_size)


def replace_tables(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE pictures (other TEXT)")
    other.close()


@pytest.mark.parametrize("damage", [overwrite, replace_tables])
def test_file_damaged_later_or_with_other_tables_is_replaced(path: Path, damage: Callable[[Path], None]) -> None:
    filled_cache(path).close()
    damage(path)
    cache = Cache(path, VERSIONS)
    assert cache.screenshot("aa") is None
    cache.keep(ANNOTATION, INSPECTION, MEASUREMENTS)
    assert has_everything(cache)


def test_locked_file_is_skipped(path: Path) -> None:
    filled_cache(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    cache = Cache(path, VERSIONS, wait_s=0.01)
    assert cache.screenshot("aa") is None
    cache.keep(ANNOTATION, INSPECTION, MEASUREMENTS)
    assert "locked" in cache.problem
    other.close()
    assert has_everything(Cache(path, VERSIONS))


def test_unusable_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder must be")
    cache = filled_cache(tmp_path / "cache" / "checks.sqlite")
    assert cache.screenshot("aa") is None
    assert "cannot be used" in cache.problem


def test_invalid_rows_are_ignored(path: Path) -> None:
    filled_cache(path).close()
    with sqlite3.connect(path) as other:
        other.execute("UPDATE pictures SET measured = '{\"sha256\": 7}'")
        other.execute("UPDATE changes SET share = 'much'")
        other.execute("UPDATE episodes SET steps = 'many'")
    other.close()
    cache = Cache(path, VERSIONS)
    assert (cache.screenshot("aa"), cache.change("aa", "bb"), cache.episode(ANNOTATION)) == (None, None, None)


def test_file_names_that_are_not_text_are_stored(path: Path) -> None:
    undecodable = Path(os.fsdecode(b"/d/\xff\xfe.json"))
    cache = Cache(path, VERSIONS)
    cache.keep(undecodable, INSPECTION, Measurements())
    assert cache.episode(undecodable) == INSPECTION
