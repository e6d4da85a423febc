"""How memory is shared with an emulator that writes its pictures there instead of sending them."""

import mmap
import shutil
import tempfile
import weakref
from pathlib import Path


class FrameMemory:
    """A file of this user's own that the emulator writes pictures into, each over the one before.

    What is copied while the emulator writes is torn: who copies has to find out whether it did.
    """

    def __init__(self, length: int) -> None:
        """`length` is in bytes; the file lies in a folder that no other user can open."""
        folder = Path(tempfile.mkdtemp(prefix="odyssey-frames-"))
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        path = folder / "frame"
        path.touch(mode=0o600)
        with path.open("r+b") as file:
            file.truncate(length)
            self._memory = mmap.mmap(file.fileno(), length, access=mmap.ACCESS_READ)
        self.uri = path.as_uri()
        self.length = length

    def copy(self, length: int) -> bytes:
        """The first `length` bytes as they are now; fewer where the memory is shorter."""
        return self._memory[:length]

    def close(self) -> None:
        """Give the memory back and remove the file."""
        self._memory.close()
        self._remove()
