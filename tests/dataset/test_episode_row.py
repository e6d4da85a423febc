import json
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.episode_row import EpisodeRow, read_row
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import open_damaged
from odyssey_recorder.model.geometry import Size
from tests.dataset.drafts import provenance_of
from tests.episodes import ALL_KINDS, ID, episode

OTHER = "0000000000000009"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("annotations", "provenance"):
        (tmp_path / name).mkdir()
    write_episode(tmp_path / "annotations" / f"{ID}.json", episode())
    return tmp_path


def read(root: Path, episode_id: str = ID) -> EpisodeRow:
    row = read_row(root, episode_id)
    assert row is not None
    return row


def row_of_the_annotation(root: Path, **changes: Any) -> EpisodeRow:
    row = EpisodeRow(
        ID, "Use Chrome to look up the weather in Beijing.", "Information_Management", "Small Phone",
        len(ALL_KINDS), template=episode().task.meta_task, apps=("Chrome", "Google Docs"), size=Size(720, 1280),
        revision=sha256((root / annotation_path(ID)).read_bytes()).hexdigest(), ending="complete",
    )  # fmt: skip
    return replace(row, **changes)


def test_row_of_an_annotation(root: Path) -> None:
    assert read(root) == row_of_the_annotation(root)


def test_row_of_a_damaged_annotation_has_what_can_be_read(root: Path) -> None:
    annotation = root / annotation_path(ID)
    annotation.write_bytes(annotation.read_bytes().replace(b'"step": 1,', b'"step": 7,'))
    damaged = read(root)
    assert "step is 7" in damaged.problem
    assert damaged == row_of_the_annotation(root, problem=damaged.problem, ending="")


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


def test_deleted_episode_has_no_row(root: Path) -> None:
    assert read_row(root, OTHER) is None


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
