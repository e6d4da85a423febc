"""`annotate`: the texts of steps, written by a language model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from odyssey_recorder.commands import model_usage, terminal
from odyssey_recorder.commands.annotate_accept import accept
from odyssey_recorder.commands.annotate_batch import batch
from odyssey_recorder.commands.annotate_boxes import boxes, sam2
from odyssey_recorder.commands.annotate_files import export_texts, import_texts
from odyssey_recorder.commands.terminal import (
    CommandGroup,
    JsonOption,
    fail_if,
    line,
    print_json,
    say,
)
from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.model.plain_text import counted, step_number

if TYPE_CHECKING:
    from odyssey_recorder.annotation.checking import CheckedText
    from odyssey_recorder.annotation.conversations import Conversations, Ended
    from odyssey_recorder.annotation.trust import TrustFigures

app = CommandGroup("annotate", "Write and check the texts of steps.")

_CallsOption = Annotated[
    Literal["three", "combined"],
    typer.Option(help="Requests per step: three as in the paper, or one for all texts, which is cheaper."),
]
_MemoryOption = Annotated[
    Literal["full", "cheap"] | None,
    typer.Option(
        help="Write Chain-of-Memory instead of texts. full: three candidates and a judging call for each part; cheap: "
        "one candidate, judged only if the recording contradicts it.",
        show_default="texts",
    ),
]


@app.command()
def plan(  # noqa: PLR0913 - the flags
    dataset: model_usage.DatasetArgument,
    *,
    selection: model_usage.FilterOption = "",
    calls: _CallsOption = "three",
    memory: _MemoryOption = None,
    effort: model_usage.EffortOption = "",
    prompt: model_usage.PromptsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which texts are missing or stale, and the cost of a run.

    Asks the server for its models only. Nothing of the dataset leaves this computer.

    Exit code 0: success; 2: the dataset cannot be read, or no model is set.
    """
    from odyssey_recorder.commands.listing import selected_ids

    ids = selected_ids(dataset, selection)
    found = _asking(dataset, calls, memory, effort, prompt).plan(ids)
    states = _states(dataset, ids, memory)
    if as_json:
        estimate = found.estimate
        print_json(
            {
                "episodes": len(ids),
                "texts": dict(states),
                "requests": estimate.calls,
                "cached": estimate.kept,
                "tokens_in": estimate.tokens_in,
                "tokens_out": estimate.tokens_out,
                "cost": estimate.cost,
                "model": estimate.model,
                "host": estimate.host,
                "screenshots": found.screenshots,
                "bytes": found.bytes,
                "problems": found.problems,
            }
        )
        return
    _print_states(ids, states)
    model_usage.print_cost(found.estimate, to=terminal.out)
    model_usage.print_upload_size(found)
    model_usage.print_problems(list(found.problems.items()))


@app.command()
def run(  # noqa: PLR0913 - the flags
    dataset: model_usage.DatasetArgument,
    *,
    selection: model_usage.FilterOption = "",
    calls: _CallsOption = "three",
    memory: _MemoryOption = None,
    effort: model_usage.EffortOption = "",
    prompt: model_usage.PromptsOption = None,
    budget: model_usage.BudgetOption = None,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="The number of concurrent requests.")] = 16,
    consent: model_usage.ConsentOption = False,
    yes: model_usage.YesOption = False,
) -> None:
    """Have a language model write the texts that are missing or stale.

    Each becomes a suggestion in semantics/, for people to accept or edit; annotation files do not change. Shows the
    estimated cost first. Before screenshots leave this computer, the owner of the dataset must agree; what is drawn
    as redacted and password fields are black in them. An interrupted run is continued by the same command.

    Exit code 0: all texts are there; 1: some could not be written; 2: not started, or interrupted.
    """
    from odyssey_recorder.commands.listing import selected_ids

    ids = selected_ids(dataset, selection)
    asking = _asking(dataset, calls, memory, effort, prompt, budget=budget, at_once=at_once)
    ended = _run_model(asking, dataset, ids, budget, consent=consent, yes=yes)
    say(f"{counted(sum(episode.texts for episode in ended), 'text')} added for {counted(ids, 'episode')}")
    model_usage.exit_with_problems(_problems(ended))


app.command()(batch)


@app.command()
def check(  # noqa: PLR0913 - the flags
    dataset: model_usage.DatasetArgument,
    *,
    selection: model_usage.FilterOption = "",
    model: Annotated[
        str | None,
        typer.Option(help="Another model, which names the action that an instruction describes.", show_default="none"),
    ] = None,
    budget: model_usage.BudgetOption = None,
    consent: model_usage.ConsentOption = False,
    yes: model_usage.YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compare the texts with what was recorded.

    Each text is supported or contradicted by what was touched, typed and shown, or not comparable. With --model, a
    model also reads each instruction with its screenshot; if it reads another action, the instruction is flagged.
    Its answers are kept in semantics/, and asked for once.

    Exit code 0: nothing is contradicted; 1: some texts are, or could not be read; 2: the dataset cannot be read, or the
    model was not asked.
    """
    from odyssey_recorder.annotation.checking import checked_episodes
    from odyssey_recorder.commands.listing import selected_ids
    from odyssey_recorder.wiring.user import user_checker

    ids = selected_ids(dataset, selection)
    problems = [] if model is None else _named(dataset, ids, model, budget, consent=consent, yes=yes)
    rows: list[dict[str, object]] = []
    verdicts: Counter[str] = Counter()
    for episode in checked_episodes(dataset, ids, user_checker().evidence):
        if episode.problem:
            problems.append((episode.episode_id, episode.problem))
        verdicts.update(text.verdict.value for text in episode.texts)
        rows += (_checked_row(episode.episode_id, text) for text in episode.texts)
        if not as_json:
            _print_contradictions(episode.episode_id, episode.texts)
    if as_json:
        print_json(rows)
    else:
        counts = ", ".join(f"{verdicts[verdict]:,} {words}" for verdict, words in _VERDICTS.items())
        say(f"{counted(verdicts.total(), 'text')} of {counted(ids, 'episode')}: {counts}")
    model_usage.exit_with_problems(problems)
    fail_if(verdicts["contradicts"])


app.command()(boxes)
app.command()(sam2)
app.command()(accept)
app.command("import")(import_texts)
app.command("export")(export_texts)


@app.command()
def figures(dataset: model_usage.DatasetArgument, *, as_json: JsonOption = False) -> None:
    """Show how far the texts that people accepted can be trusted.

    Counts decisions on the Annotate page: how much people accepted and changed, how long they looked, how many
    planted errors they noticed, and how alike their blind texts are to the suggestions.

    Exit code 0: success; 1: too few planted errors were noticed; 2: the dataset cannot be read.
    """
    from odyssey_recorder.annotation.semantics import SemanticsStore
    from odyssey_recorder.annotation.trust import Seen, trust_figures
    from odyssey_recorder.commands.listing import selected_ids

    store = SemanticsStore(dataset)
    selected_ids(dataset, "")
    found = trust_figures(Seen.of(store.read(episode_id)) for episode_id in store.ids())
    if as_json:
        print_json([{**asdict(person), "accept_rate": person.accept_rate, "doubt": person.doubt} for person in found])
    elif not found:
        say("Nobody has decided on a text yet.")
    else:
        for person in found:
            _print_trust(person)
    fail_if(any(person.doubt for person in found))


def _print_trust(person: "TrustFigures") -> None:
    counts = (
        f"{counted(person.decided, 'suggestion')} decided one by one, {person.bulk:,} together",
        "" if person.accept_rate is None else f"{person.accept_rate:.0%} accepted",
        "" if person.edit_distance is None else f"edited ones changed by {person.edit_distance:.0%}",
        "" if person.seconds is None else f"{person.seconds:.1f} s for each",
        f"{person.caught} of {person.planted} planted errors caught",
        "" if person.agreement is None else f"{person.blind:,} written blind, {person.agreement:.0%} alike",
    )
    say(f"{line(person.by) or 'All'}: {'; '.join(filter(None, counts))}")
    if person.doubt:
        say((f"  {person.doubt}", "yellow"))


_VERDICTS = {"supports": "supported", "contradicts": "contradicted", "could not look": "not comparable"}


def _checked_row(episode_id: str, text: "CheckedText") -> dict[str, object]:
    findings = [
        {
            "check": found.check,
            "verdict": found.verdict.value,
            "found": found.found,
            "evidence": [asdict(proof) for proof in found.evidence],
        }
        for found in text.findings
    ]
    return {
        "episode_id": episode_id,
        "step_index": text.step,
        "text": text.kind.value,
        "state": text.state.value,
        "words": text.words,
        "verdict": text.verdict.value,
        "findings": findings,
    }


def _print_contradictions(episode_id: str, found: "Sequence[CheckedText]") -> None:
    for text in found:
        for contradiction in text.contradictions:
            place = f"{episode_id} step {step_number(text.step)} {text.kind.value}"
            say(f"{place}: {contradiction.found} ({contradiction.check})")
            say(f"  {line(text.words)}")


def _asking(  # noqa: PLR0913 - the flags
    dataset: Path,
    calls: Literal["three", "combined"],
    memory: Literal["full", "cheap"] | None,
    effort: str,
    prompts: list[str] | None,
    *,
    budget: float | None = None,
    at_once: int = 16,
) -> "Conversations":
    from odyssey_recorder.services.step_texts import TextsWanted
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import open_batch, user_checker

    batch = open_batch(read_settings(dataset=dataset), budget, at_once=at_once)
    return TextsWanted(calls, memory, effort, tuple(prompts or ())).writer(batch, dataset, user_checker().evidence)


def _named(  # noqa: PLR0913 - the flags
    dataset: Path, ids: Sequence[str], model: str, budget: float | None, *, consent: bool, yes: bool
) -> list[tuple[str, str]]:
    """Why some actions were not named, by episode."""
    from odyssey_recorder.agents.action_naming import ActionNaming
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import open_batch

    naming = ActionNaming(open_batch(read_settings(dataset=dataset, model=model), budget), dataset, model)
    return _problems(_run_model(naming, dataset, ids, budget, consent=consent, yes=yes))


def _problems(ended: "Sequence[Ended]") -> list[tuple[str, str]]:
    return [(episode.episode_id, episode.problem) for episode in ended if episode.problem]


def _states(dataset: Path, ids: Sequence[str], memory: str | None) -> Counter[str]:
    from odyssey_recorder.annotation.listing import listed_memory, listed_texts

    listed = listed_texts if memory is None else listed_memory
    states: Counter[str] = Counter()
    for episode_id in ids:
        try:
            states.update(str(row["state"]) for row in listed(dataset, episode_id))
        except OdysseyError:
            continue  # the plan says why
    return states


def _print_states(ids: Sequence[str], states: Counter[str]) -> None:
    counts = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
    say(f"{counted(ids, 'episode')}: {counts or 'no texts'}")


def _run_model(  # noqa: PLR0913 - the flags
    asking: "Conversations", dataset: Path, ids: Sequence[str], budget: float | None, *, consent: bool, yes: bool
) -> "list[Ended]":
    """Raises Exit if interrupted, and DatasetError without agreement."""
    model_usage.confirm_sending(dataset, asking.plan(ids), budget, consent=consent, yes=yes)
    with model_usage.interruptible(), model_usage.progress_bar() as show_progress:
        return asking.run(ids, progress=show_progress)
