"""The history of an episode, newest first, with a button that undoes the newest fix."""

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import Qt, Signal

from odyssey_recorder.dataset.amendment import (
    Amendment,
    DropSteps,
    DropTail,
    NewApps,
    NewBox,
    NewEnd,
    NewInstruction,
    NewNote,
    NewPress,
    NewText,
    Repair,
)
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import Card, breakable, fill_column, row, say, selectable, text_label
from odyssey_recorder.gui.review.amend_dialog import quoted, removed_text
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.review.verdict_text import verdict_text
from odyssey_recorder.model.plain_text import step_number, steps_text
from odyssey_recorder.review.review import (
    Control,
    Entry,
    Fix,
    Move,
    Reopening,
    ReplayEvidence,
    Reply,
    Request,
    Verdict,
    taken_back,
)
from odyssey_recorder.review.status import effective_fixes
from odyssey_recorder.review.views import OpenedReview

_PRESSES = {True: "LONG_PRESS", False: "CLICK"}
_NOTHING = "No history yet."
_PLACES: dict[Literal["trash", "dataset", "annotator"], str] = {
    "trash": "moved to the trash",
    "dataset": "restored from the trash",
    "annotator": "sent back to the annotator",
}


class HistoryCard(Card):
    """Shows the entries visible to the reviewer; emits the request to undo the newest fix."""

    undo_requested = Signal()

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self._newest = text_label(kind="hint")
        self._entries = scroll_area(name="History")
        self._entries.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        commands.bind(self, {ReviewCommand.UNDO_FIX: self.undo_requested.emit})
        self._lay_out()
        self.clear()

    def show_review(self, review: OpenedReview) -> None:
        fixes = [entry for entry in review.entries if isinstance(entry, Fix)]
        holding = effective_fixes(fixes)
        may_undo = bool(holding) and review.row.role is not None
        self._commands.enable(ReviewCommand.UNDO_FIX, on=may_undo)
        say(self._newest, f"Undo: {fix_text(holding[-1], fixes)}" if may_undo else "")
        self._show(review.entries)

    def clear(self) -> None:
        self._commands.enable(ReviewCommand.UNDO_FIX, on=False)
        self._newest.hide()
        self._show(())

    def _show(self, entries: Sequence[Entry]) -> None:
        gone = taken_back(entries)
        labels = []
        for entry in sorted(entries, key=lambda verdict: verdict.at, reverse=True):
            labels.append(selectable("hint" if entry.id in gone else ""))
            labels[-1].setText(breakable(entry_text(entry, entries)))
        self._entries.setWidget(pile(*(labels or [text_label(_NOTHING, "hint")]), right=6, spacing=10))

    def _lay_out(self) -> None:
        head = row((text_label("History", "title"), 1), self._commands.button(ReviewCommand.UNDO_FIX, kind="low"))
        fill_column(self, head, self._newest, (self._entries, 1), margins=(14, 10, 10, 10))


def entry_text(entry: Entry, entries: Sequence[Entry]) -> str:
    """An entry as text: when and by whom, what and why. `entries` are all of the episode."""
    when = f"{entry.at.astimezone():%Y-%m-%d %H:%M}"
    is_gone = entry.id in taken_back(entries)
    match entry:
        case Verdict():
            return _lines(f"{when} · {verdict_text(entry)}", "(taken back later)" if is_gone else "")
        case Control():  # not shown in the window
            return f"{when} · {entry.by}"
        case Reply():
            return _lines(f"{when} · {entry.by} replied", entry.words)
        case Reopening():
            return _lines(f"{when} · {entry.by}", "A verdict was taken back", _why(entry.why))
        case Fix():
            fixes = [fix for fix in entries if isinstance(fix, Fix)]
            what = f"{fix_text(entry, fixes)}{' (undone later)' if is_gone else ''}"
            return _lines(f"{when} · {entry.by}", what, removed_text(entry.removed), _why(entry.why))
        case ReplayEvidence():
            return _lines(f"{when} · {entry.by}", f"Replayed on {entry.serial}: {entry.outcome}", entry.problem)
        case Move():
            return _lines(f"{when} · {entry.by}", f"The episode was {_PLACES[entry.to]}", _why(entry.why))
        case Request():
            what = "Request for a second review withdrawn" if entry.withdraws else "Second review requested"
            return _lines(f"{when} · {entry.by}", what, _why(entry.why))


def fix_text(fix: Fix, fixes: Sequence[Fix]) -> str:
    """What a fix changed; `fixes` includes the one that an undo refers to."""
    if fix.amendment is not None:
        return amendment_text(fix.amendment)
    undone = next((earlier.amendment for earlier in fixes if earlier.id == fix.undoes), None)
    return "A fix was undone" if undone is None else f"Undone: {amendment_text(undone)}"


def amendment_text(amendment: Amendment) -> str:  # noqa: C901 - one line for each amendment
    match amendment:
        case NewInstruction(instruction=words):
            return f"Instruction: {quoted(words)}"
        case NewApps(category=category, apps=apps):
            return f"Apps: {', '.join(apps)} ({category.value})"
        case NewEnd(words=words):
            return f"Final note: {quoted(words)}"
        case NewNote(step=step, note=note):
            return f"Note of step {step_number(step)}: {quoted(note)}"
        case NewPress(step=step, long=long):
            return f"Step {step_number(step)} is a {_PRESSES[long]}"
        case NewText(step=step, text=text):
            return f"Text of step {step_number(step)}: {quoted(text)}"
        case NewBox(step=step, box=(left, top, right, bottom)):
            return f"Box of step {step_number(step)}: {left}, {top} to {right}, {bottom}"
        case DropSteps(first=first, last=last):
            return f"{steps_text(range(first, last + 1)).capitalize()} dropped"
        case DropTail(at=at):
            return f"Ended at step {step_number(at)}"
        case Repair():
            return _repair_text(amendment)


def _repair_text(repair: Repair) -> str:
    ending = f", ended with {repair.end}: {quoted(repair.words)}" if repair.end is not None else ""
    return f"Damaged file repaired{ending}"


def _why(text: str) -> str:
    return f"Why: {text}" if text else ""


def _lines(*parts: str) -> str:
    return "\n".join(filter(None, parts))
