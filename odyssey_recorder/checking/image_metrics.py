"""Measures the screenshots of an episode: none is decoded twice, and known ones are not opened."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.checking.check_cache import Cache, Measurements
from odyssey_recorder.checking.screenshot import MeasuredScreenshot, ScreenshotView, change, measure
from odyssey_recorder.dataset.file_stamps import stamp
from odyssey_recorder.dataset.layout import read_dataset_file
from odyssey_recorder.errors import DatasetError, MissingFileError
from odyssey_recorder.files import Largest


@dataclass(slots=True)
class _Shot:
    path: Path
    screenshot: MeasuredScreenshot
    view: ScreenshotView | None = None


class ImageMetrics:
    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self.measured = Measurements()

    def measure_in_turn(self, paths: Iterable[Path]) -> Iterator[tuple[MeasuredScreenshot | None, float | None]]:
        """Each screenshot, and its change from the one before; None if missing or broken. Two are in memory."""
        before: _Shot | None = None
        for path in paths:
            shot = self._look(path)
            differs = None if before is None or shot is None else self._change(before, shot)
            yield None if shot is None else shot.screenshot, differs
            before = shot

    def _look(self, path: Path) -> _Shot | None:
        now = stamp(path)
        if not now:
            return None
        sha256 = self._cache.sha256(path, now)
        screenshot = self._cache.screenshot(sha256) if sha256 else None
        return _Shot(path, screenshot) if screenshot else self._read(path, now)

    def _read(self, path: Path, now: str) -> _Shot | None:
        try:
            data = read_dataset_file(path, Largest.SCREENSHOT)
        except MissingFileError:
            return None
        except DatasetError as error:
            return _Shot(path, MeasuredScreenshot("", problem=str(error)))
        sha256 = hashlib.sha256(data).hexdigest()
        self.measured.files[str(path)] = now, sha256
        if known := self._cache.screenshot(sha256):
            return _Shot(path, known)
        screenshot, view = measure(data, sha256)
        self.measured.screenshots[sha256] = screenshot
        return _Shot(path, screenshot, view)

    def _change(self, one: _Shot, other: _Shot) -> float | None:
        if one.screenshot.problem or other.screenshot.problem:
            return None
        if one.screenshot.sha256 == other.screenshot.sha256:
            return 0.0
        pair = one.screenshot.sha256, other.screenshot.sha256
        known = self._cache.change(*pair)
        if known is not None:
            return known
        views = self._view(one), self._view(other)
        if views[0] is None or views[1] is None:
            return None
        self.measured.changes[pair] = differs = change(views[0], views[1])
        return differs

    def _view(self, shot: _Shot) -> ScreenshotView | None:
        if shot.view is None:
            try:
                screenshot, view = measure(read_dataset_file(shot.path, Largest.SCREENSHOT))
            except DatasetError:
                return None
            shot.view = view if screenshot.sha256 == shot.screenshot.sha256 else None
        return shot.view
