"""The check of the actions against the provenance: every deviation is an error."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.dataset.amendment import Amendment, DropSteps, DropTail, NewEnd, NewInstruction, NewPress, NewText
from odyssey_recorder.dataset.entry_file import spell
from odyssey_recorder.dataset.lenient import LenientStep
from odyssey_recorder.dataset.provenance import EndRecord, KeyRecord, StrokeRecord
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.review.review import Fix, ReviewFile, Verdict
from tests.checking.evidence import (
    evidence,
    found_steps,
    results,
    severities,
    unchecked_steps,
    with_step,
    without_provenance,
)
from tests.checking.folders import FIRST, write_dataset
from tests.checking.verdicts import verdict

DOWN, UP = Point(500, 800), Point(500, 300)
PATH = (DOWN, Point(480, 500), UP)
RECORDED: tuple[Action, ...] = (
    Click(Point(719, 762)),
    LongPress(Point(100, 200)),
    Scroll(DOWN, UP, PATH),
    Type("milk"),
    Press(SystemKey.BACK),
    Complete("It is there."),
)


def with_action(one: EpisodeEvidence, step: int, action: Action) -> EpisodeEvidence:
    return with_step(one, step, spelled=LenientStep(action))


@pytest.mark.parametrize(
    ("step", "action"),
    [
        (0, Click(Point(720, 762))),
        (0, LongPress(Point(719, 762))),
        (0, Scroll(Point(719, 762), Point(719, 762), (Point(719, 762),))),
        (0, Press(SystemKey.HOME)),
        (1, Click(Point(100, 200))),
        (2, Scroll(UP, DOWN, tuple(reversed(PATH)))),
        (2, Scroll(DOWN, UP, (DOWN, UP))),
        (3, Type("milk ")),
        (4, Press(SystemKey.RECENT)),
        (4, Complete()),
        (5, Complete("It is here.")),
        (5, Impossible("It is there.")),
        (5, Click(Point(719, 762))),
    ],
)
def test_action_that_differs_from_provenance_is_found(step: int, action: Action) -> None:
    one = evidence(*RECORDED)
    assert results("ACT10", one) == []
    assert found_steps("ACT10", with_action(one, step, action)) == [step]


@pytest.mark.parametrize(
    ("step", "changes"),
    [
        (0, {"input": StrokeRecord(samples=(), duration_us=0)}),
        (0, {"width": 0}),
        (4, {"input": KeyRecord(key="MENU")}),
        (4, {"input": None}),
    ],
)
def test_provenance_without_a_usable_input_is_found(step: int, changes: dict[str, Any]) -> None:
    assert found_steps("ACT10", with_step(evidence(*RECORDED), step, **changes)) == [step]


def test_kind_of_press_follows_the_long_press_time_of_the_device() -> None:
    one = evidence(*RECORDED)
    assert one.provenance is not None
    origin = one.provenance.origin.model_copy(update={"long_press_ms": 1500})
    slower = replace(one, provenance=one.provenance.model_copy(update={"origin": origin}))
    assert found_steps("ACT10", slower) == [1]


def test_step_times_out_of_order_are_a_warning() -> None:
    one = evidence(*RECORDED)
    moved = with_step(one, 2, touched_us=1)
    assert (found_steps("ACT10", moved), severities("ACT10", moved)) == ([2], [Severity.WARNING])


def test_ending_is_unchecked_if_the_provenance_lacks_it() -> None:
    lacking = with_step(with_action(evidence(*RECORDED), 5, Impossible("Closed")), 5, end=None)
    assert (found_steps("ACT10", lacking), unchecked_steps("ACT10", lacking)) == ([], [5])
    assert found_steps("ACT10", with_action(lacking, 5, Type("milk"))) == [5]


def test_missing_provenance_is_unchecked_and_broken_one_an_error() -> None:
    released = without_provenance(evidence(*RECORDED))
    assert (found_steps("ACT10", released), unchecked_steps("ACT10", released)) == ([], [-1])
    broken = without_provenance(evidence(*RECORDED, provenance_problem="1.json is not a provenance file."))
    assert found_steps("ACT10", broken) == [None]


@pytest.mark.parametrize(
    ("amendments", "step", "action"),
    [
        ([NewPress(step=0, long=True)], 0, LongPress(Point(719, 762))),
        ([NewPress(step=1, long=False)], 1, Click(Point(100, 200))),
        ([NewPress(step=0, long=True), NewPress(step=0, long=False)], 0, Click(Point(719, 762))),
        ([NewText(step=3, text="milk and bread")], 3, Type("milk and bread")),
        ([NewText(step=5, text="bread"), DropSteps(first=1, last=2)], 3, Type("bread")),
        ([NewText(step=3, text="bread"), DropSteps(first=4, last=4)], 3, Type("bread")),
        ([NewEnd(words="None."), DropTail(at=7), NewInstruction(instruction="Do it.")], 5, Complete("None.")),
    ],
)  # fmt: skip
def test_only_the_amended_action_is_accepted(amendments: Sequence[Amendment], step: int, action: Action) -> None:
    fixed = evidence(*RECORDED, amendments=tuple(amendments))
    assert found_steps("ACT10", with_action(fixed, step, action)) == []
    if action != RECORDED[step]:
        assert found_steps("ACT10", fixed) == [step]


def test_amended_reason_keeps_the_ending_impossible() -> None:
    amended = evidence(*RECORDED[:5], Impossible("Gone"), amendments=(NewEnd(words="Gone"),))
    recorded = EndRecord(action="IMPOSSIBLE", words="Closed")
    assert found_steps("ACT10", with_step(amended, 5, end=recorded)) == []


def findings_in(annotation: Path) -> list[str]:
    return [one.name for one in Checker(None).check(annotation).findings if one.check == "ACT10"]


def edit_steps(annotation: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    tree = json.loads(annotation.read_text())
    change(tree["steps"])
    annotation.write_text(json.dumps(tree))


@pytest.mark.parametrize(
    ("change", "is_reported"),
    [
        (lambda steps: steps[0].update(info=[[203, 300], [900, 900]]), True),
        (lambda steps: steps[0].update(ps="[(203, 300), (900, 900)]"), True),
        (lambda steps: steps[0].update(ps="(203, 300"), True),
        (lambda steps: steps[0].update(info=[[203, 300]], ps=[[203, 300]]), False),
        (lambda steps: steps[0].update(ps=""), False),
        (lambda steps: steps[1].update(note="of another tool"), False),
    ],
)
def test_redundant_fields_must_match_the_action(
    tmp_path: Path, change: Callable[[list[dict[str, Any]]], object], *, is_reported: bool
) -> None:
    (annotation,) = write_dataset(tmp_path, FIRST)
    assert findings_in(annotation) == []
    edit_steps(annotation, change)
    assert findings_in(annotation) == (["ACT10@0"] if is_reported else [])


def test_invalid_provenance_is_an_error_if_view_hierarchies_exist(tmp_path: Path) -> None:
    (annotation,) = write_dataset(tmp_path, FIRST)
    provenance = tmp_path / "provenance" / f"{FIRST}.json"
    tree = json.loads(provenance.read_text())
    for text in ("", json.dumps({**tree, "steps": tree["steps"][:-1]})):
        provenance.write_text(text)
        assert findings_in(annotation) == ["ACT10"]
    provenance.unlink()
    assert findings_in(annotation) == ["ACT10"]
    for path in (tmp_path / "ui_trees").iterdir():
        path.unlink()
    assert findings_in(annotation) == []  # like a released episode beside recorded ones


def test_fix_explains_the_annotation_until_it_is_undone(tmp_path: Path) -> None:
    (annotation,) = write_dataset(tmp_path, FIRST)
    before = revision(annotation)
    write_entries(tmp_path, fix_of("a", before, "0" * 64, NewPress(step=0, long=True)))
    assert findings_in(annotation) == [], "a fix of an annotation that is not here yet"
    write_entries(tmp_path)
    edit_steps(annotation, lambda steps: steps[0].update(action="LONG_PRESS"))
    assert findings_in(annotation) == ["ACT10@0"]
    fix = fix_of("a", before, revision(annotation), NewPress(step=0, long=True))
    write_entries(tmp_path, fix)
    assert findings_in(annotation) == []
    write_entries(tmp_path, fix, fix_of("b", fix.after, before, None, undoes=fix.id))
    assert findings_in(annotation) == ["ACT10@0"]
    edit_steps(annotation, lambda steps: steps[0].update(action="CLICK"))
    assert findings_in(annotation) == []


def test_new_fix_triggers_a_check_and_new_verdict_does_not(tmp_path: Path) -> None:
    (annotation,) = write_dataset(tmp_path, FIRST)
    before = revision(annotation)
    edit_steps(annotation, lambda steps: steps[0].update(action="LONG_PRESS"))
    checker = Checker(tmp_path / "cache.sqlite")
    assert checker.check(annotation).failed >= {"ACT10"}
    path = write_entries(tmp_path, verdict("Bob"))
    assert checker.known(annotation) is not None
    fix = fix_of("a", before, revision(annotation), NewPress(step=0, long=True))
    write_entries(tmp_path, fix)
    assert checker.known(annotation) is None
    assert "ACT10" not in checker.check(annotation).failed
    write_entries(tmp_path, fix, verdict("Bob"))
    assert checker.known(annotation) is not None
    path.write_text(json.dumps(json.loads(path.read_text()), indent=1))
    assert checker.known(annotation) is None, "in another layout all of it counts"


def revision(annotation: Path) -> str:
    return sha256(annotation.read_bytes()).hexdigest()


def fix_of(letter: str, before: str, after: str, amendment: Amendment | None, *, undoes: str = "") -> Fix:
    return Fix(
        id=letter * 32, at=datetime(2026, 11, 1, tzinfo=UTC), by="Ada", amendment=amendment, why="It was held",
        before=before, after=after, undoes=undoes,
    )  # fmt: skip


def write_entries(root: Path, *entries: Fix | Verdict) -> Path:
    path = root / "reviews" / f"{FIRST}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(spell(ReviewFile(FIRST, entries)))
    return path
