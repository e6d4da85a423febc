"""People count steps from 1, files from 0."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import odyssey_recorder
from odyssey_recorder.model.plain_text import step_index, step_number, steps_text

_BY_HAND = re.compile(r"[Ss]teps? \{[^{}]*\+ [12]\}|[Ss]tep \{\{ [^{}]*(\+ 1|\.number|\.step) \}\}")
"""A number that a text works out itself, in an f-string or a template."""


def test_people_count_from_one_and_files_from_zero() -> None:
    assert [step_number(index) for index in (0, 9)] == [1, 10]
    assert [step_index(step_number(index)) for index in (0, 9)] == [0, 9]


@pytest.mark.parametrize(
    ("indices", "text"),
    [([0], "step 1"), ([0, 1], "steps 1 to 2"), ([2, 6, 7, 8], "steps 3, 7 to 9"), (range(3, 5), "steps 4 to 5")],
)
def test_steps_are_told_in_runs(indices: Sequence[int], text: str) -> None:
    assert steps_text(indices) == text


def test_no_other_place_works_out_the_number_of_a_step() -> None:
    package = Path(odyssey_recorder.__file__).parent
    texts = [*package.rglob("*.py"), *package.rglob("*.html")]
    assert [path.name for path in texts if _BY_HAND.search(path.read_text("utf-8"))] == []
