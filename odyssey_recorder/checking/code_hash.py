"""Hashes of the code that a result depends on: sources, data and libraries.

Nothing is listed by hand, so nothing can be forgotten: a check may import or read anything in the program.
"""

import ast
import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from odyssey_recorder import __version__
from odyssey_recorder.resources import PACKAGE, shipped_folders


def program_hash(folders: Iterable[Path] = shipped_folders()) -> str:
    """Of the whole program: all files in its `folders`, and all libraries that it requires."""
    return _hash((path for folder in folders for path in _files_in(folder)), map(_with_version, _required()))


def module_hash(module: str, library: str, package: Path = PACKAGE) -> str:
    """Of one module of `package`, the modules there that it imports, and one library."""
    return _hash(_imported_by(module, package), [_with_version(library)])


def _files_in(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from (Path(place, name) for name in sorted(names))


def _imported_by(module: str, package: Path) -> list[Path]:
    found: dict[str, Path] = {}
    wanted = [module]
    while wanted:
        name = wanted.pop()
        path = _source(name, package)
        if path is not None and name not in found:
            found[name] = path
            wanted += _imports(path)
    return [found[name] for name in sorted(found)]


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Import(names):
                yield from (name.name for name in names)
            case ast.ImportFrom(str(module), names):
                yield module
                yield from (f"{module}.{name.name}" for name in names)
            case _:
                pass


def _source(module: str, package: Path) -> Path | None:
    """None for a module of another package, or if the program is installed without sources."""
    first, *rest = module.split(".")
    if first != package.name:
        return None
    path = package.joinpath(*rest)
    return next(
        (candidate for candidate in (path.with_suffix(".py"), path / "__init__.py") if candidate.is_file()), None
    )


def _required() -> list[str]:
    try:
        requirements = requires("odyssey-recorder") or []
    except PackageNotFoundError:  # a checkout that is not installed
        return []
    return [
        match[0]
        for requirement in requirements
        if "extra ==" not in requirement and (match := re.match(r"[\w.-]+", requirement))
    ]


def _with_version(library: str) -> str:
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return library


def _hash(files: Iterable[Path], libraries: Iterable[str]) -> str:
    digest = hashlib.sha256("\n".join((__version__, sys.version, *libraries)).encode())
    for path in files:
        with suppress(OSError):  # what is unreadable, such as an editor's lock, no check reads either
            data = path.read_bytes()
            digest.update(f"\n{path.parent.name}/{path.name} {len(data)}\n".encode(errors="replace"))
            digest.update(data)
    return digest.hexdigest()[:16]
