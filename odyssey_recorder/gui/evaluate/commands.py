"""The commands of the Evaluate page."""

from functools import partial

from odyssey_recorder.gui.frame.command import Command, CommandText

_command = partial(CommandText, page="Evaluate", seen_by="reviewers")


class EvaluateCommand(Command):
    EVALUATE_PAGE = CommandText(
        "Evaluate", "Score the predictions of models", "chart_box_outline", "Ctrl+8", seen_by="reviewers"
    )
    SHOW_SCORES = _command("Scores", "Show the scores", "chart_bar", "Alt+1", checkable=True)
    SHOW_JUDGED = _command("Steps", "Show single steps, the worst first", "gesture_tap", "Alt+2", checkable=True)
    SHOW_PROBLEMS = _command(
        "Problems", "Show problems in the prediction files", "alert_circle_outline", "Alt+3", checkable=True
    )
    SHOW_LEADERBOARD = _command(
        "Leaderboard", "Show all scores since the window was opened", "trophy_outline", "Alt+4", checkable=True
    )
    OPEN_PREDICTIONS = _command("Open…", "Choose a file of predictions", "folder_open_outline", "Ctrl+O")
    OPEN_OTHER = _command("Open other…", "Choose the predictions to compare with", "compare", "Ctrl+Shift+O")
    OPEN_DATASET = _command("Open dataset…", "Choose the folder of another dataset", "database_search_outline")
    SCORE = _command("Score", "Score the predictions", "play", "F5", primary=True)
    EXPORT_REPORT = _command("Export report…", "Save the scores as a web page or as JSON", "export_variant", "Ctrl+S")
    SAVE_LEADERBOARD = _command("Save table…", "Save the table as Markdown, CSV or LaTeX", "table_arrow_down")
    DISMISS_EVALUATE = _command("Dismiss", "Dismiss this message", "close", "Ctrl+.")
