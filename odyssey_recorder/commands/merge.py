"""`merge`: two datasets into one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from odyssey_recorder.commands import terminal

if TYPE_CHECKING:
    from odyssey_recorder.merging.plan import MergeDecisions, MergePlan, Preference

_TOLD = 20
_QUIET = ("in both", "from A", "from B")


@terminal.exits_with_2()
def merge(  # noqa: PLR0913 - the options
    first: Annotated[Path, typer.Argument(metavar="A", help="A dataset folder.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    *,
    into: Annotated[Path, typer.Option("--into", metavar="C", help="A new folder, or A or B.")],
    prefer: Annotated[
        list[str] | None,
        typer.Option(metavar="[ID=]A|B|both", help="Which of two different episodes with one id to keep. Repeatable."),
    ] = None,
    policy: Annotated[Literal["A", "B"] | None, typer.Option(help="Whose review policy to use if they differ.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    as_json: terminal.JsonOption = False,
) -> None:
    """Merge two datasets, with their reviews, history and trash.

    Episodes with the same id count as the same episode. If they differ, the one whose history has the other is kept. If
    neither has, nothing is done until --prefer decides. With `--prefer both`, one of them gets a new id.

    Exit code 0: success; 1: something must be decided first, nothing was done; 2: a dataset cannot be read or written.
    """
    from odyssey_recorder.services import merging

    decisions = _decisions(prefer or [], policy)
    plan = (merging.prepare if dry_run else merging.merge)(first, second, into, decisions)
    if as_json:
        terminal.print_json(_as_json(plan, into))
    else:
        _print(plan)
        if not plan.conflicts:
            terminal.say(f"{'Would be merged' if dry_run else 'Merged'} into {into}")
    terminal.fail_if(plan.conflicts)


def _decisions(prefer: list[str], policy: Literal["A", "B"] | None) -> "MergeDecisions":
    from odyssey_recorder.merging.plan import MergeDecisions
    from odyssey_recorder.model.episode import is_episode_id

    known: dict[str, Preference] = {"A": "A", "B": "B", "both": "both"}
    chosen: dict[str, Preference] = {}
    for text in prefer:
        episode_id, _, choice = text.rpartition("=")
        if choice not in known or not (is_episode_id(episode_id) or text == choice):
            raise typer.BadParameter(f"--prefer {text}: expected A, B, both, or ID=A, ID=B, ID=both.")
        chosen[episode_id] = known[choice]
    return MergeDecisions(chosen.pop("", None), chosen, policy)


def _as_json(plan: "MergePlan", into: Path) -> dict[str, object]:
    episodes = [
        {"episode_id": episode.episode_id, "outcome": episode.outcome, "new_id": episode.renamed and episode.renamed[0]}
        for episode in plan.episodes
    ]
    conflicts = dict(plan.conflicts)
    return {"into": str(into), "counts": plan.counts(), "episodes": episodes, "conflicts": conflicts}


def _print(plan: "MergePlan") -> None:
    for outcome, count in plan.counts().items():
        terminal.say((f"{outcome:12}", "bold"), f"{count:8,}")
    shown = [episode for episode in plan.episodes if episode.outcome not in _QUIET]
    for episode in shown[:_TOLD]:
        renamed = f", the other is now {episode.renamed[0]}" if episode.renamed else ""
        terminal.say(f"  {episode.episode_id}  {episode.outcome}{renamed}")
    if len(shown) > _TOLD:
        terminal.say(f"  and {len(shown) - _TOLD:,} more")
    for why in plan.conflicts.values():
        terminal.print_error(why)
