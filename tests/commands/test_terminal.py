from io import StringIO
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.terminal import line
from odyssey_recorder.logs import spelled_out


def printed(*parts: str | tuple[str, str]) -> str:
    file = StringIO()
    Console(file=file, force_terminal=True, color_system="standard").print(line(*parts), soft_wrap=True)
    return file.getvalue()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Größe 你好 😀", "Größe 你好 😀"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\x9b31m", r"\x9b31m"),
        ("one\ntwo\r\tthree", r"one\ntwo\r\tthree"),
        ("\u202eabc", r"\u202eabc"),
        ("\ud800", r"\ud800"),
    ],
)
def test_unprintable_characters_are_escaped(text: str, shown: str) -> None:
    assert spelled_out(text) == shown


@given(st.text(st.characters(exclude_categories=[])))
def test_any_escaped_text_is_printable(text: str) -> None:
    assert spelled_out(text).isprintable()
    assert spelled_out(text).encode().decode() == spelled_out(text)


def test_markup_is_printed_literally_and_style_applies_to_its_part() -> None:
    markup = r"[red]x[/] [link=https://example.org]x[/link] [/] :warning: \[a]"
    assert printed(("bad", "red"), markup) == f"\x1b[31mbad\x1b[0m{markup}\n"


@pytest.mark.parametrize(("text", "shown"), [("", "Checking"), ("[red]3 of 4\x1b[2J", r"[red]3 of 4\x1b[2J")])
def test_progress_shows_a_title_until_it_is_told_a_text(monkeypatch: pytest.MonkeyPatch, text: str, shown: str) -> None:
    file = StringIO()
    monkeypatch.setattr(terminal, "err", Console(file=file, force_terminal=True, width=200))
    with terminal.progress_bar("Checking") as progress:
        progress(0.75, text)
    assert f"{shown} " in file.getvalue()
    assert "75%" in file.getvalue()


def test_without_a_terminal_progress_is_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    written = Event()

    class File(StringIO):
        def write(self, text: str) -> int:
            length = super().write(text)
            if "[3] of 4" in text:
                written.set()
            return length

    monkeypatch.setattr(terminal, "err", Console(file=File(), width=200))
    monkeypatch.setattr(terminal, "LINE_EVERY_S", 0.01)
    with terminal.progress_bar("Checking") as progress:
        progress(0.75, "[3] of 4")
        assert written.wait(60)
    assert isinstance(terminal.err.file, File)
    lines = terminal.err.file.getvalue().splitlines()
    assert {*lines} <= {"Checking", "[3] of 4 (75%)"}
