"""`getprop`: system properties as in Android 14's emulator images."""

from odyssey_simulator.guest import Guest
from odyssey_simulator.profile import Profile
from odyssey_simulator.shell.program import Call, Programs

_DEVICE = "emu64xa"
_BUILD = "UE1A.230829.050"
_INCREMENTAL = "12077443"

TIME_ZONE = ("global", "time_zone")


def identity(profile: Profile) -> dict[str, str]:
    if profile.vendor:
        return {
            "ro.product.name": "z3q",
            "ro.product.model": "SM-G9880",
            "ro.product.device": "z3q",
            "ro.product.manufacturer": profile.vendor,
            "ro.serialno": "00ce49b2",
            "ro.build.fingerprint": f"{profile.vendor}/z3q/z3q:9/PQ3A.190605.012/1079:user/release-keys",
            "ro.build.version.release": "9",
            "ro.build.version.sdk": "28",
        }
    product = "sdk_gtablet_x86_64" if profile.name == "pixel_tablet" else "sdk_gphone64_x86_64"
    return {
        "ro.product.name": product,
        "ro.product.model": product,
        "ro.product.device": _DEVICE,
        "ro.product.brand": "google",
        "ro.product.manufacturer": "Google",
        "ro.product.board": "goldfish_x86_64",
        "ro.product.cpu.abi": "x86_64",
        "ro.product.cpu.abilist": "x86_64,arm64-v8a",
        "ro.product.locale": "en-US",
        "ro.boot.hardware": "ranchu",
        "ro.hardware": "ranchu",
        "ro.boot.qemu": "1",
        "ro.boot.serialno": "EMULATOR33X1X24X0",
        "ro.serialno": "EMULATOR33X1X24X0",
        "ro.build.characteristics": "emulator",
        "ro.build.fingerprint": (f"google/{product}/{_DEVICE}:14/{_BUILD}/{_INCREMENTAL}:userdebug/dev-keys"),
        "ro.build.id": _BUILD,
        "ro.build.tags": "dev-keys",
        "ro.build.type": "userdebug",
        "ro.build.version.incremental": _INCREMENTAL,
        "ro.build.version.release": "14",
        "ro.build.version.sdk": "34",
        "ro.debuggable": "1",
        "ro.sf.lcd_density": str(profile.density),
    }


def properties(guest: Guest) -> dict[str, str]:
    avd = {"ro.boot.qemu.avd_name": guest.avd_name, "ro.kernel.qemu.avd_name": guest.avd_name}
    newer = {"ro.build.version.release": "16", "ro.build.version.sdk": "36"}
    return {
        **identity(guest.phone.profile),
        **(newer if guest.faults.keyboards.api_36 else {}),
        **(avd if guest.avd_name else {}),
        "ro.simulated": "odyssey-recorder",
        "dev.bootcomplete": "1",
        "init.svc.adbd": "running",
        "init.svc.bootanim": "stopped",
        "persist.sys.locale": "en-US",
        "persist.sys.timezone": guest.phone.get_setting(*TIME_ZONE) or "GMT",
        "sys.boot_completed": "1",
        "sys.system_server.start_count": str(guest.starts),
    }


async def _getprop(call: Call) -> int:
    known = properties(call.guest)
    if call.args:
        default = call.args[1] if len(call.args) > 1 else ""
        await call.print(known.get(call.args[0], default))
    else:
        for name in sorted(known):
            await call.print(f"[{name}]: [{known[name]}]")
    return 0


PROGRAMS: Programs = {"getprop": _getprop}
