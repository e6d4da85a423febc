"""`check --judge`: a model's opinion on whether the steps complete the instruction."""

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from odyssey_recorder.checking.one_episode import JUDGED
from odyssey_recorder.curation.redaction import RedactedBox, RedactedWords, Redaction, write_redaction
from odyssey_recorder.dataset.layout import CONSENTS, annotation_path, screenshot_path, ui_tree_path
from odyssey_recorder.model.finding import Finding, Severity
from odyssey_recorder.wiring.user import user_checker
from tests.annotation.phone_dataset import look_around
from tests.annotation.texts import moment
from tests.annotation.vision_model import images_of
from tests.cli import ESCAPES, CommandLine, Result
from tests.llm.stand_in import MODEL, ErrorReply, StandIn, says

FIRST, SECOND = "0000000000000001", "0000000000000002"
STEPS = 13  # and the end
NO = says({"reason": "The last screen is the home screen.", "done": False})
YES = says({"reason": "The list has the item.", "done": True})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made")
    look_around(root, FIRST, STEPS)
    look_around(root, SECOND, 2)
    return root


@pytest.fixture
def dataset(cli: CommandLine, made: Path) -> Path:
    return Path(shutil.copytree(made, cli.dataset))


@pytest.fixture
def server(cli: CommandLine) -> Iterator[StandIn]:
    with StandIn(lambda _: NO) as running:
        cli.monkeypatch.setenv("ODYSSEY_MODEL", "the-writer")
        cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", running.url)
        yield running


def check(cli: CommandLine, *arguments: object) -> Result:
    return cli("check", "--jobs", 1, *arguments)


def judge(cli: CommandLine, *arguments: object) -> Result:
    return check(cli, *arguments, "--judge", MODEL, "--yes")


def opinions(result: Result) -> dict[str, str]:
    found = [one for one in json.loads(result.out)["findings"] if one["check"] == JUDGED]
    assert {one["severity"] for one in found} <= {"note"}
    return {one["episode_id"]: one["found"] for one in found}


def not_judged(result: Result) -> dict[str, list[str]]:
    return {one["why"]: one["episodes"] for one in json.loads(result.out)["not_checked"] if one["check"] == JUDGED}


def in_window(dataset: Path, episode_id: str) -> list[Finding]:
    """As the Review page gets them."""
    with closing(user_checker()) as checker:
        report = checker.known(dataset / annotation_path(episode_id))
    return [] if report is None else [finding for finding in report.findings if finding.check == JUDGED]


def test_opinion_is_a_note_that_names_the_model_and_fails_nothing(
    cli: CommandLine, dataset: Path, server: StandIn
) -> None:
    assert opinions(check(cli, dataset, "--json")) == {}
    judged = judge(cli, dataset, "--json")
    words = f"In the opinion of {MODEL}, which is no proof, the steps do not complete the instruction: "
    assert opinions(judged) == dict.fromkeys((FIRST, SECOND), f"{words}“The last screen is the home screen.”")
    assert not_judged(judged) == {}
    assert {request.body["model"] for request in server.questions} == {MODEL}
    assert sorted(len(images_of(request)) for request in server.questions) == [3, 12]
    printed = judge(cli, dataset / annotation_path(SECOND))
    assert (printed.exit_code, len(server.questions)) == (0, 2), "answers are cached"
    assert "EPI06 note    In the opinion of" in printed.out


def test_opinion_is_kept_until_the_episode_changes(cli: CommandLine, dataset: Path, server: StandIn) -> None:
    judge(cli, dataset)
    assert set(opinions(check(cli, dataset, "--json"))) == {FIRST, SECOND}
    assert [finding.severity for finding in in_window(dataset, FIRST)] == [Severity.NOTE]
    annotation = dataset / annotation_path(FIRST)
    annotation.write_text(annotation.read_text() + "\n")
    later = check(cli, dataset, "--json")
    assert (set(opinions(later)), not_judged(later)) == ({SECOND}, {"it needs a language model": [FIRST]})
    server.behaviour = lambda _: YES
    assert judge(cli, dataset, "--json", "--no-cache").exit_code == later.exit_code
    assert in_window(dataset, FIRST) == []


def test_completed_episodes_have_no_finding(cli: CommandLine, dataset: Path, server: StandIn) -> None:
    server.behaviour = lambda _: YES
    for judged in (judge(cli, dataset, "--json"), check(cli, dataset, "--json")):
        assert (opinions(judged), not_judged(judged)) == ({}, {})


def test_nothing_is_sent_without_agreement(cli: CommandLine, dataset: Path, server: StandIn) -> None:
    unsure = check(cli, dataset, "--judge", MODEL)
    assert (unsure.exit_code, unsure.out) == (2, "")
    assert f"{MODEL} at {server.url.removesuffix('/v1')}: 2 requests" in unsure.err
    assert "screenshots, about 0.3 MB" in unsure.err
    assert "Add --yes" in unsure.err
    assert judge(cli, dataset, "--budget", 1).exit_code == 2, "the price is unknown"
    cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", "http://model.invalid/v1")
    refused = judge(cli, dataset)
    assert refused.exit_code == 2
    assert "has not agreed that its screenshots are sent to http://model.invalid" in refused.err
    assert not (dataset / CONSENTS).exists()
    assert server.questions == []


def test_private_content_is_hidden(cli: CommandLine, dataset: Path, server: StandIn) -> None:
    box = RedactedBox(step=1, box=(0, 0, 300, 300), sha256=_sha256(dataset, 1), who="Ann", at=moment(), why="a face")
    words = RedactedWords(text="phone", who="Ann", at=moment(), why="a name")
    write_redaction(dataset, Redaction(episode_id=SECOND, boxes=(box,), words=(words,)))
    tree = dataset / ui_tree_path(SECOND, 0)
    tree.write_text(tree.read_text().replace('password="false"', 'password="true"', 1))
    judge(cli, dataset / annotation_path(SECOND))
    (request,) = server.questions
    password, redacted, plain = (np.asarray(image) for image in images_of(request))
    assert password.max() < 16, "the first node is the whole screen"
    assert redacted[:250, :250].max() < 16
    assert plain[:250, :250].max() > 200
    assert "on the [redacted]." in request.words


def test_episodes_without_an_opinion_say_why(cli: CommandLine, dataset: Path, server: StandIn) -> None:
    annotation = dataset / annotation_path(FIRST)
    annotation.write_text(annotation.read_text().replace('"COMPLETE"', '"IMPOSSIBLE"'))
    server.behaviour = lambda _: ErrorReply(401, {"message": "Wrong key."})
    before = check(cli, dataset, "--json").exit_code
    judged = judge(cli, dataset, "--json")
    assert (judged.exit_code, opinions(judged)) == (before, {})
    reasons = not_judged(judged)
    assert reasons["it does not end with COMPLETE"] == [FIRST]
    assert len(reasons) == 2
    assert "1 episode without an opinion: it does not end with COMPLETE" in judged.err
    server.behaviour = lambda _: NO
    assert set(opinions(judge(cli, dataset, "--json"))) == {SECOND}


def test_words_of_the_model_control_no_terminal(cli: CommandLine, dataset: Path, server: StandIn) -> None:
    server.behaviour = lambda _: says({"reason": f"{ESCAPES}\n{'long ' * 1000}", "done": False})
    output = judge(cli, dataset / annotation_path(SECOND)).out
    assert not any(letter in output for letter in "\x1b\x9b\u202e")
    assert max(map(len, output.splitlines())) < 600


def test_file_outside_a_dataset_cannot_be_judged(cli: CommandLine, dataset: Path, server: StandIn) -> None:
    alone = dataset.parent / "alone" / f"{SECOND}.json"
    alone.parent.mkdir()
    shutil.copy(dataset / annotation_path(SECOND), alone)
    assert "is not in a dataset folder" in cli.error("check", alone, "--judge", MODEL, "--yes")


def _sha256(dataset: Path, step: int) -> str:
    return sha256((dataset / screenshot_path(SECOND, step)).read_bytes()).hexdigest()
