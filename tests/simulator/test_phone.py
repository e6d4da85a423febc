import hashlib
import json
from pathlib import Path

import pytest

from odyssey_recorder.errors import SettingsError
from odyssey_recorder.simulator.looper import PhoneStoppedError
from odyssey_recorder.simulator.phone import Phone, Rect, Size
from odyssey_recorder.simulator.profile import PROFILES, profile_named
from tests.simulator.person import Person, person_with, wait_until

HOME_KEY, BACK_KEY, POWER_KEY, WAKE_KEY = 3, 4, 26, 224
TOUR = ("Notes", "Pancakes", "Share", "Copy")


def digest(phone: Phone) -> str:
    return hashlib.sha256(phone.screen().rgba).hexdigest()


def tour(person: Person) -> list[str]:
    digests = [digest(person.phone)]
    for words in TOUR:
        person.tap(words)
        digests.append(digest(person.phone))
    person.recents()
    return [*digests, digest(person.phone)]


@pytest.mark.parametrize("name", PROFILES)
def test_the_first_frame_has_number_one_and_the_size_of_the_panel(name: str) -> None:
    screen = Phone(profile_named(name)).screen()

    assert screen.number == 1
    assert Size(screen.width, screen.height) == PROFILES[name].size
    assert len(screen.rgba) == screen.width * screen.height * 4
    assert set(screen.rgba[3::4]) == {255}


def test_an_unknown_profile_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(SettingsError, match="small_phone"):
        profile_named("pixel_99")


def test_the_same_seed_and_inputs_give_the_same_pixels() -> None:
    with person_with() as one, person_with() as other:
        assert tour(one) == tour(other)


def test_another_seed_shows_another_home_screen() -> None:
    assert digest(Phone(PROFILES["small_phone"], seed=1)) != digest(Phone(PROFILES["small_phone"], seed=2))


def test_without_animation_an_input_leads_to_exactly_one_frame(person: Person) -> None:
    for words in TOUR:
        before = person.phone.screen().number
        person.tap(words)
        assert person.phone.screen().number == before + 1


def test_an_input_that_changes_nothing_gives_no_new_frame(person: Person) -> None:
    shown = person.phone.screen()
    person.home()
    person.tap("10:00")
    person.type("nobody listens")

    assert person.phone.screen() is shown


def test_a_change_of_screen_is_played_in_several_frames_and_ends_as_without_animation() -> None:
    with person_with() as still, person_with(animation=True) as moving:
        still.tap("Notes")
        before = moving.phone.screen().number
        moving.tap("Notes")

        wait_until(lambda: digest(moving.phone) == digest(still.phone))
        assert moving.phone.screen().number >= before + 5


def test_animation_can_be_switched_off_by_the_settings() -> None:
    with person_with(animation=True) as person:
        person.phone.put_setting("global", "transition_animation_scale", "0")
        before = person.phone.screen().number
        person.tap("Notes")

        assert person.phone.screen().number == before + 1
        assert person.sees("Pancakes")


@pytest.mark.parametrize("nonsense", ["", "fast", "nan", "-1", "1e999", "\ud800\0"])
def test_nonsense_in_a_setting_is_kept_but_changes_nothing(person: Person, nonsense: str) -> None:
    shown = digest(person.phone)
    for namespace, key in (
        ("global", "transition_animation_scale"),
        ("system", "font_scale"),
        ("system", "user_rotation"),
    ):
        person.phone.put_setting(namespace, key, nonsense)

    assert digest(person.phone) == shown
    assert person.phone.get_setting("system", "font_scale") == nonsense


def test_a_larger_font_makes_the_words_larger(person: Person) -> None:
    person.open("Settings")
    before = person.find("Display").bounds.height
    person.phone.put_setting("system", "font_scale", "1.3")

    assert person.find("Display").bounds.height > before


def test_the_journal_tells_each_frame_and_what_was_shown_when_an_input_came(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with person_with("small_phone", journal=path) as person:
        person.tap("Notes")
        person.phone.press_key(HOME_KEY)
        person.type("x")
        screen = person.phone.screen()

    lines = [json.loads(line) for line in path.read_text().splitlines()]
    frames = [line for line in lines if "rgb_sha256" in line]
    inputs = [line for line in lines if "input" in line]
    rgb = bytes(channel for index, channel in enumerate(screen.rgba) if index % 4 != 3)
    assert [line["frame"] for line in frames] == [1, 2, 3]
    assert frames[-1]["rgb_sha256"] == hashlib.sha256(rgb).hexdigest()
    assert frames[-1]["t_ns"] == screen.shown_ns
    assert [line["input"].split()[:2] for line in inputs] == [
        ["touch", "down"],
        ["touch", "up"],
        ["key", "3"],
        ["text", "x"],
    ]
    assert [line["frame"] for line in inputs] == [1, 1, 2, 3]


def test_a_phone_that_was_stopped_says_so_and_keeps_its_last_frame() -> None:
    with person_with() as person:
        phone = person.phone
    with pytest.raises(PhoneStoppedError):
        phone.press_key(HOME_KEY)
    assert phone.screen().number == 1


def test_the_power_key_blackens_the_screen_and_a_sleeping_phone_ignores_touches(person: Person) -> None:
    lit = digest(person.phone)
    person.phone.press_key(POWER_KEY)
    assert set(person.phone.screen().rgba) == {0, 255}
    assert not person.phone.state().awake
    person.tap("Notes")
    person.phone.press_key(WAKE_KEY)

    assert digest(person.phone) == lit


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("rotation", range(4))
def test_nothing_lies_outside_the_screen_in_any_rotation(name: str, rotation: int) -> None:
    with person_with(name) as person:
        phone = person.phone
        phone.set_rotation(rotation)
        size = phone.state().size
        whole = Rect(0, 0, size.width, size.height)
        assert size == PROFILES[name].size.turned(rotation)
        for act in (person.home, lambda: person.open("Notes"), lambda: person.tap("New note"), person.recents):
            act()
            screen = phone.screen()
            assert (screen.width, screen.height) == (size.width, size.height)
            for node in person.nodes:
                assert whole.covers(node.bounds), node
                assert not node.bounds.is_empty, node


def test_a_foldable_shows_its_outer_screen_when_it_is_folded() -> None:
    with person_with("pixel_fold") as person:
        person.open("Notes")
        person.phone.set_posture("CLOSED")
        state = person.phone.state()

        assert state.posture is not None
        assert (state.posture.id, state.size) == (0, Size(1080, 2092))
        assert person.sees("Pancakes")
        person.phone.set_posture("OPENED")
        assert person.phone.state().natural_size == Size(2208, 1840)


def test_a_phone_that_does_not_fold_has_no_postures(person: Person) -> None:
    assert person.phone.state().posture is None
    with pytest.raises(SettingsError, match="does not fold"):
        person.phone.set_posture("CLOSED")


def test_user_rotation_turns_the_screen_once_rotation_is_fixed(person: Person) -> None:
    person.phone.put_setting("system", "accelerometer_rotation", "0")
    person.phone.put_setting("system", "user_rotation", "1")

    assert person.phone.state().rotation == 1
    assert person.phone.get_setting("system", "user_rotation") == "1"


def test_a_rotation_beyond_three_is_refused() -> None:
    with person_with() as person, pytest.raises(ValueError, match="not 4"):
        person.phone.set_rotation(4)


def test_another_size_lays_out_anew_and_can_be_taken_back() -> None:
    with person_with("medium_phone") as person:
        person.phone.override_size(720, 1600)
        state = person.phone.state()
        assert (state.natural_size, state.physical_size) == (Size(720, 1600), Size(1080, 2400))
        assert person.phone.screen().width == 720
        person.phone.reset_size()
        assert person.phone.screen().width == 1080


def test_an_app_is_started_by_package_or_by_component_and_stopped_by_package(person: Person) -> None:
    phone = person.phone
    phone.start_activity("com.android.settings/.Settings")
    assert phone.state().package == "com.android.settings"
    phone.start_activity("com.odyssey.notes")
    assert phone.state().title == "com.odyssey.notes/com.odyssey.notes.MainActivity"
    phone.force_stop("com.odyssey.notes")
    assert phone.state().package == "com.android.launcher3"


def test_an_app_that_is_not_installed_is_named() -> None:
    with person_with() as person, pytest.raises(LookupError, match=r"com\.example\.none"):
        person.phone.start_activity("com.example.none")


def test_every_package_names_its_launcher_activity_in_full() -> None:
    with person_with() as person:
        packages = person.phone.packages()

    assert {"Notes", "Settings"} <= {info.label for info in packages}
    assert all(info.activity.startswith(f"{info.package}.") for info in packages)


def test_a_snapshot_brings_everything_back_any_number_of_times(person: Person) -> None:
    person.open("Notes")
    person.phone.set_clipboard("before")
    shown, snapshot = digest(person.phone), person.phone.save_snapshot()
    for _ in range(2):
        person.tap("Pancakes")
        person.tap_field("body")
        person.type("Burnt. ")
        person.phone.set_clipboard("after")
        person.phone.load_snapshot(snapshot)
        assert digest(person.phone) == shown
        assert person.phone.get_clipboard() == "before"


def test_only_a_snapshot_can_be_loaded() -> None:
    with person_with() as person, pytest.raises(TypeError):
        person.phone.load_snapshot("yesterday")
