"""Saves images of the window for the documentation: colours, and a border around dialogs."""

from pathlib import Path

from PIL import Image, ImageDraw

from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.room import Room
from tests.end_to_end.screen.sight import Rect

_FRAMED = frozenset({"Before you record", "Unfinished recordings", "Doctor", "Drop steps"})


def keep(room: Room, annotator: Annotator, name: str, theme: str = "light") -> None:
    annotator.window.use_theme(theme)
    screenshot = room.screenshot(name)
    annotator.window.photograph(screenshot)
    sight = annotator.window.look()
    if sight.title in _FRAMED:
        _frame(screenshot, sight.seen[0].rect)


def _frame(screenshot: Path, dialog: Rect) -> None:
    image = Image.open(screenshot).convert("RGB")
    edge = (dialog.x, dialog.y, dialog.x + dialog.width - 1, dialog.y + dialog.height - 1)
    ImageDraw.Draw(image).rectangle(edge, outline=(120, 120, 120), width=1)
    image.save(screenshot)
