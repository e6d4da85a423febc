"""The visible content of the program's window, as values passed between processes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rect:
    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2

    @property
    def is_empty(self) -> bool:
        return self.width <= 0 or self.height <= 0


@dataclass(frozen=True, slots=True)
class Element:
    """An accessible object; `ancestors` are the names around it, `is_cut_off` means that its text lacks space."""

    role: str
    name: str
    value: str
    rect: Rect
    ancestors: tuple[str, ...]
    is_enabled: bool
    is_fully_visible: bool
    is_checked: bool
    has_focus: bool
    is_cut_off: bool
    takes_focus: bool


@dataclass(frozen=True, slots=True)
class Mirror:
    """Where the device's screen is on the display, its size in device pixels, and whether it accepts input.

    `gesture` is what lifting the finger now would record.
    """

    area: Rect
    screenshot: tuple[int, int]
    takes_input: bool
    gesture: str
    frame: int

    def position_of(self, x: int, y: int) -> tuple[int, int]:
        width, height = self.screenshot
        return (
            self.area.x + int((x + 0.5) * self.area.width / width),
            self.area.y + int((y + 0.5) * self.area.height / height),
        )


@dataclass(frozen=True, slots=True)
class WindowContent:
    """Everything visible in the window that takes input: the newest dialog, otherwise the main window."""

    title: str
    window_id: int
    has_focus: bool
    mirror: Mirror | None
    elements: tuple[Element, ...]

    @property
    def is_dialog(self) -> bool:
        return not self.title.startswith(("Odyssey", "Recording"))

    def named(self, name: str) -> list[Element]:
        return [one for one in self.elements if one.name == name]

    def items(self, of: str) -> list[Element]:
        return [one for one in self.elements if of in one.ancestors and one.role in {"ListItem", "Cell"}]

    def shows(self, text: str) -> bool:
        return any(text in one.name for one in self.elements)
