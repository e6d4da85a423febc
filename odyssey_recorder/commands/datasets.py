"""The commands for a whole dataset: `list`, `check`, `stats`, `export`, `convert` and `quality-report`."""

from contextlib import closing
from pathlib import Path
from typing import Annotated, Literal

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.cluster import ClusterOption
from odyssey_recorder.commands.model_usage import BudgetOption, ConsentOption, YesOption

PathArgument = Annotated[Path, typer.Argument(metavar="PATH", help="The dataset folder.")]
FilterOption = Annotated[
    str, typer.Option("--filter", metavar="EXPR", help="Only these episodes, such as 'steps:>20 app:Chrome'.")
]
JobsOption = Annotated[
    int | None, typer.Option(min=1, max=64, help="The number of processes.", show_default="one per CPU")
]


@terminal.exits_with_2()
def list_(
    dataset: terminal.DatasetArgument = None,
    *,
    wanted: Annotated[
        str, typer.Option("--filter", metavar="FILTER", help="Which episodes; see docs/filters.md.")
    ] = "",
    saved: Annotated[str, typer.Option(metavar="NAME", help="Which episodes, by a saved filter.")] = "",
    save: Annotated[str, typer.Option(metavar="NAME", help="Save the filter by this name.")] = "",
    checked: Annotated[bool, typer.Option("--check", help="Check episodes that have changed first.")] = False,
    as_json: terminal.JsonOption = False,
) -> None:
    """List the episodes that a filter selects, or all.

    Exit code 0: success; 2: the dataset or the filter cannot be read.
    """
    from odyssey_recorder.commands.listing import list_episodes
    from odyssey_recorder.dataset_index.filter import Filter, parse_filter
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import saved_filters, user_index

    filters = saved_filters()
    chosen = Filter((*(filters.get(saved).terms if saved else ()), *parse_filter(wanted).terms))
    with closing(user_index(dataset or read_settings().dataset)) as index:
        list_episodes(index, chosen, checked=checked, as_json=as_json)
    if save:
        filters.save(save, chosen)


@terminal.exits_with_2()
def check(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="An episode file, a folder of them, or a dataset folder.")
    ],
    *,
    as_json: terminal.JsonOption = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with all findings to this file.")] = None,
    fail_on: Annotated[
        Literal["error", "warning"], typer.Option(help="Exit with 1 for findings of this severity or above.")
    ] = "error",
    jobs: JobsOption = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Check everything again, without the cache.")] = False,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Ask this model whether the steps complete the instruction; its opinion is a note.",
            show_default="none",
        ),
    ] = None,
    budget: BudgetOption = None,
    consent: ConsentOption = False,
    yes: YesOption = False,
) -> None:
    """Check episodes, or a dataset as a whole.

    Covers screenshots, actions, instructions, duplicates, splits and files. Results are cached: only episodes that have
    changed are checked again. With --judge, the cost is shown first, and the owner of the dataset must agree before
    screenshots leave this computer.

    Exit code 0: no errors found (see --fail-on); 1: errors found; 2: nothing can be checked, or the model was not
    asked.
    """
    from odyssey_recorder.commands.check import JudgeOptions, run_check
    from odyssey_recorder.model.finding import Severity
    from odyssey_recorder.settings import checks_file

    cache = None if no_cache else checks_file()
    judging = None if judge is None else JudgeOptions(judge, budget, consent=consent, yes=yes)
    try:
        raise typer.Exit(
            run_check(path, judging, Severity(fail_on), cache=cache, jobs=jobs, page=html, as_json=as_json)
        )
    except KeyboardInterrupt as error:
        terminal.print_error("Interrupted. Results so far are cached.")
        raise typer.Exit(2) from error


@terminal.exits_with_2()
def stats(
    dataset: PathArgument,
    *,
    selection: FilterOption = "",
    against: Annotated[
        str, typer.Option(metavar="NAME", help="What to compare with: v1, v2, or another dataset folder.")
    ] = "v2",
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page to this file.")] = None,
    png: Annotated[Path | None, typer.Option("--png", metavar="DIR", help="Write images to this folder.")] = None,
    agents: terminal.AgentsOption = False,
    as_json: terminal.JsonOption = False,
) -> None:
    """Show the figures of a dataset, beside the published ones.

    Exit code 0: success; 2: the dataset cannot be read, or a file cannot be written.
    """
    from odyssey_recorder.commands.stats import read_figures, show_figures

    figures, source = read_figures(dataset, selection, against, agents=agents)
    show_figures(figures, source, page=html, images=png, as_json=as_json)


LayoutName = Literal[
    "release", "parquet", "webdataset", "jsonl", "official-chat", "llamafactory", "ms-swift", "qwen", "trl", "ui-tars"
]  # fmt: skip


@terminal.exits_with_2()
def export(
    dataset: PathArgument,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write. It must not exist.")],
    *,
    layout: Annotated[
        LayoutName,
        typer.Option(
            "--as",
            metavar="LAYOUT",
            help="release, parquet, webdataset or jsonl; for training, with a sample for each step: official-chat, "
            "llamafactory, ms-swift, qwen, trl or ui-tars.",
        ),
    ],
    selection: FilterOption = "",
    every: Annotated[bool, typer.Option("--all", help="Also episodes that are not accepted, or have errors.")] = False,
    agents: terminal.AgentsOption = False,
    like: Annotated[
        Literal["v1", "v2"] | None,
        typer.Option(help="With --as release: the release to follow.", show_default="v2 if every step has its texts"),
    ] = None,
    texts: Annotated[
        Literal["none", "accepted", "all"],
        typer.Option(help="The texts of steps: as in the annotation files, accepted by people, or also suggested."),
    ] = "none",
    per_step: Annotated[bool, typer.Option("--steps", help="With --as jsonl: a line per step.")] = False,
    split: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Samples: in the parts of this split.", show_default="one part"),
    ] = None,
    adapter: Annotated[
        str | None,
        typer.Option(help="Samples: as this kind of model is asked, see predict.", show_default="of the layout"),
    ] = None,
    history: Annotated[
        str,
        typer.Option(
            help="Samples: none, maker, actions[:N], screenshots:N[:STRIDE], context or memory, as in predict."
        ),
    ] = "actions",
    level: Annotated[
        Literal["high", "low", "both"], typer.Option(help="Samples: the episode's instruction, the step's, or both.")
    ] = "high",
    semantic: Annotated[
        str,
        typer.Option(
            help="Samples: also of each step's description (SD), context (CI), intention (DR), action result (AR), "
            "screen information (SI) and core of the memory (CM), such as SD,DR.",
            show_default="actions only",
        ),
    ] = "",
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Samples: only those of preference pairs, from corrected agents.")
    ] = False,
    jobs: JobsOption = None,
    cluster: ClusterOption = None,
) -> None:
    """Export accepted episodes for others to load.

    After an interruption, the same command continues. The same episodes give the same bytes.

    Exit code 0: success; 2: nothing can be exported, or OUT cannot be written.
    """
    from odyssey_recorder.annotation.text_kinds import semantic_of
    from odyssey_recorder.commands.export import executor_of, export_dataset
    from odyssey_recorder.commands.listing import selected_ids
    from odyssey_recorder.exporting.export_plan import TRAINERS, Options, Sampling
    from odyssey_recorder.services.exports import ExportWanted

    levels: tuple[Literal["high", "low"], ...] = ("high", "low") if level == "both" else (level,)
    samples = Sampling(adapter or TRAINERS.get(layout, ""), history, levels, semantic_of(semantic), pairs, split or "")
    options = Options(per_step=per_step, texts=texts, samples=samples)
    wanted = ExportWanted(dataset, out, layout, options, like)
    ids = selected_ids(dataset, selection, agents=agents)
    export_dataset(wanted, ids, executor_of(jobs, cluster), only_ready=not every)


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="An episode file or a dataset folder.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file or folder to write.")],
    *,
    dialect: Annotated[Literal["card", "release"], typer.Option(help="The output dialect.")],
) -> None:
    """Convert episodes to another dialect.

    `card` follows the dataset card, `release` the published files. Screenshots stay where they are; `export --as
    release` makes a dataset with all files. Redacted episodes are not converted.

    Exit code 0: success; 1: some episodes cannot be converted, or none can.
    """
    from odyssey_recorder.dataset import convert
    from odyssey_recorder.dataset.codec import Dialect

    result = convert.convert(source, target, Dialect(dialect))
    for failure in result.failures:
        terminal.print_error(failure)
    terminal.say(f"{len(result.written)} written, {len(result.failures)} failed")
    terminal.fail_if(result.failures)


@terminal.exits_with_2()
def quality_report(
    dataset: terminal.DatasetArgument = None,
    *,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots to this file.")
    ] = None,
    as_json: terminal.JsonOption = False,
) -> None:
    """Show the share of accepted episodes and reviewer agreement.

    Episodes that have changed since their last check are checked first.

    Exit code 0: success; 2: the dataset or its reviews cannot be read, or the page cannot be written.
    """
    from odyssey_recorder.commands.quality_report import report_quality
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import dataset_reviews

    service = dataset_reviews(dataset or read_settings().dataset)
    report_quality(service, html=html, as_json=as_json)
