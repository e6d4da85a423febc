"""Checks the texts in a dataset's semantics files against what was recorded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.annotation.asked import open_dataset_episode
from odyssey_recorder.annotation.checks import check_texts
from odyssey_recorder.annotation.findings import TextFinding, Verdict, verdict_on
from odyssey_recorder.annotation.inputs import EpisodeTexts, texts_of
from odyssey_recorder.annotation.kinds import TextKind
from odyssey_recorder.annotation.recycled import SeenTexts
from odyssey_recorder.annotation.said import WrittenText
from odyssey_recorder.annotation.semantics import SemanticsStore, State
from odyssey_recorder.dataset.entry_file import refuse_problems
from odyssey_recorder.quality.evidence import EpisodeEvidence


@dataclass(frozen=True, slots=True)
class CheckedText:
    """`step` counts from 0. `findings` are of all checks that concern the text, also of those that could not look."""

    step: int
    kind: TextKind
    state: State
    words: str
    findings: Sequence[TextFinding]

    @property
    def verdict(self) -> Verdict:
        return verdict_on(self.findings)

    @property
    def contradictions(self) -> Iterator[TextFinding]:
        return (one for one in self.findings if one.verdict is Verdict.CONTRADICTS)


def checked_texts(root: Path, episode_id: str, evidence: EpisodeEvidence, seen: SeenTexts) -> list[CheckedText]:
    """The texts that a model or a person wrote; `seen` are those of other episodes, and these are added to them.

    Raises DatasetError, ReviewError.
    """
    file = SemanticsStore(root).read(episode_id)
    refuse_problems(file)
    texts = texts_of(open_dataset_episode(root, episode_id), file)
    written = {
        (number, kind): _written(texts, number, kind)
        for number, step in enumerate(texts.steps)
        for kind, text in step.items()
        if text.source is not None
    }
    found: dict[tuple[int, TextKind], list[TextFinding]] = {place: [] for place in written}
    for one in check_texts(evidence, written, seen):
        found[one.step, one.kind].append(one)
    return [
        CheckedText(number, kind, texts.steps[number][kind].state, written[number, kind].words, findings)
        for (number, kind), findings in found.items()
    ]


def _written(texts: EpisodeTexts, number: int, kind: TextKind) -> WrittenText:
    text = texts.steps[number][kind]
    assert text.source is not None
    then = text.source.inputs_sha
    if text.state is State.STALE:
        return WrittenText(text.words, then, texts.inputs[number].shown(kind, texts.edited[:number], with_box=True))
    return WrittenText(text.words, then, then)
