"""Evidence for tests: a clean episode, and functions that change single things."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from odyssey_recorder.checking.evidence import EpisodeEvidence, StepEvidence
from odyssey_recorder.checking.one_episode import CHECKS
from odyssey_recorder.checking.screenshot import MeasuredScreenshot
from odyssey_recorder.dataset import provenance as records
from odyssey_recorder.dataset.codec import annotations_of
from odyssey_recorder.dataset.lenient import Breach, LenientEpisode, LenientStep
from odyssey_recorder.device.view_hierarchy import ViewNode
from odyssey_recorder.model.action import Action, Click, Complete, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.assignment import TaskOrigin
from odyssey_recorder.model.episode import DeviceInfo, Json, TaskInfo
from odyssey_recorder.model.finding import Finding, NotChecked, Severity
from odyssey_recorder.model.geometry import Box, Point, Size, to_pixel
from odyssey_recorder.model.text_origin import TextOrigin
from tests.dataset.drafts import provenance_of

ID = "0006223132449496"
SIZE = Size(720, 1280)
LAUNCHER, CHROME, DOCS = "com.android.launcher3", "com.android.chrome", "com.google.android.apps.docs"
TOUCHED_US = 10_000_000

Cases = dict[str, tuple[EpisodeEvidence, list[int | None]]]
"""By the id of a check and words: evidence, and the steps that the check names; None for the whole episode."""

ACTIONS: tuple[Action, ...] = (
    Click(Point(719, 762)),
    Type("the weather in Beijing"),
    Press(SystemKey.HOME),
    Scroll(Point(500, 800), Point(500, 300), (Point(500, 800), Point(500, 300))),
    Press(SystemKey.BACK),
    Complete(),
)
_PACKAGES = (LAUNCHER, CHROME, CHROME, LAUNCHER, DOCS, DOCS)
FIELD = ViewNode(
    Box(0, 0, 720, 1280), "android.widget.EditText", CHROME, "the weather in Beijing", "", "", True, True, False
)
"""A view as large as the screen that is clickable, focused and shows the typed text."""


def evidence(*actions: Action, **changes: Any) -> EpisodeEvidence:
    """A clean episode with provenance and view hierarchies; `changes` are fields of the evidence."""
    done = actions or ACTIONS
    steps = tuple(_step(number, action, last=number == len(done) - 1) for number, action in enumerate(done))
    episode = LenientEpisode(
        episode_id=ID,
        device=DeviceInfo("Small Phone", SIZE),
        task=TaskInfo(
            "Information_Management",
            ("Chrome", "Google Docs"),
            "Look up the weather in {} and write it down.",
            "Look up the weather in Beijing and write it down.",
            "Use Chrome to look up the weather in Beijing, and write it into Google Docs.",
        ),
        steps=tuple(step.spelled for step in steps),
        breaches=(),
        strict=None,
    )
    provenance = provenance_of(ID, [one.record for one in steps if one.record], density=320)
    return replace(EpisodeEvidence(episode, steps, provenance), **changes)


def without_provenance(one: EpisodeEvidence) -> EpisodeEvidence:
    """As in released data: no provenance, no view hierarchies."""
    steps = tuple(replace(step, record=None, views=None, no_views="none was stored") for step in one.steps)
    return replace(one, provenance=None, steps=steps)


def with_step(one: EpisodeEvidence, number: int, **changes: Any) -> EpisodeEvidence:
    """Change a step; fields of its record or its screenshot are given by name."""
    step = one.steps[number]
    if step.record is not None and (size := changes.get("size")):
        changes = {"width": size.width, "height": size.height, **changes}
    for name, value in changes.items():
        if name in records.StepRecord.model_fields and step.record is not None:
            step = replace(step, record=step.record.model_copy(update={name: value}))
        elif name in records.FrameRecord.model_fields and step.record is not None:
            frame = step.record.frame.model_copy(update={name: value})
            step = replace(step, record=step.record.model_copy(update={"frame": frame}))
        elif name in ("problem", "size", "deviation", "flat") and step.screenshot is not None:
            step = replace(step, screenshot=replace(step.screenshot, **{name: value}))
        else:
            step = replace(step, **{name: value})
    return replace(one, steps=(*one.steps[:number], step, *one.steps[number + 1 :]))


def with_task(one: EpisodeEvidence, **changes: Any) -> EpisodeEvidence:
    return replace(one, episode=replace(one.episode, task=replace(one.episode.task, **changes)))


def with_text(one: EpisodeEvidence, text: TextOrigin) -> EpisodeEvidence:
    return with_task_origin(one, TaskOrigin(text=text))


def with_task_origin(one: EpisodeEvidence, making: TaskOrigin) -> EpisodeEvidence:
    assert one.provenance is not None
    origin = one.provenance.origin.model_copy(update={"making": making})
    return replace(one, provenance=one.provenance.model_copy(update={"origin": origin}))


def with_breach(one: EpisodeEvidence, *breaches: Breach) -> EpisodeEvidence:
    return replace(one, episode=replace(one.episode, breaches=breaches))


def with_keys(one: EpisodeEvidence, number: int, **keys: Json) -> EpisodeEvidence:
    return with_step(one, number, spelled=replace(one.steps[number].spelled, annotations=annotations_of(keys)))


def visiting(one: EpisodeEvidence, *packages: str) -> EpisodeEvidence:
    for number, package in enumerate(packages):
        one = with_step(one, number, screen=screen(package))
    return one


def screen(package: str, *, rotation: int = 0, keyboard: bool = False) -> records.ScreenRecord:
    return records.ScreenRecord(rotation=rotation, posture="", package=package, activity="", keyboard_shown=keyboard)


def results(check: str, one: EpisodeEvidence) -> list[Finding | NotChecked]:
    return list(next(entry for entry in CHECKS if entry.id == check).run(one))


def found_steps(check: str, one: EpisodeEvidence) -> list[int | None]:
    return [finding.step for finding in results(check, one) if isinstance(finding, Finding)]


def severities(check: str, one: EpisodeEvidence) -> list[Severity]:
    return [finding.severity for finding in results(check, one) if isinstance(finding, Finding)]


def unchecked_steps(check: str, one: EpisodeEvidence) -> list[int]:
    """The steps that a check could not look at; -1 for the whole episode."""
    skipped = [one.steps or (-1,) for one in results(check, one) if isinstance(one, NotChecked)]
    return sorted({step for steps in skipped for step in steps})


def _step(number: int, action: Action, *, last: bool) -> StepEvidence:
    package = _PACKAGES[number % len(_PACKAGES)]
    sha256 = f"{number:064}"
    record = records.StepRecord(
        frame=records.FrameRecord(
            number=number, source="gRPC", started_us=TOUCHED_US - 300_000, arrived_us=TOUCHED_US - 280_000,
            settled=True, width=SIZE.width, height=SIZE.height, png_sha256=sha256, rgb_sha256="",
        ),
        check=None,
        touched_us=TOUCHED_US,
        input=_input(action),
        end=records.EndRecord(action="COMPLETE", words=action.note) if isinstance(action, Complete) else None,
        screen=screen(package, keyboard=isinstance(action, Type)),
        bbox=_box_around(action),
    )  # fmt: skip
    return StepEvidence(
        number,
        LenientStep(action),
        MeasuredScreenshot(sha256, "", SIZE, deviation=40.0, flat=0.6, look=number),
        None if last else 0.3,
        record,
        (FIELD,),
    )


def _box_around(action: Action) -> tuple[int, int, int, int] | None:
    match action:
        case Click(point) | LongPress(point):
            at = to_pixel(point, SIZE)
            return at.x - 40, at.y - 40, at.x + 40, at.y + 40
        case _:
            return None


def _input(action: Action) -> records.StrokeRecord | records.KeyRecord | records.TextRecord | None:
    match action:
        case Click(point):
            return _stroke((point,), 80_000)
        case LongPress(point):
            return _stroke((point,), 800_000)
        case Scroll(path=path):
            return _stroke(path, 300_000)
        case Press(key):
            return records.KeyRecord(key=key.value)
        case Type(text):
            return records.TextRecord(text=text)
        case _:
            return None


def _stroke(path: Sequence[Point], duration_us: int) -> records.StrokeRecord:
    pixels = [to_pixel(point, SIZE) for point in path]
    samples = tuple((at.x, at.y, 10_000 * number) for number, at in enumerate(pixels))
    return records.StrokeRecord(samples=samples, duration_us=duration_us)
