"""The beginning of the program: without words it is the window, and the command line is not even loaded."""

import gc
import sys


def main() -> None:
    """Open the window, or do what the words on the command line say; the console script's entry point."""
    if len(sys.argv) > 1:
        from odyssey_recorder.cli import main as obey

        obey()
    else:
        _open_window()


def _open_window() -> None:
    gc.disable()  # nothing is garbage before the window is open; then its own collector takes over
    from odyssey_recorder.commands.window import run_window
    from odyssey_recorder.errors import OdysseyError
    from odyssey_recorder.settings import SettingsStore

    try:
        code = run_window(SettingsStore())
    except OdysseyError as error:
        sys.exit(str(error))
    sys.exit(code)


if __name__ == "__main__":
    main()
