"""`predict`: what a language model would do at each step of a dataset."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.model_usage import (
    AdapterOption,
    AgentOption,
    BudgetOption,
    ConsentOption,
    FilterOption,
    ModelOption,
    PromptFileOption,
    YesOption,
    confirm_sending,
    interruptible,
    print_answers,
    print_problems,
    progress_bar,
)
from odyssey_recorder.commands.terminal import exits_with_2, fail_if, print_warning, say
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.plain_text import counted

if TYPE_CHECKING:
    from odyssey_recorder.agents.predict import ChosenSteps
    from odyssey_recorder.evaluation.predictions import Prediction, PredictionsHeader


@exits_with_2()
def predict(  # noqa: PLR0913 - the options
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="The dataset folder.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write, as JSON Lines.")],
    *,
    agent: AgentOption = "model",
    adapter: AdapterOption = "ours",
    model: ModelOption = None,
    prompt: PromptFileOption = None,
    marks: Annotated[
        str,
        typer.Option(
            metavar="views|boxes|FILE",
            help="Where the numbered elements of set-of-marks are from: the view hierarchy, also the boxes of "
            "annotate boxes, or a detector's file.",
        ),
    ] = "views",
    history: Annotated[
        str,
        typer.Option(
            help="What is told of earlier steps: none, maker, actions[:N], screenshots:N[:STRIDE], context, "
            "memory[:paper|:kept][:stm+ltm+screen][:n=N][:live]."
        ),
    ] = "actions",
    level: Annotated[
        Literal["high", "low"],
        typer.Option(help="The instruction that the model is given: the episode's or the step's."),
    ] = "high",
    split: Annotated[str, typer.Option(help="Only episodes of this part of a split, such as app/test.")] = "",
    selection: FilterOption = "",
    sample: Annotated[
        int | None, typer.Option(min=1, help="The number of episodes, in proportion to categories.", show_default="all")
    ] = None,
    unit: Annotated[
        Literal["episode", "step"], typer.Option(help="What --sample counts; single steps give no success rate.")
    ] = "episode",
    seed: Annotated[int, typer.Option(help="Of the sample, and of random actions.")] = 0,
    budget: BudgetOption = None,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="The number of concurrent requests.")] = 16,
    consent: ConsentOption = False,
    yes: YesOption = False,
) -> None:
    """Ask a language model for the action of every step.

    --agent gold writes the recorded actions and --agent random any of the nine, to see what scores 100 and what is
    chance. Neither asks a model.

    Shows the estimated cost first. Before screenshots leave this computer, the owner of the dataset must agree; what
    is drawn as redacted and password fields are black in them. The file appears once it is complete: an interrupted
    run is continued by the same command.

    Exit code 0: all steps are predicted; 1: some episodes cannot be read, some steps have no answer yet, or the server
    failed for more than a tenth; 2: not started, or interrupted.
    """
    from odyssey_recorder.agents.adapter import adapter_named
    from odyssey_recorder.agents.baselines import baseline_predictions
    from odyssey_recorder.agents.history import HistoryRule
    from odyssey_recorder.agents.marks import Marks
    from odyssey_recorder.agents.predict import Predicting
    from odyssey_recorder.evaluation.predictions import PredictionsHeader
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import open_batch

    chosen, rule = adapter_named(adapter, prompt), HistoryRule.parse(history)
    tags = Marks(dataset, marks) if chosen.needs_marks else None
    _refuse_foreign(out)
    steps = _chosen(dataset, f"split:{split} {selection}" if split else selection, sample, seed, unit)
    is_part = f"{sample:,} steps" if sample and unit == "step" else ""
    if agent != "model":
        predictions, problems = baseline_predictions(dataset, steps, agent, seed)
        print_problems([*problems.items()])
        name = f"random, seed {seed}" if agent == "random" else agent
        _write(out, PredictionsHeader(agent, name, "none", level, is_part), predictions, problems)
        return
    settings = read_settings(dataset=dataset, model=model)
    predicting = Predicting(open_batch(settings, budget, at_once=at_once), dataset, chosen, rule, level, tags)
    plan = predicting.plan(steps)
    confirm_sending(dataset, plan, budget, consent=consent, yes=yes)
    with interruptible(), progress_bar(shows_answers=False) as on_progress:
        ended = predicting.run(steps, progress=on_progress)
    print_problems([*ended.problems.items()])
    if ended.unasked:
        for why, count in ended.unasked.most_common(3):
            print_warning(f"{counted(count, 'step')}: {why}")
        say("Nothing was written. Answers so far are kept. Run the same command to continue.", to=terminal.err)
        raise typer.Exit(1)
    name = chosen.name if tags is None else f"{chosen.name}, tags of {tags.name}"
    header = PredictionsHeader(name, plan.estimate.model, str(rule), level, is_part)
    _write(out, header, ended.predictions, ended.problems)


def _write(
    out: Path, header: "PredictionsHeader", predictions: "list[Prediction]", problems: Mapping[str, str]
) -> None:
    """Ends with exit code 1 if there are problems of episodes, or the server failed for more than a tenth."""
    from odyssey_recorder.evaluation.predictions import header_line, prediction_line
    from odyssey_recorder.files import write_durably
    from odyssey_recorder.model.answer_failure import failure_in, is_mostly_whole

    write_durably(out, b"".join([header_line(header), *map(prediction_line, predictions)]))
    unread = [prediction.problem for prediction in predictions if prediction.action is None]
    failures = Counter(failure_in(problem) or "unreadable" for problem in unread)
    print_answers(failures, len(predictions))
    episodes = counted({prediction.episode for prediction in predictions}, "episode")
    others = failures["not an action"]
    share = f", {others / len(predictions):.1%} ask for something else, such as to wait" if others else ""
    say(f"{counted(predictions, 'step')} of {episodes}, {len(unread):,} without an action{share}")
    if timed := [prediction for prediction in predictions if prediction.seconds]:
        speed = sum(prediction.tokens_out for prediction in timed) / sum(prediction.seconds for prediction in timed)
        say(
            f"{median(prediction.seconds for prediction in timed):.2f} seconds an answer (median), {speed:.2f} tokens "
            "a second of whole requests. Answers are not streamed, so no time to the first token is measured."
        )
    fail_if(problems or not is_mostly_whole(failures["broken"], len(predictions)))


def _chosen(dataset: Path, selection: str, sample: int | None, seed: int, unit: str) -> "ChosenSteps":
    from odyssey_recorder.agents.predict import sampled
    from odyssey_recorder.commands.listing import selected

    with selected(dataset, selection) as (index, selected_filter):
        rows = {row.episode_id: row for row in index.rows(selected_filter)}
    if not rows:
        raise DatasetError(f"No episode of {dataset} is selected.")
    if sample is None or unit == "episode":
        categories = {name: row.category for name, row in rows.items()}
        return dict.fromkeys(sampled(categories, sample or len(rows), seed))
    places = {f"{name} {number}": row.category for name, row in rows.items() for number in range(row.steps)}
    chosen: dict[str, set[int]] = {}
    for name, _, number in (place.partition(" ") for place in sampled(places, sample, seed)):
        chosen.setdefault(name, set()).add(int(number))
    return chosen


def _refuse_foreign(out: Path) -> None:
    """Raises DatasetError: only a file of predictions may be replaced."""
    from odyssey_recorder.evaluation.predictions import LONGEST_LINE, read_header
    from odyssey_recorder.files import open_file, storage_errors

    if not out.exists():
        return
    with storage_errors(out, "read"), open_file(out, 1 << 40) as file:
        if read_header(file.readline(LONGEST_LINE)) is None:
            raise DatasetError(f"{out} is not a file of predictions, so it was not replaced. Choose another name.")
