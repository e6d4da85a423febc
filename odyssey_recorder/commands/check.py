"""`check`: check an episode, a folder of them or a whole dataset, and print the findings."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from odyssey_recorder.checking.findings_report import CheckCounts, FindingsReport, render_findings_page
from odyssey_recorder.commands import model_usage
from odyssey_recorder.commands.terminal import line, out, print_warning, progress_bar, say
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.finding import NotChecked, Severity
from odyssey_recorder.model.plain_text import counted, step_number
from odyssey_recorder.reports import report_json, write_page
from odyssey_recorder.services.checking import FoundEpisodes, Opinions, check, find_episodes
from odyssey_recorder.wiring.user import checker_at, open_batch

_SHOWN_AT_MOST = 40
"""The largest number of findings that are printed."""
_STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_REASONS = 3


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Which model is asked for its opinion; `budget` is in US dollars, None without a limit."""

    model: str
    budget: float | None = None
    consent: bool = False
    yes: bool = False


def run_check(  # noqa: PLR0913 - the options
    path: Path,
    judge: JudgeOptions | None,
    fail_on: Severity,
    *,
    cache: Path | None,
    jobs: int | None,
    page: Path | None,
    as_json: bool,
) -> int:
    """Check and print; returns the exit code. `page` is the path of the HTML page; without `judge` no model is asked.

    Raises DatasetError if nothing can be checked, OdysseyError if the model cannot be asked.
    """
    found = find_episodes(path)
    if found.warning:
        print_warning(found.warning)
    opinions = {} if judge is None else _opinions(found, judge)
    checker = checker_at(cache, jobs)
    with progress_bar("Checking") as progress:
        report = check(found, checker, opinions, progress)
    if checker.problem:
        print_warning(checker.problem)
    exit_code = 1 if report.fails(from_=fail_on) else 0
    if page is not None:
        write_page(page, render_findings_page(report, found.annotations))
    if as_json:
        typer.echo(report_json(report.as_json(exit_code=exit_code)))
    else:
        _print(report)
    return exit_code


def _opinions(found: FoundEpisodes, judge: JudgeOptions) -> Opinions:
    """Raises DatasetError, LanguageModelError or TaskError if the model is not to be asked."""
    from odyssey_recorder.agents.verdict import EpisodeJudging
    from odyssey_recorder.settings import read_settings

    if (root := found.dataset) is None:
        raise DatasetError(f"{found.path} is not in a dataset folder, so no model can be asked about it.")
    ids = found.episode_ids
    judging = EpisodeJudging(open_batch(read_settings(dataset=root, model=judge.model), judge.budget), root)
    model_usage.confirm_sending(root, judging.plan(ids), judge.budget, consent=judge.consent, yes=judge.yes)
    with model_usage.interruptible(), model_usage.progress_bar() as show_progress:
        opinions = judging.run(ids, progress=show_progress)
    reasons = Counter(opinion.why for opinion in opinions.values() if isinstance(opinion, NotChecked))
    for why, count in reasons.most_common(_REASONS):
        print_warning(f"{counted(count, 'episode')} without an opinion: {why}")
    return opinions


# Output for people.


def _print(report: FindingsReport) -> None:
    if report.checks:
        out.print(_table(report.checks))
    for text in _listed(report):
        out.print(text, soft_wrap=True)
    more = len(report.findings) - _SHOWN_AT_MOST
    if more > 0:
        say(f"and {more} more. Use --html FILE or --json to see all.")
    style = next((_STYLES[severity] for severity, count in report.counts.items() if count), "green")
    say((report.summary, style))


def _table(checks: Sequence[CheckCounts]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=0)
    for name in ("Error", "Warning", "Note", "Not checked"):
        table.add_column(name, justify="right", min_width=len(name))
    table.add_column("Check")
    for row in checks:
        found = (line((str(count), _STYLES[severity])) if count else "" for severity, count in row.found.items())
        table.add_row(*found, str(row.not_checked or ""), f"{row.check}  {row.title}")
    return table


def _listed(report: FindingsReport) -> Iterator[Text]:
    left = _SHOWN_AT_MOST
    for episode_id, findings in report.by_episode:
        if left <= 0:
            return
        yield line((f"Episode {episode_id}" if episode_id else "The dataset as a whole", "bold"))
        for finding in findings[:left]:
            step = "" if finding.step is None else f"step {step_number(finding.step)}: "
            yield line(
                "  ",
                (f"{finding.check} {finding.severity.value:8}", _STYLES[finding.severity]),
                f"{step}{finding.found}",
            )
            yield line(f"{'':17}{finding.todo}")
        left -= len(findings)
        yield Text()
