"""Alternatives: other actions that are right at a step too, because a person accepted them.

They are kept with the texts of the steps, in ``semantics/<id>.json``; the episode's own files say what was done.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from odyssey_recorder.annotation.inputs import inputs_of
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import Alternative, SemanticsFile, SemanticsStore
from odyssey_recorder.dataset.codec import Dialect, action_from_json, action_to_json
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import Action
from odyssey_recorder.model.plain_text import counted, step_number


@dataclass(frozen=True, slots=True)
class AcceptedAction:
    """`by` accepted it; `id` is that of its entry."""

    id: str
    action: Action
    by: str


def alternatives_of(found: OpenedEpisode, file: SemanticsFile) -> Mapping[int, Sequence[AcceptedAction]]:
    """Those that count, by step from 0. Raises DatasetError for an action that none of the nine is."""
    entries = [entry for entry in file.entries if isinstance(entry, Alternative)]
    gone, wanted = {entry.withdraws for entry in entries}, _instruction_sha(found)
    standing = [one for one in entries if not one.withdraws and one.id not in gone and one.instruction_sha == wanted]
    if not standing:
        return {}  # reading the keys of released steps takes a moment
    number_of = {inputs.step_key: number for number, inputs in enumerate(inputs_of(found))}
    accepted: dict[int, list[AcceptedAction]] = {}
    for entry in standing:
        if entry.step_key in number_of:
            action = action_from_json(entry.action, source=f"{file.episode_id}, alternative {entry.id}")
            accepted.setdefault(number_of[entry.step_key], []).append(AcceptedAction(entry.id, action, entry.by))
    return accepted


def read_alternatives(root: Path, found: OpenedEpisode) -> Mapping[int, Sequence[AcceptedAction]]:
    """Raises DatasetError, ReviewError."""
    return alternatives_of(found, SemanticsStore(root).read_complete(found.episode.episode_id))


def accepted_actions(root: Path, found: OpenedEpisode) -> Mapping[int, Sequence[Action]]:
    """The actions alone. Raises DatasetError, ReviewError."""
    return {step: [one.action for one in accepted] for step, accepted in read_alternatives(root, found).items()}


def rejected_at(root: Path, episode_id: str, step: int) -> Sequence[Action]:
    """What an agent wanted at the step, and a person corrected or refused. Raises DatasetError."""
    record = _with_step(root, episode_id, step).record(step)
    return [action_from_json(one.action, source=episode_id) for one in ([] if record is None else record.rejected)]


def accept_alternative(  # noqa: PLR0913 - the entry
    root: Path, episode_id: str, step: int, action: Action, by: str, why: str = ""
) -> bool:
    """Accept another action at a step, counted from 0; False if it counts already. Raises DatasetError, ReviewError."""
    found = _with_step(root, episode_id, step)
    known = [found.episode.steps[step].action, *(one.action for one in read_alternatives(root, found).get(step, ()))]
    if is_new := action not in known:
        _append(root, found, step, action, by, why=why)
    return is_new


def withdraw_alternatives(root: Path, episode_id: str, step: int, by: str) -> int:
    """Withdraw all of a step; returns how many. Raises DatasetError, ReviewError."""
    found = _with_step(root, episode_id, step)
    standing = read_alternatives(root, found).get(step, ())
    for one in standing:
        _append(root, found, step, one.action, by, withdraws=one.id)
    return len(standing)


def _with_step(root: Path, episode_id: str, step: int) -> OpenedEpisode:
    found = open_dataset_episode(root, episode_id)
    if not 0 <= step < (count := len(found.episode.steps)):
        raise DatasetError(f"There is no step {step_number(step)}: the episode has {counted(count, 'step')}.")
    return found


def _append(  # noqa: PLR0913 - the entry
    root: Path, found: OpenedEpisode, step: int, action: Action, by: str, *, why: str = "", withdraws: str = ""
) -> None:
    if not by.strip():
        raise DatasetError("Your name is not set. Enter it in Settings.")
    tree = action_to_json(action, Dialect.RELEASE)
    entry = Alternative(
        id=uuid4().hex, at=datetime.now(UTC), step_key=inputs_of(found)[step].step_key, by=by,
        action={key: tree[key] for key in ("action", "info")}, instruction_sha=_instruction_sha(found),
        why=why,
        withdraws=withdraws,
    )  # fmt: skip
    SemanticsStore(root).append(found.episode.episode_id, entry)


def _instruction_sha(found: OpenedEpisode) -> str:
    return sha256(found.episode.task.instruction.encode()).hexdigest()
