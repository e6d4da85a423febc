"""How text of unknown origin comes to the terminal: as text, whatever is in it."""

from rich.text import Text


def spelled_out(text: str) -> str:
    """`text` on one line, with all that is no printable character spelled out: ESC as ``\\x1b``."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in text
    )


def line(*parts: str | tuple[str, str]) -> Text:
    """A line for `Console.print`, of texts and of pairs of a text and its style; no markup in them is read."""
    pairs = ((part, "") if isinstance(part, str) else part for part in parts)
    return Text.assemble(*((spelled_out(text), style) for text, style in pairs))
