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
from odyssey_recorder.device.view_hierarchy import ViewNode, parse
from odyssey_recorder.errors import DeviceError

Source = tuple[str, str]

_NAMESPACES = ("system", "secure", "global")
_KINDS = "settings, content, files and screen"
_MAX_BYTES = 1_000_000
"""Bytes of a file."""
_ROW = re.compile(r"^Row: \d+ ", re.MULTILINE)
_FIELD = re.compile(r"(?:^|, )(\w+)=")


def read_state(shell: AdbShell, sources: Iterable[Source], *, lenient: bool = False) -> Mapping[str, Any]:
    """By kind and name, such as ``{"settings": {"secure": {"ui_night_mode": "2"}}}``; a missing file is left out.

    `files` and a path that ends with a slash is the list of the names in that folder. Rows of a provider are objects
    of texts. `screen` is a list of the views with texts. With `lenient`, what the device refuses is left out as well.
    Raises DeviceError.
    """
    state: dict[str, Any] = {}
    for kind, name in sorted(set(sources)):
        try:
            found = _asked(shell, kind, name)
        except DeviceError:
            if lenient:
                continue
            raise
        if kind == "screen":
            state[kind] = found
        else:
            state.setdefault(kind, {}).update({} if found is None else {name: found})
    return state


def _asked(shell: AdbShell, kind: str, name: str) -> object:
    match kind:
        case "settings" if name in _NAMESPACES:
            return _settings(shell, name)
        case "content" if name:
            return list(_rows(_run(shell, "content", "query", "--uri", name)))
        case "files" if name.endswith("/"):
            return _names(shell, name)
        case "files" if name:
            return _file(shell, name)
        case "screen":
            return screen_facts(parse(AdbDevice(shell).view_hierarchy()))
        case _:
            raise DeviceError(f"{shell.label} can be asked for {_KINDS}, not for {kind}.{name}.")


def _settings(shell: AdbShell, namespace: str) -> dict[str, str]:
    lines = _run(shell, "settings", "list", namespace).splitlines()
    return {name: value for name, equals, value in (line.partition("=") for line in lines) if equals}


def _names(shell: AdbShell, folder: str) -> list[str]:
    """Of the files in a folder; empty if it is missing."""
    result = shell.run(shlex.join(("ls", "-1", folder)))
    return result.output.splitlines() if result.exit_code == 0 else []


def _rows(output: str) -> Iterator[dict[str, str]]:
    """As in ``Row: 0 _id=1, name=Ada``; a comma within a value is kept unless it looks like the next field."""
    for row in _ROW.split(output)[1:]:
        parts = _FIELD.split(row.rstrip("\n"))[1:]
        yield dict(zip(parts[::2], parts[1::2], strict=True))


def _file(shell: AdbShell, path: str) -> str | None:
    result = shell.run(f"cat {shlex.quote(path)} | head -c {_MAX_BYTES}")
    return result.output if result.output or not result.errors else None


def screen_facts(nodes: Iterable[ViewNode]) -> list[dict[str, str]]:
    """What stands on the screen, without passwords."""
    return [
        {"text": node.text, "description": node.description, "id": node.resource_id}
        for node in nodes
        if node.active and not node.password and (node.text or node.description)
    ]


def _run(shell: AdbShell, *command: str) -> str:
    result = shell.run(shlex.join(command))
    if result.exit_code != 0 or result.output.startswith("[ERROR]"):
        why = (result.errors or result.output).strip()[:200]
        raise DeviceError(f"{shell.label} could not carry out {' '.join(command)}. {why}")
    return result.output
