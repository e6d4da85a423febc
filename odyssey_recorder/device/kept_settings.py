"""Changes of a device that last for a while; a file keeps how to undo them until that is done, even after a crash."""

import hashlib
import json
import logging
import secrets
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock

from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.emulator_console import EmulatorConsole
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.files import Largest, make_folder, read_text, storage_errors, write_durably

_IDENTITY = "getprop ro.boot.qemu.avd_name; getprop ro.serialno"
NEVER_SET = "null"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Undo:
    """While `query` still answers `changed`, `command` brings back what was before.

    Without a `query`, `command` is for the emulator's console, and changes nothing a second time.
    """

    query: str
    changed: str
    command: str


@contextmanager
def changed_settings(shell: AdbShell, folder: Path | None, values: Mapping[tuple[str, str], str]) -> Iterator[None]:
    """Give settings, by namespace and name, other values until the end of the block.

    A setting that was never set becomes unset again; one that had its value already keeps it. If several blocks want
    the same value, the last one that ends undoes it. Raises DeviceError if the device refuses a value, and DatasetError
    if `folder` cannot be written.
    """
    queries = {f"settings get {shlex.join(name)}": name for name in values}
    old = dict(zip(queries, shell.ask(*queries), strict=True))
    undos = [Undo(query, values[name], put_command(name, old[query])) for query, name in queries.items()]
    wanted = [undo for undo in undos if old[undo.query] != undo.changed]
    shared = [undo for undo in _all_kept(shell, folder) if old.get(undo.query) == undo.changed]
    with undone_afterwards(shell, folder, [*wanted, *shared]):
        if wanted:
            result = shell.run("; ".join(put_command(queries[undo.query], undo.changed) for undo in wanted))
            if result.errors or result.exit_code:
                raise DeviceError(f"{shell.label} refused to change its settings. Its output: {result.text[:200]}")
        yield


@contextmanager
def undone_afterwards(
    shell: AdbShell, folder: Path | None, undos: Sequence[Undo], console: EmulatorConsole | None = None
) -> Iterator[None]:
    """Carry out `undos` in their order when the block ends, except those that another block is still to carry out.

    If the program crashes or the device is gone by then, the next `undo_left` does it. Without a `folder` nobody does.
    Raises DatasetError, before the block, if `folder` cannot be written.
    """
    with ExitStack() as stack:
        path = None
        if folder is not None and undos:
            make_folder(folder)
            path = folder / f"{_device_key(shell)}-{secrets.token_hex(4)}.json"
            with storage_errors(path, "written"):
                stack.enter_context(_held(path))
            write_durably(path, json.dumps([asdict(undo) for undo in undos]).encode())
        try:
            yield
        finally:
            try:
                others = _all_kept(shell, folder, besides=path)
                _carry_out(shell, [undo for undo in undos if undo not in others], console)
                if path is not None:
                    path.unlink(missing_ok=True)
            except (DeviceError, OSError) as error:
                _log.info("Settings of %s are restored when it is next connected: %s", shell.serial, error)


def undo_left(shell: AdbShell, folder: Path | None, console: EmulatorConsole | None) -> None:
    """Undo what a program that no longer runs has left changed on this device. Raises DeviceError."""
    for path in _files(shell, folder):
        with suppress(OSError), _held(path):
            _carry_out(shell, _read(path), console)
            path.unlink(missing_ok=True)


def _files(shell: AdbShell, folder: Path | None) -> list[Path]:
    """Those of this device."""
    if folder is None or not any(folder.glob("*.json")):
        return []
    return sorted(folder.glob(f"{_device_key(shell)}-*.json"))


def _all_kept(shell: AdbShell, folder: Path | None, besides: Path | None = None) -> list[Undo]:
    return [undo for path in _files(shell, folder) if path != besides for undo in _read(path)]


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Raises OSError, also while another program, or another connection of this one, holds the file."""
    lock = FileLock(f"{path}.lock", timeout=0, thread_local=False)
    with lock:
        yield
    if not path.exists():
        with suppress(OSError):
            Path(lock.lock_file).unlink()


def _carry_out(shell: AdbShell, undos: Sequence[Undo], console: EmulatorConsole | None) -> None:
    for undo in undos:
        if not undo.query:
            if console is not None:
                console.command(undo.command)
            continue
        if shell.ask(undo.query) != [undo.changed]:
            continue
        _, after = shell.ask(undo.command, undo.query)
        if after == undo.changed:
            _log.warning("%s did not carry out `%s`.", shell.serial, undo.command)


def put_command(name: tuple[str, str], value: str) -> str:
    """`value` as `settings get` prints it."""
    return shlex.join(("settings", "delete", *name) if value == NEVER_SET else ("settings", "put", *name, value))


def _device_key(shell: AdbShell) -> str:
    """From the device's identity, because another emulator may get the same serial later."""
    [identity] = shell.ask(_IDENTITY)
    return hashlib.sha256(f"{shell.serial}\n{identity}".encode()).hexdigest()[:32]


def _read(path: Path) -> list[Undo]:
    """Empty for a file that is not one of these: it is of no use."""
    try:
        return [Undo(**values) for values in json.loads(read_text(path, Largest.WRITTEN_BY_HAND))]
    except FileNotFoundError:  # another program is done with it
        return []
    except (OSError, ValueError, TypeError) as error:
        _log.warning("What to restore on a device cannot be read from %s: %s", path, error)
        return []
