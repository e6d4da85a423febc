"""The review files of a dataset, safe for several windows and computers."""

import json
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from odyssey_recorder.dataset.change_journal import Change
from odyssey_recorder.dataset.entry_file import FORMAT
from odyssey_recorder.dataset.entry_store import EntryStore, is_main
from odyssey_recorder.dataset.file_stamps import stamp
from odyssey_recorder.dataset.layout import POLICY, REVIEWS, TRASH, provenance_path, read_dataset_file
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse, shown
from odyssey_recorder.dataset.provenance import Origin, read_provenance
from odyssey_recorder.errors import DatasetError, MissingFileError, ReviewError
from odyssey_recorder.files import Largest, read_json, write_durably
from odyssey_recorder.review.review import Move, ReviewFile
from odyssey_recorder.review.review_file import REVIEW_FORM
from odyssey_recorder.review.status import QUEUE_RULE, ReviewPolicy, ReviewStage, review_status, same_person
from odyssey_recorder.tasks.queue.task_status import SentBack
from odyssey_recorder.validation import first_fault

_DEFAULT = ReviewPolicy()
_RELEVANT = (b'"annotator"', b'"trash"', b"accept", b'"reopen"')
_NO_REASON = "A reviewer sent it back"


@dataclass(frozen=True, slots=True)
class _Outcome:
    move: Move | None = None
    accepted_by: str = ""
    reopened_by: str = ""
    thread: tuple[str, ...] = ()


class _PolicyFile(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    format: int = Field(default=FORMAT, ge=1, le=FORMAT)
    seed: int = _DEFAULT.seed
    second_share: float = Field(default=_DEFAULT.second_share, ge=0, le=1)


class ReviewStore(EntryStore[ReviewFile]):
    """Thread-safe, calls may block."""

    def __init__(self, root: Path, *, patience_s: float = 10.0) -> None:
        super().__init__(root, REVIEWS, REVIEW_FORM, patience_s=patience_s)
        self._outcomes: dict[str, tuple[str, _Outcome]] = {}
        self._origins: dict[str, Origin] = {}
        self._guard = Lock()

    def is_recorded(self, change: Change) -> bool:
        """For a journal: an interrupted change that is on record is completed. Raises DatasetError."""
        return any(entry.id == change.id for entry in self.read(change.episode_id).entries)

    def policy(self) -> ReviewPolicy:
        """Raises ReviewError naming file and key, DatasetError."""
        file = self._policy_file()
        return ReviewPolicy(file.seed, file.second_share)

    def set_policy(self, policy: ReviewPolicy) -> None:
        """Store the policy for all reviewers of the dataset. Raises ReviewError, DatasetError."""
        with self._held():
            keys = {**self._policy_file().model_dump(mode="json"), **asdict(policy)}
            text = json.dumps(keys, indent=2, ensure_ascii=False)
            write_durably(self._folder / POLICY, f"{text}\n".encode(), within=self.root)

    def sent_back(self, annotator: str) -> Mapping[str, SentBack]:
        """The annotator's episodes that were sent back or withdrawn, by id; reads only changed files.

        Raises DatasetError.
        """
        with self._guard:
            self._refresh()
            moves = (
                (episode_id, outcome.move, outcome.thread)
                for episode_id, (_, outcome) in self._outcomes.items()
                if outcome.move is not None
            )
            origins = [(*moved, self._origin(moved[0])) for moved in moves]
        return {
            episode_id: SentBack(origin.task_id, move.by, " ".join(move.why.split()) or _NO_REASON, thread)
            for episode_id, move, thread, origin in origins
            if origin is not None and origin.task_id and same_person(origin.annotator, annotator)
        }

    def accepted(self, episode_ids: Collection[str]) -> Mapping[str, str]:
        """Episodes that all reviewers so far accept, with the last of them. Raises DatasetError."""
        return self._named(episode_ids, lambda outcome: outcome.accepted_by)

    def reopened(self, episode_ids: Collection[str]) -> Mapping[str, str]:
        """Episodes that are no longer sent back or withdrawn, with who took that back. Raises DatasetError."""
        return self._named(episode_ids, lambda outcome: outcome.reopened_by)

    def _named(self, episode_ids: Collection[str], name: Callable[[_Outcome], str]) -> Mapping[str, str]:
        with self._guard:
            self._refresh()
            known = {*episode_ids} & {*self._outcomes}
            names = {episode_id: name(self._outcomes[episode_id][1]) for episode_id in known}
        return {episode_id: by for episode_id, by in names.items() if by}

    def _refresh(self) -> None:
        known, self._outcomes = self._outcomes, {}
        for path in filter(is_main, self._files()):
            if now := stamp(path):  # else it was deleted a moment ago
                before, outcome = known.get(path.stem, ("", _Outcome()))
                self._outcomes[path.stem] = now, outcome if now == before else _read_outcome(path)

    def _origin(self, episode_id: str) -> Origin | None:
        if episode_id not in self._origins:
            with suppress(DatasetError):  # opening the episode says why
                path = provenance_path(episode_id)
                in_trash = self.root.glob(f"{TRASH}/{episode_id}-*/{path}")
                provenance = read_provenance(next(in_trash, self.root / path))
                if provenance is not None:
                    self._origins[episode_id] = provenance.origin
        return self._origins.get(episode_id)

    def _policy_file(self) -> _PolicyFile:
        path = self._folder / POLICY
        try:
            return _PolicyFile.model_validate(parse(read_dataset_file(path, Largest.REVIEWS, within=self.root)))
        except MissingFileError:
            return _PolicyFile()
        except NotPlainJsonError as error:
            raise ReviewError(f"{path}: {error}. Fix it, or delete it to use the default rules.") from error
        except ValidationError as error:
            fault = first_fault(error)
            place = f"{path}: {fault.key}" if fault.key else str(path)
            raise ReviewError(f"{place}: {fault.message.lower()}; found {shown(fault.found)}.") from error


def _read_outcome(path: Path) -> _Outcome:
    try:
        data = read_json(path, Largest.REVIEWS, within=path.parent.parent)
    except OSError:
        return _Outcome()  # opening the review says why
    if not any(word in data for word in _RELEVANT):
        return _Outcome()  # one of ten thousand files may be unreadable
    file = REVIEW_FORM.read(data, episode_id=path.stem, source=str(path))
    moves = file.moves
    move = file.sent_back
    last = moves[-1] if moves else None
    if move is None and last is not None and last.to == "trash" and not file.present_verdicts:
        move = last  # nobody judged it: the annotator has withdrawn it
    status = review_status(file, QUEUE_RULE)
    accepted_by = status.verdicts[-1].by if status.stage is ReviewStage.ACCEPTED else ""
    if move is not None:
        return _Outcome(move, accepted_by, thread=file.thread)
    if last is not None and last.to == "dataset":
        return _Outcome(None, accepted_by, last.by)
    return _Outcome(None, accepted_by, file.reopenings[-1].by if file.reopenings else "")
