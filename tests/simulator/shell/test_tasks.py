"""Tasks in shell output; Android's format is known from its source and from captures of emulators."""

import re

import pytest

from tests.simulator.bench import Bench

SETTINGS, NOTES = "com.android.settings", "com.odyssey.notes"


def recents(bench: Bench) -> list[tuple[int, str]]:
    dump = bench.shell("dumpsys activity recents")
    return [
        (int(found[1]), found[2]) for found in re.finditer(r"Recent #\d+: Task\{\w+ #(\d+) .*?[:=]([\w.]+)[/}]", dump)
    ]


def open_apps(bench: Bench, *packages: str) -> None:
    for package in packages:
        bench.shell(f"monkey -p {package} 1")


def test_the_tasks_are_listed_the_last_used_first_and_the_home_screen_among_them(own: Bench) -> None:
    open_apps(own, SETTINGS, NOTES)

    listed = recents(own)
    stack = own.shell("am stack list").splitlines()

    assert [package for _, package in listed] == [NOTES, SETTINGS, "com.android.launcher3"]
    numbers = [number for number, _ in listed]
    assert len(set(numbers)) == 3
    assert "type=home" in own.shell("dumpsys activity recents")
    assert f"t{numbers[0]}}}" in own.shell("dumpsys window | grep mFocusedApp")

    assert [int(line.split("=")[1].split()[0]) for line in stack if line.startswith("RootTask")] == numbers
    tasks = [line for line in stack if line.startswith("  taskId=")]
    assert tasks[0].startswith(f"  taskId={numbers[0]}: {NOTES}/")
    assert ["visible=true" in line for line in tasks] == [True, False, False]
    assert sum("mActivityType=home" in line for line in stack) == 1


def test_a_task_is_removed_by_its_number_which_is_not_given_again(own: Bench) -> None:
    open_apps(own, SETTINGS, NOTES)
    (notes, _), (settings, _), (home, _) = recents(own)

    assert own.shell(f"am stack remove {settings}; am stack remove {home}; cmd activity stack remove 999") == ""
    assert [number for number, _ in recents(own)] == [notes, home]
    own.shell(f"am stack remove {notes}")

    assert [number for number, _ in recents(own)] == [home]
    assert own.emulator.phone.state().package == "com.android.launcher3"
    open_apps(own, SETTINGS)
    assert recents(own)[0][0] > notes


@pytest.mark.parametrize(
    ("words", "said"), [("remove x", "NumberFormatException"), ("explode", "unknown command 'explode'")]
)
def test_what_is_no_command_for_tasks_is_refused(bench: Bench, words: str, said: str) -> None:
    done = bench.adb("shell", f"am stack {words}")

    assert done.returncode == 255
    assert said in done.stderr.decode()
