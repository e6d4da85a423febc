"""Input for the simulated emulator: touches and keys take the path that getevent sees, in order, without blocking."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock

from PySide6.QtCore import QObject, Signal

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.model.geometry import Pixel, Rotation, Size, unrotate
from odyssey_simulator.guest import Guest
from odyssey_simulator.screen import ComposedFrame


@dataclass(frozen=True, slots=True)
class _Input:
    do: Callable[[], None]
    is_move: bool = False


class PhoneInput(QObject):
    """Performs inputs in order on its own thread; methods return at once.

    Fingers are pixels of the displayed image, the first in slot 0 and a second in slot 1. Moves that wait behind a slow
    phone are merged into the newest. `refused` says what the phone cannot do.
    """

    refused = Signal(str)

    def __init__(self, guest: Guest, parent: QObject) -> None:
        super().__init__(parent)
        self._guest = guest
        self._background = Background(self, threads=1)
        self._lock = Lock()
        self._waiting: deque[_Input] = deque()  # guarded by _lock

    def put_down(self, fingers: Sequence[Pixel]) -> None:
        self._add(_Input(partial(self._touch, tuple(fingers), pressed=True)))

    def move(self, fingers: Sequence[Pixel]) -> None:
        self._add(_Input(partial(self._touch, tuple(fingers), pressed=True), is_move=True))

    def lift(self, fingers: Sequence[Pixel]) -> None:
        self._add(_Input(partial(self._touch, tuple(fingers), pressed=False)))

    def turn_wheel(self, pointer: Pixel, notches: float) -> None:
        """Each notch drags the screen by a ninth of its height; positive is away from the person."""
        self._add(_Input(partial(self._turn_wheel, pointer, notches)))

    def press(self, code: int) -> None:
        self._add(_Input(partial(self._guest.window_key, code)))

    def write(self, text: str) -> None:
        self._add(_Input(partial(self._guest.window_text, text)))

    def turn(self, quarters: int) -> None:
        """Rotate counterclockwise by quarter turns; negative is clockwise."""
        self._add(_Input(partial(self._turn, quarters)))

    def hold(self, posture: str) -> None:
        self._add(_Input(partial(self._guest.phone.set_posture, posture)))

    def close(self) -> None:
        self._background.close()

    def _add(self, item: _Input) -> None:
        with self._lock:
            if item.is_move and self._waiting and self._waiting[-1].is_move:
                self._waiting[-1] = item
                return
            self._waiting.append(item)
        self._background.run(self._carry_out_next, lambda _: None, self._report)

    def _carry_out_next(self) -> None:
        with self._lock:
            item = self._waiting.popleft()
        item.do()

    def _report(self, error: Exception) -> None:
        if not isinstance(error, ValueError):
            raise error
        text = str(error)
        self.refused.emit(f"{text[:1].upper()}{text[1:]}.")

    def _touch(self, fingers: Sequence[Pixel], *, pressed: bool) -> None:
        screen = self._guest.phone.screen()  # not waited for: the finger is stamped when it lands and lifts
        for slot, finger in enumerate(fingers):
            x, y = _on_panel(finger, screen)
            self._guest.window_touch(x, y, pressed=pressed, slot=slot)

    def _turn_wheel(self, pointer: Pixel, notches: float) -> None:
        screen = self._guest.phone.screen()
        x, y = _on_panel(pointer, screen)
        to_x, to_y = _on_panel(Pixel(pointer.x, pointer.y + round(screen.height * notches / 9)), screen)
        self._guest.window_wheel((x, y), (to_x - x, to_y - y))

    def _turn(self, quarters: int) -> None:
        phone = self._guest.phone
        phone.set_rotation((phone.state().rotation + quarters) % len(Rotation))


def _on_panel(displayed: Pixel, screen: ComposedFrame) -> tuple[float, float]:
    """A displayed pixel as a position on the lit panel in its natural orientation."""
    frame, panel = screen.on_panel, screen.panel.turned(screen.rotation)
    turned = Pixel(
        frame.left + (2 * displayed.x + 1) * frame.width // (2 * screen.width),
        frame.top + (2 * displayed.y + 1) * frame.height // (2 * screen.height),
    )
    place = unrotate(turned, Size(panel.width, panel.height), Rotation(screen.rotation))
    return place.x, place.y
