import json
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.quality.dataset_wide.dataset_folder import folder_findings, list_findings
from odyssey_recorder.quality.finding import Finding, NotChecked, Severity
from tests.quality.facts import facts, source

ONE, TWO, GONE = (f"{number:016}" for number in (1, 2, 9))


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
            put(tmp_path / name)
    return tmp_path


def put(path: Path, content: object = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def lists(root: Path) -> list[Finding | NotChecked]:
    return list(list_findings(root, source(facts(1), facts(2))))


def test_a_dataset_in_order_has_no_findings(root: Path) -> None:
    for name in ("reviews/policy.json", "annotations/.gitignore", f"reviews/{ONE} (copy of Ada).json"):
        put(root / name)
    assert not list(folder_findings(root))
    assert episode_ids(root) == {ONE, TWO}


@pytest.mark.parametrize(
    "name", [f"screenshots/{GONE}_0.png", f"provenance/{GONE}.json", f"ui_trees/{GONE}_3.xml", f"reviews/{GONE}.json"]
)
def test_a_file_of_an_episode_that_is_not_there_is_an_orphan(root: Path, name: str) -> None:
    put(root / name)
    (found,) = folder_findings(root)
    assert (found.check, found.severity, found.others) == ("SET01", Severity.WARNING, (GONE,))
    assert found.found.startswith(f"{name.partition('/')[0]}/ has 1 file of 1 episode without")


def test_the_review_of_a_rejected_episode_is_no_orphan(root: Path) -> None:
    Trash(root).move(ONE)
    assert (root / f"reviews/{ONE}.json").exists()
    assert not list(folder_findings(root))


def test_strays_and_torn_files_are_named_and_cut_short(root: Path) -> None:
    for name in (f"{ONE}_0.png.part", "Thumbs.db", "x\x1b[31m.png", "long" * 50):
        put(root / "screenshots" / name)
    (found,) = folder_findings(root)
    assert (found.check, found.severity) == ("SET02", Severity.NOTE)
    assert found.found.startswith("screenshots/ has 4 files without an episode, 1 of them left by an interrupted write")
    assert found.found.isprintable()
    assert len(found.found) < 300


def test_a_folder_that_cannot_be_read_is_an_error_that_names_it(tmp_path: Path) -> None:
    put(tmp_path / "annotations")
    with pytest.raises(DatasetError, match="annotations"):
        list(folder_findings(tmp_path))


@pytest.mark.parametrize("name", ["all_anno.json", "all_annot.json"])
def test_a_list_that_agrees_has_no_findings(root: Path, name: str) -> None:
    put(root / name, [{"episode_id": ONE, "step_length": 6}, {"episode_id": TWO, "device_info": {"h": 1}}])
    assert not lists(root)


def test_a_list_that_disagrees_says_in_what(root: Path) -> None:
    rows = [{"episode_id": ONE, "step_length": 7}, {"episode_id": ONE, "step_length": 7}, {"episode_id": GONE}]
    put(root / "all_annot.json", rows)
    told = [found.found for found in lists(root) if isinstance(found, Finding)]
    assert told == [
        f"The rows of all_annot.json name 1 episode without a file: {GONE}.",
        f"The rows of all_annot.json lack 1 episode that has a file: {TWO}.",
        f"The rows of all_annot.json name 1 episode more than once: {ONE}.",
        f"The rows of all_annot.json differ from the file in the number of steps for 1 episode: {ONE}.",
    ]


@pytest.mark.parametrize("content", ["{", '{"a": 1}', "[1]", "[" * 100_000])
def test_a_list_that_is_none_is_a_finding(root: Path, content: str) -> None:
    (root / "all_anno.json").write_text(content)
    (found,) = lists(root)
    assert isinstance(found, Finding)
    assert found.found == "all_anno.json is not a JSON list of episodes."


def test_recordings_of_which_some_have_no_provenance_are_found(root: Path) -> None:
    (root / f"provenance/{TWO}.json").unlink()
    found = [one for one in lists(root) if isinstance(one, Finding)]
    assert [(one.check, one.others) for one in found] == [("SET04", (TWO,))]
    assert "1 of 2 episodes have no provenance" in found[0].found


def test_released_data_need_no_provenance_and_without_a_list_none_is_checked(tmp_path: Path) -> None:
    put(tmp_path / f"annotations/{ONE}.json")
    said = lists(tmp_path)
    assert {type(one) for one in said} == {NotChecked}
    assert "SET03" in {one.check for one in said}
