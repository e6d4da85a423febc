"""Damages across episodes: screenshots and texts of another one, and exported folders."""

import hashlib
import json
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PIL import ImageChops

from odyssey_recorder.dataset.codec import Dialect
from odyssey_recorder.dataset.convert import convert
from tests.quality.damaged.damage import name_of
from tests.quality.damaged.spoilt_words import give_words
from tests.quality.damaged.wreck import Planted, Wreck

ERRANDS = ("candle", "library", "balloons", "dark")
"""The episodes of a set, in order: no two of them show the same page, which would be the same screenshot."""


class Shelf:
    def __init__(self, clean: Path, root: Path, ids: list[str], rng: random.Random) -> None:
        self.root = root
        self._again = partial(Wreck, clean, root, ids[0], rng)
        self.wrecks = [Wreck(clean, root, episode_id, rng) for episode_id in ids]

    def first_once_more(self) -> Wreck:
        self.wrecks.append(self._again())
        return self.wrecks[-1]

    def export(self) -> None:
        for wreck in self.wrecks:
            give_words(wreck)
            wreck.save()
        respelled = self.root.with_name(f"{self.root.name}-respelled")
        convert(self.root, respelled, Dialect.RELEASE)
        for folder in ("annotations", "provenance", "ui_trees"):
            shutil.rmtree(self.root / folder)
        (respelled / "annotations").rename(self.root / "annotations")
        respelled.rmdir()
        self.write_lists()
        self.write_manifest()

    def write_lists(self) -> None:
        names = [f"{wreck.episode_id}.json" for wreck in self.wrecks]
        rows = [{"episode_id": one.episode_id, "step_length": len(one.steps)} for one in self.wrecks]
        (self.root / "all_anno.json").write_text(json.dumps(rows))
        (self.root / "splits").mkdir()
        (self.root / "splits" / "random_split.json").write_text(json.dumps({"train": names[:-1], "test": names[-1:]}))

    def write_manifest(self) -> None:
        (self.root / "SHA256SUMS").unlink(missing_ok=True)
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        sums = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(self.root)}\n" for path in files)
        (self.root / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")


SpoilSet = Callable[[Shelf], tuple[Planted, ...] | Planted | None]


@dataclass(frozen=True, slots=True)
class SetDamage:
    name: str
    spoil: SpoilSet
    exported: bool = False

    def do(self, source: Shelf) -> tuple[Planted, ...]:
        if self.exported:
            source.export()
            planted = self.spoil(source)
        else:
            planted = self.spoil(source)
            for wreck in source.wrecks:
                wreck.save()
        return (planted,) if isinstance(planted, Planted) else planted or ()


SET_DAMAGES: list[SetDamage] = []


def _damage(*, exported: bool = False) -> Callable[[SpoilSet], SpoilSet]:
    def put(spoil: SpoilSet) -> SpoilSet:
        SET_DAMAGES.append(SetDamage(name_of(spoil), spoil, exported))
        return spoil

    return put


def _of(wreck: Wreck, check: str, step: int | None = None) -> Planted:
    return Planted(check, step, wreck.episode_id)


@_damage()
def clean(source: Shelf) -> None:
    """A clean dataset, with its lists and splits."""
    source.write_lists()


@_damage()
def foreign_screenshot(source: Shelf) -> tuple[Planted, ...]:
    """A screenshot is that of another episode."""
    mine, other = source.wrecks[:2]
    step, foreign = 3, 2
    mine.put_file(step, other.screenshot(foreign).read_bytes())
    for name in ("png_sha256", "rgb_sha256"):
        mine.records[step]["frame"][name] = other.records[foreign]["frame"][name]
    return _of(mine, "IMG06", step), _of(other, "IMG06", foreign)


@_damage()
def said_twice(source: Shelf) -> tuple[Planted, ...]:
    """Two episodes have the same instruction, but for capitals."""
    one, other = source.wrecks[0], source.wrecks[3]
    words = f"{one.task['instruction']} {other.task['instruction']}"
    one.task["instruction"], other.task["instruction"] = words, words.upper()
    one.task["app"] = other.task["app"] = ["Shop", "Notes", "Settings", "Clock"]
    return _of(one, "INS04"), _of(other, "INS04"), _of(one, "EPI01"), _of(other, "EPI01")


@_damage()
def done_again(source: Shelf) -> tuple[Planted, ...]:
    """A task was done twice on one device, with the finger a little aside, at another time of the day."""
    again = source.first_once_more()
    for step, spelled in enumerate(again.steps):
        image = again.image(step)
        image.paste(ImageChops.offset(image.crop((0, 0, image.width, 48)), 5, 0), (0, 0))
        again.put_screenshot(step, image)
        if again.is_touch(step):
            x, y = spelled["info"][0]
            again.put_place(step, x + 4, y + 3)
    again.task["instruction"] = "Please write the full name of the cedar and fig candle from Shop into Notes."
    return _of(source.wrecks[0], "EPI05"), _of(again, "EPI05")


@_damage(exported=True)
def clean_export(source: Shelf) -> None:
    """A clean exported folder."""


@_damage(exported=True)
def changed_after_export(source: Shelf) -> Planted:
    """A picture of an exported folder was changed: it is whole, and not what the manifest says."""
    wreck = source.wrecks[0]
    wreck.put_screenshot(2, ImageChops.offset(wreck.image(2), 0, 9))
    return Planted("EXP01", None, "")


@_damage(exported=True)
def screenshot_left_behind(source: Shelf) -> tuple[Planted, ...]:
    """A picture of an exported folder is missing, and its manifest knows of none."""
    source.wrecks[0].screenshot(2).unlink()
    source.write_manifest()
    return Planted("EXP01", None, ""), _of(source.wrecks[0], "IMG01", 2)
