import pytest

from odyssey_recorder.simulator.apps.recordings import albums, song_called, songs
from tests.simulator.person import Person, person_with


def song(person: Person, title: str) -> None:
    person.open("Music")
    person.scroll_to(title)
    person.tap(title)


def test_a_tap_plays_a_song_and_the_player_pauses_it(person: Person) -> None:
    song(person, "Delta")
    person.tap("Now playing", "Pause")
    assert person.sees("Play")
    person.tap("Next song")

    assert person.sees("Dish Towel Waltz")


def test_a_song_is_put_on_a_new_playlist_which_stays(person: Person) -> None:
    song(person, "Delta")
    person.tap("Now playing", "Add to playlist", "New playlist")
    person.type("Rainy days")
    person.tap("Create")
    assert person.sees("Added to Rainy days")
    person.phone.force_stop("com.odyssey.music")
    person.open("Music", "Playlists")
    assert person.sees("1 song")
    person.tap("Rainy days")

    assert "Delta" in person.words


def test_a_song_is_on_a_playlist_only_once(person: Person) -> None:
    person.open("Music")
    person.hold("Delta")
    person.tap("Add to playlist", "Focus")

    assert person.sees("Already in Focus")


def test_a_liked_song_is_among_the_liked_ones(person: Person) -> None:
    person.open("Music")
    person.hold("Dear Ada")
    person.tap("Like", "Playlists")
    assert person.sees("3 songs")
    person.tap("Liked songs")

    assert person.sees("Dear Ada")


def test_the_search_finds_songs_and_albums_by_artist(person: Person) -> None:
    person.open("Music", "Search")
    person.tap_field("search")
    person.type("fjord")
    assert person.sees("Meltwater")
    person.back()
    person.scroll_to("Slow Rivers")
    person.tap("Slow Rivers")

    assert any("2021" in words for words in person.words)


def test_a_search_without_a_match_says_so(person: Person) -> None:
    person.open("Music", "Search")
    person.tap_field("search")
    person.type("polka")

    assert any(words.startswith("Nothing found") for words in person.words)


def test_a_song_is_shared_with_the_place_where_it_can_be_heard(person: Person) -> None:
    person.open("Music")
    person.hold("Dear Ada")
    person.tap("Share", "Copy")

    assert person.phone.get_clipboard() == "Dear Ada by Marlow & Finch music.example/s/dear-ada"


def test_a_playlist_is_deleted_from_its_menu(person: Person) -> None:
    person.open("Music", "Playlists", "Focus", "More options", "Delete")

    assert not person.sees("Focus")


def test_the_same_seed_shuffles_the_same_way_and_another_seed_another_way() -> None:
    played = []
    for seed in (1, 1, 2):
        with person_with("small_phone", seed=seed) as person:
            person.open("Music", "Shuffle all", "Now playing")
            played.append(person.words)

    assert played[0] == played[1]
    assert played[0] != played[2]


def test_every_song_stands_on_its_album() -> None:
    assert len(songs()) == sum(len(album.songs) for album in albums())
    assert len({one.title for one in songs()}) == len(songs())
    with pytest.raises(LookupError, match="no song"):
        song_called("Silence")
