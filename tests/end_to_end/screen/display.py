"""A virtual X display with its own mouse and keyboard."""

import os
import subprocess
from collections.abc import Sequence

SIZE = "1600x1000x24"


class Display:
    def __init__(self) -> None:
        self._server: subprocess.Popen[bytes] | None = None
        self.name = ""

    def __enter__(self) -> "Display":
        reading, writing = os.pipe()
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", SIZE, "-nolisten", "tcp", "-noreset"]
        self._server = subprocess.Popen(command, pass_fds=[writing], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        os.close(writing)
        with os.fdopen(reading) as output:
            number = output.readline().strip()  # empty if the server ended before it was ready
        if not number:
            raise AssertionError(f"Xvfb did not start: {self._end()}")
        self.name = f":{number}"
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> str:
        assert self._server is not None
        self._server.terminate()
        _, errors = self._server.communicate(timeout=60)
        return errors.decode(errors="replace")


class Xdotool:
    """The display's mouse and keyboard."""

    def __init__(self, display: str) -> None:
        self._environment = {**os.environ, "DISPLAY": display}

    def click(self, x: int, y: int, *, times: int = 1) -> None:
        self._run("mousemove", x, y, "click", "--repeat", times, "--delay", 60, 1)

    def put_down(self, x: int, y: int) -> None:
        self._run("mousemove", x, y, "mousedown", 1)

    def lift(self) -> None:
        self._run("mouseup", 1)

    def drag(self, path: Sequence[tuple[int, int]]) -> None:
        (x, y), *others = path
        moves = [argument for point in others for argument in ("mousemove", *point, "sleep", 0.02)]
        self._run("mousemove", x, y, "mousedown", 1, "sleep", 0.02, *moves, "mouseup", 1)

    def move_to(self, x: int, y: int) -> None:
        self._run("mousemove", x, y)

    def turn_wheel(self, x: int, y: int, *, down: int) -> None:
        """`down` is in notches; negative scrolls up."""
        self._run("mousemove", x, y, "click", "--repeat", abs(down), "--delay", 10, 5 if down > 0 else 4)

    def press(self, *keys: str) -> None:
        self._run("key", "--delay", 20, *keys)

    def type(self, text: str) -> None:
        self._run("type", "--delay", 10, "--", text)

    def resize(self, window: int, width: int, height: int) -> None:
        self._run("windowsize", window, width, height)

    def _run(self, *arguments: object) -> None:
        subprocess.run(["xdotool", *map(str, arguments)], env=self._environment, check=True, timeout=60)
