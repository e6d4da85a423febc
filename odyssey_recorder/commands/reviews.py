"""`reviews`: the review files of a dataset."""

from contextlib import closing
from pathlib import Path
from typing import Annotated, Literal

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.review_verdicts import verdict_command
from odyssey_recorder.model.plain_text import counted, step_index

app = terminal.CommandGroup("reviews", "Judge, reopen and restore episodes; check and merge reviews.")
app.command("accept")(verdict_command("accept", "Accept episodes."))
app.command("send-back")(verdict_command("send back", "Send episodes back to their annotators."))
app.command("reject")(verdict_command("reject", "Reject episodes, which moves them to the trash."))


@app.command()
def check(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="PATH", help="A folder or file of reviews.", show_default="the dataset's own"),
    ] = None,
    *,
    dataset: terminal.DatasetOption = None,
    as_json: terminal.JsonOption = False,
) -> None:
    """Check review files.

    Names the file, entry and key of each problem.

    Exit code 0: no problems; 1: problems found; 2: no reviews can be read.
    """
    from odyssey_recorder.services.review_files import review_faults
    from odyssey_recorder.settings import read_settings

    faults = list(review_faults(read_settings(dataset=dataset).dataset, path))
    if as_json:
        terminal.print_json({"faults": faults})
    else:
        for fault in faults:
            terminal.print_error(fault)
        terminal.say(counted(faults, "problem"))
    terminal.fail_if(faults)


@app.command()
def merge(
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="PATH",
            help="Another copy of the dataset, or a folder or file of reviews.",
            show_default="conflict copies left by a shared drive",
        ),
    ] = None,
    *,
    dataset: terminal.DatasetOption = None,
) -> None:
    """Add reviews from elsewhere to the dataset.

    Reviews that the dataset already has are not added again.

    Exit code 0: all merged; 1: some cannot be read or saved; 2: no reviews can be read.
    """
    from odyssey_recorder.services.review_files import add_reviews
    from odyssey_recorder.settings import read_settings

    merged = add_reviews(read_settings(dataset=dataset).dataset, path)
    for episode_id, count in merged.came.items():
        terminal.say(f"{episode_id}: {counted(count, 'new entry', 'new entries')}")
    for fault in merged.problems:
        terminal.print_error(fault)
    count = sum(merged.came.values())
    summary = f"{counted(count, 'new entry', 'new entries')} of {counted(merged.came, 'episode')}"
    terminal.say(f"{summary}, {counted(merged.problems, 'problem')}")
    terminal.fail_if(merged.problems)


@app.command()
def policy(
    *,
    share: Annotated[
        float | None, typer.Option(min=0, max=1, help="The share of episodes that get a second review.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the sample.")] = None,
    dataset: terminal.DatasetOption = None,
) -> None:
    """Show or set how many episodes get a second review.

    Applies to everyone who reviews the dataset.

    Exit code 0: success; 2: the policy cannot be read or written.
    """
    from odyssey_recorder.services.review_files import review_policy
    from odyssey_recorder.settings import read_settings

    now = review_policy(read_settings(dataset=dataset).dataset, share=share, seed=seed)
    summary = f"{now.second_share * 100:.4g}% of the episodes of each category, device and annotator"
    terminal.say(f"{summary} get a second review, chosen at random (seed {now.seed})")


@app.command()
def request(  # noqa: PLR0913 - the options
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID...", show_default="those of the filter")] = None,
    *,
    text: Annotated[
        str, typer.Option("--filter", metavar="FILTER", help="Take the episodes that this filter selects.")
    ] = "",
    why: Annotated[str, typer.Option(help="The reason.")] = "",
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Withdraw the requests instead.")] = False,
    by: terminal.ByOption = None,
    dataset: terminal.DatasetOption = None,
) -> None:
    """Request a second review of episodes.

    Episodes are left out if one was requested before, if 2 reviewers have judged
    them, or if they were sent back or rejected.

    Exit code 0: success; 2: the episodes or their reviews cannot be read or written.
    """
    from odyssey_recorder.commands.listing import selected
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import review_service

    if not ids and not text:
        raise typer.BadParameter("Name the episodes, or select them with --filter.")
    settings = read_settings(dataset=dataset, annotator=by)
    with selected(settings.dataset, text) as (index, episode_filter):
        service = review_service(index, lambda: settings.annotator)
        chosen = {*(ids or index.ids(episode_filter))}
        done = service.withdraw(chosen, why) if withdraw else service.request(chosen, why)
    verb = "withdrawn" if withdraw else "requested"
    terminal.say(f"Second review of {counted(done, 'episode')} {verb}, {len(chosen) - len(done):,} left out")


@app.command()
def reopen(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The episodes.")],
    *,
    why: Annotated[str, typer.Option(help="The reason, kept with the verdict.")] = "",
    by: terminal.ByOption = None,
    dataset: terminal.DatasetOption = None,
) -> None:
    """Take back the newest verdict of episodes, to be judged again.

    You can always take back your own verdict while nobody has judged the episode
    after you. To take back somebody else's, the review must be finished and --why
    given. A rejected episode comes back from the trash.

    Exit code 0: all are open again; 1: some were refused.
    """
    from odyssey_recorder.errors import DatasetError, ReviewError
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import review_service, user_index

    settings, refused = read_settings(dataset=dataset, annotator=by), False
    with closing(user_index(settings.dataset)) as index:
        service = review_service(index, lambda: settings.annotator)
        for episode_id in dict.fromkeys(ids):
            try:
                stage = service.reopen(episode_id, why).row.stage
            except (DatasetError, ReviewError) as error:
                refused = True
                terminal.print_error(f"{episode_id}: {error}")
            else:
                terminal.say(f"{episode_id}: the verdict is taken back. Review status: {stage.value.lower()}")
    terminal.fail_if(refused)


@app.command()
def reply(
    episode_id: Annotated[str, typer.Argument(metavar="ID", help="The episode that was sent back.")],
    words: Annotated[
        str, typer.Argument(metavar="TEXT", help="What the others should know.", show_default="show what was said")
    ] = "",
    *,
    by: terminal.ByOption = None,
    dataset: terminal.DatasetOption = None,
) -> None:
    """Reply about an episode that was sent back.

    Its annotator and its reviewers can reply. Then, or without TEXT, it shows why
    the episode was sent back and all replies, with their authors and times.

    Exit code 0: success; 2: the episode is not sent back.
    """
    from odyssey_recorder.services.review_files import add_reply, review_thread
    from odyssey_recorder.settings import read_settings

    settings = read_settings(dataset=dataset, annotator=by)
    if words:
        add_reply(settings.dataset, settings.annotator, episode_id, words)
    for line in review_thread(settings.dataset, episode_id):
        terminal.say(line)


@app.command()
def also_right(  # noqa: PLR0913 - the options
    episode_id: Annotated[str, typer.Argument(metavar="ID", help="The episode.")],
    step: Annotated[int, typer.Argument(metavar="STEP", min=1, help="The number of the step.")],
    action: Annotated[
        str, typer.Argument(metavar="ACTION", help='Such as "CLICK: (432, 118)", from 0 to 1000.', show_default=False)
    ] = "",
    *,
    rejected: Annotated[
        bool, typer.Option("--rejected", help="Accept what an agent wanted there and a person corrected.")
    ] = False,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Withdraw all that was accepted at the step.")] = False,
    why: Annotated[str, typer.Option(help="The reason.")] = "",
    by: terminal.ByOption = None,
    dataset: terminal.DatasetOption = None,
) -> None:
    """Accept another action at a step.

    It counts in `evaluate --alternatives`. Actions: CLICK: (X, Y), LONG_PRESS: (X, Y), SCROLL: UP, TYPE: TEXT,
    PRESS_HOME, PRESS_BACK, PRESS_RECENT, COMPLETE and IMPOSSIBLE.

    Exit code 0: success; 2: there is no such step, or the action cannot be read.
    """
    from odyssey_recorder.review.views import AlsoRight
    from odyssey_recorder.services.review import accept_alternatives
    from odyssey_recorder.settings import read_settings

    if bool(action) + rejected + withdraw != 1:
        raise typer.BadParameter("Give an action, --rejected or --withdraw.")
    settings = read_settings(dataset=dataset, annotator=by)
    wanted = AlsoRight(step_index(step), None if withdraw else action)
    count = accept_alternatives(settings.dataset, settings.annotator, episode_id, wanted, why)
    terminal.say(f"{counted(count, 'alternative')} {'withdrawn' if withdraw else 'accepted'} at step {step}")


@app.command()
def control(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID...", help="Episodes that are accepted or sent back.", show_default="list the controls"
        ),
    ] = None,
    *,
    defect: Annotated[
        Literal["screenshot", "step", "instruction"] | None,
        typer.Option(help="Show reviewers accepted episodes with this defect.", show_default="as they are"),
    ] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Make them ordinary episodes again.")] = False,
    by: terminal.ByOption = None,
    dataset: terminal.DatasetOption = None,
) -> None:
    """Use finished episodes as controls, to measure reviewers.

    Reviewers who have no part in a control get it among the others, as if nobody
    had judged it. Their verdicts on it count only in the figures. With --defect they
    are shown an accepted episode with a wrong screenshot, without one of its steps,
    or with the instruction of another; its files do not change.

    Exit code 0: success; 2: the episodes or their reviews cannot be read or written.
    """
    from odyssey_recorder.review.review import Defect
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import review_service, user_index

    settings = read_settings(dataset=dataset, annotator=by)
    with closing(user_index(settings.dataset)) as index:
        service = review_service(index, lambda: settings.annotator)
        if not ids:
            for listed in (controls := service.controls()):
                what = f"defect: {listed.defect.value}" if listed.defect else "as it is"
                terminal.say(f"{listed.episode_id}  {what}, by {listed.by}, judged by {listed.judged:,}")
            terminal.say(counted(controls, "control episode"))
            return
        chosen = {*ids}
        with terminal.err.status(terminal.line(f"Checking {settings.dataset} …")):
            changed = service.end_controls(chosen) if withdraw else service.control(chosen, defect and Defect(defect))
    verb = "withdrawn" if withdraw else "added"
    terminal.say(f"{counted(changed, 'control episode')} {verb}, {len(chosen) - len(changed):,} left out")


@app.command()
def withdraw(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The ids of the episodes.")],
    *,
    why: Annotated[str, typer.Option(help="The reason for withdrawing them.")] = "",
    by: terminal.ByOption = None,
    dataset: terminal.DatasetOption = None,
) -> None:
    """Withdraw your own episodes that nobody has reviewed.

    They move to the trash, and their tasks can be recorded again. `reviews restore`
    brings them back.

    Exit code 0: all are withdrawn; 2: none is, because one of them is not yours or
    has a verdict.
    """
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import review_service, user_index

    settings = read_settings(dataset=dataset, annotator=by)
    with closing(user_index(settings.dataset)) as index:
        review_service(index, lambda: settings.annotator).withdraw_episodes({*ids}, why)
    terminal.say(f"{counted({*ids}, 'episode')} withdrawn")


@app.command()
def restore(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID...", help="The ids of the episodes.", show_default="list the trash"),
    ] = None,
    *,
    why: Annotated[str, typer.Option(help="The reason for restoring them.")] = "",
    by: terminal.ByOption = None,
    dataset: terminal.DatasetOption = None,
) -> None:
    """Restore rejected or withdrawn episodes, to be reviewed again.

    Exit code 0: all are restored, or the trash was listed; 2: none is, because one
    of them is not in the trash.
    """
    from odyssey_recorder.services.review_files import trashed_episodes
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import review_service, user_index

    settings = read_settings(dataset=dataset, annotator=by)
    if ids:
        with closing(user_index(settings.dataset)) as index:
            review_service(index, lambda: settings.annotator).restore(ids, why)
        terminal.say(f"{counted({*ids}, 'episode')} restored to {settings.dataset}, to be reviewed again")
        return
    for trashed in (episodes := trashed_episodes(settings.dataset)):
        moved = trashed.moved_at.astimezone()
        words = ": ".join(filter(None, (f" by {trashed.by}" if trashed.by else "", trashed.why)))
        terminal.say(f"{trashed.episode_id}  since {moved:%Y-%m-%d %H:%M}{words}")
    terminal.say(f"{counted(episodes, 'episode')} in the trash")
