import json
from pathlib import Path

import pytest

from odyssey_recorder.errors import PracticeError
from odyssey_recorder.practice.profiles import (
    AnnotatorProfile,
    Attempt,
    ConsentAnswer,
    ProfileStore,
    checked_name,
    status,
)


def attempt(task: str, value: int) -> Attempt:
    return Attempt(task_id=task, value=value, episode_id="0" * 16, scored_us=1)


def answer(version: str, *, agreed: bool) -> ConsentAnswer:
    return ConsentAnswer(version=version, agreed=agreed, answered_us=1)


def test_saved_profile_is_loaded_unchanged(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path / "annotators")
    profile = AnnotatorProfile(name="Ada", answers=(answer("1", agreed=True),), attempts=(attempt("a", 80),))
    store.save(profile)
    assert store.load("Ada") == profile
    assert store.load("Bob") == AnnotatorProfile(name="Bob")


def test_each_name_has_its_own_file(tmp_path: Path) -> None:
    names = ["../../etc/passwd", "..", "a/b\\c", "CON", "é" * 80, "ada", "Ada", "ADA", "a.da", "名前", "なまえ"]
    store = ProfileStore(tmp_path / "annotators")
    for name in names:
        store.save(AnnotatorProfile(name=name))
    assert [store.load(name).name for name in names] == names
    assert [path.parent for path in tmp_path.rglob("*.json")] == [tmp_path / "annotators"] * len(names)
    assert len({path.name.casefold() for path in tmp_path.rglob("*.json")}) == len(names)


def test_invalid_profile_file_is_reported(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    store.save(AnnotatorProfile(name="Ada"))
    [path] = tmp_path.glob("*.json")
    path.write_text("{")
    with pytest.raises(PracticeError, match=f"{path.name} is not an annotator profile"):
        store.load("Ada")
    path.write_text(json.dumps({"name": "Ada", "format": 99}))
    with pytest.raises(PracticeError, match="newer version of Odyssey Recorder"):
        store.load("Ada")


def test_last_answer_to_this_version_counts() -> None:
    agreed_once = AnnotatorProfile(name="Ada", answers=(answer("1", agreed=True),))
    assert agreed_once.agrees_to("1")
    assert not agreed_once.agrees_to("2")
    assert not agreed_once.has_answered("2")
    withdrawn = agreed_once.model_copy(update={"answers": (*agreed_once.answers, answer("1", agreed=False))})
    assert withdrawn.has_answered("1")
    assert not withdrawn.agrees_to("1")


def test_best_attempt_at_each_task_counts() -> None:
    now = status([attempt("a", 50), attempt("a", 90), attempt("a", 20), attempt("b", 69)], wanted=("a", "b", "c"))
    assert (now.best, now.left) == ({"a": 90, "b": 69}, 2)
    assert (now.has_passed("a"), now.has_passed("b"), now.has_passed("c")) == (True, False, False)


def test_annotator_names_are_normalized() -> None:
    assert checked_name("  Ada \n Lovelace ") == "Ada Lovelace"
    assert checked_name("Ame\u0301lie") == "Am\u00e9lie"
    for name in ("", "  ", "x" * 81, "a\x07b"):
        with pytest.raises(PracticeError, match="Enter your name"):
            checked_name(name)
