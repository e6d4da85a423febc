"""Phrases of findings: numbers with their nouns, and texts of files cut short and escaped."""

import re
from collections.abc import Iterable

from odyssey_recorder.checking.thresholds import NAMED_AT_MOST
from odyssey_recorder.dataset.plain_json import shown
from odyssey_recorder.model.plain_text import few, on_one_line


def named(text: str) -> str:
    """A text of a file: unchanged if it is short and plain, otherwise quoted, cut short and escaped."""
    return text if re.fullmatch(r"[A-Za-z0-9_.\- /]{1,60}", text) else shown(text)


def listed(names: Iterable[str]) -> str:
    return few(list(map(named, names)), NAMED_AT_MOST)


def sentence(words: str) -> str:
    line = on_one_line(words).rstrip(".")
    return f"{line[:1].upper()}{line[1:]}."
