"""Episodes with texts in memory, and entries of semantics files."""

from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from odyssey_recorder.annotation.inputs import inputs_of, texts_of
from odyssey_recorder.annotation.memory import memory_of
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import (
    Entry,
    Offer,
    RecordedCall,
    Remembered,
    SemanticsFile,
    SemanticsStore,
    Suggestion,
    TextDecision,
    suggestion_id,
)
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.dataset.entry_file import in_order
from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.dataset.provenance import EpisodeProvenance
from odyssey_recorder.model.action import Action, Click, Complete, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.geometry import Point
from tests.checking.evidence import evidence
from tests.dataset.drafts import provenance_of
from tests.episodes import episode as made_episode

D, E = TextKind.INSTRUCTION, TextKind.CONTEXT
F1, F2 = TextKind.DESCRIPTION, TextKind.INTENTION
_MOMENT = datetime(2026, 11, 23, tzinfo=UTC)
_seconds = count()

ACTIONS: tuple[Action, ...] = (
    Click(Point(500, 250)),
    Type("oat milk"),
    Scroll(Point(500, 800), Point(500, 300), (Point(500, 800), Point(500, 300))),
    LongPress(Point(100, 900)),
    Press(SystemKey.HOME),
    Complete("done"),
)
CALL = RecordedCall(
    prompt="step_screen/1", model_asked="m", model_answered="m-1", host="http://127.0.0.1:1", at=_MOMENT, tokens_in=9,
    tokens_out=1,
)  # fmt: skip


def opened_episode(*actions: Action) -> OpenedEpisode:
    """An episode with a box for each press, and a different screenshot in each step."""
    done = actions or ACTIONS
    records = []
    for number, step in enumerate(evidence(*done).steps):
        assert step.record is not None
        frame = step.record.frame.model_copy(update={"png_sha256": f"{number:064x}"})
        records.append(step.record.model_copy(update={"frame": frame, "touched_us": 100 + number}))
    episode = made_episode(*done)
    return opened_from(episode, provenance_of(episode.episode_id, records))


def opened_from(episode: Episode, provenance: EpisodeProvenance | None) -> OpenedEpisode:
    return OpenedEpisode(episode, EpisodeFiles(Path(f"annotations/{episode.episode_id}.json"), ""), provenance)


def moment() -> datetime:
    """A time later than all returned before."""
    return _MOMENT + timedelta(seconds=next(_seconds))


def suggestion(found: OpenedEpisode, step: int, kind: TextKind, words: str = "", **fields: Any) -> Suggestion:
    """A suggestion for the episode as it is now, shown with the box; `file` has what people edited."""
    texts = texts_of(found, fields.pop("file", SemanticsFile(found.episode.episode_id)))
    key, text = texts.inputs[step].step_key, words or f"{kind.value} {step}"
    values: dict[str, Any] = {
        "id": suggestion_id(key, kind, text, "test"), "at": moment(), "step_key": key, "field": kind, "words": text,
        "inputs_sha": texts.inputs[step].shown(kind, texts.edited[:step], with_box=fields.pop("with_box", True)),
        "origin": "model", "call": CALL,
    }  # fmt: skip
    return Suggestion(**values | fields)


def remember(root: Path, episode_id: str, *, step: int | None = None, words: str = "") -> None:
    """Memory of every step, or other words for one."""
    found, store = open_dataset_episode(root, episode_id), SemanticsStore(root)
    inputs = inputs_of(found)
    for number, one in enumerate(memory_of(found, store.read(episode_id), inputs)):
        for kind, inputs_sha in one.inputs.items():
            if step in (None, number):
                text = words or f"{kind.value} of step {number}."
                given: dict[str, Any] = {"id": f"{next(_seconds):032x}", "at": moment(), "call": CALL}
                entry = Remembered(
                    step_key=inputs[number].step_key, field=kind, words=text, inputs_sha=inputs_sha, **given
                )
                store.append(episode_id, entry)


def decided(on: Offer, decision: str, words: str | None = None, **fields: Any) -> TextDecision:
    values: dict[str, Any] = {
        "id": f"{next(_seconds):032x}", "at": moment(), "step_key": on.step_key, "field": on.field, "by": "Ann",
        "words": on.words if words is None else words, "inputs_sha": on.inputs_sha, "decision": decision,
        "suggestion": on.id,
    }  # fmt: skip
    return TextDecision(**values | fields)


def file_of(found: OpenedEpisode, *entries: Entry) -> SemanticsFile:
    return SemanticsFile(found.episode.episode_id, in_order(entries))


def all_suggested(found: OpenedEpisode) -> SemanticsFile:
    """A suggestion for every text."""
    return file_of(found, *(suggestion(found, n, kind) for n in range(len(found.episode.steps)) for kind in TextKind))
