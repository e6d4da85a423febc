"""Datasets on disk for the index, and what a filter can ask of their episodes."""

import json
import os
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from hypothesis import strategies as st

from odyssey_recorder.dataset.codec import encode
from odyssey_recorder.dataset.entry_file import spell
from odyssey_recorder.model.action import Action, Complete, Impossible, Type, action_type
from odyssey_recorder.model.episode import DeviceInfo, Episode, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.finding import EpisodeReport, Finding, Severity
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.review.review import ReviewFile
from tests.checking.verdicts import verdict
from tests.dataset.drafts import provenance_of
from tests.dataset_index.oracle import Facts, hostile_names, moments, phrases
from tests.episodes import actions

_EPOCH = datetime.fromtimestamp(0, UTC)
LONG_AGO_NS = 1_700_000_000_000_000_000


def put(path: Path, data: bytes) -> Path:
    """Write a file as if it had been there for long: a young one is read again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, ns=(LONG_AGO_NS, LONG_AGO_NS))
    return path


def write(root: Path, facts: Facts, actions_done: tuple[Action, ...]) -> EpisodeReport:
    """The episode's files; returns its findings."""
    episode_id = facts.episode_id
    steps = tuple(Step(screenshot_name(episode_id, number), action) for number, action in enumerate(actions_done))
    task = TaskInfo(facts.category, facts.apps, facts.template, "", facts.texts[1])
    episode = Episode(episode_id, DeviceInfo(facts.device, Size(720, 1280)), task, steps)
    annotation = put(root / "annotations" / f"{episode_id}.json", encode(episode))
    if facts.recorded_at is not None:
        provenance = provenance_of(episode_id, annotator=facts.annotator).model_dump(mode="json")
        provenance |= {"started_us": _us(facts.recorded_at), "steps": []}
        del provenance["published_us"]
        if facts.published_at is not None:
            provenance["published_us"] = _us(facts.published_at)
        put(root / "provenance" / f"{episode_id}.json", json.dumps(provenance).encode())
    if facts.verdict != "unreviewed":
        stored = verdict("Grace", revision=sha256(annotation.read_bytes()).hexdigest(), recorder=facts.annotator)
        put(root / "reviews" / f"{episode_id}.json", spell(ReviewFile(episode_id, (stored,))))
    return EpisodeReport(
        episode_id,
        tuple(Finding(code, Severity(word), None, episode_id, None, "", "") for code, word in facts.findings),
    )


def write_splits(root: Path, episodes: list[Facts]) -> None:
    for name in {name for one in episodes for name, _ in one.sides}:
        sides = {
            part: [f"{one.episode_id}.json" for one in episodes if (name, part) in one.sides]
            for part in ("train", "test")
        }
        put(root / "splits" / f"{name}_split.json", json.dumps(sides).encode())


def write_retired(root: Path, episodes: list[Facts]) -> None:
    decision = {"decision": "retire", "who": "Ada", "at": "2026-11-22T12:00:00Z"}
    lines = (json.dumps({"episode_id": one.episode_id, **decision}) for one in episodes if one.is_retired)
    put(root / "metadata" / "retired.jsonl", "\n".join(lines).encode())


@st.composite
def episodes(draw: st.DrawFn, number: int) -> tuple[Facts, tuple[Action, ...]]:
    typed = draw(st.lists(phrases.map(Type) | actions, max_size=3))
    end = draw(st.builds(Complete, phrases) | st.builds(Impossible, phrases))
    actions_done = (*typed, end)
    recorded_at = draw(moments)
    findings = draw(
        st.lists(st.tuples(st.sampled_from(("IMG06", "ACT01")), st.sampled_from(("warning", "note"))), max_size=2)
    )
    is_reviewed, is_warned = draw(st.booleans()), any(severity == "warning" for _, severity in findings)
    typed_texts = (action.text for action in typed if isinstance(action, Type))
    instruction, episode_id = draw(phrases), f"{number:016}"
    last = end.note if isinstance(end, Complete) else end.reason
    facts = Facts(
        episode_id=episode_id,
        category=draw(hostile_names),
        device=draw(hostile_names),
        apps=tuple(draw(st.lists(hostile_names, max_size=3))),
        template=draw(hostile_names),
        annotator="" if recorded_at is None else draw(hostile_names),
        verdict="unreviewed" if not is_reviewed else "second" if is_warned else "accepted",
        ending="complete" if isinstance(end, Complete) else "impossible",
        actions=frozenset(map(action_type, actions_done)),
        findings=tuple(findings),
        sides=tuple(draw(st.sets(st.sampled_from((("app", "test"), ("app", "train"), ("random", "test")))))),
        steps=len(actions_done),
        recorded_at=recorded_at,
        published_at=None if recorded_at is None else draw(moments),
        texts=(episode_id, instruction, *typed_texts, last),
        is_retired=draw(st.booleans()),
    )
    return facts, actions_done


datasets = st.integers(0, 6).flatmap(lambda count: st.tuples(*map(episodes, range(count)))).map(list)


def _us(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)
