"""`curate`: retired episodes, duplicates and redactions of a dataset."""

import json
import re
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.plain_text import counted, step_index, step_number, steps_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from odyssey_recorder.curation.redaction import FoundTexts
    from odyssey_recorder.services.curation import DuplicateGroup, Likeness, Reasons, Verb

app = terminal.CommandGroup("curate", "Retire episodes, find duplicates, and redact.")

IdsArgument = Annotated[list[str], typer.Argument(metavar="ID...", help="The episodes.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Apply what is shown.")]
_SHOWN = 60


@app.command()
def retire(  # noqa: PLR0913 - the options
    dataset: terminal.DatasetFolder,
    ids: IdsArgument,
    *,
    why: Annotated[str, typer.Option(help="The reason.")],
    superseded_by: Annotated[str | None, typer.Option(metavar="ID", help="The episode to use instead.")] = None,
    name: terminal.NameOption = None,
    yes: YesOption = False,
) -> None:
    """Leave episodes out of lists, exports, splits and figures.

    Their files stay where they are. `list --filter is:retired` lists them. Without --yes, nothing is changed.

    Exit code 0: success; 2: an episode cannot be retired.
    """
    _decide(dataset, dict.fromkeys(ids, (why, superseded_by)), "retire", name, yes=yes)


@app.command()
def restore(
    dataset: terminal.DatasetFolder,
    ids: IdsArgument,
    *,
    why: Annotated[str, typer.Option(help="The reason.")] = "",
    name: terminal.NameOption = None,
    yes: YesOption = False,
) -> None:
    """Take retired episodes back.

    Without --yes, nothing is changed.

    Exit code 0: success; 2: the dataset cannot be read or written.
    """
    _decide(dataset, dict.fromkeys(ids, (why, None)), "restore", name, yes=yes)


@app.command()
def duplicates(  # noqa: PLR0913 - the options
    dataset: terminal.DatasetFolder,
    *,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT",
            help="What duplicates share: annotation, screenshots, actions, instruction or take. Repeatable.",
            show_default="all but screenshots",
        ),
    ] = None,
    retire_others: Annotated[
        bool, typer.Option("--retire-others", help="Retire all but the best of each group. Needs --by.")
    ] = False,
    name: terminal.NameOption = None,
    yes: YesOption = False,
    as_json: terminal.JsonOption = False,
) -> None:
    """Show groups of episodes that may be the same.

    The best of each group comes first. Episodes that have changed since their last check are checked first. Nothing is
    changed without --retire-others and --yes.

    Exit code 0: success; 2: the dataset cannot be read or written.
    """
    from odyssey_recorder.services.curation import LIKENESSES, superseded

    if unknown := set(by or ()).difference(LIKENESSES):
        raise typer.BadParameter(f"{', '.join(sorted(unknown))}: --by is one of {', '.join(LIKENESSES)}.")
    if retire_others and (not by or as_json):
        raise typer.BadParameter("--retire-others needs --by, which says what a duplicate is, and takes no --json.")
    chosen: list[Likeness] = [
        likeness for likeness in LIKENESSES if (likeness in by if by else likeness != "screenshots")
    ]
    groups, unread = _find_duplicates(dataset, chosen)
    terminal.print_unread(unread)
    if as_json:
        terminal.print_json([_group_as_json(group) for group in groups])
        return
    for group in groups:
        _print_group(group)
    terminal.say(f"{counted(groups, 'group')} of episodes that may be the same")
    if retire_others and groups:
        _decide(dataset, superseded(groups), "retire", name, yes=yes)


@app.command()
def redact(  # noqa: PLR0913 - the options
    dataset: terminal.DatasetFolder,
    episode_id: Annotated[str, typer.Argument(metavar="EPISODE", help="The id of the episode.")],
    *,
    step: Annotated[int | None, typer.Option(min=1, help="The step of --box, from 1.")] = None,
    box: Annotated[
        list[str] | None, typer.Option(metavar="L,T,R,B", help="A box in pixels of the step's screenshot. Repeatable.")
    ] = None,
    text: Annotated[str, typer.Option(help="Cover views with this text, and replace it in the annotation.")] = "",
    pattern: Annotated[str, typer.Option("--regex", help="The same for all that a regular expression finds.")] = "",
    why: Annotated[str, typer.Option(help="The reason.")] = "",
    name: terminal.NameOption = None,
    yes: YesOption = False,
) -> None:
    """Hide parts of screenshots and words in all exports.

    The dataset itself is not changed: `export` draws the black boxes and replaces the words. Without --yes, only shows
    what would be hidden.

    Exit code 0: success; 1: nothing is found; 2: the episode cannot be read, or the redaction not written.
    """
    if (step is None) != (not box) or sum((step is not None, bool(text), bool(pattern))) != 1:
        raise typer.BadParameter("Give one of: --step with --box, --text, --regex.")
    from odyssey_recorder.curation.redaction import FoundTexts, drawn_boxes, find_texts, literally, write_redaction
    from odyssey_recorder.dataset.codec import Dialect, encode, read_annotation
    from odyssey_recorder.dataset.layout import annotation_path, checked_id, redaction_path

    episode = read_annotation(dataset / annotation_path(checked_id(episode_id)))
    if step is not None:
        steps = len(episode.steps)
        drawn = [
            drawn_boxes(dataset, episode_id, _sides(written), step=step_index(step), steps=steps)
            for written in box or ()
        ]
        found = FoundTexts(tuple(chain.from_iterable(drawn)))
    else:
        tree = json.loads(encode(episode, Dialect.RELEASE))
        found = find_texts(dataset, episode_id, tree, _compiled(literally(text) if text.strip() else pattern))
    _print_found(found)
    if not found.boxes and not found.words:
        terminal.print_error("Nothing is found, so nothing would be hidden.")
        raise typer.Exit(1)
    if not yes:
        _print_unchanged()
        return
    redaction = found.redaction(episode_id, who=_name(name), why=why)
    write_redaction(dataset, redaction)
    hidden = counted(redaction.boxes, "box", "boxes"), counted(redaction.words, "text")
    terminal.say(f"{' and '.join(hidden)} hidden in exports: {dataset / redaction_path(episode_id)}")


def _decide(dataset: Path, reasons: "Reasons", verb: "Verb", name: str | None, *, yes: bool) -> None:
    from odyssey_recorder.services.curation import plan, record_decisions

    planned = plan(dataset, verb, reasons, _name(name))
    for decision in planned.decisions:
        better = f", superseded by {decision.superseded_by}" if decision.superseded_by else ""
        terminal.say(f"{verb} {decision.episode_id}{better}{f': {decision.reason}' if decision.reason else ''}")
    if planned.unchanged:
        terminal.say(f"{counted(planned.unchanged, 'episode')} unchanged")
    if planned.decisions and yes:
        record_decisions(dataset, planned.decisions)
        terminal.say(f"{counted(planned.decisions, 'episode')} {verb}d")
    elif planned.decisions:
        _print_unchanged()


def _print_unchanged() -> None:
    terminal.say(("Nothing has changed. Use --yes to apply this.", "yellow"))


def _name(given: str | None) -> str:
    from odyssey_recorder.settings import read_settings

    return read_settings(annotator=given).annotator


# Duplicates.


def _find_duplicates(dataset: Path, by: "list[Likeness]") -> "tuple[Sequence[DuplicateGroup], Sequence[str]]":
    from odyssey_recorder.services.curation import find_duplicates
    from odyssey_recorder.wiring.user import review_service, user_index

    with closing(user_index(dataset)) as index, terminal.progress_bar("Looking for duplicates") as progress:
        return find_duplicates(index, review_service(index).check_all, by, progress)


def _print_group(group: "DuplicateGroup") -> None:
    terminal.say((f"Same {', '.join(group.common)}", "bold"), f"; best: {group.why}")
    for candidate in (group.best, *group.others):
        state = "accepted" if candidate.is_accepted else "not accepted"
        proof = "provenance" if candidate.is_proved else "no provenance"
        counts = f"{counted(candidate.errors, 'error')}, {counted(candidate.warnings, 'warning')}"
        keep = ("  keep  ", "green") if candidate is group.best else "        "
        terminal.say(keep, f"{candidate.episode_id}  {state}, {proof}, {counts}  {candidate.facts.instruction}")


def _group_as_json(group: "DuplicateGroup") -> dict[str, object]:
    others = [candidate.episode_id for candidate in group.others]
    return {"same": list(group.common), "best": group.best.episode_id, "why": group.why, "others": others}


# Redaction.


def _sides(text: str) -> tuple[int, int, int, int]:
    numbers = re.fullmatch(r"(\d{1,6}),(\d{1,6}),(\d{1,6}),(\d{1,6})", text.replace(" ", ""))
    if numbers is None:
        raise typer.BadParameter(f"“{text}” is not a box. Use left,top,right,bottom in pixels: 0,96,540,160.")
    left, top, right, bottom = map(int, numbers.groups())
    return left, top, right, bottom


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise DatasetError(f"“{pattern}” is not a regular expression: {error}. Correct it.") from error


def _print_found(found: "FoundTexts") -> None:
    for box in found.boxes:
        share = f"{box.share:.1%} of the screen"
        terminal.say(
            f"step {step_number(box.step)}  {','.join(map(str, box.box))}  {share}  {_short(box.text)}".rstrip()
        )
    for place, text in found.texts.items():
        terminal.say(f"{place}  {_short(text)}")
    if found.words:
        terminal.say(f"words to be replaced: {'; '.join(found.words)}")
    if found.unseen:
        message = f"No view hierarchy: {steps_text(found.unseen)}. Look at the screenshots."
        terminal.say((message, "yellow"))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else f"{flat[:_SHOWN]}…"
