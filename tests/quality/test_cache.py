import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from odyssey_recorder.model.geometry import Size
from odyssey_recorder.quality.cache import Cache, Editions, Inspection, Measurements
from odyssey_recorder.quality.screenshot import MeasuredScreenshot

RULES = Editions("measures", "checks")
KEPT = Inspection("stamp", "0000000000000001", 3, '{"report": 1}', "{}")
SCREENSHOT = MeasuredScreenshot("aa", "", Size(9, 9), 1.5, 0.25, 2**64 - 1)
LEARNT = Measurements({"/d/1.png": ("10 20 30", "aa")}, {"aa": SCREENSHOT}, {("aa", "bb"): 0.125})
PLACE = Path("/d/annotations/1.json")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "checks.sqlite"


def filled(path: Path | None, rules: Editions = RULES) -> Cache:
    cache = Cache(path, rules)
    cache.keep(PLACE, KEPT, LEARNT)
    return cache


def knows_all(cache: Cache) -> bool:
    assert cache.sha256(Path("/d/1.png"), "10 20 31") is None
    found = cache.sha256(Path("/d/1.png"), "10 20 30"), cache.screenshot("aa"), cache.change("aa", "bb")
    return (*found, cache.episode(PLACE)) == ("aa", SCREENSHOT, 0.125, KEPT)


def test_what_was_found_is_known_to_the_next_run_and_to_its_processes(path: Path) -> None:
    writer = filled(path)
    reader = Cache(path, RULES, reader=True)
    assert knows_all(reader)
    reader.close()
    writer.close()
    assert knows_all(Cache(path, RULES))


def test_what_another_edition_has_found_or_measured_is_not_known(path: Path) -> None:
    filled(path).close()
    cache = Cache(path, Editions("measures", "newer checks"))
    assert (cache.screenshot("aa"), cache.change("aa", "bb"), cache.episode(PLACE)) == (SCREENSHOT, 0.125, None)
    cache = Cache(path, Editions("newer measures", "checks"))
    assert (cache.screenshot("aa"), cache.change("aa", "bb"), cache.episode(PLACE)) == (None, None, KEPT)


def test_without_a_file_nothing_is_known_and_nothing_wrong_and_a_reader_makes_none(path: Path) -> None:
    cache = filled(None)
    assert (cache.screenshot("aa"), cache.episode(PLACE), cache.problem) == (None, None, "")
    assert Cache(path, RULES, reader=True).screenshot("aa") is None
    assert not path.exists()


@pytest.mark.parametrize(
    "rubbish", [b"this is no database, though it is long enough to be one" * 20, b"SQLite format 3\0"]
)
def test_a_broken_file_is_put_aside_and_another_begun(path: Path, rubbish: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(rubbish)
    cache = filled(path)
    assert knows_all(cache)
    assert "The cache of earlier checks was damaged" in cache.problem
    assert path.with_name("checks.sqlite.broken").read_bytes() == rubbish
    assert Cache(path, RULES).problem == ""


def overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"?" * path.stat().st_size)


def put_other_tables(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE pictures (other TEXT)")
    other.close()


@pytest.mark.parametrize("spoil", [overwrite, put_other_tables])
def test_a_file_that_breaks_or_has_other_tables_is_put_aside(path: Path, spoil: Callable[[Path], None]) -> None:
    filled(path).close()
    spoil(path)
    cache = Cache(path, RULES)
    assert cache.screenshot("aa") is None
    cache.keep(PLACE, KEPT, LEARNT)
    assert knows_all(cache)


def test_where_somebody_holds_the_file_all_goes_on_without_it(path: Path) -> None:
    filled(path).close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    cache = Cache(path, RULES, wait_s=0.01)
    assert cache.screenshot("aa") is None
    cache.keep(PLACE, KEPT, LEARNT)
    assert "locked" in cache.problem
    holder.close()
    assert knows_all(Cache(path, RULES))


def test_where_no_file_can_be_all_goes_on_without_it(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder must be")
    cache = filled(tmp_path / "cache" / "checks.sqlite")
    assert cache.screenshot("aa") is None
    assert "cannot be used" in cache.problem


def test_a_row_that_makes_no_sense_is_not_believed(path: Path) -> None:
    filled(path).close()
    with sqlite3.connect(path) as other:
        other.execute("UPDATE pictures SET measured = '{\"sha256\": 7}'")
        other.execute("UPDATE changes SET share = 'much'")
        other.execute("UPDATE episodes SET steps = 'many'")
    other.close()
    cache = Cache(path, RULES)
    assert (cache.screenshot("aa"), cache.change("aa", "bb"), cache.episode(PLACE)) == (None, None, None)


def test_names_that_are_no_text_are_kept_too(path: Path) -> None:
    odd = Path(os.fsdecode(b"/d/\xff\xfe.json"))
    cache = Cache(path, RULES)
    cache.keep(odd, KEPT, Measurements())
    assert cache.episode(odd) == KEPT
