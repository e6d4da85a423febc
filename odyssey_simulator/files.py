"""The emulator's file system: folders and files in memory, gone when it stops."""

import posixpath
import stat
import time
from dataclasses import dataclass

_FOLDER_MODE = stat.S_IFDIR | 0o770
_FILE_MODE = stat.S_IFREG | 0o660
_FIRST_FOLDERS = (
    "/",
    "/data",
    "/data/local",
    "/data/local/tmp",
    "/dev",
    "/storage",
    "/storage/emulated",
    "/storage/emulated/0",
    "/storage/emulated/0/DCIM",
    "/storage/emulated/0/Download",
    "/storage/emulated/0/Pictures",
    "/system",
)
_LINKS = (("/sdcard", "/storage/emulated/0"), ("/mnt/sdcard", "/storage/emulated/0"))


@dataclass(slots=True)
class Inode:
    """`mode` as of stat(2), modification time in seconds since 1970."""

    mode: int
    mtime_s: int
    content: bytes = b""

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)


class Files:
    """Raises FileNotFoundError, IsADirectoryError, NotADirectoryError as a kernel would."""

    def __init__(self) -> None:
        now = int(time.time())
        self._inodes = {path: Inode(_FOLDER_MODE, now) for path in _FIRST_FOLDERS}

    def inode(self, path: str) -> Inode:
        found = self._inodes.get(_resolved(path))
        if found is None:
            raise FileNotFoundError(path)
        return found

    def size_bytes(self) -> int:
        return sum(len(inode.content) for inode in self._inodes.values())

    def read(self, path: str) -> bytes:
        inode = self.inode(path)
        if inode.is_folder:
            raise IsADirectoryError(path)
        return inode.content

    def write(self, path: str, content: bytes, *, mode: int = _FILE_MODE, mtime_s: int | None = None) -> None:
        resolved = self._place_for(path)
        mtime_s = int(time.time()) if mtime_s is None else mtime_s
        self._inodes[resolved] = Inode(stat.S_IFREG | stat.S_IMODE(mode), mtime_s, content)

    def append(self, path: str, content: bytes) -> None:
        inode = self.inode(path)
        inode.content += content

    def make_folder(self, path: str, *, parents: bool = False) -> None:
        """Raises FileExistsError if the path exists, unless `parents` is set."""
        resolved = _resolved(path)
        if parents and posixpath.dirname(resolved) not in self._inodes:
            self.make_folder(posixpath.dirname(resolved), parents=True)
        if resolved not in self._inodes:
            self._inodes[self._place_for(path)] = Inode(_FOLDER_MODE, int(time.time()))
        elif not (parents and self._inodes[resolved].is_folder):
            raise FileExistsError(path)

    def remove(self, path: str, *, recursive: bool = False) -> None:
        if self.inode(path).is_folder and not recursive:
            raise IsADirectoryError(path)
        resolved = _resolved(path)
        for name in [name for name in self._inodes if name == resolved or name.startswith(resolved + "/")]:
            del self._inodes[name]

    def names(self, path: str) -> list[str]:
        if not self.inode(path).is_folder:
            raise NotADirectoryError(path)
        folder = _resolved(path)
        return sorted(
            posixpath.basename(name) for name in self._inodes if name != folder and posixpath.dirname(name) == folder
        )

    def _place_for(self, path: str) -> str:
        resolved = _resolved(path)
        parent = self._inodes.get(posixpath.dirname(resolved))
        if parent is None:
            raise FileNotFoundError(path)
        if not parent.is_folder:
            raise NotADirectoryError(path)
        if resolved in self._inodes and self._inodes[resolved].is_folder:
            raise IsADirectoryError(path)
        return resolved


def _resolved(path: str) -> str:
    normal = posixpath.normpath("/" + path)
    normal = "/" + normal.lstrip("/")
    for link, target in _LINKS:
        if normal == link or normal.startswith(link + "/"):
            return target + normal[len(link) :]
    return normal
