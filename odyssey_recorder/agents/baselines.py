"""The agents that need no model: `gold` does what is known to be right, and `random` whatever comes."""

import random
import string
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from odyssey_recorder.agents.adapter import Reading, Request
from odyssey_recorder.agents.benchmark import BenchmarkTask, DragBetween, Move, OnField, OnText, Reach
from odyssey_recorder.agents.frames import finger_scroll, path
from odyssey_recorder.agents.online import AgentRule
from odyssey_recorder.agents.predict import ChosenSteps
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import open_published
from odyssey_recorder.device.view_hierarchy import ViewNode
from odyssey_recorder.errors import DatasetError, TaskError
from odyssey_recorder.evaluation.predictions import Prediction, spelled
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, SystemKey, Type
from odyssey_recorder.model.geometry import GRID, Box, Pixel, Point, to_grid
from odyssey_recorder.recording.script import PressKey, TypeText
from odyssey_recorder.recording.step_writer import ShownScreen

Baseline = Literal["gold", "random"]
_KINDS = ("CLICK", "LONG_PRESS", "SCROLL", "TYPE", *SystemKey, "COMPLETE", "IMPOSSIBLE")
_WAIT_S = "20"
_HOME_SAYS = "Search apps"
"""On the home screen, where a scroll from low opens the app drawer."""


def random_action(seed: str) -> Action:
    """One of the nine, each as likely, at any place, in any direction, with any text; the same for the same seed."""
    drawn = random.Random(seed)
    point = Point(drawn.randint(0, GRID), drawn.randint(0, GRID))
    match drawn.choice(_KINDS):
        case SystemKey() as key:
            return Press(key)
        case "CLICK":
            return Click(point)
        case "LONG_PRESS":
            return LongPress(point)
        case "SCROLL":
            return finger_scroll(drawn.choice(("UP", "DOWN", "LEFT", "RIGHT")))
        case "TYPE":
            return Type("".join(drawn.choices(string.ascii_lowercase, k=8)))
        case "COMPLETE":
            return Complete()
        case _:
            return Impossible("")


def baseline_predictions(
    root: Path, chosen: ChosenSteps, baseline: Baseline, seed: int
) -> tuple[list[Prediction], dict[str, str]]:
    """For the chosen steps of the episodes that can be read, and by id why others cannot."""
    predictions: list[Prediction] = []
    problems: dict[str, str] = {}
    for episode_id, wanted in chosen.items():
        try:
            steps = open_published(root / annotation_path(episode_id)).episode.steps
        except DatasetError as error:
            problems[episode_id] = str(error)
            continue
        for number, step in enumerate(steps):
            if wanted is None or number in wanted:
                action = step.action if baseline == "gold" else random_action(f"{seed}:{episode_id}:{number}")
                predictions.append(Prediction(episode_id, number, spelled(action)))
    return predictions, problems


class RandomRule:
    name = "random"

    def __init__(self, task: BenchmarkTask | None, seed: int) -> None:
        self._seed = f"{'' if task is None else task.task_id}:{seed}"

    def __call__(self, shown: ShownScreen) -> Reading:
        return Reading(random_action(f"{self._seed}:{len(shown.steps)}"))


class GoldRule:
    """Plays the gold script of a task; a move that became no step is made again. Raises TaskError without a script."""

    name = "gold"

    def __init__(self, task: BenchmarkTask | None, _seed: int) -> None:
        if task is None or not task.gold:
            raise TaskError("A task has no gold script. Choose tasks with --task, or another --agent.")
        self._moves: list[Move | Complete] = [*task.gold, Complete(task.answer)]
        self._steps = 0

    def __call__(self, shown: ShownScreen) -> Reading:
        if len(shown.steps) > self._steps and not isinstance(self._moves[0], Reach):
            del self._moves[0]
        self._steps = len(shown.steps)
        screen = _Screen(shown)
        while isinstance(move := self._moves[0], Reach) and screen.with_words(move.reach):
            del self._moves[0]
        if (action := screen.action(move)) is not None:
            return Reading(action)
        return Reading(None, f"the screen has nothing for {move!r}", Request("WAIT", _WAIT_S))  # a busy one is slow


RULES: Mapping[Baseline, Callable[[BenchmarkTask | None, int], AgentRule]] = {"gold": GoldRule, "random": RandomRule}
"""For a task and the seed that filled it."""


class _Screen:
    def __init__(self, shown: ShownScreen) -> None:
        self._nodes = shown.nodes
        self._size = shown.kept.frame.size

    def with_words(self, words: str) -> ViewNode | None:
        """The topmost view with this text or description."""
        return next((node for node in reversed(self._nodes) if words in (node.text, node.description)), None)

    def action(self, move: Move | Complete) -> Action | None:
        match move:
            case Complete():
                return move
            case TypeText(type=text):
                return Type(text)
            case PressKey(key=key):
                return Press(SystemKey(key))
            case OnText(on=words, hold=hold):
                return self._press(self.with_words(words), hold=hold)
            case OnField(field=key, hold=hold):
                fields = (node for node in self._nodes if node.resource_id.endswith(f"id/{key}"))
                return self._press(next(fields, None), hold=hold)
            case DragBetween(drag=(first, second)):
                ends = [self._middle(node.box) for one in (first, second) if (node := self.with_words(one)) is not None]
                return path(*ends) if len(ends) == 2 else None
            case Reach():
                return self._onwards()

    def _press(self, node: ViewNode | None, *, hold: bool) -> Action | None:
        if node is None:
            return None
        return LongPress(self._middle(node.box)) if hold else Click(self._middle(node.box))

    def _onwards(self) -> Action | None:
        """Scroll the topmost list by half its height."""
        lists = [node.box for node in self._nodes if node.scrollable]
        if self.with_words(_HOME_SAYS) is not None:
            lists = [Box(0, self._size.height // 4, self._size.width, self._size.height * 3 // 5)]
        if not lists:
            return None
        middle, far = self._middle(lists[-1]), (lists[-1].bottom - lists[-1].top) * GRID // self._size.height // 4
        return path(Point(middle.x, middle.y + far), Point(middle.x, middle.y - far))

    def _middle(self, box: Box) -> Point:
        return to_grid(Pixel((box.left + box.right) // 2, (box.top + box.bottom) // 2), self._size)
