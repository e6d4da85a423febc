"""`ime`: which keyboards there are (one) and which is chosen."""

import asyncio

from odyssey_recorder.simulator.shell.program import Call, Programs

KEYBOARD_ID = "com.android.inputmethod.latin/.LatinIME"
_SETTING = ("secure", "default_input_method")


async def _ime(call: Call) -> int:
    words = [word for word in call.args if word not in {"--user", "0"}]
    match words:
        case ["list", *options]:
            details = "" if "-s" in options else ":\n  mId=" + KEYBOARD_ID + " mIsDefaultResId=0x7f020000"
            await call.print(KEYBOARD_ID + details)
        case ["reset"]:
            await asyncio.to_thread(call.guest.phone.put_setting, *_SETTING, KEYBOARD_ID)
            await call.print("Reset current and enabled IMEs for user #0")
        case ["enable" | "disable" | "set", wanted] if wanted != KEYBOARD_ID:
            return await call.fail(f"Unknown input method {wanted} cannot be chosen for user #0", 255)
        case ["enable", _]:
            await call.print(f"Input method {KEYBOARD_ID}: already enabled for user #0")
        case ["disable", _]:
            return await call.fail(f"Input method {KEYBOARD_ID}: the only one, stays enabled for user #0", 255)
        case ["set", _]:
            await asyncio.to_thread(call.guest.phone.put_setting, *_SETTING, KEYBOARD_ID)
            await call.print(f"Input method {KEYBOARD_ID} selected for user #0")
        case _:
            return await call.fail("Unknown command: " + " ".join(call.args), 255)
    return 0


PROGRAMS: Programs = {"ime": _ime}
