from pathlib import Path

from odyssey_recorder.checking.whole_dataset import check_dataset
from odyssey_recorder.model.finding import Finding
from tests.checking.compared_episodes import facts, source
from tests.checking.folders import FIRST, SECOND, THIRD, write_dataset


def test_clean_dataset_has_no_findings_but_lists_unchecked(tmp_path: Path) -> None:
    write_dataset(tmp_path, FIRST, SECOND, THIRD)
    results = list(check_dataset(tmp_path, source(facts(1), facts(2), facts(3))))
    assert {one.check for one in results} == {"EPI03", "SET03", "SPL01", "EXP01"}
    assert not [one for one in results if isinstance(one, Finding)]


def test_every_dataset_check_runs(tmp_path: Path) -> None:
    write_dataset(tmp_path, FIRST, SECOND)
    (tmp_path / "provenance" / f"{SECOND}.json").unlink()
    (tmp_path / "screenshots" / f"{9:016}_0.png").touch()
    (tmp_path / "screenshots" / "stray.png").touch()
    (tmp_path / "all_annot.json").write_text("[]")
    (tmp_path / "splits").mkdir()
    both = '{"train": ["0000000000000002"], "test": ["0000000000000002", "0000000000000009"]}'
    (tmp_path / "splits" / "device_split.json").write_text(both)
    one = facts(1)
    other = facts(
        2, meta_task=one.meta_task, task=one.task, instruction=one.instruction, screenshots=one.screenshots[::-1]
    )

    results = list(check_dataset(tmp_path, source(one, other, facts(3, actions=("COMPLETE",)))))

    assert {found.check for found in results if isinstance(found, Finding)} == {
        "IMG06", "EPI03", "EPI05", "INS04", "SET01", "SET02", "SET03", "SET04", "SPL01", "SPL02", "SPL03", "SPL04",
    }  # fmt: skip
