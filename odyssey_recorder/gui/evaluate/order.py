"""Which predictions are to be scored, and how."""

from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.evaluation.protocols import Name


@dataclass(frozen=True, slots=True)
class ScoreOrder:
    """Without `dataset`, the open one; without `level`, that of the file."""

    predictions: Path
    against: Path | None
    dataset: Path | None
    protocol: Name
    level: str
    split: str
