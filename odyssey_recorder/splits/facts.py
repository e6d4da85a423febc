"""What the splits need to know of each episode, and how it is read from a dataset folder."""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from odyssey_recorder.dataset.layout import (
    PROVENANCE,
    annotation_path,
    episode_ids,
    provenance_path,
    read_dataset_file,
    screenshot_path,
)
from odyssey_recorder.dataset.lenient import LenientEpisode, read_loosely
from odyssey_recorder.dataset.provenance import read_provenance_head
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import Largest, open_file
from odyssey_recorder.model.action import Press, SystemKey


@dataclass(frozen=True, slots=True)
class SplitFacts:
    """One episode; what is unknown is empty.

    `session` is one annotator's day on one device. `sha256` is that of the annotation file, `contents` that of the file
    without the id, equal for an episode and its copy under another one. `pictures` are the SHA-256 of the screenshots
    in order, empty if missing, and none at all if they were not read; `entrances` are the steps that show the home
    screen or where the recording began.
    """

    episode_id: str
    category: str
    device: str
    apps: tuple[str, ...]
    meta_task: str
    task: str
    instruction: str
    annotator: str = ""
    session: str = ""
    sha256: str = ""
    contents: str = ""
    pictures: tuple[str, ...] = ()
    entrances: frozenset[int] = frozenset()

    @property
    def app_keys(self) -> frozenset[str]:
        return frozenset(map(app_key, self.apps))

    @property
    def take(self) -> str:
        """Equal for all takes of a task: the same words with the same apps; empty if there are no words."""
        words = words_of(self.task or self.instruction)
        return f"{words}|{','.join(sorted(self.app_keys))}" if words else ""


@lru_cache(maxsize=4096)
def app_key(name: str) -> str:
    """Equal for spellings of one app; the released data have Setting for Settings."""
    return "".join(letter for letter in name.casefold() if letter.isalnum()).removesuffix("s") or name


def words_of(text: str) -> str:
    """The text without case and punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def fingerprint(facts: Iterable[SplitFacts]) -> str:
    """The SHA-256 of all ids and annotations: what a draw depends on, and a little more."""
    lines = sorted(f"{one.episode_id} {one.sha256}\n" for one in facts)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def read_facts(
    root: Path,
    *,
    without: Collection[str] = (),
    with_screenshots: bool = False,
    on_read: Callable[[int, int], object] = lambda _done, _count: None,
) -> list[SplitFacts]:
    """The facts of all episodes but those `without`, sorted by id; `on_read` gets how many are done, of how many.

    Raises DatasetError, also if there is no episode, or if one cannot be read.
    """
    ids = sorted(episode_ids(root).difference(without))
    if not ids:
        raise DatasetError(f"{root} has no episodes: expected a dataset folder with annotations/<id>.json.")
    has_provenance = (root / PROVENANCE).is_dir()
    facts = []
    for done, episode_id in enumerate(ids, start=1):
        facts.append(_read(root, episode_id, has_provenance=has_provenance, with_screenshots=with_screenshots))
        on_read(done, len(ids))
    return facts


def _read(root: Path, episode_id: str, *, has_provenance: bool, with_screenshots: bool) -> SplitFacts:
    path = root / annotation_path(episode_id)
    data = read_dataset_file(path, Largest.ANNOTATION)
    episode = read_loosely(data, source=str(path))
    annotator, session = _origin(root / provenance_path(episode_id)) if has_provenance else ("", "")
    task, device = episode.task, episode.device
    return SplitFacts(
        episode_id,
        task.category.strip(),
        "" if device is None else device.device_name.strip(),
        task.apps,
        task.meta_task.strip(),
        task.task,
        task.instruction,
        annotator,
        session,
        hashlib.sha256(data).hexdigest(),
        hashlib.sha256(data.replace(episode_id.encode(), b"")).hexdigest(),
        tuple(_pictures(root, episode_id, len(episode.steps))) if with_screenshots else (),
        frozenset(_entrances(episode)),
    )


def _origin(path: Path) -> tuple[str, str]:
    with suppress(DatasetError, ValueError, OverflowError):  # `check` reports damaged provenance
        if (head := read_provenance_head(path)) is not None:
            day = datetime.fromtimestamp(head.started_us / 1_000_000, UTC).date()
            return head.origin.annotator, f"{head.origin.annotator}, {head.origin.serial}, {day}"
    return "", ""


def _pictures(root: Path, episode_id: str, steps: int) -> Iterator[str]:
    for step in range(steps):
        try:
            with open_file(root / screenshot_path(episode_id, step), Largest.PICTURE, within=root) as file:
                yield hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            yield ""


def _entrances(episode: LenientEpisode) -> Iterator[int]:
    yield 0
    for number, step in enumerate(episode.steps):
        if step.action == Press(SystemKey.HOME):
            yield number + 1
