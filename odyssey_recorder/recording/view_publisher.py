"""Where the newest view of a recording hangs: whoever wants may look, or wait for one of a kind."""

import threading
from collections.abc import Callable

from odyssey_recorder.errors import RecordingError
from odyssey_recorder.recording.view import Listener, RecordingView


class ViewPublisher:
    """The newest view, from any thread; the listener is told of each new one."""

    def __init__(self, first: RecordingView, listener: Listener) -> None:
        self._view = first
        self._listener = listener
        self._over = False
        self._changed = threading.Condition()

    @property
    def newest(self) -> RecordingView:
        """The newest view."""
        return self._view

    def show(self, view: RecordingView) -> None:
        """Hang up another view, if it is another one."""
        if view == self._view:
            return
        with self._changed:
            self._view = view
            self._changed.notify_all()
        self._listener.changed(view)

    def end(self) -> None:
        """No other view will come."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def wait_for(self, wanted: Callable[[RecordingView], bool], timeout_s: float) -> RecordingView:
        """The first view that is `wanted`. Raises RecordingError after `timeout_s`, or when the recording ends."""
        with self._changed:
            self._changed.wait_for(lambda: wanted(self._view) or self._over, timeout_s)
            view = self._view
        if wanted(view):
            return view
        what = "The recording has ended" if self._over else f"Nothing went on for {timeout_s:.0f} s"
        raise RecordingError(f"{what}: {view.state.value}. {view.message} The draft is kept.")
