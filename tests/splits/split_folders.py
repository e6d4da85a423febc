"""Dataset folders whose annotations say what given facts say."""

from collections.abc import Iterable
from pathlib import Path

from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.model.action import Action, Click, Complete, Press, SystemKey
from odyssey_recorder.model.episode import DeviceInfo, Episode, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.releases.folder import ReleaseRecord, splits_to_release, write_release
from odyssey_recorder.releases.manifest import ReleaseChanges
from odyssey_recorder.splits.episodes import SplitEpisode
from tests.splits.split_facts import facts

_APPS = ("Chrome", "Firefox", "Opera", "Gmail", "Outlook", "YouTube", "Vimeo", "TED")
EPISODES = [
    facts(
        number,
        apps=(_APPS[0 if number % 6 else number // 6 % 8],),
        device=f"Pixel {('Fold', 'Tablet')[not number % 5]}",
    )
    for number in range(48)
]
"""Every split can be made of them."""
ACTIONS: tuple[Action, ...] = (Click(Point(500, 500)), Press(SystemKey.HOME), Click(Point(20, 30)), Complete())


def write_episodes(root: Path, episodes: Iterable[SplitEpisode]) -> Path:
    """Without screenshots; returns `root`."""
    (root / "annotations").mkdir(parents=True, exist_ok=True)
    for one in episodes:
        steps = tuple(Step(screenshot_name(one.episode_id, step), action) for step, action in enumerate(ACTIONS))
        task = TaskInfo(one.category, one.apps, one.meta_task, one.task, one.instruction)
        episode = Episode(one.episode_id, DeviceInfo(one.device, Size(1080, 2400)), task, steps)
        write_episode(root / "annotations" / f"{one.episode_id}.json", episode)
    return root


def release_splits(root: Path) -> Path:
    """A release that has the dataset's splits, and knows of no episode; returns its folder."""
    _, files = splits_to_release(root)
    record = ReleaseRecord(
        name="1.0.0", number=1, episodes=0, steps=0, bytes=0, with_splits=True, changes=ReleaseChanges()
    )
    return write_release(root, record, files, {})


def write_screenshot(root: Path, episode_id: str, step: int, data: bytes) -> None:
    (root / "screenshots").mkdir(exist_ok=True)
    (root / "screenshots" / screenshot_name(episode_id, step)).write_bytes(data)
