"""The fixes a reviewer can make to the open episode and the shown step: a button, a key and a dialog for each."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal

from odyssey_recorder.checking.screenshot import change, measure
from odyssey_recorder.dataset.amending import amended
from odyssey_recorder.dataset.amendment import (
    Amendment,
    DropTail,
    NewEnd,
    NewInstruction,
    NewNote,
    NewPress,
    NewText,
    Repair,
)
from odyssey_recorder.dataset.codec import action_from_json
from odyssey_recorder.dataset.provenance import StepRecord, StrokeRecord, TextRecord
from odyssey_recorder.errors import ReviewError
from odyssey_recorder.files import Largest, read_file
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.question_dialog import Question
from odyssey_recorder.gui.kit.layouts import in_columns, pile, scroll_area
from odyssey_recorder.gui.kit.parts import Card, fill_column, say, text_label
from odyssey_recorder.gui.review.also_right_form import AlsoRightForm
from odyssey_recorder.gui.review.amend_dialog import (
    AmendDialog,
    AmendForm,
    AppsForm,
    EndForm,
    FixedForm,
    StepsForm,
    TextForm,
    quoted,
    removed_steps_text,
    removed_text,
)
from odyssey_recorder.gui.review.box_form import BoxForm
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.review.shown_step import ShownStep, shown_steps
from odyssey_recorder.gui.screen.image_reader import read_image
from odyssey_recorder.model.action import Click, Complete, Impossible, LongPress, Type, action_type, is_terminal
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.review.views import AlsoRight, OpenedReview

_REASONS: dict[ReviewCommand, Sequence[str]] = {
    ReviewCommand.FIX_INSTRUCTION: (
        "a requested detail is missing",
        "something was added",
        "it is ambiguous",
        "it sounds unnatural",
        "a misspelling",
    ),
    ReviewCommand.FIX_APPS: ("an app is missing", "an app was not used", "another category fits", "a misspelling"),
    ReviewCommand.FIX_END: ("it does not match the screen", "the reason is not given", "a misspelling"),
    ReviewCommand.FIX_NOTE: ("it is not true", "something is missing", "a misspelling"),
    ReviewCommand.FIX_TEXT: ("it does not match the screen", "a typing mistake", "it shows personal data"),
    ReviewCommand.FIX_PRESS: ("the device took it for the other kind", "a slip of the finger"),
    ReviewCommand.FIX_BOX: ("the box is missing", "it is around another element", "it is too large", "it is too small"),
    ReviewCommand.DROP_STEPS: ("nothing was changed", "it does not belong to the task", "it was undone right away"),
    ReviewCommand.END_HERE: ("the task was already done here", "the rest does not belong to the task"),
    ReviewCommand.ALSO_RIGHT: (
        "it has the same effect",
        "the steps can be done in another order",
        "the person and the agent are right",
    ),
    ReviewCommand.REPAIR: ("the file was changed by hand", "it was damaged by a disk or a program"),
}
FIXES = tuple(_REASONS)
_NOTHING: tuple[ShownStep, ...] = ()


class AmendCard(Card):
    """Emits the amendment and its reason; the step shown determines which fixes are offered.

    Screenshots are read and compared off the GUI thread.
    """

    fix_requested = Signal(object, str)

    def __init__(self, background: Background, commands: Commands) -> None:
        super().__init__()
        self._background = background
        self._commands = commands
        self._review: OpenedReview | None = None
        self._steps = _NOTHING
        self._current = 0
        self._dialog: AmendDialog | None = None
        self._refused = text_label(kind="hint")
        self._connect()
        self._lay_out()
        self._offer()

    def show_review(self, review: OpenedReview) -> None:
        before, self._review, self._steps = self._review, review, shown_steps(review)
        if before is not None and (before.row.episode_id, before.revision) != (review.row.episode_id, review.revision):
            self._dismiss()
        self.show_step(min(self._current, len(self._steps) - 1))

    def show_step(self, number: int) -> None:
        self._current = number
        self._offer()

    def clear(self) -> None:
        self._review, self._steps, self._current = None, _NOTHING, 0
        self._dismiss()
        self._offer()

    def _dismiss(self) -> None:
        if self._dialog is not None:
            self._dialog.reject()

    def _offer(self) -> None:
        possible = self._possible()
        for command in FIXES:
            self._commands.enable(command, on=command in possible)
        self._commands[ReviewCommand.REPAIR].setVisible(ReviewCommand.REPAIR in possible)
        say(self._refused, "" if self._review is None or possible else "You can only fix episodes that you may review.")

    def _possible(self) -> set[ReviewCommand]:
        review = self._review
        if review is None or review.row.role is None:
            return set()
        if review.opened.damage:
            return {ReviewCommand.REPAIR}
        possible = {ReviewCommand.FIX_INSTRUCTION, ReviewCommand.FIX_APPS, ReviewCommand.FIX_END,
                    ReviewCommand.ALSO_RIGHT}  # fmt: skip
        if review.opened.provenance is not None:
            possible.add(ReviewCommand.FIX_NOTE)
        if self._current < len(self._steps) - 1:
            possible |= {ReviewCommand.DROP_STEPS, ReviewCommand.END_HERE}
        match self._steps[self._current].action:
            case Click() | LongPress():
                possible |= {ReviewCommand.FIX_PRESS, ReviewCommand.FIX_BOX}
            case Type():
                possible.add(ReviewCommand.FIX_TEXT)
            case _:
                pass
        return possible

    # Dialogs.

    def _ask_instruction(self) -> None:
        task = self._opened.opened.episode.task
        form = TextForm(
            "Instruction", task.instruction, lambda text: NewInstruction(instruction=text) if text else None, long=True
        )
        question = _question("Fix the instruction", "What is the task, in a person's words?", task.task)
        self._open(ReviewCommand.FIX_INSTRUCTION, question, form)

    def _ask_apps(self) -> None:
        task = self._opened.opened.episode.task
        question = _question("Fix the apps", "Which apps does the task use?", task.instruction)
        self._open(ReviewCommand.FIX_APPS, question, AppsForm(task.category, task.apps))

    def _ask_end(self) -> None:
        is_complete = isinstance(self._steps[-1].action, Complete)
        name, asked = ("Final note", "What is the final note?") if is_complete else ("Reason", "Why was it impossible?")
        form = TextForm(name, self._end_text, lambda text: NewEnd(words=text))
        self._open(ReviewCommand.FIX_END, _question("Fix the end", asked), form)

    def _ask_note(self) -> None:
        step = self._steps[self._current]
        form = TextForm("Note of the step", step.note, lambda text: NewNote(step=step.number, note=text))
        question = _question("Fix the note", f"What is the note for step {step_number(step.number)}?")
        self._open(ReviewCommand.FIX_NOTE, question, form)

    def _ask_text(self) -> None:
        step = self._steps[self._current]
        text = step.action.text if isinstance(step.action, Type) else ""
        follows = _sent_text(self._record(step.number))
        form = TextForm(
            "Text of the step",
            text,
            lambda text: NewText(step=step.number, text=text) if text else None,
            follows=follows,
        )
        question = _question("Fix the text", f"What does step {step_number(step.number)} type?")
        self._open(ReviewCommand.FIX_TEXT, question, form)

    def _ask_press(self) -> None:
        step = self._steps[self._current]
        long = isinstance(step.action, Click)
        wanted = "long press" if long else "click"
        form = FixedForm(NewPress(step=step.number, long=long), _press_duration_text(self._record(step.number)))
        question = _question(
            "Change the kind of press",
            f"Change step {step_number(step.number)} to a {wanted}?",
            "The position does not change.",
        )
        self._open(ReviewCommand.FIX_PRESS, question, form)

    def _ask_box(self) -> None:
        step = self._steps[self._current]
        if not isinstance(step.action, Click | LongPress):
            return
        form = BoxForm(step.number, step.action, step.element)
        question = _question(
            "Fix the box",
            f"Where is the element that step {step_number(step.number)} touches?",
            "The box must contain the touched point and only that element.",
        )
        dialog = self._open(ReviewCommand.FIX_BOX, question, form)
        read = partial(read_image, step.screenshot)
        self._background.run(read, lambda found: form.show_screenshot(found[0]), form.show_problem, of=dialog)

    def _ask_also_right(self) -> None:
        step = self._steps[self._current]
        record = self._record(step.number)
        rejected = [action_from_json(one.action, source="agent") for one in (record.rejected if record else ())]
        form = AlsoRightForm(step.number, rejected)
        question = _question(
            "Also right", f"Which other action is right at step {step_number(step.number)}?", answer="Accept"
        )
        dialog = self._open(ReviewCommand.ALSO_RIGHT, question, form)
        read = partial(read_image, step.screenshot)
        self._background.run(read, lambda found: form.show_screenshot(found[0]), form.show_problem, of=dialog)

    def _ask_drop(self) -> None:
        form = StepsForm(self._current, self._current, len(self._steps))
        question = _question("Drop steps", "Which steps should be removed?", answer="Drop steps")
        dialog = self._open(ReviewCommand.DROP_STEPS, question, form)
        steps = self._steps

        def compare(first: int, last: int) -> None:
            if first <= last:
                share = partial(share_changed, steps[first].screenshot, steps[last + 1].screenshot)
                self._background.run(share, partial(form.show_difference, first, last), lambda _: None, of=dialog)

        form.range_changed.connect(compare)
        compare(self._current, self._current)

    def _ask_tail(self) -> None:
        at, end = self._current, self._steps[-1]
        follows = (
            f"{removed_steps_text(range(at + 1, end.number + 1))}. Step {step_number(at)} keeps its screenshot "
            f"and becomes {action_type(end.action)}, with {quoted(self._end_text)}."
        )
        question = _question("End here", f"End the episode at step {step_number(at)}?", answer="End here")
        self._open(ReviewCommand.END_HERE, question, FixedForm(DropTail(at=at), follows))

    def _ask_repair(self) -> None:
        opened = self._opened.opened
        steps = opened.episode.steps
        form: AmendForm
        if not steps:
            form = FixedForm(Repair(), "The newest saved version is restored.")
        elif is_terminal(steps[-1].action):
            form = FixedForm(Repair(), "The file is rewritten from what can be read. No action changes.")
        else:
            form = EndForm()
        self._open(
            ReviewCommand.REPAIR, _question("Repair", "Repair this episode?", opened.damage, answer="Repair"), form
        )

    def _open(self, command: ReviewCommand, question: Question, form: AmendForm) -> AmendDialog:
        dialog = AmendDialog(question, form, _REASONS[command], partial(self._check, form), self.window())
        dialog.fix_given.connect(self.fix_requested)
        dialog.finished.connect(self._forget)
        self._dialog = dialog
        dialog.open()
        return dialog

    def _forget(self) -> None:
        self._dialog = None

    def _check(self, form: AmendForm, amendment: Amendment | AlsoRight) -> tuple[str, str]:
        """Why the amendment is refused, and which texts it removes; each may be empty."""
        opened = self._opened.opened
        if opened.damage or isinstance(amendment, AlsoRight):
            return "", ""  # a damaged episode can only be checked with its files
        size: Size | None = form.screenshot_size if isinstance(form, BoxForm) else None
        try:
            after = amended(opened.episode, opened.provenance, amendment, screenshot_size=size)
        except ReviewError as error:
            return str(error), ""
        return "", removed_text(after.removed)

    @property
    def _end_text(self) -> str:
        match self._steps[-1].action:
            case Impossible(text) | Complete(text):
                return text
            case _:
                return ""

    @property
    def _opened(self) -> OpenedReview:
        assert self._review is not None, "commands are off while no episode is open"
        return self._review

    def _record(self, number: int) -> StepRecord | None:
        provenance = self._opened.opened.provenance
        return provenance.steps[number] if provenance is not None and number < len(provenance.steps) else None

    # Wiring.

    def _connect(self) -> None:
        calls = {
            ReviewCommand.FIX_INSTRUCTION: self._ask_instruction,
            ReviewCommand.FIX_APPS: self._ask_apps,
            ReviewCommand.FIX_END: self._ask_end,
            ReviewCommand.FIX_NOTE: self._ask_note,
            ReviewCommand.FIX_TEXT: self._ask_text,
            ReviewCommand.FIX_PRESS: self._ask_press,
            ReviewCommand.FIX_BOX: self._ask_box,
            ReviewCommand.ALSO_RIGHT: self._ask_also_right,
            ReviewCommand.DROP_STEPS: self._ask_drop,
            ReviewCommand.END_HERE: self._ask_tail,
            ReviewCommand.REPAIR: self._ask_repair,
        }
        self._commands.bind(self, calls)

    def _lay_out(self) -> None:
        buttons = in_columns(*self._commands.buttons(*FIXES, kind="low", wide=True), spacing=(4, 2))
        fill_column(self, scroll_area(pile(self._refused, buttons, spacing=2)), margins=(10, 8, 6, 8))


def share_changed(before: Path, after: Path) -> float | None:
    """The share (0..1) of pixels that differ, without the system bars; None if a file cannot be read."""
    try:
        (_, one), (_, other) = (measure(read_file(path, Largest.SCREENSHOT)) for path in (before, after))
    except OSError:
        return None
    return None if one is None or other is None else change(one, other)


def _question(title: str, question: str, detail: str = "", *, answer: str = "Fix") -> Question:
    return Question(
        title=title,
        question=question,
        answer=answer,
        tip="Change the episode and keep the previous version (Enter)",
        cancel_tip="Leave the episode as it is (Esc)",
        detail=detail,
    )


def _sent_text(record: StepRecord | None) -> str:
    if record is None or not isinstance(record.input, TextRecord):
        return ""
    return f"The recording log still shows the text sent to the device: {quoted(record.input.text)}."


def _press_duration_text(record: StepRecord | None) -> str:
    if record is None or not isinstance(record.input, StrokeRecord):
        return "The recording log doesn't say how long the finger was down."
    held_s = record.input.duration_us / 1_000_000
    return f"The finger was down for {held_s:.2f} s, according to the recording log."
