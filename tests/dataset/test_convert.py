import json
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.dataset.codec import Dialect, encode, read_episode
from odyssey_recorder.dataset.convert import Conversion, convert
from odyssey_recorder.errors import DatasetError, InvalidEpisodeError
from odyssey_recorder.model.action import Complete, Type
from tests.dataset.drafts import files_in
from tests.dataset.published_episode import PublishedEpisode, released
from tests.episodes import DATA, RELEASED, episode

FIRST, SECOND = "0000000000000001", "0000000000000002"


def put(folder: Path, episode_id: str) -> Path:
    file = folder / "annotations" / f"{episode_id}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(encode(episode(Type("hi"), Complete(), episode_id=episode_id)))
    return file


def test_file_is_converted_to_a_file_or_into_a_folder(tmp_path: Path) -> None:
    source = put(tmp_path / "in", FIRST)
    done = convert(source, tmp_path / "out.json", Dialect.RELEASE)
    assert done == Conversion((tmp_path / "out.json",), ())
    assert b'"TEXT"' in (tmp_path / "out.json").read_bytes()
    assert read_episode(tmp_path / "out.json") == read_episode(source)
    assert convert(RELEASED, tmp_path, Dialect.CARD).written == (tmp_path / RELEASED.name,)
    assert b'"TYPE"' in (tmp_path / RELEASED.name).read_bytes()


def test_failed_conversion_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty" / "annotations").mkdir(parents=True)
    bad = DATA / "episodes" / "v1_0141544666483837.partial.json"
    with pytest.raises(InvalidEpisodeError, match="step_length is 13"):
        convert(bad, tmp_path / "out", Dialect.RELEASE)
    with pytest.raises(DatasetError, match=r"gone\.json cannot be read"):
        convert(tmp_path / "gone.json", tmp_path / "out", Dialect.RELEASE)
    for folder in (tmp_path, tmp_path / "empty"):
        with pytest.raises(DatasetError, match="is not a dataset folder"):
            convert(folder, tmp_path / "out", Dialect.RELEASE)
    assert not (tmp_path / "out").exists()


def test_annotations_of_a_dataset_are_converted(tmp_path: Path) -> None:
    for episode_id in (FIRST, SECOND):
        put(tmp_path / "in", episode_id)
    done = convert(tmp_path / "in", tmp_path / "out", Dialect.RELEASE)
    names = [f"annotations/{FIRST}.json", f"annotations/{SECOND}.json"]
    assert done == Conversion(tuple(tmp_path / "out" / name for name in names), ())
    assert files_in(tmp_path / "out") == set(names)


def test_invalid_files_are_named_and_the_others_converted(tmp_path: Path) -> None:
    put(tmp_path / "in", SECOND)
    annotations = tmp_path / "in" / "annotations"
    (annotations / f"{FIRST}.json").write_text("{")
    (annotations / "other name.json").write_bytes(encode(episode()))
    (annotations / "folder.json").mkdir()
    done = convert(tmp_path / "in", tmp_path / "out", Dialect.RELEASE)
    assert files_in(tmp_path / "out") == {f"annotations/{SECOND}.json"}
    broken, folder, other = done.failures
    assert broken.startswith(f"{FIRST}.json: line 1, column 2: ")
    assert "folder.json cannot be read" in folder
    assert other == "other name.json contains episode 0006223132449496; expected the one in its file name."


def test_conversion_never_overwrites_its_source(tmp_path: Path) -> None:
    source = put(tmp_path, FIRST)
    before = source.read_bytes()
    with pytest.raises(DatasetError, match="would overwrite itself"):
        convert(source, tmp_path / "annotations" / ".." / "annotations", Dialect.RELEASE)
    assert "would overwrite itself" in convert(tmp_path, tmp_path, Dialect.RELEASE).failures[0]
    assert source.read_bytes() == before


def test_second_run_replaces_files(tmp_path: Path) -> None:
    put(tmp_path / "in", FIRST)
    for dialect in (Dialect.CARD, Dialect.RELEASE):
        assert convert(tmp_path / "in", tmp_path / "out", dialect).failures == ()
    assert b'"TEXT"' in (tmp_path / "out" / "annotations" / f"{FIRST}.json").read_bytes()
    assert files_in(tmp_path / "out") == {f"annotations/{FIRST}.json"}


@pytest.mark.parametrize("place", ["elsewhere", "in"])
def test_episode_with_a_symlink_is_not_converted(tmp_path: Path, place: str) -> None:
    file = put(tmp_path / "in", FIRST)
    target = tmp_path / place / "kept"
    target.parent.mkdir(exist_ok=True)
    file.rename(target)
    file.symlink_to(target)
    done = convert(tmp_path / "in", tmp_path / "out", Dialect.RELEASE)
    assert done.written == ()
    assert f"{FIRST}.json was not used: it is a link." in done.failures[0]
    assert files_in(tmp_path / "out") == set()


def test_redacted_episode_is_not_converted(tmp_path: Path) -> None:
    file = put(tmp_path / "in", FIRST)
    put(tmp_path / "in", SECOND)
    (tmp_path / "in" / "redactions").mkdir()
    (tmp_path / "in" / "redactions" / file.name).write_text("{}")
    reason = f"{FIRST}.json has a redaction, which only `export` applies. Export the episode."
    assert convert(tmp_path / "in", tmp_path / "out", Dialect.RELEASE).failures == (reason,)
    assert files_in(tmp_path / "out") == {f"annotations/{SECOND}.json"}
    with pytest.raises(DatasetError, match="has a redaction"):
        convert(file, tmp_path / "one.json", Dialect.RELEASE)


# Boxes.


def boxes(source: Path, out: Path) -> list[Any]:
    """The boxes of a dataset's only episode after conversion to RELEASE; None for a step without the key."""
    (written,) = convert(source, out, Dialect.RELEASE).written
    return [step.get("sam2_bbox") for step in json.loads(written.read_bytes())["steps"]]


def set_provenance_box(published: PublishedEpisode, *box: int, source: str = "hierarchy") -> None:
    path = published.path("provenance")
    provenance = json.loads(path.read_bytes())
    provenance["steps"][0] |= {"bbox": box, "bbox_source": source}
    path.write_text(json.dumps(provenance))


def test_release_has_the_boxes_of_the_provenance(tmp_path: Path, published: PublishedEpisode) -> None:
    set_provenance_box(published, 30, 60, 45, 70)
    assert boxes(published.root, tmp_path / "out") == [[416, 468, 625, 547], [], [100, 900, 100, 900], [], []]
    card = convert(published.root, tmp_path / "card", Dialect.CARD).written[0]
    assert card.read_bytes() == published.annotation()


@pytest.mark.parametrize(("source", "kept"), [("hierarchy", [400, 400, 600, 600]), ("human", [416, 468, 625, 547])])
def test_box_that_a_person_drew_comes_before_the_one_in_the_file(
    tmp_path: Path, published: PublishedEpisode, source: str, kept: list[int]
) -> None:
    path = published.path("annotations")
    tree = json.loads(path.read_bytes())
    tree["steps"][0]["sam2_bbox"] = [400, 400, 600, 600]
    path.write_text(json.dumps(tree))
    set_provenance_box(published, 30, 60, 45, 70, source=source)
    assert boxes(published.root, tmp_path / "out")[0] == kept


@pytest.mark.parametrize("box", [(0, 0, 9, 9), (40, 70, 30, 60), (0, 0, 72, 128)])
def test_implausible_provenance_box_is_not_released(
    tmp_path: Path, published: PublishedEpisode, box: tuple[int, ...]
) -> None:
    set_provenance_box(published, *box)
    assert boxes(published.root, tmp_path / "out")[0] == [500, 500, 500, 500]


def test_empty_box_of_a_press_is_released_without_area(tmp_path: Path) -> None:
    assert boxes(released(tmp_path).root, tmp_path / "out") == [[500, 500, 500, 500], [], [100, 900, 100, 900], [], []]


def test_episode_without_boxes_and_provenance_gets_none(tmp_path: Path) -> None:
    put(tmp_path / "in", FIRST)
    assert boxes(tmp_path / "in", tmp_path / "out") == [None, None]


def test_episode_with_mismatched_provenance_is_not_converted(tmp_path: Path, published: PublishedEpisode) -> None:
    path = published.path("provenance")
    provenance = json.loads(path.read_bytes())
    path.write_text(json.dumps({**provenance, "steps": provenance["steps"][1:]}))
    done = convert(published.root, tmp_path / "out", Dialect.RELEASE)
    assert done.failures[0].startswith(f"The provenance of episode {published.episode_id} has 4 steps, the episode 5")
