"""How the run of an agent ended, and what it took."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from odyssey_recorder.model.answer_failure import Failure


class StopReason(StrEnum):
    COMPLETE = "complete"
    IMPOSSIBLE = "impossible"
    STEP_LIMIT = "step limit"
    REPEATED = "repeated"
    UNREADABLE = "unreadable"
    GUARD = "guard"
    FAULTY_TASK = "faulty task"
    DRY_RUN = "dry run"
    BUDGET = "budget"
    MODEL = "model"
    DEVICE = "device"
    INTERRUPTED = "interrupted"

    @property
    def is_final(self) -> bool:
        """Whether the agent or the task ended the run; other runs are repeated."""
        return self not in (
            StopReason.DRY_RUN,
            StopReason.BUDGET,
            StopReason.MODEL,
            StopReason.DEVICE,
            StopReason.INTERRUPTED,
        )

    @property
    def cuts_short(self) -> bool:
        """Whether the task was neither carried out nor given up when the run ended for good."""
        return self in (StopReason.GUARD, StopReason.UNREADABLE, StopReason.REPEATED)


@dataclass(slots=True)
class RunOutcome:
    """The result of a run so far; times are in seconds, `cost` in US dollars, None without a price."""

    stop: StopReason = StopReason.INTERRUPTED
    why: str = ""
    note: str = ""
    steps: int = 0
    asked: int = 0
    unreadable: int = 0
    failures: Counter[Failure] = field(default_factory=Counter)
    interventions: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    model_s: float = 0.0
    device_s: float = 0.0

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        began_s = time.monotonic()
        try:
            yield
        finally:
            setattr(self, name, getattr(self, name) + time.monotonic() - began_s)


class EndedError(Exception):
    def __init__(self, stop: StopReason, why: str) -> None:
        super().__init__(why)
        self.stop = stop
        self.why = why
