"""Several evaluations as one table, for a terminal, the window, Markdown, CSV and LaTeX."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from odyssey_recorder.errors import DatasetError
from odyssey_recorder.evaluation.report import Evaluation, shown
from odyssey_recorder.evaluation.scores import STOP_COLUMNS
from odyssey_recorder.files import write_durably
from odyssey_recorder.model.plain_text import on_one_line

TEXTS = ("Model", "File", "Split", "Protocol", "Level")
FIGURES = ("Steps", "AMS", "95%", "Category mean", "SR", "SR 95%", "Type match", "Text", *STOP_COLUMNS, "TSS")
_IF_KNOWN = ("Change", "AMS, alternatives", "SR, alternatives")
"""Columns that a table has if a row has a value: the AMS less that of the official script, and more."""
BRIEF = ("Model", "File", "Split", "Protocol", "AMS", "95%", "SR", *_IF_KNOWN[:2])
"""The columns for which a terminal and the window have room."""
_BEFORE_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|&~$#!@])")
_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", **{character: rf"\{character}" for character in "{}$&#_%"},
}  # fmt: skip


def leaderboard(evaluations: Sequence[Evaluation]) -> list[list[str]]:
    """The heads, then a row for each; those of one split, protocol and level together, the best first."""
    order = sorted(evaluations, key=lambda one: (*_terms(one), -(one.whole.ams or 0.0), one.model))
    official = {_scored(one): one.whole.ams for one in evaluations if one.asked.protocol == "official"}
    heads = (*TEXTS, *FIGURES, *_IF_KNOWN)
    rows = [_row(one, official.get(_scored(one))) for one in order]
    kept = [at for at, head in enumerate(heads) if head not in _IF_KNOWN or any(cells[at] for cells in rows)]
    return [[heads[at] for at in kept], *([shown(cells[at]) for at in kept] for cells in rows)]


def brief(evaluations: Sequence[Evaluation]) -> list[list[str]]:
    """The same with the columns `BRIEF` only."""
    table = leaderboard(evaluations)
    shown_at = [at for at, head in enumerate(table[0]) if head in BRIEF]
    return [[line[at] for at in shown_at] for line in table]


def write_leaderboard(path: Path, evaluations: Sequence[Evaluation]) -> None:
    """In the form of the name's ending: .md, .csv or .tex. Raises DatasetError."""
    if (spell := FORMS.get(path.suffix.lower())) is None:
        raise DatasetError(f"{path} has no known ending. Choose a name that ends in {', '.join(FORMS)}.")
    write_durably(path, spell(leaderboard(evaluations)).encode(errors="backslashreplace"))


def _terms(found: Evaluation) -> tuple[str, str, str]:
    return found.asked.split, found.asked.protocol, found.asked.level


def _scored(found: Evaluation) -> tuple[str, ...]:
    return found.asked.dataset, found.asked.predictions, found.asked.split, found.asked.selection


def _row(found: Evaluation, official: float | None) -> list[object]:
    split, protocol, level = _terms(found)
    whole, also = found.whole, None if found.alternatives is None else found.alternatives.whole
    is_other = official is not None and whole.ams is not None and protocol != "official"
    more = f"{whole.ams - official:+.2f}" if is_other else None  # type: ignore[operator]
    file = on_one_line(Path(found.asked.predictions).name)
    return [
        found.model, file, split or "all", protocol, level, whole.steps, whole.ams, found.ams_interval,
        found.ams_category_mean, whole.sr, found.sr_interval, whole.type_match, whole.text, *found.columns.values(),
        whole.tss, more, also and also.ams, also and also.sr,
    ]  # fmt: skip


def _markdown(table: Sequence[Sequence[str]]) -> str:
    heads, *rows = [[_MARKDOWN.sub(r"\\\1", cell) for cell in line] for line in table]
    rule = ["---" if at < len(TEXTS) else "---:" for at in range(len(heads))]
    return "".join(f"| {' | '.join(line)} |\n" for line in (heads, rule, *rows))


def _csv(table: Sequence[Sequence[str]]) -> str:
    """A text that a spreadsheet would take for a formula gets an apostrophe."""
    file = io.StringIO()
    csv.writer(file).writerows([[f"'{c}" if c.startswith(_BEFORE_FORMULAS) else c for c in line] for line in table])
    return file.getvalue()


def _latex(table: Sequence[Sequence[str]]) -> str:
    heads, *rows = [" & ".join("".join(_LATEX.get(c, c) for c in cell) for cell in line) + r" \\" for line in table]
    columns = "l" * len(TEXTS) + "r" * (len(table[0]) - len(TEXTS))
    lines = (rf"\begin{{tabular}}{{{columns}}}", r"\hline", heads, r"\hline", *rows, r"\hline", r"\end{tabular}")
    return "\n".join(lines) + "\n"


FORMS: dict[str, Callable[[Sequence[Sequence[str]]], str]] = {".md": _markdown, ".csv": _csv, ".tex": _latex}
