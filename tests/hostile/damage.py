"""Damages to a file or a folder: other bytes, another kind of file, a link, a name of raw bytes."""

import io
import os
import re
import shutil
import socket
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from PIL import Image

from tests.hostile.sandbox import UNTRUSTED, Sandbox

_MAX_BYTES = 512 << 20
"""Bytes; longer files, such as those with holes that `_enlarge` makes, are not read into memory."""
_TOKEN = re.compile(rb'-?\d+(?:\.\d+)?|"[^"\\\n]*"|true|false|null')
_VALUES = [
    b"0", b"-1", b"1.5", b"9" * 4400, b"1e400", b"-1e999", b"NaN", b"9223372036854775808", b"null", b"true", b"[]",
    b"{}", b"[[]]", b'""', b'"\\u0000"', b'"\\ud800"', b'"\\u2028"', b'"../../x"', b'"/etc/passwd"',
    b'"' + b"A" * 70_000 + b'"', b'"0001-01-01T00:00:00+14:00"',
    b'"9999-12-31T23:59:59-14:00"', b'"\\u001b[31m\\u202e"', b'"\\n"', b'"KEY_HOME"',
]  # fmt: skip
_FRAGMENTS = [
    b"\0", b"\xff\xfe", "\u2028".encode(), b"\x1b[31m", b"\r\n", b"[" * 100_000, b'{"a":' * 50_000, b"9" * 5000,
    b"\\u0000", b'"', b"}", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"&a *a\n", b"- " * 5000, b"<!ENTITY a 'b'>", b"[[[",
    b"\t", b"=",
    b"!!python/name:os",
]  # fmt: skip
_WHOLE_FILES = [
    b"", b"null", b"[]", b"{}", b'"', b"0", b"\n\n", b"[" * 100_000, b'{"a":' * 100_000, b"\xff" * 100,
    b"[1" + b",1" * 999_999 + b"]",
    b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><hierarchy><node text="&c;"/></hierarchy>',
    b"<node>" * 30_000, b"a: &a [*a, *a]\n",
    b"a: &a [1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\n",
]  # fmt: skip
_NAMES = [
    b"1 (copy).png", b"\xff\xfe.json", b"0000000000000009\xff.json", b"0000000000000001_0\xff.png", b"9.png.part",
    b"\x1b[31mred\x1b[0m.json", b"line\nbreak.json", "\u202egnp.json".encode(), b"0000000000000004.json",
    b"policy.json.part",
    b"0000000000000002 (copy).json", b"0000000000000002.sync-conflict.json", b"change.json",
    b"999999999999999999999.png",
    b"0000000000000002-99999999999999999999", "1\u0662.png".encode(), b"-1.xml", b"lock", b".lock", b"steps.jsonl",
]  # fmt: skip

Change = Callable[[Sandbox, Random, Path], str]
"""Damages a file and describes how."""


def damage(sandbox: Sandbox, rng: Random, area: str) -> str:
    path = rng.choice(sorted((sandbox.root / area).rglob("*")) or [sandbox.root / area])
    weights: dict[Change, int] = {_change_bytes: 6, _put_special_file: 2, _put_link: 3, _add_file: 2, _enlarge: 1}
    if path.suffix == ".sqlite":
        weights = {_change_rows: 6, **weights}
    if path.suffix == ".png":
        weights = {_put_decompression_bomb: 2, **weights}
    [change] = rng.choices(list(weights), list(weights.values()))
    description = ""
    with suppress(OSError):
        description = change(sandbox, rng, path)
    return f"{change.__name__} {os.fsencode(path.relative_to(sandbox.root))!r} {description}"


def _change_bytes(_: Sandbox, rng: Random, path: Path) -> str:
    if not path.is_file() or path.is_symlink() or path.stat().st_size > _MAX_BYTES:
        return "not done"
    data = path.read_bytes()
    at = rng.randrange(len(data) + 1)
    match rng.randrange(6):
        case 0:
            data, description = data[:at], f"cut at {at}"
        case 1:
            fragment = rng.choice(_FRAGMENTS)
            data, description = data[:at] + fragment + data[at:], f"{fragment[:20]!r} at {at}"
        case 2 | 3 if tokens := list(_TOKEN.finditer(data)):
            token, value = rng.choice(tokens), rng.choice(_VALUES)
            data = data[: token.start()] + value + data[token.end() :]
            description = f"{token[0][:40]!r} is {value[:40]!r}"
        case 4:
            data = rng.choice(_WHOLE_FILES)
            description = repr(data[:40])
        case _:
            flipped = bytearray(data)
            for _flip in range(8 if data else 0):
                flipped[rng.randrange(len(data))] = rng.randrange(256)
            data, description = bytes(flipped), "flipped"
    path.unlink()
    path.write_bytes(data)
    return description


def _put_special_file(_: Sandbox, rng: Random, path: Path) -> str:
    _remove(path)
    kind = rng.choice(["pipe", "pipe", "socket", "folder", "nothing"])
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            folder_fd = os.open(path.parent, os.O_RDONLY)
            listener.bind(f"/proc/self/fd/{folder_fd}/{path.name}")
            os.close(folder_fd)
    elif kind == "folder":
        path.mkdir()
    return kind


def _put_link(sandbox: Sandbox, rng: Random, path: Path) -> str:
    cloned = any(path.is_relative_to(sandbox.root / folder) for folder in UNTRUSTED)
    outside = [*sorted(sandbox.outside.rglob("*")), sandbox.outside, sandbox.outside / "new"]
    targets = [
        *(outside if cloned else []),  # a user's own home may be linked on purpose
        *map(Path, ("/dev/zero", "/dev/tty", "/proc/self/maps")),
        path, *sorted(one for one in path.parent.iterdir() if one != path)[:3],
    ]  # fmt: skip
    target = rng.choice([one for one in targets if one.suffix == path.suffix or rng.random() < 0.3] or targets)
    if rng.random() < 0.2:
        path = path.with_name(f"{path.name}.part")
    _remove(path)
    path.symlink_to(target)
    return f"{path.name} to {target}"


def _add_file(sandbox: Sandbox, rng: Random, path: Path) -> str:
    folder = path if path.is_dir() and not path.is_symlink() else path.parent
    name = rng.choice(_NAMES)
    new_path = Path(os.fsdecode(os.fsencode(folder) + b"/" + name))
    _remove(new_path)
    siblings = sorted(one for one in folder.iterdir() if one.is_file() and not one.is_symlink())
    if rng.random() < 0.3:
        return f"{name!r}: {_put_link(sandbox, rng, new_path)}"
    new_path.write_bytes(rng.choice(siblings).read_bytes() if siblings else b"{}")
    return repr(name)


def _enlarge(_: Sandbox, rng: Random, path: Path) -> str:
    if path.is_dir() or path.is_symlink():
        return "not done"
    mib = 1 << 20
    size = rng.choice([1, 2, 8, 16, 32, 64, 256]) * mib
    match rng.randrange(3):
        case 0:
            os.truncate(path, 20 << 30)
        case 1:
            os.truncate(path, size)
        case _:
            path.unlink()
            path.write_bytes(b'{"a":[' + b"{}," * (min(size, 64 * mib) // 3 - 10) + b"{}]}")
    return f"{size >> 20} MiB"


def _put_decompression_bomb(_: Sandbox, rng: Random, path: Path) -> str:
    side = rng.choice([6_000, 9_000, 13_000, 20_000])
    data = io.BytesIO()
    Image.new(rng.choice(["1", "P"]), (side, side)).save(data, "PNG")
    path.unlink()
    path.write_bytes(data.getvalue())
    return f"{side} square"


def _change_rows(_: Sandbox, rng: Random, path: Path) -> str:
    if not path.is_file() or path.is_symlink():
        return "not done"
    try:
        return _changed_row(rng, path)
    except sqlite3.DatabaseError:  # the file was damaged before
        return "not done"


def _changed_row(rng: Random, path: Path) -> str:
    with sqlite3.connect(path) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        if not tables:
            return "not done"
        table = rng.choice(sorted(tables))
        if rng.random() < 0.1:
            database.execute(f"DROP TABLE {table}")
            return f"no {table}"
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        column = rng.choice(columns)
        value = rng.choice(
            [b"\xff\0", b"", None, 2**63 - 1, -1, 0.5, "", "\0", "\u2028", "A" * 70_000, "{", "[" * 100_000, b"{}"]
        )
        with suppress(sqlite3.IntegrityError):
            database.execute(f"UPDATE {table} SET {column} = ?", (value,))
    return f"{table}.{column} is {str(value)[:20]!r}"


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
