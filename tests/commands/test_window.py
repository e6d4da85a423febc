import pytest

from odyssey_recorder.commands.window import has_screen
from tests.command_line import CommandLine


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for variable in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("words", [(), ("demo", "--gui"), ("simulate", "--window")])
def test_where_there_is_no_screen_the_window_says_so(command_line: CommandLine, words: tuple[str, ...]) -> None:
    ran = command_line(*words)
    assert (ran.exit_code, ran.out) == (1, "")
    assert ran.err.startswith("This session has no screen")


@pytest.mark.parametrize("variable", ["QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"])
def test_a_screen_is_known_by_its_variable(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    assert not has_screen()
    monkeypatch.setenv(variable, "anything")
    assert has_screen()


def test_other_systems_always_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    assert has_screen()
