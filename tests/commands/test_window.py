import pytest

from odyssey_recorder.commands.window import has_screen
from tests.cli import CommandLine


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for variable in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("words", [(), ("demo", "--gui"), ("simulate", "--window")])
def test_window_without_a_screen_is_explained(cli: CommandLine, words: tuple[str, ...]) -> None:
    result = cli(*words)
    assert (result.exit_code, result.out) == (1, "")
    assert result.err.startswith("This session has no screen")


@pytest.mark.parametrize("variable", ["QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"])
def test_screen_is_detected_by_environment_variables(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    assert not has_screen()
    monkeypatch.setenv(variable, "anything")
    assert has_screen()


def test_other_systems_always_have_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    assert has_screen()
