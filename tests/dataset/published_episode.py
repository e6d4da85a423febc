"""A published episode for tests, with provenance, view hierarchies, and screenshots that all differ."""

import json
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.dataset.codec import Dialect, encode
from odyssey_recorder.dataset.provenance import EpisodeProvenance, StrokeRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.model.action import Action, Click, Complete, LongPress, Press, SystemKey, Type
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.geometry import Point
from tests.dataset.drafts import begin, png, record, store_in
from tests.episodes import episode

ACTIONS: tuple[Action, ...] = (
    Click(Point(500, 500)),
    Type("milk"),
    LongPress(Point(100, 900)),
    Press(SystemKey.BACK),
    Complete("done"),
)


@dataclass(frozen=True)
class PublishedEpisode:
    root: Path
    episode_id: str

    def files(self) -> dict[str, bytes]:
        paths = (path for path in self.root.rglob("*") if path.is_file())
        named = ((path.relative_to(self.root), path) for path in paths)
        return {str(name): path.read_bytes() for name, path in named if name.parts[:2] != ("reviews", "history")}

    def path(self, folder: str, suffix: str = ".json") -> Path:
        return self.root / folder / f"{self.episode_id}{suffix}"

    def annotation(self) -> bytes | None:
        path = self.path("annotations")
        return path.read_bytes() if path.exists() else None

    def load(self) -> Episode:
        return store_of(self).load(self.episode_id)

    def provenance(self) -> EpisodeProvenance:
        provenance = store_of(self).provenance(self.episode_id)
        assert provenance is not None
        return provenance

    def screenshot(self, step: int) -> bytes:
        return self.path("screenshots", f"_{step}.png").read_bytes()

    def tree(self, step: int) -> str | None:
        path = self.path("ui_trees", f"_{step}.xml")
        return path.read_text() if path.exists() else None


def recorded(folder: Path, actions: tuple[Action, ...] = ACTIONS) -> PublishedEpisode:
    """An episode as the recorder publishes it, with view hierarchies for the steps 0, 2, ..."""
    store = store_in(folder)
    draft = begin(store)
    for number, action in enumerate(actions):
        screenshot = png(number * 20)
        known = record(screenshot).model_copy(update={"input": _stroke(action)})
        tree = draft.keep_tree(f"<hierarchy step='{number}'/>") if number % 2 == 0 else None
        draft.add_step(action, draft.keep_screenshot(screenshot), known.model_copy(update={"ui_tree": tree}))
    return PublishedEpisode(store.root, store.publish(draft).stem)


def released(folder: Path, actions: tuple[Action, ...] = ACTIONS) -> PublishedEpisode:
    """An episode without provenance, as in the published data: keys of the second release, and an empty box."""
    root = folder / "released"
    steps = json.loads(encode(episode(*actions), Dialect.RELEASE))
    for number, step in enumerate(steps["steps"]):
        step |= {"description": f"screen {number}", "intention": f"intent {number}", "sam2_bbox": []}
    for name in ("annotations", "screenshots"):
        (root / name).mkdir(parents=True)
    episode_id = steps["episode_id"]
    (root / "annotations" / f"{episode_id}.json").write_text(json.dumps(steps, indent=4) + "\n")
    for number in range(len(actions)):
        (root / "screenshots" / f"{episode_id}_{number}.png").write_bytes(png(number * 20))
    return PublishedEpisode(root, episode_id)


def store_of(published: PublishedEpisode) -> EpisodeStore:
    return EpisodeStore(published.root, drafts=published.root.parent / "drafts")


def _stroke(action: Action) -> StrokeRecord | None:
    match action:
        case Click(point) | LongPress(point):
            return StrokeRecord(samples=((point.x * 72 // 1000, point.y * 128 // 1000, 0),), duration_us=80_000)
        case _:
            return None
