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


def test_tasks_are_listed_by_last_use_including_home(fresh_bench: Bench) -> None:
    open_apps(fresh_bench, SETTINGS, NOTES)

    listed = recents(fresh_bench)
    stack = fresh_bench.shell("am stack list").splitlines()

    assert [package for _, package in listed] == [NOTES, SETTINGS, "com.android.launcher3"]
    numbers = [number for number, _ in listed]
    assert len(set(numbers)) == 3
    assert "type=home" in fresh_bench.shell("dumpsys activity recents")
    assert f"t{numbers[0]}}}" in fresh_bench.shell("dumpsys window | grep mFocusedApp")

    assert [int(line.split("=")[1].split()[0]) for line in stack if line.startswith("RootTask")] == numbers
    tasks = [line for line in stack if line.startswith("  taskId=")]
    assert tasks[0].startswith(f"  taskId={numbers[0]}: {NOTES}/")
    assert ["visible=true" in line for line in tasks] == [True, False, False]
    assert sum("mActivityType=home" in line for line in stack) == 1


def test_removed_task_number_is_not_reused(fresh_bench: Bench) -> None:
    open_apps(fresh_bench, SETTINGS, NOTES)
    (notes, _), (settings, _), (home, _) = recents(fresh_bench)

    assert fresh_bench.shell(f"am stack remove {settings}; am stack remove {home}; cmd activity stack remove 999") == ""
    assert [number for number, _ in recents(fresh_bench)] == [notes, home]
    fresh_bench.shell(f"am stack remove {notes}")

    assert [number for number, _ in recents(fresh_bench)] == [home]
    assert fresh_bench.phone.state().package == "com.android.launcher3"
    open_apps(fresh_bench, SETTINGS)
    assert recents(fresh_bench)[0][0] > notes


@pytest.mark.parametrize(
    ("arguments", "message"), [("remove x", "NumberFormatException"), ("explode", "unknown command 'explode'")]
)
def test_invalid_stack_command_is_rejected(bench: Bench, arguments: str, message: str) -> None:
    completed = bench.adb("shell", f"am stack {arguments}")
    assert completed.returncode == 255
    assert message in completed.stderr.decode()
