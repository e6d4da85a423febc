"""The commands of the Tasks page."""

from functools import partial

from odyssey_recorder.gui.frame.command import Command, CommandText

_command = partial(CommandText, page="Tasks", seen_by="leads")
_for_recorders = partial(_command, seen_by="recorders")
_toggle = partial(_command, checkable=True)


class TasksCommand(Command):
    RECORD_TASK = _for_recorders(
        "Record this task", "Go to Record with this task", "record_circle_outline", "Alt+O", primary=True
    )
    SEND_BACK_TASK = _for_recorders(
        "Send back…", "Put this task back in the queue, with a reason", "undo_variant", "Alt+B"
    )
    FREE_TASK = _command(
        "Release…", "Return this reserved task to the queue, with a reason", "lock_open_outline", "Alt+U"
    )
    ASSIGN_TASK = _command("Assign…", "Offer this task to one person only", "account_arrow_right_outline", "Alt+G")
    READ_TASKS = _for_recorders("Refresh", "Read the tasks again", "refresh", "F8")
    SHOW_QUEUE = _toggle("Queue", "Show the tasks to record and who has them", "format_list_checks", "Alt+1", "1")
    SHOW_TEMPLATES = _toggle(
        "Templates", "Show the templates that tasks are made from", "text_box_multiple_outline", "Alt+2", "2"
    )
    SHOW_PREPARE = _toggle("Prepare", "Show the tasks to approve", "text_box_check_outline", "Alt+3", "3")
    SHOW_COVERAGE = _toggle(
        "Coverage",
        "Show how many tasks exist for each category, device and kind of app",
        "view_grid_outline",
        "Alt+4",
        "4",
    )
    FIND_TASK = _for_recorders("Find", "Search this list", "magnify", "Ctrl+F")
    GENERATE_TASKS = _command("Generate…", "Generate tasks from the templates", "plus", "Ctrl+G")
    THINK_OF_TEMPLATES = _command(
        "Propose templates…", "Let a language model propose templates", "lightbulb_on_outline", "Ctrl+T"
    )
    SHOW_TEAM = _command(
        "Apps of the team…", "Choose the apps, countries and accounts that the team has", "apps", "Ctrl+Shift+T"
    )
    KEEP_TEMPLATE = _command("Keep proposal", "Save this proposal as your own template", "check", "K", primary=True)
    DROP_TEMPLATE = _command("Drop proposal", "Discard this proposal", "close", "D")
    APPROVE_TASKS = _command("Approve", "Approve it for recording, and go to the next", "check", "A", primary=True)
    REJECT_TASKS = _command("Reject…", "Reject it with a reason, and go to the next", "cancel", "X")
    EDIT_TASK = _command("Edit", "Write your own instruction", "pencil_outline", "E")
    KEEP_WORDS = _command(
        "Save",
        "Save your instruction and check it against the rules",
        "content_save_outline",
        "Ctrl+Return",
        primary=True,
    )
    LEAVE_WORDS = _command("Discard", "Restore the previous instruction", "undo", "Esc")
    REWRITE_TASKS = _command(
        "Rewrite…", "Let a language model rewrite the selected tasks. You see the cost first.", "auto_fix", "W"
    )
    REWRITE_ALL = _command(
        "Rewrite all…",
        "Let a language model rewrite all listed tasks. You see the cost first.",
        "auto_fix",
        "Ctrl+Shift+R",
    )
    ASK_AGAIN = _command("Reword", "Ask the model for a different wording (one request)", "refresh", "Shift+W")
    REPHRASE_TASKS = _command("Undo rewrite", "Go back to the template's wording in the selected tasks", "undo", "B")
    NEXT_GAP = _command("Go to next gap", "Go to the largest gap, then to the next", "debug_step_over", "N")
    FILL_GAP = _command("Generate for it…", "Generate tasks for this cell", "plus", "G", primary=True)
    DISMISS_TASKS = _command("Dismiss", "Dismiss this message", "close", "Ctrl+.")
