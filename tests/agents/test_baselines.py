"""The agents without a model, on screens that are given to them."""

from collections import Counter
from pathlib import Path

import pytest

from odyssey_recorder.agents.baselines import GoldRule, RandomRule, random_action
from odyssey_recorder.agents.benchmark import BenchmarkTask, OnText, Reach
from odyssey_recorder.dataset.draft import DraftStep
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.view_hierarchy import ViewNode
from odyssey_recorder.errors import TaskError
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.model.action import Action, Click, Complete, Scroll, action_type
from odyssey_recorder.model.geometry import Box, Point, Size
from odyssey_recorder.recording.step_writer import SavedFrame, ShownScreen
from tests.dataset.drafts import png, record


def node(text: str, box: Box, *, scrollable: bool = False) -> ViewNode:
    return ViewNode(box, "android.view.View", "p", text, "", "", True, False, False, scrollable=scrollable)


def shown(steps: int, *nodes: ViewNode) -> ShownScreen:
    """A screen after so many steps."""
    data = png(9)
    frame = Frame(1, SIZE, bytes(3 * SIZE.width * SIZE.height), 0, 0, "test")
    before = DraftStep(1, CLICK, Path("1.png"), record(data))
    return ShownScreen(
        SavedFrame(frame, Path("2.png"), record(data).frame),
        nodes,
        None,
        (before,) * steps,
        TouchRules.for_density(160),
    )


SIZE = Size(100, 200)
OK, LIST = node("OK", Box(0, 0, 20, 20)), node("", Box(0, 100, 100, 200), scrollable=True)
TASK = BenchmarkTask.model_validate({
    "task_id": "t", "goals": [{"path": "a", "op": "any"}], "answer": "5", "gold": [{"on": "OK"}, {"reach": "End"}],
})  # fmt: skip
CLICK = Click(Point(100, 50))


def test_gold_rule_repeats_a_move_that_became_no_step_and_scrolls_until_it_sees_the_text() -> None:
    assert TASK.gold == (OnText(on="OK"), Reach(reach="End"))
    rule = GoldRule(TASK, 0)
    scroll = Scroll(Point(500, 875), Point(500, 625), (Point(500, 875), Point(500, 625)))
    screens = [shown(0, OK), shown(0, OK), shown(1, LIST), shown(2, LIST), shown(3, LIST, node("End", LIST.box))]
    assert [rule(screen).action for screen in screens] == [CLICK, CLICK, scroll, scroll, Complete("5")]


def test_gold_rule_waits_for_what_it_does_not_find() -> None:
    rule = GoldRule(TASK, 0)
    reading = rule(shown(0, LIST))
    assert (reading.action, str(reading.request)) == (None, "wait 20 s")
    assert "the screen has nothing for OnText(on='OK'" in reading.problem
    assert rule(shown(0, OK)).action == CLICK
    with pytest.raises(TaskError, match="has no gold script"):
        GoldRule(None, 0)


def test_random_actions_are_seeded_and_of_all_nine_kinds() -> None:
    rule = RandomRule(TASK, 1)
    again: list[Action | None] = [rule(shown(steps)).action for steps in (0, 1, 0)]
    assert (again[0] == again[2], again[0] == again[1]) == (True, False)
    assert again[0] != RandomRule(TASK, 2)(shown(0)).action
    counts = Counter(action_type(random_action(str(number))) for number in range(900))
    assert len(counts) == 9
    assert min(counts.values()) > 60
