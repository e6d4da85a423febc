"""The state of a device that has no facts of its own: settings, content providers, files, and its screen.

A source is given by the first two names of a goal's path: `settings` and a namespace, `content` and a URI, `files` and
a path on the device; or `screen`.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.view_hierarchy import parse
from odyssey_recorder.errors import DeviceError

Source = tuple[str, str]

_NAMESPACES = ("system", "secure", "global")
_KINDS = "settings, content, files and screen"
_MAX_BYTES = 1_000_000
"""Bytes of a file."""
_ROW = re.compile(r"^Row: \d+ ", re.MULTILINE)
_FIELD = re.compile(r"(?:^|, )(\w+)=")


def read_state(shell: AdbShell, sources: Iterable[Source]) -> Mapping[str, Any]:
    """By kind and name, such as ``{"settings": {"secure": {"ui_night_mode": "2"}}}``; a missing file is left out.

    Rows of a provider are objects of texts. `screen` is a list of the views with texts. Raises DeviceError.
    """
    state: dict[str, Any] = {}
    for kind, name in sorted(set(sources)):
        match kind:
            case "settings" if name in _NAMESPACES:
                state.setdefault(kind, {})[name] = _settings(shell, name)
            case "content" if name:
                state.setdefault(kind, {})[name] = list(_rows(_run(shell, "content", "query", "--uri", name)))
            case "files" if name:
                text = _file(shell, name)
                state.setdefault(kind, {}).update({} if text is None else {name: text})
            case "screen":
                state[kind] = _screen(shell)
            case _:
                raise DeviceError(f"{shell.label} can be asked for {_KINDS}, not for {kind}.{name}.")
    return state


def _settings(shell: AdbShell, namespace: str) -> dict[str, str]:
    lines = _run(shell, "settings", "list", namespace).splitlines()
    return {name: value for name, equals, value in (line.partition("=") for line in lines) if equals}


def _rows(output: str) -> Iterator[dict[str, str]]:
    """As in ``Row: 0 _id=1, name=Ada``; a comma within a value is kept unless it looks like the next field."""
    for row in _ROW.split(output)[1:]:
        parts = _FIELD.split(row.rstrip("\n"))[1:]
        yield dict(zip(parts[::2], parts[1::2], strict=True))


def _file(shell: AdbShell, path: str) -> str | None:
    result = shell.run(f"cat {shlex.quote(path)} | head -c {_MAX_BYTES}")
    return result.output if result.output or not result.errors else None


def _screen(shell: AdbShell) -> list[dict[str, object]]:
    nodes = parse(AdbDevice(shell).view_hierarchy())
    return [
        {"text": node.text, "description": node.description, "id": node.resource_id}
        for node in nodes
        if node.active and (node.text or node.description)
    ]


def _run(shell: AdbShell, *command: str) -> str:
    result = shell.run(shlex.join(command))
    if result.exit_code != 0 or result.output.startswith("[ERROR]"):
        why = (result.errors or result.output).strip()[:200]
        raise DeviceError(f"{shell.label} could not carry out {' '.join(command)}. {why}")
    return result.output
