"""Checks the texts in a dataset's semantics files against what was recorded."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.agreement.quality_report import TextCheckFigures
from odyssey_recorder.annotation.checks import check_texts
from odyssey_recorder.annotation.findings import CHECKS, Evidence, Support, TextFinding, verdict_on
from odyssey_recorder.annotation.inputs import EpisodeTexts, texts_of
from odyssey_recorder.annotation.memory import memory_of
from odyssey_recorder.annotation.memory_checks import memory_findings
from odyssey_recorder.annotation.near_duplicates import SeenTexts
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import Named, SemanticsFile, SemanticsStore, TextState
from odyssey_recorder.annotation.text_evidence import Course
from odyssey_recorder.annotation.text_in_context import WrittenText, cited, contradicts, unseen
from odyssey_recorder.annotation.text_kinds import MemoryKind, TextKind
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.model.finding import EpisodeReport, Finding, NotChecked


@dataclass(frozen=True, slots=True)
class CheckedText:
    """`step` counts from 0. `findings` are of all checks that concern the text, also of those that could not look."""

    step: int
    kind: TextKind | MemoryKind
    state: TextState
    words: str
    findings: Sequence[TextFinding]

    @property
    def verdict(self) -> Support:
        return verdict_on(self.findings)

    @property
    def contradictions(self) -> Iterator[TextFinding]:
        return (finding for finding in self.findings if finding.verdict is Support.CONTRADICTS)


@dataclass(frozen=True, slots=True)
class CheckedEpisode:
    """`problem` says why the texts could not be read, or is empty."""

    episode_id: str
    texts: Sequence[CheckedText] = ()
    problem: str = ""

    @property
    def report(self) -> EpisodeReport:
        """As the other checks report: every contradiction, and what could not be compared."""
        findings = tuple(self._finding(text, finding) for text in self.texts for finding in text.contradictions)
        unseen: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        for finding in (finding for text in self.texts for finding in text.findings):
            if finding.verdict is Support.COULD_NOT_LOOK:
                unseen[finding.check, finding.found.removeprefix("Not checked: ").rstrip(".")].add(finding.step)
        skipped = [NotChecked(check, why, tuple(sorted(steps))) for (check, why), steps in unseen.items()]
        if self.problem:
            skipped += [NotChecked(check, self.problem) for check in CHECKS]
        return EpisodeReport(self.episode_id, findings, tuple(skipped))

    def _finding(self, text: CheckedText, finding: TextFinding) -> Finding:
        found, todo = f"{text.kind.value}: {finding.found}", "Correct the text, or reject it."
        return Finding(finding.check, finding.severity, None, self.episode_id, text.step, found, todo)


def checked_episodes(
    root: Path, episode_ids: Iterable[str], evidence: Callable[[Path], EpisodeEvidence]
) -> Iterator[CheckedEpisode]:
    """Those that have texts, in order: the texts of each are compared with those before it. `evidence` is of the
    annotation file.
    """
    seen, with_texts = SeenTexts(), frozenset(SemanticsStore(root).ids())
    for episode_id in sorted(with_texts.intersection(episode_ids)):
        try:
            texts = checked_texts(root, episode_id, evidence(root / annotation_path(episode_id)), seen)
        except (DatasetError, ReviewError) as error:
            yield CheckedEpisode(episode_id, problem=str(error))
        else:
            yield CheckedEpisode(episode_id, texts)


def text_figures(checked: Iterable[CheckedEpisode]) -> tuple[TextCheckFigures, ...]:
    """For each check how many texts it supports, contradicts and could not compare."""
    counts = Counter(
        (finding.check, finding.verdict) for episode in checked for text in episode.texts for finding in text.findings
    )
    return tuple(
        TextCheckFigures(check.id, check.title, *(counts[check.id, verdict] for verdict in Support))
        for check in CHECKS.values()
        if any(counts[check.id, verdict] for verdict in Support)
    )


def checked_texts(root: Path, episode_id: str, evidence: EpisodeEvidence, seen: SeenTexts) -> list[CheckedText]:
    """The texts that a model or a person wrote, and the memory.

    `seen` are the texts of other episodes, and these are added to them. Raises DatasetError, ReviewError.
    """
    file = SemanticsStore(root).read_complete(episode_id)
    opened = open_dataset_episode(root, episode_id)
    texts = texts_of(opened, file)
    written = {
        (number, kind): _written(texts, number, kind)
        for number, step in enumerate(texts.steps)
        for kind, text in step.items()
        if text.source is not None
    }
    found: dict[tuple[int, TextKind | MemoryKind], list[TextFinding]] = {place: [] for place in written}
    for finding in (*check_texts(evidence, written, seen), *_action_mismatches(file, texts)):
        found[finding.step, finding.kind].append(finding)
    checked = [
        CheckedText(number, kind, texts.steps[number][kind].state, text.words, found[number, kind])
        for (number, kind), text in written.items()
    ]
    course = Course(evidence)
    for number, memory in enumerate(memory_of(opened, file, texts.inputs)):
        for finding in memory_findings(course, number, memory):
            kept = memory.kept[MemoryKind(finding.kind)]
            checked.append(CheckedText(number, finding.kind, kept.state, kept.words, (finding,)))
    return checked


def _action_mismatches(file: SemanticsFile, texts: EpisodeTexts) -> Iterator[TextFinding]:
    """Of texts out of which another model reads no action, or another than was recorded."""
    newest = {(entry.place, entry.call.model_answered): entry for entry in file.entries if isinstance(entry, Named)}
    places = {step_inputs.step_key: number for number, step_inputs in enumerate(texts.inputs)}
    for (_, model), named in newest.items():
        number = places.get(named.step_key)
        if number is None or named.is_right:
            continue
        text, inputs = texts.steps[number][named.field], texts.inputs[number]
        now = inputs.shown(named.field, texts.edited[:number], with_box=True)
        if text.source is None or (text.words, now) != (named.words, named.inputs_sha):
            continue
        evidence = Evidence(f"{model} at {named.call.host}", cited(named.action or "no action"))
        result = (
            contradicts(f"Another model, {model}, reads {cited(named.action)} out of it.", evidence)
            if named.action
            else unseen(f"another model, {model}, reads no action out of it")
        )
        yield TextFinding("ANN14", number, named.field, result.verdict, result.found, result.evidence)


def _written(texts: EpisodeTexts, number: int, kind: TextKind) -> WrittenText:
    text = texts.steps[number][kind]
    assert text.source is not None
    then = text.source.inputs_sha
    if text.state is TextState.STALE:
        return WrittenText(text.words, then, texts.inputs[number].shown(kind, texts.edited[:number], with_box=True))
    return WrittenText(text.words, then, then)
