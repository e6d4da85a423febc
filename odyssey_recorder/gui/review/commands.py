"""The commands of the Review page."""

from functools import partial

from odyssey_recorder.gui.frame.command import Command, CommandText

_command = partial(CommandText, page="Review", seen_by="reviewers")
_toggle = partial(_command, checkable=True)


class ReviewCommand(Command):
    REVIEW_PAGE = CommandText(
        "Review", "Review episodes that others recorded", "clipboard_check_outline", "Ctrl+2", seen_by="reviewers"
    )
    FIND_REVIEW = _command("Find", "Search for words of the instruction, a template or an id", "magnify", "Ctrl+F")
    CLEAR_REVIEW = _command("Show all", "Clear the search and filters", "filter_off_outline", "Ctrl+Shift+F")
    REVIEW_LIST = _toggle("Show list", "Show or hide the list of episodes", "menu_open", "Ctrl+L")
    REVIEW_FIGURES = _toggle("Show figures", "Switch between episodes and figures", "chart_box_outline", "Ctrl+G")
    REFRESH_FIGURES = _command("Refresh", "Read the reviews again", "refresh", "Shift+F5")
    SAVE_FIGURES = _command("Save as page…", "Save the figures as a web page", "content_save_outline", "Ctrl+S")
    CHECK_EPISODES = _command("Check", "Run the checks on unchecked episodes", "check_all", "F5")
    NEXT_REVIEW = _command("Open next", "Open the next episode that you may review", "skip_next", "Ctrl+J")
    PASS_PICTURES = _command("Pass", "All screenshots are present and correct", "check", "Q")
    FAIL_PICTURES = _command("Fail", "A screenshot is missing or wrong", "close", "W")
    UNSURE_PICTURES = _command("Unsure", "Unsure whether all screenshots are present and correct", "help", "E")
    PASS_SEQUENCE = _command("Pass", "The steps complete the instruction", "check", "A")
    FAIL_SEQUENCE = _command("Fail", "The steps do not complete the instruction", "close", "S")
    UNSURE_SEQUENCE = _command("Unsure", "Unsure whether the steps complete the instruction", "help", "D")
    PASS_INSTRUCTION = _command("Pass", "The rewritten instruction asks for the same as the task", "check", "Z")
    FAIL_INSTRUCTION = _command("Fail", "The rewritten instruction asks for something else", "close", "X")
    UNSURE_INSTRUCTION = _command("Unsure", "Unsure whether the rewritten instruction asks for the same", "help", "C")
    REASON_1 = _command("Reason 1", "The first reason in the list", "numeric_1", "1")
    REASON_2 = _command("Reason 2", "The second reason in the list", "numeric_2", "2")
    REASON_3 = _command("Reason 3", "The third reason in the list", "numeric_3", "3")
    REASON_4 = _command("Reason 4", "The fourth reason in the list", "numeric_4", "4")
    REASON_5 = _command("Reason 5", "The fifth reason in the list", "numeric_5", "5")
    REASON_6 = _command("Reason 6", "The sixth reason in the list", "numeric_6", "6")
    REASON_7 = _command("Reason 7", "The seventh reason in the list", "numeric_7", "7")
    REASON_8 = _command("Reason 8", "The eighth reason in the list", "numeric_8", "8")
    REASON_9 = _command("Reason 9", "The ninth reason in the list", "numeric_9", "9")
    TAKE_STEP = _command("Use this step", "Take the step that is shown", "image_marker_outline", "G")
    REASON_WORDS = _command("Add details", "Go to the details of the reason", "comment_text_outline", "T")
    REVIEW_NOTE = _command("Write a note", "Go to the note of the verdict", "pencil_outline", "Ctrl+E")
    ACCEPT_EPISODE = _command("Accept", "Accept the episode, and open the next", "check_all", "R", primary=True)
    FIX_AND_ACCEPT = _command(
        "Fix and accept", "Accept your fixed version, and open the next", "wrench_check_outline", "F"
    )
    SEND_BACK_EPISODE = _command(
        "Send back", "Ask the annotator to record it again, and open the next", "reply_outline", "V"
    )
    REJECT_EPISODE = _command("Reject", "Move it to the trash, and open the next", "delete_outline", "Ctrl+D")
    SHOW_TASK = _toggle("Task", "Show the task", "text_box_outline", "Alt+1")
    SHOW_FINDINGS = _toggle("Findings", "Show the findings of the checks", "check_all", "Alt+2")
    SHOW_FIXES = _toggle("Fix", "Show the fixes", "wrench_outline", "Alt+3")
    SHOW_REPLAY = _toggle("Replay", "Show the replay results, or replay the episode", "replay", "Alt+4")
    SHOW_HISTORY = _toggle("History", "Show the history of the episode", "history", "Alt+5")
    DISMISS_REVIEW = _command("Dismiss", "Dismiss this message", "close", "Ctrl+.")
    PREVIOUS_STEP = _command("Previous step", "Show the previous step", "chevron_left", "Left", ",")
    NEXT_STEP = _command("Next step", "Show the next step", "chevron_right", "Right", ".")
    FIRST_STEP = _command("First step", "Show the first step", "page_first", "Home")
    LAST_STEP = _command("Last step", "Show the last step", "page_last", "End")
    BEFORE_AFTER = _toggle(
        "Show before and after", "Show the screenshot after the step too, or only this one", "compare", "B"
    )
    SHOW_CHANGES = _toggle(
        "Show changes", "Outline the differences between the two screenshots", "vector_difference", "H"
    )
    REVIEW_FIT = _command("Fit", "Show the whole screenshot", "fit_to_page_outline", "Ctrl+0")
    REVIEW_PIXELS = _command("1:1", "Show each pixel as one pixel", "relative_scale", "Ctrl+Shift+1")
    REVIEW_LARGER = _command(
        "Zoom in", "Show the screen larger (also Ctrl and the mouse wheel)", "magnify_plus_outline", "Ctrl++", "Ctrl+="
    )
    REVIEW_SMALLER = _command(
        "Zoom out", "Show the screen smaller (also Ctrl and the mouse wheel)", "magnify_minus_outline", "Ctrl+-"
    )
    NEXT_FINDING = _command("Next finding", "Go to the next finding, the most severe first", "arrow_down", "N")
    PREVIOUS_FINDING = _command("Previous finding", "Go to the previous finding and its step", "arrow_up", "P")
    REPLAY_EPISODE = _command("Replay", "Replay the episode on the selected device", "replay", "Ctrl+R")
    FIX_INSTRUCTION = _command("Edit instruction…", "Change the instruction", "text_box_edit_outline", "Alt+I")
    FIX_APPS = _command("Edit apps…", "Change the apps or the category of the task", "apps", "Alt+A")
    FIX_END = _command("Edit end…", "Change the final note or reason", "flag_checkered", "Alt+E")
    FIX_NOTE = _command("Edit note…", "Change the note of this step", "comment_edit_outline", "Alt+N")
    FIX_TEXT = _command("Edit text…", "Change the text that this step types", "form_textbox", "Alt+T")
    FIX_PRESS = _command("Change press…", "Change this click to a long press, or back", "gesture_tap_hold", "Alt+K")
    FIX_BOX = _command("Draw box…", "Draw the box of the touched element", "vector_square_edit", "Alt+B")
    ALSO_RIGHT = _command(
        "Also right…", "Accept another action at this step, in addition to the recorded one", "check_all", "Alt+O"
    )
    DROP_STEPS = _command("Drop steps…", "Remove this step, or several", "table_row_remove", "Alt+D")
    REPAIR = _command("Repair…", "Repair a damaged episode from its files", "wrench_outline", "Alt+R")
    END_HERE = _command("End here…", "End the episode at this step", "content_cut", "Alt+H")
    UNDO_FIX = _command("Undo fix", "Undo the latest fix", "undo", "Alt+Z")
    UNDO_VERDICT = _command(
        "Undo verdict", "Take back your latest verdict, or the fix that you made after it", "undo_variant", "Ctrl+Z"
    )
    REOPEN_EPISODE = _command(
        "Reopen…", "Take back the newest verdict, with a reason", "lock_open_variant_outline", "Ctrl+Shift+Z"
    )
    ANSWER_REPLY = _command(
        "Reply…", "Tell the annotator something about the episode that was sent back", "reply_outline", "Ctrl+Shift+Y"
    )
