from pathlib import Path

from odyssey_recorder.dataset.codec import Dialect, write_episode
from odyssey_recorder.quality.dataset_wide import check_dataset
from odyssey_recorder.quality.finding import Finding
from tests.episodes import episode
from tests.quality.facts import facts, source


def dataset(root: Path, count: int) -> Path:
    for folder in ("annotations", "provenance"):
        (root / folder).mkdir()
    for number in range(count):
        name = f"{number:016}.json"
        write_episode(root / "annotations" / name, episode(episode_id=f"{number:016}"), Dialect.CARD)
        (root / "provenance" / name).touch()
    return root


def test_clean_dataset_has_no_findings_but_lists_unchecked(tmp_path: Path) -> None:
    results = list(check_dataset(dataset(tmp_path, 3), source(*(facts(number) for number in range(3)))))
    assert {one.check for one in results} == {"EPI03", "SET03", "SPL01", "EXP01"}
    assert not [one for one in results if isinstance(one, Finding)]


def test_every_dataset_check_runs(tmp_path: Path) -> None:
    root = dataset(tmp_path, 2)
    (root / "provenance" / f"{1:016}.json").unlink()
    (root / "screenshots").mkdir()
    (root / "screenshots" / f"{9:016}_0.png").touch()
    (root / "screenshots" / "stray.png").touch()
    (root / "all_annot.json").write_text("[]")
    (root / "splits").mkdir()
    both = '{"train": ["0000000000000001"], "test": ["0000000000000001", "0000000000000009"]}'
    (root / "splits" / "device_split.json").write_text(both)
    one = facts(0)
    other = facts(
        1, meta_task=one.meta_task, task=one.task, instruction=one.instruction, screenshots=one.screenshots[::-1]
    )

    results = list(check_dataset(root, source(one, other, facts(2, actions=("COMPLETE",)))))

    assert {found.check for found in results if isinstance(found, Finding)} == {
        "IMG06", "EPI03", "EPI05", "INS04", "SET01", "SET02", "SET03", "SET04", "SPL01", "SPL02", "SPL03", "SPL04",
    }  # fmt: skip
