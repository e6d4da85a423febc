"""Lists and removes tasks from the shell, in the output format of Android 14."""

import asyncio
import zlib
from collections.abc import Iterator, Sequence

from odyssey_simulator.phone import AppTask, Phone
from odyssey_simulator.shell.program import Call

_FIRST_APP_UID = 10100
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


async def run_stack(call: Call, args: Sequence[str]) -> int:
    """Removing a task that does not exist prints nothing."""
    phone = call.guest.phone
    match args:
        case ["list"]:
            await call.print(await asyncio.to_thread(lambda: "\n".join(_listed(phone))))
        case ["remove", number] if number.isdecimal():
            await asyncio.to_thread(phone.end_task, int(number))
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


def _component(task: AppTask) -> str:
    return short_component(task.package, task.activity)


def _uid(task: AppTask) -> int:
    return _FIRST_APP_UID + zlib.crc32(task.package.encode()) % 100
