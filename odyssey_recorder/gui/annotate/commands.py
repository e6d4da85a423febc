"""The commands of the Annotate page."""

from functools import partial

from odyssey_recorder.gui.frame.command import Command, CommandText

_command = partial(CommandText, page="Annotate", seen_by="reviewers")


class AnnotateCommand(Command):
    ANNOTATE_PAGE = CommandText(
        "Annotate", "Accept or edit the texts of steps", "text_box_edit_outline", "Ctrl+7", seen_by="reviewers"
    )
    ACCEPT_TEXT = _command(
        "Accept", "Accept this text, or save what you wrote, and go to the next", "check", "Return", primary=True
    )
    EDIT_TEXT = _command("Edit", "Change this text; Enter saves, Esc leaves it as it was", "pencil_outline", "F2")
    REJECT_TEXT = _command("Reject", "Reject this text so that it is written again, and go to the next", "close", "Del")
    NEXT_CONTRADICTED = _command(
        "Next contradicted", "Go to the next text that the evidence contradicts", "alert_circle_outline", "N"
    )
    ACCEPT_SUPPORTED = _command(
        "Accept supported", "Accept all texts of this episode that the evidence supports", "check_all", "Shift+Return"
    )
    UNDO_TEXT = _command("Undo", "Undo the last decision", "undo", "Ctrl+Z")
    NEXT_TEXT = _command("Next text", "Go to the next text", "arrow_down", "Down")
    PREVIOUS_TEXT = _command("Previous text", "Go to the previous text", "arrow_up", "Up")
    NEXT_TEXT_STEP = _command("Next step", "Go to the next step", "chevron_right", "Right")
    PREVIOUS_TEXT_STEP = _command("Previous step", "Go to the previous step", "chevron_left", "Left")
    SHOW_MARK = _command(
        "Show the mark", "Show the action on the screenshot, or the plain one", "gesture_tap", "M", checkable=True
    )
    NEXT_CANDIDATE = _command("Next suggestion", "Show another suggestion for this text", "swap_horizontal", "]")
    TAKE_CANDIDATE = _command("Use this suggestion", "Accept it, and go to the next text", "swap_vertical", "U")
    NEXT_TEXT_EPISODE = _command("Next episode", "Open the next episode with open texts", "skip_next", "Ctrl+J")
    WRITE_TEXTS = _command(
        "Write texts…", "Have a model write the missing texts. You see the cost first.", "robot_outline", "Ctrl+M"
    )
    READ_TEXTS = _command("Refresh", "Read the texts again", "refresh", "F5")
    DISMISS_ANNOTATE = _command("Dismiss", "Dismiss this message", "close", "Ctrl+.")
