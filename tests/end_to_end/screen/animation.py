"""Films the recording of a short task for the README: the real window, with a pointer drawn where the mouse is."""

from pathlib import Path

from PIL import Image, ImageDraw

from tests.end_to_end.screen.annotator import BUTTONS, LOOK_UP_THE_WEATHER, TELL_SOFIA, Annotator
from tests.end_to_end.screen.sandbox import Sandbox

_SIZE = (1100, 700)
_LOOK_MS = 650
_MOVE_MS = 45
_POINTER = ((0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12))
_RING_PX = 14
_ACCENT = (220, 38, 38)

Position = tuple[int, int]


class Film(Annotator):
    """Keeps a frame of each moment worth seeing."""

    def __init__(self, annotator: Annotator, folder: Path) -> None:
        super().__init__(annotator.window, annotator.xdotool, annotator.phone, None)
        self._file = folder / "frame.png"
        self._shot = Image.new("RGB", _SIZE)
        self._pointer: Position = (_SIZE[0] // 2, _SIZE[1] // 2)
        self._frames: list[Image.Image] = []
        self._holds_ms: list[int] = []

    def show(self, hold_ms: int = _LOOK_MS, *, pressed: bool = False) -> None:
        self.window.save_screenshot(self._file)
        self._shot = Image.open(self._file).convert("RGB").crop((0, 0, *_SIZE))
        self._add(hold_ms, pressed=pressed)

    def press(self, name: str, *, expect: str | tuple[str, ...] = ()) -> None:
        self._click(self.find(name, BUTTONS).rect.middle)
        self._expect(expect)

    def tap(self, label: str) -> None:
        self._click(self.mirror_position(label))

    def wait_for_steps(self, count: int) -> tuple[str, ...]:
        steps = super().wait_for_steps(count)
        self.show()
        return steps

    def type_text(self, text: str) -> None:
        self._go(self.find("Text to type").rect.middle)
        self.write(text, into="Text to type")
        self.show(700)
        self.xdotool.press("Return")

    def drag_up(self) -> None:
        mirror = self.mirror()
        width, height = mirror.screenshot
        path = [mirror.position_of(width // 2, height * share // 100) for share in (70, 62, 54, 46, 38, 30)]
        self._go(path[0])
        self.xdotool.put_down(*path[0])
        for self._pointer in path:
            self.xdotool.move_to(*self._pointer)
            self.show(90, pressed=True)
        self.xdotool.lift()

    def save(self, path: Path) -> None:
        first, *others = self._frames
        first.save(path, save_all=True, append_images=others, duration=self._holds_ms, loop=0, lossless=True, method=4)

    def _click(self, to: Position) -> None:
        self._go(to)
        self._add(140, pressed=True)
        self.xdotool.click(*to)

    def _go(self, to: Position, moves: int = 6) -> None:
        (x, y), (to_x, to_y) = self._pointer, to
        for move in range(1, moves + 1):
            share = move / moves
            share *= share * (3 - 2 * share)  # starts and ends slowly
            self._pointer = round(x + (to_x - x) * share), round(y + (to_y - y) * share)
            self._add(_MOVE_MS)

    def _add(self, hold_ms: int, *, pressed: bool = False) -> None:
        frame, (x, y) = self._shot.copy(), self._pointer
        draw = ImageDraw.Draw(frame)
        if pressed:
            draw.circle(self._pointer, _RING_PX, outline=_ACCENT, width=3)
        draw.polygon([(x + dx, y + dy) for dx, dy in _POINTER], fill="black", outline="white")
        self._frames.append(frame)
        self._holds_ms.append(hold_ms)


def animation(sandbox: Sandbox) -> None:
    with sandbox.first_use("Grace", step_snapshots="never") as annotator:
        annotator.xdotool.resize(annotator.window.content().window_id, *_SIZE)
        annotator.choose_task("Lisbon")
        film = Film(annotator, sandbox.folder)
        film.show(1500)
        film.press("Start recording")
        film.wait_for_steps(0)
        film.do_steps(*LOOK_UP_THE_WEATHER, *TELL_SOFIA)
        film.press("Complete")
        annotator.find("Note")
        annotator.write("Sunny, 18 degrees", into="Note")
        film.show(1200)
        film.press("Publish")
        annotator.wait_for("The episode is published.", "Click “Send message”")  # the steps are read again
        annotator.window.content(delay_ms=100)
        film.show(2500)
        film.save(sandbox.screenshot("recording").with_suffix(".webp"))
