"""`pm`, `am` and `monkey`: lists, starts and stops apps from the shell."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from odyssey_simulator.phone import PackageInfo
from odyssey_simulator.shell import tasks
from odyssey_simulator.shell.program import Call, Programs
from odyssey_simulator.shell.tasks import short_component
from odyssey_simulator.system.input_methods import ADB_KEYBOARD

_MONKEY_FOUND_NOTHING = 252
_ADB_KEYBOARD_PACKAGE = ADB_KEYBOARD.partition("/")[0]


def _apk(info: PackageInfo) -> str:
    name = info.package.rpartition(".")[2]
    return f"/system/app/{name}/{name}.apk" if info.system else f"/data/app/~~sim==/{info.package}-1/base.apk"


async def _installed(call: Call) -> list[PackageInfo]:
    phone = call.guest.phone
    found = list(await asyncio.to_thread(phone.packages))
    if ADB_KEYBOARD in await asyncio.to_thread(lambda: phone.input_methods(installed=True)):
        found.append(PackageInfo(_ADB_KEYBOARD_PACKAGE, ADB_KEYBOARD, "ADB Keyboard", system=False))
    return sorted(found, key=lambda info: info.package)


async def _pm(call: Call) -> int:
    match call.args:
        case ["list", "packages", *options]:
            return await _list_packages(call, options)
        case ["path", package]:
            found = [info for info in await _installed(call) if info.package == package]
            for info in found:
                await call.print(f"package:{_apk(info)}")
            return 0 if found else 1
        case ["resolve-activity", *_, package] if "--brief" in call.args:
            return await _resolve_activity(call, package)
        case ["clear", *_, package]:
            try:
                await asyncio.to_thread(call.guest.phone.clear_data, package)
            except LookupError:
                return await call.fail("Failed")
            await call.print("Success")
            return 0
        case ["list", "users"]:
            await call.print("Users:\n\tUserInfo{0:Owner:4c13} running")
            return 0
        case ["install-existing", *_, package] | ["uninstall", *_, package] if package == _ADB_KEYBOARD_PACKAGE:
            return await _turn_adb_keyboard(call, install=call.args[0] == "install-existing")
        case ["install-existing" | "install" | "uninstall" | "install-create", *_]:
            return await call.fail("Failure [the simulated emulator's apps are fixed]")
        case _:
            return await call.fail(f"Unknown command: {' '.join(call.args)}", 255)


async def _list_packages(call: Call, options: Sequence[str]) -> int:
    wanted = next((argument for argument in options if not argument.startswith("-")), "")
    for info in await _installed(call):
        if wanted not in info.package or (info.system and "-3" in options) or (not info.system and "-s" in options):
            continue
        await call.print(f"package:{_apk(info)}={info.package}" if "-f" in options else f"package:{info.package}")
    return 0


async def _turn_adb_keyboard(call: Call, *, install: bool) -> int:
    """The keyboard's APK is on the device, but it is only installed on request."""
    phone = call.guest.phone
    if install:
        await asyncio.to_thread(phone.with_input_methods, lambda known: known.install(ADB_KEYBOARD))
        await call.print(f"Package {_ADB_KEYBOARD_PACKAGE} installed for user: 0")
        return 0
    if await asyncio.to_thread(phone.with_input_methods, lambda known: known.uninstall(ADB_KEYBOARD)):
        await call.print("Success")
        return 0
    return await call.fail("Failure [not installed for 0]")


async def _resolve_activity(call: Call, package: str) -> int:
    for info in await _installed(call):
        if info.package == package:
            await call.print("priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false")
            await call.print(short_component(info.package, info.activity.rpartition("/")[2]))
            return 0
    await call.print("No activity found")
    return 0


@dataclass(frozen=True, slots=True)
class _Intent:
    action: str = ""
    data: str = ""
    component: str = ""
    waits: bool = False
    extras: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = (("act", self.action), ("dat", self.data), ("cmp", self.component))
        said = "".join(f"{name}={value} " for name, value in parts if value)
        return "Intent { " + said + ("(has extras) " if self.extras else "") + "}"


# Options of `am` with a value that has no effect here.
_WITH_VALUE = frozenset({"-c", "-t", "-f", "--user", "--display", "--windowingMode", "--activity-type"})
_EXTRA = frozenset({"-e", "--es", "--ei", "--ez", "--el", "--ef", "--eu"})


def _read_intent(args: Sequence[str]) -> _Intent:
    intent = _Intent()
    remaining = iter(args)
    for argument in remaining:
        if argument == "-a":
            intent = replace(intent, action=next(remaining, ""))
        elif argument == "-d":
            intent = replace(intent, data=next(remaining, ""))
        elif argument in {"-n", "-p"}:
            intent = replace(intent, component=next(remaining, ""))
        elif argument == "-W":
            intent = replace(intent, waits=True)
        elif argument in _WITH_VALUE:
            next(remaining, None)
        elif argument in _EXTRA:
            intent = replace(intent, extras={**intent.extras, next(remaining, ""): next(remaining, "")})
        elif not argument.startswith("-"):
            intent = replace(intent, data=argument) if ":" in argument else replace(intent, component=argument)
    return intent


async def _am(call: Call) -> int:
    match call.args:
        case ["start" | "start-activity", *rest]:
            return await _start(call, _read_intent(rest))
        case ["force-stop" | "kill", *_, package]:
            try:
                await asyncio.to_thread(call.guest.phone.force_stop, package)
            except LookupError:
                return 0
        case ["broadcast", *rest]:
            intent = _read_intent(rest)
            if not call.guest.faults.keyboards.deaf:
                await asyncio.to_thread(
                    call.guest.phone.with_input_methods, lambda known: known.receive(intent.action, intent.extras)
                )
            await call.print(f"Broadcasting: {intent}\nBroadcast completed: result=0")
        case ["stack", *rest]:
            return await tasks.run_stack(call, rest)
        case ["get-current-user"]:
            await call.print("0")
        case _:
            return await call.fail(f"Unknown command: {' '.join(call.args)}", 255)
    return 0


async def _start(call: Call, intent: _Intent) -> int:
    await call.print(f"Starting: {intent}")
    try:
        await asyncio.to_thread(
            call.guest.phone.start_activity, intent.component, action=intent.action, data=intent.data
        )
    except LookupError:
        return await call.fail(await _why_not_started(call, intent))
    if intent.waits:
        state = await asyncio.to_thread(call.guest.phone.state)
        component = short_component(state.package, state.activity)
        await call.print(f"Status: ok\nLaunchState: WARM\nActivity: {component}\nTotalTime: 0\nWaitTime: 0\nComplete")
    return 0


async def _why_not_started(call: Call, intent: _Intent) -> str:
    package = intent.component.partition("/")[0]
    if package and package not in {info.package for info in await _installed(call)}:
        return f"Error type 3\nError: Activity class {{{intent.component}}} does not exist."
    return f"Error: Activity not started, unable to resolve {intent}"


async def _monkey(call: Call) -> int:
    package = next((after for argument, after in zip(call.args, call.args[1:], strict=False) if argument == "-p"), None)
    count = call.args[-1] if call.args else ""
    if package is None or count != "1":
        return await call.fail("monkey: the simulated emulator knows `monkey -p PACKAGE [-c CATEGORY] 1` only")
    try:
        await asyncio.to_thread(call.guest.phone.start_activity, package)
    except LookupError:
        return await call.fail("** No activities found to run, monkey aborted.", _MONKEY_FOUND_NOTHING)
    await call.print("Events injected: 1\n## Network stats: elapsed time=0ms (0ms mobile, 0ms wifi, 0ms not connected)")
    return 0


PROGRAMS: Programs = {"pm": _pm, "am": _am, "monkey": _monkey}
