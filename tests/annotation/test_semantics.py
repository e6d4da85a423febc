"""Which entry of a text is effective; merged, broken, foreign and trashed semantics files."""

import shutil
from pathlib import Path

import pytest

from odyssey_recorder.annotation import semantics
from odyssey_recorder.annotation.inputs import texts_of
from odyssey_recorder.checking.whole_dataset.dataset_folder import folder_findings
from odyssey_recorder.dataset.entry_file import spell, union
from odyssey_recorder.dataset.layout import semantics_path
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.merging.apply import merge
from odyssey_recorder.merging.plan import MergeDecisions
from tests.annotation.texts import CALL, D, decided, file_of, opened_episode, suggestion
from tests.checking.folders import FIRST, SECOND, write_dataset

FOUND = opened_episode()
ONE = suggestion(FOUND, 1, D, "Type one.")
OTHER = suggestion(FOUND, 1, D, "Type two.")
OLD = suggestion(FOUND, 1, D, "Type three.", inputs_sha="0" * 64)


CASES = {
    "nothing": ((), semantics.TextState.MISSING, ""),
    "the newest suggestion": ((ONE, OTHER), semantics.TextState.SUGGESTED, "Type two."),
    "a stale one does not count beside one that is not": ((ONE, OLD), semantics.TextState.SUGGESTED, "Type one."),
    "a stale one is shown": ((OLD,), semantics.TextState.STALE, "Type three."),
    "a decision counts before suggestions": (
        (ONE, decided(ONE, "accept"), OTHER),
        semantics.TextState.ACCEPTED,
        "Type one.",
    ),
    "the last decision": (
        (ONE, decided(ONE, "accept"), decided(ONE, "edit", "Type it.")),
        semantics.TextState.EDITED,
        "Type it.",
    ),
    "a rejected suggestion is gone": ((ONE, decided(ONE, "reject")), semantics.TextState.MISSING, ""),
    "the other is left": ((ONE, OTHER, decided(OTHER, "reject")), semantics.TextState.SUGGESTED, "Type one."),
    "a rejection can be taken back": (
        (ONE, decided(ONE, "reject"), decided(ONE, "accept")),
        semantics.TextState.ACCEPTED,
        "Type one.",
    ),
    "a stale decision is shown": ((OLD, decided(OLD, "accept")), semantics.TextState.STALE, "Type three."),
    "written anew": ((decided(ONE, "edit", "Mine.", suggestion=""),), semantics.TextState.EDITED, "Mine."),
}


@pytest.mark.parametrize("name", CASES)
def test_effective_text_follows_from_the_entries(name: str) -> None:
    entries, state, words = CASES[name]
    found = texts_of(FOUND, file_of(FOUND, *entries)).steps[1][D]
    assert (found.state, found.words) == (state, words)
    assert found.rejected == ("gone" in name or "left" in name)


@pytest.mark.parametrize(
    ("state", "accepted", "every"),
    [
        (semantics.TextState.MISSING, None, None),
        (semantics.TextState.SUGGESTED, None, "Words."),
        (semantics.TextState.ACCEPTED, "Words.", "Words."),
        (semantics.TextState.EDITED, "Words.", "Words."),
        (semantics.TextState.STALE, None, None),
    ],
)
def test_exported_text_depends_on_its_state(
    state: semantics.TextState, accepted: str | None, every: str | None
) -> None:
    one = semantics.StepText(state, "Words.")
    assert (one.exported("accepted"), one.exported("all")) == (accepted, every)


def test_model_suggestion_requires_a_call() -> None:
    with pytest.raises(ValueError, match="needs the call"):
        semantics.Suggestion.model_validate(ONE.model_dump() | {"call": None})


def test_file_round_trip_keeps_unknown_keys() -> None:
    more = ONE.model_copy(update={"mood": "good"})
    file = semantics.SemanticsFile(FOUND.episode.episode_id, (more, decided(ONE, "accept")), {"by tool": 1})
    read = semantics.SEMANTICS_FORM.read(spell(file), episode_id=file.episode_id, source="x")
    assert spell(read) == spell(file)
    assert '"mood": "good"' in spell(read).decode()


def test_intact_entries_of_a_torn_file_are_read(tmp_path: Path) -> None:
    store = semantics.SemanticsStore(tmp_path)
    store.add(FIRST, [ONE, OTHER])
    path = tmp_path / semantics_path(FIRST)
    path.write_bytes(path.read_bytes()[:-40])
    assert [one.id for one in store.read(FIRST).entries] == [ONE.id]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"field": "mood"}, "field"),
        ({"step_key": "../../etc"}, "step_key"),
        ({"words": "x" * 5000}, "words"),
        ({"id": "1"}, "id"),
        ({"call": CALL.model_dump(mode="json") | {"tokens_in": "many"}}, "call.tokens_in"),
    ],
)
def test_invalid_entry_is_reported_with_its_place(entry: dict[str, object], problem: str) -> None:
    tree = ONE.model_dump(mode="json") | entry
    with pytest.raises(ReviewError, match=rf"here: {problem}"):
        semantics.SEMANTICS_FORM.read_entry(tree, place="here")


def test_link_out_of_the_dataset_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_bytes(spell(semantics.SemanticsFile(FIRST, (ONE,))))
    path = tmp_path / "dataset" / semantics_path(FIRST)
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "secret.json")
    with pytest.raises(DatasetError, match="leads out"):
        semantics.SemanticsStore(tmp_path / "dataset").read(FIRST)


def test_texts_survive_trash_and_merging(tmp_path: Path) -> None:
    a = tmp_path / "a"
    write_dataset(a, FIRST, SECOND, steps=2)
    semantics.SemanticsStore(a).add(FIRST, [ONE])
    b = Path(shutil.copytree(a, tmp_path / "b"))
    semantics.SemanticsStore(a).add(FIRST, [decided(ONE, "accept")])
    semantics.SemanticsStore(b).add(FIRST, [OTHER])
    semantics.SemanticsStore(b).add(SECOND, [ONE])
    united = union(semantics.SemanticsStore(a).read(FIRST), semantics.SemanticsStore(b).read(FIRST))
    Trash(a).move(FIRST)
    assert not [one for one in folder_findings(a) if "semantics" in str(one)]
    Trash(a).restore(FIRST)
    merge(a, b, tmp_path / "c", MergeDecisions())
    assert semantics.SemanticsStore(tmp_path / "c").read(FIRST) == united
    assert semantics.SemanticsStore(tmp_path / "c").read(SECOND).entries == (ONE,)
    merge(a, b, a, MergeDecisions())
    assert semantics.SemanticsStore(a).read(FIRST) == united
