import pytest

from odyssey_recorder.device.recents import RecentTask, close_tasks, recent_tasks
from odyssey_recorder.errors import DeviceError

ANDROID_14 = """\
ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)
mRecentsUid=10078
mRecentsComponent=ComponentInfo{com.android.launcher3/com.android.quickstep.RecentsActivity}
mFreezeTaskListReordering=false
  Recent tasks:
  * Recent #0: Task{f8619f5 #141 type=standard A=10097:org.example.reader.affinity U=0 visible=true sz=1}
    userId=0 effectiveUid=u0a97 mCallingUid=u0a78 mCallingPackage=com.android.launcher3 mCallingFeatureId=null
    affinity=10097:org.example.reader.affinity
    intent={act=android.intent.action.MAIN flg=0x10200000 cmp=org.example.reader/.Main}
    mActivityComponent=org.example.reader/.Main
    autoRemoveRecents=false isPersistable=true activityType=1
    Activities=[ActivityRecord{bef5d94 u0 org.example.reader/.Main t141}]
    askedCompatMode=false inRecents=true isAvailable=true
    taskId=141 rootTaskId=141
  * Recent #1: Task{fa8efa1 #7 type=home I=com.google.android.apps.nexuslauncher/.NexusLauncherActivity}
    mActivityComponent=com.google.android.apps.nexuslauncher/.NexusLauncherActivity
    autoRemoveRecents=false isPersistable=true activityType=2
    askedCompatMode=false inRecents=true isAvailable=true
  * Recent #2: Task{1b77a32 #8 type=recents A=10078:com.android.launcher3}
    mActivityComponent=com.android.launcher3/com.android.quickstep.RecentsActivity
  * Recent #3: Task{75ecdca #9 type=standard A=10177:org.example.shy}
    intent={flg=0x10800000 cmp=org.example.shy/.Main}
    mActivityComponent=org.example.shy/.Main
  * Recent #4: Task{75ecdcb #10 type=standard A=10178:org.example.gone}
    mActivityComponent=org.example.gone/.Main
    askedCompatMode=false inRecents=false isAvailable=true
  * Recent #5: Task{75ecdcc #12 type=standard A=1000:com.android.settings.root}
    intent={act=android.intent.action.MAIN flg=0x10000000 cmp=com.android.settings/.Settings}
    mActivityComponent=com.android.settings/.Settings

  Visible recent tasks (most recent first):
  * RecentTaskInfo #0:
    id=141 userId=0 hasTask=true lastActiveTime=725551
    baseIntent=Intent { act=android.intent.action.MAIN flg=0x10200000 cmp=org.example.reader/.Main }
"""

ANDROID_10 = """\
ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)
  Recent tasks:
  * Recent #0: TaskRecord{9134f8 #2 I=com.android.launcher3/.Launcher U=0 StackId=0 sz=1}
    realActivity=com.android.launcher3/.Launcher
    autoRemoveRecents=false isPersistable=true numFullscreen=1 activityType=2
  * Recent #1: TaskRecord{ca627d2 #28 A=1000:com.android.settings.root U=0 StackId=-1 sz=0}
    realActivity=com.android.settings/.Settings
    autoRemoveRecents=false isPersistable=true numFullscreen=1 activityType=1
    askedCompatMode=false inRecents=true isAvailable=true
"""


def test_the_cards_of_the_list_are_apps_and_neither_home_nor_hidden() -> None:
    assert recent_tasks(ANDROID_14) == (RecentTask(141, "org.example.reader"), RecentTask(12, "com.android.settings"))


def test_older_systems_write_it_otherwise() -> None:
    assert recent_tasks(ANDROID_10) == (RecentTask(28, "com.android.settings"),)


def test_a_task_whose_app_is_not_told_is_a_card_all_the_same() -> None:
    dump = "ACTIVITY MANAGER RECENT TASKS\n  * Recent #0: Task{1 #5 visible=true type=standard mode=fullscreen}\n"

    assert recent_tasks(dump) == (RecentTask(5, ""),)


def test_no_name_of_a_package_is_anything_but_a_name() -> None:
    block = "  * Recent #0: Task{1 #5 type=standard A=10:a;reboot}\n    mActivityComponent=$(reboot)b/.X\n"

    assert recent_tasks(f"RECENT TASKS\n{block}") == (RecentTask(5, ""),)


def test_an_empty_list_is_one_and_another_answer_is_none() -> None:
    assert recent_tasks("ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)\n") == ()
    with pytest.raises(ValueError, match="no list of recent tasks, but \"Can't find service"):
        recent_tasks("Can't find service: activity")


def test_recent_apps_that_stay_are_stopped_and_named_if_that_does_not_help_either() -> None:
    listed = (
        "RECENT TASKS\n  * Recent #0: Task{1 #7 type=standard A=10:x}\n    mActivityComponent=org.example.x/.Main\n"
    )
    asked: list[str] = []

    def ask(command: str) -> str:
        asked.append(command)
        return listed

    with pytest.raises(DeviceError, match=r"emulator-1 still lists recent apps: org\.example\.x\. Close them by hand"):
        close_tasks("emulator-1", ask)

    assert [words for words in asked if words.startswith("am ")] == ["am stack remove 7", "am force-stop org.example.x"]
