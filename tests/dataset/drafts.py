"""Drafts for tests: a store in a folder, and steps with real screenshots."""

import errno
import hashlib
import io
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from odyssey_recorder.dataset.change_journal import Change
from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.dataset.provenance import FORMAT, EpisodeProvenance, FrameRecord, KeyRecord, Origin, StepRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import Action, Complete, Press, SystemKey
from odyssey_recorder.model.episode import DeviceInfo, Json, TaskInfo
from odyssey_recorder.model.geometry import Size

TASK = TaskInfo("General_Tool", ("Notes",), "Write {} down.", "Write milk down.", "Write milk down in Notes.")
DEVICE = DeviceInfo("Small Phone", Size(72, 128), "sdk_gphone64_x86_64", "15", "35")
HOME = Press(SystemKey.HOME)
ORIGIN = Origin(
    recorder_version="1", mode="mirror", actor="annotator", annotator="ann", task_id="", serial="emulator-5554",
    model="Small Phone", fingerprint="google/sdk", avd_name="Small", density=160,
)  # fmt: skip


def other_flag(text: str) -> Json:
    """A flag without a code of its own, as it is stored."""
    return {"code": "other", "text": text}


def store_in(folder: Path) -> EpisodeStore:
    return EpisodeStore(folder / "dataset", drafts=folder / "drafts")


def begin(store: EpisodeStore) -> Draft:
    return store.create_draft(task=TASK, device=DEVICE, origin=ORIGIN)


def png(shade: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (72, 128), (shade, shade, shade)).save(buffer, "PNG")
    return buffer.getvalue()


def record(data: bytes) -> StepRecord:
    rgb = Image.open(io.BytesIO(data)).convert("RGB").tobytes()
    frame = FrameRecord(
        number=7, source="screencap", started_us=1, arrived_us=2, settled=True, width=72, height=128,
        png_sha256=hashlib.sha256(data).hexdigest(), rgb_sha256=hashlib.sha256(rgb).hexdigest(),
    )  # fmt: skip
    return StepRecord(frame=frame, check=None, touched_us=3, input=KeyRecord(key="HOME"))


def provenance_of(episode_id: str, steps: Sequence[StepRecord] = (), **origin: str | int) -> EpisodeProvenance:
    """Provenance whose origin differs from `ORIGIN` in the given fields."""
    created = ORIGIN.model_copy(update=origin)
    return EpisodeProvenance(
        format=FORMAT,
        episode_id=episode_id,
        origin=created,
        started_us=0,
        published_us=1,
        steps=tuple(steps),
        dropped=(),
    )


def write_provenance(root: Path, provenance: EpisodeProvenance) -> Path:
    (root / "provenance").mkdir(parents=True, exist_ok=True)
    path = root / "provenance" / f"{provenance.episode_id}.json"
    path.write_text(provenance.model_dump_json())
    return path


def add_step(draft: Draft, action: Action = HOME, *, shade: int = 9) -> int:
    data = png(shade)
    return draft.add_step(action, draft.keep_screenshot(data), record(data))


def read_only(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Make creating files in `folder` fail, as on a read-only disk."""
    create = tempfile.TemporaryFile

    def fail_in_folder(dir: Path) -> object:
        if dir == folder:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return create(dir=dir)

    monkeypatch.setattr(tempfile, "TemporaryFile", fail_in_folder)


def complete_draft(store: EpisodeStore) -> Draft:
    draft = begin(store)
    add_step(draft, shade=1)
    add_step(draft, Complete("done"), shade=2)
    return draft


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def fail_to_record(change: Change) -> None:
    """A record of changes that cannot be written."""
    raise DatasetError(f"The change of {change.episode_id} cannot be recorded.")
