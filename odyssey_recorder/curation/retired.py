"""Retired episodes: kept in the dataset, but left out of selections, exports, splits and figures.

``metadata/retired.jsonl`` has a line for each decision and only grows. The latest decision on an episode holds,
whatever the order of the lines, so copies are merged by keeping the lines of both.
"""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, ValidationError

from odyssey_recorder.dataset.change_journal import locked
from odyssey_recorder.dataset.layout import RETIRED, episode_ids
from odyssey_recorder.errors import DatasetError, MissingFileError
from odyssey_recorder.files import Largest, make_folder, read_file, storage_errors, write_durably
from odyssey_recorder.splits.drawing import Split
from odyssey_recorder.validation import FrozenModel, first_fault

Verb = Literal["retire", "restore"]
_Id = Annotated[str, Field(pattern=r"^[0-9]{16}$")]


class RetireDecision(FrozenModel):
    """A line of the file. `superseded_by` is the better episode, if there is one."""

    episode_id: _Id
    decision: Verb
    reason: str = ""
    superseded_by: _Id | None = None
    who: str
    at: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC))


def read_retired(root: Path) -> dict[str, RetireDecision]:
    """Why each retired episode is, by id. Raises DatasetError."""
    return {episode_id: made for episode_id, made in _latest(_read(root), root).items() if made.decision == "retire"}


def without_retired(split: Split, retired: Collection[str]) -> Split:
    """The split as if it never named these episodes."""
    train, test = (
        tuple(episode_id for episode_id in part if episode_id not in retired) for part in (split.train, split.test)
    )
    return Split(split.kind, train, test)


def plan_decisions(root: Path, decisions: Sequence[RetireDecision]) -> list[RetireDecision]:
    """Those that would change something. Raises DatasetError for an id that is unknown, or cannot supersede another."""
    known, retired = episode_ids(root), read_retired(root)
    leaving = {decision.episode_id for decision in decisions if decision.decision == "retire"}
    for decision in decisions:
        if decision.episode_id not in known and decision.decision == "retire":
            raise DatasetError(f"There is no episode {decision.episode_id} in {root}.")
        if (better := decision.superseded_by) is not None and (
            better not in known or better in leaving | retired.keys()
        ):
            why = "is retired itself" if better in known else f"is not in {root}"
            raise DatasetError(
                f"{decision.episode_id} cannot be superseded by {better}, which {why}. Name another one."
            )
    return [decision for decision in decisions if (decision.episode_id in retired) != (decision.decision == "retire")]


def record_decisions(root: Path, decisions: Sequence[RetireDecision]) -> None:
    """Each counts from now on, also where clocks differ. Raises DatasetError."""
    with locked(root):
        data = _read(root)
        latest = _latest(data, root)
        for decision in decisions:
            before = latest.get(decision.episode_id)
            at = decision.at if before is None else max(decision.at, before.at + timedelta(microseconds=1))
            line = decision.model_copy(update={"at": at}).model_dump_json(exclude_none=True)
            data += (b"" if data.endswith(b"\n") or not data else b"\n") + f"{line}\n".encode()
        make_folder((root / RETIRED).parent, within=root)
        write_durably(root / RETIRED, data, within=root)


def _read(root: Path) -> bytes:
    path = root / RETIRED
    try:
        with storage_errors(path, "read"):
            return read_file(path, Largest.INDEX, within=root)
    except MissingFileError:
        if path.is_symlink() or path.parent.is_symlink():
            raise
        return b""


def _latest(data: bytes, root: Path) -> dict[str, RetireDecision]:
    made = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            try:
                made.append(RetireDecision.model_validate_json(line))
            except ValidationError as error:
                raise DatasetError(
                    f"{root / RETIRED}, line {number}, is not a decision ({first_fault(error)}). Correct the line."
                ) from error
    return {
        decision.episode_id: decision
        for decision in sorted(made, key=lambda decision: (decision.at, decision.decision == "retire"))
    }
