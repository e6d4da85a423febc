"""The evaluation of a file of predictions as a value, as JSON and as a page; every figure names its protocol."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from odyssey_recorder.agreement.measures import Interval, wilson
from odyssey_recorder.evaluation import scores
from odyssey_recorder.evaluation.answers import KINDS, AnswerKind, Bools, Ints
from odyssey_recorder.evaluation.gold import BROKEN_BOX, Gold
from odyssey_recorder.evaluation.intervals import by_unit, percentiles, ratios
from odyssey_recorder.evaluation.loading import Loaded
from odyssey_recorder.evaluation.pictures import StepPicture
from odyssey_recorder.evaluation.placement import Fit, place
from odyssey_recorder.evaluation.predictions import RANDOM
from odyssey_recorder.evaluation.protocols import OFFICIAL, PROTOCOLS, SWITCHES, ScoringTerms, switched
from odyssey_recorder.evaluation.published import PublishedScore, published
from odyssey_recorder.evaluation.scores import Figures, Placed, Scored
from odyssey_recorder.model.plain_text import counted, on_one_line
from odyssey_recorder.reports import render_page, write_page


@dataclass(frozen=True, slots=True)
class SwitchEffect:
    """What a switch of `strict` changes, after those before it: `changed` steps are judged otherwise."""

    switch: str
    ams: float | None
    sr: float | None
    changed: int


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """Of another model from this one on the episodes that both have, in points, with 95% intervals."""

    model: str
    predictions: str
    ams: float | None
    sr: float | None
    episodes: int
    ams_more: float | None
    ams_interval: Interval | None
    sr_more: float | None
    sr_interval: Interval | None
    fit: Fit


@dataclass(frozen=True, slots=True)
class AlternativesCounted:
    """The scores if what people accepted at `steps` of the judged steps is right too; `gained` are right only so."""

    whole: Figures
    steps: int
    gained: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`units` is what the intervals draw: episodes, or templates for the task split.

    `other` are the verdicts on the model that `against` compares with. `alternatives` is None unless asked for.
    """

    asked: ScoringTerms
    loaded: Loaded
    fit: Fit
    unread: Sequence[str]
    scored: Scored
    whole: Figures
    ams_category_mean: float | None
    sr_category_mean: float | None
    ams_interval: Interval | None
    sr_interval: Interval | None
    units: str
    by: dict[str, dict[str, Figures]]
    columns: dict[str, float | None]
    confusion: list[list[int]]
    changes: Sequence[SwitchEffect]
    published: Sequence[PublishedScore]
    placed: Placed
    alternatives: AlternativesCounted | None = None
    against: ModelDifference | None = None
    other: Scored | None = None

    @property
    def fits(self) -> list[tuple[str, Fit]]:
        """Each file of predictions, and how it fits the dataset."""
        others = [(self.against.predictions, self.against.fit)] if self.against is not None else []
        return [(self.asked.predictions, self.fit), *others]

    @property
    def model(self) -> str:
        """The name of the model, or else of the file, on one line."""
        return on_one_line(self.loaded.header.model) or Path(self.asked.predictions).name

    @property
    def rows(self) -> list[tuple[str, float | None, str]]:
        """Each score of the whole: its name, its value in percent and a remark."""
        of = self.whole
        by_action = ((f"AMS of {name}", value, "") for name, value in self.columns.items())
        return [
            ("AMS, pooled", of.ams, f"95%: {shown(self.ams_interval)}, over {self.units}"),
            ("AMS, category mean", self.ams_category_mean, ""),
            ("SR", of.sr, f"95%: {shown(self.sr_interval)}"),
            ("Type match", of.type_match, ""),
            ("Click accuracy", of.click, "given the type"),
            ("Text accuracy", of.text, f"{of.right_texts:,} / {of.texts:,}, given the type"),
            ("Goal progress", of.progress, ""),
            ("TSS", of.tss, ""),
            ("Readable answers", of.readable, ""),
            *by_action,
        ]

    @property
    def published_table(self) -> tuple[list[str], list[list[object]]]:
        """The heads, and a row for this evaluation and for each published result."""
        heads = dict.fromkeys(name for score in self.published for name in score.values)
        by_mean = self.asked.split == "random" and self.asked.protocol in ("official", "official-v1", "paper")
        means = self.ams_category_mean, self.sr_category_mean
        ams, sr = means if by_mean else (self.whole.ams, self.whole.sr)
        own: dict[str, object] = {"AMS": ams, "SR": sr, "TSS": self.whole.tss, "type match": self.whole.type_match}
        for name, figures in self.by["category"].items():
            own |= {name: figures.ams, f"{name} SR": figures.sr}
        own |= self.columns
        rows: list[list[object]] = [[self.model, "this evaluation", *map(own.get, heads)]]
        rows += ([score.model, score.source, *map(score.values.get, heads)] for score in self.published)
        return ["Model", "Source", *heads], rows

    @property
    def notes(self) -> list[str]:
        """What a reader of the scores has to know."""
        gold, rules = self.scored.gold, self.scored.rules
        empty = int(((gold.boxed == BROKEN_BOX) & (gold.kind <= AnswerKind.LONG_PRESS)).sum())
        notes = []
        if self.loaded.header.adapter == RANDOM:
            notes.append("The actions of this file are random, so its scores are chance.")
        if sample := self.loaded.header.sample:
            notes.append(f"The file has a sample of {on_one_line(sample)}: SR counts episodes that are whole in it.")
        if empty and rules.box == "any":
            notes.append(
                f"{counted(empty, 'press', 'presses')} of the dataset have an empty or malformed sam2_bbox. As in the "
                "official script, no prediction is right there."
            )
        if (more := self.alternatives) is not None:
            notes.append(
                f"If accepted alternatives are right too: AMS {shown(more.whole.ams)}, SR {shown(more.whole.sr)}. "
                f"{counted(more.steps, 'judged step')} had some, and {more.gained:,} of them became right."
            )
        return notes


def evaluate(gold: Gold, loaded: Loaded, asked: ScoringTerms, *, unread: Sequence[str] = ()) -> Evaluation:
    """`unread` says which episodes of the dataset cannot be read."""
    placed, fit = place(gold, loaded)
    scored = scores.score(gold, placed, PROTOCOLS[asked.protocol])
    ams, sr = scores.category_mean(scored)
    sums = _sums(gold, asked.split, scored.counts > 0, (scored.right, scored.counts))
    more = _alternatives(scored) if asked.alternatives else None
    return Evaluation(
        asked, loaded, fit, unread, scored, scores.figures(scored), ams, sr,
        percentiles(ratios(sums)[:, 0], len(sums[0][0])), _wilson(scored),
        "templates" if asked.split == "task" else "episodes",
        scores.breakdowns(scored), scores.paper_columns(scored), scores.confusion(scored),
        tuple(_changes(gold, placed)) if asked.protocol == "strict" else (),
        published(asked.protocol, asked.split, asked.level), placed, more,
    )  # fmt: skip


def _alternatives(scored: Scored) -> AlternativesCounted:
    also = scores.with_alternatives(scored)
    steps = sum(row in scored.gold.alternatives for row in scored.rows.tolist())
    return AlternativesCounted(scores.figures(also), steps, int((also.right - scored.right).sum()))


def with_difference(one: Evaluation, other: Loaded, path: str) -> Evaluation:
    """With another model, judged by the same protocol on the episodes that both have."""
    first, gold = one.scored, one.scored.gold
    placed, fit = place(gold, other)
    second = scores.score(gold, placed, first.rules)
    both = (first.counts > 0) & (second.counts > 0)
    whole = both & first.whole & second.whole
    right = ((each.right, each.counts) for each in (first, second))
    solved = ((each.solved & whole, whole) for each in (first, second))
    pairs = _sums(gold, one.asked.split, both, *right, *solved)
    ams, their_ams, sr, their_sr = (scores.percent(int(part.sum()), int(of.sum())) for part, of in pairs)
    drawn, units = ratios(pairs), len(pairs[0][0])
    difference = ModelDifference(
        other.header.model or Path(path).name, path, their_ams, their_sr, int(both.sum()),
        _less(their_ams, ams), percentiles(drawn[:, 1] - drawn[:, 0], units),
        _less(their_sr, sr), percentiles(drawn[:, 3] - drawn[:, 2], units), fit,
    )  # fmt: skip
    return replace(one, against=difference, other=second)


def as_json(found: Evaluation) -> dict[str, Any]:
    """docs/evaluation.md describes the keys."""
    costs = {name: getattr(found.loaded, name) for name in ("tokens_in", "tokens_out", "seconds")}
    return {
        **asdict(found.loaded.header),
        **asdict(found.asked),
        "layout": found.loaded.layout,
        **asdict(found.whole),
        "alternatives": None if found.alternatives is None else asdict(found.alternatives),
        "notes": found.notes,
        "ams_category_mean": found.ams_category_mean,
        "sr_category_mean": found.sr_category_mean,
        "intervals": {"of": found.units, "ams": _tree(found.ams_interval), "sr": _tree(found.sr_interval)},
        "file": asdict(found.fit),
        "unread_episodes": list(found.unread),
        "cost": costs,
        "by": {name: {label: asdict(figures) for label, figures in some.items()} for name, some in found.by.items()},
        "columns": found.columns,
        "confusion": {"columns": list(scores.COLUMNS), "rows": dict(zip(KINDS, found.confusion, strict=True))},
        "switches": [asdict(change) for change in found.changes],
        "published": [asdict(score) for score in found.published],
        "against": _tree(found.against),
    }


def write_report(path: Path, found: Evaluation, pictures: Sequence[StepPicture] = ()) -> None:
    """With `pictures` of wrong steps. Raises DatasetError."""
    rows = list(zip(KINDS, found.confusion, strict=True))
    filters: dict[str, Callable[..., object]] = {"figure": shown, "heat": _heat}
    page = render_page("evaluation.html", filters, found=found, rows=rows, columns=scores.COLUMNS, pictures=pictures)
    write_page(path, page)


def shown(value: object) -> str:
    match value:
        case None:
            return "–"  # noqa: RUF001 - the mark of an empty cell
        case Interval(low, high):
            return f"{low:.2f} to {high:.2f}"
        case float():
            return f"{value:.2f}"
        case int():
            return f"{value:,}"
        case _:
            return str(value)


def _changes(gold: Gold, placed: Placed) -> list[SwitchEffect]:
    """From `official` to `strict`, one switch after the other."""
    before = scores.by_step(scores.score(gold, placed, OFFICIAL))
    found = []
    for names in accumulate(((name,) for name in SWITCHES), tuple.__add__):
        scored = scores.score(gold, placed, switched(*names))
        figures, right = scores.figures(scored), scores.by_step(scored)
        found.append(SwitchEffect(names[-1], figures.ams, figures.sr, int((before != right).sum())))
        before = right
    return found


def _sums(gold: Gold, split: str, among: Bools, *pairs: tuple[Ints | Bools, Ints | Bools]) -> list[tuple[Ints, Ints]]:
    """Of columns per episode, sums per unit that the bootstrap draws: an episode, or a template for the task split."""
    chosen = [gold.episodes[at] for at in np.flatnonzero(among).tolist()]
    units = [episode.meta_task if split == "task" else episode.episode_id for episode in chosen]
    return [(by_unit(part[among], units), by_unit(of[among], units)) for part, of in pairs]


def _wilson(scored: Scored) -> Interval | None:
    """Of SR, in percent."""
    if not (whole := int(scored.whole.sum())):
        return None
    interval = wilson(int(scored.solved.sum()), whole)
    return Interval(round(100 * interval.low, 2), round(100 * interval.high, 2))


def _tree(value: Interval | ModelDifference | None) -> dict[str, Any] | None:
    return None if value is None else asdict(value)


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else round(one - other, 2)


def _heat(count: int, row: Sequence[int]) -> str:
    """The share of a row as an opacity."""
    return f"{count / (sum(row) or 1):.2f}"
