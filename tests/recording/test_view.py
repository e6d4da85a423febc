"""The rows of steps that lists show."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.model.geometry import Box
from odyssey_recorder.recording.view import StepRows
from tests.dataset.drafts import add_step, begin, other_flag, store_in


@pytest.fixture
def draft(tmp_path: Path) -> Iterator[Draft]:
    draft = begin(store_in(tmp_path))
    for shade in (10, 20, 30):
        add_step(draft, shade=shade)
    yield draft
    draft.close()


def test_row_is_rebuilt_only_for_a_changed_step(draft: Draft) -> None:
    rows = StepRows(draft.episode_id)
    first = rows.show(draft.steps, None)
    draft.amend(draft.steps[1].key, {"flags": [other_flag("odd"), other_flag("late")], "bbox": [1, 2, 3, 4]})

    second = rows.show(draft.steps, None)

    assert rows.show(draft.steps, None) is second
    assert second[0] is first[0]
    assert (second[1].flag, second[1].box) == ("odd, late", Box(1, 2, 3, 4))
    assert [row.number for row in second] == [0, 1, 2]


def test_rows_show_the_dataset_screenshots_after_publishing(draft: Draft, tmp_path: Path) -> None:
    rows = StepRows(draft.episode_id)
    rows.show(draft.steps, None)
    draft.drop_last("undone")
    assert [row.screenshot for row in rows.show(draft.steps, None)] == [step.screenshot for step in draft.steps]
    add_step(draft, shade=40)
    assert [row.screenshot for row in rows.show(draft.steps, None)] == [step.screenshot for step in draft.steps]

    shown = rows.show(draft.steps, tmp_path)
    assert [row.screenshot for row in shown] == [tmp_path / f"{draft.episode_id}_{number}.png" for number in range(3)]
