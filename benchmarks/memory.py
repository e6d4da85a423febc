"""Memory of a process, and how much each unit of work leaves behind."""

from pathlib import Path

_PAGE = 4096


class Memory:
    def __init__(self) -> None:
        self._seen: list[tuple[int, int]] = []

    def look(self, done: int) -> None:
        """Note the memory after `done` units of work."""
        self._seen.append((done, _resident()))

    @property
    def mb(self) -> float:
        return self._seen[-1][1] / 1e6

    def kb_each(self, *, since: int) -> float:
        """Least-squares slope from `since` on."""
        seen = [one for one in self._seen if one[0] >= since]
        if len(seen) < 2:
            return 0.0
        mean_done = sum(done for done, _ in seen) / len(seen)
        mean_size = sum(size for _, size in seen) / len(seen)
        spread = sum((done - mean_done) ** 2 for done, _ in seen)
        together = sum((done - mean_done) * (size - mean_size) for done, size in seen)
        return together / spread / 1000 if spread else 0.0


def peak_mb() -> float:
    """The most memory that this program had, unlike `ru_maxrss`, which begins with that of the program's parent."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1000


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
