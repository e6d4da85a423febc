"""`input`: touches, keys and text that are injected above the kernel, so that `getevent` never sees them."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

from odyssey_simulator.phone import TouchPhase
from odyssey_simulator.shell.program import Call, Programs

# Runs of consecutive codes: the first code, then the names in order.
_RUNS = {
    0: (
        "UNKNOWN SOFT_LEFT SOFT_RIGHT HOME BACK CALL ENDCALL 0 1 2 3 4 5 6 7 8 9 STAR POUND DPAD_UP DPAD_DOWN"
        " DPAD_LEFT DPAD_RIGHT DPAD_CENTER VOLUME_UP VOLUME_DOWN POWER CAMERA CLEAR A B C D E F G H I J K L M N"
        " O P Q R S T U V W X Y Z COMMA PERIOD ALT_LEFT ALT_RIGHT SHIFT_LEFT SHIFT_RIGHT TAB SPACE SYM EXPLORER"
        " ENVELOPE ENTER DEL GRAVE MINUS EQUALS LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH"
        " AT NUM HEADSETHOOK FOCUS PLUS MENU NOTIFICATION SEARCH MEDIA_PLAY_PAUSE MEDIA_STOP MEDIA_NEXT"
        " MEDIA_PREVIOUS MEDIA_REWIND MEDIA_FAST_FORWARD MUTE PAGE_UP PAGE_DOWN"
    ),
    111: (
        "ESCAPE FORWARD_DEL CTRL_LEFT CTRL_RIGHT CAPS_LOCK SCROLL_LOCK META_LEFT META_RIGHT FUNCTION SYSRQ"
        " BREAK MOVE_HOME MOVE_END INSERT FORWARD MEDIA_PLAY MEDIA_PAUSE MEDIA_CLOSE MEDIA_EJECT MEDIA_RECORD F1 F2"
        " F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 NUM_LOCK NUMPAD_0 NUMPAD_1 NUMPAD_2 NUMPAD_3 NUMPAD_4 NUMPAD_5"
        " NUMPAD_6 NUMPAD_7 NUMPAD_8 NUMPAD_9 NUMPAD_DIVIDE NUMPAD_MULTIPLY NUMPAD_SUBTRACT NUMPAD_ADD NUMPAD_DOT"
        " NUMPAD_COMMA NUMPAD_ENTER NUMPAD_EQUALS NUMPAD_LEFT_PAREN NUMPAD_RIGHT_PAREN VOLUME_MUTE INFO"
        " CHANNEL_UP CHANNEL_DOWN ZOOM_IN ZOOM_OUT"
    ),
    176: "SETTINGS",
    187: "APP_SWITCH",
    204: "LANGUAGE_SWITCH",
    207: "CONTACTS CALENDAR MUSIC CALCULATOR",
    219: "ASSIST BRIGHTNESS_DOWN BRIGHTNESS_UP",
    223: "SLEEP WAKEUP",
    277: "CUT COPY PASTE",
    284: "ALL_APPS REFRESH",
}
_CODES = {name: first + offset for first, names in _RUNS.items() for offset, name in enumerate(names.split())}
_LARGEST = 320


def key_code(argument: str) -> int | None:
    """The code of `KEYCODE_HOME`, `HOME` or `3`; None for an unknown key."""
    if argument.isdecimal():
        return int(argument) if int(argument) <= _LARGEST else None
    return _CODES.get(argument.upper().removeprefix("KEYCODE_"))


_SOURCES = frozenset(
    (
        *("dpad", "keyboard", "mouse", "touchpad", "gamepad", "touchnavigation", "joystick", "touchscreen"),
        *("stylus", "trackball", "rotaryencoder"),
    )
)
_SWIPE_MS = 300
_LONG_PRESS_S = 0.5
_MOVE_EVERY_S = 0.008
_USAGE = """Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]

The sources are:
      {sources}

-d: specify the display ID.
      (Default: -1 for key event, 0 for motion event if not specified.)
The commands and default sources are:
      text <string> (Default: touchscreen)
      keyevent [--longpress|--doubletap|--async|--delay <duration between keycodes in ms>]
            <key code number or name> ... (Default: keyboard)
      tap <x> <y> (Default: touchscreen)
      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      press (Default: trackball)
      roll <dx> <dy> (Default: trackball)
      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)
      keycombination [-t duration(ms)] <key code 1> <key code 2> ... (Default: keyboard)""".format(
    sources=" \n      ".join(sorted(_SOURCES))
)
_REFUSED = (
    "java.lang.SecurityException: Injecting input events requires the caller (or the source of the"
    " instrumentation, if any) to have the INJECT_EVENTS permission."
)
_UNTYPABLE = (
    "java.lang.NullPointerException: Attempt to get length of null array\n"
    "\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:321)\n"
    "\tat com.android.server.input.InputShellCommand.onCommand(InputShellCommand.java:176)"
)


class InputError(ValueError):
    """The text is the device's message."""


_Subcommand = Callable[[Call, Sequence[str]], Awaitable[None]]


async def _input(call: Call) -> int:
    arguments = list(call.args)
    if arguments and arguments[0] in _SOURCES:
        arguments.pop(0)
    if len(arguments) >= 2 and arguments[0] == "-d":
        del arguments[:2]
    subcommand = _SUBCOMMANDS.get(arguments[0]) if arguments else None
    if subcommand is None:
        message = f"Error: Unknown command: {arguments[0]}\n{_USAGE}" if arguments else _USAGE
        return await call.fail(message, 255)
    try:
        if call.guest.faults.refuses_input and call.guest.faults.refusal_code == 0:
            await call.print(
                "java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS permission"
            )
            return 0
        if call.guest.faults.refuses_input:
            raise InputError(_REFUSED)
        await subcommand(call, arguments[1:])
    except InputError as error:
        return await call.fail(f"\nException occurred while executing '{arguments[0]}':\n{error}", 255)
    return 0


async def _touch(call: Call, phase: TouchPhase, x: float, y: float) -> None:
    await asyncio.to_thread(call.guest.phone.touch, phase, x, y)


async def _tap(call: Call, arguments: Sequence[str]) -> None:
    x, y = _numbers(arguments, 2)

    def tap() -> None:  # in one call: Android completes it even if the caller disconnects
        call.guest.phone.touch(TouchPhase.DOWN, x, y)
        call.guest.phone.touch(TouchPhase.UP, x, y)

    await asyncio.to_thread(tap)


async def _swipe(call: Call, arguments: Sequence[str]) -> None:
    await _drag(call, arguments, hold_s=0.0)


async def _drag_and_drop(call: Call, arguments: Sequence[str]) -> None:
    await _drag(call, arguments, hold_s=_LONG_PRESS_S)


async def _drag(call: Call, arguments: Sequence[str], *, hold_s: float) -> None:
    x1, y1, x2, y2, *durations = _numbers(arguments, 4, optional=1)
    duration_s = (durations[0] if durations and durations[0] >= 0 else _SWIPE_MS) / 1000
    await _touch(call, TouchPhase.DOWN, x1, y1)
    await asyncio.sleep(hold_s)
    begin = time.monotonic()
    while (elapsed := time.monotonic() - begin) < duration_s:
        done = elapsed / duration_s
        await _touch(call, TouchPhase.MOVE, x1 + (x2 - x1) * done, y1 + (y2 - y1) * done)
        left_s = duration_s - (time.monotonic() - begin)
        await asyncio.sleep(max(0.0, min(_MOVE_EVERY_S, left_s)))
    await _touch(call, TouchPhase.UP, x2, y2)


async def _motion_event(call: Call, arguments: Sequence[str]) -> None:
    phases = {phase.name: phase for phase in TouchPhase}
    if not arguments or arguments[0].upper() not in phases:
        raise InputError("java.lang.IllegalArgumentException: Unknown action: " + " ".join(arguments[:1]))
    x, y = _numbers(arguments[1:], 2)
    await _touch(call, phases[arguments[0].upper()], x, y)


async def _key_event(call: Call, arguments: Sequence[str]) -> None:
    options = [argument for argument in arguments if argument.startswith("--")]
    names = [argument for argument in arguments if not argument.startswith("--")]
    delay_s = 0.0
    if "--delay" in options:
        delay_s = _numbers(names[:1], 1)[0] / 1000
        names = names[1:]
    if "--doubletap" in options:
        names = [name for name in names for _ in range(2)]
    codes = [_code(name) for name in names]
    for code in codes:
        await asyncio.to_thread(call.guest.phone.press_key, code, long_press="--longpress" in options)
        await asyncio.sleep(delay_s)


async def _key_combination(call: Call, arguments: Sequence[str]) -> None:
    names = arguments[2:] if arguments[:1] == ["-t"] else arguments
    if len(names) < 2:
        raise InputError("java.lang.IllegalArgumentException: keycombination requires at least 2 keycodes")
    await _key_event(call, names)


async def _text(call: Call, arguments: Sequence[str]) -> None:
    if not arguments:
        raise InputError('java.lang.IllegalArgumentException: Argument expected after "text"')
    text = arguments[0].replace("%s", " ")
    if not text.isascii():
        raise InputError(_UNTYPABLE)
    await asyncio.to_thread(call.guest.phone.type_text, text)


async def _trackball(call: Call, arguments: Sequence[str]) -> None:
    """Nothing on a phone reacts to a trackball; the arguments are still parsed."""
    _numbers(arguments, 0, optional=2)


def _numbers(arguments: Sequence[str], count: int, *, optional: int = 0) -> list[float]:
    if not count <= len(arguments) <= count + optional:
        raise InputError(
            f"java.lang.IllegalArgumentException: Invalid arguments: {count} expected, {len(arguments)} given"
        )
    try:
        return [float(argument) for argument in arguments]
    except ValueError as error:
        raise InputError(f'java.lang.NumberFormatException: For input string: "{" ".join(arguments)}"') from error


def _code(argument: str) -> int:
    code = key_code(argument)
    if code is None:
        raise InputError(f"java.lang.IllegalArgumentException: Unknown keycode: {argument}")
    return code


_SUBCOMMANDS: dict[str, _Subcommand] = {
    "tap": _tap,
    "swipe": _swipe,
    "draganddrop": _drag_and_drop,
    "motionevent": _motion_event,
    "keyevent": _key_event,
    "keycombination": _key_combination,
    "text": _text,
    "press": _trackball,
    "roll": _trackball,
}
PROGRAMS: Programs = {"input": _input}
