"""The Python API, `import odyssey_recorder as oro`: datasets as values, and simulated emulators.

Every error is an OdysseyError whose message says what to do. Nothing here changes a dataset, except a fix that was
interrupted, which `Dataset.export` settles. docs/python.md has examples.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from odyssey_recorder.annotation.released_texts import Texts
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset_index.filter import Filter, parse_filter
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.errors import DatasetError, DeviceError
from odyssey_recorder.evaluation.predictions import write_predictions
from odyssey_recorder.evaluation.protocols import PROTOCOLS, Name, ScoringTerms
from odyssey_recorder.evaluation.published import reference_results
from odyssey_recorder.exporting.export_plan import TRAINERS, Options, Sampling
from odyssey_recorder.exporting.layouts import LAYOUTS
from odyssey_recorder.figures.published import PUBLISHED, PublishedFigures
from odyssey_recorder.model.finding import EpisodeReport
from odyssey_recorder.review.review import Verdict
from odyssey_recorder.review.status import ReviewStage
from odyssey_recorder.services import episodes
from odyssey_recorder.services.evaluation import score_files
from odyssey_recorder.services.exports import ExportWanted, Prepared, prepare_export, read_step_rows, write_export
from odyssey_recorder.services.figures import CountedFigures, count_figures, figures_to_compare
from odyssey_recorder.services.reading import Episode, Step
from odyssey_recorder.services.reviewed_dataset import ReviewedDataset
from odyssey_recorder.services.splits import read_sides
from odyssey_recorder.splits.drawing import KINDS, Split, is_kind

if TYPE_CHECKING:
    from pandas import DataFrame

    from odyssey_recorder.evaluation.judged_steps import JudgedStep
    from odyssey_recorder.evaluation.report import Evaluation
    from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer

__all__ = [
    "Dataset", "Episode", "Review", "SimulatedEmulator", "Step",
    "open_dataset", "reference_results", "simulate", "write_predictions", "wrong_steps",
]  # fmt: skip


@dataclass(frozen=True)
class Review:
    """The stage of an episode, all verdicts ever given on it, oldest first, and why parts of its file are unread."""

    stage: ReviewStage
    verdicts: tuple[Verdict, ...]
    problems: tuple[str, ...] = ()


def open_dataset(path: str | PathLike[str], *, jobs: int = 1) -> "Dataset":
    """Open a dataset folder. Raises DatasetError if it is none.

    `jobs` is the number of processes of `Dataset.check`. With more than one, a script needs
    ``if __name__ == "__main__":``, as always with multiprocessing.
    """
    from odyssey_recorder.settings import checks_file
    from odyssey_recorder.wiring.user import checker_at, user_index

    checker = checker_at(checks_file(), jobs)
    dataset = Dataset(user_index(Path(path).expanduser(), checker), checker)
    try:
        episodes.refresh(dataset._index)
    except BaseException:
        dataset.close()
        raise
    return dataset


class Dataset:
    """A dataset folder, made by `open_dataset`. Close it, or use it in `with`; then its methods raise DatasetError.

    Each call reads the files that have changed since. A `filter` is in the language of docs/filters.md, such as
    "app:Chrome steps:>5"; a wrong one raises FilterError. Retired episodes are left out unless the filter has
    "is:retired", those by agents unless it has "is:agent" or `agents` is True.
    """

    def __init__(self, index: EpisodeIndex, checker: Checker) -> None:
        self.root = index.root
        self._open_index: EpisodeIndex | None = index
        self._reviews = ReviewedDataset(index, checker, str)

    def __repr__(self) -> str:
        return f"Dataset({str(self.root)!r})"

    def __enter__(self) -> "Dataset":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index; episodes that were read before stay usable."""
        if self._open_index is not None:
            self._open_index.close()
        self._open_index = None

    def episodes(self, filter: str = "", *, agents: bool = False) -> tuple[Episode, ...]:
        """Those that the filter selects, by id; damaged ones too, see `Episode.problem`."""
        return tuple(Episode.of(self.root, row) for row in self._index.rows(self._selected(filter, agents=agents)))

    def episode(self, id: str) -> Episode:
        """Any, retired or not. Raises DatasetError if there is none with this id."""
        return Episode.of(self.root, episodes.find(self._index, id))

    @property
    def splits(self) -> Mapping[str, Split]:
        """By kind, such as "random": the ids in `train` and `test`, without retired episodes; empty without splits."""
        return read_sides(self._index.root)

    @property
    def reviews(self) -> Mapping[str, Review]:
        """By id, of all episodes that are not retired."""
        rows = self._index.rows(self._selected("", agents=True))
        files = ((row, self._reviews.file(row.episode_id)) for row in rows)
        return {row.episode_id: Review(row.verdict, file.verdicts, file.problems) for row, file in files}

    def check(self) -> Mapping[str, EpisodeReport]:
        """Check what has changed, retired episodes too; returns what was found, by id."""
        episodes.refresh(self._index)
        return {report.episode_id: report for report in self._reviews.check_all()}

    def stats(self, against: str | PathLike[str] = "v2", *, filter: str = "", agents: bool = False) -> CountedFigures:
        """The figures of the paper as tables, beside the published ones ("v1", "v2") or those of another dataset."""
        wanted = parse_filter(filter)
        episodes.refresh(self._index)
        return count_figures(self._index, wanted, _published(against), agents=agents)

    def export(  # noqa: PLR0913 - what an export is made of
        self,
        folder: str | PathLike[str],
        *,
        layout: str,
        filter: str = "",
        agents: bool = False,
        only_ready: bool = True,
        like: Literal["v1", "v2"] | None = None,
        texts: Texts = "none",
        per_step: bool = False,
        samples: Sampling | None = None,
    ) -> Prepared:
        """Write the episodes into a new folder, in a layout of docs/datasets.md, such as "parquet" or "trl".

        `only_ready` leaves out what is not accepted or has errors. `samples` says how the layouts for trainers ask.
        `left_out` of the answer says which episodes were not exported and why, `limits` what its users will miss.
        After an interruption the same call continues. Raises DatasetError.
        """
        _expect("layout", layout, LAYOUTS)
        _expect("texts", texts, ("none", "accepted", "all"))
        _expect("like", like, (None, "v1", "v2"))
        options = Options(per_step=per_step, texts=texts, samples=samples or Sampling(TRAINERS.get(layout, "")))
        wanted = ExportWanted(self.root, Path(folder), layout, options, like)
        ids = self._index.ids(self._selected(filter, agents=agents))
        prepared = prepare_export(self._reviews, wanted, ids, only_ready=only_ready)
        write_export(prepared)
        return prepared

    def evaluate(  # noqa: PLR0913 - what a score depends on
        self,
        predictions: str | PathLike[str],
        *,
        protocol: Name = "official",
        split: str = "",
        filter: str = "",
        level: Literal["", "high", "low"] = "",
        against: str | PathLike[str] | None = None,
    ) -> "Evaluation":
        """Score a file of predictions, such as of `write_predictions`: `whole.ams` and `whole.sr` are in percent.

        With `split`, such as "random", its test part. `against` is the file of another model to compare with. Needs
        numpy. Raises DatasetError, also if nothing can be scored.
        """
        _expect("protocol", protocol, PROTOCOLS)
        _expect("split", "" if is_kind(split) else split, ("", *KINDS, "device_NAME"))
        _expect("level", level, ("", "high", "low"))
        other = None if against is None else Path(against)
        terms = ScoringTerms(str(self.root), str(predictions), protocol, split, level, filter)
        return score_files(self._index, terms, against=other).found

    def to_pandas(
        self, filter: str = "", *, agents: bool = False, per: Literal["step", "episode"] = "step"
    ) -> "DataFrame":
        """A row for each step, with the columns of exports and `path`, that of the screenshot; or for each episode,
        with the keys of ``list --json``.

        Steps are as exported: redacted, counted from 0, boxes and points on the grid 0..1000. Those of unreadable
        episodes are missing; `attrs["unread"]` of the result says why. Raises DatasetError without pandas.
        """
        _expect("per", per, ("step", "episode"))
        try:
            from pandas import DataFrame
        except ModuleNotFoundError as error:
            raise DatasetError("Data frames need pandas. Install it: pip install 'odyssey-recorder[pandas]'") from error
        rows = self._index.rows(self._selected(filter, agents=agents))
        if per == "episode":
            return DataFrame([episodes.row_as_json(row) for row in rows])
        steps, unread = read_step_rows(self.root, [row.episode_id for row in rows])
        frame = DataFrame(steps)
        frame.attrs["unread"] = unread
        return frame

    @property
    def _index(self) -> EpisodeIndex:
        if self._open_index is None:
            raise DatasetError(f"The dataset {self.root} is closed. Open it again with open_dataset.")
        return self._open_index

    def _selected(self, text: str, *, agents: bool) -> Filter:
        wanted = parse_filter(text)
        episodes.refresh(self._index)
        return episodes.selected(self._index, wanted, agents=agents).filter


def wrong_steps(scores: "Evaluation", most: int = 100) -> Sequence["JudgedStep"]:
    """At most `most` steps that the predictions got wrong, the worst first; `step` counts from 0."""
    from odyssey_recorder.evaluation.judged_steps import StepsWanted, judged_steps

    return judged_steps(scores.scored, scores.other, StepsWanted(), most)[0]


@dataclass(frozen=True)
class SimulatedEmulator:
    """A running simulated emulator. Only the adb server on `adb_port` knows it, and that server knows no other device:
    ``adb -P PORT -s SERIAL shell``, or the variable ANDROID_ADB_SERVER_PORT for other programs.
    """

    serial: str
    adb_port: int
    _server: "PrivateAdbServer" = field(repr=False, compare=False)

    def adb(self, *words: str) -> bytes:
        """What adb prints, such as of ``adb("shell", "input", "tap", "100", "200")`` (in pixels).

        Raises DeviceError if the command fails.
        """
        command = f"“adb {' '.join(words)}” failed on {self.serial}"
        done = self._server.adb("-s", self.serial, *words)
        if done.returncode:
            said = (done.stderr or done.stdout).decode(errors="replace").strip()
            raise DeviceError(f"{command} (exit code {done.returncode}). {said}".rstrip())
        return done.stdout


@contextmanager
def simulate(profile: str = "small_phone", *, seed: int = 0) -> Iterator[SimulatedEmulator]:
    """A simulated emulator with an adb server of its own, for tests; both end with the block.

    `seed` chooses what is on the device. Needs adb. Raises DeviceError, also for an unknown profile; SettingsError.
    """
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.simulated.private_emulators import PrivateEmulators
    from odyssey_recorder.wiring.user import adb_program

    with PrivateEmulators(adb_program(read_settings())) as emulators:
        serial = emulators.phones.start(profile, seed=seed)
        yield SimulatedEmulator(serial, emulators.server.port, emulators.server)


def _published(against: str | PathLike[str]) -> PublishedFigures:
    if (name := str(against)) in PUBLISHED:
        return PUBLISHED[name]
    with open_dataset(against) as other:
        return figures_to_compare(other._index, name)[0]


def _expect(name: str, value: str | None, known: Collection[str | None]) -> None:
    if value not in known:
        choices = ", ".join(repr(choice) for choice in known)
        raise DatasetError(f"{name} is {value!r}. Use one of: {choices}.")
