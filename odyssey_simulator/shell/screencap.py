"""`screencap`: captures the screen, raw or as PNG, with its warning on foldables."""

import asyncio
import io
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PIL import Image

from odyssey_simulator.faults import FrameFault
from odyssey_simulator.panels import shown_panels
from odyssey_simulator.phone import ComposedFrame
from odyssey_simulator.shell.program import Call, Programs

_HEADER = struct.Struct("<4I")
_FORMAT_RGBA_8888 = 1
_COLORSPACE_SRGB = 1
_PNG_LEVEL = 1

_WARNING = (
    "[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display"
    " found, however this default is not guaranteed to be consistent across captures. A display id should be"
    " specified.\n"
    "A display ID can be specified with the [-d display-id] option.\n"
    'See "dumpsys SurfaceFlinger --display-id" for valid display IDs.\n'
)
_USAGE = """usage: screencap [-hp] [-d display-id] [FILENAME]
   -h: this message
   -p: save the file as a png.
   -d: specify the physical display ID to capture
If FILENAME ends with .png it will be saved as a png.
If FILENAME is not given, the results will be printed to stdout."""


@dataclass(frozen=True, slots=True)
class _Order:
    wants_png: bool = False
    display_id: str | None = None
    path: str | None = None


async def _screencap(call: Call) -> int:
    order = _read_order(call.args)
    if order is None:
        return await call.fail(_USAGE)
    # Like SurfaceFlinger, this never waits for an app: the phone's own thread may be busy with what a finger does.
    found = shown_panels(call.guest.phone.profile, call.guest.phone.screen())
    if order.display_id is None and len(found) > 1:
        await call.stderr.write(_WARNING.encode())
    panel = next((panel for panel in found if order.display_id in {None, str(panel.physical_id)}), None)
    if panel is None:
        return await call.fail(f"Display Id '{order.display_id}' is not valid.")
    await asyncio.sleep(call.guest.faults.screencap_delay_s)
    fault = call.guest.faults.take_frame_fault()
    screen = call.guest.phone.screen()
    if not panel.lit:
        screen = _black(panel.size.width, panel.size.height)
    elif fault is FrameFault.BLACK:
        screen = _black(screen.width, screen.height)
    is_png = order.wants_png or (order.path or "").endswith(".png")
    parts = (await asyncio.to_thread(_png, screen),) if is_png else (_header(screen), screen.rgba)
    if order.path is None:
        await _send(call, parts, fault)
    else:
        call.guest.files.write(order.path, b"".join(parts))
    return 0


def _read_order(args: Sequence[str]) -> _Order | None:
    order = _Order()
    remaining = iter(args)
    for argument in remaining:
        if argument == "-p":
            order = replace(order, wants_png=True)
        elif argument == "-d":
            order = replace(order, display_id=next(remaining, ""))
        elif argument.startswith("-"):
            return None
        else:
            order = replace(order, path=argument)
    return order


async def _send(call: Call, parts: tuple[bytes, ...], fault: FrameFault | None) -> None:
    for part in parts:
        if fault in {FrameFault.CUT, FrameFault.DROP} and part is parts[-1]:
            await call.stdout.write(memoryview(part)[: len(part) // 2])
            if fault is FrameFault.DROP:
                call.guest.faults.break_connections()
        else:
            await call.stdout.write(part)


def _header(screen: ComposedFrame) -> bytes:
    return _HEADER.pack(screen.width, screen.height, _FORMAT_RGBA_8888, _COLORSPACE_SRGB)


def _png(screen: ComposedFrame) -> bytes:
    image = Image.frombuffer("RGBA", (screen.width, screen.height), screen.rgba, "raw", "RGBA", 0, 1)
    encoded = io.BytesIO()
    image.save(encoded, "png", compress_level=_PNG_LEVEL)
    return encoded.getvalue()


def _black(width: int, height: int) -> ComposedFrame:
    return ComposedFrame(0, width, height, b"\0\0\0\xff" * (width * height), 0)


PROGRAMS: Programs = {"screencap": _screencap}
