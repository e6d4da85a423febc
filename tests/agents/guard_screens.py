"""Screens that the guard is asked about, without an app behind them; their frames are white."""

from functools import cache
from pathlib import Path
from xml.sax.saxutils import quoteattr

from odyssey_recorder.device.device import ScreenState
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.view_hierarchy import ViewNode, parse
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.model.geometry import Box, Rotation, Size
from odyssey_recorder.recording.provenance_records import EpochClock, encode_frame
from odyssey_recorder.recording.step_writer import SavedFrame, ShownScreen

SIZE = Size(360, 640)
RULES = TouchRules(16)
APP = "org.example.app"
"""The package in front."""


@cache
def _saved(size: Size) -> SavedFrame:
    frame = Frame(1, size, b"\xff" * (3 * size.width * size.height), 0, 0, "screencap")
    return SavedFrame(frame, Path("1.png"), encode_frame(frame, EpochClock())[1])


def shown_screen(
    nodes: tuple[ViewNode, ...], state: ScreenState | None = None, rules: TouchRules = RULES, size: Size = SIZE
) -> ShownScreen:
    return ShownScreen(_saved(size), nodes, state, (), rules)


def state(*, package: str = APP, keyboard: Box | None = None, has_pop_up: bool = False) -> ScreenState:
    size = Size(360, 640)
    return ScreenState(
        size,
        Rotation.R0,
        "",
        package,
        f"{package}.MainActivity",
        keyboard is not None,
        32,
        Box(0, 592, 360, 640),
        keyboard,
        has_pop_up=has_pop_up,
    )


def view(bounds: str, text: str = "", kind: str = "TextView", *parts: str, **attributes: str | bool) -> str:
    """As `uiautomator dump` writes it; `bounds` are four numbers. A Button and what ends in Button is clickable."""
    left, top, right, bottom = bounds.split()
    names = {"desc": "content-desc", "id": "resource-id", "long_clickable": "long-clickable"}
    given: dict[str, object] = {"clickable": kind.endswith("Button"), "package": APP}
    given |= {names.get(name, name): value for name, value in attributes.items()}
    given |= {"text": text, "class": f"android.widget.{kind}", "bounds": f"[{left},{top}][{right},{bottom}]"}
    written = " ".join(
        f"{name}={quoteattr(str(value).lower() if value in (True, False) else str(value))}"
        for name, value in given.items()
    )
    return f"<node {written}>{''.join(parts)}</node>"


def window(layer: int, *views: str, focused: bool = True) -> str:
    active = str(focused).lower()
    return (
        f'<window layer="{layer}" bounds="[0,0][360,640]" active="{active}" focused="{active}">'
        f"<hierarchy>{''.join(views)}</hierarchy></window>"
    )


def screen(*views: str, on: ScreenState | None = None) -> ShownScreen:
    """Of the active window alone, or of `window`s."""
    whole = "".join(views)
    if whole.startswith("<window"):
        whole = f'<displays><display id="0">{whole}</display></displays>'
    else:
        whole = f"<hierarchy>{whole}</hierarchy>"
    return shown_screen(parse(whole), on or state())
