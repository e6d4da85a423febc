"""What the checks of one episode look at: all that its files say, read and measured, judged by nobody yet."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.dataset.lenient import LenientEpisode, LenientStep
from odyssey_recorder.dataset.provenance import EpisodeProvenance, StepRecord
from odyssey_recorder.device.view_hierarchy import ViewNode
from odyssey_recorder.quality.screenshot import Screenshot


@dataclass(frozen=True, slots=True)
class StepEvidence:
    """One step: as its file spells it, its picture, its proof and its view tree, each None where it is not there.

    `change` is the share (0..1) of pixels, bars left out, by which the next step's picture differs; None for the last
    step, and where the two cannot be compared. `no_views` says why there are no `views`.
    """

    number: int
    spelled: LenientStep
    picture: Screenshot | None = None
    change: float | None = None
    record: StepRecord | None = None
    views: tuple[ViewNode, ...] | None = None
    no_views: str = ""


@dataclass(frozen=True, slots=True)
class EpisodeEvidence:
    """One episode. `proof` is None where there is none, and `proof_problem` says why where it cannot be read.

    `amendments` are those that led to the annotation as it is, the oldest first. `surplus` are the names of screenshot
    files of this episode that no step has.
    """

    episode: LenientEpisode
    steps: tuple[StepEvidence, ...]
    proof: EpisodeProvenance | None = None
    proof_problem: str = ""
    amendments: tuple[Amendment, ...] = ()
    surplus: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScreenFingerprint:
    """What the device said while a picture was taken: the package in front, and a hash of the words of its view tree,
    empty where there is none; `taken_us` is when the frame was asked for."""

    taken_us: int
    package: str
    words: str


@dataclass(frozen=True, slots=True)
class EpisodeFacts:
    """What the checks of a whole dataset need of each episode, small enough to be kept of all.

    `actions` are the steps' actions in a few words each, `pictures` the SHA-256 of the steps' files, empty where there
    is none, `looks` their difference hashes, None where there is none, and `screens` what the proof says of them.
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
    pictures: tuple[str, ...]
    looks: tuple[int | None, ...]
    screens: tuple[ScreenFingerprint | None, ...] = ()


FactsSource = Callable[[], Iterable[EpisodeFacts]]
"""The facts of every episode of a dataset, sorted by id, one at a time and as often as they are asked for."""
