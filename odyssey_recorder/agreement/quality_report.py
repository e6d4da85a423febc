"""The figures of a reviewed dataset: what was accepted, how far reviewers agree, and what the sample shows. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import methodcaller
from statistics import median, quantiles

from odyssey_recorder.agreement.measures import Agreement, Interval, agreement, upper_bound, wilson
from odyssey_recorder.agreement.reviewed import AllReviewed, Reviewed
from odyssey_recorder.model.finding import Criterion
from odyssey_recorder.review.review import REASONS, Rating, Verdict, is_hasty
from odyssey_recorder.review.status import ReviewStage, same_person

DECISION = "Decision"
QUESTIONS = {
    Criterion.SCREENSHOTS: "Screenshots are present and correct",
    Criterion.SEQUENCE: "The steps complete the instruction",
    Criterion.INSTRUCTION: "The instruction means the same as the task",
}


@dataclass(frozen=True, slots=True)
class Share:
    """How many `of` a group were accepted, with Wilson's 95% interval."""

    name: str
    count: int
    of: int

    @property
    def share(self) -> float:
        return self.count / self.of if self.of else 0.0

    @property
    def interval(self) -> Interval:
        return wilson(self.count, self.of)


@dataclass(frozen=True, slots=True)
class Breakdown:
    by: str
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    name: str
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class ReportPanel:
    """The episodes with this number of verdicts that count: Cohen's kappa for two `reviewers`, Fleiss' for more."""

    reviewers: int
    questions: tuple[QuestionAgreement, ...]


@dataclass(frozen=True, slots=True)
class Pace:
    """Durations of `n` verdicts of one reviewer: median and 90th percentile, in seconds.

    `hasty` of them accepted an episode faster than its screens can be read.
    """

    name: str
    n: int
    median_s: float
    p90_s: float
    hasty: int = 0


@dataclass(frozen=True, slots=True)
class Reason:
    criterion: Criterion
    text: str
    count: int


@dataclass(frozen=True, slots=True)
class DefectBound:
    """What the sample shows about the episodes that one reviewer accepted.

    Of `n` sampled ones a second, blind review did not accept `defects`; `waiting` are still to be judged. The true rate
    is below `below` with 95% confidence.
    """

    n: int
    defects: int
    waiting: int
    below: float


@dataclass(frozen=True, slots=True)
class TextCheckFigures:
    """How many texts a check supports, contradicts and could not compare with what was recorded."""

    check: str
    title: str
    supported: int
    contradicted: int
    not_comparable: int


@dataclass(frozen=True, slots=True)
class HitRate:
    """How often a reviewer decided as the known verdict of control episodes: `good` are accepted, `bad` are not."""

    name: str
    good: Share
    bad: Share

    @property
    def all(self) -> Share:
        return Share(self.name, self.good.count + self.bad.count, self.good.of + self.bad.of)


@dataclass(frozen=True, slots=True)
class QualityReport:
    """All figures; `sampled_pairs` counts the pairs of verdicts on sampled episodes."""

    stages: tuple[tuple[ReviewStage, int], ...]
    verdicts: int
    accepted: Share
    breakdowns: tuple[Breakdown, ...]
    pairs: ReportPanel
    sampled_pairs: int
    panels: tuple[ReportPanel, ...]
    bound: DefectBound
    pace: tuple[Pace, ...]
    reasons: tuple[Reason, ...]
    problems: tuple[str, ...] = ()
    texts: tuple[TextCheckFigures, ...] = ()
    controls: tuple[HitRate, ...] = ()

    @property
    def episodes(self) -> int:
        return sum(count for _, count in self.stages)


def quality_report(reviewed: AllReviewed) -> QualityReport:
    episodes = reviewed.episodes
    final = [episode for episode in episodes if episode.stage.is_final]
    pairs = [episode for episode in episodes if len(episode.verdicts) >= 2]
    verdicts = [verdict for episode in episodes for verdict in episode.verdicts]
    stages = Counter(episode.stage for episode in episodes)
    return QualityReport(
        stages=tuple(
            (stage, stages[stage]) for stage in ReviewStage if stage is not ReviewStage.CHECKING or stages[stage]
        ),
        verdicts=len(verdicts),
        accepted=_share("All", final),
        breakdowns=tuple(_breakdowns(final)),
        pairs=_panel(pairs, 2),
        sampled_pairs=sum(pair.is_sampled for pair in pairs),
        panels=tuple(_larger_panels(pairs)),
        bound=defect_bound(episodes),
        pace=tuple(_pace(verdicts)),
        reasons=tuple(_reasons(verdicts)),
        problems=reviewed.problems,
        controls=tuple(_hit_rates(final)),
    )


def defect_bound(episodes: Iterable[Reviewed]) -> DefectBound:
    """Leaves out second reviews due to warnings: those episodes are worse than average."""
    sampled = [
        episode
        for episode in episodes
        if episode.is_sampled and episode.verdicts and episode.verdicts[0].decision.accepts
    ]
    seconds = [reviewed.verdicts[1] for reviewed in sampled if len(reviewed.verdicts) > 1]
    defects = sum(not second.decision.accepts for second in seconds)
    return DefectBound(len(seconds), defects, len(sampled) - len(seconds), upper_bound(defects, len(seconds)))


def _share(name: str, final: Sequence[Reviewed]) -> Share:
    return Share(name, sum(reviewed.stage is ReviewStage.ACCEPTED for reviewed in final), len(final))


_KEYS = {"Annotator": "recorder", "Category": "category", "Device": "device", "Template": "template"}
"""By which fields of their subject episodes are grouped."""


def _breakdowns(final: Sequence[Reviewed]) -> Iterator[Breakdown]:
    persons = _Persons()
    for by, key in _KEYS.items():
        groups: defaultdict[str, list[Reviewed]] = defaultdict(list)
        for reviewed in final:
            name: str = getattr(reviewed.subject, key).strip()
            groups[persons.name(name) if by == "Annotator" else name].append(reviewed)
        shares = (_share(name or "not known", group) for name, group in groups.items())
        yield Breakdown(by, tuple(sorted(shares, key=lambda share: (-share.of, share.name))))


class _Persons:
    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self, written: str) -> str:
        if written not in self._names:
            known = (name for name in self._names.values() if same_person(name, written))
            self._names[written] = next(known, written.strip())
        return self._names[written]


def _panel(episodes: Sequence[Reviewed], reviewers: int) -> ReportPanel:
    given = [episode.verdicts[:reviewers] for episode in episodes]

    def agreed(name: str, answer: Callable[[Verdict], Hashable]) -> QuestionAgreement:
        return QuestionAgreement(name, agreement([tuple(map(answer, verdicts)) for verdicts in given]))

    decided = agreed(DECISION, lambda verdict: verdict.decision.accepts)
    answered = (agreed(name, methodcaller("answer", criterion)) for criterion, name in QUESTIONS.items())
    return ReportPanel(reviewers, (decided, *answered))


def _larger_panels(pairs: Sequence[Reviewed]) -> Iterator[ReportPanel]:
    for reviewers in sorted({len(reviewed.verdicts) for reviewed in pairs} - {2}):
        yield _panel([reviewed for reviewed in pairs if len(reviewed.verdicts) == reviewers], reviewers)


def _pace(verdicts: Sequence[Verdict]) -> Iterator[Pace]:
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    persons, hasty = _Persons(), Counter[str]()
    for verdict in verdicts:
        if verdict.seconds > 0:
            seconds[persons.name(verdict.by)].append(verdict.seconds)
        if verdict.decision.accepts and is_hasty(verdict.seconds, verdict.subject.steps):
            hasty.update(("All", persons.name(verdict.by)))
    each = sorted(seconds.items(), key=lambda item: (-len(item[1]), item[0]))
    together = [second for _, some in each for second in some]
    for name, some in [("All", together), *each] if together else []:
        yield Pace(name, len(some), median(some), _p90(some), hasty[name])


def _hit_rates(final: Sequence[Reviewed]) -> Iterator[HitRate]:
    """An episode whose review was reopened has no known verdict, until it is finished again."""
    persons, hits = _Persons(), defaultdict[tuple[str, bool], list[bool]](list)
    for episode in final:
        for verdict, is_good in episode.controls:
            hits[persons.name(verdict.by), is_good].append(verdict.decision.accepts is is_good)

    def share(name: str, is_good: bool) -> Share:
        given = hits.get((name, is_good), [])
        return Share(name, sum(given), len(given))

    for name in sorted({name for name, _ in hits}):
        yield HitRate(name, share(name, True), share(name, False))


def _p90(values: Sequence[float]) -> float:
    return quantiles(values, n=10, method="inclusive")[-1] if len(values) > 1 else values[0]


def _reasons(verdicts: Sequence[Verdict]) -> Iterator[Reason]:
    times = Counter(
        (judgement.criterion, judgement.reason)
        for verdict in verdicts
        for judgement in verdict.judgements
        if judgement.answer is not Rating.PASS
    )
    order = list(Criterion)
    for (criterion, code), count in sorted(
        times.items(), key=lambda item: (order.index(item[0][0]), -item[1], item[0][1])
    ):
        yield Reason(criterion, REASONS[criterion].get(code, code), count)
