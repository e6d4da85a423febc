"""A copy of an episode in its own dataset, and operations that damage its files."""

import hashlib
import io
import json
import os
import random
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from odyssey_recorder.model.geometry import Point, Size, to_pixel

JsonObject = dict[str, Any]
"""A JSON object of any form, as damage may change anything."""


@dataclass(frozen=True, slots=True)
class ExpectedFinding:
    """`step` is None for the whole episode; `episode_id` is empty for the dataset, None for the damaged episode."""

    check: str
    step: int | None = None
    episode_id: str | None = None


class DamagedEpisode:
    """One episode with its files. Its screenshots are shared with the clean one until they are replaced."""

    def __init__(self, clean: Path, root: Path, episode_id: str, rng: random.Random) -> None:
        self.root = root
        self.rng = rng
        self.episode_id = f"{rng.randrange(10**16):016}"
        self._copy(clean, episode_id)
        self.annotation: JsonObject = json.loads(self._path("annotations").read_text(encoding="utf-8"))
        self.provenance: JsonObject = json.loads(self._path("provenance").read_text(encoding="utf-8"))

    def save(self) -> None:
        self._write("annotations", self.annotation)
        if self.provenance:
            self._write("provenance", self.provenance)

    def drop_recorded_files(self) -> None:
        self.provenance = {}
        shutil.rmtree(self.root / "provenance")
        shutil.rmtree(self.root / "ui_trees")

    # Access.

    @property
    def steps(self) -> list[JsonObject]:
        steps: list[JsonObject] = self.annotation["steps"]
        return steps

    @property
    def records(self) -> list[JsonObject]:
        records: list[JsonObject] = self.provenance["steps"]
        return records

    @property
    def task(self) -> JsonObject:
        task: JsonObject = self.annotation["task_info"]
        return task

    def random_step(self, *, where: Callable[[int], bool] = lambda step: True, but_last: int = 1) -> int:
        return self.rng.choice([step for step in range(len(self.steps) - but_last) if where(step)])

    def is_touch(self, step: int) -> bool:
        """Whether the step is a CLICK at a position, with a known box."""
        spelled = self.steps[step]
        return spelled["action"] == "CLICK" and isinstance(spelled["info"], list) and bool(self.records[step]["bbox"])

    def is_touch_in_app(self, step: int) -> bool:
        """Whether a touch, but not one on the launcher, which an episode may show several times."""
        return self.is_touch(step) and "launcher" not in self.records[step]["screen"]["package"]

    def is_key(self, step: int, key: str) -> bool:
        return bool(self.steps[step]["info"] == f"KEY_{key}")

    def is_action(self, step: int, action: str) -> bool:
        return bool(self.steps[step]["action"] == action)

    # Screenshots.

    def screenshot(self, step: int) -> Path:
        return self.root / "screenshots" / f"{self.episode_id}_{step}.png"

    def tree(self, step: int) -> Path:
        return self.root / "ui_trees" / f"{self.episode_id}_{step}.xml"

    def image(self, step: int) -> Image.Image:
        with Image.open(self.screenshot(step)) as image:
            return image.convert("RGB")

    def replace_file(self, step: int, data: bytes) -> None:
        """Replace the file but not its hash in the provenance."""
        self.screenshot(step).unlink()
        self.screenshot(step).write_bytes(data)

    def replace_screenshot(self, step: int, image: Image.Image) -> None:
        file = io.BytesIO()
        image.save(file, "PNG", compress_level=1)
        self.replace_file(step, file.getvalue())
        frame = self.records[step]["frame"]
        frame["png_sha256"] = hashlib.sha256(file.getvalue()).hexdigest()
        frame["rgb_sha256"] = hashlib.sha256(image.tobytes()).hexdigest()
        frame["width"], frame["height"] = image.size

    def repeat_screenshot(self, step: int, other: int) -> None:
        """Copy another step's screenshot file and hash, as if the recorder had taken it twice."""
        self.replace_file(step, self.screenshot(other).read_bytes())
        for name in ("png_sha256", "rgb_sha256", "width", "height"):
            self.records[step]["frame"][name] = self.records[other]["frame"][name]

    # Steps.

    def set_action(self, step: int, action: str, info: object = "", ps: str = "") -> None:
        self.steps[step].update(action=action, info=info, ps=ps)

    def move_press_in_annotation(self, step: int, x: int, y: int) -> None:
        """Move a press to another grid point, in the annotation only."""
        self.set_action(step, self.steps[step]["action"], [[x, y], [x, y]], f"[({x}, {y})]")

    def move_press(self, step: int, x: int, y: int) -> None:
        self.move_press_in_annotation(step, x, y)
        self._set_stroke(step, Point(x, y))

    def set_scroll(self, step: int, start: tuple[int, int], end: tuple[int, int]) -> None:
        self.set_action(step, "SCROLL", [[*start], [*end]], f"[{start}, {end}]")
        self._set_stroke(step, Point(*start), Point(*end))

    def set_text(self, step: int, text: str) -> None:
        self.set_action(step, "TYPE", text)
        self.records[step]["input"]["text"] = text

    def set_impossible(self, reason: str) -> None:
        self.set_action(-1, "IMPOSSIBLE", ps=reason)
        self.records[-1]["end"].update(action="IMPOSSIBLE", words=reason)

    def _set_stroke(self, step: int, *path: Point) -> None:
        frame, stroke = self.records[step]["frame"], self.records[step]["input"]
        pixels = [to_pixel(point, Size(frame["width"], frame["height"])) for point in path]
        stroke["samples"] = [[at.x, at.y, 100_000 * number] for number, at in enumerate(pixels)]

    def replace_text_in_views(self, step: int, old: str, text: str) -> None:
        for tree in filter(Path.exists, map(self.tree, range(step + 1, len(self.steps)))):
            xml = tree.read_text(encoding="utf-8")
            tree.write_text(xml.replace(f'text="{old}"', f'text="{text}"'), encoding="utf-8")

    def arrange_steps(self, order: Iterable[int]) -> None:
        """Keep these steps, in this order, possibly repeated, with all of their files."""
        chosen = list(order)
        files = [(self._bytes(self.screenshot(step)), self._bytes(self.tree(step))) for step in chosen]
        for folder, ending in (("screenshots", "png"), ("ui_trees", "xml")):
            for path in (self.root / folder).glob(f"{self.episode_id}_*.{ending}"):
                path.unlink()
        self.annotation["steps"] = [json.loads(json.dumps(self.steps[step])) for step in chosen]
        self.provenance["steps"] = [json.loads(json.dumps(self.records[step])) for step in chosen]
        self.annotation["step_length"] = len(chosen)
        for number, (screenshot, tree) in enumerate(files):
            self.screenshot(number).write_bytes(screenshot)
            self.steps[number].update(step=number, screenshot=self.screenshot(number).name)
            if tree:
                self.tree(number).write_bytes(tree)
                self.records[number]["ui_tree"] = self.tree(number).name

    @staticmethod
    def _bytes(path: Path) -> bytes:
        return path.read_bytes() if path.exists() else b""

    def _write(self, folder: str, tree: JsonObject) -> None:
        self._path(folder).write_text(json.dumps(tree, indent=1, ensure_ascii=False), encoding="utf-8")

    def _path(self, folder: str) -> Path:
        return self.root / folder / f"{self.episode_id}.json"

    def _copy(self, clean: Path, episode_id: str) -> None:
        for folder in ("annotations", "screenshots", "provenance", "ui_trees"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
            for path in (clean / folder).glob(f"{episode_id}*"):
                copy = self.root / folder / path.name.replace(episode_id, self.episode_id)
                if path.suffix == ".png":
                    os.link(path, copy)
                elif path.suffix == ".json":
                    copy.write_text(path.read_text(encoding="utf-8").replace(episode_id, self.episode_id), "utf-8")
                else:
                    shutil.copy(path, copy)
