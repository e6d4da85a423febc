"""Collecting evidence from files in any state."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from odyssey_recorder.checking.check_cache import Cache, CodeHashes, Inspection
from odyssey_recorder.checking.collect import collect, read_annotation
from odyssey_recorder.checking.compared_episode import ComparedEpisodes, facts_as_json, facts_of
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.checking.image_metrics import ImageMetrics
from odyssey_recorder.dataset.file_stamps import ScreenshotNames
from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import Largest
from tests.checking.folders import (
    FIRST,
    SECOND,
    SIZE,
    THIRD,
    edit,
    png,
    screen,
    write_dataset,
    write_provenance,
    write_single_episode,
)

NO_CACHE = Cache(None, CodeHashes("", ""))


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    with closing(Cache(tmp_path / "cache.sqlite", CodeHashes("measures", "checks"))) as cache:
        yield cache


def save_and_reopen(cache: Cache, metrics: ImageMetrics) -> ImageMetrics:
    cache.keep(Path("any"), Inspection("", "", 0, "", ""), metrics.measured)
    return ImageMetrics(cache)


def collect_evidence(
    annotation: Path, metrics: ImageMetrics | None = None, names: Sequence[str] = ()
) -> EpisodeEvidence:
    episode = read_annotation(annotation)
    files = EpisodeFiles(annotation, episode.episode_id)
    return collect(files, episode, metrics or ImageMetrics(NO_CACHE), names)


def overwrite_silently(path: Path) -> None:
    """Change bytes of a file, but not its size and time."""
    known = path.stat()
    with path.open("r+b") as file:
        file.write(bytes(known.st_size))
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))


def test_dataset_episode_is_collected_with_all_its_files(tmp_path: Path) -> None:
    evidence = collect_evidence(write_dataset(tmp_path, FIRST)[0])
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


def test_released_episode_has_only_screenshots(tmp_path: Path) -> None:
    evidence = collect_evidence(write_single_episode(tmp_path, FIRST, [png(screen(1)), png(screen(1)), png(screen(2))]))
    assert (evidence.provenance, evidence.provenance_problem) == (None, "")
    assert [step.screenshot is not None for step in evidence.steps] == [True, True, True]
    assert evidence.steps[0].change == 0.0
    assert evidence.steps[0].no_views == "a single episode file has no view hierarchies"


def test_missing_screenshot_is_none_and_unusable_one_has_a_problem(tmp_path: Path) -> None:
    annotation = write_single_episode(tmp_path, FIRST, [png(screen(1)), b"", b"", b"", png(screen(3))])
    screenshots = [tmp_path / f"{FIRST}_{number}.png" for number in range(5)]
    screenshots[2].unlink()
    os.mkfifo(screenshots[2])
    os.truncate(screenshots[3], Largest.SCREENSHOT + 1)
    screenshots[4].unlink()
    steps = collect_evidence(annotation).steps
    assert [step.change for step in steps] == [None] * 5
    assert steps[4].screenshot is None
    whole, empty, pipe, huge = (step.screenshot.problem for step in steps if step.screenshot is not None)
    assert (whole, empty) == ("", "the file is empty")
    assert f"{FIRST}_2.png cannot be read: it is a named pipe, not a file." in pipe
    assert "it is larger than the limit of 64 MiB" in huge


def test_annotation_cannot_reference_screenshots_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "secret_0.png").write_bytes(png(screen(9)))
    (tmp_path / "within").mkdir()
    annotation = tmp_path / "within" / "episode.json"
    annotation.write_text('{"episode_id": "../secret", "steps": [{"step": 0, "screenshot": "../secret_0.png"}]}')
    evidence = collect_evidence(annotation)
    assert evidence.episode.episode_id == "episode"
    assert evidence.steps[0].screenshot is None


def test_file_name_determines_the_episode_id(tmp_path: Path) -> None:
    annotation, _ = write_dataset(tmp_path, FIRST, SECOND)
    edit(annotation, episode_id=SECOND)
    evidence = collect_evidence(annotation)
    assert evidence.episode.episode_id == FIRST
    assert evidence.episode.strict is None
    assert f"episode_id is '{SECOND}'; expected {FIRST}" in evidence.episode.breaches[0].message


def test_new_files_without_a_step_are_surplus(tmp_path: Path) -> None:
    annotation, _ = write_dataset(tmp_path, FIRST, SECOND)
    names = ScreenshotNames(tmp_path / "screenshots")
    assert collect_evidence(annotation, names=names.of(FIRST)).surplus == ()
    for name in (f"{FIRST}_3.png", f"{FIRST}_01.png", f"{FIRST}_1.png.part"):
        (tmp_path / "screenshots" / name).write_bytes(b"")
    surplus = collect_evidence(annotation, names=names.of(FIRST)).surplus
    assert surplus == (f"{FIRST}_01.png", f"{FIRST}_1.png.part", f"{FIRST}_3.png")
    assert ScreenshotNames(tmp_path / "nowhere").of(FIRST) == ()


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda provenance: provenance.write_text("{"), "is not a provenance file"),
        (lambda provenance: write_provenance(provenance.parent.parent, FIRST, 2), "it has 2 steps, the episode 3"),
        (lambda provenance: edit(provenance, episode_id=SECOND), "is the provenance of another episode"),
        (lambda provenance: edit(provenance, format=99), "newer"),
        (lambda provenance: (provenance.unlink(), provenance.mkdir()), "it is a folder, not a file"),
    ],
)
def test_invalid_provenance_is_ignored_with_a_reason(
    tmp_path: Path, damage: Callable[[Path], object], expected: str
) -> None:
    (annotation,) = write_dataset(tmp_path, FIRST)
    damage(tmp_path / "provenance" / f"{FIRST}.json")
    evidence = collect_evidence(annotation)
    assert (evidence.provenance, evidence.steps[0].record) == (None, None)
    assert expected in evidence.provenance_problem


def test_unusable_view_hierarchy_has_a_reason(tmp_path: Path) -> None:
    (annotation,) = write_dataset(tmp_path, FIRST)
    (tmp_path / "ui_trees" / f"{FIRST}_0.xml").unlink()
    (tmp_path / "ui_trees" / f"{FIRST}_1.xml").write_text('<!DOCTYPE x [<!ENTITY y "z">]><hierarchy/>')
    (tmp_path / "ui_trees" / f"{FIRST}_2.xml").write_text("no tree")
    steps = collect_evidence(annotation).steps
    assert [step.views for step in steps] == [None, None, None]
    assert steps[0].no_views == "its file is missing"
    assert "it defines XML entities" in steps[1].no_views
    assert "cannot be read" in steps[2].no_views


def test_unreadable_annotation_is_rejected(tmp_path: Path) -> None:
    annotation = tmp_path / f"{FIRST}.json"
    annotation.write_bytes(b"\xff{")
    with pytest.raises(DatasetError, match=FIRST):
        read_annotation(annotation)
    os.truncate(annotation, Largest.ANNOTATION + 1)
    with pytest.raises(DatasetError, match="larger than the limit of 8 MiB"):
        read_annotation(annotation)


def test_only_changed_screenshots_are_opened_again(tmp_path: Path, cache: Cache) -> None:
    annotation = write_single_episode(tmp_path, FIRST, [png(screen(number)) for number in range(3)])
    metrics = ImageMetrics(cache)
    first = collect_evidence(annotation, metrics)
    for number in range(3):
        overwrite_silently(tmp_path / f"{FIRST}_{number}.png")
    again = save_and_reopen(cache, metrics)
    assert collect_evidence(annotation, again).steps == first.steps
    assert not any((again.measured.files, again.measured.screenshots, again.measured.changes))
    changed = tmp_path / f"{FIRST}_2.png"
    changed.write_bytes(png(screen(1)))
    once_more = save_and_reopen(cache, metrics)
    steps = collect_evidence(annotation, once_more).steps
    assert (steps[0].change, steps[1].change) == (first.steps[0].change, 0.0)
    assert list(once_more.measured.files) == [str(changed)]


def test_screenshot_is_recognized_by_its_content(tmp_path: Path, cache: Cache) -> None:
    screenshots = [png(screen(number)) for number in range(3)]
    metrics = ImageMetrics(cache)
    first = collect_evidence(write_single_episode(tmp_path / "here", FIRST, screenshots), metrics)
    elsewhere = save_and_reopen(cache, metrics)
    assert (
        collect_evidence(write_single_episode(tmp_path / "there", THIRD, screenshots), elsewhere).steps[0].change
        == first.steps[0].change
    )
    assert len(elsewhere.measured.files) == 3
    assert (elsewhere.measured.screenshots, elsewhere.measured.changes) == ({}, {})


def test_facts_are_sorted_by_episode_id(tmp_path: Path) -> None:
    source = ComparedEpisodes()
    for annotation in write_dataset(tmp_path, SECOND, THIRD, FIRST):
        facts = facts_of(collect_evidence(annotation))
        source.put(facts.episode_id, facts_as_json(facts))
    first, second, third = source()
    assert [first.episode_id, second.episode_id, third.episode_id] == [FIRST, SECOND, THIRD]
    assert (first.annotator, first.device, first.apps) == ("Ada", "Medium Phone", ("Notes", "Clock"))
    assert first.actions == ("CLICK 203, 300", "CLICK 305, 300", "COMPLETE")
    assert len(set(first.screenshots)) == 3
    assert len(list(source())) == len(list(source())) == 3
