"""Which changes of the program make episodes be checked again."""

import shutil
from pathlib import Path

import pytest

import odyssey_simulator
from odyssey_recorder.checking.code_hash import module_hash, program_hash
from odyssey_recorder.checking.screenshot import measure
from odyssey_recorder.resources import PACKAGE, data_folder, shipped_folders


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    for folder in ("checking", "tasks", "model"):
        shutil.copytree(PACKAGE / folder, tmp_path / PACKAGE.name / folder)
    shutil.copytree(data_folder("templates"), tmp_path / "templates")
    return tmp_path


def checks_hash(installation: Path) -> str:
    return program_hash([installation / PACKAGE.name, installation / "templates"])


def measures_hash(installation: Path) -> str:
    return module_hash(measure.__module__, "pillow", installation / PACKAGE.name)


@pytest.mark.parametrize(
    ("changed", "of_checks", "of_measures"),
    [
        ("odyssey_recorder/tasks/wording/equivalence.py", True, False),
        ("odyssey_recorder/checking/one_episode/instruction.py", True, False),
        ("odyssey_recorder/checking/screenshot.py", True, True),
        ("odyssey_recorder/checking/thresholds.py", True, True),
        ("odyssey_recorder/model/geometry.py", True, True),
        ("odyssey_recorder/tasks/__pycache__/new.pyc", False, False),
        ("templates/apps/new.yaml", True, False),
    ],
)
def test_changed_file_changes_the_hash_of_its_dependents(
    installation: Path, changed: str, *, of_checks: bool, of_measures: bool
) -> None:
    checks, measures = checks_hash(installation), measures_hash(installation)
    path = installation / changed
    path.parent.mkdir(exist_ok=True)
    with path.open("ab") as file:
        file.write(b"\n")
    assert (checks_hash(installation) != checks, measures_hash(installation) != measures) == (of_checks, of_measures)


def test_hash_covers_shipped_files_and_library() -> None:
    assert module_hash(measure.__module__, "pillow") != module_hash(measure.__module__, "rapidfuzz")
    shipped = shipped_folders()
    assert PACKAGE in shipped
    assert data_folder("templates") in shipped
    assert program_hash() == program_hash(shipped)


def test_results_survive_changes_of_the_simulator() -> None:
    [simulator] = odyssey_simulator.__path__
    assert not [folder for folder in shipped_folders() if Path(simulator).is_relative_to(folder)]
