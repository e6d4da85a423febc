"""`release`: what of a dataset was published when, by hash."""

from typing import TYPE_CHECKING, Annotated

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.model.plain_text import counted

if TYPE_CHECKING:
    from odyssey_recorder.services.releases import ReleaseChanges

app = terminal.CommandGroup("release", "Make, verify and compare releases of a dataset.")

_MAX_SHOWN = 10


@app.command()
def make(
    dataset: terminal.DatasetFolder,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Its name.", show_default="the next version, such as 1.2.0")
    ] = "",
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be released.")] = False,
    as_json: terminal.JsonOption = False,
) -> None:
    """Release the accepted episodes without errors.

    Writes hashes of all their files, the splits, figures, a card and what changed to DATASET/releases/NAME. Screenshots
    are not copied.

    Exit code 0: success; 2: nothing can be released, nothing has changed, or the name is taken.
    """
    from odyssey_recorder.services.releases import draft, make_release
    from odyssey_recorder.wiring.user import dataset_reviews

    planned = draft(dataset_reviews(dataset), dataset, name)
    left_out = planned.left_out
    if not dry_run:
        make_release(dataset, planned)
    if as_json:
        terminal.print_json(planned.record.model_dump(mode="json"))
        return
    for reason in list(left_out.values())[:_MAX_SHOWN]:
        terminal.print_warning(reason)
    if left_out:
        terminal.print_warning(f"{counted(left_out, 'episode')} left out")
    _print_changes(planned.record.changes)
    summary = "would be released" if dry_run else "released"
    terminal.say(f"{counted(planned.ids, 'episode')} {summary} as {planned.record.name}")


@app.command()
def verify(
    dataset: terminal.DatasetFolder,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The release.", show_default="the newest")] = "",
    *,
    as_json: terminal.JsonOption = False,
) -> None:
    """Compare a release with the files of the dataset.

    The released files of episodes that were fixed or rejected since are in the history or the trash.

    Exit code 0: all released files are there; 1: some are missing or changed; 2: the release cannot be read.
    """
    from odyssey_recorder.services import releases

    release = releases.find(dataset, name)
    records = releases.verify(dataset, release.name)
    lost = [record.what for record in records if not record.kept]
    if as_json:
        terminal.print_json(
            {"name": release.name, "lost": lost, "kept": [record.what for record in records if record.kept]}
        )
    else:
        for record in records:
            terminal.say((record.what, "cyan" if record.kept else "red"))
        terminal.say(f"{release.name}: {counted(release.episodes, 'episode')}, "
                     f"{counted(lost, 'difference')}")  # fmt: skip
    terminal.fail_if(lost)


@app.command("list")
def list_releases(dataset: terminal.DatasetFolder, *, as_json: terminal.JsonOption = False) -> None:
    """List the releases, oldest first.

    Exit code 0: success; 2: a release cannot be read.
    """
    from odyssey_recorder.services.releases import releases

    records = releases(dataset)
    if as_json:
        terminal.print_json([record.model_dump(mode="json", exclude={"changes"}) for record in records])
        return
    for record in records:
        summary = f"{record.episodes:6,} episodes {record.steps:8,} steps {record.bytes / 1e6:10,.1f} MB"
        terminal.say((f"{record.name:12}", "bold"), f"{summary}{'' if record.with_splits else '  without splits'}")
    if not records:
        terminal.say("No releases yet.")


@app.command()
def diff(
    dataset: terminal.DatasetFolder,
    old: Annotated[str, typer.Argument(metavar="OLD", help="A release.", show_default="the one before NEW")] = "",
    new: Annotated[str, typer.Argument(metavar="NEW", help="A later release.", show_default="the newest")] = "",
    *,
    as_json: terminal.JsonOption = False,
) -> None:
    """Show what changed between two releases.

    Exit code 0: success; 2: a release cannot be read.
    """
    from odyssey_recorder.services.releases import compare

    compared = compare(dataset, old, new)
    if as_json:
        changes = compared.changes.model_dump(mode="json")
        terminal.print_json({"old": compared.old, "new": compared.new, **changes})
    else:
        _print_changes(compared.changes)
        terminal.say(f"{compared.old} to {compared.new}")


def _print_changes(changed: "ReleaseChanges") -> None:
    for what, episodes in changed.by_kind.items():
        if episodes:
            terminal.say((f"{len(episodes):,} {what}", "bold"))
        for episode_id, why in list(episodes.items())[:_MAX_SHOWN]:
            terminal.say(f"  {episode_id}  {why}".rstrip())
        if len(episodes) > _MAX_SHOWN:
            terminal.say(f"  and {len(episodes) - _MAX_SHOWN:,} more")
