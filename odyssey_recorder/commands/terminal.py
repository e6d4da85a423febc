"""How text of unknown origin comes to the terminal: as text, whatever is in it."""

from rich.text import Text

from odyssey_recorder.logs import spelled_out


def line(*parts: str | tuple[str, str]) -> Text:
    """A line for `Console.print`, of texts and of pairs of a text and its style; no markup in them is read."""
    pairs = ((part, "") if isinstance(part, str) else part for part in parts)
    return Text.assemble(*((spelled_out(text), style) for text, style in pairs))
