"""What `uiautomator dump` tells of the views on a screen: which was clicked, and what the focused field holds."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.parsers import expat

from odyssey_recorder.errors import DeviceError
from odyssey_recorder.model.geometry import Box, Pixel, Size

LONGEST = 4_000_000
"""Characters of a dump that are read; the largest of real apps have about a tenth of that."""

LARGEST_SHARE = 0.6
"""A box that covers more of the screen says nothing of what was clicked."""

_BOUNDS = re.compile(r"\[(-?[0-9]{1,6}),(-?[0-9]{1,6})\]\[(-?[0-9]{1,6}),(-?[0-9]{1,6})\]")
_FIELD_CLASS = re.compile(r"(?:EditText|AutoCompleteTextView)$")


@dataclass(frozen=True, slots=True)
class Node:
    """One view: where it is on the picture, and what it says of itself.

    `class_name` is the widget that it is taken for, such as ``android.widget.EditText``; `hint` is empty on a
    device whose dumps do not tell it.
    """

    box: Box
    class_name: str
    package: str
    text: str
    hint: str
    description: str
    clickable: bool
    focused: bool
    password: bool
    resource_id: str = ""

    @property
    def is_field(self) -> bool:
        """Whether text is edited in it."""
        return _FIELD_CLASS.search(self.class_name) is not None


def parse(xml: str) -> tuple[Node, ...]:
    """The views of a dump, each before those that it holds; one whose bounds cannot be read is passed over.

    The dump comes from a device, so nothing in it is believed: it may define no entities and has a limit of size.
    Raises `DeviceError` for what is no dump.
    """
    if len(xml) > LONGEST:
        raise DeviceError(f"The view tree of the screen is too long to be read: {len(xml)} characters.")
    nodes: list[Node] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if name == "node" and (box := _box(attributes.get("bounds", ""))):
            nodes.append(_node(box, attributes))

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(xml.encode(errors="replace"), True)
    except expat.ExpatError as error:
        raise DeviceError(f"The view tree of the screen cannot be read ({error}). Look again.") from error
    return tuple(nodes)


def focused_field(nodes: tuple[Node, ...]) -> Node | None:
    """The field that has the focus."""
    return next((node for node in nodes if node.focused and node.is_field), None)


def focused_text(nodes: tuple[Node, ...]) -> str | None:
    """The text of the field that has the focus; None where there is none, or where it holds a password.

    A field that shows its hint is empty; where the dump does not tell hints apart, the hint counts as text.
    """
    field = focused_field(nodes)
    if field is None or field.password:
        return None
    return "" if field.text == field.hint else field.text


def clickable_at(nodes: tuple[Node, ...], at: Pixel, size: Size) -> Box | None:
    """Where the view is that a click at `at` meets, clipped to a picture of `size`.

    It is the smallest of the clickable ones that hold the pixel, otherwise the smallest of all that do. None where
    there is none, or where it covers more than `LARGEST_SHARE` of the picture.
    """
    held = [(_clipped(node.box, size), node.clickable) for node in nodes]
    held = [(box, clickable) for box, clickable in held if at in box]
    boxes = [box for box, clickable in held if clickable] or [box for box, _ in held]
    smallest = min(boxes, key=lambda box: box.area, default=None)
    if smallest is None or smallest.area > LARGEST_SHARE * size.width * size.height:
        return None
    return smallest


def _refuse_doctype(*_: object) -> None:
    raise DeviceError("The view tree of the screen is refused: it defines entities, which no dump of Android's does.")


def _node(box: Box, attributes: Mapping[str, str]) -> Node:
    return Node(
        box=box,
        class_name=attributes.get("class", ""),
        package=attributes.get("package", ""),
        text=attributes.get("text", ""),
        hint=attributes.get("hint", ""),
        description=attributes.get("content-desc", ""),
        clickable=attributes.get("clickable") == "true",
        focused=attributes.get("focused") == "true",
        password=attributes.get("password") == "true",
        resource_id=attributes.get("resource-id", ""),
    )


def _box(bounds: str) -> Box | None:
    found = _BOUNDS.fullmatch(bounds)
    if found is None:
        return None
    left, top, right, bottom = map(int, found.groups())
    return Box(left, top, right, bottom)


def _clipped(box: Box, size: Size) -> Box:
    return Box(max(box.left, 0), max(box.top, 0), min(box.right, size.width), min(box.bottom, size.height))
