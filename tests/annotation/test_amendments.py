"""Which texts each amendment makes stale."""

import pytest

from odyssey_recorder.annotation.inputs import texts_of
from odyssey_recorder.annotation.semantics import TextState
from odyssey_recorder.annotation.text_kinds import COMPLETED, TextKind
from odyssey_recorder.dataset import amendment as amendments
from odyssey_recorder.dataset.amending import amended
from odyssey_recorder.model.episode import Category
from tests.annotation.texts import (
    F1,
    F2,
    D,
    E,
    all_suggested,
    decided,
    file_of,
    opened_episode,
    opened_from,
    suggestion,
)

ALL = set(TextKind)
FREE = [(number, kind) for number in range(5) for kind in TextKind if (number, kind) != (0, E)]
"""The texts of the five steps that are not fixed."""


def after(step: int, *kinds: TextKind) -> set[tuple[int, TextKind]]:
    return {(number, kind) for number, kind in FREE if number > step and kind in kinds}


def at(step: int, *kinds: TextKind) -> set[tuple[int, TextKind]]:
    return {(step, kind) for kind in kinds}


CASES: dict[str, tuple[amendments.Amendment, set[tuple[int, TextKind]]]] = {
    "instruction": (amendments.NewInstruction(instruction="Something else."), set(FREE)),
    "apps": (amendments.NewApps(category=Category.GENERAL_TOOL, apps=("Clock",)), set()),
    "end": (amendments.NewEnd(words="other words"), set()),
    "note": (amendments.NewNote(step=2, note="slow"), set()),
    "press": (amendments.NewPress(step=0, long=True), at(0, D, F1, F2) | after(0, E, F1, F2)),
    "press later": (amendments.NewPress(step=3, long=False), at(3, D, F1, F2) | after(3, E, F1, F2)),
    "text": (amendments.NewText(step=1, text="rice"), at(1, D, F1, F2) | after(1, E, F1, F2)),
    "drop": (amendments.DropSteps(first=1, last=2), after(2, E, F1, F2)),
    "drop the first": (amendments.DropSteps(first=0, last=0), after(0, E, F1, F2) - at(1, E)),
    "tail": (amendments.DropTail(at=3), set()),
}


@pytest.mark.parametrize("name", CASES)
def test_amendment_makes_exactly_the_dependent_texts_stale(name: str) -> None:
    amendment, expected = CASES[name]
    found = opened_episode()
    file = all_suggested(found)
    result = amended(found.episode, found.provenance, amendment)
    now = texts_of(opened_from(result.episode, result.provenance), file)
    stale = {
        (result.kept[number], kind)
        for number, texts in enumerate(now.steps)
        for kind, text in texts.items()
        if text.state is TextState.STALE
    }
    assert stale == expected
    assert now.steps[0][E].state is TextState.ACCEPTED, "the first context is fixed, whichever step is the first"
    assert {text.words for text in now.steps[-1].values()} == {COMPLETED}


@pytest.mark.parametrize(("with_box", "expected"), [(True, at(0, D, F1, F2)), (False, set())])
def test_new_box_makes_texts_based_on_the_old_one_stale(with_box: bool, expected: set[tuple[int, TextKind]]) -> None:
    found = opened_episode()
    file = file_of(found, *(suggestion(found, number, kind, with_box=with_box) for number, kind in FREE))
    box = amendments.NewBox(step=0, box=(300, 300, 420, 340))
    result = amended(found.episode, found.provenance, box)
    now = texts_of(opened_from(result.episode, result.provenance), file)
    assert {(n, kind) for n, kind in FREE if now.steps[n][kind].state is TextState.STALE} == expected


def test_only_edited_intentions_make_later_contexts_stale() -> None:
    found = opened_episode()
    file = all_suggested(found)
    intention = suggestion(found, 1, F2)
    for decision, words, expected in (("accept", None, set()), ("edit", "I look for rice.", after(1, E))):
        changed = file_of(found, *file.entries, decided(intention, decision, words))
        now = texts_of(found, changed)
        assert {(n, kind) for n, kind in FREE if now.steps[n][kind].state is TextState.STALE} == expected


def test_edited_terminal_texts_are_replaced_when_the_end_changes() -> None:
    found = opened_episode()
    edits = [decided(suggestion(found, 5, kind), "edit", "Done it.") for kind in TextKind]
    file = file_of(found, *edits)
    assert {text.words for text in texts_of(found, file).steps[5].values()} == {"Done it."}
    result = amended(found.episode, found.provenance, amendments.NewEnd(words="other words"))
    now = texts_of(opened_from(result.episode, result.provenance), file)
    assert {text.words for text in now.steps[5].values()} == {COMPLETED}
