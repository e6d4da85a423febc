"""`wm`, `settings` and `cmd`: sizes, densities, rotation, postures, overlays, and settings by name."""

import asyncio
import re
from collections.abc import Sequence

from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import Posture
from odyssey_simulator.shell import input as input_program
from odyssey_simulator.shell import packages
from odyssey_simulator.shell.program import Call, Program, Programs
from odyssey_simulator.shell.properties import TIME_ZONE

_NAMESPACES = ("system", "secure", "global")
_SIZE = re.compile(r"([1-9][0-9]{2,3})x([1-9][0-9]{2,3})")
_DENSITY = re.compile(r"[0-9]{2,4}")
_DENSITIES = range(72, 1001)
_NAVIGATION_MODE = ("secure", "navigation_mode")
_NAVIGATION_BARS = {
    "com.android.internal.systemui.navbar.threebutton": "0",
    "com.android.internal.systemui.navbar.gestural": "2",
}


async def _wm(call: Call) -> int:
    phone = call.guest.phone
    match call.args:
        case ["size"]:
            state = await asyncio.to_thread(phone.state)
            await call.print(f"Physical size: {state.physical_size.width}x{state.physical_size.height}")
            if state.natural_size != state.physical_size:
                await call.print(f"Override size: {state.natural_size.width}x{state.natural_size.height}")
        case ["size", "reset"]:
            await asyncio.to_thread(phone.reset_size)
        case ["size", wanted] if size := _SIZE.fullmatch(wanted):
            await asyncio.to_thread(phone.override_size, int(size[1]), int(size[2]))
        case ["size", *_]:
            return await call.fail("Error: a size must be 100x100 to 9999x9999, or reset", 255)
        case ["density", *rest]:
            return await _wm_density(call, rest)
        case ["user-rotation"]:
            rotation = (await asyncio.to_thread(phone.state)).rotation
            await call.print("free" if rotation == 0 else f"lock {rotation}")
        case ["user-rotation", "lock", rotation] if rotation in {"0", "1", "2", "3"}:
            await asyncio.to_thread(phone.lock_rotation, int(rotation))
        case ["user-rotation", "free"]:
            await asyncio.to_thread(phone.put_setting, "system", "accelerometer_rotation", "1")
        case _:
            return await call.fail(f"Unknown command: {' '.join(call.args)}", 255)
    return 0


async def _wm_density(call: Call, args: Sequence[str]) -> int:
    phone = call.guest.phone
    match args:
        case []:
            physical, current = phone.profile.density, (await asyncio.to_thread(phone.state)).density
            await call.print(f"Physical density: {physical}")
            if current != physical:
                await call.print(f"Override density: {current}")
        case ["reset"]:
            await asyncio.to_thread(phone.override_density, None)
        case [digits] if _DENSITY.fullmatch(digits) and int(digits) in _DENSITIES:
            await asyncio.to_thread(phone.override_density, int(digits))
        case _:
            return await call.fail(f"Error: density must be {_DENSITIES[0]} to {_DENSITIES[-1]}, or reset", 255)
    return 0


async def _settings(call: Call) -> int:
    arguments = list(call.args)
    if arguments[:1] == ["--user"]:
        del arguments[:2]
    phone = call.guest.phone
    match arguments:
        case ["get", namespace, key] if namespace in _NAMESPACES:
            value = await asyncio.to_thread(phone.get_setting, namespace, key)
            await call.print("null" if value is None else value)
        case ["put", namespace, key, value, *_] if namespace in _NAMESPACES:
            await asyncio.to_thread(phone.put_setting, namespace, key, value)
        case ["list", namespace] if namespace in _NAMESPACES:
            for key, value in (await asyncio.to_thread(phone.settings, namespace)).items():
                await call.print(f"{key}={value}")
        case ["delete", namespace, key] if namespace in _NAMESPACES:
            deleted = await asyncio.to_thread(phone.delete_setting, namespace, key)
            await call.print(f"Deleted {int(deleted)} rows")
        case _:
            usage = "settings get|put|delete|list system|secure|global [KEY [VALUE]]"
            return await call.fail(f"Invalid arguments: {usage}", 255)
    return 0


async def _cmd(call: Call) -> int:
    if not call.args:
        return await call.fail("cmd: No service specified; use -l to list all services", 20)
    service, *arguments = call.args
    if service == "-l":
        await call.print("Currently running services:\n" + "\n".join(f"  {name}" for name in sorted(_SERVICES)))
        return 0
    if service == "clipboard":
        return await call.fail("No shell command implementation.", 255)
    program = _SERVICES.get(service)
    if program is None:
        return await call.fail(f"cmd: Can't find service: {service}", 20)
    return await program(Call(service, tuple(arguments), call.guest, call.stdin, call.stdout, call.stderr))


async def _device_state(call: Call) -> int:
    if call.guest.phone.profile.is_android_9:
        return await call.fail("cmd: Can't find service: device_state", 20)
    phone = call.guest.phone
    postures = phone.profile.postures
    current = (await asyncio.to_thread(phone.state)).posture
    if current is None:
        return await call.fail("Device state is not supported on this device.", 255)
    match call.args:
        case ["print-states"]:
            lines = [f"  {_described(posture)}," for posture in postures]
            await call.print("\n".join(["Supported states: [", *lines, "]"]))
        case ["print-states-simple"]:
            await call.print(",".join(str(posture.id) for posture in postures))
        case ["print-state"]:
            await call.print(str(current.id))
        case ["state"]:
            await call.print(f"Committed state: {_described(current)}\nBase state: {_described(current)}")
        case ["state", "reset"]:
            return await _hold(call, phone, phone.profile.first_posture)
        case ["state", wanted]:
            posture = next((posture for posture in postures if wanted in {str(posture.id), posture.name}), None)
            return await _hold(call, phone, posture)
        case _:
            return await call.fail(f"Unknown command: {' '.join(call.args)}", 255)
    return 0


async def _hold(call: Call, phone: Phone, posture: Posture | None) -> int:
    if posture is None:
        return await call.fail("Error: the requested state is not supported", 255)
    await asyncio.to_thread(phone.set_posture, posture.name)
    return 0


def _described(posture: Posture) -> str:
    return f"DeviceState{{identifier={posture.id}, name='{posture.name}', app_accessible=true}}"


async def _overlay(call: Call) -> int:
    match call.args:
        case ["list", *_]:
            mode = await asyncio.to_thread(call.guest.phone.get_setting, *_NAVIGATION_MODE)
            lines = [f"[{'x' if mode == own else ' '}] {name}" for name, own in _NAVIGATION_BARS.items()]
            await call.print("\n".join(["com.android.systemui", *lines]))
        case ["enable" | "enable-exclusive", *options]:
            mode = _NAVIGATION_BARS.get(options[-1] if options else "")
            if mode is None:
                return await call.fail("Error: the simulated emulator knows " + " and ".join(_NAVIGATION_BARS))
            await asyncio.to_thread(call.guest.phone.put_setting, *_NAVIGATION_MODE, mode)
        case _:
            return await call.fail(f"Unknown command: {' '.join(call.args)}", 255)
    return 0


async def _alarm(call: Call) -> int:
    match call.args:
        case ["set-timezone", zone]:
            await asyncio.to_thread(call.guest.phone.put_setting, *TIME_ZONE, zone)
        case _:
            return await call.fail(f"Unknown command: {' '.join(call.args)}", 255)
    return 0


_SERVICES: dict[str, Program] = {
    "activity": packages.PROGRAMS["am"],
    "alarm": _alarm,
    "device_state": _device_state,
    "input": input_program.PROGRAMS["input"],
    "overlay": _overlay,
    "package": packages.PROGRAMS["pm"],
    "settings": _settings,
    "window": _wm,
}
PROGRAMS: Programs = {"wm": _wm, "settings": _settings, "cmd": _cmd}
