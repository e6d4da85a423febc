"""The views of a `uiautomator dump`: which one was clicked, and what the focused field holds."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from odyssey_recorder.errors import DeviceError
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Box, Pixel, Size

LONGEST = 4_000_000
"""In characters; the largest dumps of real apps have about a tenth."""

LARGEST_SHARE = 0.6
"""A box that covers more of the screen says nothing about what was clicked."""

_BOUNDS = re.compile(r"\[(-?[0-9]{1,6}),(-?[0-9]{1,6})\]\[(-?[0-9]{1,6}),(-?[0-9]{1,6})\]")
_ORDER = re.compile(r"[0-9]{1,6}")
_TAKES_TOUCHES = re.compile(r"(?:SeekBar|WebView)$")
_SUGGESTS = "AutoCompleteTextView"
_BUTTON_ID = re.compile(r"com\.(?:android\.systemui|[\w.]*launcher\w*):id/(back|home|home_button|recent_apps)")
_BUTTONS = {
    "back": SystemKey.BACK,
    "home": SystemKey.HOME,
    "home_button": SystemKey.HOME,
    "recent_apps": SystemKey.RECENT,
}
_LAUNCHER_ID = re.compile(r"com\.[\w.]*launcher\w*:id/(overview_panel|workspace)")
_FIELD_CLASS = re.compile(r"(?:EditText|AutoCompleteTextView)$")


@dataclass(frozen=True, slots=True)
class ViewNode:
    """`box` is on the frame; `hint` is empty on devices whose dumps do not include it.

    `class_name` is the class it reports to accessibility, such as ``android.widget.EditText``. `window`: the layer of
    its window, higher above lower; None in a dump of the active window alone. `active`: it is in that window.
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
    long_clickable: bool = False
    scrollable: bool = False
    window: int | None = None
    active: bool = True

    @property
    def is_field(self) -> bool:
        return _FIELD_CLASS.search(self.class_name) is not None

    @property
    def takes_touches(self) -> bool:
        """Whether the view consumes touches that none of its children took; views beneath never get them.

        A disabled button also consumes them (View.onTouchEvent), and so do lists, pages and sliders, to be dragged.
        """
        return (
            self.clickable
            or self.long_clickable
            or self.scrollable
            or _TAKES_TOUCHES.search(self.class_name) is not None
        )


@dataclass(frozen=True, slots=True)
class _Window:
    """`touchable` is None in a dump of the active window alone."""

    layer: int | None = None
    touchable: Box | None = None
    active: bool = True
    focused: bool = True


@dataclass(slots=True)
class _Element:
    window: _Window = _Window()
    node: ViewNode | None = None
    order: int = 0
    children: list["_Element"] = field(default_factory=list)


def parse(xml: str) -> tuple[ViewNode, ...]:
    """The views in drawing order: parents before children, covered views before those above.

    Siblings are ordered by `drawing-order`, which newer dumps have, or else as in the dump.

    With `--windows` a dump has all windows of all displays, the topmost first. Their views are clipped to where the
    window takes touches, and those of other displays are left out.

    The dump comes from a device and is not trusted: its size is limited and it may not define entities. Raises
    `DeviceError` for anything but a dump.
    """
    if len(xml) > LONGEST:
        raise DeviceError(f"The view hierarchy is too long: {len(xml)} characters.")
    root, elsewhere = _Element(), _Element()
    path, display = [root], root

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal display
        parent = path[-1]
        element = _Element(parent.window)
        if name == "display":
            display = root if attributes.get("id") == "0" else elsewhere
        elif name == "window":
            element.window, parent = _window(attributes), display
            element.order = element.window.layer or 0
        elif name == "node" and (box := _box(attributes.get("bounds", ""))) is not None:
            order = attributes.get("drawing-order", "")
            element.order = int(order) if _ORDER.fullmatch(order) else 0
            element.node = _node(box, attributes, element.window)
        parent.children.append(element)
        path.append(element)

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: path.pop()
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(xml.encode(errors="replace"), True)
    except expat.ExpatError as error:
        raise DeviceError(f"The view hierarchy cannot be read ({error}). Look again.") from error
    return tuple(_drawn(root))


def _drawn(root: _Element) -> Iterator[ViewNode]:
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.node is not None:
            yield element.node
        waiting += sorted(element.children, key=lambda child: child.order)[::-1]


def focused_field(nodes: tuple[ViewNode, ...]) -> ViewNode | None:
    return next((node for node in nodes if node.focused and node.is_field), None)


def navigation_buttons(nodes: tuple[ViewNode, ...]) -> Mapping[SystemKey, Box]:
    """The boxes of the buttons, by the ids of SystemUI's bar or of the launcher's taskbar; empty if one is missing."""
    boxes = {
        _BUTTONS[found[1]]: node.box
        for node in nodes
        if node.window is not None and (found := _BUTTON_ID.fullmatch(node.resource_id)) and node.box.area
    }
    return boxes if len(boxes) == len(SystemKey) else {}


def shows_overview(nodes: tuple[ViewNode, ...]) -> bool | None:
    """Whether the launcher shows the recent apps; None if it shows neither these nor the home screen.

    Told by the ids that Android's own tests of its launcher wait for (LauncherInstrumentation.verifyVisibleObjects).
    """
    shown = {found[1] for node in nodes if (found := _LAUNCHER_ID.fullmatch(node.resource_id))}
    return "overview_panel" in shown if shown else None


def focused_text(nodes: tuple[ViewNode, ...]) -> str | None:
    """None without a focused field, or for a password. In dumps without hints, a shown hint counts as text."""
    field = focused_field(nodes)
    if field is None or field.password:
        return None
    return field_text(field)


def field_text(field: ViewNode) -> str:
    return "" if field.text == field.hint else field.text


def clickable_at(nodes: tuple[ViewNode, ...], at: Pixel, size: Size) -> Box | None:
    """The box of the view that a click at `at` hits, clipped to a frame of `size`; None if it covers too much of it."""
    hit = hit_at(nodes, at, size)
    return None if hit is None else _clipped(nodes[hit].box, size)


def name_at(nodes: tuple[ViewNode, ...], at: Pixel, size: Size) -> str:
    """The label of the view that a click at `at` hits, or else that of the first of its parts that has one.

    Parts that take touches themselves, such as a switch in a row, do not count. Empty if there is none.
    """
    hit = hit_at(nodes, at, size)
    if hit is None:
        return ""
    return next(iter(labels_of(nodes, hit)), "")


def labels_of(nodes: tuple[ViewNode, ...], index: int) -> tuple[str, ...]:
    """The labels of the view at `index` in `nodes`, and of its parts that do not take touches themselves."""
    view = nodes[index]
    parts = (
        node
        for node in nodes[index + 1 :]
        if not node.takes_touches and node.window == view.window and is_within(node.box, view.box)
    )
    named = (view, *parts) if view.clickable or view.long_clickable else (view,)
    return tuple(dict.fromkeys(filter(None, map(_name, named))))


def field_name(nodes: tuple[ViewNode, ...]) -> str:
    """The hint or description of the focused field; empty without one."""
    field = focused_field(nodes)
    return "" if field is None else field.hint or field.description


def _name(node: ViewNode) -> str:
    """A field is named by its hint, not by its content."""
    if node.is_field or node.password:
        return node.hint.strip() or node.description.strip()
    return node.text.strip() or node.description.strip()


def is_within(box: Box, outer: Box) -> bool:
    return outer.left <= box.left <= box.right <= outer.right and outer.top <= box.top <= box.bottom <= outer.bottom


def hit_at(nodes: tuple[ViewNode, ...], at: Pixel, size: Size) -> int | None:
    """The position of the view that a click at `at` hits.

    Android offers a touch to the topmost view first, and to each view before its parent, until one consumes it
    (ViewGroup.dispatchTouchEvent). So it is the last drawn of the `nodes` there that consumes touches, or else the
    last drawn of all. Bounds in a dump are already clipped to the parents'. None if it covers too much of the frame,
    or if a window that is not in the dump may cover it: the suggestions of a field with the focus.
    """
    containing = [index for index, node in enumerate(nodes) if at in _clipped(node.box, size)]
    topmost = max((nodes[index].window or 0 for index in containing), default=0)
    containing = [index for index in containing if (nodes[index].window or 0) == topmost]
    field = focused_field(nodes)
    if field is not None and field.window is None and field.class_name.endswith(_SUGGESTS) and at not in field.box:
        return None
    hit = [index for index in containing if nodes[index].takes_touches] or containing
    return None if not hit or fills_screen(nodes[hit[-1]].box, size) else hit[-1]


def fills_screen(box: Box, size: Size) -> bool:
    return _clipped(box, size).area > LARGEST_SHARE * size.width * size.height


def _refuse_doctype(*_: object) -> None:
    raise DeviceError("The view hierarchy was rejected because it defines XML entities, which Android never does.")


def _window(attributes: Mapping[str, str]) -> _Window:
    """Without a layer, the order of the windows counts."""
    layer, index = (attributes.get(name, "") for name in ("layer", "index"))
    above = int(layer) if _ORDER.fullmatch(layer) else LONGEST - (int(index) if _ORDER.fullmatch(index) else 0)
    is_active, is_focused = (attributes.get(name, "true") == "true" for name in ("active", "focused"))
    return _Window(above, _box(attributes.get("bounds", "")), is_active, is_focused)


def _node(box: Box, attributes: Mapping[str, str], window: _Window) -> ViewNode:
    if (area := window.touchable) is not None:
        box = Box(
            max(box.left, area.left), max(box.top, area.top), min(box.right, area.right), min(box.bottom, area.bottom)
        )
    return ViewNode(
        box=box,
        class_name=attributes.get("class", ""),
        package=attributes.get("package", ""),
        text=attributes.get("text", ""),
        hint=attributes.get("hint", ""),
        description=attributes.get("content-desc", ""),
        clickable=attributes.get("clickable") == "true",
        focused=attributes.get("focused") == "true" and window.focused,
        password=attributes.get("password") == "true",
        resource_id=attributes.get("resource-id", ""),
        long_clickable=attributes.get("long-clickable") == "true",
        scrollable=attributes.get("scrollable") == "true",
        window=window.layer,
        active=window.active,
    )


def _box(bounds: str) -> Box | None:
    found = _BOUNDS.fullmatch(bounds)
    if found is None:
        return None
    left, top, right, bottom = map(int, found.groups())
    return Box(left, top, right, bottom)


def _clipped(box: Box, size: Size) -> Box:
    return Box(max(box.left, 0), max(box.top, 0), min(box.right, size.width), min(box.bottom, size.height))
