"""Retired episodes: the decisions and their file."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey_recorder.curation.retired import (
    RetireDecision,
    plan_decisions,
    read_retired,
    record_decisions,
    without_retired,
)
from odyssey_recorder.dataset.layout import RETIRED
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.splits.drawing import Split
from tests.splits.split_facts import facts
from tests.splits.split_folders import write_episodes

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
ONE, TWO, THREE = IDS = [facts(number).episode_id for number in range(3)]


def decision(
    episode_id: str, what: Literal["retire", "restore"] = "retire", *, hours: int = 0, better: str | None = None
) -> RetireDecision:
    at = NOON + timedelta(hours=hours)
    return RetireDecision(
        episode_id=episode_id, decision=what, reason="blurred", superseded_by=better, who="Ada", at=at
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_episodes(tmp_path / "data", [facts(number) for number in range(3)])


def test_episode_is_retired_until_restored(root: Path) -> None:
    assert read_retired(root) == {}
    retire = decision(ONE, better=TWO)

    record_decisions(root, [retire])
    assert read_retired(root) == {ONE: retire}

    record_decisions(root, [decision(ONE, "restore", hours=1)])
    assert read_retired(root) == {}
    assert len((root / RETIRED).read_text().splitlines()) == 2, "nothing is forgotten"


def test_new_decision_counts_despite_an_earlier_fast_clock(root: Path) -> None:
    record_decisions(root, [decision(ONE, hours=24)])
    record_decisions(root, [decision(ONE, "restore")])
    assert read_retired(root) == {}


@settings(max_examples=30)
@given(
    rng=st.randoms(),
    decided=st.lists(
        st.tuples(st.sampled_from(IDS), st.sampled_from(["retire", "restore"]), st.integers(0, 3)), max_size=4
    ),
)
def test_line_order_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, rng: Random, decided: list[tuple[str, Literal["retire", "restore"], int]]
) -> None:
    lines = [decision(one, what, hours=hours).model_dump_json() for one, what, hours in decided]
    last = {
        one: max((hours, what == "retire") for other, what, hours in decided if other == one) for one, *_ in decided
    }
    root = tmp_path_factory.mktemp("data")
    (root / "metadata").mkdir()
    merged = [*lines, *lines[:1]]
    rng.shuffle(merged)
    (root / RETIRED).write_text("\n".join(merged))
    assert read_retired(root).keys() == {one for one, (_, is_retired) in last.items() if is_retired}


def test_decision_is_appended_to_a_file_without_final_newline(root: Path) -> None:
    (root / "metadata").mkdir()
    (root / RETIRED).write_text(decision(ONE).model_dump_json())
    record_decisions(root, [decision(TWO)])
    assert read_retired(root).keys() == {ONE, TWO}


@pytest.mark.parametrize("line", ["<<<<<<< HEAD", "{}", '{"episode_id": "../x"}', "\x00", "\\udc00"])
def test_invalid_line_is_named(root: Path, line: str) -> None:
    (root / "metadata").mkdir()
    (root / RETIRED).write_text(f"{decision(ONE).model_dump_json()}\n{line}\n")
    with pytest.raises(DatasetError, match=r"retired\.jsonl, line 2, is not a decision .* Correct the line\."):
        read_retired(root)


def test_dangling_link_is_an_error(root: Path) -> None:
    (root / "metadata").mkdir()
    (root / RETIRED).symlink_to("elsewhere")
    with pytest.raises(DatasetError, match="file not found"):
        read_retired(root)


def test_plan_contains_only_changes(root: Path) -> None:
    record_decisions(root, [decision(ONE)])
    assert plan_decisions(root, [decision(ONE), decision(TWO)]) == [decision(TWO)]
    restores = [decision(ONE, "restore"), decision(TWO, "restore")]
    assert plan_decisions(root, restores) == restores[:1]


def test_invalid_decisions_are_rejected(root: Path) -> None:
    with pytest.raises(DatasetError, match="There is no episode 9999999999999999"):
        plan_decisions(root, [decision("9999999999999999")])
    with pytest.raises(DatasetError, match="superseded by 9999999999999999, which is not in"):
        plan_decisions(root, [decision(ONE, better="9999999999999999")])
    with pytest.raises(DatasetError, match="which is retired itself"):
        plan_decisions(root, [decision(ONE, better=TWO), decision(TWO)])
    record_decisions(root, [decision(THREE)])
    with pytest.raises(DatasetError, match="which is retired itself"):
        plan_decisions(root, [decision(ONE, better=THREE)])


def test_retired_episodes_are_removed_from_splits() -> None:
    split = Split("app", (ONE, TWO), (THREE,))
    assert without_retired(split, {TWO, THREE}) == Split("app", (ONE,), ())
