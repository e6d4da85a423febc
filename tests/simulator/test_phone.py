import pytest

from odyssey_recorder.simulator.looper import PhoneStoppedError
from odyssey_recorder.simulator.phone import Phone, Size
from odyssey_recorder.simulator.profile import PROFILES
from tests.simulator.person import Person, digest, nothing_leaves_the_screen, person_with, wait_until

HOME_KEY, POWER_KEY, WAKE_KEY = 3, 26, 224


def test_the_seed_decides_what_the_home_screen_shows() -> None:
    one, same, other = (digest(Phone(PROFILES["small_phone"], seed=seed)) for seed in (1, 1, 2))

    assert one == same != other


# Frames


def test_without_animation_an_input_leads_to_exactly_one_frame_and_to_none_if_it_changes_nothing(
    person: Person,
) -> None:
    for words in ("Notes", "Pancakes", "Share", "Copy"):
        before = person.phone.screen().number
        person.tap(words)
        assert person.phone.screen().number == before + 1
    person.home()
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

        moving.phone.put_setting("global", "transition_animation_scale", "0")
        before = moving.phone.screen().number
        moving.tap("Pancakes")
        assert moving.phone.screen().number == before + 1


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


# Settings, rotation, posture and size


@pytest.mark.parametrize("nonsense", ["", "nan", "-1", "1e999", "\ud800\0"])
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


@pytest.mark.parametrize("name", PROFILES)
def test_nothing_lies_outside_the_screen_upright_or_on_its_side(name: str) -> None:
    with person_with(name) as person:
        phone = person.phone
        assert phone.screen().number == 1
        assert set(phone.screen().rgba[3::4]) == {255}
        for rotation in (0, 3):
            phone.clear_recents()
            phone.set_rotation(rotation)
            size = phone.state().size
            assert size == PROFILES[name].size.turned(rotation)
            for act in (person.home, lambda: person.open("Notes", "New note"), person.recents):
                act()
                screen = phone.screen()
                assert (screen.width, screen.height) == (size.width, size.height)
                assert len(screen.rgba) == screen.width * screen.height * 4
                assert nothing_leaves_the_screen(person)


def test_user_rotation_turns_the_screen_once_rotation_is_fixed_and_there_are_four_ways(person: Person) -> None:
    person.phone.put_setting("system", "accelerometer_rotation", "0")
    person.phone.put_setting("system", "user_rotation", "1")

    assert person.phone.state().rotation == 1
    with pytest.raises(ValueError, match="not 4"):
        person.phone.set_rotation(4)


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


def test_another_size_lays_out_anew_and_can_be_taken_back() -> None:
    with person_with("medium_phone") as person:
        person.phone.override_size(720, 1600)
        state = person.phone.state()
        assert (state.natural_size, state.physical_size) == (Size(720, 1600), Size(1080, 2400))
        assert person.phone.screen().width == 720
        person.phone.reset_size()
        assert person.phone.screen().width == 1080


# Apps and snapshots


def test_an_app_is_started_by_package_or_by_component_and_stopped_by_package(person: Person) -> None:
    phone = person.phone
    phone.start_activity("com.android.settings/.Settings")
    assert phone.state().package == "com.android.settings"
    phone.start_activity("com.odyssey.notes")
    assert phone.state().title == "com.odyssey.notes/com.odyssey.notes.MainActivity"
    phone.force_stop("com.odyssey.notes")
    assert phone.state().package == "com.android.launcher3"
    with pytest.raises(LookupError, match=r"com\.example\.none"):
        phone.start_activity("com.example.none")


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
    with pytest.raises(TypeError):
        person.phone.load_snapshot("yesterday")
