"""What the checks of one episode need: the contents of all its files, read and measured but not judged."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from odyssey_recorder.checking.screenshot import MeasuredScreenshot
from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.dataset.lenient import LenientEpisode, LenientStep
from odyssey_recorder.dataset.provenance import EpisodeProvenance, StepRecord
from odyssey_recorder.device.view_hierarchy import ViewNode


@dataclass(frozen=True, slots=True)
class StepEvidence:
    """One step: as its file spells it, its screenshot, provenance and view hierarchy, each None if missing.

    `change` is the share (0..1) of pixels, bars left out, that differ in the next step's screenshot; None for the last
    step, and if the two cannot be compared. `no_views` says why there are no `views`.
    """

    number: int
    spelled: LenientStep
    screenshot: MeasuredScreenshot | None = None
    change: float | None = None
    record: StepRecord | None = None
    views: tuple[ViewNode, ...] | None = None
    no_views: str = ""


@dataclass(frozen=True, slots=True)
class EpisodeEvidence:
    """One episode. `provenance` is None if missing or unreadable; in the second case `provenance_problem` says why.

    `amendments` led to the present annotation, oldest first. `surplus` are names of screenshot files of this episode
    that no step has.
    """

    episode: LenientEpisode
    steps: tuple[StepEvidence, ...]
    provenance: EpisodeProvenance | None = None
    provenance_problem: str = ""
    amendments: tuple[Amendment, ...] = ()
    surplus: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScreenFingerprint:
    """The package in front and a hash of the view hierarchy's words, empty if there is none.

    `taken_us` is when the frame was requested.
    """

    taken_us: int
    package: str
    words: str


@dataclass(frozen=True, slots=True)
class ComparedEpisode:
    """What the checks of a whole dataset need of each episode, small enough to keep for all.

    `actions` are short texts, `screenshots` the SHA-256 of the screenshots (empty if missing), `looks` their difference
    hashes (None if missing), and `screens` what the provenance says of them.
    """

    episode_id: str
    category: str
    device: str
    annotator: str
    apps: tuple[str, ...]
    meta_task: str
    task: str
    instruction: str
    actions: tuple[str, ...]
    screenshots: tuple[str, ...]
    looks: tuple[int | None, ...]
    screens: tuple[ScreenFingerprint | None, ...] = ()


FactsSource = Callable[[], Iterable[ComparedEpisode]]
"""The facts of every episode of a dataset, sorted by id, lazily; may be called repeatedly."""
