"""Collecting evidence from files in any state."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import Largest
from odyssey_recorder.quality.cache import Cache, Editions, Inspection
from odyssey_recorder.quality.collect import collect, read_annotation
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.facts import FactsStore, facts_as_json, facts_of
from odyssey_recorder.quality.image_metrics import ImageMetrics
from odyssey_recorder.quality.sources import ScreenshotNames
from tests.quality.folders import (
    FIRST,
    SECOND,
    SIZE,
    THIRD,
    edit,
    png,
    screen,
    write_dataset,
    write_lone,
    write_provenance,
)

NOTHING = Cache(None, Editions("", ""))


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    with closing(Cache(tmp_path / "cache.sqlite", Editions("measures", "checks"))) as cache:
        yield cache


def remember(cache: Cache, metrics: ImageMetrics) -> ImageMetrics:
    cache.keep(Path("any"), Inspection("", "", 0, "", ""), metrics.measured)
    return ImageMetrics(cache)


def look(annotation: Path, metrics: ImageMetrics | None = None, beside: Sequence[str] = ()) -> EpisodeEvidence:
    episode = read_annotation(annotation)
    files = EpisodeFiles(annotation, episode.episode_id)
    return collect(files, episode, metrics or ImageMetrics(NOTHING), beside)


def spoil_in_place(path: Path) -> None:
    """Change bytes of a file, but not its size and time."""
    known = path.stat()
    with path.open("r+b") as file:
        file.write(bytes(known.st_size))
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))


def test_an_episode_of_a_dataset_comes_with_all_that_is_beside_it(tmp_path: Path) -> None:
    evidence = look(write_dataset(tmp_path, FIRST)[0])
    assert evidence.provenance is not None
    assert (evidence.episode.episode_id, evidence.provenance.origin.annotator, evidence.surplus) == (FIRST, "Ada", ())
    first, second, last = evidence.steps
    assert first.screenshot is not None
    assert (first.screenshot.problem, first.screenshot.size) == ("", SIZE)
    assert (first.record, second.record) == evidence.provenance.steps[:2]
    assert first.views is not None
    assert first.views[0].text == "Save"
    assert first.change is not None
    assert first.change > 0.01
    assert last.change is None


def test_released_data_have_screenshots_and_nothing_else(tmp_path: Path) -> None:
    evidence = look(write_lone(tmp_path, FIRST, [png(screen(1)), png(screen(1)), png(screen(2))]))
    assert (evidence.provenance, evidence.provenance_problem) == (None, "")
    assert [step.screenshot is not None for step in evidence.steps] == [True, True, True]
    assert evidence.steps[0].change == 0.0
    assert evidence.steps[0].no_views == "a single episode file has no view hierarchies"


def test_a_screenshot_that_is_not_there_is_none_and_one_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    annotation = write_lone(tmp_path, FIRST, [png(screen(1)), b"", b"", b"", png(screen(3))])
    screenshots = [tmp_path / f"{FIRST}_{number}.png" for number in range(5)]
    screenshots[2].unlink()
    os.mkfifo(screenshots[2])
    os.truncate(screenshots[3], Largest.SCREENSHOT + 1)
    screenshots[4].unlink()
    steps = look(annotation).steps
    assert [step.change for step in steps] == [None] * 5
    assert steps[4].screenshot is None
    whole, empty, pipe, huge = (step.screenshot.problem for step in steps if step.screenshot is not None)
    assert (whole, empty) == ("", "the file is empty")
    assert f"{FIRST}_2.png cannot be read: it is a named pipe, not a file." in pipe
    assert "it is larger than the limit of 64 MiB" in huge


def test_a_file_cannot_lead_to_screenshots_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "secret_0.png").write_bytes(png(screen(9)))
    (tmp_path / "within").mkdir()
    annotation = tmp_path / "within" / "episode.json"
    annotation.write_text('{"episode_id": "../secret", "steps": [{"step": 0, "screenshot": "../secret_0.png"}]}')
    evidence = look(annotation)
    assert evidence.episode.episode_id == "episode"
    assert evidence.steps[0].screenshot is None


def test_an_episode_is_known_by_the_name_of_its_file(tmp_path: Path) -> None:
    annotation, _ = write_dataset(tmp_path, FIRST, SECOND)
    edit(annotation, episode_id=SECOND)
    evidence = look(annotation)
    assert evidence.episode.episode_id == FIRST
    assert evidence.episode.strict is None
    assert f"episode_id is '{SECOND}'; expected {FIRST}" in evidence.episode.breaches[0].words


def test_files_that_no_step_has_are_surplus_and_a_folder_is_listed_again_once_it_has_changed(tmp_path: Path) -> None:
    annotation, _ = write_dataset(tmp_path, FIRST, SECOND)
    names = ScreenshotNames(tmp_path / "screenshots")
    assert look(annotation, beside=names.of(FIRST)).surplus == ()
    for name in (f"{FIRST}_3.png", f"{FIRST}_01.png", f"{FIRST}_1.png.part"):
        (tmp_path / "screenshots" / name).write_bytes(b"")
    surplus = look(annotation, beside=names.of(FIRST)).surplus
    assert surplus == (f"{FIRST}_01.png", f"{FIRST}_1.png.part", f"{FIRST}_3.png")
    assert ScreenshotNames(tmp_path / "nowhere").of(FIRST) == ()


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda provenance: provenance.write_text("{"), "is not a provenance file"),
        (lambda provenance: write_provenance(provenance.parent.parent, FIRST, 2), "it has 2 steps, the episode 3"),
        (lambda provenance: edit(provenance, episode_id=SECOND), "is the provenance of another episode"),
        (lambda provenance: edit(provenance, format=99), "newer"),
        (lambda provenance: (provenance.unlink(), provenance.mkdir()), "it is a folder, not a file"),
    ],
)
def test_a_provenance_that_cannot_be_believed_is_none_and_says_why(
    tmp_path: Path, spoil: object, expected: str
) -> None:
    (annotation,) = write_dataset(tmp_path, FIRST)
    assert callable(spoil)
    spoil(tmp_path / "provenance" / f"{FIRST}.json")
    evidence = look(annotation)
    assert (evidence.provenance, evidence.steps[0].record) == (None, None)
    assert expected in evidence.provenance_problem


def test_a_view_tree_that_cannot_be_had_says_why(tmp_path: Path) -> None:
    (annotation,) = write_dataset(tmp_path, FIRST)
    (tmp_path / "ui_trees" / f"{FIRST}_0.xml").unlink()
    (tmp_path / "ui_trees" / f"{FIRST}_1.xml").write_text('<!DOCTYPE x [<!ENTITY y "z">]><hierarchy/>')
    (tmp_path / "ui_trees" / f"{FIRST}_2.xml").write_text("no tree")
    steps = look(annotation).steps
    assert [step.views for step in steps] == [None, None, None]
    assert steps[0].no_views == "its file is missing"
    assert "it defines XML entities" in steps[1].no_views
    assert "cannot be read" in steps[2].no_views


def test_an_annotation_of_which_nothing_can_be_made_is_refused(tmp_path: Path) -> None:
    annotation = tmp_path / f"{FIRST}.json"
    with pytest.raises(DatasetError, match="file not found"):
        read_annotation(annotation)
    annotation.write_bytes(b"\xff{")
    with pytest.raises(DatasetError, match=FIRST):
        read_annotation(annotation)
    os.truncate(annotation, Largest.ANNOTATION + 1)
    with pytest.raises(DatasetError, match="larger than the limit of 8 MiB"):
        read_annotation(annotation)


def test_only_what_has_changed_is_even_opened_again(tmp_path: Path, cache: Cache) -> None:
    annotation = write_lone(tmp_path, FIRST, [png(screen(number)) for number in range(3)])
    metrics = ImageMetrics(cache)
    first = look(annotation, metrics)
    for number in range(3):
        spoil_in_place(tmp_path / f"{FIRST}_{number}.png")
    again = remember(cache, metrics)
    assert look(annotation, again).steps == first.steps
    assert not any((again.measured.files, again.measured.screenshots, again.measured.changes))
    changed = tmp_path / f"{FIRST}_2.png"
    changed.write_bytes(png(screen(1)))
    once_more = remember(cache, metrics)
    steps = look(annotation, once_more).steps
    assert (steps[0].change, steps[1].change) == (first.steps[0].change, 0.0)
    assert list(once_more.measured.files) == [str(changed)]


def test_a_screenshot_is_known_by_its_content_wherever_it_lies(tmp_path: Path, cache: Cache) -> None:
    screenshots = [png(screen(number)) for number in range(3)]
    metrics = ImageMetrics(cache)
    first = look(write_lone(tmp_path / "here", FIRST, screenshots), metrics)
    elsewhere = remember(cache, metrics)
    assert look(write_lone(tmp_path / "there", THIRD, screenshots), elsewhere).steps[0].change == first.steps[0].change
    assert len(elsewhere.measured.files) == 3
    assert (elsewhere.measured.screenshots, elsewhere.measured.changes) == ({}, {})


def test_the_facts_of_a_run_come_back_sorted_by_id(tmp_path: Path) -> None:
    source = FactsStore()
    for annotation in write_dataset(tmp_path, SECOND, THIRD, FIRST):
        facts = facts_of(look(annotation))
        source.put(facts.episode_id, facts_as_json(facts))
    first, second, third = source()
    assert [first.episode_id, second.episode_id, third.episode_id] == [FIRST, SECOND, THIRD]
    assert (first.annotator, first.device, first.apps) == ("Ada", "Medium Phone", ("Notes", "Clock"))
    assert first.actions == ("CLICK 203, 300", "CLICK 305, 300", "COMPLETE")
    assert len(set(first.screenshots)) == 3
    assert len(list(source())) == len(list(source())) == 3
