"""The commands of the Dataset page."""

from functools import partial

from odyssey_recorder.gui.frame.command import Command, CommandText

_command = partial(CommandText, page="Dataset")
_toggle = partial(_command, checkable=True)
_for_leads = partial(_command, seen_by="leads")


class DatasetCommand(Command):
    DATASET_PAGE = CommandText("Dataset", "Browse the published episodes", "database_outline", "Ctrl+6")
    SHOW_EPISODES = _toggle("Episodes", "Show the episodes", "view_list_outline", "Alt+1")
    SHOW_FIGURES = _toggle("Figures", "Show the figures of the listed episodes", "chart_bar", "Alt+2")
    SHOW_SPLITS = _toggle("Splits", "Show the splits and their leaks", "call_split", "Alt+3", seen_by="leads")
    SHOW_RELEASES = _toggle(
        "Releases", "Show the releases of this dataset", "tag_multiple_outline", "Alt+4", seen_by="leads"
    )
    FIND_EPISODE = _command("Find", "Go to the filter", "magnify", "Ctrl+F")
    SAVE_VIEW = _command("Save view…", "Save this filter under a name", "bookmark_plus_outline", "Ctrl+D")
    DELETE_VIEW = _command("Delete view", "Delete the chosen saved view", "bookmark_remove_outline")
    SHOW_GALLERY = _toggle("Show gallery", "Show screenshots of each episode, or the table", "filmstrip", "Ctrl+G")
    EXPORT_EPISODES = _for_leads("Export…", "Export the selected or all listed episodes", "export_variant", "Ctrl+E")
    CLEAR_FILTERS = _command("Show all", "Clear the filter", "filter_off_outline", "Ctrl+Shift+F")
    EPISODE_FOLDER = _command("Open folder", "Open the folder of the episode", "folder_open_outline", "Ctrl+O")
    EPISODE_PATH = _command("Copy path", "Copy the path of the episode", "content_copy", "Ctrl+Shift+C")
    SAME_TASK = _command("Compare…", "Show all recordings of this task side by side", "compare")
    EPISODE_ID = _command("Copy id", "Copy the episode id", "identifier", "Ctrl+C")
    SAVE_DATASET_FIGURES = _command("Save as page…", "Save the figures as a web page", "content_save_outline", "Ctrl+S")
    SAVE_FIGURE_IMAGES = _command("Save images…", "Save each figure as an image", "image_outline", "Ctrl+Shift+S")
    MAKE_SPLITS = _for_leads(
        "Make splits…",
        "Divide the episodes into train and test parts. You see the changes first.",
        "call_split",
        "Ctrl+M",
        primary=True,
    )
    MAKE_RELEASE = _for_leads(
        "Make release…",
        "Make a release of the accepted episodes. You see its contents first.",
        "tag_plus_outline",
        "Ctrl+Shift+M",
        primary=True,
    )
    VERIFY_RELEASE = _for_leads(
        "Verify", "Compare the files with the selected release", "shield_check_outline", "Ctrl+Y"
    )
    COMPARE_RELEASES = _for_leads(
        "Compare", "Show what changed between the two selected releases, or since the one before", "compare_horizontal"
    )
    RETIRE_EPISODES = _for_leads(
        "Retire…", "Leave the selected episodes out of lists and exports, with a reason", "archive_arrow_down_outline"
    )
    REQUEST_REVIEW = _for_leads(
        "Send to review…", "Request a second review of the selected episodes", "account_multiple_check_outline"
    )
    CONTROL_EPISODES = _for_leads("Controls…", "Show and add control episodes, which measure the reviewers", "target")
    RESTORE_EPISODES = _for_leads(
        "Restore…", "Put the selected retired episodes back into lists and exports", "archive_arrow_up_outline"
    )
    WITHDRAW_EPISODES = _command(
        "Withdraw…",
        "Move your selected episodes to the trash, with a reason; their tasks can be recorded again",
        "undo_variant",
        "Ctrl+Shift+W",
        seen_by="recorders",
    )
    SHOW_TRASH = _command("Trash…", "Show rejected and withdrawn episodes, and restore them", "delete_outline")
    SHOW_DUPLICATES = _for_leads(
        "Find duplicates…", "Show groups of possible duplicates, the best episode first", "content_duplicate"
    )
    DISMISS_DATASET = _command("Dismiss", "Dismiss this warning", "close", "Ctrl+.")
