"""Which labels people read as the same words, however they are written: the letters below are drawn alike."""

import re
from unicodedata import category, name, normalize

_LOOK_ALIKES = str.maketrans(
    # Greek, in both cases; then Cyrillic and Armenian; then what is drawn like one letter.
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεηικνορτυχγω" + "авекмнорстухѕіјѡԁһӏԛԝүАВЕКМНОРСТУХЅІЈԀҺӀԚԜҮ" + "օսոհցԱՕՍ" + "ıɑɡɩƖǀ\u2223\u2502",
    "ABEZHIKMNOPTYXaenikvoptuxyw" + "abekmhopctyxsijwdhlqwyABEKMHOPCTYXSIJDHlQWY" + "ounhgUOU" + "iagillll",
)
_DIGITS = str.maketrans("013457", "oleast")
_IN_WORD = re.compile(r"(?<=[^\W\d_])[013457@$]+(?=[^\W\d_])")
_CAPITAL_I = re.compile(r"(?<=[a-z])I(?=[a-z])")
_SPACED = re.compile(r"\b[^\W\d_](?:[ .\-_*·]{1,2}[^\W\d_]\b){2,}")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ONE_NAME = re.compile(r"[a-z]+(?:[A-Z][a-z0-9]*)+")
_BLANKS = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")
_REVERSED = re.compile("[\u202d\u202e]")
_WORD = re.compile(r"[^\W\d_]+")
_ALPHABETS = {"LATIN", "CYRILLIC", "ARABIC", "DEVANAGARI"}
_MIXED = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC"}
"""The scripts of the languages of `risky_words.toml`; those of the second line share words with Latin."""
_KINDS = re.compile(
    r"\b(?:btn|button|img|image|i[vbcd]|icon|tv|txt|text|view|fab|[lrfc]l|layout|container|root|wrapper|frame|item|row|cell|"
    r"content|widget|action|clickable|group|box|card|holder|panel|list|title|label|name|left|right|top|bottom|main)\b"
)
_GLUED = re.compile(r"\b(?:btn|button|img|imgbtn|i[vbc]|tv|fab)(?=[a-z]{3})|(?<=[a-z]{3})(?:btn|button|icon|fab)\b")


def folded(text: str) -> str:
    """In lower case, without accents, invisible and look-alike letters; what is one name is taken apart."""
    text = "".join(map(_visible, normalize("NFKD", _BLANKS.sub(" ", text))))
    if _ONE_NAME.fullmatch(text):
        text = _HUMPS.sub(" ", text)
    text = _CAPITAL_I.sub("l", text).translate(_LOOK_ALIKES).casefold().translate(_LOOK_ALIKES)
    text = _IN_WORD.sub(lambda found: found[0].translate(_DIGITS).replace("@", "a").replace("$", "s"), text)
    text = _SPACED.sub(lambda found: re.sub(r"[\W_]", "", found[0]), text)
    return " ".join(normalize("NFKC", text).replace("\u2019", "'").split())


def folded_name(resource_id: str) -> str:
    """The words of a resource id, without those that only say what kind of view it is; often empty."""
    own = resource_id.rpartition("/")[2]
    words = re.sub(r"[\W\d_]+", " ", folded(_HUMPS.sub(" ", own)))
    return " ".join(_KINDS.sub(" ", _GLUED.sub(" ", words)).split())


def says_something(text: str) -> bool:
    """Whether it has letters, digits or signs, and not only pictures, such as those of an icon font."""
    return any(category(letter)[0] in "LNP" or category(letter) == "Sm" for letter in folded(text))


def is_unreadable(text: str) -> bool:
    """Whether it is backwards, or a word is of two alphabets or of one without risky words; units (µm) are not."""
    return _REVERSED.search(text) is not None or any(map(_is_odd, _WORD.findall(normalize("NFKC", text))))


def _is_odd(word: str) -> bool:
    scripts = {name(letter, "").partition(" ")[0].partition("-")[0] for letter in word} - _MIXED
    return (len(word) > 3 and len(scripts) > 1) or (len(word) > 1 and len(scripts) == 1 and not scripts <= _ALPHABETS)


def _visible(letter: str) -> str:
    is_indic_or_kana = "\u0900" <= letter <= "\u0dff" or letter in "\u3099\u309a"
    is_mark = category(letter) in ("Mn", "Me") and not is_indic_or_kana
    return "" if is_mark or category(letter) == "Cf" or letter == "\u0640" else letter
