"""Collects the evidence from the files of one episode, in any state."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from odyssey_recorder.checking.evidence import EpisodeEvidence, StepEvidence
from odyssey_recorder.checking.image_metrics import ImageMetrics
from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.dataset.layout import EpisodeFiles, read_dataset_file
from odyssey_recorder.dataset.lenient import Breach, LenientEpisode, Rule, read_leniently
from odyssey_recorder.dataset.plain_json import shown
from odyssey_recorder.dataset.provenance import EpisodeProvenance, StepRecord, read_provenance
from odyssey_recorder.device.view_hierarchy import ViewNode, parse
from odyssey_recorder.errors import DatasetError, DeviceError, MissingFileError, showable
from odyssey_recorder.files import Largest
from odyssey_recorder.model.episode import screenshot_name
from odyssey_recorder.review.review_file import REVIEW_FORM
from odyssey_recorder.review.status import effective_fixes


def read_annotation(annotation: Path) -> LenientEpisode:
    """Read leniently; the id is that in its other files' names. Raises DatasetError if nothing can be read."""
    data = read_dataset_file(annotation, Largest.ANNOTATION)
    episode = read_leniently(data, source=showable(annotation.name))
    name = EpisodeFiles.of(annotation, episode.episode_id).episode_id
    if name == episode.episode_id:
        return episode
    words = f"episode_id is {shown(episode.episode_id)}; expected {name}, as the file is named"
    breaches = (Breach(Rule.FORM, None, words), *episode.breaches)
    return replace(episode, episode_id=name, breaches=breaches, strict=None)


def collect(
    files: EpisodeFiles, episode: LenientEpisode, metrics: ImageMetrics, beside: Sequence[str]
) -> EpisodeEvidence:
    """The evidence of an episode; `beside` are the names of all screenshots with its id."""
    provenance, problem = _provenance(files, episode)
    measured = list(metrics.measure_in_turn(files.screenshot(step) for step in range(len(episode.steps))))
    changes = [*(change for _, change in measured[1:]), None]
    steps = []
    for number, spelled in enumerate(episode.steps):
        record = None if provenance is None else provenance.steps[number]
        views, no_views = _views(files, number, record)
        steps.append(StepEvidence(number, spelled, measured[number][0], changes[number], record, views, no_views))
    own = {screenshot_name(files.episode_id, step) for step in range(len(steps))}
    surplus = tuple(name for name in beside if name not in own)
    return EpisodeEvidence(episode, tuple(steps), provenance, problem, _amendments(files), surplus)


def _provenance(files: EpisodeFiles, episode: LenientEpisode) -> tuple[EpisodeProvenance | None, str]:
    """The provenance of an episode, or why it cannot be used; neither if there is no file."""
    if files.provenance is None:
        return None, ""
    try:
        provenance = read_provenance(files.provenance)
    except DatasetError as error:
        return None, str(error)
    if provenance is None:
        is_lost = files.provenance.parent.is_dir() and _has_ui_trees(files, len(episode.steps))
        return None, f"{files.provenance.name} is missing, although there are view hierarchies." if is_lost else ""
    if provenance.episode_id != episode.episode_id:
        return None, f"{files.provenance.name} is the provenance of another episode."
    if len(provenance.steps) != len(episode.steps):
        steps = f"it has {len(provenance.steps)} steps, the episode {len(episode.steps)}"
        return None, f"{files.provenance.name} is not the provenance of this episode: {steps}."
    return provenance, ""


def _has_ui_trees(files: EpisodeFiles, steps: int) -> bool:
    return any(tree is not None and tree.is_file() for tree in map(files.ui_tree, range(steps)))


def _amendments(files: EpisodeFiles) -> tuple[Amendment, ...]:
    """The amendments that led to the present annotation; all effective ones if its revision is unknown."""
    if files.review is None:
        return ()
    try:
        data = read_dataset_file(files.review, Largest.REVIEWS)
        revision = hashlib.sha256(read_dataset_file(files.annotation, Largest.ANNOTATION)).hexdigest()
    except DatasetError:
        return ()
    fixes = effective_fixes(REVIEW_FORM.read(data, episode_id=files.episode_id, source=files.review.name).fixes)
    revisions = [*(fix.before for fix in fixes[:1]), *(fix.after for fix in fixes)]
    shown = max((count for count, known in enumerate(revisions) if known == revision), default=len(fixes))
    return tuple(fix.amendment for fix in fixes[:shown] if fix.amendment is not None)


def _views(files: EpisodeFiles, number: int, record: StepRecord | None) -> tuple[tuple[ViewNode, ...] | None, str]:
    path = files.ui_tree(number)
    if path is None:
        return None, "a single episode file has no view hierarchies"
    try:
        return parse(read_dataset_file(path, Largest.TREE).decode(errors="replace")), ""
    except MissingFileError:
        promised = record is not None and record.ui_tree is not None
        absent = "" if record is None else record.ui_tree_absent
        return None, "its file is missing" if promised else absent or "none was stored"
    except (DatasetError, DeviceError) as error:
        return None, str(error)
