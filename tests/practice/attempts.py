"""Practice episodes for tests: provenance of given steps, and published attempts."""

from collections.abc import Sequence
from pathlib import Path

from odyssey_recorder.dataset.codec import encode
from odyssey_recorder.dataset.provenance import FORMAT, EpisodeProvenance, StepRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.files import make_folder
from odyssey_recorder.model.action import Action
from tests.dataset.drafts import ORIGIN
from tests.episodes import ID, episode


def provenance(*steps: StepRecord, episode_id: str = ID) -> EpisodeProvenance:
    return EpisodeProvenance(
        format=FORMAT, episode_id=episode_id, origin=ORIGIN, started_us=0, published_us=1, steps=steps, dropped=()
    )


def publish(store: EpisodeStore, actions: Sequence[Action], records: Sequence[StepRecord], trees: Sequence[str]) -> str:
    """Put an episode with all its files into the store; return its id."""
    for name in ("annotations", "provenance", "ui_trees"):
        make_folder(store.root / name)
    files: dict[Path, bytes] = {
        store.root / "annotations" / f"{ID}.json": encode(episode(*actions)),
        store.root / "provenance" / f"{ID}.json": provenance(*records).model_dump_json().encode(),
        **{store.ui_tree_path(ID, number): tree.encode() for number, tree in enumerate(trees)},
    }
    for path, data in files.items():
        path.write_bytes(data)
    return ID
