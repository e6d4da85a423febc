"""The recorder in its own process, and the content of its window; a test may kill it at any time."""

import json
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from tests.end_to_end.screen.window_content import WindowContent
from tests.gui.slot_probe import SlowDelivery

ROOT = Path(__file__).parents[3]
PATIENCE_S = 60.0
_LATER_MS = range(100, 401, 50)
"""The pauses between two looks: what takes long is looked at less often, because a look costs the program time."""


class Window:
    """One run of the program; a context manager, which closes the window."""

    def __init__(self, environment: Mapping[str, str], *options: str) -> None:
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._slow: list[SlowDelivery] = []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.end_to_end.screen.program", *options],
            cwd=ROOT,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        threading.Thread(target=self._listen, name="answers", daemon=True).start()

    def __enter__(self) -> "Window":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.close()

    def content(self, *, delay_ms: int = 0) -> WindowContent:
        content: WindowContent = self._request("content", delay_ms=delay_ms)
        return content

    def wait_until(self, condition: Callable[[WindowContent], bool], what: str) -> WindowContent:
        """Poll until `condition` holds and return the content. Fails with `what` and what is visible instead."""
        expires_s = time.monotonic() + PATIENCE_S
        content, pauses_ms = self.content(), chain(_LATER_MS, repeat(_LATER_MS[-1]))
        while not condition(content):
            assert time.monotonic() < expires_s, f"waited for {what}; there is {_describe(content)}"
            content = self.content(delay_ms=next(pauses_ms))
        return content

    def focus(self) -> None:
        if not self.content().has_focus:
            self._request("focus")
            self.wait_until(lambda content: content.has_focus, "the keyboard focus")

    def use_theme(self, name: str) -> None:
        self._request("use theme", name)

    def save_screenshot(self, path: Path) -> None:
        self._request("save screenshot", str(path), delay_ms=150)

    def slow_events(self) -> tuple[SlowDelivery, ...]:
        """Events that kept the GUI thread too long so far, including those of closed windows."""
        if self._process.poll() is None:
            self._slow = self._request("slow")
        return tuple(self._slow)

    def kill(self) -> None:
        self.slow_events()
        self._process.kill()
        self._process.wait(30)
        self._close_pipes()

    def close(self) -> None:
        self.slow_events()
        self._process.send_signal(signal.SIGINT)
        try:
            assert self._process.wait(PATIENCE_S) == 0
        finally:
            self._process.kill()
            self._process.wait()
            self._close_pipes()

    def _close_pipes(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()

    def _request(self, *request: object, delay_ms: int = 0) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([delay_ms, *request]).encode() + b"\n")
        self._process.stdin.flush()
        return self._answers.get(timeout=PATIENCE_S)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output, suppress(EOFError, pickle.UnpicklingError):  # the program has ended
            while True:
                self._answers.put(pickle.load(output))


def _describe(content: WindowContent) -> str:
    names = ", ".join(
        f"{one.role} {one.name!r}{'' if one.is_enabled else ' (off)'}{' (cut off)' if one.is_cut_off else ''}"
        for one in content.elements
    )
    return f"{content.title!r} with {names}"
