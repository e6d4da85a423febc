"""`check`: check an episode, a folder of them or a whole dataset, and print the findings."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from odyssey_recorder.annotation.checking import CheckedEpisode, checked_episodes
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.checking.findings_report import CheckCounts, FindingsReport, render_findings_page
from odyssey_recorder.checking.one_episode import JUDGED
from odyssey_recorder.checking.whole_dataset import check_dataset, check_episodes_together
from odyssey_recorder.commands.model_usage import confirm_sending, interruptible, progress_bar
from odyssey_recorder.commands.terminal import line, print_warning, say
from odyssey_recorder.dataset.change_journal import under_way
from odyssey_recorder.dataset.layout import ANNOTATIONS, INDEXES, dataset_of
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import storage_errors
from odyssey_recorder.model.finding import EpisodeReport, Finding, NotChecked, Severity
from odyssey_recorder.model.plain_text import counted, step_number
from odyssey_recorder.reports import report_json, write_page

_SHOWN_AT_MOST = 40
"""The largest number of findings that are printed."""
_STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_REASONS = 3
_Opinions = Mapping[str, Finding | NotChecked | None]
"""By episode id, with None for one that the model finds completed."""
_TOGETHER = ("IMG06", "EPI03", "EPI05", "INS04")


@dataclass(frozen=True, slots=True)
class Checked:
    """The episode files at `path`; `root` is their common dataset folder, or None."""

    path: Path
    annotations: Sequence[Path]
    root: Path | None = None


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Which model is asked for its opinion; `budget` is in US dollars, None without a limit."""

    model: str
    budget: float | None = None
    consent: bool = False
    yes: bool = False


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """`page` is the path of the HTML page; no cache if `cache` is None, no model is asked if `judge` is."""

    path: Path
    fail_on: Severity = Severity.ERROR
    as_json: bool = False
    page: Path | None = None
    jobs: int | None = None
    cache: Path | None = None
    judge: JudgeOptions | None = None


def run_check(request: CheckOptions, out: Console, err: Console) -> int:
    """Check and print; returns the exit code. Raises DatasetError if nothing can be checked.

    Raises OdysseyError if the model cannot be asked.
    """
    checked = find_episodes(request.path)
    if checked.root is not None and (cut_short := under_way(checked.root)) is not None:
        text = f"A fix of episode {cut_short.episode_id} is in progress or was interrupted. Its findings may be wrong."
        print_warning(f"{text} Open the episode in Review to finish or undo it.")
    opinions = {} if request.judge is None else _opinions(checked, request.judge)
    checker = Checker(request.cache, request.jobs)
    try:
        report = _checked(checker, checked, opinions, err)
        for episode in _with_texts(checker, checked):
            report.add_more(episode.report)
        if checker.problem:
            print_warning(checker.problem)
    finally:
        checker.close()
    exit_code = 1 if report.fails(from_=request.fail_on) else 0
    if request.page is not None:
        write_page(request.page, render_findings_page(report, checked.annotations))
    if request.as_json:
        typer.echo(report_json(report.as_json(exit_code=exit_code)))
    else:
        _print(report, out)
    return exit_code


def find_episodes(path: Path) -> Checked:
    """A file, a folder of them, or a dataset folder. Raises DatasetError if there are no episodes."""
    if path.is_file():
        return Checked(path, (path,))
    if not path.is_dir():
        raise DatasetError(f"{path} cannot be checked: no such file or folder.")
    inner = path / ANNOTATIONS
    folder, root = (inner, path) if inner.is_dir() else (path, path.parent if path.name == ANNOTATIONS else None)
    with storage_errors(folder, "read"):
        annotations = sorted(
            found for found in folder.glob("*.json") if found.name not in INDEXES and not found.name.startswith(".")
        )
    if not annotations:
        raise DatasetError(f"{folder} cannot be checked: it contains no episode file.")
    return Checked(path, annotations, root)


def _opinions(checked: Checked, judge: JudgeOptions) -> _Opinions:
    """Raises DatasetError, LanguageModelError or TaskError if the model is not to be asked."""
    from odyssey_recorder.agents.verdict import EpisodeJudging
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring import open_batch

    root = _dataset_of(checked)
    if root is None:
        raise DatasetError(f"{checked.path} is not in a dataset folder, so no model can be asked about it.")
    ids = [annotation.stem for annotation in checked.annotations]
    judging = EpisodeJudging(open_batch(read_settings(dataset=root, model=judge.model), judge.budget), root)
    confirm_sending(root, judging.plan(ids), judge.budget, consent=judge.consent, yes=judge.yes)
    with interruptible(), progress_bar() as show_progress:
        opinions = judging.run(ids, progress=show_progress)
    reasons = Counter(opinion.why for opinion in opinions.values() if isinstance(opinion, NotChecked))
    for why, count in reasons.most_common(_REASONS):
        print_warning(f"{counted(count, 'episode')} without an opinion: {why}")
    return opinions


def _checked(checker: Checker, checked: Checked, opinions: _Opinions, err: Console) -> FindingsReport:
    report = FindingsReport(checked.path)
    with _progress(err) as progress:
        bar = progress.add_task("Checking episodes", total=len(checked.annotations))

        def count(episode: EpisodeReport) -> None:
            report.add(_with_opinion(checker, checked, opinions, episode))
            progress.advance(bar)

        facts = checker.check_all(checked.annotations, count)
        if len(checked.annotations) == 1 and checked.root is None:
            report.add_together(NotChecked(check, "It needs the other episodes.") for check in _TOGETHER)
            return report
        progress.update(bar, description="Checking the dataset as a whole")
        if checked.root is None:
            report.add_together(check_episodes_together(facts))
        else:
            report.add_together(check_dataset(checked.root, facts))
    return report


def _with_texts(checker: Checker, checked: Checked) -> Iterator[CheckedEpisode]:
    root = _dataset_of(checked)
    if root is None:
        return iter(())
    return checked_episodes(root, (annotation.stem for annotation in checked.annotations), checker.evidence)


def _dataset_of(checked: Checked) -> Path | None:
    return checked.root or dataset_of(checked.annotations[0])


def _with_opinion(checker: Checker, checked: Checked, opinions: _Opinions, episode: EpisodeReport) -> EpisodeReport:
    """Keeps it with the other findings, so that the window shows it."""
    if episode.episode_id not in opinions:
        return episode
    opinion = opinions[episode.episode_id]
    judged = episode.with_result(JUDGED, opinion)
    if not isinstance(opinion, NotChecked):
        checker.keep(checked.annotations[0].with_name(f"{episode.episode_id}.json"), judged)
    return judged


def _progress(err: Console) -> Progress:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


# Output for people.


def _print(report: FindingsReport, out: Console) -> None:
    if report.checks:
        out.print(_table(report.checks))
    for text in _listed(report):
        out.print(text, soft_wrap=True)
    more = len(report.findings) - _SHOWN_AT_MOST
    if more > 0:
        say(f"and {more} more. Use --html FILE or --json to see all.", to=out)
    style = next((_STYLES[severity] for severity, count in report.counts.items() if count), "green")
    say((report.summary, style), to=out)


def _table(checks: Sequence[CheckCounts]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=0)
    for name in ("Error", "Warning", "Note", "Not checked"):
        table.add_column(name, justify="right", min_width=len(name))
    table.add_column("Check")
    for check in checks:
        found = (line((str(count), _STYLES[severity])) if count else "" for severity, count in check.found.items())
        table.add_row(*found, str(check.not_checked or ""), f"{check.check}  {check.title}")
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
