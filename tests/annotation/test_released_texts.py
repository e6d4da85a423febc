"""Texts imported from released data, and texts in exports."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from odyssey_recorder.annotation.inputs import texts_of
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.released_texts import Texts, import_released
from odyssey_recorder.annotation.semantics import SemanticsStore, Suggestion, TextState
from odyssey_recorder.annotation.text_kinds import COMPLETED, FIRST_CONTEXT, TextKind
from odyssey_recorder.dataset.codec import read_annotation, write_episode
from odyssey_recorder.dataset.layout import annotation_files, annotation_path
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting.episodes import fingerprint
from odyssey_recorder.exporting.export_plan import TRAINERS, Sampling
from odyssey_recorder.exporting.job import run_export
from odyssey_recorder.exporting.layouts import LAYOUTS
from odyssey_recorder.exporting.prepared import ExportWanted, Prepared, prepare
from odyssey_recorder.model.action import Type
from tests.annotation.texts import D, decided
from tests.exporting import official_converter
from tests.exporting.converter_rules import assert_convertible
from tests.exporting.sample import SMALL, STEPS, TEXTS, ids, write_dataset

ONE, OTHER, THIRD = ids(3)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A dataset without texts, next to a released one with texts."""
    write_dataset(tmp_path / "released", 3, texts=True)
    write_dataset(tmp_path / "data", 3)
    return tmp_path / "data"


def source(root: Path) -> Path:
    return root.with_name("released")


def accept(root: Path, episode_id: str, *, words: str | None = None) -> None:
    """A person accepts, or edits, every suggestion of an episode: intentions first, on which contexts depend."""
    store = SemanticsStore(root)
    offered = [one for one in store.read(episode_id).entries if isinstance(one, Suggestion)]
    decision = "accept" if words is None else "edit"
    for of_intentions in (True, False):
        texts = texts_of(open_dataset_episode(root, episode_id), store.read(episode_id))
        number = {one.step_key: at for at, one in enumerate(texts.inputs)}
        for one in offered:
            if (one.field is TextKind.INTENTION) == of_intentions:
                at = number[one.step_key]
                inputs = texts.inputs[at].shown(one.field, texts.edited[:at], with_box=False)
                store.append(episode_id, decided(one, decision, words, inputs_sha=inputs))


def prepared(root: Path, texts: Texts, layout: str = "release") -> Prepared:
    samples = Sampling(TRAINERS.get(layout, ""), history="none", semantic=("SD", "CI", "DR"))
    options = replace(SMALL, texts=texts, samples=samples)
    wanted = ExportWanted(root, root.with_name(f"out {texts} {layout}"), layout, options)
    return prepare(wanted, annotation_files(root), lambda _: "")


def exported(root: Path, texts: Texts, layout: str = "release") -> Path:
    ready = prepared(root, texts, layout)
    with ThreadPoolExecutor(1) as pool:
        return run_export(ready.request, ready.episodes, pool)


def test_released_texts_are_imported_as_anonymous_suggestions(root: Path) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert import_released(root, source(root), ONE) == 4 * STEPS
    assert import_released(root, source(root), ONE) == 0
    assert before == {path: path.read_bytes() for path in before}
    texts = texts_of(open_dataset_episode(root, ONE), SemanticsStore(root).read(ONE)).steps
    first = texts[0][TextKind.INTENTION]
    assert (first.state, first.words) == (TextState.SUGGESTED, TEXTS.intention)
    assert isinstance(first.source, Suggestion)
    assert (first.source.origin, first.source.author, first.source.call) == ("released", "released", None)
    assert texts[0][TextKind.CONTEXT].words == FIRST_CONTEXT
    assert texts[-1][TextKind.INTENTION].words == COMPLETED


def test_texts_of_different_steps_are_rejected(root: Path) -> None:
    path = root / annotation_path(ONE)
    episode = read_annotation(path)
    steps = (episode.steps[0], replace(episode.steps[1], action=Type("other")), *episode.steps[2:])
    path.unlink()
    write_episode(path, replace(episode, steps=steps))
    with pytest.raises(DatasetError, match="has other steps"):
        import_released(root, source(root), ONE)


def test_export_contains_the_requested_texts(root: Path) -> None:
    import_released(root, source(root), ONE)
    import_released(root, source(root), OTHER)
    accept(root, ONE, words="Said by a person.")
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    accepted, every, none = (exported(root, texts) for texts in ("accepted", "all", "none"))
    assert before == {path: path.read_bytes() for path in before}
    assert [path.stem for path in annotation_files(accepted)] == [ONE]
    assert [path.stem for path in annotation_files(every)] == [ONE, OTHER]
    assert [path.stem for path in annotation_files(none)] == [ONE, OTHER, THIRD]
    assert assert_convertible(accepted, like="v2") == STEPS
    assert assert_convertible(every, like="v2") == 2 * STEPS
    assert assert_convertible(none, like="v1") == 3 * STEPS
    for convert, level in product((official_converter.train, official_converter.semantic), ("high", "low")):
        answers = [one["conversations"] for one in convert(accepted, "random", level)]
        assert answers
        assert all(message["value"] for conversation in answers for message in conversation)
        assert not any("guidance on how to None" in conversation[0]["value"] for conversation in answers)
    steps = json.loads((accepted / annotation_path(ONE)).read_text())["steps"]
    assert {step["intention"] for step in steps} == {"Said by a person."}
    suggested = json.loads((every / annotation_path(OTHER)).read_text())["steps"]
    assert (suggested[0]["context"], suggested[1]["intention"]) == (FIRST_CONTEXT, TEXTS.intention)


def test_episode_with_a_missing_text_is_left_out_by_name(root: Path) -> None:
    import_released(root, source(root), ONE)
    accept(root, ONE)
    store = SemanticsStore(root)
    gone = next(one for one in store.read(ONE).entries if isinstance(one, Suggestion) and one.field is D)
    store.append(ONE, decided(gone, "reject"))
    left_out = prepared(root, "accepted").left_out
    assert len(left_out) == 3
    assert left_out[0].startswith(f"{ONE}: an accepted text is missing in step ")
    assert "steps 1 to " in left_out[1]


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name not in ("release", "official-chat")])
def test_every_layout_contains_the_texts(root: Path, layout: str) -> None:
    import_released(root, source(root), ONE)
    accept(root, ONE, words="Said by a person.")
    out = exported(root, "accepted", layout)
    written = b"".join(path.read_bytes() for path in (out / "data").rglob("*") if path.is_file())
    if layout == "parquet":
        from pyarrow import parquet

        tables = [parquet.read_table(path) for path in (out / "data").iterdir()]
        written = json.dumps([table.column("intention").to_pylist() for table in tables]).encode()
    assert b"Said by a person." in written


def test_new_decision_changes_the_fingerprint(root: Path) -> None:
    import_released(root, source(root), ONE)
    before = fingerprint(root, [ONE])
    accept(root, ONE)
    assert fingerprint(root, [ONE]) != before
