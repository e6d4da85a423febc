import pytest

from odyssey_simulator.looper import PhoneStoppedError
from odyssey_simulator.phone import Phone, Size
from odyssey_simulator.profile import PROFILES
from tests.cli import wait_until
from tests.simulator.person import Person, digest, is_all_on_screen, person_with

HOME_KEY, POWER_KEY, WAKE_KEY = 3, 26, 224


def test_seed_determines_the_home_screen() -> None:
    one, same, other = (digest(Phone(PROFILES["small_phone"], seed=seed)) for seed in (1, 1, 2))
    assert one == same != other


def test_each_change_is_one_frame_without_animation(person: Person) -> None:
    for text in ("Notes", "Pancakes", "Share", "Copy"):
        before = person.phone.screen().number
        person.tap(text)
        assert person.phone.screen().number == before + 1
    person.home()
    frame = person.phone.screen()
    person.home()
    person.tap("10:00")
    person.type("nobody listens")

    assert person.phone.screen() is frame


def test_animation_ends_at_the_still_screen() -> None:
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


def test_stopped_phone_rejects_input_but_keeps_its_last_frame() -> None:
    with person_with() as person:
        phone = person.phone
    with pytest.raises(PhoneStoppedError):
        phone.press_key(HOME_KEY)
    assert phone.screen().number == 1


def test_sleeping_phone_is_black_and_ignores_touches(person: Person) -> None:
    bright = digest(person.phone)
    person.phone.press_key(POWER_KEY)
    assert set(person.phone.screen().rgba) == {0, 255}
    assert not person.phone.state().awake
    person.tap("Notes")
    person.phone.press_key(WAKE_KEY)

    assert digest(person.phone) == bright


@pytest.mark.parametrize("nonsense", ["", "nan", "-1", "1e999", "\ud800\0"])
def test_invalid_setting_is_stored_but_has_no_effect(person: Person, nonsense: str) -> None:
    frame = digest(person.phone)
    for namespace, key in (
        ("global", "transition_animation_scale"),
        ("system", "font_scale"),
        ("system", "user_rotation"),
    ):
        person.phone.put_setting(namespace, key, nonsense)

    assert digest(person.phone) == frame
    assert person.phone.get_setting("system", "font_scale") == nonsense


def test_larger_font_scale_enlarges_text(person: Person) -> None:
    person.open("Settings")
    before = person.find("Display").bounds.height
    person.phone.put_setting("system", "font_scale", "1.3")
    assert person.find("Display").bounds.height > before


@pytest.mark.parametrize(
    "name",
    [
        *("small_phone", "pixel_fold", "pixel_tablet"),
        *(pytest.param(name, marks=pytest.mark.soak) for name in ("medium_phone", "pixel_7_pro", "pixel_8_pro")),
    ],
)
def test_nothing_lies_outside_the_screen_in_any_orientation(name: str) -> None:
    with person_with(name) as person:
        phone = person.phone
        assert phone.screen().number == 1
        assert set(phone.screen().rgba[3::4]) == {255}
        for rotation in (0, 3):
            phone.clear_recents()
            phone.set_rotation(rotation)
            size = phone.state().size
            assert size == PROFILES[name].size.turned(rotation)
            for action in (person.home, lambda: person.open("Notes", "New note"), person.recents):
                action()
                screen = phone.screen()
                assert (screen.width, screen.height) == (size.width, size.height)
                assert len(screen.rgba) == screen.width * screen.height * 4
                assert is_all_on_screen(person)


def test_user_rotation_setting_turns_the_screen(person: Person) -> None:
    person.phone.put_setting("system", "accelerometer_rotation", "0")
    person.phone.put_setting("system", "user_rotation", "1")
    assert person.phone.state().rotation == 1
    with pytest.raises(ValueError, match="not 4"):
        person.phone.set_rotation(4)


def test_folded_phone_shows_its_outer_screen() -> None:
    with person_with("pixel_fold") as person:
        person.open("Notes")
        person.phone.set_posture("CLOSED")
        state = person.phone.state()

        assert state.posture is not None
        assert (state.posture.id, state.size) == (0, Size(1080, 2092))
        assert person.sees("Pancakes")
        person.phone.set_posture("OPENED")
        assert person.phone.state().natural_size == Size(2208, 1840)


def test_snapshot_can_be_loaded_repeatedly(person: Person) -> None:
    person.open("Notes")
    person.phone.set_clipboard("before")
    frame, snapshot = digest(person.phone), person.phone.save_snapshot()
    for _ in range(2):
        person.tap("Pancakes")
        person.tap_field("body")
        person.type("Burnt. ")
        person.phone.set_clipboard("after")
        person.phone.load_snapshot(snapshot)
        assert digest(person.phone) == frame
        assert person.phone.get_clipboard() == "before"
    with pytest.raises(TypeError):
        person.phone.load_snapshot("yesterday")
