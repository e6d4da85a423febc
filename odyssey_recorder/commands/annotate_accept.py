"""`annotate accept`: accepts the texts that the evidence supports."""

from contextlib import closing
from typing import Annotated

import typer

from odyssey_recorder.commands.model_usage import DatasetArgument, FilterOption, print_problems, selected
from odyssey_recorder.commands.terminal import JsonOption, exits_with_2, print_json, say
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.model.plain_text import counted


@exits_with_2()
def accept(
    dataset: DatasetArgument,
    *,
    selection: FilterOption = "",
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="NAME", help="Your name.", show_default="the annotator in the settings"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Accept the suggested texts that the recording supports.

    As Shift+Enter on the Annotate page does for one episode. Contradicted texts, those that could not be compared, and
    those that you should write blind or that test whether you read stay open.

    Exit code 0: success; 1: the texts of some episodes cannot be read or saved; 2: the dataset cannot be read.
    """
    from odyssey_recorder.annotation.reviewing import TextReviewing
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring import user_checker

    settings = read_settings(dataset=dataset, annotator=by)
    rows: list[dict[str, str | int]] = []
    problems: list[tuple[str, str]] = []
    with closing(user_checker()) as checker:
        texts = TextReviewing(dataset, checker.evidence, lambda: settings.annotator)
        for episode_id in selected(dataset, selection):
            accepted, waiting, problem = 0, 0, ""
            try:
                accepted, waiting = texts.accept_supported(episode_id)
            except (DatasetError, ReviewError) as error:
                problem = str(error)
                problems.append((episode_id, problem))
            rows.append({"episode_id": episode_id, "accepted": accepted, "open": waiting, "problem": problem})
    if as_json:
        print_json(rows)
    else:
        accepted, waiting = (sum(int(row[key]) for row in rows) for key in ("accepted", "open"))
        say(f"{counted(accepted, 'text')} of {counted(rows, 'episode')} accepted, {waiting:,} left to decide")
        print_problems(problems)
    if problems:
        raise typer.Exit(1)
