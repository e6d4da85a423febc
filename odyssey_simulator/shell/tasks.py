"""Lists and removes tasks from the shell, in the output format of Android 14, or of Android 9."""

import asyncio
import zlib
from collections.abc import Iterator, Sequence

from odyssey_simulator.phone import AppTask, Phone
from odyssey_simulator.shell.program import Call

_FIRST_APP_UID = 10100
_FIRST_STACK = 500
"""Before Android 11 each task is in a stack with a number of its own."""
_USAGE = 255


def short_component(package: str, activity: str) -> str:
    """`pkg/.Activity`, as Android shortens a class in the app's own package."""
    return f"{package}/{activity.removeprefix(package) if activity.startswith(package + '.') else activity}"


def hash_of(name: str) -> str:
    """Derived from the name; on Android an object's identity hash."""
    return f"{zlib.crc32(name.encode()) & 0xFFFFFFF:x}"


def task_name(task: AppTask) -> str:
    kind, owner = ("home", f"I={_component(task)}") if task.is_home else ("standard", f"A={_uid(task)}:{task.package}")
    return f"Task{{{hash_of(task.package)} #{task.number} type={kind} {owner}}}"


def dump_recents(tasks: Sequence[AppTask]) -> Iterator[str]:
    yield "ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)"
    for home in (task for task in tasks if task.is_home):
        yield f"mRecentsComponent=ComponentInfo{{{home.package}/com.android.quickstep.RecentsActivity}}"
    yield "mFreezeTaskListReordering=false"
    yield "  Recent tasks:"
    for place, task in enumerate(tasks):
        component, category = _component(task), "HOME" if task.is_home else "LAUNCHER"
        yield f"  * Recent #{place}: {task_name(task)}"
        yield f"    userId=0 effectiveUid=u0a{_uid(task) - 10000} mCallingUid=0 mUserSetupComplete=true"
        yield (
            f"    intent={{act=android.intent.action.MAIN cat=[android.intent.category.{category}]"
            f" flg=0x10200000 cmp={component}}}"
        )
        yield f"    mActivityComponent={component}"
        yield f"    autoRemoveRecents=false isPersistable=true activityType={2 if task.is_home else 1}"
        yield "    askedCompatMode=false inRecents=true isAvailable=true"
        yield f"    taskId={task.number} rootTaskId={task.number}"


def dump_recents_9(tasks: Sequence[AppTask]) -> Iterator[str]:
    yield "ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)"
    yield "mRecentsUid=10038"
    yield "mRecentsComponent=ComponentInfo{com.android.launcher3/com.android.quickstep.RecentsActivity}"
    yield "  Recent tasks:"
    for place, task in enumerate(tasks):
        component, uid = _component(task), _uid(task)
        owner = f"I={component}" if task.is_home else f"A={task.package}"
        record = f"TaskRecord{{{hash_of(task.package)} #{task.number} {owner} U=0 StackId={_stack_9(task)} sz=1}}"
        yield f"  * Recent #{place}: {record}"
        yield f"    userId=0 effectiveUid=u0a{uid - 10000} mCallingUid=u0a38 mUserSetupComplete=true mCallingPackage=x"
        yield f"    intent={{act=android.intent.action.MAIN flg=0x10200000 cmp={component}}}"
        yield f"    realActivity={component}"
        yield f"    autoRemoveRecents=false isPersistable=true numFullscreen=1 activityType={2 if task.is_home else 1}"
        yield f"    stackId={_stack_9(task)}"


async def run_stack(call: Call, args: Sequence[str]) -> int:
    """Removing a task that does not exist prints nothing."""
    phone = call.guest.phone
    match args:
        case ["list"]:
            await call.print(await asyncio.to_thread(lambda: "\n".join(_listed(phone))))
        case ["remove", number] if number.isdecimal():
            await asyncio.to_thread(_end_stack, phone, int(number))
        case ["remove", number]:
            return await call.fail(
                "Exception occurred while executing 'stack':\n"
                f'java.lang.NumberFormatException: For input string: "{number}"',
                _USAGE,
            )
        case _:
            return await call.fail(f"Error: unknown command '{' '.join(args[:1])}'", _USAGE)
    return 0


def _listed(phone: Phone) -> Iterator[str]:
    size = phone.state().size
    bounds = f"bounds=[0,0][{size.width},{size.height}]"
    for task in phone.tasks():
        kind = "home" if task.is_home else "standard"
        visible = "true" if task.is_visible else "false"
        yield f"RootTask id={task.number} {bounds} displayId=0 userId=0"
        yield f" configuration={{winConfig={{ mWindowingMode=fullscreen mActivityType={kind}}}}}"
        yield (
            f"  taskId={task.number}: {task.package}/{task.activity} {bounds} userId=0 visible={visible}"
            f" topActivity=ComponentInfo{{{task.package}/{task.activity}}}"
        )
        yield ""


def _end_stack(phone: Phone, number: int) -> None:
    for task in phone.tasks():
        if number == (_stack_9(task) if phone.profile.is_android_9 else task.number):
            phone.end_task(task.number)


def _stack_9(task: AppTask) -> int:
    return 0 if task.is_home else _FIRST_STACK + task.number


def _component(task: AppTask) -> str:
    return short_component(task.package, task.activity)


def _uid(task: AppTask) -> int:
    return _FIRST_APP_UID + zlib.crc32(task.package.encode()) % 100
