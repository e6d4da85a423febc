import pytest

from odyssey_recorder.tasks.naming import cut_out, mentions, named

NAMES = (
    "Clock", "Notes", "Photos", "YouTube", "YouTube Music", "eBay", "Lowe's", "Google Maps", "LINE", "X", "Bring!",
    "9GAG", "C++ (and more)",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Set an alarm in Clock", ("Clock",)),
        ("Set an alarm on the clock", ()),
        ("Find a video on youtube", ("YouTube",)),
        ("Play it in YouTube Music", ("YouTube Music",)),
        ("Look on EBAY and in Lowe\u2019s", ("eBay", "Lowe's")),
        ("Photos of a cat: save two of them", ()),
        ("It is late. Clock the time", ()),
        ('Say "Clock it"', ("Clock",)),
        ("google maps knows the way", ()),
        ("Watch it in 9gag with C++ (and more)", ("9GAG", "C++ (and more)")),
        ("The YouTubers say so", ()),
        ("Google Maps shall show it", ("Google Maps",)),
        ("Stand in line; write on X, with Bring!", ("X", "Bring!")),
        ("Put a Clocktower in my Notes-like pad", ()),
        ("Send it in LINE. Notes are welcome", ("LINE",)),
    ],
)
def test_app_names_are_distinguished_from_ordinary_words(text: str, found: tuple[str, ...]) -> None:
    assert named(mentions(text, NAMES)) == found


def test_cut_out_names_are_replaced_by_spaces() -> None:
    text = "In Clock, set an alarm"
    assert cut_out(text, mentions(text, NAMES)) == "In      , set an alarm"
