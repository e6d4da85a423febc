"""What the splits need to know of each episode, and how it is read from a dataset folder."""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from odyssey_recorder.dataset.layout import TEAM, episode_ids, screenshot_path
from odyssey_recorder.dataset.quick_reading import ReadEpisode, read_episodes
from odyssey_recorder.errors import DatasetError, TaskError
from odyssey_recorder.files import Largest, open_file
from odyssey_recorder.tasks.templates.team import load_team
from odyssey_recorder.tasks.templates.template import OTHER
from odyssey_recorder.tasks.templates.template_files import shipped_catalogues


@dataclass(frozen=True, slots=True)
class SplitEpisode:
    """One episode; what is unknown is empty.

    `session` is one annotator's day on one device. `sha256` is that of the annotation file, `contents` that of the file
    without the id, equal for an episode and its copy under another one. `screenshots` are the SHA-256 of their files
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
    screenshots: tuple[str, ...] = ()
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
    """Equal for the names of one app: its spellings, such as Setting, and its aliases in the shipped catalogues."""
    return _by_alias().get(_spelled(name), _spelled(name))


@cache
def _by_alias() -> Mapping[str, str]:
    apps = [app for catalogue in shipped_catalogues().values() for app in catalogue.apps]
    return {_spelled(alias): _spelled(app.name) for app in apps for alias in app.aliases}


def _spelled(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum()).removesuffix("s") or name


def app_classes(root: Path | None = None) -> Mapping[str, str]:
    """The class of each app by `app_key`: what the team of the dataset `root` says, then the shipped catalogues, of
    which android.yaml has the first word. Raises DatasetError if the team's file has faults.
    """
    catalogues = sorted(shipped_catalogues().values(), key=lambda catalogue: catalogue.name)
    classes = {app_key(app.name): app.app_class for catalogue in reversed(catalogues) for app in catalogue.apps}
    known = {OTHER, *classes.values()}
    try:
        team = load_team(None if root is None else root / TEAM)
    except TaskError as error:
        raise DatasetError(str(error)) from error
    classes |= {app_key(app.name): app.app_class for app in team.apps}
    for name, said in team.classes.items():
        found = said if said in known else classes.get(app_key(said))
        if found is None:
            raise DatasetError(
                f'{root}/{TEAM}: "{said}", said of {name}, is neither an app of the catalogue nor one of its classes: '
                f"{', '.join(sorted(known))}."
            )
        classes[app_key(name)] = found
    return classes


def words_of(text: str) -> str:
    """The text without case and punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def fingerprint(facts: Iterable[SplitEpisode]) -> str:
    """The SHA-256 of all ids and annotations: what a draw depends on, and a little more."""
    lines = sorted(f"{episode.episode_id} {episode.sha256}\n" for episode in facts)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def read_facts(  # noqa: PLR0913 - values by keyword, each with a plain default
    root: Path,
    *,
    without: Collection[str] = (),
    agents: bool = True,
    with_screenshots: bool = False,
    on_read: Callable[[int, int], object] = lambda _done, _count: None,
    on_unread: Callable[[str, str], object] = lambda _episode_id, _problem: None,
) -> list[SplitEpisode]:
    """The facts of all episodes but those `without`, and those by agents if not wanted, sorted by id.

    `on_read` gets how many are done, of how many; `on_unread` the id of each episode that is left out because it cannot
    be read or is by an agent, and why. Raises DatasetError, also if no episode is left.
    """
    ids = sorted(episode_ids(root).difference(without))
    facts, why = [], ""
    for done, episode in enumerate(read_episodes(root, ids), start=1):
        if problem := episode.contents.problem or ("" if agents else _by_agent(episode)):
            why = why or problem
            on_unread(episode.episode_id, problem)
        else:
            facts.append(_facts(root, episode, with_screenshots=with_screenshots))
        on_read(done, len(ids))
    if not facts and why:
        raise DatasetError(f"No episode of {root} can be used. The first: {why}")
    if not facts:
        raise DatasetError(f"{root} has no episodes: expected a dataset folder with annotations/<id>.json.")
    return facts


def _by_agent(episode: ReadEpisode) -> str:
    is_so = episode.origins is not None and episode.origins.origin.actor == "agent"
    return f"{episode.episode_id}.json is by an agent." if is_so else ""


def _facts(root: Path, episode: ReadEpisode, *, with_screenshots: bool) -> SplitEpisode:
    read, task = episode.contents, episode.contents.task
    session = ""
    if episode.origins is not None and episode.recorded_at is not None:
        session = f"{episode.annotator}, {episode.origins.origin.serial}, {episode.recorded_at.date()}"
    return SplitEpisode(
        episode.episode_id,
        task.category.strip(),
        read.device.strip(),
        task.apps,
        task.meta_task.strip(),
        task.task,
        task.instruction,
        episode.annotator,
        session,
        read.sha256,
        hashlib.sha256(episode.data.replace(episode.episode_id.encode(), b"")).hexdigest(),
        tuple(_screenshots(root, episode.episode_id, len(read.steps))) if with_screenshots else (),
        frozenset({0, *(number + 1 for number, step in enumerate(read.steps) if step[1] == "HOME")}),
    )


def _screenshots(root: Path, episode_id: str, steps: int) -> Iterator[str]:
    for step in range(steps):
        try:
            with open_file(root / screenshot_path(episode_id, step), Largest.SCREENSHOT, within=root) as file:
                yield hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            yield ""
