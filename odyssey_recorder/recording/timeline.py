"""What was on the screen when: which frame belongs to a past moment, and whether that is proved."""

from collections import deque
from dataclasses import dataclass, field

from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.recording.events import FrameSeen

AT_REST_NS = 200_000_000
"""A screen that has not changed for this long is settled: the settle rule's time."""

TOO_OLD_NS = 1_000_000_000
"""A screen last seen this long before a moment may have changed by then."""

RUNS_HELD = 12
"""How many screens' pixels are held: 160 MB at the largest size of a phone."""

_GAPS_HELD = 64
_FRAMES_HELD = 512

MOVING = Flag(FlagCode.MOVING)


@dataclass(frozen=True, slots=True)
class FrameFound:
    """The frame on the screen: last seen `age_ns` before, when its screen had been unchanged for `still_ns`.

    `check`: the frame that proves it, or None. `doubts`: flags of the step. An unproved frame without doubts was seen
    settled shortly before.
    """

    number: int
    age_ns: int
    still_ns: int
    check: int | None
    doubts: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """A frame that decides the answer may still arrive."""


@dataclass(frozen=True, slots=True)
class NoFrame:
    """No held frame is old enough."""


Answer = FrameFound | Pending | NoFrame


@dataclass(slots=True)
class _Run:
    """Consecutive equal frames, the first of them requested, or begun, at `started_ns`.

    They were on the screen from `began_ns` at the latest. `streamed`: the device itself reported the beginning.
    `frames`: the latest of them.
    """

    number: int
    started_ns: int
    began_ns: int
    streamed: bool
    newest: FrameSeen
    frames: deque[FrameSeen] = field(default_factory=lambda: deque(maxlen=_FRAMES_HELD))

    def is_unseen(self, last_ns: int, until_ns: int) -> bool:
        """Whether it is unknown if the run was still shown at `until_ns`, because of an input at `last_ns`.

        Seeing it again later proves nothing: a switch that is tapped twice was on meanwhile.
        """
        if self.streamed:
            return False
        since_ns = last_ns + AT_REST_NS
        return not any(since_ns <= frame.started_ns and frame.arrived_ns <= until_ns for frame in self.frames)

    def seen_ns(self, until_ns: int) -> int:
        """When the last frame that had arrived by `until_ns` was requested."""
        return max((frame.started_ns for frame in self.frames if frame.arrived_ns <= until_ns), default=self.started_ns)


class Timeline:
    """The recent runs of frames; only the first frame of a run is ever an answer.

    A requested frame may overtake the stream. A run that the stream has not confirmed is provisional: it is removed if
    the stream contradicts it.
    """

    def __init__(self) -> None:
        self._runs: deque[_Run] = deque(maxlen=RUNS_HELD)
        self._newest = 0
        self._unseen: set[int] = set()

    def see(self, frame: FrameSeen) -> None:
        """Add a frame. All frames of the device must be added, because a missing number counts as another screen."""
        missing = range(max(self._newest + 1, frame.number - _GAPS_HELD), frame.number) if self._newest else range(0)
        self._newest = max(self._newest, frame.number)
        self._unseen = {number for number in (*self._unseen, *missing) if number > self._newest - _GAPS_HELD}
        self._unseen.discard(frame.number)
        if frame.streamed and not frame.same:
            self._forget_provisional(frame.started_ns)
        run = self._runs[-1] if self._runs else None
        if run is None or not frame.same or missing:
            self._begin(frame)
        elif frame.started_ns >= run.newest.started_ns:
            run.newest = frame
        self._runs[-1].frames.append(frame)
        if run is not None and frame.same and frame.streamed and not run.streamed and not missing:
            run.streamed, run.began_ns = True, min(run.began_ns, frame.started_ns)

    def forget(self) -> None:
        """Drop all runs, after a gap or when the screen's history is no longer valid."""
        self._runs.clear()

    @property
    def newest(self) -> int | None:
        return self._runs[-1].number if self._runs else None

    def held(self) -> frozenset[int]:
        """The frames whose pixels may still be needed."""
        return frozenset(run.number for run in self._runs)

    def at(self, at_ns: int, uncertainty_ns: int = 0, *, last_ns: int | None = None, patient: bool = True) -> Answer:
        """The frame on the screen at `at_ns` of the host's clock ± `uncertainty_ns`.

        Never a frame from after the earliest possible moment. `last_ns`: when the previous input was made. Without
        `patient`, the answer uses what is known now.
        """
        runs = tuple(self._runs)
        earliest_ns, latest_ns = at_ns - uncertainty_ns, at_ns + uncertainty_ns
        if patient and (not runs or runs[-1].newest.started_ns < latest_ns):
            return Pending()
        before = [index for index, run in enumerate(runs) if run.began_ns <= earliest_ns]
        if not before:
            return NoFrame()
        run, later = runs[before[-1]], runs[before[-1] + 1 :]
        if patient and run.streamed and len(later) == 1 and not later[0].streamed:
            return Pending()  # the stream will report when that screen came
        if last_ns is not None and run.is_unseen(last_ns, earliest_ns):
            return _unseen(run, last_ns, at_ns)
        check = self._check(run, later, latest_ns)
        age_ns = 0 if check is not None else max(0, at_ns - run.newest.started_ns)
        doubts: tuple[Flag, ...] = (MOVING,) if earliest_ns - run.began_ns < AT_REST_NS else ()
        if check is None:
            doubts += _doubts(run, later, age_ns, latest_ns)
        return FrameFound(run.number, age_ns, at_ns - run.began_ns, check, doubts)

    def _begin(self, frame: FrameSeen) -> None:
        began_ns = frame.started_ns if frame.streamed else frame.arrived_ns
        self._runs.append(_Run(frame.number, frame.started_ns, began_ns, frame.streamed, frame))

    def _forget_provisional(self, started_ns: int) -> None:
        while self._runs and not self._runs[-1].streamed and started_ns < self._runs[-1].began_ns:
            self._runs.pop()

    def _check(self, run: _Run, later: tuple[_Run, ...], latest_ns: int) -> int | None:
        """The frame that proves that only `run` was on the screen until `latest_ns`."""
        if run.newest.started_ns >= latest_ns:
            return run.newest.number
        if not later or not run.streamed or not later[0].streamed or later[0].began_ns <= latest_ns:
            return None
        lost = any(run.number < number < later[0].newest.number for number in self._unseen)
        return None if lost else later[0].number


def _unseen(run: _Run, last_ns: int, at_ns: int) -> FrameFound:
    """A run without proof, because another screen may have been shown since `last_ns`."""
    is_old = run.began_ns <= last_ns
    age_ns = at_ns - run.seen_ns(last_ns if is_old else at_ns)
    doubt = Flag(FlagCode.OLDER_THAN_LAST_ACTION, (_seconds(age_ns),)) if is_old else MOVING
    return FrameFound(run.number, age_ns, at_ns - run.began_ns, None, (doubt,))


def _doubts(run: _Run, later: tuple[_Run, ...], age_ns: int, latest_ns: int) -> tuple[Flag, ...]:
    if later and later[0].started_ns < latest_ns:
        return (Flag(FlagCode.CHANGING),)
    if age_ns > TOO_OLD_NS:
        return (Flag(FlagCode.OLDER, (_seconds(age_ns),)),)
    return (Flag(FlagCode.UNWATCHED),) if run.streamed or not later else ()


def _seconds(duration_ns: int) -> float:
    return round(duration_ns / 1e9, 1)
