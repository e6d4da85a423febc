from odyssey_recorder.simulator.apps.photographs import photograph_in, photographs, without_address
from tests.simulator.person import Person


def photo(person: Person, caption: str) -> None:
    person.open("Photos", caption)


def test_a_photo_opens_with_its_caption_day_and_place(person: Person) -> None:
    photo(person, "Brunch on Sunday")

    assert person.sees("Brunch on Sunday")
    assert any("15 November 2026" in words and "Home" in words for words in person.words)


def test_a_swipe_goes_to_the_next_photo_and_back(person: Person) -> None:
    photo(person, "Brunch on Sunday")
    person.swipe((600, 500), (100, 500))
    assert "Skyline from the bridge" in person.words
    person.swipe((100, 500), (600, 500))

    assert "Brunch on Sunday" in person.words


def test_a_favourite_is_found_among_the_favourites_again(person: Person) -> None:
    photo(person, "Brunch on Sunday")
    person.tap("Add to favourites")
    person.phone.force_stop("com.odyssey.photos")
    person.open("Photos", "Albums", "Favourites")

    assert person.sees("Brunch on Sunday")


def test_a_new_caption_is_what_a_search_finds(person: Person) -> None:
    photo(person, "Brunch on Sunday")
    person.tap("Caption")
    person.hold_at(*person.field("caption").bounds.center)
    person.tap("Select all")
    person.type("Lunch for champions")
    person.tap("Save")
    person.back()
    person.tap("Search")
    person.type("champ")

    assert person.sees("Lunch for champions")
    assert not person.sees("First frost on the ridge")


def test_a_search_without_a_match_says_so(person: Person) -> None:
    person.open("Photos", "Search")
    person.type("submarine")

    assert person.sees("No photos found")


def test_a_deleted_photo_lies_in_the_bin_until_it_is_restored(person: Person) -> None:
    photo(person, "Brunch on Sunday")
    person.tap("Delete")
    assert not person.sees("Brunch on Sunday")
    person.tap("Albums", "Bin", "Brunch on Sunday", "Restore")
    assert person.sees("The bin is empty")
    person.back()
    person.tap("Photos")

    assert person.sees("Brunch on Sunday")


def test_an_emptied_bin_is_empty_for_good(person: Person) -> None:
    person.open("Photos")
    person.hold("First frost on the ridge")
    person.tap("Move to bin", "Albums", "Bin", "Empty bin", "Empty")

    assert person.sees("The bin is empty")


def test_a_shared_photo_becomes_a_post_with_its_picture(person: Person) -> None:
    photo(person, "Brunch on Sunday")
    person.tap("Share", "Social")
    assert person.field("post").text == "Brunch on Sunday"
    person.tap("Post")

    assert person.sees("Post by Robin Keller", "Brunch on Sunday")


def test_every_photograph_is_known_by_its_address() -> None:
    for taken in photographs():
        shared = f"{taken.caption} {taken.address}"

        assert photograph_in(shared) == taken
        assert without_address(shared) == taken.caption


def test_an_address_of_no_photograph_is_only_text() -> None:
    shared = "See photos.example/p/999"

    assert photograph_in(shared) is None
    assert without_address(shared) == shared
