"""The log file: format, rotation, and the masking of secrets."""

import logging
import platform
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path

from odyssey_recorder import __version__

_PART_BYTES = 2 * 1024**2
_OLDER_PARTS = 5
_FORMAT = "%(asctime)s.%(msecs)03d %(levelname)-8s %(threadName)s %(name)s: %(message)s"
_MASK = "•••"
_BEARER = re.compile(r"(bearer\s+)[^\s\"'`]+", re.IGNORECASE)
_JWT = re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+")
_log = logging.getLogger(__name__)
_secrets: set[str] = set()


def spelled_out(text: str) -> str:
    """Escapes unprintable characters: ESC as ``\\x1b``."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in text
    )


def hide(secret: str) -> None:
    """Mask `secret` in the log from now on."""
    if secret:
        _secrets.add(secret)


def masked(text: str) -> str:
    """`text` without its secrets: tokens, signed tokens, and what `hide` was told."""
    text = _JWT.sub(_MASK, _BEARER.sub(rf"\1{_MASK}", text))
    for secret in sorted(_secrets, key=len, reverse=True):
        text = text.replace(secret, _MASK)
    return text


@contextmanager
def logging_to(file: Path, level: str) -> Iterator[None]:
    """Also logs errors that no thread caught. If `file` cannot be written, warns and continues without a log."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(
            file, maxBytes=_PART_BYTES, backupCount=_OLDER_PARTS, encoding="utf-8", errors="backslashreplace"
        )
    except OSError as error:
        _log.warning("No log is kept: %s cannot be written: %s", file, error.strerror)
        yield
        return
    handler.setFormatter(_Masking(_FORMAT, "%Y-%m-%d %H:%M:%S"))
    root = logging.getLogger()
    level_before = root.level
    hook_before = threading.excepthook
    root.addHandler(handler)
    root.setLevel(level)
    threading.excepthook = _log_uncaught
    _log.info("Odyssey Recorder %s on Python %s, %s", __version__, platform.python_version(), platform.platform())
    try:
        yield
    finally:
        threading.excepthook = hook_before
        root.setLevel(level_before)
        root.removeHandler(handler)
        handler.close()


@contextmanager
def log_unexpected(*expected: type[Exception]) -> Iterator[None]:
    """An error of the `expected` types is logged in one line, any other with its traceback."""
    try:
        yield
    except expected as error:
        _log.info("Ended by %s: %s", type(error).__name__, error)
        raise
    except Exception:
        _log.critical("Unexpected error", exc_info=True)
        raise


class _Masking(logging.Formatter):
    """Masks secrets in finished lines, because they may come with the message, its arguments or a traceback.

    Indents all lines of a record but the first, so that quoted text of devices and files cannot look like a record.
    """

    def format(self, record: logging.LogRecord) -> str:
        return "\n    ".join(map(spelled_out, masked(super().format(record)).split("\n")))


def _log_uncaught(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        trace = (args.exc_type, args.exc_value, args.exc_traceback)
        _log.critical("Uncaught error in %s", args.thread and args.thread.name, exc_info=trace)
    threading.__excepthook__(args)
