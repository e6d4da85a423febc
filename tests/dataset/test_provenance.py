import json
from collections.abc import Callable
from pathlib import Path

import pytest

from odyssey_recorder.dataset.provenance import FORMAT, read_provenance
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import Complete
from tests.dataset.drafts import DEVICE, ORIGIN, TASK, add_step, complete_draft


@pytest.fixture
def path(store: EpisodeStore) -> Path:
    annotation = store.publish(complete_draft(store))
    return store.root / "provenance" / annotation.name


def test_provenance_of_a_passive_recording(store: EpisodeStore) -> None:
    origin = ORIGIN.model_copy(update={"mode": "passive"})
    draft = store.create_draft(task=TASK, device=DEVICE, origin=origin)
    add_step(draft)
    add_step(draft, Complete("done"))
    draft.amend_last({"age_us": 12, "clock_offset_us": -3, "clock_uncertainty_us": 40})
    records = tuple(step.record for step in draft.steps)
    store.publish(draft)
    provenance = store.provenance(draft.episode_id)
    assert provenance is not None
    assert (provenance.origin, provenance.steps, provenance.dropped) == (origin, records, ())
    assert draft.started_us == provenance.started_us <= provenance.published_us
    last = provenance.steps[-1]
    assert (last.age_us, last.clock_offset_us, last.clock_uncertainty_us) == (12, -3, 40)


@pytest.fixture
def change(path: Path) -> Callable[..., int]:
    """Changes keys of the proof at `path`."""
    return lambda **keys: path.write_text(json.dumps({**json.loads(path.read_text()), **keys}))


def test_unknown_keys_are_ignored_but_a_newer_format_is_rejected(path: Path, change: Callable[..., int]) -> None:
    change(mood="good")
    assert read_provenance(path) is not None
    change(format=FORMAT + 1)
    with pytest.raises(DatasetError, match=r"newer version of Odyssey Recorder\. Update this one"):
        read_provenance(path)


@pytest.mark.parametrize("flags", [[], ["nothing changed on the screen"]])
def test_file_from_before_the_first_release_is_rejected(
    path: Path, change: Callable[..., int], flags: list[str]
) -> None:
    steps = json.loads(path.read_text())["steps"]
    change(format=FORMAT - 1, steps=[{**step, "flags": flags} for step in steps])
    with pytest.raises(DatasetError, match=rf"{path.name} was written before the first release .* \(format 1\)"):
        read_provenance(path)


@pytest.mark.parametrize("text", ["", "{}", "[", "\0"])
def test_invalid_provenance_file_is_named(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(DatasetError, match=f"{path.name} is not a provenance file"):
        read_provenance(path)


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z"])
def test_time_outside_the_supported_range_is_rejected(path: Path, at: str) -> None:
    tree = json.loads(path.read_text())
    call = {"prompt": "p/1", "model_asked": "m", "model_answered": "m", "host": "h", "at": at}
    making = {"text": {"writer": "model", "call": {**call, "tokens_in": 1, "tokens_out": 1}}}
    path.write_text(json.dumps({**tree, "origin": {**tree["origin"], "making": making}}))
    with pytest.raises(DatasetError, match="expected a time from"):
        read_provenance(path)


@pytest.mark.parametrize("key", ["started_us", "published_us"])
def test_timestamp_out_of_range_is_rejected_by_name(path: Path, change: Callable[..., int], key: str) -> None:
    change(**{key: 10**400})
    with pytest.raises(DatasetError, match=f"{path.name} is not a provenance file"):
        read_provenance(path)


def test_missing_provenance_is_none_and_an_unreadable_one_is_named(store: EpisodeStore, path: Path) -> None:
    path.unlink()
    assert store.provenance(path.stem) is None
    path.mkdir()
    with pytest.raises(DatasetError, match=f"{path.name} cannot be read"):
        read_provenance(path)
