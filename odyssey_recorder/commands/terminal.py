"""Prints text of unknown origin literally."""

from rich.text import Text

from odyssey_recorder.logs import spelled_out


def line(*parts: str | tuple[str, str]) -> Text:
    """A line for `Console.print`, of texts and of pairs of a text and its style; markup is not interpreted."""
    pairs = ((part, "") if isinstance(part, str) else part for part in parts)
    return Text.assemble(*((spelled_out(text), style) for text, style in pairs))
