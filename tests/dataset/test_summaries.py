import json
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import EpisodeSummary, open_damaged, summarise
from tests.dataset.drafts import provenance_of
from tests.episodes import ALL_KINDS, ID, episode

OTHER = "0000000000000009"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("annotations", "provenance"):
        (tmp_path / name).mkdir()
    write_episode(tmp_path / "annotations" / f"{ID}.json", episode())
    return tmp_path


def read(root: Path, episode_id: str = ID) -> EpisodeSummary:
    summary = summarise(root, episode_id)
    assert summary is not None
    return summary


def test_summary_of_an_annotation(root: Path) -> None:
    assert read(root) == EpisodeSummary(
        ID, "Use Chrome to look up the weather in Beijing.", "Information_Management", "Small Phone",
        len(ALL_KINDS), template=episode().task.meta_task,
        revision=sha256((root / annotation_path(ID)).read_bytes()).hexdigest(),
    )  # fmt: skip


def test_annotator_and_time_come_from_the_provenance(root: Path) -> None:
    provenance = {
        "origin": provenance_of(ID).origin.model_dump(mode="json"),
        "started_us": 1_700_000_000_000_000,
        "steps": "unread",
    }
    (root / "provenance" / f"{ID}.json").write_text(json.dumps(provenance))
    assert (read(root).annotator, read(root).recorded_at) == ("ann", datetime.fromtimestamp(1_700_000_000, UTC))


@pytest.mark.parametrize(
    "provenance",
    ["{", "[]", json.dumps({"origin": provenance_of(ID).origin.model_dump(mode="json"), "started_us": 10**400})],
)
def test_unreadable_provenance_does_not_hide_the_episode(root: Path, provenance: str) -> None:
    (root / "provenance" / f"{ID}.json").write_text(provenance)
    assert (read(root).annotator, read(root).recorded_at, read(root).problem) == ("", None, "")


def test_invalid_annotation_has_a_problem(root: Path) -> None:
    (root / "annotations" / f"{OTHER}.json").write_text('{"episode_id": 7}')
    broken = read(root, OTHER)
    assert broken.episode_id == OTHER
    assert "episode_id is 7" in broken.problem


def test_annotation_of_another_episode_has_a_problem(root: Path) -> None:
    write_episode(root / "annotations" / f"{OTHER}.json", episode())
    assert f"contains episode {ID}" in read(root, OTHER).problem


def test_deleted_episode_has_no_summary(root: Path) -> None:
    assert summarise(root, OTHER) is None


def test_damaged_episode_can_be_opened(root: Path) -> None:
    annotation = root / annotation_path(ID)
    opened = open_damaged(annotation)
    assert (opened.episode, opened.files.annotation) == (episode(), annotation)
    assert (opened.provenance, opened.problem, opened.damage) == (None, "", "")
    (root / "provenance" / f"{ID}.json").write_text("{")
    opened = open_damaged(annotation)
    assert (opened.episode, opened.provenance) == (episode(), None)
    assert "is not a provenance file" in opened.problem
    annotation.write_text("{}")
    assert "episode_id is missing" in open_damaged(annotation).damage
