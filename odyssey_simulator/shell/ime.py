"""`ime`: lists, enables and selects keyboards."""

import asyncio

from odyssey_simulator.shell.program import Call, Programs
from odyssey_simulator.system.input_methods import SOFT_KEYBOARD, InputMethods


async def _ime(call: Call) -> int:
    arguments = [argument for argument in call.args if argument not in {"--user", "0"}]
    match arguments:
        case ["list", *options]:
            return await _list(call, everything="-a" in options, briefly="-s" in options)
        case ["reset"]:
            await asyncio.to_thread(call.guest.phone.with_input_methods, InputMethods.reset)
            await call.print("Reset current and enabled IMEs for user #0")
            await call.print(f"  Newly selected IME: {SOFT_KEYBOARD}\n  Newly enabled IMEs:\n    {SOFT_KEYBOARD}")
        case ["enable", method]:
            return await _enable(call, method)
        case ["disable", method]:
            was = await asyncio.to_thread(call.guest.phone.with_input_methods, lambda known: known.disable(method))
            await call.print(f"Input method {method}: {'now' if was else 'already'} disabled for user #0")
        case ["set", method]:
            return await _set(call, method)
        case _:
            return await call.fail("Unknown command: " + " ".join(call.args), 255)
    return 0


async def _list(call: Call, *, everything: bool, briefly: bool) -> int:
    if call.guest.faults.keyboards.refuses_list:
        what = "getInputMethodList" if everything else "getEnabledInputMethodList"
        return await call.fail(
            f"java.lang.SecurityException: Permission Denial: {what}() requires INTERACT_ACROSS_USERS", 255
        )
    for method in await asyncio.to_thread(lambda: call.guest.phone.input_methods(installed=everything)):
        await call.print(method if briefly else f"{method}:\n  mId={method} mIsDefaultResId=0x7f020000")
    return 0


async def _enable(call: Call, method: str) -> int:
    keyboards = call.guest.faults.keyboards
    try:
        if keyboards.slow_attempts:
            keyboards.slow_attempts -= 1
            raise LookupError(method)
        was = await asyncio.to_thread(call.guest.phone.with_input_methods, lambda known: known.enable(method))
    except LookupError:
        return await call.fail(f"Unknown input method {method} cannot be enabled for user #0", 255)
    await call.print(f"Input method {method}: {'already' if was else 'now'} enabled for user #0")
    return 0


async def _set(call: Call, method: str) -> int:
    is_sticky = call.guest.faults.keyboards.sticky
    try:
        await asyncio.to_thread(
            call.guest.phone.with_input_methods, lambda known: known.choose(method, is_sticky=is_sticky)
        )
    except LookupError:
        return await call.fail(f"Unknown input method {method} cannot be selected for user #0", 255)
    await call.print(f"Input method {method} selected for user #0")
    return 0


PROGRAMS: Programs = {"ime": _ime}
