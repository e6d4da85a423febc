"""The navigation buttons where Android has them: a bar on phones, a taskbar from 600 dp on."""

from xml.etree import ElementTree

import pytest

from odyssey_simulator.faults import WindowsOption
from odyssey_simulator.phone import Rect
from odyssey_simulator.shell.uiautomator import dump_windows
from tests.simulator.bench import Bench
from tests.simulator.person import Person, person_with

LARGE = [("pixel_tablet", "", 0), ("pixel_tablet", "", 1), ("pixel_fold", "OPENED", 0), ("pixel_fold", "OPENED", 1)]
END_MARGINS_DP: dict[str, dict[bool, float]] = {
    "pixel_tablet": {True: 219.6, False: 75},
    "pixel_fold": {True: 88, False: 48},
}


def bounds_of(person: Person, id_: str) -> Rect:
    return next(node.bounds for node in person.nodes if node.resource_id == id_)


def x_positions_dp(person: Person, package: str, *ids: str) -> list[int]:
    scale = person.phone.state().density / 160
    return [round(bounds_of(person, f"{package}:id/{id_}").center[0] / scale) for id_ in ids]


@pytest.mark.parametrize(("profile", "posture", "rotation"), LARGE)
def test_taskbar_has_its_buttons_at_the_end(profile: str, posture: str, rotation: int) -> None:
    with person_with(profile) as person:
        if posture:
            person.phone.set_posture(posture)
        person.phone.set_rotation(rotation)
        person.phone.start_activity("com.android.settings")
        state = person.phone.state()
        scale, bar = state.density / 160, state.navigation_bar
        margin = END_MARGINS_DP[profile][state.size.width > state.size.height]
        ids = [f"com.android.launcher3:id/{name}" for name in ("recent_apps", "home", "back")]
        for id_, from_end_dp in zip(ids, (22, 90, 158), strict=True):
            box = bounds_of(person, id_)
            assert box.center[0] == pytest.approx(state.size.width - (margin + from_end_dp) * scale, abs=2)
            assert box.width == pytest.approx(44 * scale, abs=1)
        assert bar.height == pytest.approx(60 * scale, abs=1)
        assert bar.bottom == state.size.height

        between = (bounds_of(person, ids[1]).right + bounds_of(person, ids[0]).left) // 2
        person.tap_at(between + 3, bar.center[1])
        assert person.in_recents, "the nearest button gets it"
        person.tap_at(bounds_of(person, ids[2]).left - 20, bar.center[1])
        assert person.in_recents, "beside the buttons is nothing"
        person.tap("Browser")
        assert person.phone.state().package == "com.odyssey.browser"


@pytest.mark.parametrize("profile", ["small_phone", "pixel_tablet"])
def test_bar_is_mirrored_for_a_language_from_right_to_left(profile: str) -> None:
    places: dict[str, list[Rect]] = {}
    for language in ("en-US", "he-IL"):
        with person_with(profile) as person:
            person.phone.put_setting("system", "system_locales", language)
            places[language] = [person.find(name).bounds for name in ("Back", "Home", "Overview")]
            width = person.phone.state().size.width
            person.tap("Overview")
            assert person.in_recents
    mirrored = [width - box.right for box in places["he-IL"]]
    assert mirrored == pytest.approx([box.left for box in places["en-US"]], abs=2)


def test_folded_phone_has_the_bar_of_a_phone() -> None:
    with person_with("pixel_fold") as person:
        person.phone.set_posture("CLOSED")
        found = x_positions_dp(person, "com.android.systemui", "back", "home_button", "recent_apps")
        width_dp = 1080 / 420 * 160
        assert found == [round(width_dp * share) for share in (1 / 4, 1 / 2, 3 / 4)]


def test_keyboard_switcher_is_right_of_the_last_button_while_typing(person: Person) -> None:
    person.phone.start_activity("com.android.settings")
    bar = person.phone.state().navigation_bar
    person.tap_at(bar.right - 5, bar.center[1])
    assert person.in_recents, "the nearest button"

    person.home()
    person.open("Notes", "New note")
    person.tap_at(bar.right - 5, bar.center[1])
    assert person.sees("The only keyboard is Gboard")
    assert bounds_of(person, "com.android.systemui:id/ime_switcher").left >= bar.width * 7 // 8


def test_keyboard_switcher_of_a_taskbar_is_at_its_start() -> None:
    with person_with("pixel_tablet") as person:
        assert not person.sees("Switch input method")
        person.open("Notes", "New note")
        assert person.find("Switch input method").bounds.right < 300


def test_all_windows_are_listed_top_first(person: Person) -> None:
    person.open("Notes", "New note")
    windows = list(ElementTree.fromstring(dump_windows(person.phone)).iter("window"))
    titles = [window.get("title", "") for window in windows]
    assert titles[:2] == ["NavigationBar0", "InputMethod"]
    assert titles[-1].startswith("com.odyssey.notes/")
    assert [int(window.get("layer", "")) for window in windows] == [*range(len(windows))][::-1]
    assert [window.get("active") for window in windows].count("true") == 1
    ids = {node.get("resource-id") for node in windows[0].iter("node")}
    assert {f"com.android.systemui:id/{name}" for name in ("back", "home_button", "recent_apps")} <= ids


def test_older_images_ignore_or_refuse_the_option_for_windows(fresh_bench: Bench) -> None:
    plain = fresh_bench.shell("uiautomator dump /dev/tty")
    fresh_bench.console("fault", "windows-option", WindowsOption.IGNORED.value)
    assert fresh_bench.shell("uiautomator dump --windows /dev/tty") == plain
    fresh_bench.console("fault", "windows-option", WindowsOption.REFUSED.value)
    assert "Usage" in fresh_bench.shell("uiautomator dump --windows /dev/tty 2>&1 || true")
    fresh_bench.console("fault", "clear")
    assert "<window " in fresh_bench.shell("uiautomator dump --windows /dev/tty")
