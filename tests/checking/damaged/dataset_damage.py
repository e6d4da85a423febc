"""Damages across episodes, and to exported folders."""

import hashlib
import json
import random
import shutil
from functools import partial
from pathlib import Path

from PIL import ImageChops

from odyssey_recorder.dataset.codec import Dialect
from odyssey_recorder.dataset.convert import convert
from tests.checking.damaged.damage import Apply, Damage, name_of
from tests.checking.damaged.damaged_episode import DamagedEpisode, ExpectedFinding
from tests.checking.damaged.text_damage import add_texts

DATASET_TASKS = ("candle", "library", "balloons")
"""The episodes of a dataset, in order. No two show the same page, which would be the same screenshot."""


class DamagedDataset:
    def __init__(self, clean: Path, root: Path, ids: list[str], rng: random.Random) -> None:
        self.root = root
        self._copy_first = partial(DamagedEpisode, clean, root, ids[0], rng)
        self.episodes = [DamagedEpisode(clean, root, episode_id, rng) for episode_id in ids]
        self._is_exported = False

    def save(self) -> None:
        if not self._is_exported:
            for episode in self.episodes:
                episode.save()

    def copy_first_again(self) -> DamagedEpisode:
        self.episodes.append(self._copy_first())
        return self.episodes[-1]

    def export(self) -> None:
        for episode in self.episodes:
            add_texts(episode)
        self.save()
        self._is_exported = True
        released = self.root.with_name(f"{self.root.name}-released")
        convert(self.root, released, Dialect.RELEASE)
        for folder in ("annotations", "provenance", "ui_trees"):
            shutil.rmtree(self.root / folder)
        (released / "annotations").rename(self.root / "annotations")
        released.rmdir()
        self.write_index_and_split()
        self.write_manifest()

    def write_index_and_split(self) -> None:
        names = [f"{episode.episode_id}.json" for episode in self.episodes]
        rows = [{"episode_id": one.episode_id, "step_length": len(one.steps)} for one in self.episodes]
        (self.root / "all_anno.json").write_text(json.dumps(rows))
        (self.root / "splits").mkdir()
        (self.root / "splits" / "random_split.json").write_text(json.dumps({"train": names[:-1], "test": names[-1:]}))

    def write_manifest(self) -> None:
        (self.root / "SHA256SUMS").unlink(missing_ok=True)
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        sums = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(self.root)}\n" for path in files)
        (self.root / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")


DATASET_DAMAGES: list[Damage[DamagedDataset]] = []


def _damage(apply: Apply[DamagedDataset]) -> Apply[DamagedDataset]:
    DATASET_DAMAGES.append(Damage(name_of(apply), apply))
    return apply


def _of(episode: DamagedEpisode, check: str, step: int | None = None) -> ExpectedFinding:
    return ExpectedFinding(check, step, episode.episode_id)


@_damage
def clean(dataset: DamagedDataset) -> None:
    """A clean dataset, with its lists and splits."""
    dataset.write_index_and_split()


@_damage
def screenshot_of_another_episode(dataset: DamagedDataset) -> tuple[ExpectedFinding, ...]:
    """A screenshot is that of another episode."""
    mine, other = dataset.episodes[:2]
    step, foreign = 3, 2
    mine.replace_file(step, other.screenshot(foreign).read_bytes())
    for name in ("png_sha256", "rgb_sha256"):
        mine.records[step]["frame"][name] = other.records[foreign]["frame"][name]
    return _of(mine, "IMG06", step), _of(other, "IMG06", foreign)


@_damage
def repeated_instruction(dataset: DamagedDataset) -> tuple[ExpectedFinding, ...]:
    """Two episodes have the same instruction, except for capitals."""
    one, other, _ = dataset.episodes
    words = f"{one.task['instruction']} {other.task['instruction']}"
    one.task["instruction"], other.task["instruction"] = words, words.upper()
    one.task["app"] = other.task["app"] = ["Shop", "Notes", "Mail", "Calendar"]
    return _of(one, "INS04"), _of(other, "INS04"), _of(one, "EPI01"), _of(other, "EPI01")


@_damage
def repeated_task(dataset: DamagedDataset) -> tuple[ExpectedFinding, ...]:
    """A task was done twice on one device, with slightly different touches, at another time of day."""
    again = dataset.copy_first_again()
    for step, spelled in enumerate(again.steps):
        image = again.image(step)
        image.paste(ImageChops.offset(image.crop((0, 0, image.width, 48)), 5, 0), (0, 0))
        again.replace_screenshot(step, image)
        if again.is_touch(step):
            x, y = spelled["info"][0]
            again.move_press(step, x + 4, y + 3)
    again.task["instruction"] = "Please write the full name of the cedar and fig candle from Shop into Notes."
    return _of(dataset.episodes[0], "EPI05"), _of(again, "EPI05")


@_damage
def clean_export(dataset: DamagedDataset) -> None:
    """A clean exported folder."""
    dataset.export()


@_damage
def screenshot_changed_after_export(dataset: DamagedDataset) -> ExpectedFinding:
    """A screenshot of an exported folder is intact, but not the one in the manifest."""
    dataset.export()
    episode = dataset.episodes[0]
    episode.replace_screenshot(2, ImageChops.offset(episode.image(2), 0, 9))
    return ExpectedFinding("EXP01", None, "")


@_damage
def screenshot_missing_from_export(dataset: DamagedDataset) -> tuple[ExpectedFinding, ...]:
    """A screenshot of an exported folder and its line in the manifest are missing."""
    dataset.export()
    dataset.episodes[0].screenshot(2).unlink()
    dataset.write_manifest()
    return ExpectedFinding("EXP01", None, ""), _of(dataset.episodes[0], "IMG01", 2)
