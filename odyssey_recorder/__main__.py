"""The entry point: without arguments it opens the window and does not load the command line."""

import gc
import os
import sys

os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # or it looks through all installed packages for some


def main() -> None:
    if len(sys.argv) > 1:
        from odyssey_recorder.cli import main as obey

        obey()
    else:
        _open_window()


def _open_window() -> None:
    gc.disable()  # nothing is garbage before the window is open; the window then collects on its own
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
