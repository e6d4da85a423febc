"""An annotator's day in the real window, on a phone, a foldable and a tablet."""

from pathlib import Path

import pytest

from odyssey_recorder.model.action import Click, Complete, LongPress, Press, Scroll, Type
from odyssey_recorder.model.episode import Episode
from tests.cli import CommandLine
from tests.end_to_end.journal_checks import published
from tests.end_to_end.screen.annotator import SCROLL, Annotator, holding, pressing
from tests.end_to_end.screen.phone import simulated_phone
from tests.end_to_end.screen.sandbox import Sandbox

pytestmark = pytest.mark.timeout(600)


def test_task_is_recorded_and_replayed(sandbox: Sandbox, profile: str, cli: CommandLine) -> None:
    with sandbox.first_use() as annotator:
        annotator.choose_task("lisbon", check="tasks")
        annotator.start_recording()
        annotator.do_steps(
            *("Browser", "Search or type web address", type_and_note, "Go", "Oslo weather: forecast for the week"),
            *(SCROLL, holding("Sunday"), *map(pressing, ("Home", "Recent", "Back"))),
        )
        annotator.check_layout("record")
        annotator.complete("Rain on Sunday")
        annotator.check_layout("published")
        annotator.press("Dataset", expect=("1 episode", "Lisbon"))
        annotator.check_layout("dataset")
        annotator.press("Tasks")
        annotator.wait_for_entry("Recorded", of="Tasks")

    kinds = [Click, Click, Type, Click, Click, Scroll, LongPress, Press, Press, Press, Complete]
    sandbox.assert_recorded(*kinds)
    episode, provenance = published(sandbox.store, sandbox.episode.episode_id)
    assert episode.steps[-1].action == Complete("Rain on Sunday")
    assert provenance.steps[2].note == "Oslo, for once"
    if profile == "small_phone":
        assert_replayed(sandbox, episode, cli)


def type_and_note(annotator: Annotator) -> None:
    annotator.type_text("oslo weather")
    annotator.keys("ctrl+e")
    annotator.wait_for_steps(3)  # the field opens with the step
    annotator.type("Oslo, for once")
    annotator.keys("Return")


def assert_replayed(sandbox: Sandbox, episode: Episode, cli: CommandLine) -> None:
    annotation = sandbox.store.root / "annotations" / f"{episode.episode_id}.json"
    cli.use_server(sandbox.server.port)
    cli.use_discovery_folder(Path(sandbox.server.environment["XDG_RUNTIME_DIR"]))
    again = sandbox.folder / "again"
    again.mkdir()
    with simulated_phone(sandbox.server, "small_phone", again) as phone:
        result = cli("replay", annotation, "--device", phone.serial)
    assert result.exit_code == 0, result.out + result.err
    assert f"{len(episode.steps)} match, 0 drift, 0 diverged" in result.out
