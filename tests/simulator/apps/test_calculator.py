from odyssey_recorder.simulator.apps.calculator import DIVIDED, TIMES
from tests.simulator.person import Person, person_with


def press(person: Person, *keys: str) -> None:
    for key in keys:
        person.tap(key)


def test_the_result_shows_while_one_types_and_after_equals(person: Person) -> None:
    person.open("Calculator")
    press(person, "(", "1", "2", "Plus", "3", ")", "Multiply", "4")
    assert person.sees(f"(12+3){TIMES}4", "60")
    person.tap("Equals")

    assert not person.sees(f"(12+3){TIMES}4")
    assert person.sees("60")


def test_a_sign_after_the_result_goes_on_with_it_and_a_figure_begins_anew(person: Person) -> None:
    person.open("Calculator")
    press(person, "8", "Minus", "2", "Equals", "Multiply", "7", "Equals")
    assert person.sees("42")
    person.tap("5")

    assert not person.sees("425")


def test_a_division_by_nought_is_said_and_can_be_mended(person: Person) -> None:
    person.open("Calculator")
    press(person, "9", "Divide", "0", "Equals")
    assert person.sees("Can't divide by 0")
    press(person, "Delete", "3", "Equals")

    assert not person.sees(f"9{DIVIDED}3")
    assert not person.sees("Can't divide by 0")


def test_a_long_press_copies_what_the_display_shows(person: Person) -> None:
    person.open("Calculator")
    press(person, "1", "2", ".", "5")
    person.hold("12.5")

    assert person.phone.get_clipboard() == "12.5"


def test_an_old_result_is_taken_from_the_history(person: Person) -> None:
    person.open("Calculator")
    press(person, "6", "Multiply", "7", "Equals", "Clear")
    person.tap("History", "= 42")
    assert person.sees("42")
    person.tap("History", "Clear history")

    assert person.sees("Nothing calculated yet")


def test_a_wide_screen_shows_the_history_beside_the_keys() -> None:
    with person_with("pixel_fold") as person:
        person.open("Calculator")
        press(person, "1", "Plus", "1", "Equals")

        assert person.sees("= 2", "AC")
