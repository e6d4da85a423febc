"""All commands of the window, each with its words, icon and shortcut."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial

from PySide6.QtCore import QObject, QSize
from PySide6.QtGui import QAction, QKeySequence, QPalette
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.theme import Theme


@dataclass(frozen=True, slots=True)
class _CommandText:
    """What is shown of a command, and its keys as Qt spells them."""

    label: str
    tip: str
    icon: str
    keys: str = ""
    more_keys: str = ""
    primary: bool = False
    checkable: bool = False
    page: str = ""


_record = partial(_CommandText, page="Record")
_tasks = partial(_CommandText, page="Tasks")
_practice = partial(_CommandText, page="Practice")
_devices = partial(_CommandText, page="Devices")
_dataset = partial(_CommandText, page="Dataset")
_review = partial(_CommandText, page="Review")
_annotate = partial(_CommandText, page="Annotate")
_evaluate = partial(_CommandText, page="Evaluate")
_settings = partial(_CommandText, page="Settings")
_dataset_toggle = partial(_dataset, checkable=True)
_tasks_toggle = partial(_tasks, checkable=True)
_record_toggle = partial(_record, checkable=True)
_review_toggle = partial(_review, checkable=True)


class Command(Enum):
    """A command of one page, or of every page where `page` is empty.

    A key has one meaning per page; keys of hidden pages do nothing.
    """

    @property
    def own_keys(self) -> tuple[QKeySequence, ...]:
        """The default keys, with the one shown in tooltips first."""
        return tuple(QKeySequence(keys) for keys in (self.value.keys, self.value.more_keys) if keys)

    RECORD_PAGE = _CommandText("Record", "Record episodes", "record_circle_outline", "Ctrl+1")
    REVIEW_PAGE = _CommandText("Review", "Review episodes that others recorded", "clipboard_check_outline", "Ctrl+2")
    TASKS_PAGE = _CommandText("Tasks", "Choose a task to record", "format_list_checks", "Ctrl+3")
    PRACTICE_PAGE = _CommandText(
        "Practice", "Practise before you record, and see your progress", "school_outline", "Ctrl+4"
    )
    DEVICES_PAGE = _CommandText("Devices", "Start and prepare emulators", "cellphone", "Ctrl+5")
    DATASET_PAGE = _CommandText("Dataset", "Browse the published episodes", "database_outline", "Ctrl+6")
    ANNOTATE_PAGE = _CommandText("Annotate", "Accept or edit the texts of steps", "text_box_edit_outline", "Ctrl+7")
    EVALUATE_PAGE = _CommandText("Evaluate", "Score what models predicted", "chart_box_outline", "Ctrl+8")
    SETTINGS_PAGE = _CommandText("Settings", "Folders, adb, keys and shortcuts", "cog_outline", "Ctrl+9", "Ctrl+,")
    NEXT_PAGE = _CommandText("Next page", "Show the next page", "arrow_down", "Ctrl+Tab")
    PREVIOUS_PAGE = _CommandText("Previous page", "Show the previous page", "arrow_up", "Ctrl+Shift+Tab")
    HELP = _CommandText("Help", "Show the keys of this page", "help", "F1")
    DOCTOR = _CommandText("Doctor", "Check this computer's set-up", "stethoscope", "Shift+F1")
    LEFT_PANEL = _CommandText("Left panel", "Show or hide the left panel", "dock_left", "Ctrl+B")
    RIGHT_PANEL = _CommandText("Right panel", "Show or hide the right panel", "dock_right", "Ctrl+Shift+B")
    LOOK_FOR_DEVICES = _record("Refresh", "Refresh the list of devices", "refresh", "F5")
    SIMULATE = _record("Start the simulated emulator", "Start a simulated emulator on this computer", "cellphone_play")
    START = _record("Start recording", "Start recording this task", "record_circle_outline", "Ctrl+R", primary=True)
    LOOK_OVER = _record("Check again", "Check again whether the device is ready for passive mode", "refresh", "F7")
    RUN_AGENT = _record("Run agent…", "Have a model carry out this task", "robot_outline", "Ctrl+Shift+A")
    TAKE_OVER = _record("Take over", "Pause the agent and go on yourself", "hand_back_right_outline", "Esc")
    RESUME_AGENT = _record("Resume agent", "Hand the device back to the agent", "robot_outline", "Ctrl+Shift+R")
    CORRECT_STEP = _record(
        "Correct step",
        "Undo the agent's selected step and all after it, then show the right action",
        "school_outline",
        "Ctrl+Shift+E",
    )
    PAUSE = _record_toggle("Pause", "Pause or resume the recording", "play_pause", "Ctrl+P")
    STOP = _record("Stop", "Stop and save the draft for later", "stop", "Ctrl+Shift+S")
    DISCARD = _record("Discard…", "Stop and move the draft to the trash", "delete_outline")
    DRAFTS = _record("Show drafts…", "Continue an unfinished recording", "file_clock_outline", "Ctrl+Shift+D")
    RETRY = _record("Try again", "Try again now", "refresh", "F6", primary=True)
    BACK = _record("Back", "Press Back on the device", "arrow_left", "F2")
    HOME = _record("Home", "Press Home on the device", "circle_outline", "F3")
    RECENT = _record("Recent", "Show the device's recent apps", "square_outline", "F4")
    WRITE = _record("Enter text", "Go to the text field", "keyboard_outline", "Ctrl+T")
    TYPE = _record("Type", "Type this text on the device as one step", "keyboard_return", "Return")
    COMPLETE = _record("Complete…", "End the episode: the task is done", "check", "Ctrl+Return", primary=True)
    IMPOSSIBLE = _record("Impossible…", "End the episode with a reason why the task cannot be done", "cancel", "Ctrl+I")
    UNDO = _record("Undo last", "Undo the last step", "undo", "Ctrl+Z")
    UNDO_TO_HERE = _record(
        "Undo to here",
        "Undo the selected step and all after it; the device returns to its screen",
        "undo_variant",
        "Ctrl+Shift+Z",
    )
    NOTE = _record("Write a note", "Add a note to the selected step", "pencil_outline", "Ctrl+E")
    ACCEPT_SCREEN = _record(
        "Screens match, continue", "The two screens show the same; continue recording", "check", "Ctrl+Shift+Return"
    )
    ZOOM_FIT = _record("Fit", "Show the whole screen of the device", "fit_to_page_outline", "Ctrl+0")
    ZOOM_PIXELS = _record("1:1", "Show each pixel as one pixel", "relative_scale", "Ctrl+Shift+1")
    ZOOM_IN = _record(
        "Zoom in", "Show the screen larger (also Ctrl and the mouse wheel)", "magnify_plus_outline", "Ctrl++", "Ctrl+="
    )
    ZOOM_OUT = _record(
        "Zoom out", "Show the screen smaller (also Ctrl and the mouse wheel)", "magnify_minus_outline", "Ctrl+-"
    )
    MAGNIFY = _record_toggle(
        "Magnify", "Enlarge the area under the pointer (also while holding Shift)", "magnify_scan", "Ctrl+M"
    )
    DISMISS = _record("Dismiss", "Dismiss this message", "close", "Ctrl+.")
    ANOTHER = _record("Record another", "Start the next episode", "plus", "Ctrl+N", primary=True)
    PRACTISE = _practice(
        "Practise this", "Go to Record with this practice task", "school_outline", "Alt+P", primary=True
    )
    HINT = _record("Show a hint", "Show the next hint", "lightbulb_outline", "Ctrl+H")
    TRY_AGAIN = _record("Practise again", "Repeat this practice task", "refresh", "Ctrl+Shift+T")
    NEXT_PRACTICE = _record(
        "Next practice task", "Go to the next task you have not passed", "skip_next", "Ctrl+Shift+J", primary=True
    )
    LEAVE_PRACTICE = _record("Leave practice", "Return to your own tasks", "close")
    SAVE_SETTINGS = _settings(
        "Save", "Save the changes to settings.toml", "content_save_outline", "Ctrl+S", primary=True
    )
    REVERT_SETTINGS = _settings("Revert", "Discard the changes", "undo")
    STORE_KEY = _settings("Save to keyring", "Save the API key to your system's keyring", "key_outline")
    FORGET_KEY = _settings("Forget the key", "Remove the API key from your system's keyring", "delete_outline")
    READ_CONSENT = _CommandText("Read the consent text", "Read the text you agreed to", "file_document_outline")
    RESET_KEYS = _settings("Reset", "Reset the shortcut of the selected action", "undo")
    RESET_ALL_KEYS = _settings("Reset all", "Reset all shortcuts", "restore")
    OPEN_LOG = _settings("Open folder", "Show the log in the file manager", "folder_open_outline")
    COPY_LOG_PATH = _settings("Copy path", "Copy the path of the log", "content_copy")
    SHOW_EPISODES = _dataset_toggle("Episodes", "Show the episodes", "view_list_outline", "Alt+1")
    SHOW_FIGURES = _dataset_toggle("Figures", "Show the figures of the listed episodes", "chart_bar", "Alt+2")
    SHOW_SPLITS = _dataset_toggle("Splits", "Show the splits and their leaks", "call_split", "Alt+3")
    SHOW_RELEASES = _dataset_toggle("Releases", "Show what was released, by hash", "tag_multiple_outline", "Alt+4")
    FIND_EPISODE = _dataset("Find", "Go to the filter", "magnify", "Ctrl+F")
    SAVE_VIEW = _dataset("Save view…", "Save the filter by a name", "bookmark_plus_outline", "Ctrl+D")
    DELETE_VIEW = _dataset("Delete view", "Delete the chosen saved view", "bookmark_remove_outline")
    SHOW_GALLERY = _dataset_toggle(
        "Show gallery", "Show screenshots of each episode, or the table", "filmstrip", "Ctrl+G"
    )
    EXPORT_EPISODES = _dataset("Export…", "Export the selected or all listed episodes", "export_variant", "Ctrl+E")
    CLEAR_FILTERS = _dataset("Show all", "Clear the filter", "filter_off_outline", "Ctrl+Shift+F")
    EPISODE_FOLDER = _dataset("Open folder", "Open the folder of the episode", "folder_open_outline", "Ctrl+O")
    EPISODE_PATH = _dataset("Copy path", "Copy the path of the episode", "content_copy", "Ctrl+Shift+C")
    SAME_TASK = _dataset("Compare…", "Show all takes of this task side by side", "compare")
    EPISODE_ID = _dataset("Copy id", "Copy the episode id", "identifier", "Ctrl+C")
    SAVE_DATASET_FIGURES = _dataset("Save as page…", "Save the figures as a web page", "content_save_outline", "Ctrl+S")
    SAVE_FIGURE_IMAGES = _dataset("Save images…", "Save each figure as an image", "image_outline", "Ctrl+Shift+S")
    MAKE_SPLITS = _dataset(
        "Make splits…", "Divide the episodes into train and test; shows first what would move", "call_split", "Ctrl+M",
        primary=True,
    )  # fmt: skip
    MAKE_RELEASE = _dataset(
        "Make release…", "Release the accepted episodes by hash; shows first what would be released",
        "tag_plus_outline", "Ctrl+Shift+M", primary=True,
    )  # fmt: skip
    VERIFY_RELEASE = _dataset("Verify", "Compare the files with the selected release", "shield_check_outline", "Ctrl+Y")
    COMPARE_RELEASES = _dataset(
        "Compare", "Show what changed between the two selected releases, or since the one before", "compare_horizontal"
    )
    RETIRE_EPISODES = _dataset(
        "Retire…", "Leave the selected episodes out of lists and exports, with a reason", "archive_arrow_down_outline"
    )
    REQUEST_REVIEW = _dataset(
        "Send to review…", "Request a second review of the selected episodes", "account_multiple_check_outline"
    )
    RESTORE_EPISODES = _dataset("Restore…", "Take the selected retired episodes back", "archive_arrow_up_outline")
    SHOW_DUPLICATES = _dataset(
        "Find duplicates…", "Show groups of episodes that may be the same, the best first", "content_duplicate"
    )
    DISMISS_DATASET = _dataset("Dismiss", "Dismiss this warning", "close", "Ctrl+.")
    COPY_PLACE = _record("Copy path", "Copy the path of the episode", "content_copy")
    NEXT_TASK = _record("Next", "Show the next waiting task", "skip_next", "Ctrl+J")
    SKIP_TASK = _record("Skip…", "Move this task to the end of the queue, with a reason", "debug_step_over", "Ctrl+K")
    CHOOSE_TASK = _record("Choose…", "Choose a task from the list", "format_list_checks", "Ctrl+L")
    OWN_TASK = _record("Write my own", "Enter your own task", "pencil_outline", "Ctrl+Shift+W")
    QUEUE_TASK = _record("Return to the queue", "Take the next waiting task", "format_list_checks", "Ctrl+Shift+Q")
    RECORD_TASK = _tasks(
        "Record this task", "Go to Record with this task", "record_circle_outline", "Alt+O", primary=True
    )
    SEND_BACK_TASK = _tasks("Send back…", "Put this task back in the queue, with a reason", "undo_variant", "Alt+B")
    FREE_TASK = _tasks("Release…", "Offer this reserved task to everybody again", "lock_open_outline", "Alt+U")
    READ_TASKS = _tasks("Refresh", "Read the tasks again", "refresh", "F8")
    DEVICES_LOOK = _devices("Refresh", "Refresh the list of devices", "refresh", "F8")
    DEVICE_CREATE = _devices("Create", "Create a virtual device of this kind", "plus", "Alt+C", primary=True)
    DEVICE_START = _devices("Start", "Start it from its last state", "play", "Alt+S", primary=True)
    DEVICE_COLD_BOOT = _devices("Cold boot", "Start it with a full boot", "snowflake", "Alt+B")
    DEVICE_SIMULATE = _devices(
        "Start simulated", "Start a simulated device of this kind on this computer", "cellphone_play", "Alt+M"
    )
    DEVICE_RECORD = _devices(
        "Record on it", "Go to Record with this device", "record_circle_outline", "Alt+O", primary=True
    )
    DEVICE_STOP = _devices("Stop", "Stop this emulator", "stop", "Alt+T")
    DEVICE_FOLD = _devices("Fold", "Fold the device", "book_outline", "Alt+F")
    DEVICE_UNFOLD = _devices("Unfold", "Unfold the device", "book_open_outline", "Alt+U")
    DEVICE_ROTATE = _devices("Rotate", "Rotate the device by 90°", "screen_rotation", "Alt+R")
    DEVICE_RESET = _devices("Reset…", "Reset the device to factory state (asks first)", "restore", "Alt+E")
    DEVICE_CHECK = _devices("Check again", "Check the device again", "refresh", "F9")
    SNAPSHOT_SAVE = _devices("Save", "Save the device's state as a snapshot", "content_save_outline", "Alt+K")
    SNAPSHOT_LOAD = _devices("Load", "Restore the device to this snapshot", "backup_restore", "Alt+G")
    FIND_REVIEW = _review("Find", "Search instruction, template or id", "magnify", "Ctrl+F")
    CLEAR_REVIEW = _review("Show all", "Clear the search and filters", "filter_off_outline", "Ctrl+Shift+F")
    REVIEW_LIST = _review_toggle("Show list", "Show or hide the list of episodes", "menu_open", "Ctrl+L")
    REVIEW_FIGURES = _review_toggle(
        "Show figures", "Switch between episodes and figures", "chart_box_outline", "Ctrl+G"
    )
    REFRESH_FIGURES = _review("Refresh", "Read the reviews again", "refresh", "Shift+F5")
    SAVE_FIGURES = _review("Save as page…", "Save the figures as a web page", "content_save_outline", "Ctrl+S")
    CHECK_EPISODES = _review("Check", "Run the checks on unchecked episodes", "check_all", "F5")
    NEXT_REVIEW = _review("Open next", "Open the next episode that you may review", "skip_next", "Ctrl+J")
    PASS_PICTURES = _review("Pass", "All screenshots are present and correct", "check", "Q")
    FAIL_PICTURES = _review("Fail", "A screenshot is missing or wrong", "close", "W")
    UNSURE_PICTURES = _review("Unsure", "Unsure whether all screenshots are present and correct", "help", "E")
    PASS_SEQUENCE = _review("Pass", "The steps complete the instruction", "check", "A")
    FAIL_SEQUENCE = _review("Fail", "The steps do not complete the instruction", "close", "S")
    UNSURE_SEQUENCE = _review("Unsure", "Unsure whether the steps complete the instruction", "help", "D")
    PASS_INSTRUCTION = _review("Pass", "The rewritten instruction asks for the same as the task", "check", "Z")
    FAIL_INSTRUCTION = _review("Fail", "The rewritten instruction asks for something else", "close", "X")
    UNSURE_INSTRUCTION = _review("Unsure", "Unsure whether the rewritten instruction asks for the same", "help", "C")
    REASON_1 = _review("Reason 1", "The first reason in the list", "numeric_1", "1")
    REASON_2 = _review("Reason 2", "The second reason in the list", "numeric_2", "2")
    REASON_3 = _review("Reason 3", "The third reason in the list", "numeric_3", "3")
    REASON_4 = _review("Reason 4", "The fourth reason in the list", "numeric_4", "4")
    REASON_5 = _review("Reason 5", "The fifth reason in the list", "numeric_5", "5")
    REASON_6 = _review("Reason 6", "The sixth reason in the list", "numeric_6", "6")
    REASON_7 = _review("Reason 7", "The seventh reason in the list", "numeric_7", "7")
    REASON_8 = _review("Reason 8", "The eighth reason in the list", "numeric_8", "8")
    REASON_9 = _review("Reason 9", "The ninth reason in the list", "numeric_9", "9")
    TAKE_STEP = _review("Use this step", "Take the step that is shown", "image_marker_outline", "G")
    REASON_WORDS = _review("Add details", "Go to the details of the reason", "comment_text_outline", "T")
    REVIEW_NOTE = _review("Write a note", "Go to the note of the verdict", "pencil_outline", "Ctrl+E")
    ACCEPT_EPISODE = _review("Accept", "Accept the episode, and open the next", "check_all", "R", primary=True)
    FIX_AND_ACCEPT = _review(
        "Fix and accept", "Accept your fixed version, and open the next", "wrench_check_outline", "F"
    )
    SEND_BACK_EPISODE = _review(
        "Send back", "Ask the annotator to record it again, and open the next", "reply_outline", "V"
    )
    REJECT_EPISODE = _review("Reject", "Move it to the trash, and open the next", "delete_outline", "Ctrl+D")
    SHOW_TASK = _review_toggle("Task", "Show the task", "text_box_outline", "Alt+1")
    SHOW_FINDINGS = _review_toggle("Findings", "Show what the checks found", "check_all", "Alt+2")
    SHOW_FIXES = _review_toggle("Fix", "Show the fixes", "wrench_outline", "Alt+3")
    SHOW_REPLAY = _review_toggle("Replay", "Show the replay results, or replay the episode", "replay", "Alt+4")
    SHOW_HISTORY = _review_toggle("History", "Show the history of the episode", "history", "Alt+5")
    DISMISS_REVIEW = _review("Dismiss", "Dismiss this message", "close", "Ctrl+.")
    PREVIOUS_STEP = _review("Previous step", "Show the previous step", "chevron_left", "Left", ",")
    NEXT_STEP = _review("Next step", "Show the next step", "chevron_right", "Right", ".")
    FIRST_STEP = _review("First step", "Show the first step", "page_first", "Home")
    LAST_STEP = _review("Last step", "Show the last step", "page_last", "End")
    BEFORE_AFTER = _review_toggle(
        "Show before and after", "Show the screenshot after the step too, or only this one", "compare", "B"
    )
    SHOW_CHANGES = _review_toggle(
        "Show changes", "Outline the differences between the two screenshots", "vector_difference", "H"
    )
    REVIEW_FIT = _review("Fit", "Show the whole screenshot", "fit_to_page_outline", "Ctrl+0")
    REVIEW_PIXELS = _review("1:1", "Show each pixel as one pixel", "relative_scale", "Ctrl+Shift+1")
    REVIEW_LARGER = _review(
        "Zoom in", "Show the screen larger (also Ctrl and the mouse wheel)", "magnify_plus_outline", "Ctrl++", "Ctrl+="
    )
    REVIEW_SMALLER = _review(
        "Zoom out", "Show the screen smaller (also Ctrl and the mouse wheel)", "magnify_minus_outline", "Ctrl+-"
    )
    NEXT_FINDING = _review("Next finding", "Go to the next finding and its step", "arrow_down", "N")
    PREVIOUS_FINDING = _review("Previous finding", "Go to the previous finding and its step", "arrow_up", "P")
    REPLAY_EPISODE = _review("Replay", "Replay the episode on the selected device", "replay", "Ctrl+R")
    FIX_INSTRUCTION = _review("Edit instruction…", "Change the instruction", "text_box_edit_outline", "Alt+I")
    FIX_APPS = _review("Edit apps…", "Change the apps or the category of the task", "apps", "Alt+A")
    FIX_END = _review("Edit end…", "Change the final note or reason", "flag_checkered", "Alt+E")
    FIX_NOTE = _review("Edit note…", "Change the note of this step", "comment_edit_outline", "Alt+N")
    FIX_TEXT = _review("Edit text…", "Change the text that this step types", "form_textbox", "Alt+T")
    FIX_PRESS = _review("Change press…", "Change this click to a long press, or back", "gesture_tap_hold", "Alt+K")
    FIX_BOX = _review("Draw box…", "Draw the box of the touched element", "vector_square_edit", "Alt+B")
    DROP_STEPS = _review("Drop steps…", "Remove this step, or several", "table_row_remove", "Alt+D")
    REPAIR = _review("Repair…", "Repair a damaged episode from its files", "wrench_outline", "Alt+R")
    END_HERE = _review("End here…", "End the episode at this step", "content_cut", "Alt+H")
    UNDO_FIX = _review("Undo fix", "Undo the latest fix", "undo", "Ctrl+Z")
    ACCEPT_TEXT = _annotate("Accept", "Accept this text, or save what you wrote, and go to the next", "check", "Return",
        primary=True,
    )  # fmt: skip
    EDIT_TEXT = _annotate("Edit", "Change this text; Enter saves, Esc leaves it as it was", "pencil_outline", "F2")
    REJECT_TEXT = _annotate("Reject", "Reject this text, to have it written anew, and go to the next", "close", "Del")
    NEXT_CONTRADICTED = _annotate(
        "Next contradicted", "Go to the next text that the evidence contradicts", "alert_circle_outline", "N"
    )
    ACCEPT_SUPPORTED = _annotate(
        "Accept supported", "Accept all texts of this episode that the evidence supports", "check_all", "Shift+Return"
    )
    UNDO_TEXT = _annotate("Undo", "Undo the last decision", "undo", "Ctrl+Z")
    NEXT_TEXT = _annotate("Next text", "Go to the next text", "arrow_down", "Down")
    PREVIOUS_TEXT = _annotate("Previous text", "Go to the previous text", "arrow_up", "Up")
    NEXT_TEXT_STEP = _annotate("Next step", "Go to the next step", "chevron_right", "Right")
    PREVIOUS_TEXT_STEP = _annotate("Previous step", "Go to the previous step", "chevron_left", "Left")
    SHOW_MARK = _annotate("Show the mark", "Show the action on the screenshot, or the plain one", "gesture_tap", "M",
        checkable=True,
    )  # fmt: skip
    NEXT_CANDIDATE = _annotate("Next suggestion", "Show another suggestion for this text", "swap_horizontal", "]")
    TAKE_CANDIDATE = _annotate("Use the other", "Accept the other suggestion, and go to the next", "swap_vertical", "U")
    NEXT_TEXT_EPISODE = _annotate("Next episode", "Open the next episode with open texts", "skip_next", "Ctrl+J")
    WRITE_TEXTS = _annotate(
        "Write texts…", "Have a model write what is missing; shows the cost first", "robot_outline", "Ctrl+M"
    )
    READ_TEXTS = _annotate("Refresh", "Read the texts again", "refresh", "F5")
    DISMISS_ANNOTATE = _annotate("Dismiss", "Dismiss this message", "close", "Ctrl+.")
    SHOW_SCORES = _evaluate("Scores", "Show the scores", "chart_bar", "Alt+1", checkable=True)
    SHOW_JUDGED = _evaluate("Steps", "Show single steps, the worst first", "gesture_tap", "Alt+2", checkable=True)
    SHOW_PROBLEMS = _evaluate(
        "Problems", "Show what does not fit in the files", "alert_circle_outline", "Alt+3", checkable=True
    )
    OPEN_PREDICTIONS = _evaluate("Open…", "Choose a file of predictions", "folder_open_outline", "Ctrl+O")
    OPEN_OTHER = _evaluate("Open other…", "Choose the predictions to compare with", "compare", "Ctrl+Shift+O")
    OPEN_DATASET = _evaluate("Open dataset…", "Choose the folder of another dataset", "database_search_outline")
    SCORE = _evaluate("Score", "Score the predictions", "play", "F5", primary=True)
    EXPORT_REPORT = _evaluate("Export report…", "Save the scores as a web page or as JSON", "export_variant", "Ctrl+S")
    DISMISS_EVALUATE = _evaluate("Dismiss", "Dismiss this message", "close", "Ctrl+.")
    SHOW_QUEUE = _tasks_toggle("Queue", "Show the tasks to record and who has them", "format_list_checks", "Alt+1", "1")
    SHOW_TEMPLATES = _tasks_toggle(
        "Templates", "Show the templates that tasks are made from", "text_box_multiple_outline", "Alt+2", "2"
    )
    SHOW_PREPARE = _tasks_toggle("Prepare", "Show the tasks to approve", "text_box_check_outline", "Alt+3", "3")
    SHOW_COVERAGE = _tasks_toggle(
        "Coverage", "Show how many tasks exist for each category, device and kind of app", "view_grid_outline",
        "Alt+4", "4",
    )  # fmt: skip
    FIND_TASK = _tasks("Find", "Search this list", "magnify", "Ctrl+F")
    GENERATE_TASKS = _tasks("Generate…", "Generate tasks from the templates", "plus", "Ctrl+G")
    THINK_OF_TEMPLATES = _tasks(
        "Propose templates…", "Let a language model propose templates", "lightbulb_on_outline", "Ctrl+T"
    )
    KEEP_TEMPLATE = _tasks("Keep proposal", "Save this proposal as your own template", "check", "K", primary=True)
    DROP_TEMPLATE = _tasks("Drop proposal", "Discard this proposal", "close", "D")
    APPROVE_TASKS = _tasks("Approve", "Approve it for recording, and go to the next", "check", "A", primary=True)
    REJECT_TASKS = _tasks("Reject…", "Reject it with a reason, and go to the next", "cancel", "X")
    EDIT_TASK = _tasks("Edit", "Write your own instruction", "pencil_outline", "E")
    KEEP_WORDS = _tasks(
        "Save",
        "Save your instruction and check it against the rules",
        "content_save_outline",
        "Ctrl+Return",
        primary=True,
    )
    LEAVE_WORDS = _tasks("Discard", "Restore the previous instruction", "undo", "Esc")
    REWRITE_TASKS = _tasks(
        "Rewrite…", "Let a language model rewrite the selected tasks; shows the cost first", "auto_fix", "W"
    )
    REWRITE_ALL = _tasks(
        "Rewrite all…", "Let a language model rewrite all listed tasks; shows the cost first",
        "auto_fix", "Ctrl+Shift+R",
    )  # fmt: skip
    ASK_AGAIN = _tasks(
        "Ask again", "Let the model phrase this task in another way, at the cost of one task", "refresh", "Shift+W"
    )
    REPHRASE_TASKS = _tasks(
        "Back to phrasing", "Restore the phrasing of the template in the selected tasks", "undo", "B"
    )
    NEXT_GAP = _tasks("Go to next gap", "Go to the largest gap, then to the next", "debug_step_over", "N")
    FILL_GAP = _tasks("Generate for it…", "Generate tasks for this cell", "plus", "G", primary=True)
    DISMISS_TASKS = _tasks("Dismiss", "Dismiss this message", "close", "Ctrl+.")
    SNAPSHOT_DELETE = _devices("Delete", "Delete this snapshot", "delete_outline", "Alt+D")


class Commands(QObject):
    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._actions = {command: _action(command, self) for command in Command}
        self._tips: dict[Command, str] = {}
        self._whys: dict[Command, str] = {}
        for command in Command:
            self.set_keys(command, *command.own_keys)
        window.addActions([action for command, action in self._actions.items() if not command.value.page])
        self.use_palette(window.palette())

    def __getitem__(self, command: Command) -> QAction:
        return self._actions[command]

    def belong_to(self, page: QWidget, *commands: Command) -> None:
        """Enable the keys of these page commands while `page` is shown."""
        for command in commands:
            page.addAction(self._actions[command])

    def bind(self, page: QWidget, calls: Mapping[Command, Callable[[], object]]) -> None:
        self.belong_to(page, *calls)
        for command, call in calls.items():
            self._actions[command].triggered.connect(lambda _checked, call=call: call())

    def set_keys(self, command: Command, *keys: QKeySequence) -> None:
        tip = command.value.tip
        if keys:
            tip = f"{tip} ({keys[0].toString(QKeySequence.SequenceFormat.NativeText)})"
        if command is not Command.TYPE:
            self._actions[command].setShortcuts(keys)
        self._tips[command] = tip
        self._show_tip(command)

    def _show_tip(self, command: Command) -> None:
        self._actions[command].setToolTip("\n".join(filter(None, (self._tips[command], self._whys.get(command)))))

    def enable(self, *commands: Command, on: bool, why: str = "") -> None:
        """Enable commands or not; `why` they cannot be used now is shown with their tip."""
        for command in commands:
            action, reason = self._actions[command], "" if on else why
            action.setEnabled(on)
            if reason != self._whys.get(command, ""):
                self._whys[command] = reason
                self._show_tip(command)

    def button(self, command: Command, *, kind: str = "", wordless: bool = False) -> "CommandButton":
        look = kind or ("primary" if command.value.primary else "")
        button = CommandButton(self._actions[command], command.value.label.rstrip("…"), look)
        button.set_wordless(wordless)
        return button

    def buttons(
        self, *commands: Command, kind: str = "", wordless: bool = False, wide: bool = False
    ) -> list["CommandButton"]:
        buttons = [self.button(command, kind=kind, wordless=wordless) for command in commands]
        return [button.set_wide() if wide else button for button in buttons]

    def use_palette(self, palette: QPalette) -> None:
        theme = Theme.of(palette)
        for command, action in self._actions.items():
            colour = theme.on_accent if command.value.primary else theme.text
            action.setIcon(icon(command.value.icon, colour, theme.off))


class CommandButton(QPushButton):
    def __init__(self, action: QAction, name: str, kind: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setAutoDefault(False)
        self._action = action
        self._wordless = False
        self._shown = True
        self.setProperty("kind", kind)
        self.setIconSize(QSize(16, 16))
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    def set_wordless(self, wordless: bool) -> None:
        self._wordless = wordless
        self._follow()

    def set_wide(self) -> "CommandButton":
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        return self

    def _follow(self) -> None:
        self.setText("" if self._wordless else self._action.text())
        self.setIcon(self._action.icon())
        self.setToolTip(self._action.toolTip())
        self.setEnabled(self._action.isEnabled())
        self.setCheckable(self._action.isCheckable())
        self.setChecked(self._action.isChecked())
        if self._action.isVisible() != self._shown:
            self._shown = self._action.isVisible()
            self.setVisible(self._shown)


def _action(command: Command, parent: QObject) -> QAction:
    action = QAction(command.value.label, parent)
    action.setCheckable(command.value.checkable)
    return action
