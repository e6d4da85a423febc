"""What makes another edition of the program, so that episodes are checked again."""

import shutil
from pathlib import Path

import pytest

from odyssey_recorder.quality.edition import edition, edition_of
from odyssey_recorder.quality.screenshot import measure
from odyssey_recorder.resources import PACKAGE, data_folder, shipped_folders


@pytest.fixture
def house(tmp_path: Path) -> Path:
    for folder in ("quality", "task", "model"):
        shutil.copytree(PACKAGE / folder, tmp_path / PACKAGE.name / folder)
    shutil.copytree(data_folder("templates"), tmp_path / "templates")
    return tmp_path


def of_checks(house: Path) -> str:
    return edition([house / PACKAGE.name, house / "templates"])


def of_measures(house: Path, library: str = "pillow") -> str:
    return edition_of(measure.__module__, library, house / PACKAGE.name)


def touch(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


@pytest.mark.parametrize(
    "changed",
    [
        "odyssey_recorder/task/wording/equivalence.py",
        "odyssey_recorder/quality/checks/words.py",
        "templates/apps/*.yaml",
    ],
)
def test_a_rule_of_tasks_or_a_catalogue_of_apps_that_was_edited_is_another_edition_of_the_checks_alone(
    house: Path, changed: str
) -> None:
    checks, measures = of_checks(house), of_measures(house)
    touch(next(house.glob(changed)))
    assert of_checks(house) != checks
    assert of_measures(house) == measures


@pytest.mark.parametrize("changed", ["quality/screenshot.py", "quality/thresholds.py", "model/geometry.py"])
def test_what_pictures_are_measured_with_is_found_by_its_imports(house: Path, changed: str) -> None:
    before = of_measures(house)
    touch(house / PACKAGE.name / changed)
    assert of_measures(house) != before
    assert of_measures(house) != of_measures(house, "rapidfuzz")


def test_a_new_file_is_another_edition_and_what_python_keeps_of_a_module_is_none(house: Path) -> None:
    before = of_checks(house)
    kept = house / PACKAGE.name / "task" / "__pycache__"
    kept.mkdir(exist_ok=True)
    (kept / "new.pyc").write_bytes(b"")
    assert of_checks(house) == before
    (house / "templates" / "apps" / "new.yaml").write_bytes(b"")
    assert of_checks(house) != before


def test_all_that_the_program_ships_counts() -> None:
    shipped = shipped_folders()
    assert PACKAGE in shipped
    assert data_folder("templates") in shipped
    assert edition() == edition(shipped)
