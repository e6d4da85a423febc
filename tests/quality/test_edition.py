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


def of_measures(house: Path) -> str:
    return edition_of(measure.__module__, "pillow", house / PACKAGE.name)


@pytest.mark.parametrize(
    ("changed", "is_checks", "is_measures"),
    [
        ("odyssey_recorder/task/wording/equivalence.py", True, False),
        ("odyssey_recorder/quality/checks/words.py", True, False),
        ("odyssey_recorder/quality/screenshot.py", True, True),
        ("odyssey_recorder/quality/thresholds.py", True, True),
        ("odyssey_recorder/model/geometry.py", True, True),
        ("odyssey_recorder/task/__pycache__/new.pyc", False, False),
        ("templates/apps/new.yaml", True, False),
    ],
)
def test_a_file_that_is_new_or_edited_is_another_edition_of_what_depends_on_it(
    house: Path, changed: str, *, is_checks: bool, is_measures: bool
) -> None:
    checks, measures = of_checks(house), of_measures(house)
    path = house / changed
    path.parent.mkdir(exist_ok=True)
    with path.open("ab") as file:
        file.write(b"\n")
    assert (of_checks(house) != checks, of_measures(house) != measures) == (is_checks, is_measures)


def test_all_that_the_program_ships_counts_and_so_does_the_library() -> None:
    assert edition_of(measure.__module__, "pillow") != edition_of(measure.__module__, "rapidfuzz")
    shipped = shipped_folders()
    assert PACKAGE in shipped
    assert data_folder("templates") in shipped
    assert edition() == edition(shipped)
