"""Figures on how far accepted texts can be trusted: scripted reviewers of partly wrong suggestions."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from odyssey_recorder.annotation.findings import Support
from odyssey_recorder.annotation.listing import step_lines
from odyssey_recorder.annotation.reviewing import (
    ActiveTime,
    Shares,
    ShownText,
    TextReviewing,
    decided_on,
    drawn,
    supported,
)
from odyssey_recorder.annotation.semantics import Planted, SemanticsStore, TextDecision, TextState
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.annotation.trust import Seen, TrustFigures, trust_figures
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset.layout import semantics_path
from odyssey_recorder.errors import DatasetError
from tests.annotation.episode_dataset import EPISODE
from tests.annotation.phone_dataset import CapturedStep
from tests.annotation.suggestions import suggest
from tests.cli import CommandLine

STEPS = 14
OFTEN = Shares(blind=0.3, planted=0.5)


@pytest.fixture(scope="module")
def made(made: tuple[Path, list[CapturedStep]]) -> tuple[Path, list[CapturedStep]]:
    """Suggestions of which every fifth instruction is wrong."""
    suggest(*made, wrong_each=5)
    return made


@pytest.fixture
def root(made: tuple[Path, list[CapturedStep]]) -> Iterator[Path]:
    path = made[0] / semantics_path(EPISODE)
    before = path.read_bytes()
    yield made[0]
    path.write_bytes(before)


def reviewing(root: Path, shares: Shares = OFTEN) -> TextReviewing:
    return TextReviewing(root, Checker(None).evidence, lambda: "Ann", shares)


def decide_all(texts: TextReviewing, choose: Callable[[ShownText], tuple[str, str]]) -> TrustFigures:
    """Decide until nothing is open; returns the figures of all reviewers."""
    opened = texts.open(EPISODE)
    while waiting := [one for one in opened.all if one.is_open]:
        entries = []
        for one in waiting:
            choice, words = choose(one)
            entries.append(decided_on(one, texts.who(), choice, words, 3.0))  # type: ignore[arg-type]
        opened = texts.save(EPISODE, *entries)
    return texts.figures()[0]


def test_reviewer_who_accepts_everything_is_exposed(
    root: Path, made: tuple[Path, list[CapturedStep]], cli: CommandLine
) -> None:
    def careless(one: ShownText) -> tuple[str, str]:
        return ("edit", f"Tap “{made[1][one.step].name}”.") if one.is_blind else ("accept", one.words)

    found = decide_all(reviewing(root), careless)
    assert found.accept_rate == 1.0
    assert (found.planted >= 5, found.caught) == (True, 0)
    assert "Do not trust the accepted texts" in found.doubt
    assert found.blind > 0
    assert found.agreement is not None
    assert found.agreement < 1
    assert found.seconds == 3.0
    ran = cli("annotate", "figures", root, "--json")
    assert ran.exit_code == 1
    assert [(one["by"], one["caught"]) for one in json.loads(ran.out)] == [("", 0), ("Ann", 0)]
    assert "planted errors caught" in cli("annotate", "figures", root).out


def test_careful_reviewer_is_trusted(root: Path) -> None:
    def careful(one: ShownText) -> tuple[str, str]:
        if one.plant is not None:
            return "reject", one.words
        return "edit", one.text.words if one.is_blind else f"{one.words} Yes."

    found = decide_all(reviewing(root), careful)
    assert (found.doubt, found.caught, found.accept_rate) == ("", found.planted, 0)
    assert found.edit_distance is not None
    assert 0 < found.edit_distance < 0.5
    assert found.agreement == 1.0


def test_planted_text_is_never_stored(root: Path) -> None:
    texts = reviewing(root)
    plants = [one for one in texts.open(EPISODE).all if one.plant is not None]
    before = SemanticsStore(root).read(EPISODE).entries
    for one in plants:
        assert one.words != one.text.words
        texts.save(EPISODE, decided_on(one, "Ann", "accept", one.words, 1.0))
    after = texts.open(EPISODE)
    new = [entry for entry in after.file.entries if entry not in before]
    assert all(isinstance(entry, Planted) and not hasattr(entry, "words") for entry in new)
    for one in plants:
        now = after.steps[one.step][[*TextKind].index(TextKind(one.kind))]
        assert (now.words, now.text.state, now.plant) == (one.text.words, TextState.SUGGESTED, None)


def test_bulk_acceptance_takes_only_supported_texts(root: Path) -> None:
    texts = reviewing(root)
    opened = texts.open(EPISODE)
    accepted = {(one.step_key, one.field) for one in supported(opened, "Ann")}
    assert accepted
    for one in opened.all:
        is_plain = not (one.is_blind or one.is_hidden or one.plant) and one.text.state is TextState.SUGGESTED
        assert ((one.step_key, one.kind) in accepted) is (is_plain and one.verdict is Support.SUPPORTS)
    texts.save(EPISODE, *supported(opened, "Ann"))
    figures = texts.figures()[0]
    assert (figures.bulk, figures.decided) == (len(accepted), 0)


def test_undo_restores_the_previous_decision(root: Path) -> None:
    texts = reviewing(root, shares=Shares(0, 0))
    first = texts.open(EPISODE).all[0]
    accept = decided_on(first, "Ann", "accept", first.words, 1.0)
    texts.save(EPISODE, accept)
    edit = decided_on(texts.open(EPISODE).all[0], "Ann", "edit", "Mine.\nReally.", 1.0)
    assert texts.save(EPISODE, edit).all[0].words == "Mine. Really."
    assert isinstance(edit, TextDecision)
    assert isinstance(accept, TextDecision)
    assert texts.undo(EPISODE, [edit]).all[0].text.state is TextState.ACCEPTED
    again = texts.undo(EPISODE, [accept])
    assert (again.all[0].text.state, again.all[0].words) == (TextState.SUGGESTED, first.words)
    assert trust_figures([Seen.of(again.file)]) == []


def test_undone_decision_after_a_blind_text_does_not_count(root: Path) -> None:
    texts = reviewing(root, shares=Shares(blind=1, planted=0))
    blind = decided_on(texts.open(EPISODE).all[0], "Ann", "edit", "Tap something.", 1.0)
    shown = texts.save(EPISODE, blind).all[0]
    later = decided_on(shown, "Ann", "reject", shown.words, 1.0)
    assert isinstance(later, TextDecision)
    texts.save(EPISODE, later)
    assert [(one.decided, one.blind) for one in texts.figures()] == [(1, 1), (1, 1)]
    texts.undo(EPISODE, [later])
    assert [(one.decided, one.blind) for one in texts.figures()] == [(0, 1), (0, 1)]


def test_empty_text_or_name_is_rejected(root: Path) -> None:
    first = reviewing(root, shares=Shares(0, 0)).open(EPISODE).all[0]
    with pytest.raises(DatasetError, match="empty"):
        decided_on(first, "Ann", "edit", " \n ", 1.0)
    with pytest.raises(DatasetError, match="name"):
        decided_on(first, " ", "accept", first.words, 1.0)


def test_sampling_depends_only_on_person_and_text() -> None:
    draws = [drawn("Ann", f"{number:016x}", TextKind.INSTRUCTION) for number in range(2_000)]
    assert draws[:9] == [drawn("ANN", f"{number:016x}", TextKind.INSTRUCTION) for number in range(9)]
    assert 0.07 < sum(one < Shares().blind for one in draws) / len(draws) < 0.13


def test_idle_time_does_not_count() -> None:
    moments = iter([0.0, 4.0, 1_000.0])
    time = ActiveTime(lambda: next(moments))
    assert [time.touch(), time.touch()] == [4.0, 34.0]


def test_no_decisions_give_no_figures(root: Path) -> None:
    assert reviewing(root).figures() == []


def test_step_lines_show_texts_with_their_states(root: Path) -> None:
    lines = step_lines(root, EPISODE)
    assert len(lines) == STEPS + 1
    assert lines[0].startswith("Low-level instruction (suggested): Tap")
