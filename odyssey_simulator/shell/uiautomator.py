"""`uiautomator dump`: the view hierarchy as XML, with the attributes and order of Android's own dump."""

import asyncio
import re
from dataclasses import replace
from functools import partial
from xml.etree.ElementTree import Element, SubElement, tostring

from odyssey_simulator.faults import WindowsOption
from odyssey_simulator.phone import Node, Phone
from odyssey_simulator.shell.program import Call, Programs
from odyssey_simulator.ui_automation import AlreadyConnectedError

_DEFAULT_PATH = "/sdcard/window_dump.xml"
_USAGE = "Usage: uiautomator dump [--verbose][--windows][file]"
_TERMINAL = "/dev/tty"
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufddf\ufffe\uffff]")
_PROLOGUE = b"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"


_ALREADY_CONNECTED = (
    "java.lang.IllegalStateException: UiAutomationService "
    "android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@f18df39already registered!\n"
    "\tat android.os.Parcel.readException(Parcel.java:1628)"
)
_NULL_ROOT = "ERROR: null root node returned by UiTestAutomationBridge."


async def _uiautomator(call: Call) -> int:
    if call.args[:1] != ("dump",):
        return await call.fail(_USAGE)
    automation, faults = call.guest.automation, call.guest.faults
    if "--windows" in call.args and faults.windows_option is WindowsOption.REFUSED:
        return await call.fail(_USAGE)
    await asyncio.sleep(automation.timing.start_s)
    try:
        with automation.connected(elsewhere=faults.automation_is_taken):
            if not await automation.timing.rests(lambda: call.guest.phone.screen().shown_ns):
                return await call.fail("ERROR: could not get idle state.", 0)
            if faults.hides_root and "--compressed" not in call.args:
                return await call.fail(_NULL_ROOT, 0)
            return await _dump(call)
    except AlreadyConnectedError:
        return await call.fail(_ALREADY_CONNECTED)


async def _dump(call: Call) -> int:
    path = next((word for word in call.args[1:] if not word.startswith("-")), _DEFAULT_PATH)
    knows_windows = (
        call.guest.faults.windows_option is WindowsOption.KNOWN and not call.guest.phone.profile.is_android_9
    )
    has_windows = "--windows" in call.args and knows_windows
    dump = dump_windows if has_windows else partial(dump_views, compressed="--compressed" in call.args)
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


def dump_views(phone: Phone, *, compressed: bool = False) -> bytes:
    hierarchy = Element("hierarchy", rotation=str(phone.state().rotation))
    root = phone.view_hierarchy()
    _add(hierarchy, compressed_tree(root) if compressed else root, 0)
    if phone.profile.is_android_9:  # which does not know hints, and shows them as texts
        for element in hierarchy.iter("node"):
            del element.attrib["hint"]
    return _PROLOGUE + tostring(hierarchy, "unicode").encode()


def compressed_tree(node: Node) -> Node:
    """Without the views that only hold others."""
    children: list[Node] = []
    for child in map(compressed_tree, node.children):
        says = child.text or child.content_desc or child.hint
        acts = child.clickable or child.long_clickable or child.scrollable or child.checkable or child.focusable
        children += [child] if says or acts else child.children
    return replace(node, children=tuple(children))


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
