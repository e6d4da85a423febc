"""Small datasets on disk, with given screenshots."""

import io
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from PIL import Image

from odyssey_recorder.checking.screenshot import ScreenshotView, measure
from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.provenance import EndRecord, FrameRecord, StepRecord, StrokeRecord
from odyssey_recorder.model.action import Action, Click, Complete
from odyssey_recorder.model.episode import DeviceInfo, Episode, Json, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import Pixel, Size, to_grid
from tests.dataset import drafts

SIZE = Size(108, 240)
FIRST, SECOND, THIRD = "0000000000000001", "0000000000000002", "0000000000000003"
TREE = (
    '<hierarchy rotation="0"><node class="android.widget.Button" package="org.notes" text="Save" clickable="true" '
    'bounds="[10,20][60,40]" /></hierarchy>'
)


def png(image: Image.Image, *, compress_level: int = 6) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=compress_level)
    return file.getvalue()


def view_of(image: Image.Image) -> ScreenshotView:
    screenshot, view = measure(png(image, compress_level=1))
    assert view is not None, screenshot.problem
    return view


def screen(number: int, size: Size = SIZE) -> Image.Image:
    image = Image.new("RGB", (size.width, size.height), "white")
    for row in range(8):
        for column in range(4):
            if (number * 2654435761 + 7) >> (row * 4 + column) & 1:
                left, top = column * size.width // 4, size.height // 8 * row
                image.paste((30, 60, 40 * row % 256), (left, top, left + size.width // 5, top + size.height // 10))
    return image


def write_single_episode(folder: Path, episode_id: str, screenshots: Sequence[bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return _write(folder, folder, episode_id, screenshots)


def write_dataset(root: Path, *episode_ids: str, steps: int = 3) -> list[Path]:
    """A dataset of clean episodes with provenance and view hierarchies; returns the annotation files."""
    for name in ("annotations", "screenshots", "provenance", "ui_trees"):
        (root / name).mkdir(parents=True, exist_ok=True)
    annotations = []
    for episode_id in episode_ids:
        screenshots = [png(screen(int(episode_id) * 100 + step)) for step in range(steps)]
        annotations.append(_write(root / "annotations", root / "screenshots", episode_id, screenshots))
        write_provenance(root, episode_id, steps)
        for step in range(steps):
            (root / "ui_trees" / f"{episode_id}_{step}.xml").write_text(TREE)
    return annotations


def write_provenance(root: Path, episode_id: str, steps: int) -> Path:
    records = [_record(root / "screenshots", episode_id, step, is_last=step == steps - 1) for step in range(steps)]
    return drafts.write_provenance(
        root, drafts.provenance_of(episode_id, records, actor="script", annotator="Ada", density=420)
    )


def edit(path: Path, **keys: Json) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | keys))


def _write(folder: Path, screenshot_folder: Path, episode_id: str, screenshots: Sequence[bytes]) -> Path:
    actions: list[Action] = [
        *(Click(to_grid(_touch_position(number), SIZE)) for number in range(len(screenshots) - 1)),
        Complete(),
    ]
    names = [screenshot_name(episode_id, number) for number in range(len(screenshots))]
    for name, screenshot in zip(names, screenshots, strict=True):
        (screenshot_folder / name).write_bytes(screenshot)
    task = TaskInfo(
        "General_Tool", ("Notes", "Clock"), "Write {}.", f"Write {episode_id}.", f"Write {episode_id}, please."
    )
    steps = tuple(Step(name, action) for name, action in zip(names, actions, strict=True))
    annotation = folder / f"{episode_id}.json"
    write_episode(annotation, Episode(episode_id, DeviceInfo("Medium Phone", SIZE), task, steps))
    return annotation


def _record(screenshots: Path, episode_id: str, step: int, *, is_last: bool) -> StepRecord:
    data = (screenshots / screenshot_name(episode_id, step)).read_bytes()
    frame = FrameRecord(
        number=step, source="adb", started_us=step * 3_000_000, arrived_us=step * 3_000_000 + 90_000, settled=True,
        width=SIZE.width, height=SIZE.height, png_sha256=sha256(data).hexdigest(), rgb_sha256="",
    )  # fmt: skip
    tree, touched_us = f"{episode_id}_{step}.xml", step * 3_000_000 + 1_000_000
    if is_last:
        end = EndRecord(action="COMPLETE", words="")
        return StepRecord(frame=frame, check=None, touched_us=touched_us, input=None, end=end, ui_tree=tree)
    at = _touch_position(step)
    stroke = StrokeRecord(samples=((at.x, at.y, 0),), duration_us=80_000)
    return StepRecord(frame=frame, check=None, touched_us=touched_us, input=stroke, ui_tree=tree)


def _touch_position(step: int) -> Pixel:
    return Pixel(22 + 11 * step, 72)
