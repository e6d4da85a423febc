"""`uiautomator dump`: the view hierarchy as XML, with the attributes and order of Android's own dump."""

import asyncio
import re
from xml.etree.ElementTree import Element, SubElement, tostring

from odyssey_simulator.faults import WindowsOption
from odyssey_simulator.phone import Node, Phone
from odyssey_simulator.shell.program import Call, Programs

_DEFAULT_PATH = "/sdcard/window_dump.xml"
_USAGE = "Usage: uiautomator dump [--verbose][--windows][file]"
_TERMINAL = "/dev/tty"
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufddf\ufffe\uffff]")
_PROLOGUE = b"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"


async def _uiautomator(call: Call) -> int:
    if call.args[:1] != ("dump",):
        return await call.fail(_USAGE)
    path = next((word for word in call.args[1:] if not word.startswith("-")), _DEFAULT_PATH)
    way = call.guest.faults.windows_option
    if "--windows" in call.args and way is WindowsOption.REFUSED:
        return await call.fail(_USAGE)
    dump = dump_windows if "--windows" in call.args and way is WindowsOption.KNOWN else dump_views
    xml = await asyncio.to_thread(dump, call.guest.phone)
    if path == _TERMINAL:
        await call.stdout.write(xml)
    else:
        try:
            call.guest.files.write(path, xml)
        except OSError:
            return await call.fail(f"java.io.FileNotFoundException: {path}: open failed: ENOENT")
    await call.print(f"UI hierchary dumped to: {path}")
    return 0


def dump_views(phone: Phone) -> bytes:
    hierarchy = Element("hierarchy", rotation=str(phone.state().rotation))
    _add(hierarchy, phone.view_hierarchy(), 0)
    return _PROLOGUE + tostring(hierarchy, "unicode").encode()


def dump_windows(phone: Phone) -> bytes:
    """The windows of the display, the topmost first, against the drawing order of views."""
    displays = Element("displays")
    display = SubElement(displays, "display", id="0")
    rotation, windows = str(phone.state().rotation), phone.windows()
    for index, window in enumerate(windows):
        attributes = {
            "index": str(index),
            "title": window.title,
            "bounds": _bounds(window.root),
            "active": "true" if window.active else "false",
            "type": window.kind,
            "layer": str(len(windows) - 1 - index),
            "focused": "true" if window.active else "false",
            "id": str(index + 20),
        }
        element = SubElement(display, "window", attributes)
        _add(SubElement(element, "hierarchy", rotation=rotation), window.root, 0)
    return _PROLOGUE + tostring(displays, "unicode").encode()


def _add(parent: Element, node: Node, index: int) -> None:
    flags = {
        "checkable": node.checkable,
        "checked": node.checked,
        "clickable": node.clickable,
        "enabled": node.enabled,
        "focusable": node.focusable,
        "focused": node.focused,
        "scrollable": node.scrollable,
        "long-clickable": node.long_clickable,
        "password": node.password,
        "selected": node.selected,
    }
    attributes = {
        "index": str(index),
        "text": _printable(node.text),
        "resource-id": node.resource_id,
        "class": node.class_name,
        "package": node.package,
        "content-desc": _printable(node.content_desc),
        **{name: "true" if value else "false" for name, value in flags.items()},
        "bounds": _bounds(node),
        "hint": _printable(node.hint),
    }
    element = SubElement(parent, "node", attributes)
    for position, child in enumerate(node.children):
        _add(element, child, position)


def _bounds(node: Node) -> str:
    box = node.bounds
    return f"[{box.left},{box.top}][{box.right},{box.bottom}]"


def _printable(text: str) -> str:
    """Android's tool writes a dot for each character that XML does not allow, or that it considers unsafe."""
    return _UNPRINTABLE.sub(".", text)


PROGRAMS: Programs = {"uiautomator": _uiautomator}
