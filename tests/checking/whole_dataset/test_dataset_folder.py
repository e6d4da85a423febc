import json
from pathlib import Path

import pytest

from odyssey_recorder.checking.whole_dataset.dataset_folder import folder_findings, list_findings
from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.finding import Finding, NotChecked, Severity
from tests.checking.compared_episodes import facts, source

ONE, TWO, MISSING = (f"{number:016}" for number in (1, 2, 9))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for episode_id in (ONE, TWO):
        for name in (
            f"annotations/{episode_id}.json",
            f"screenshots/{episode_id}_0.png",
            f"provenance/{episode_id}.json",
            f"ui_trees/{episode_id}_0.xml",
            f"reviews/{episode_id}.json",
        ):
            write_json(tmp_path / name)
    return tmp_path


def write_json(path: Path, content: object = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def list_results(root: Path) -> list[Finding | NotChecked]:
    return list(list_findings(root, source(facts(1), facts(2))))


def test_clean_folder_has_no_findings(root: Path) -> None:
    for name in ("reviews/policy.json", "annotations/.gitignore", f"reviews/{ONE} (copy of Ada).json"):
        write_json(root / name)
    assert not list(folder_findings(root))
    assert episode_ids(root) == {ONE, TWO}


@pytest.mark.parametrize("name", ["screenshots/{}_0.png", "provenance/{}.json", "ui_trees/{}_3.xml", "reviews/{}.json"])
def test_file_of_a_missing_episode_is_an_orphan(root: Path, name: str) -> None:
    write_json(root / name.format(MISSING))
    (found,) = folder_findings(root)
    assert (found.check, found.severity, found.others) == ("SET01", Severity.WARNING, (MISSING,))
    assert found.found.startswith(f"{name.partition('/')[0]}/ has 1 file of 1 episode without")


def test_review_of_a_trashed_episode_is_not_an_orphan(root: Path) -> None:
    Trash(root).move(ONE)
    assert (root / f"reviews/{ONE}.json").exists()
    assert not list(folder_findings(root))


def test_stray_files_are_named_in_a_short_printable_message(root: Path) -> None:
    for name in (f"{ONE}_0.png.part", "Thumbs.db", "x\x1b[31m.png", "long" * 50):
        write_json(root / "screenshots" / name)
    (found,) = folder_findings(root)
    assert (found.check, found.severity) == ("SET02", Severity.NOTE)
    assert found.found.startswith("screenshots/ has 4 files without an episode, 1 of them left by an interrupted write")
    assert found.found.isprintable()
    assert len(found.found) < 300


def test_unreadable_folder_is_named(tmp_path: Path) -> None:
    write_json(tmp_path / "annotations")
    with pytest.raises(DatasetError, match="annotations"):
        list(folder_findings(tmp_path))


@pytest.mark.parametrize("name", ["all_anno.json", "all_annot.json"])
def test_matching_list_has_no_findings(root: Path, name: str) -> None:
    write_json(root / name, [{"episode_id": ONE, "step_length": 6}, {"episode_id": TWO, "device_info": {"h": 1}}])
    assert not list_results(root)


def test_differences_of_a_list_are_described(root: Path) -> None:
    rows = [{"episode_id": ONE, "step_length": 7}, {"episode_id": ONE, "step_length": 7}, {"episode_id": MISSING}]
    write_json(root / "all_annot.json", rows)
    messages = [found.found for found in list_results(root) if isinstance(found, Finding)]
    assert messages == [
        f"The rows of all_annot.json name 1 episode without a file: {MISSING}.",
        f"The rows of all_annot.json lack 1 episode that has a file: {TWO}.",
        f"The rows of all_annot.json name 1 episode more than once: {ONE}.",
        f"The rows of all_annot.json differ from the file in the number of steps for 1 episode: {ONE}.",
    ]


@pytest.mark.parametrize("content", ["{", '{"a": 1}', "[1]", "[" * 100_000])
def test_invalid_list_is_a_finding(root: Path, content: str) -> None:
    (root / "all_anno.json").write_text(content)
    (found,) = list_results(root)
    assert isinstance(found, Finding)
    assert found.found == "all_anno.json is not a JSON list of episodes."


def test_recordings_without_provenance_are_found(root: Path) -> None:
    (root / f"provenance/{TWO}.json").unlink()
    found = [one for one in list_results(root) if isinstance(one, Finding)]
    assert [(one.check, one.others) for one in found] == [("SET04", (TWO,))]
    assert "1 of 2 episodes have no provenance" in found[0].found


def test_released_data_need_neither_provenance_nor_list(tmp_path: Path) -> None:
    write_json(tmp_path / f"annotations/{ONE}.json")
    results = list_results(tmp_path)
    assert {type(one) for one in results} == {NotChecked}
    assert "SET03" in {one.check for one in results}
