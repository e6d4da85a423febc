"""Episodes of the simulated emulator played in this process, with provenance, view hierarchies and their labels."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from odyssey_recorder.checking.evidence import EpisodeEvidence, StepEvidence
from odyssey_recorder.checking.screenshot import MeasuredScreenshot
from odyssey_recorder.commands.demo_annotator import Drag, Move, On
from odyssey_recorder.dataset.lenient import LenientEpisode, LenientStep
from odyssey_recorder.dataset.provenance import FrameRecord, ScreenRecord, StepRecord, StrokeRecord
from odyssey_recorder.device.view_hierarchy import parse
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.episode import DeviceInfo
from odyssey_recorder.model.geometry import Box, Pixel, Size, to_grid
from odyssey_recorder.recording.script import PressKey, ScriptComplete, ScriptImpossible, TypeText
from odyssey_simulator.phone import PhoneState
from odyssey_simulator.shell.uiautomator import dump_views
from tests.checking.clean.generated_tasks import GeneratedTask, generated_tasks
from tests.checking.labelled import image_of
from tests.dataset.drafts import provenance_of
from tests.simulator.person import Person, person_with


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """What the player did at a step; `labels` are those of all elements that could be touched."""

    action: str
    label: str
    typed: str
    direction: str
    app: str
    labels: tuple[str, ...]
    box: Box | None = None
    """Of the element that took the touch, by the simulated emulator; None if its words are only part of one."""


@dataclass(frozen=True, slots=True)
class PlayedEpisode:
    evidence: EpisodeEvidence
    steps: tuple[PlayedStep, ...]


def play_episodes(seed: int, count: int) -> Iterator[PlayedEpisode]:
    made = generated_tasks(seed)
    for number in range(count):
        with person_with(seed=seed * 1000 + number) as person:
            yield _play(f"{seed:08}{number:08}", person, next(made), random.Random(f"{seed} {number}"))


def _play(episode_id: str, person: Person, generated: GeneratedTask, rng: random.Random) -> PlayedEpisode:
    steps: list[StepEvidence] = []
    played: list[PlayedStep] = []
    task, scripted = generated
    moves = list(scripted)
    for at in sorted((place for place, one in enumerate(moves) if one == PressKey(key="HOME")), reverse=True):
        if rng.random() < 0.4:
            moves.insert(at, Drag(up=rng.choice((0.3, -0.3))))
        elif rng.random() < 0.3:
            moves[at:at] = [PressKey(key="RECENT")]
    for move in moves:
        if made := _step(person, move, len(steps)):
            steps.append(made[0])
            played.append(made[1])
    size = person.phone.state().size
    episode = LenientEpisode(
        episode_id,
        DeviceInfo("Small Phone", Size(size.width, size.height)),
        task,
        tuple(one.spelled for one in steps),
        (),
        None,
    )
    records = [one.record for one in steps if one.record]
    return PlayedEpisode(
        EpisodeEvidence(episode, tuple(steps), provenance_of(episode_id, records, density=320)), tuple(played)
    )


def _step(person: Person, move: Move, number: int) -> tuple[StepEvidence, PlayedStep] | None:
    views = parse(dump_views(person.phone).decode())
    state = person.phone.state()
    size = Size(state.size.width, state.size.height)
    screenshot = _screenshot(person, size)
    labels = tuple(
        dict.fromkeys(name for view in views if view.clickable for name in (view.description or view.text,) if name)
    )
    samples: tuple[tuple[int, int, int], ...] = ()
    label = typed = direction = ""
    box = None
    action: Action
    match move:
        case On(label, hold):
            x, y = map(int, person.find(label).bounds.center)
            box = None if label == "Go" else _box_of(person, label, x, y)
            samples = ((x, y, 0), (x, y, 50_000))
            point = to_grid(Pixel(x, y), size)
            action = LongPress(point) if hold else Click(point)
            (person.hold_at if hold else person.tap_at)(x, y)
        case Drag(up):
            middle, half = size.height // 2, int(size.height * up / 2)
            ends = Pixel(size.width // 2, middle + half), Pixel(size.width // 2, middle - half)
            samples = tuple((end.x, end.y, 300_000 * place) for place, end in enumerate(ends))
            points = tuple(to_grid(end, size) for end in ends)
            action, direction = Scroll(points[0], points[-1], points), "down" if up > 0 else "up"
            person.swipe(*((end.x, end.y) for end in ends))
        case PressKey(key=key):
            action = Press(SystemKey(key))
            person.phone.press_key({"HOME": 3, "BACK": 4, "RECENT": 187}[key])
        case TypeText(type=typed):
            action = Type(typed)
            person.type(typed)
        case ScriptComplete():
            action = Complete()
        case ScriptImpossible(impossible=reason):
            action = Impossible(reason)
        case _:
            return None
    record = _record(state, size, screenshot, samples)
    step = StepEvidence(number, LenientStep(action), screenshot, None, record, views)
    kind = {On: "LONG_PRESS" if isinstance(action, LongPress) else "CLICK", Drag: "SCROLL", TypeText: "TYPE"}
    name = kind.get(type(move)) or (action.key.value if isinstance(action, Press) else type(action).__name__.upper())
    return step, PlayedStep(name, label, typed, direction, app_of(state.package), labels, box)


def _record(
    state: PhoneState, size: Size, screenshot: MeasuredScreenshot, samples: tuple[tuple[int, int, int], ...]
) -> StepRecord:
    return StepRecord(
        frame=FrameRecord(
            number=0, source="gRPC", started_us=0, arrived_us=1, settled=True, width=size.width,
            height=size.height, png_sha256=screenshot.sha256, rgb_sha256="",
        ),
        check=None,
        touched_us=0,
        input=StrokeRecord(samples=samples, duration_us=300_000) if samples else None,
        screen=ScreenRecord(
            rotation=state.rotation, posture="", package=state.package, activity=state.activity,
            keyboard_shown=state.keyboard is not None,
        ),
    )  # fmt: skip


def _box_of(person: Person, label: str, x: int, y: int) -> Box | None:
    """The box of the element whose description is `label`, if there is one."""
    for node in reversed(person.nodes):
        edges = node.bounds
        box = Box(edges.left, edges.top, edges.right, edges.bottom)
        if node.clickable and node.content_desc == label and Pixel(x, y) in box:
            return box
    return None


def _screenshot(person: Person, size: Size) -> MeasuredScreenshot:
    """With a difference hash of the screen, as that of a screenshot file, but faster."""
    screen = person.phone.screen()
    small = image_of(screen).convert("L").resize((9, 8)).tobytes()
    bits = (small[row * 9 + at] > small[row * 9 + at + 1] for row in range(8) for at in range(8))
    look = sum(bit << place for place, bit in enumerate(bits))
    return MeasuredScreenshot(f"{screen.number:064}", "", size, deviation=40.0, flat=0.6, look=look)


def app_of(package: str) -> str:
    """The app's name on the home screen, empty for the home screen itself and the system."""
    last = package.rpartition(".")[2]
    names = {"todo": "To-do", "settings": "Settings"}
    return "" if "launcher" in package or last == "systemui" else names.get(last, last.capitalize())
