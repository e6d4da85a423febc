"""The report of a replay: an HTML page for people and JSON for programs."""

from collections.abc import Iterator

from PIL import Image, ImageChops, ImageDraw

from odyssey_recorder.dataset.action_marks import draw_action
from odyssey_recorder.model.action import action_type, describe, in_words_at, is_terminal
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.plain_text import on_one_line
from odyssey_recorder.replay.compare import Comparison, StepVerdict, Tolerance, change_mask
from odyssey_recorder.replay.player import ReplayResult, StepResult
from odyssey_recorder.replay.recorded import recorded_screenshot
from odyssey_recorder.reports import data_uri, render_page

_VIEW_PX = (900, 1000)
"""The box that images are shrunk to."""
_RED = (220, 38, 38)


def render_report(result: ReplayResult) -> str:
    """The HTML page: a summary, and the screens of each step side by side. Raises ReplayError."""
    return render_page(
        "replay.html",
        {"percent": _percent},
        episode=result.episode,
        serial=result.serial,
        outcome=result.outcome,
        problem=result.problem,
        advice=result.advice,
        counts={verdict.value: result.count(verdict) for verdict in StepVerdict},
        steps=[_step_view(result, step) for step in result.steps],
        unreached=list(_unreached(result)),
        upright=result.episode.device.size.height > result.episode.device.size.width,
        tolerance=result.tolerance,
    )


def result_as_json(result: ReplayResult) -> dict[str, Json]:
    """The result for programs; docs/replay.md documents the keys."""
    return {
        "episode_id": result.episode.episode_id,
        "serial": result.serial,
        "outcome": result.outcome,
        "problem": result.problem,
        "advice": result.advice,
        "exit_code": result.exit_code,
        "step_length": len(result.episode.steps),
        "counts": {verdict.value: result.count(verdict) for verdict in StepVerdict},
        "steps": [_step_as_json(step) for step in result.steps],
    }


def _step_as_json(step: StepResult) -> dict[str, Json]:
    compared = step.comparison
    return {
        "step_index": step.number,
        "action": action_type(step.action),
        "words": describe(step.action),
        "verdict": compared.verdict.value,
        "pixel_share": compared.pixel_share,
        "likeness": compared.likeness,
        "changed": [[box.left, box.top, box.right, box.bottom] for box in compared.changed],
        "recorded_size": [step.recorded_size.width, step.recorded_size.height],
        "live_size": [step.live_size.width, step.live_size.height],
        "settled": step.settled,
        "performed": step.performed,
    }


def _step_view(result: ReplayResult, step: StepResult) -> dict[str, object]:
    """A step as the page shows it; images are data URIs, `difference` is empty if there is nothing to mark."""
    compared = step.comparison
    recorded, live = _shrunk(recorded_screenshot(result.recorded, step.number)), _shrunk(step.live)
    marked = None
    if compared.changed and step.live_size == step.recorded_size:
        marked = _mark_difference(recorded, live.resize(recorded.size), step, result.tolerance)
    return {
        "number": step.number,
        "words": on_one_line(in_words_at(step.action)),
        "verdict": compared.verdict.value,
        "measures": _measures(compared),
        "notes": tuple(_notes(step)),
        "recorded": data_uri(draw_action(recorded, step.action)),
        "live": data_uri(live),
        "difference": "" if marked is None else data_uri(marked),
    }


def _unreached(result: ReplayResult) -> Iterator[tuple[int, str]]:
    for number in range(len(result.steps), len(result.episode.steps)):
        yield number, on_one_line(in_words_at(result.episode.steps[number].action))


def _notes(step: StepResult) -> Iterator[str]:
    if step.live_size != step.recorded_size:
        yield f"Recorded on a screen of {step.recorded_size}, replayed on one of {step.live_size}."
    if not step.settled:
        yield "The screen did not settle and was compared as it was."
    if not step.performed and not is_terminal(step.action):
        yield "The action was not carried out."


def _mark_difference(recorded: Image.Image, live: Image.Image, step: StepResult, tolerance: Tolerance) -> Image.Image:
    """The live screen in pale grey, the changes in red, and a box around each group of changes.

    Only changes inside a box are red: the boxes exclude the status bar.
    """
    scale = recorded.width / step.recorded_size.width
    boxes = [
        tuple(round(edge * scale) for edge in (box.left - 1, box.top - 1, box.right, box.bottom))
        for box in step.comparison.changed
    ]
    inside = Image.new("L", recorded.size)
    for box in boxes:
        ImageDraw.Draw(inside).rectangle(box, fill=255)
    changes = change_mask(recorded, live, channel=tolerance.channel)
    red = ImageChops.darker(changes, inside).point(lambda value: value * 0.8)
    marked = Image.blend(live.convert("L").convert("RGB"), Image.new("RGB", live.size, "white"), 0.55)
    marked.paste(_RED, mask=red)
    for left, top, right, bottom in boxes:
        ImageDraw.Draw(marked).rectangle((left - 4, top - 4, right + 4, bottom + 4), outline=_RED, width=2)
    return marked


def _shrunk(image: Image.Image) -> Image.Image:
    view = image.copy()
    view.thumbnail(_VIEW_PX)
    return view


def _measures(compared: Comparison) -> str:
    if not compared.pixel_share:
        return "no difference"
    return f"{_percent(compared.pixel_share)} changed · likeness {compared.likeness:.3f}"


def _percent(share: float) -> str:
    if 0 < share < 0.0001:
        return "< 0.01%"
    return f"{share * 100:.2f}%"
