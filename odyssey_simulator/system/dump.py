"""Converts placed views to the nodes that an accessibility service reads."""

from odyssey_simulator.system.windows import Window
from odyssey_simulator.ui.controls import Checkable, TextField
from odyssey_simulator.ui.layout import ScrollView, scroll_range
from odyssey_simulator.ui.node import Node
from odyssey_simulator.ui.view import ViewBox


def node_of(window: Window) -> Node:
    return _node(window.box, window.package)


def _node(box: ViewBox, package: str) -> Node:
    view = box.view
    children = tuple(_node(child, package) for child in _worthwhile(box))
    focus = box.look.memory.focus
    is_field = isinstance(view, TextField)
    return Node(
        class_name=view.class_name,
        package=package,
        bounds=box.visible,
        text=view.words,
        hint=view.hint if isinstance(view, TextField) else "",
        content_desc=view.desc,
        resource_id=f"{package}:id/{view.key}" if isinstance(view, (TextField, ScrollView)) else view.id,
        clickable=view.on_tap is not None or is_field,
        long_clickable=view.on_long_press is not None or is_field,
        scrollable=isinstance(view, ScrollView) and scroll_range(box) > 0,
        checkable=isinstance(view, Checkable),
        checked=isinstance(view, Checkable) and view.checked,
        focusable=view.on_tap is not None or is_field,
        focused=isinstance(view, TextField) and focus is not None and focus.field == view.key,
        enabled=view.enabled,
        selected=view.selected,
        password=isinstance(view, TextField) and view.password,
        children=children,
    )


def _worthwhile(box: ViewBox) -> list[ViewBox]:
    found: list[ViewBox] = []
    for child in box.children:
        if child.visible.is_empty:
            continue
        view = child.view
        says = view.words or view.desc or view.on_tap or view.on_long_press
        if says or isinstance(view, (ScrollView, Checkable, TextField)):
            found.append(child)
        else:
            found.extend(_worthwhile(child))
    return found
