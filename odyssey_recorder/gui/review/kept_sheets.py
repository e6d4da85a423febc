"""What a reviewer has filled in and not submitted, kept on this computer: it outlives the window, and a crash."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from PySide6.QtCore import QObject, QTimer

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.review.reviewing import Reviewing
from odyssey_recorder.gui.review.sheet import Sheet
from odyssey_recorder.gui.window_state import KeptFile
from odyssey_recorder.model.moment import LARGEST_WHOLE
from odyssey_recorder.quality.reviewing.review import MOST_STEPS, Judgement
from odyssey_recorder.quality.reviewing.status import comparable_name

_REST_MS = 500
"""So long after a change it is written, with all that was changed meanwhile."""
_MOST = 1000
"""So many sheets are kept; those that were changed last."""
_log = logging.getLogger(__name__)
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class KeptSheet:
    """A sheet, and the revision of the episode that it was filled in for."""

    revision: str
    sheet: Sheet


class KeptSheets:
    """The sheets of a reviewer and a dataset, by episode.

    Another window may keep sheets in the same file: what is written is what was changed here.
    """

    def __init__(self, file: KeptFile, reviewing: Reviewing, background: Background, parent: QObject) -> None:
        self._file = file
        self._reviewing = reviewing
        self._background = background
        self._writing = Lock()
        self._sheets: dict[_Key, KeptSheet | None] = dict(_read(file))
        self._changed: dict[_Key, None] = {}
        self._rest = QTimer(parent, interval=_REST_MS, singleShot=True)
        self._rest.timeout.connect(self._write_later)

    def get(self, episode_id: str) -> KeptSheet | None:
        """What was filled in of an episode; None where nothing was."""
        return self._sheets.get(self._key(episode_id))

    def put(self, episode_id: str, revision: str, sheet: Sheet) -> None:
        """Keep what is filled in of an episode now."""
        self._set(episode_id, KeptSheet(revision, sheet))

    def drop(self, episode_id: str) -> None:
        """Keep nothing of an episode any more: it was submitted."""
        self._set(episode_id, None)

    def close(self) -> None:
        """Write all that was changed, before this returns: what was handed to another thread may never begin."""
        self._rest.stop()
        if self._changed:
            self._write(self._changes())

    def _key(self, episode_id: str) -> _Key:
        return str(self._reviewing.root), comparable_name(self._reviewing.reviewer), episode_id

    def _set(self, episode_id: str, kept: KeptSheet | None) -> None:
        key = self._key(episode_id)
        self._sheets[key] = kept
        self._changed.pop(key, None)
        self._changed[key] = None
        if not self._rest.isActive():
            self._rest.start()

    def _changes(self) -> Mapping[_Key, KeptSheet | None]:
        """All that was changed since the beginning: what could not be written once is written with the next."""
        return {key: self._sheets[key] for key in self._changed}

    def _write_later(self) -> None:
        changes = self._changes()
        self._background.run(lambda: self._write(changes), lambda _: None, lambda error: _log.error("%s", error))

    def _write(self, changes: Mapping[_Key, KeptSheet | None]) -> None:
        with self._writing:
            sheets = {**{key: one for key, one in _read(self._file).items() if key not in changes}, **changes}
            kept = [_tree(key, one) for key, one in sheets.items() if one is not None]
            self._file.write({"sheets": kept[-_MOST:]})


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True)

    dataset: str
    reviewer: str
    episode: str
    revision: str
    judgements: tuple[Judgement, ...]
    note: str
    seen: frozenset[Annotated[int, Field(ge=0, le=MOST_STEPS)]]
    seconds: float = Field(ge=0, le=LARGEST_WHOLE)


def _read(file: KeptFile) -> dict[_Key, KeptSheet]:
    """The sheets that can be read, the one that was changed last at the end."""
    found: dict[_Key, KeptSheet] = {}
    trees = file.read().get("sheets")
    for tree in trees if isinstance(trees, list) else ():
        try:
            one = _Entry.model_validate(tree)
        except ValidationError as error:
            wrong = sorted({str(part["loc"][0]) for part in error.errors() if part["loc"]}) or ["all of it"]
            _log.warning("What was filled in of an episode cannot be read, it is left out: %s", ", ".join(wrong))
            continue
        sheet = Sheet(note=one.note, seen=one.seen, seconds=one.seconds)
        for judgement in one.judgements:
            sheet = sheet.judged(judgement)
        found[one.dataset, one.reviewer, one.episode] = KeptSheet(one.revision, sheet)
    return found


def _tree(key: _Key, kept: KeptSheet) -> dict[str, object]:
    dataset, reviewer, episode = key
    sheet = kept.sheet
    entry = _Entry(
        dataset=dataset,
        reviewer=reviewer,
        episode=episode,
        revision=kept.revision,
        judgements=sheet.judgements,
        note=sheet.note,
        seen=sheet.seen,
        seconds=sheet.seconds,
    )
    return entry.model_dump(mode="json")
