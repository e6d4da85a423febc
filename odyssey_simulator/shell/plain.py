"""Small standard programs: echo, sleep, date, cat, ls, grep and others."""

import asyncio
import posixpath
import re
import stat
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial

from odyssey_simulator.files import Files, Inode
from odyssey_simulator.shell.program import Call, Programs, read_all

_DISK_KIB = 6_082_144
_SYSTEM_KIB = 1_204_560


async def _echo(call: Call) -> int:
    ends_line = call.args[:1] != ("-n",)
    text = " ".join(call.args if ends_line else call.args[1:])
    await call.stdout.write((text + "\n" * ends_line).encode())
    return 0


async def _true(_: Call) -> int:
    return 0


async def _false(_: Call) -> int:
    return 1


async def _sleep(call: Call) -> int:
    try:
        seconds = sum(float(argument.removesuffix("s")) for argument in call.args)
    except ValueError:
        return await call.fail(f"sleep: bad number '{' '.join(call.args)}'")
    await asyncio.sleep(seconds)
    return 0


async def _date(call: Call) -> int:
    now = time.time()
    form = next((argument[1:] for argument in call.args if argument.startswith("+")), "%a %b %e %H:%M:%S GMT %Y")
    stamp = form.replace("%s", str(int(now))).replace("%N", f"{int(now % 1 * 1e9):09d}")
    await call.print(datetime.fromtimestamp(now, UTC).strftime(stamp))
    return 0


async def _id(call: Call) -> int:
    await call.print(
        "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1015(sdcard_rw),3003(inet)"
        " context=u:r:shell:s0"
    )
    return 0


async def _whoami(call: Call) -> int:
    await call.print("shell")
    return 0


async def _uptime(call: Call) -> int:
    await call.print(f" {datetime.now(UTC):%H:%M:%S} up {call.guest.clock.now_ns() / 60e9:.0f} min,  0 users")
    return 0


async def _cat(call: Call) -> int:
    if not call.args:
        await call.stdout.write(await read_all(call))
        return 0
    status = 0
    for path in call.args:
        try:
            await call.stdout.write(call.guest.read_file(path))
        except FileNotFoundError:
            status = await call.fail(f"cat: {path}: No such file or directory")
        except IsADirectoryError:
            status = await call.fail(f"cat: {path}: Is a directory")
    return status


async def _ls(call: Call) -> int:
    options = "".join(argument[1:] for argument in call.args if argument.startswith("-"))
    status = 0
    for path in [argument for argument in call.args if not argument.startswith("-")] or ["/"]:
        try:
            for line in _listed(call.guest.files, path, options):
                await call.print(line)
        except FileNotFoundError:
            status = await call.fail(f"ls: {path}: No such file or directory")
    return status


def _listed(files: Files, path: str, options: str) -> Iterator[str]:
    shows_inside = files.inode(path).is_folder and "d" not in options
    entries = [(name, posixpath.join(path, name)) for name in files.names(path)] if shows_inside else [(path, path)]
    for name, full in entries:
        yield _long_form(files.inode(full), name) if "l" in options else name


def _long_form(inode: Inode, name: str) -> str:
    changed = f"{datetime.fromtimestamp(inode.mtime_s, UTC):%Y-%m-%d %H:%M}"
    return f"{stat.filemode(inode.mode)} 1 shell sdcard_rw {len(inode.content):7} {changed} {name}"


async def _mkdir(call: Call) -> int:
    make = partial(call.guest.files.make_folder, parents="-p" in call.args)
    return await _for_each_path(call, make)


async def _rm(call: Call) -> int:
    options = "".join(argument[1:] for argument in call.args if argument.startswith("-"))

    def remove(path: str) -> None:
        try:
            call.guest.files.remove(path, recursive="r" in options)
        except FileNotFoundError:
            if "f" not in options:
                raise

    return await _for_each_path(call, remove)


async def _touch(call: Call) -> int:
    def touch(path: str) -> None:
        try:
            call.guest.files.inode(path).mtime_s = int(time.time())
        except FileNotFoundError:
            call.guest.files.write(path, b"")

    return await _for_each_path(call, touch)


async def _for_each_path(call: Call, act: Callable[[str], None]) -> int:
    status = 0
    for path in [argument for argument in call.args if not argument.startswith("-")]:
        try:
            act(path)
        except FileNotFoundError:
            status = await call.fail(f"{call.name}: {path}: No such file or directory")
        except FileExistsError:
            status = await call.fail(f"{call.name}: '{path}': File exists")
        except IsADirectoryError:
            status = await call.fail(f"{call.name}: {path}: Is a directory")
    return status


async def _df(call: Call) -> int:
    used = _SYSTEM_KIB + call.guest.files.size_bytes() // 1024
    await call.print("Filesystem       1K-blocks    Used Available Use% Mounted on")
    share = -(-100 * used // _DISK_KIB)
    await call.print(f"/dev/block/dm-34 {_DISK_KIB:9} {used:7} {_DISK_KIB - used:9} {share:3}% /data")
    return 0


async def _grep(call: Call) -> int:
    options = "".join(argument[1:] for argument in call.args if argument.startswith("-"))
    arguments = [argument for argument in call.args if not argument.startswith("-")]
    if not arguments or set(options) - set("EFcioqv"):
        return await call.fail("usage: grep [-EFciqv] REGEX [FILE...]", 2)
    try:
        pattern = re.compile(
            re.escape(arguments[0]) if "F" in options else arguments[0], re.IGNORECASE if "i" in options else 0
        )
        text = (
            b"".join([call.guest.files.read(path) for path in arguments[1:]]) if arguments[1:] else await read_all(call)
        )
    except re.error as error:
        return await call.fail(f"grep: bad regex '{arguments[0]}': {error}", 2)
    except (FileNotFoundError, IsADirectoryError):
        return await call.fail(f"grep: {' '.join(arguments[1:])}: No such file or directory", 2)
    found = [
        line for line in text.decode(errors="replace").splitlines() if bool(pattern.search(line)) != ("v" in options)
    ]
    if "c" in options:
        await call.print(str(len(found)))
    elif "q" not in options:
        for line in found:
            only = pattern.search(line) if "o" in options else None
            await call.print(only[0] if only else line)
    return 0 if found else 1


async def _head(call: Call) -> int:
    match call.args:
        case ["-c", digits] if digits.isdigit():
            await call.stdout.write((await read_all(call))[: int(digits)])
            return 0
    return await _some_lines(call, slice(None, _count(call)))


async def _tail(call: Call) -> int:
    return await _some_lines(call, slice(-_count(call), None))


def _count(call: Call) -> int:
    digits = "".join(call.args).lstrip("-n").strip()
    return int(digits) if digits.isdigit() else 10


async def _some_lines(call: Call, which: slice) -> int:
    text = await read_all(call)
    await call.stdout.write(b"".join(text.splitlines(keepends=True)[which]))
    return 0


async def _wc(call: Call) -> int:
    text = await read_all(call)
    counts = {"-l": text.count(b"\n"), "-w": len(text.split()), "-c": len(text)}
    await call.print(
        " ".join(str(counts[argument]) for argument in call.args if argument in counts) or str(counts["-l"])
    )
    return 0


PROGRAMS: Programs = {
    "echo": _echo,
    "true": _true,
    ":": _true,
    "false": _false,
    "sleep": _sleep,
    "date": _date,
    "id": _id,
    "whoami": _whoami,
    "uptime": _uptime,
    "cat": _cat,
    "ls": _ls,
    "mkdir": _mkdir,
    "rm": _rm,
    "touch": _touch,
    "df": _df,
    "grep": _grep,
    "head": _head,
    "tail": _tail,
    "wc": _wc,
    "log": _true,
    "sync": _true,
}
