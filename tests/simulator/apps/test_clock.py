from tests.simulator.person import Person


def is_on(person: Person, alarm: str) -> bool:
    return next(node.checked for node in person.nodes if node.checkable and node.content_desc == alarm)


def test_a_new_alarm_has_the_time_days_and_label_that_were_chosen_and_stays(person: Person) -> None:
    person.open("Clock", "Add alarm", "05", "35")
    for _ in range(2):
        person.tap("1 min")
    person.tap("Saturday", "Sunday")
    person.tap_field("label")
    person.type("Train to Basel")
    person.tap("Save")
    person.phone.force_stop("com.odyssey.clock")
    person.open("Clock")

    assert person.sees("Train to Basel, 05:37")
    assert is_on(person, "Alarm at 05:37")


def test_the_switch_of_an_alarm_turns_it_off_and_on(person: Person) -> None:
    person.open("Clock")
    assert is_on(person, "Alarm at 06:45")
    person.tap("Alarm at 06:45")
    assert not is_on(person, "Alarm at 06:45")
    person.tap("Alarm at 06:45")

    assert is_on(person, "Alarm at 06:45")


def test_leaving_the_editor_without_save_changes_nothing(person: Person) -> None:
    person.open("Clock")
    before = person.phone.screen().rgba
    person.tap("Work, 06:45", "11")
    person.back()

    assert person.phone.screen().rgba == before


def test_a_long_press_on_an_alarm_offers_to_delete_it(person: Person) -> None:
    person.open("Clock")
    person.hold("Weekend run, 08:30")
    person.tap("Delete")

    assert person.sees("Alarm deleted")
    assert not person.sees("Weekend run")


def test_a_city_is_found_by_its_country_and_shows_its_own_time(person: Person) -> None:
    person.open("Clock", "World clock", "Add city")
    person.type("nepal")
    person.tap("Kathmandu")

    assert person.sees("Kathmandu", "14:45", "Today, +4:45 h")


def test_a_city_that_nobody_knows_is_said_to_be_unknown(person: Person) -> None:
    person.open("Clock", "World clock", "Add city")
    person.type("atlantis")

    assert any("No city matches" in words for words in person.words)


def test_a_city_can_be_taken_off_the_list(person: Person) -> None:
    person.open("Clock", "World clock")
    person.hold("Tokyo")
    person.tap("Remove city")

    assert not person.sees("Tokyo")
    assert person.sees("New York")


def test_a_timer_is_typed_started_made_longer_and_deleted(person: Person) -> None:
    person.open("Clock", "Timer")
    for digit in ("1", "0", "0", "0"):
        person.tap(digit)
    person.tap("Delete digit", "00", "Start")
    assert person.sees("1:00:00")
    person.tap("+1:00")
    assert person.sees("1:01:00")
    person.tap("Pause")
    assert person.sees("Resume")
    person.tap("Delete")

    assert person.sees("Start")


def test_the_stopwatch_stands_still_while_the_clock_of_the_phone_does(person: Person) -> None:
    person.open("Clock", "Stopwatch", "Start", "Lap")

    assert person.sees("Running", "Lap 1")
    assert person.words.count("00:00.00") == 2
    person.tap("Stop", "Reset")
    assert not person.sees("Lap 1")
