"""Replays an annotation file: what the command line calls."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.control.inputs import Input, input_for
from odyssey_recorder.device.device import ControllableDevice
from odyssey_recorder.device.repair import WHILE_RECORDING
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Action, SystemKey
from odyssey_recorder.replay.player import Player, PlayRules, ReplayResult, StepResult
from odyssey_recorder.replay.recorded import check_screenshots, open_recorded, recorded_stroke
from odyssey_recorder.replay.report import render_report
from odyssey_recorder.reports import write_page


def replay_episode(
    path: Path,
    device: ControllableDevice,
    rules: PlayRules = PlayRules(),  # noqa: B008 - it is immutable
    *,
    report: Path | None = None,
    on_step: Callable[[StepResult], object] = lambda _: None,
) -> ReplayResult:
    """Replay the annotation file `path` on `device`; write an HTML `report`, if wanted, also after a failure.

    Raises InvalidEpisodeError, DatasetError or ReplayError if there is nothing to replay, or not on this device; later
    failures of the device are in the result.
    """
    recorded = open_recorded(path)
    check_screenshots(recorded)
    with device.changed_settings(WHILE_RECORDING):
        result = Player(device, recorded, rules, on_step=on_step).play()
    if report is not None:
        write_page(report, render_report(result))
    return result


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """What a replay would do for one step on a device with the episode's screen size."""

    number: int
    action: Action
    effect: str


def plan_episode(path: Path) -> list[PlannedStep]:
    """Describe a replay of the annotation file `path` without a device. Raises as `replay_episode` does."""
    recorded = open_recorded(path)
    check_screenshots(recorded)
    size = recorded.episode.device.size
    planned = []
    for number, step in enumerate(recorded.episode.steps):
        exact = recorded_stroke(recorded, number)
        planned_input = input_for(step.action, size, exact=exact)
        planned.append(PlannedStep(number, step.action, _description(planned_input, exact=planned_input is exact)))
    return planned


def _description(planned_input: Input | None, *, exact: bool) -> str:
    match planned_input:
        case TouchStroke():
            source = "the recorded finger" if exact else "from the grid"
            path = f"{planned_input.start.x}, {planned_input.start.y}"
            if planned_input.end != planned_input.start:
                path += f" → {planned_input.end.x}, {planned_input.end.y}"
            return f"touch {path} for {planned_input.duration_us // 1000} ms ({source})"
        case SystemKey(value=name):
            return f"press {name}"
        case str():
            return f"type {len(planned_input)} characters"
        case None:
            return "compare the screen only"
