"""`annotate accept`: accepts the texts that the evidence supports."""

from odyssey_recorder.commands.model_usage import DatasetArgument, FilterOption, print_problems
from odyssey_recorder.commands.terminal import ByOption, JsonOption, fail_if, print_json, say
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.model.plain_text import counted


def accept(
    dataset: DatasetArgument,
    *,
    selection: FilterOption = "",
    by: ByOption = None,
    as_json: JsonOption = False,
) -> None:
    """Accept the suggested texts that the recording supports.

    As Shift+Enter on the Annotate page does for one episode. Contradicted texts, those that could not be compared, and
    those that you should write blind or that test whether you read stay open.

    Exit code 0: success; 1: the texts of some episodes cannot be read or saved; 2: the dataset cannot be read.
    """
    from odyssey_recorder.commands.listing import selected_ids
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import text_reviewing

    settings = read_settings(dataset=dataset, annotator=by)
    rows: list[dict[str, str | int]] = []
    texts = text_reviewing(dataset, lambda: settings.annotator)
    for episode_id in selected_ids(dataset, selection):
        try:
            accepted, waiting = texts.accept_supported(episode_id)
        except (DatasetError, ReviewError) as error:
            rows.append({"episode_id": episode_id, "accepted": 0, "open": 0, "problem": str(error)})
        else:
            rows.append({"episode_id": episode_id, "accepted": accepted, "open": waiting, "problem": ""})
    problems = [(str(row["episode_id"]), str(row["problem"])) for row in rows if row["problem"]]
    if as_json:
        print_json(rows)
    else:
        accepted, waiting = (sum(int(row[key]) for row in rows) for key in ("accepted", "open"))
        say(f"{counted(accepted, 'text')} of {counted(rows, 'episode')} accepted, {waiting:,} left to decide")
        print_problems(problems)
    fail_if(problems)
