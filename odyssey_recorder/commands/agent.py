"""`agent run` and `agent bench`: models that carry out tasks on phones."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.model_usage import (
    AdapterOption,
    AgentOption,
    BudgetOption,
    ModelOption,
    PromptFileOption,
)
from odyssey_recorder.commands.terminal import exits_with_2, say
from odyssey_recorder.errors import LanguageModelError

if TYPE_CHECKING:
    from odyssey_recorder.agents.adapter import Adapter
    from odyssey_recorder.agents.asking import Agent
    from odyssey_recorder.agents.guard import Guard
    from odyssey_recorder.agents.results import ResultsHeader
    from odyssey_recorder.settings import Settings

app = typer.Typer(name="agent", help="Have a model carry out tasks on a phone, and judge it.", rich_markup_mode=None)
agents_app = typer.Typer(name="agents", help="The kinds of models that can be asked.", rich_markup_mode=None)

HistoryOption = Annotated[
    str,
    typer.Option(
        help="What the model learns about earlier steps: none, maker, actions[:N], screenshots:N[:STRIDE] or memory, "
        "which it writes itself; see predict."
    ),
]
TaskOption = Annotated[
    list[str] | None, typer.Option("--task", metavar="ID", help="Only this task. Repeatable.", show_default="all")
]
TasksOption = Annotated[Path | None, typer.Option(help="A task list.", show_default="that of the simulated phone")]
GoalsOption = Annotated[
    Path | None, typer.Option(help="The file with the goals of the tasks.", show_default="of the simulated phone")
]
MostStepsOption = Annotated[int, typer.Option(min=1, help="The step limit of tasks without a gold script.")]
ConsentOption = Annotated[
    bool, typer.Option("--consent", help="The owner of the phone agrees that its screens are sent to the model.")
]


@app.command()
@exits_with_2()
def run(  # noqa: PLR0913 - the options
    *,
    adapter: AdapterOption = "ours",
    model: ModelOption = None,
    prompt: PromptFileOption = None,
    device: terminal.DeviceOption = None,
    task: TaskOption = None,
    tasks: TasksOption = None,
    goals: GoalsOption = None,
    from_episodes: Annotated[
        str | None,
        typer.Option(
            metavar="FILTER",
            help="Instead of a list: the tasks of these episodes, judged by what their annotators marked as proof.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The file of results, JSON Lines.")] = Path("agent-results.jsonl"),
    history: HistoryOption = "actions",
    seed: Annotated[int, typer.Option(min=0, help="Chooses the parameters of tasks; the model is asked again.")] = 0,
    most_steps: MostStepsOption = 30,
    snapshot: Annotated[
        str, typer.Option(help="The emulator's snapshot that each task starts from.", show_default="as the task says")
    ] = "",
    budget: BudgetOption = None,
    allow_device: Annotated[
        list[str] | None, typer.Option(metavar="SERIAL", help="Allow a device that is not an emulator. Repeatable.")
    ] = None,
    allow_package: Annotated[
        list[str] | None,
        typer.Option(metavar="PACKAGE", help="Ask before touching any other app. Repeatable.", show_default="any"),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Ask this model whether tasks are done that no goals can judge.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask for the first action of each task only, and send nothing.")
    ] = False,
    consent: ConsentOption = False,
    dataset: terminal.DatasetOption = None,
) -> None:
    """Have a model carry out tasks on a device, as episodes of the dataset.

    Asks you before anything risky; without a terminal, the task ends there. Run the same command again to continue an
    interrupted run: tasks with a result are not repeated.

    Exit code 0: every task was carried out; 1: some were not, or were cut short; 2: not started.
    """
    from dataclasses import replace

    from odyssey_recorder.agents.adapter import adapter_named
    from odyssey_recorder.agents.guard import Guard
    from odyssey_recorder.agents.results import open_results
    from odyssey_recorder.commands.agent_tasks import Attempts, Supervisor, chosen_tasks, print_results, recorded_tasks
    from odyssey_recorder.commands.listing import selected_ids
    from odyssey_recorder.model.assignment import FromSnapshot
    from odyssey_recorder.services.proof import proved_tasks
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import open_batch, recording_service, user_connector

    settings = read_settings(dataset=dataset, model=model)
    guard = Guard(frozenset(allow_device or ()), frozenset(allow_package or ()))
    connector = user_connector(settings)
    service = recording_service(settings, connector, "agent")
    if from_episodes is None:
        jobs = chosen_tasks(tasks, goals, task or (), (seed,))
    else:
        ids = selected_ids(settings.dataset, from_episodes)
        jobs = recorded_tasks(proved_tasks(service.store, (one for one in ids if not task or one in task)), seed)
    if snapshot:
        jobs = [replace(planned, listed=replace(planned.listed, start=FromSnapshot(snapshot))) for planned in jobs]
    agent, header = _agent(settings, adapter_named(adapter, prompt), history, budget, guard, is_consented=consent)
    opinion = None if judge is None else open_batch(read_settings(model=judge), budget)
    attempts = Attempts(agent, Supervisor(), most_steps, is_dry=dry_run, opinion=opinion)
    with open_results(out, header) as results, closing(connector.connect_chosen(device)) as phone:
        guard.admit(phone.serial)
        for job in (planned for planned in jobs if not results.has(planned.task_id, planned.seed)):
            result = attempts.attempt(job, service, phone)
            if result.stop.is_final:
                results.add(result)
            elif not dry_run:
                raise typer.Exit(1)
        if not dry_run:
            raise typer.Exit(print_results(results.results, jobs))


@app.command()
@exits_with_2()
def bench(  # noqa: PLR0913 - the options
    *,
    agent: AgentOption = "model",
    adapter: AdapterOption = "ours",
    model: ModelOption = None,
    prompt: PromptFileOption = None,
    phones: Annotated[int, typer.Option(min=1, max=64, help="How many simulated phones run at once.")] = 2,
    seeds: Annotated[
        int, typer.Option(min=1, max=100, help="How often each task is tried, each time with other parameters.")
    ] = 1,
    profile: Annotated[str, typer.Option(help="The kind of simulated phone.")] = "small_phone",
    task: TaskOption = None,
    tasks: TasksOption = None,
    goals: GoalsOption = None,
    out: Annotated[Path, typer.Option(help="The folder of results and episodes.")] = Path("agent-bench"),
    history: HistoryOption = "actions",
    most_steps: MostStepsOption = 30,
    budget: BudgetOption = None,
    consent: ConsentOption = False,
) -> None:
    """Have a model carry out the tasks of the simulated phone, each on a fresh one.

    --agent gold plays the scripts that solve the tasks, --agent random acts at random: neither asks a model.

    Nobody is asked before anything risky, because the phones are thrown away; how often a person would have been asked
    is counted. Run the same command again to continue an interrupted run.

    Exit code 0: every task was carried out; 1: some were not, or were cut short; 2: not started.
    """
    from odyssey_recorder.agents.adapter import adapter_named
    from odyssey_recorder.agents.asking import Agent
    from odyssey_recorder.agents.baselines import RULES
    from odyssey_recorder.agents.guard import Guard
    from odyssey_recorder.agents.history import HistoryRule
    from odyssey_recorder.agents.results import ResultsHeader, open_results
    from odyssey_recorder.commands.agent_bench import run_bench
    from odyssey_recorder.commands.agent_tasks import chosen_tasks, print_results
    from odyssey_recorder.settings import read_settings

    jobs = chosen_tasks(tasks, goals, task or (), range(seeds), profile=profile)
    if agent == "model":
        asked = adapter_named(adapter, prompt)
        chosen, header = _agent(read_settings(model=model), asked, history, budget, Guard(), is_consented=consent)
    else:
        chosen = Agent(adapter_named("ours"), None, HistoryRule.parse("none"), Guard())
        header = ResultsHeader(adapter=agent, model=agent, history="none")
    rule_of = None if agent == "model" else RULES[agent]
    with open_results(out / "results.jsonl", header) as results:
        run_bench(chosen, [job for job in jobs if not results.has(job.task_id, job.seed)], results, phones=phones,
                  profile=profile, folder=out, most_steps=most_steps, rule_of=rule_of)  # fmt: skip
        code = print_results(results.results, jobs)
    if agent == "random":
        say("The actions were random, so this success is chance.")
    raise typer.Exit(code)


@agents_app.callback()
def agents() -> None:
    """So that `list` is a command of the group, though it is the only one."""


@agents_app.command("list")
def list_() -> None:
    """List the adapters: what each kind of model cannot say, how it is asked, and what the adapter was made from."""
    from rich import box
    from rich.table import Column, Table

    from odyssey_recorder.agents.adapter import all_adapters
    from odyssey_recorder.agents.adapter_table import HEADS, TRIED, row_of

    table = Table(
        *(Column(head, overflow="fold", no_wrap=head == HEADS[0]) for head in HEADS),
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for adapter in all_adapters().values():
        table.add_row(*row_of(adapter))
    terminal.out.print(table)
    say(TRIED)


def _agent(  # noqa: PLR0913 - the options
    settings: "Settings",
    chosen: "Adapter[Any]",
    history: str,
    budget: float | None,
    guard: "Guard",
    *,
    is_consented: bool,
) -> "tuple[Agent, ResultsHeader]":
    """Raises SettingsError, and LanguageModelError without consent to send screenshots to another computer."""
    from odyssey_recorder.agents.asking import Agent
    from odyssey_recorder.agents.history import HistoryRule
    from odyssey_recorder.agents.results import ResultsHeader
    from odyssey_recorder.llm.model import is_on_this_computer
    from odyssey_recorder.wiring.user import open_batch

    rule = HistoryRule.for_agent(history)
    batch = open_batch(settings, budget)
    plan = batch.estimate(())
    if not is_on_this_computer(plan.host) and not is_consented:
        raise LanguageModelError(f"Screens of the phone would be sent to {plan.host}. If you agree, add --consent.")
    say(f"{plan.model} at {plan.host}, asked as {chosen.name}", to=terminal.err)
    return Agent(chosen, batch, rule, guard), ResultsHeader(adapter=chosen.name, model=plan.model, history=str(rule))
