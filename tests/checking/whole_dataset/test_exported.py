import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.checking.evidence import ComparedEpisode
from odyssey_recorder.checking.whole_dataset.exported import export_findings
from odyssey_recorder.dataset.codec import Dialect, encode
from odyssey_recorder.model.episode import Json, screenshot_name
from odyssey_recorder.model.finding import Finding, NotChecked, Severity
from tests.checking.compared_episodes import facts, sha, source
from tests.episodes import RELEASED, episode

ID = facts(1).episode_id


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, annotated_tree(Dialect.RELEASE))
    (tmp_path / "screenshots").mkdir()
    for step in range(6):
        (tmp_path / "screenshots" / screenshot_name(ID, step)).write_bytes(f"1_{step}".encode())
    return tmp_path


def annotated_tree(dialect: Dialect) -> dict[str, Json]:
    tree: dict[str, Json] = json.loads(encode(episode(episode_id=ID), dialect))
    for step in steps_of(tree):
        step.update(low_level_instruction="Go on.", sam2_bbox=[1, 1, 2, 2])
    return tree


def steps_of(tree: dict[str, Json]) -> list[dict[str, Json]]:
    steps = tree["steps"]
    assert isinstance(steps, list)
    return [step for step in steps if isinstance(step, dict)]


def write(root: Path, tree: dict[str, Json], *, episode_id: str = ID) -> None:
    (root / "annotations").mkdir(exist_ok=True)
    (root / "annotations" / f"{episode_id}.json").write_text(json.dumps(tree))


def manifest(root: Path, *, prefix: str = "") -> None:
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    names = [prefix + path.relative_to(root).as_posix() for path in files]
    (root / "SHA256SUMS").write_text("".join(f"{sha256}  {name}\n" for sha256, name in zip(hashes, names, strict=True)))


def results_in(root: Path, *episodes: ComparedEpisode) -> list[Finding | NotChecked]:
    return list(export_findings(root, source(*(episodes or (facts(1),)))))


def findings_in(root: Path, *episodes: ComparedEpisode) -> list[Finding]:
    return [one for one in results_in(root, *episodes) if isinstance(one, Finding)]


def add_line(root: Path, line: bytes) -> None:
    with (root / "SHA256SUMS").open("ab") as file:
        file.write(line + b"\n")


@pytest.mark.parametrize("prefix", ["", "./"])
def test_clean_export_has_no_findings_and_nothing_unchecked(root: Path, prefix: str) -> None:
    manifest(root, prefix=prefix)
    assert not results_in(root)


def test_recorded_dataset_and_missing_manifest_are_unchecked(root: Path) -> None:
    (only,) = results_in(root)
    assert isinstance(only, NotChecked)
    assert "SHA256SUMS" in only.why
    (root / "provenance").mkdir()
    write(root, annotated_tree(Dialect.CARD))
    (only,) = results_in(root)
    assert isinstance(only, NotChecked)
    assert only.check == "EXP01"


def test_missing_screenshot_is_an_error(root: Path) -> None:
    (found,) = findings_in(root, replace(facts(1), screenshots=("", *facts(1).screenshots[1:])))
    assert (found.check, found.severity) == ("EXP01", Severity.ERROR)
    assert found.found == f"Screenshots of 1 episode are missing: {ID}."


def test_files_that_differ_from_the_manifest_are_named(root: Path) -> None:
    manifest(root)
    changed = replace(facts(1), screenshots=(*facts(1).screenshots[:5], sha("changed")))
    (root / "annotations" / f"{ID}.json").write_text(json.dumps({**annotated_tree(Dialect.RELEASE), "new": 1}))
    (found,) = findings_in(root, changed)
    assert found.severity is Severity.ERROR
    assert found.found == (
        "SHA256SUMS does not match or does not list 2 files: "
        f"annotations/{ID}.json, screenshots/{screenshot_name(ID, 5)}."
    )


def test_unlisted_and_missing_files_are_named(root: Path) -> None:
    manifest(root)
    lines = (root / "SHA256SUMS").read_text().splitlines()
    missing = f"{sha('gone')}  splits/gone.json"
    (root / "SHA256SUMS").write_text("\n".join([*lines[1:-1], missing]))
    (found,) = findings_in(root)
    assert "SHA256SUMS does not match or does not list 3 files" in found.found
    assert f"annotations/{ID}.json, screenshots/{screenshot_name(ID, 5)}, splits/gone.json" in found.found


@pytest.mark.parametrize("name", ["../secret.txt", "a/../../secret.txt", "{outside}/secret.txt"])
def test_manifest_cannot_reference_files_outside_the_folder(tmp_path: Path, root: Path, name: str) -> None:
    (outside := tmp_path.parent / "outside").mkdir(exist_ok=True)
    for place in (outside, tmp_path.parent):
        (place / "secret.txt").write_text("secret")
    manifest(root)
    add_line(root, f"{sha('secret')}  {name.format(outside=outside)}".encode())
    (found,) = findings_in(root)
    assert "SHA256SUMS does not match or does not list 1 file" in found.found


def test_invalid_manifest_line_is_named_by_number(root: Path) -> None:
    manifest(root)
    add_line(root, b"\xff nonsense")
    (found,) = findings_in(root)
    assert "SHA256SUMS, line 8" in found.found


def test_card_dialect_is_an_error_and_release_dialect_is_not(root: Path) -> None:
    write(root, annotated_tree(Dialect.CARD))
    (found,) = findings_in(root)
    assert (found.episode_id, found.severity) == (ID, Severity.ERROR)
    assert "Step 2 is not in the form that the published tools read: action 'TYPE'" in found.found
    assert "convert --dialect release" in found.todo
    write(root, json.loads(RELEASED.read_text()))
    assert not [found for found in findings_in(root) if "spelled" in found.found]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"action": "CLICK", "info": "KEY_RECENT"}, "CLICK with 'KEY_RECENT'"),
        ({"action": "CLICK", "info": [3, 4]}, "CLICK without a point"),
        ({"action": "LONG_PRESS", "info": [["3", 4]]}, "LONG_PRESS without a point"),
        ({"action": "LONG_PRESS", "info": [[3, 4], [3, 4]], "sam2_bbox": []}, "an empty sam2_bbox"),
        ({"action": "SCROLL", "info": [[3, 4]]}, "SCROLL without two points"),
        ({"action": "TEXT", "info": None}, "TEXT without a text"),
        ({"action": "IMPOSSIBLE", "info": ""}, "action 'IMPOSSIBLE'"),
        ({"action": ["\x1b"], "info": ""}, r"action ['\x1b']"),
    ],
)
def test_other_spellings_are_reported_with_their_step(root: Path, step: dict[str, Json], words: str) -> None:
    tree = annotated_tree(Dialect.RELEASE)
    steps_of(tree)[2].update(step)
    write(root, tree)
    (found,) = findings_in(root)
    assert f"Step 3 is not in the form that the published tools read: {words}" in found.found


@pytest.mark.parametrize(
    ("number", "severity", "words"),
    [
        (1, Severity.WARNING, "the converter of the first release reads them"),
        (2, Severity.ERROR, "1 of 2 episodes have steps without low_level_instruction or sam2_bbox"),
    ],
    ids=["all", "some"],
)
def test_missing_texts_are_a_warning_or_an_error(root: Path, number: int, severity: Severity, words: str) -> None:
    tree = annotated_tree(Dialect.RELEASE)
    for step in steps_of(tree):
        del step["low_level_instruction"]
    write(root, tree, episode_id=f"{number:016}")
    (found,) = findings_in(root)
    assert found.severity is severity
    assert words in found.found


@pytest.mark.parametrize("content", [b"\xff", b"[]", b'{"steps": 7}', b'{"steps": [7]}'])
def test_invalid_episode_is_left_to_other_checks(root: Path, content: bytes) -> None:
    (root / "annotations" / f"{ID}.json").write_bytes(content)
    assert not findings_in(root)
