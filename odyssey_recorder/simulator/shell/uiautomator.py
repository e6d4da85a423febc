"""`uiautomator dump`: the views on the screen as XML, in the attributes and the order of Android's own dump."""

import asyncio
from xml.etree.ElementTree import Element, SubElement, tostring

from odyssey_recorder.simulator.phone import Node
from odyssey_recorder.simulator.shell.program import Call, Programs

_DEFAULT_PATH = "/sdcard/window_dump.xml"
_TERMINAL = "/dev/tty"
_PROLOGUE = b"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"


async def _uiautomator(call: Call) -> int:
    if call.args[:1] != ("dump",):
        return await call.fail("Usage: uiautomator dump [--verbose][file]")
    path = next((word for word in call.args[1:] if not word.startswith("-")), _DEFAULT_PATH)
    xml = await asyncio.to_thread(_dump, call)
    if path == _TERMINAL:
        await call.stdout.write(xml)
    else:
        try:
            call.guest.files.write(path, xml)
        except OSError:
            return await call.fail(f"java.io.FileNotFoundException: {path}: open failed: ENOENT")
    await call.print(f"UI hierchary dumped to: {path}")
    return 0


def _dump(call: Call) -> bytes:
    phone = call.guest.phone
    hierarchy = Element("hierarchy", rotation=str(phone.state().rotation))
    _add(hierarchy, phone.view_tree(), 0)
    return _PROLOGUE + tostring(hierarchy)


def _add(parent: Element, node: Node, index: int) -> None:
    box = node.bounds
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
        "bounds": f"[{box.left},{box.top}][{box.right},{box.bottom}]",
    }
    element = SubElement(parent, "node", attributes)
    for position, child in enumerate(node.children):
        _add(element, child, position)


def _printable(text: str) -> str:
    """XML has no way to write most control characters; Android puts a dot for each."""
    return "".join("." if ord(character) < 32 and character not in "\t\n\r" else character for character in text)


PROGRAMS: Programs = {"uiautomator": _uiautomator}
