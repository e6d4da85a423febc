"""The commands of the Record page."""

from functools import partial

from odyssey_recorder.gui.frame.command import Command, CommandText

_command = partial(CommandText, page="Record", seen_by="recorders")
_toggle = partial(_command, checkable=True)


class RecordCommand(Command):
    LOOK_FOR_DEVICES = _command("Refresh", "Refresh the list of devices", "refresh", "F5")
    SIMULATE = _command("Start the simulated emulator", "Start a simulated emulator on this computer", "cellphone_play")
    START = _command("Start recording", "Start recording this task", "record_circle_outline", "Ctrl+R", primary=True)
    LOOK_OVER = _command("Check again", "Check again whether the device is ready for passive mode", "refresh", "F7")
    RUN_AGENT = _command("Run agent…", "Have a model carry out this task", "robot_outline", "Ctrl+Shift+A")
    TAKE_OVER = _command("Take over", "Pause the agent and continue yourself", "hand_back_right_outline", "Esc")
    RESUME_AGENT = _command("Resume agent", "Hand the device back to the agent", "robot_outline", "Ctrl+Shift+R")
    CORRECT_STEP = _command(
        "Correct step",
        "Undo the agent's selected step and all after it, then show the right action",
        "school_outline",
        "Ctrl+Shift+E",
    )
    PAUSE = _toggle("Pause", "Pause or resume the recording", "play_pause", "Ctrl+P")
    STOP = _command("Stop", "Stop and save the draft for later", "stop", "Ctrl+Shift+S")
    DISCARD = _command("Discard…", "Stop and move the draft to the trash", "delete_outline")
    AGAIN = _command(
        "Record again", "Move this recording to the trash and start its task again", "restart", "Ctrl+Shift+N"
    )
    DRAFTS = _command("Show drafts…", "Continue an unfinished recording", "file_clock_outline", "Ctrl+Shift+D")
    RETRY = _command("Try again", "Try again now", "refresh", "F6", primary=True)
    BACK = _command("Back", "Press Back on the device", "arrow_left", "F2")
    HOME = _command("Home", "Press Home on the device", "circle_outline", "F3")
    RECENT = _command("Recent", "Show the device's recent apps", "square_outline", "F4")
    WRITE = _command("Enter text", "Go to the text field", "keyboard_outline", "Ctrl+T")
    TYPE = _command("Type", "Type this text on the device as one step", "keyboard_return", "Return", is_fixed=True)
    COMPLETE = _command("Complete…", "End the episode: the task is done", "check", "Ctrl+Return", primary=True)
    IMPOSSIBLE = _command("Impossible…", "End the episode with a reason why the task can't be done", "cancel", "Ctrl+I")
    UNDO = _command("Undo last", "Undo the last step", "undo", "Ctrl+Z")
    REDO = _command("Redo", "Send the undone action again, as a new step", "redo", "Ctrl+Shift+Z", "Ctrl+Y")
    UNDO_TO_HERE = _command(
        "Undo to here",
        "Undo the selected step and all after it; the device returns to its screen",
        "undo_variant",
        "Ctrl+Shift+U",
    )
    NOTE = _command("Write a note", "Add a note to the selected step", "pencil_outline", "Ctrl+E")
    ACCEPT_SCREEN = _command(
        "Screens match, continue", "The two screens show the same; continue recording", "check", "Ctrl+Shift+Return"
    )
    ZOOM_FIT = _command("Fit", "Show the whole screen of the device", "fit_to_page_outline", "Ctrl+0")
    ZOOM_PIXELS = _command("1:1", "Show each pixel as one pixel", "relative_scale", "Ctrl+Shift+1")
    ZOOM_IN = _command(
        "Zoom in", "Show the screen larger (also Ctrl and the mouse wheel)", "magnify_plus_outline", "Ctrl++", "Ctrl+="
    )
    ZOOM_OUT = _command(
        "Zoom out", "Show the screen smaller (also Ctrl and the mouse wheel)", "magnify_minus_outline", "Ctrl+-"
    )
    MAGNIFY = _toggle(
        "Magnify", "Enlarge the area under the pointer (also while holding Shift)", "magnify_scan", "Ctrl+M"
    )
    DISMISS = _command("Dismiss", "Dismiss this message", "close", "Ctrl+.")
    MESSAGES = _command("Messages", "Read the last messages again", "history", "Ctrl+Shift+L")
    ANOTHER = _command("Record another", "Start the next episode", "plus", "Ctrl+N", primary=True)
    HINT = _command("Show a hint", "Show the next hint", "lightbulb_outline", "Ctrl+H")
    TRY_AGAIN = _command("Practise again", "Repeat this practice task", "refresh", "Ctrl+Shift+T")
    NEXT_PRACTICE = _command(
        "Next practice task", "Go to the next task you have not passed", "skip_next", "Ctrl+Shift+J", primary=True
    )
    LEAVE_PRACTICE = _command("Leave practice", "Return to your own tasks", "close")
    COPY_PLACE = _command("Copy path", "Copy the path of the episode", "content_copy")
    NEXT_TASK = _command("Next", "Show the next waiting task", "skip_next", "Ctrl+J")
    SKIP_TASK = _command("Skip…", "Move this task to the end of the queue, with a reason", "debug_step_over", "Ctrl+K")
    CHOOSE_TASK = _command("Choose…", "Choose a task from the list", "format_list_checks", "Ctrl+L")
    REPLY = _command(
        "Reply…", "Tell the reviewer something about the episode that was sent back", "reply_outline", "Ctrl+Shift+Y"
    )
    OWN_TASK = _command("Write my own", "Enter your own task", "pencil_outline", "Ctrl+Shift+W")
    QUEUE_TASK = _command("Return to the queue", "Take the next waiting task", "format_list_checks", "Ctrl+Shift+Q")
