"""An export before it is written: its episodes, its splits, and what its card says."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from odyssey_recorder.annotation.released_texts import missing_texts
from odyssey_recorder.curation.redaction import read_redaction
from odyssey_recorder.dataset.codec import read_annotation
from odyssey_recorder.dataset.episode_row import read_row
from odyssey_recorder.dataset.layout import SCREENSHOTS, SPLITS, split_path
from odyssey_recorder.errors import CancelledError, DatasetError
from odyssey_recorder.exporting.card import About, own_section
from odyssey_recorder.exporting.episodes import lacks_texts, read_exported
from odyssey_recorder.exporting.export_plan import TRAINERS, Options, Planned
from odyssey_recorder.exporting.job import ExportRequest, sides_of
from odyssey_recorder.exporting.trainers import Survey
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.splits.drawing import Split
from odyssey_recorder.splits.files import read_split, split_as_json, split_names


@dataclass(frozen=True, slots=True)
class ExportWanted:
    """`like` None: as the second release if every step has its texts, else as the first."""

    root: Path
    out: Path
    layout: str
    options: Options = field(default_factory=Options)
    like: Literal["v1", "v2"] | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """`left_out` says for each episode that is not exported why, `limits` what a consumer will miss."""

    request: ExportRequest
    episodes: Sequence[Planned]
    left_out: Sequence[str]
    limits: Sequence[str]


def prepare(
    wanted: ExportWanted,
    files: Sequence[Path],
    refuse: Callable[[Path], str],
    cancelled: Callable[[], bool] = lambda: False,
) -> Prepared:
    """Read the annotation `files` that are not refused. Raises DatasetError, CancelledError."""
    left_out: list[str] = []
    episodes: list[Planned] = []
    lacking, texts = 0, wanted.options.texts
    survey = Survey(wanted.root, wanted.layout, wanted.options) if wanted.layout in TRAINERS else None
    splits = _splits(wanted.root)
    sides = sides_of(splits)

    def chosen() -> Iterator[Episode]:
        """One at a time: all episodes of a large dataset take as much memory as all else."""
        nonlocal lacking
        for file in files:
            if cancelled():
                raise CancelledError("The export was cancelled.")
            why = refuse(file) or _unredacted(file) or missing_texts(wanted.root, file.stem, texts)
            if why := why or ("" if survey is None else survey.refusal(file.stem)):
                left_out.append(why)
                continue
            episode = read_annotation(file)
            episodes.append(_planned(wanted.root, episode, sides.get(episode.episode_id, {})))
            lacking += texts == "none" and lacks_texts(episode)
            yield episode

    about = about_of(wanted.root, chosen(), ())
    like, limits = _likeness(wanted, lacking)
    if survey is not None:
        survey.refuse_nothing()
        about, limits = replace(about, figures=(*about.figures, survey.figure)), (*limits, *survey.limits)
    about = replace(about, limits=(*limits, *counted_reasons(len(left_out))))
    ids = frozenset(episode.episode_id for episode in episodes)
    names = {Path(split_path(split.kind)).name: split_as_json(_of(split, ids)) for split in splits}
    options = replace(wanted.options, like=like)
    request = ExportRequest(wanted.root, wanted.out, wanted.layout, options, names, about)
    return Prepared(request, episodes, left_out, limits)


def _splits(root: Path) -> list[Split]:
    names, _ = split_names(root / SPLITS)
    return [read_split(root / SPLITS / name) for name in names]


def _of(split: Split, ids: frozenset[str]) -> Split:
    train, test = (tuple(filter(ids.__contains__, part)) for part in (split.train, split.test))
    return Split(split.kind, train, test)


def _planned(root: Path, episode: Episode, sides: dict[str, str]) -> Planned:
    try:
        size = sum((root / SCREENSHOTS / step.screenshot).stat().st_size for step in episode.steps)
    except OSError as error:
        raise DatasetError(f"{episode.episode_id}: {error.filename} cannot be read: {error.strerror}.") from error
    return Planned(episode.episode_id, size, sides)


def _likeness(wanted: ExportWanted, lacking: int) -> tuple[Literal["v1", "v2"], tuple[str, ...]]:
    """Which release the annotations follow, and what a consumer will miss."""
    if wanted.layout != "release" or not lacking:
        return wanted.like if wanted.layout == "release" and wanted.like else "v2", ()
    words = f"{counted(lacking, 'episode')} without low_level_instruction in every step"
    if wanted.like == "v2":
        return "v2", (f"{words}: the converter of the second release stops there. Use --like v1.",)
    return "v1", (f"{words}: written as in the first release, without texts and boxes.",)


def about_of(root: Path, chosen: Iterable[Episode], limits: tuple[str, ...]) -> About:
    categories, devices = Counter[str](), Counter[str]()
    steps, last = 0, "1970-01-01"
    for episode in chosen:
        categories[episode.task.category] += 1
        devices[episode.device.device_name] += 1
        steps += len(episode.steps)
        dated = read_row(root, episode.episode_id)
        if dated is not None and dated.recorded_at is not None:
            last = max(last, dated.recorded_at.date().isoformat())
    return About(
        name=root.resolve().name,
        episodes=categories.total(),
        steps=steps,
        published=last,
        figures=(f"Categories: {_counts(categories)}", f"Devices: {_counts(devices)}"),
        limits=limits,
        own=own_section(root),
    )


def counted_reasons(count: int) -> tuple[str, ...]:
    return (f"{counted(count, 'episode')} of the dataset left out: not accepted, or with errors.",) if count else ()


def _unredacted(annotation: Path) -> str:
    """Why the redaction of an episode cannot be applied; empty if it can, or if there is none."""
    root = annotation.parent.parent
    try:
        redaction = read_redaction(root, annotation.stem)
        if redaction is not None:
            exported = read_exported(root, annotation.stem)
            for step in {box.step for box in redaction.boxes}:
                exported.screenshot(step)
    except DatasetError as error:
        return str(error)
    return ""


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
