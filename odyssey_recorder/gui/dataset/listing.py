"""The index as the page asks it: opened, kept up to date and searched off the GUI thread."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event

from PySide6.QtCore import QObject, Signal

from odyssey_recorder.dataset.watch import DatasetWatch, FolderChanges
from odyssey_recorder.dataset_index.filter import ALL, Filter, Key
from odyssey_recorder.dataset_index.index import EpisodeIndex, Facet, IndexedEpisode
from odyssey_recorder.gui.dataset.episode_table import COLUMNS, RECORDED
from odyssey_recorder.gui.frame.background import Background


@dataclass(frozen=True, slots=True)
class ListRequest:
    wanted: Filter = ALL
    column: int = RECORDED
    descending: bool = True


@dataclass(frozen=True, slots=True)
class ListResult:
    """`total` is the number of all episodes."""

    request: ListRequest
    rows: Sequence[IndexedEpisode]
    total: int
    facets: Mapping[Key, Facet]


class EpisodeListing(QObject):
    opened = Signal(object)
    """The index; what was known of it is found before the files are read."""

    found = Signal(object)
    changed = Signal(object)
    reading = Signal(int, int)
    """How many episodes were read, of how many; equal at the end."""

    warned = Signal(str)

    def __init__(self, open_index: Callable[[], EpisodeIndex], background: Background) -> None:
        super().__init__()
        self.request = ListRequest()
        self._open_index = open_index
        self._background = background
        self._in_order = background.in_order()
        self._index: EpisodeIndex | None = None
        self._known: Sequence[IndexedEpisode] = ()
        self._is_searching = self._search_again = False
        self._closed = Event()
        self._watch: DatasetWatch | None = None

    def begin(self) -> None:
        self._in_order.run(self._open, self._take_index)

    def ask(self, request: ListRequest) -> None:
        self.request = request
        self._check_for_changes()

    def close(self) -> None:
        self._closed.set()
        if self._watch is not None:
            self._watch.close()
        self._in_order.close()
        if self._index is not None:
            self._index.close()

    def _open(self) -> EpisodeIndex:
        self._index = self._open_index()
        return self._index

    def _take_index(self, index: EpisodeIndex) -> None:
        self.opened.emit(index)
        self._check_for_changes()
        self._follow(index)

    def _follow(self, index: EpisodeIndex) -> None:
        """Read what has changed, and from then on what changes."""
        post = self._background.post
        self._watch = index.follow(
            lambda changes: post(partial(self.take_changes, changes)),
            lambda text: post(partial(self.warned.emit, text)),
            lambda done, count: post(partial(self.reading.emit, done, count)),
            self._closed.is_set,
        )

    def take_changes(self, changes: FolderChanges) -> None:
        self.reading.emit(0, 0)
        self.changed.emit(changes)
        self._check_for_changes()

    def _check_for_changes(self) -> None:
        """Ask the index, one question at a time: only the newest waits."""
        if self._index is None or self._is_searching:
            self._search_again = True
            return
        self._is_searching, self._search_again = True, False
        self._in_order.run(partial(_look_up, self._index, self.request, self._known), self._take)

    def _take(self, found: ListResult) -> None:
        self._is_searching = False
        self._known = found.rows
        if found.request == self.request:
            self.found.emit(found)
        if self._search_again:
            self._check_for_changes()


def _look_up(index: EpisodeIndex, request: ListRequest, known: Sequence[IndexedEpisode]) -> ListResult:
    """Unchanged rows stay the same objects, so that the GUI thread need not compare them."""
    before, wanted = {row.episode_id: row for row in known}, request.wanted.leaving_out("retired")
    rows = [known_row if (known_row := before.get(row.episode_id)) == row else row for row in index.rows(wanted)]
    order = COLUMNS[request.column].order
    assert order is not None
    rows.sort(key=order, reverse=request.descending)
    everything = Filter(tuple(term for term in wanted.terms if term.key is Key.IS))
    return ListResult(request, rows, index.count(everything), index.facets(wanted))
