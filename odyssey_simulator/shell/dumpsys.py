"""`dumpsys`: the output of system services, as far as recorders and people read it."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from odyssey_simulator.evdev import InputNode
from odyssey_simulator.guest import Guest
from odyssey_simulator.panels import lit_panel, panels
from odyssey_simulator.phone import PhoneState, Rect
from odyssey_simulator.shell.program import Call, Programs
from odyssey_simulator.shell.tasks import dump_recents, dump_recents_9, hash_of, short_component, task_name
from odyssey_simulator.system.input_methods import ADB_KEYBOARD, CHOSEN

_Dump = Callable[[Guest, PhoneState, Sequence[str]], Iterator[str]]


async def _dumpsys(call: Call) -> int:
    if not call.args or call.args[0] == "-l":
        await call.print("Currently running services:\n" + "\n".join(f"  {name}" for name in sorted(_SERVICES)))
        return 0
    service, *arguments = call.args
    dump = _SERVICES.get(service)
    if dump is None:
        return await call.fail(f"Can't find service: {service}", 0)
    await call.print(await asyncio.to_thread(lambda: "\n".join(dump(call.guest, call.guest.phone.state(), arguments))))
    return 0


def _activity_record(state: PhoneState) -> str:
    component = short_component(state.package, state.activity)
    return f"ActivityRecord{{{hash_of(state.package)} u0 {component} t{state.task}}}"


def _frame(rect: Rect) -> str:
    return f"[{rect.left},{rect.top}][{rect.right},{rect.bottom}]"


def _insets(state: PhoneState) -> Iterator[str]:
    nowhere = Rect(0, 0, 0, 0)
    sources = (
        ("3", "ime", state.keyboard or nowhere, state.keyboard is not None),
        ("5b9a0000", "statusBars", state.status_bar, not state.status_bar.is_empty),
        ("5b9a0001", "navigationBars", state.navigation_bar, not state.navigation_bar.is_empty),
    )
    for source_id, kind, frame, visible in sources:
        yield (
            f"      InsetsSource id={source_id} type={kind} frame={_frame(frame)}"
            f" visible={'true' if visible else 'false'}"
        )


def _window(guest: Guest, state: PhoneState, arguments: Sequence[str]) -> Iterator[str]:
    match arguments[:1]:
        case ["lastanr" | "l"]:
            yield from _last_anr(guest)
        case ["displays" | "d"]:
            yield from _displays(guest, state)
        case ["windows" | "w"]:
            yield from _windows(guest, state)
        case _:
            yield from _last_anr(guest)
            yield "-" * 79
            yield "WINDOW MANAGER POLICY STATE (dumpsys window policy)"
            yield from _displays(guest, state)
            yield from _windows(guest, state)


def _last_anr(guest: Guest) -> Iterator[str]:
    """What Android keeps of the last ANR until it reboots: a copy of the sections at that time."""
    yield "WINDOW MANAGER LAST ANR (dumpsys window lastanr)"
    then = guest.faults.last_anr
    if then is None:
        yield "  <no ANR has occurred since boot>"
        return
    yield f"  Application at fault: {_activity_record(then)}"
    yield "  Reason: Input dispatching timed out"
    yield from _windows(guest, then)
    yield ""
    yield "Last ANR continued"
    yield from _displays(guest, then)
    yield ""


def _displays(guest: Guest, state: PhoneState) -> Iterator[str]:
    size, density = state.size, state.density
    yield "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)"
    if guest.phone.profile.is_android_9:
        yield from _displays_9(guest, state)
        return
    if guest.faults.has_second_display:
        yield from _SECOND_DISPLAY
    yield "  Display: mDisplayId=0 (organized)"
    yield f"    init={state.physical_size.width}x{state.physical_size.height} {guest.phone.profile.density}dpi"
    yield f"    cur={size.width}x{size.height} {density}dpi app={size.width}x{size.height}"
    yield f"  mCurrentFocus={_focus(state)}"
    yield f"  mFocusedApp={_activity_record(state)}"
    yield f"  mCurrentRotation=ROTATION_{state.rotation * 90}"
    yield "  InsetsState"
    yield f"      mDisplayFrame=Rect(0, 0 - {size.width}, {size.height})"
    yield from _insets(state)


def _displays_9(guest: Guest, state: PhoneState) -> Iterator[str]:
    """Android 9 has no insets, and says in another section what has the focus.

    Its frames are areas: mDock what the visible bars leave, mCurrent what the keyboard leaves of that.
    """
    width, height = state.size.width, state.size.height
    dock = Rect(0, state.status_bar.bottom, width, state.navigation_bar.top or height)
    current = replace(dock, bottom=state.keyboard.top) if state.keyboard else dock
    yield "  Display: mDisplayId=0"
    yield (
        f"    init={state.physical_size.width}x{state.physical_size.height} {guest.phone.profile.density}dpi"
        f" cur={width}x{height} app={width}x{dock.bottom} rng={height}x{height}-{width}x{width}"
    )
    yield f"    deferred=false mLayoutNeeded=false mTouchExcludeRegion=SkRegion((0,0,{width},{height}))"
    yield "\n  mLayoutSeq=440\n\n  Application tokens in top down Z order:\n    mStackId=3"
    yield f"      taskId={state.task}\n        appTokens=[{_app_window_token(state)}]"
    yield "\n  homeStack=Stack=0\n"
    yield f"  DisplayFrames w={width} h={height} r={state.rotation}"
    frames = {"mStable": dock, "mStableFullscreen": replace(dock, top=0), "mDock": dock, "mCurrent": current}
    screen = Rect(0, 0, width, height)
    frames |= {"mSystem": screen, "mContent": current, "mVoiceContent": current, "mUnrestricted": screen}
    yield from (f"    {name}={_frame(frame)}" for name, frame in frames.items())


def _app_window_token(state: PhoneState) -> str:
    return f"AppWindowToken{{{hash_of('window')} token=Token{{{hash_of('token')} {_activity_record(state)}}}}}"


def _windows(guest: Guest, state: PhoneState) -> Iterator[str]:
    yield "WINDOW MANAGER WINDOWS (dumpsys window windows)"
    if state.has_toast:
        yield f"  Window #1 Window{{{hash_of('Toast')} u0 Toast}}:"
    yield f"  Window #0 {_focus(state)}:"
    yield f"    mDisplayId=0 package={state.package}"
    yield f"  mCurrentFocus={_focus(state)}"
    is_9 = guest.phone.profile.is_android_9
    yield f"  mFocusedApp={_app_window_token(state) if is_9 else _activity_record(state)}"
    yield f"  mAwake={'true' if state.awake else 'false'}"


def _focus(state: PhoneState) -> str:
    return f"Window{{{hash_of(state.title)} u0 {state.title}}}"


_SECOND_DISPLAY = """\
  Display: mDisplayId=7 (organized)
    init=1600x900 150dpi
    cur=900x1600 150dpi app=900x1600
  mCurrentFocus=Window{ad27b16 u0 com.example.second/com.example.second.Presentation}
  mFocusedApp=ActivityRecord{167854130 u0 com.example.second/.Presentation t21}
  mCurrentRotation=ROTATION_270
  InsetsState
      mDisplayFrame=Rect(0, 0 - 900, 1600)
      InsetsSource id=3 type=ime frame=[0,1000][900,1600] visible=true
      InsetsSource id=5b9a0000 type=statusBars frame=[0,0][900,31] visible=true
      InsetsSource id=5b9a0001 type=navigationBars frame=[0,1569][900,1600] visible=true""".splitlines()


def _activity(guest: Guest, state: PhoneState, arguments: Sequence[str]) -> Iterator[str]:
    record = _activity_record(state)
    if arguments[:1] == ["recents"]:
        yield from (dump_recents_9 if guest.phone.profile.is_android_9 else dump_recents)(guest.phone.tasks())
        return
    if arguments[:1] == ["top"]:
        yield f"TASK {state.package} id={state.task} userId=0"
        yield f"  ACTIVITY {short_component(state.package, state.activity)} {hash_of(state.package)} pid=1000"
        return
    yield "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)"
    yield "Display #0 (activities from top to bottom):"
    yield f"  * {task_name(guest.phone.tasks()[0])}"
    yield f"    topResumedActivity={record}"
    yield f"    * Hist  #0: {record}"
    yield f"  ResumedActivity: {record}"


def _input(guest: Guest, state: PhoneState, _: Sequence[str]) -> Iterator[str]:
    yield "INPUT MANAGER (dumpsys input)"
    yield ""
    yield "Input Reader State (Nums of device: 13):"
    folded = state.posture is not None and state.posture.name == "CLOSED"
    if guest.faults.hides_active_panel:
        for panel in panels(guest.phone.profile, state):
            yield f"      Viewport INTERNAL: displayId=0, uniqueId=local:{panel.physical_id}, orientation=0"
        return
    for number, node in enumerate(guest.nodes.touch_screens, start=1):
        yield f"  Device {number + 3}: {node.name}"
        yield from _touch_mapper(guest, state, node, is_direct=number == 1 or (number == 7 and folded))


def _touch_mapper(guest: Guest, state: PhoneState, node: InputNode, *, is_direct: bool) -> Iterator[str]:
    number = guest.nodes.touch_screens.index(node) + 1
    bound_to = "" if number == 1 else f"virtual:com.android.emulator.multidisplay:123456{number}"
    yield f"    Touch Input Mapper (mode - {'DIRECT' if is_direct else 'DISABLED'}):"
    yield (f"        AssociatedDisplay: hasAssociatedDisplay=true, isExternal=false, displayId='{bound_to}'")
    if not is_direct:
        yield (
            "      Viewport INTERNAL: displayId=-1, uniqueId=, port=<none>, orientation=0,"
            " logicalFrame=[0, 0, 0, 0], physicalFrame=[0, 0, 0, 0], deviceSize=[0, 0], isActive=[0]"
        )
        yield "      DisplayBounds: -1x-1"
        return
    panel = lit_panel(guest.phone.profile, state)
    width, height = state.size.width, state.size.height
    device, frame = state.physical_size.turned(state.rotation), state.frame_on_panel
    yield (
        f"      Viewport INTERNAL: displayId=0, uniqueId=local:{panel.physical_id}, port={panel.port},"
        f" orientation={state.rotation}, logicalFrame=[0, 0, {width}, {height}],"
        f" physicalFrame=[{frame.left}, {frame.top}, {frame.right}, {frame.bottom}],"
        f" deviceSize=[{device.width}, {device.height}], isActive=[1]"
    )
    yield f"      DisplayBounds: {state.natural_size.width}x{state.natural_size.height}"
    yield f"      PhysicalFrameInRotatedDisplay: Rect{{{frame.left}, {frame.top}, {frame.right}, {frame.bottom}}}"
    yield "      InputDeviceOrientation: Rotation0"


def _input_method(guest: Guest, state: PhoneState, __: Sequence[str]) -> Iterator[str]:
    elsewhere = guest.faults.has_second_display and not state.keyboard_shown
    shown = "true" if state.keyboard_shown or elsewhere else "false"
    chosen = guest.phone.get_setting(*CHOSEN)
    if guest.faults.keyboards.api_36:
        yield from _input_method_36(chosen, shown)
        return
    yield "Current Input Method Manager state:"
    yield f"  mCurMethodId={chosen}"
    yield f"  mCurId={chosen} mHaveConnection=true mBoundToMethod=true"
    if not guest.phone.profile.is_android_9:
        yield f"  mCurTokenDisplayId={7 if elsewhere else 0}"
    yield f"  mShowRequested={shown} mShowExplicitlyRequested=false mShowForced=false mInputShown={shown}"
    yield f"  mInteractive={'true' if state.awake else 'false'}"


def _input_method_36(chosen: str | None, shown: str) -> Iterator[str]:
    yield "Input Method Manager Service state:"
    yield "  mSystemReady=true\n  mInteractive=true\n  UserId=0\n    mBindingController:"
    yield f"      mSelectedMethodId={chosen}\n      mCurrentSubtype=null\n      mCurSeq=31\n      mCurId={chosen}"
    yield "      mHasMainConnection=true\n      mVisibleBound=true\n      mCurToken=android.os.Binder@91d41e6"
    yield "      mCurTokenDisplayId=0\n    mBoundToMethod=true\n    mVisibilityStateComputer:"
    yield f"      mInputShown={shown}"
    yield "  UserId=10\n    mBindingController:\n      mSelectedMethodId=null\n      mCurId=null"
    yield "      mHasMainConnection=false\n    mBoundToMethod=false"


def _surface_flinger(guest: Guest, state: PhoneState, arguments: Sequence[str]) -> Iterator[str]:
    found = panels(guest.phone.profile, state)
    if "--display-id" in arguments and not guest.phone.profile.is_android_9:
        for panel in found:
            yield (
                f"Display {panel.physical_id} (HWC display {panel.port}): port={panel.port} pnpId=GGL"
                f' displayName="EMU_display_{panel.port}"'
            )
        return
    yield "Displays (" + str(len(found)) + " entries)"
    for panel in found:
        yield f"Display {panel.physical_id} (physical, {'active' if panel.lit else 'off'})"
        yield f"    resolution={panel.size.width}x{panel.size.height}"


def _display(guest: Guest, state: PhoneState, _: Sequence[str]) -> Iterator[str]:
    panel = lit_panel(guest.phone.profile, state)
    size, frame = state.size, state.frame_on_panel
    device = state.physical_size.turned(state.rotation)
    yield "DISPLAY MANAGER (dumpsys display)"
    yield (
        f"  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId=0,"
        f" uniqueId='local:{panel.physical_id}', physicalPort={panel.port}, orientation={state.rotation},"
        f" logicalFrame=Rect(0, 0 - {size.width}, {size.height}),"
        f" physicalFrame=Rect({frame.left}, {frame.top} - {frame.right}, {frame.bottom}),"
        f" deviceWidth={device.width}, deviceHeight={device.height}}}]"
    )
    yield f"  mScreenState={'ON' if state.awake else 'OFF'}"


def _power(_: Guest, state: PhoneState, __: Sequence[str]) -> Iterator[str]:
    yield "POWER MANAGER (dumpsys power)"
    yield f"  mWakefulness={'Awake' if state.awake else 'Asleep'}"
    yield f"  mHoldingDisplaySuspendBlocker={'true' if state.awake else 'false'}"
    yield f"Display Power: state={'ON' if state.awake else 'OFF'}"


def _battery(_: Guest, __: PhoneState, ___: Sequence[str]) -> Iterator[str]:
    yield "Current Battery Service state:"
    yield from ("  AC powered: false", "  USB powered: false", "  Wireless powered: false", "  status: 4")
    yield from ("  health: 2", "  present: true", "  level: 100", "  scale: 100", "  voltage: 5000")
    yield from ("  temperature: 250", "  technology: Li-ion")


def _package(guest: Guest, _: PhoneState, arguments: Sequence[str]) -> Iterator[str]:
    package = next((argument for argument in arguments if not argument.startswith("-")), "")
    found = [info for info in guest.phone.packages() if package in {"", info.package}]
    yield "Packages:"
    keyboard = ADB_KEYBOARD.partition("/")[0]
    if package == keyboard and ADB_KEYBOARD in guest.phone.input_methods(installed=True):
        yield f"  Package [{keyboard}] ({hash_of(keyboard)}):"
        yield f"    versionCode=25 minSdk=16\n    versionName={guest.faults.keyboards.version}"
    for info in found:
        yield f"  Package [{info.package}] ({hash_of(info.package)}):"
        yield "    versionCode=1 minSdk=31 targetSdk=34"
        yield "    versionName=1.0"
        yield f"    flags=[ {'SYSTEM ' if info.system else ''}HAS_CODE ]"
    yield "Hidden system packages:"
    for info in found:
        if info.system:
            yield f"  Package [{info.package}] ({hash_of(info.package)}):"
            yield "    versionCode=0 minSdk=31 targetSdk=34"
            yield "    versionName=0.9"


_SERVICES: Mapping[str, _Dump] = {
    "SurfaceFlinger": _surface_flinger,
    "activity": _activity,
    "battery": _battery,
    "display": _display,
    "input": _input,
    "input_method": _input_method,
    "package": _package,
    "power": _power,
    "window": _window,
}
PROGRAMS: Programs = {"dumpsys": _dumpsys}
