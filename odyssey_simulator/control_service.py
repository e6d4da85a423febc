"""The calls of the emulator's gRPC service, and its authentication."""

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import grpc

from odyssey_simulator import __version__
from odyssey_simulator import control_messages as messages
from odyssey_simulator.control_access import Access, invalid_token
from odyssey_simulator.control_frames import FrameEncoder, UnsupportedImageError
from odyssey_simulator.errors import SimulatorError
from odyssey_simulator.guest import Guest
from odyssey_simulator.screen import ComposedFrame

EXPIRES_S = 120.0
_BENT_FROM = 0.75
"""A finger that does not move for this long is lifted when the next touch arrives."""

_SLOTS = range(10)


@dataclass(frozen=True, slots=True)
class _Contact:
    slot: int
    x: float
    y: float
    expires_s: float


class Fingers:
    """Maps callers' finger identifiers to touch slots; one thread at a time.

    While the device is folded, touches are scaled by the unfolded panel, as was measured on a real emulator, unless
    its build knows the outer one.
    """

    def __init__(self, guest: Guest, *, expires_s: float = EXPIRES_S) -> None:
        self._guest = guest
        self._expires_s = expires_s
        self._contacts: dict[int, _Contact] = {}

    def put(self, identifier: int, x: float, y: float, *, expires: bool = True) -> None:
        """In pixels of the unrotated panel; an eleventh finger is ignored."""
        self._lift_expired()
        known = self._contacts.get(identifier)
        slot = self._free_slot() if known is None else known.slot
        if slot is None:
            return
        end_s = time.monotonic() + self._expires_s if expires else math.inf
        self._contacts[identifier] = _Contact(slot, x, y, end_s)
        self._touch(self._contacts[identifier], pressed=True)

    def lift(self, identifier: int) -> None:
        """Where it is: Android ignores the position in the report that ends a contact."""
        self._lift_expired()
        known = self._contacts.pop(identifier, None)
        if known is not None:
            self._touch(known, pressed=False)

    def _free_slot(self) -> int | None:
        taken = {contact.slot for contact in self._contacts.values()}
        return next((slot for slot in _SLOTS if slot not in taken), None)

    def _lift_expired(self) -> None:
        """Only the next touch, of any finger, looks for expired ones."""
        for identifier, contact in list(self._contacts.items()):
            if contact.expires_s <= time.monotonic():
                del self._contacts[identifier]
                self._touch(contact, pressed=False)

    def _touch(self, contact: _Contact, *, pressed: bool) -> None:
        screen, faults = self._guest.phone.screen(), self._guest.faults.control
        panel = self._guest.phone.profile.size if screen.folded and not faults.knows_outer_panel else None
        height = (panel or screen.panel.turned(screen.rotation)).height
        x = contact.x + faults.bend_px if contact.y > height * _BENT_FROM else contact.x
        self._guest.window_touch(x, contact.y, pressed=pressed, slot=contact.slot, panel=panel)


_CODES: Mapping[str, int] = {
    "AppSwitch": 0x244,
    "ArrowDown": 0x6C,
    "ArrowLeft": 0x69,
    "ArrowRight": 0x6A,
    "ArrowUp": 0x67,
    "AudioVolumeDown": 0x72,
    "AudioVolumeUp": 0x73,
    "Backspace": 0x0E,
    "Copy": 0x85,
    "Cut": 0x89,
    "Delete": 0x6F,
    "Enter": 0x1C,
    "Escape": 0x01,
    "GoBack": 0x9E,
    "GoHome": 0x66,
    "Menu": 0x8B,
    "Paste": 0x87,
    "Power": 0x74,
    "Tab": 0x0F,
}


_SERVICE = f"{messages.PACKAGE}.EmulatorController"
_OUTER_DISPLAY = 6
_KEYBOARD_BUFFER = 1024
_STROKES = {messages.EventType.KEYDOWN: (1,), messages.EventType.KEYUP: (0,), messages.EventType.KEYPRESS: (1, 0)}
_Answer = Callable[[Any, grpc.ServicerContext], Any]


class ControlService:
    """Runs on the server's threads; `access` decides who may call what, once when a call begins.

    `active_s` is when the last message came or went, by `clock`.
    """

    def __init__(self, guest: Guest, access: Access, clock: Callable[[], float]) -> None:
        self._access = access
        self._clock = clock
        self.active_s = clock()
        self._guest = guest
        self._frames = FrameEncoder()
        self._fingers = Fingers(guest)
        self._injecting = ThreadPoolExecutor(1, thread_name_prefix="touches")
        self._started_s = time.monotonic()
        self._changed = threading.Condition()
        self._stop_listening = guest.phone.on_frame(self.wake)

    def close(self) -> None:
        self._stop_listening()
        self._injecting.shutdown()

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def handlers(self) -> grpc.GenericRpcHandler:
        unary = {
            "getStatus": (self._get_status, messages.Nothing),
            "getScreenshot": (self._get_screenshot, messages.ImageFormat),
            "sendTouch": (self._send_touch, messages.TouchEvent),
            "sendKey": (self._send_key, messages.KeyboardEvent),
            "getClipboard": (self._get_clipboard, messages.Nothing),
            "setClipboard": (self._set_clipboard, messages.ClipData),
            "setPosture": (self._set_posture, messages.Posture),
        }
        table = {
            name: grpc.unary_unary_rpc_method_handler(
                self._guarded(name, answer), request_deserializer=request.FromString, response_serializer=_serialized
            )
            for name, (answer, request) in unary.items()
        }
        table["streamScreenshot"] = grpc.unary_stream_rpc_method_handler(
            self._stream_screenshot,
            request_deserializer=messages.ImageFormat.FromString,
            response_serializer=_serialized,
        )
        return grpc.method_handlers_generic_handler(_SERVICE, table)

    # Authentication and waiting ---------------------------------------------------------------------------------

    def _guarded(self, name: str, answer: _Answer) -> _Answer:
        def guarded(request: Any, context: grpc.ServicerContext) -> Any:
            self._admit(name, context)
            try:
                return answer(request, context)
            except ValueError as error:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
            except SimulatorError as error:
                context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))

        return guarded

    def _admit(self, name: str, context: grpc.ServicerContext) -> None:
        context.add_callback(self.wake)
        self._wait(context, lambda: not self._guest.faults.frozen)
        left_s = context.time_remaining()
        if not context.is_active() or (left_s is not None and left_s <= 0):
            context.abort(grpc.StatusCode.CANCELLED, "The caller has gone.")
        header = dict(context.invocation_metadata()).get("authorization")
        shown = header.decode() if isinstance(header, bytes) else header
        refusal = self._access.refusal(f"/{_SERVICE}/{name}", shown)
        if self._guest.faults.control.refuses:
            refusal = invalid_token(shown)
        if refusal is not None:
            context.abort(*refusal)
        self.active_s = self._clock()

    def _wait(self, context: grpc.ServicerContext, ready: Callable[[], bool], timeout_s: float | None = None) -> None:
        with self._changed:
            self._changed.wait_for(lambda: ready() or not context.is_active(), timeout_s)

    # Images -----------------------------------------------------------------------------------------------------

    def _get_screenshot(self, request: Any, _: grpc.ServicerContext) -> Any:
        return self._image(request, self._guest.phone.screen(), 0)

    def _stream_screenshot(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        self._admit("streamScreenshot", context)
        first, drops = self._guest.phone.screen().number, self._guest.faults.control.drops
        shown = -1
        while (screen := self._next_screen(context, shown, drops)) is not None:
            try:
                image = self._image(request, screen, screen.number - first)
            except UnsupportedImageError as error:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
            except SimulatorError as error:
                context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
            yield image
            self.active_s = self._clock()
            shown = screen.number
        context.abort(grpc.StatusCode.UNAVAILABLE, "The stream was dropped.")

    def _next_screen(self, context: grpc.ServicerContext, shown: int, drops: int) -> ComposedFrame | None:
        """Blocks until a screen differs from `shown`; None at the end of the stream."""
        faults, phone = self._guest.faults, self._guest.phone

        def is_dropped() -> bool:
            return faults.control.drops != drops

        def flows() -> bool:
            return is_dropped() or not (faults.frozen or faults.control.stalled)

        self._wait(context, lambda: flows() and (is_dropped() or phone.screen().number != shown))
        screen = phone.screen()
        self._wait(context, is_dropped, screen.shown_ns / 1e9 + faults.control.frame_delay_s - time.monotonic())
        self._wait(context, flows)
        return screen if context.is_active() and not is_dropped() else None

    def _image(self, request: Any, screen: ComposedFrame, seq: int) -> Any:
        if not _is_lit(request.display, screen):
            raise UnsupportedImageError(f"There is no display {request.display}.")
        if request.transport.channel == messages.Channel.MMAP and not request.width * request.height:
            self._guest.faults.crash()
            raise SimulatorError("An empty map has no pixels to write to.")
        return self._frames.image(request, screen, seq, self._guest.faults.control.frame_turns)

    # Input ----------------------------------------------------------------------------------------------------

    def _send_touch(self, request: Any, _: grpc.ServicerContext) -> Any:
        """Answers before the touches are injected, which happens in their order."""
        if _is_lit(request.display, self._guest.phone.screen()):
            for touch in request.touches:
                self._injecting.submit(self._inject, touch)
        return messages.Nothing()

    def _inject(self, touch: Any) -> None:
        # The phone may have been stopped meanwhile.
        with suppress(SimulatorError):
            if touch.pressure > 0:
                expires = touch.expiration != messages.Expiration.NEVER_EXPIRE
                self._fingers.put(touch.identifier, touch.x, touch.y, expires=expires)
            else:
                self._fingers.lift(touch.identifier)

    def wait_for_touches(self) -> None:
        """Return when everything sent so far has been injected."""
        self._injecting.submit(int).result()

    def _send_key(self, request: Any, _: grpc.ServicerContext) -> Any:
        strokes = _STROKES.get(request.eventType, ())
        if request.text:
            self._type(request.text)
        elif request.keyCode:
            self._press(request.keyCode if request.codeType == messages.CodeType.EVDEV else None, strokes)
        elif len(request.key) == 1 and 1 in strokes:
            self._type(request.key)
        else:
            self._press(_CODES.get(request.key), strokes)
        return messages.Nothing()

    def _type(self, text: str) -> None:
        typed = (character for character in text[:_KEYBOARD_BUFFER] if character.isascii())
        self._guest.window_text(
            "".join(character for character in typed if character in "\n\t" or character.isprintable())
        )

    def _press(self, code: int | None, strokes: tuple[int, ...]) -> None:
        if code in self._guest.nodes.keyboard.capabilities.keys:
            for value in strokes:
                self._guest.report_key(code, value)

    # The device -----------------------------------------------------------------------------------------------

    def _get_status(self, _: Any, __: grpc.ServicerContext) -> Any:
        profile = self._guest.phone.profile
        status = messages.EmulatorStatus(
            version=f"{__version__} (simulated)", uptime=int((time.monotonic() - self._started_s) * 1000), booted=True
        )
        hardware = {
            "hw.lcd.width": profile.size.width,
            "hw.lcd.height": profile.size.height,
            "hw.lcd.density": profile.density,
            "hw.keyboard": str(profile.keyboard).lower(),
            "avd.name": self._guest.avd_name,
        }
        for key, value in hardware.items():
            status.hardwareConfig.entry.add(key=key, value=str(value))
        return status

    def _get_clipboard(self, _: Any, __: grpc.ServicerContext) -> Any:
        return messages.ClipData(text=self._guest.phone.host_clipboard())

    def _set_clipboard(self, request: Any, _: grpc.ServicerContext) -> Any:
        self._guest.phone.set_clipboard(request.text)
        return messages.Nothing()

    def _set_posture(self, request: Any, _: grpc.ServicerContext) -> Any:
        self._guest.phone.set_posture(messages.PostureValue(request.value).name)
        return messages.Nothing()


def _is_lit(display: int, screen: ComposedFrame) -> bool:
    return display == 0 or (display == _OUTER_DISPLAY and screen.folded)


def _serialized(message: Any) -> bytes:
    serialized: bytes = message.SerializeToString()
    return serialized
