"""Quickly made episodes of the simulated phone, with screenshots, provenance and view hierarchies."""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.layout import annotation_path, screenshot_path, ui_tree_name, ui_tree_path
from odyssey_recorder.dataset.provenance import (
    EndRecord,
    FrameRecord,
    KeyRecord,
    ScreenRecord,
    StepRecord,
    StrokeRecord,
    TextRecord,
)
from odyssey_recorder.device.view_hierarchy import clickable_at, name_at, parse
from odyssey_recorder.model.action import Action, Click, Complete, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.episode import DeviceInfo, Episode, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import Pixel, Point, Size, to_grid
from odyssey_simulator.phone import Phone, TouchPhase
from odyssey_simulator.profile import profile_named
from odyssey_simulator.shell.uiautomator import dump_views
from tests.dataset.drafts import provenance_of, write_provenance
from tests.simulator.bench import half_as_dense
from tests.simulator.person import person_with

UP = Scroll(Point(500, 800), Point(500, 200), (Point(500, 800), Point(500, 200)))


@dataclass(frozen=True, slots=True)
class CapturedStep:
    """What a step shows and touches; `name` is that of the element, empty if nothing is touched."""

    episode_id: str
    number: int
    png: bytes
    at: Pixel | None
    name: str


class EpisodeRecording:
    def __init__(self, root: Path, episode_id: str, device: str, phone: Phone) -> None:
        self.root, self.episode_id, self.device, self.phone = root, episode_id, device, phone
        self.steps: list[Step] = []
        self.records: list[StepRecord] = []
        self.captured: list[CapturedStep] = []
        for name in ("annotations", "screenshots", "ui_trees"):
            (root / name).mkdir(parents=True, exist_ok=True)

    @property
    def size(self) -> Size:
        screen = self.phone.screen()
        return Size(screen.width, screen.height)

    def taps(self) -> Iterator[Pixel]:
        """The centre of each named element that takes a touch."""
        nodes = parse(dump_views(self.phone).decode())
        for node in nodes:
            at = Pixel((node.box.left + node.box.right) // 2, (node.box.top + node.box.bottom) // 2)
            if node.clickable and clickable_at(nodes, at, self.size) == node.box and name_at(nodes, at, self.size):
                yield at

    def add(self, action: Action, at: Pixel | None = None) -> None:
        number, screen = len(self.steps), self.phone.screen()
        image = Image.frombytes("RGBA", (screen.width, screen.height), screen.rgba).convert("RGB")
        png = io.BytesIO()
        image.save(png, "PNG", compress_level=1)
        (self.root / screenshot_path(self.episode_id, number)).write_bytes(png.getvalue())
        xml = dump_views(self.phone)
        (self.root / ui_tree_path(self.episode_id, number)).write_bytes(xml)
        nodes = parse(xml.decode())
        box = clickable_at(nodes, at, self.size) if at is not None else None
        frame = FrameRecord(
            number=screen.number, source="screencap", started_us=number * 10, arrived_us=number * 10 + 1, settled=True,
            width=screen.width, height=screen.height, png_sha256=hashlib.sha256(png.getvalue()).hexdigest(),
            rgb_sha256=hashlib.sha256(image.tobytes()).hexdigest(),
        )  # fmt: skip
        self.records.append(
            StepRecord(
                frame=frame, check=None, touched_us=number * 10 + 5, input=_input(action, at),
                end=EndRecord(action="COMPLETE", words="") if isinstance(action, Complete) else None,
                screen=ScreenRecord(
                    rotation=screen.rotation, posture="", package="", activity="", keyboard_shown=False
                ),
                ui_tree=ui_tree_name(self.episode_id, number),
                bbox=None if box is None else (box.left, box.top, box.right, box.bottom),
                bbox_source=None if box is None else "hierarchy",
            )
        )  # fmt: skip
        self.steps.append(Step(screenshot_name(self.episode_id, number), action))
        name = name_at(nodes, at, self.size) if at is not None else ""
        self.captured.append(CapturedStep(self.episode_id, number, png.getvalue(), at, name))

    def tap(self, at: Pixel) -> None:
        self.add(Click(to_grid(at, self.size)), at)

    def finish(self) -> list[CapturedStep]:
        self.add(Complete())
        first = self.records[0].frame.size
        task = TaskInfo(
            "General_Tool", ("Settings",), "Look around in {}.", "Look around.", "Look around on the phone."
        )
        episode = Episode(self.episode_id, DeviceInfo(self.device, first), task, tuple(self.steps))
        write_episode(self.root / annotation_path(self.episode_id), episode)
        write_provenance(self.root, provenance_of(self.episode_id, self.records))
        return self.captured


def _input(action: Action, at: Pixel | None) -> StrokeRecord | KeyRecord | TextRecord | None:
    match action:
        case Click() | LongPress() if at is not None:
            return StrokeRecord(samples=((at.x, at.y, 0),), duration_us=10)
        case Press(key):
            return KeyRecord(key=key.value)
        case Type(text):
            return TextRecord(text=text)
        case Scroll(start, end):
            return StrokeRecord(samples=((start.x, start.y, 0), (end.x, end.y, 9)), duration_us=9)
        case _:
            return None


def look_around(
    root: Path, episode_id: str, steps: int, *, device: str = "small_phone", rotation: int = 0
) -> list[CapturedStep]:
    """An episode of `steps` steps and its end: taps on changing elements, and one action of every other type."""
    with person_with(half_as_dense(profile_named(device))) as person:
        phone = person.phone
        phone.set_rotation(rotation)
        recording = EpisodeRecording(root, episode_id, device, phone)
        others: list[Action] = [UP, Press(SystemKey.BACK), Type("sour cherries"), Press(SystemKey.HOME)]
        packages = [one.package for one in phone.packages()]
        while len(recording.steps) < steps:
            number = len(recording.steps)
            if number % 4 == 3 and others:
                recording.add(others.pop(0))
                continue
            if number % 6 == 5 or not list(recording.taps()):
                phone.start_activity(packages[number % len(packages)])
            places = list(recording.taps())
            at = places[number * 5 % len(places)]
            recording.tap(at)
            phone.touch(TouchPhase.DOWN, at.x, at.y)
            phone.touch(TouchPhase.UP, at.x, at.y)
        return recording.finish()
