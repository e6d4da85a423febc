"""Step texts from a vision model, through the real client library and a local server."""

import io
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from odyssey_recorder.annotation.consent import give_consent, needs_consent
from odyssey_recorder.annotation.conversations import Ended
from odyssey_recorder.annotation.semantics import SemanticsStore, Suggestion, TextState
from odyssey_recorder.annotation.text_kinds import COMPLETED, FIRST_CONTEXT, TextKind
from odyssey_recorder.curation.redaction import RedactedBox, RedactedWords, Redaction, write_redaction
from odyssey_recorder.dataset.layout import CONSENTS, screenshot_path, semantics_path, ui_tree_path
from odyssey_recorder.errors import CancelledError
from tests.annotation.episode_dataset import EPISODE, EpisodeDataset
from tests.annotation.phone_dataset import CapturedStep, look_around
from tests.annotation.texts import decided
from tests.annotation.vision_model import VisionModel, expected, images_of
from tests.llm.stand_in import ReceivedRequest, StandIn, says, server_error

PROFILES = ("small_phone", "medium_phone", "pixel_7_pro", "pixel_8_pro", "pixel_fold", "pixel_tablet")
STEPS = 5


@pytest.fixture
def server(recorded: EpisodeDataset) -> Iterator[StandIn]:
    with StandIn(VisionModel(recorded.screens)) as running:
        yield running


@pytest.fixture(scope="module")
def annotated_dataset(
    made: tuple[Path, list[CapturedStep]], tmp_path_factory: pytest.TempPathFactory
) -> tuple[EpisodeDataset, int]:
    """A dataset with all texts, and the port of the server whose answers are cached."""
    root, captured = made
    recorded = EpisodeDataset(shutil.copytree(root, tmp_path_factory.mktemp("whole") / "dataset"), captured)
    with StandIn(VisionModel(recorded.screens)) as server:
        recorded.run(server, effort="low")
        assert {request.body["reasoning_effort"] for request in server.questions} == {"low"}
    return recorded, server.port


@pytest.fixture
def annotated(annotated_dataset: tuple[EpisodeDataset, int], tmp_path: Path) -> EpisodeDataset:
    recorded, _ = annotated_dataset
    return EpisodeDataset(shutil.copytree(recorded.root, tmp_path / "annotated"), [one for one, _ in recorded.screens])


def test_texts_describe_what_each_step_shows_and_touches(recorded: EpisodeDataset, server: StandIn) -> None:
    assert recorded.run(server) == [Ended(EPISODE, 4 * STEPS - 1)]
    count = len(server.questions)
    assert count <= 3 * STEPS - 1
    recorded.run(server)
    assert len(server.questions) == count
    assert server.complaints == []
    texts = recorded.texts()
    seen = [expected(recorded.screens, number) for number in range(STEPS)]
    assert [one[TextKind.INSTRUCTION].words for one in texts[:-1]] == [f"Do {one}." for one in seen]
    assert [one[TextKind.DESCRIPTION].words for one in texts[:-1]] == [f"Shows {one}." for one in seen]
    assert [one[TextKind.INTENTION].words for one in texts[:-1]] == [f"Want {one}." for one in seen]
    done = [f"Done: {' / '.join(f'Want {one}.' for one in seen[:number])}" for number in range(1, STEPS)]
    assert [one[TextKind.CONTEXT].words for one in texts[:-1]] == [FIRST_CONTEXT, *done]
    assert {text.words for text in texts[-1].values()} == {COMPLETED}


@pytest.mark.parametrize(
    ("device", "rotations", "steps"),
    [
        ("small_phone", (1,), 4),
        *(pytest.param(one, (0, 1, 3), 17, marks=[pytest.mark.soak, pytest.mark.timeout(900)]) for one in PROFILES),
    ],
)
def test_model_is_shown_the_right_image_and_mark(
    tmp_path: Path, device: str, rotations: tuple[int, ...], steps: int
) -> None:
    for rotation in rotations:
        root = tmp_path / str(rotation)
        recorded = EpisodeDataset(root, look_around(root, EPISODE, steps, device=device, rotation=rotation))
        with StandIn(VisionModel(recorded.screens)) as server:
            assert recorded.run(server)[0].problem == ""
        instructions = [one[TextKind.INSTRUCTION].words for one in recorded.texts()[:-1]]
        assert instructions == [f"Do {expected(recorded.screens, number)}." for number in range(steps)]


def test_suggestion_records_its_model_and_images(annotated: EpisodeDataset) -> None:
    number = next(at for at, (one, _) in enumerate(annotated.screens) if one.at is not None)
    source, context = annotated.suggestion(number, TextKind.INSTRUCTION), annotated.suggestion(1, TextKind.CONTEXT)
    assert source.call is not None
    assert context.call is not None
    assert (source.call.prompt, source.call.model_answered, source.call.effort) == (
        "step_instruction/1", "stand-in-1", "low",
    )  # fmt: skip
    plain, marked = source.call.images
    assert plain.png_sha256 == marked.png_sha256 == sha256(annotated.screens[number][0].png).hexdigest()
    assert plain.mark is None
    assert marked.mark is not None
    assert context.call.images == ()
    assert source.call.cost is not None
    assert source.call.cost > 0


def test_combined_calls_are_labelled_as_such(recorded: EpisodeDataset, server: StandIn) -> None:
    assert recorded.run(server, calls="combined") == [Ended(EPISODE, 4 * STEPS - 1)]
    assert len(server.questions) <= STEPS
    calls = {one.source.call.prompt for step in recorded.texts() for one in step.values()
             if isinstance(one.source, Suggestion) and one.source.call}  # fmt: skip
    assert calls == {"step_all/1"}


def test_cancelled_and_resumed_run_ends_as_if_undisturbed(recorded: EpisodeDataset) -> None:
    with StandIn(VisionModel(recorded.screens), delay_s=0.2) as server:  # not all are answered before the next look
        for limit in (3, 8):
            with pytest.raises(CancelledError):
                recorded.writer(server).run([EPISODE], cancelled=has_questions(server, limit))
        server.delay_s = 0
        resumed = recorded.run(server)
        repeated = server.repeated
    assert resumed[0].problem == ""
    assert repeated <= 2 * 8, "only what was in flight"
    words = [{kind: text.words for kind, text in step.items()} for step in recorded.texts()]
    (recorded.root / semantics_path(EPISODE)).unlink()
    with StandIn(VisionModel(recorded.screens)) as server:
        recorded.run(server)
    assert [{kind: text.words for kind, text in step.items()} for step in recorded.texts()] == words


def has_questions(server: StandIn, count: int) -> Callable[[], bool]:
    return lambda: len(server.questions) >= count


def test_texts_before_a_server_failure_are_kept(recorded: EpisodeDataset) -> None:
    seeing = VisionModel(recorded.screens)

    def failing(request: ReceivedRequest) -> object:
        return server_error() if list(request.schema["properties"]) == ["context"] else seeing(request)

    with StandIn(failing) as server:  # type: ignore[arg-type]
        ended = recorded.run(server)
    assert "failed (500)" in ended[0].problem
    assert recorded.texts()[0][TextKind.INTENTION].state is TextState.SUGGESTED
    assert recorded.texts()[1][TextKind.INTENTION].state is TextState.MISSING
    with StandIn(seeing, port=server.port) as again:
        assert recorded.run(again)[0].problem == ""
    assert all(text.state is not TextState.MISSING for step in recorded.texts() for text in step.values())


@pytest.mark.parametrize(
    "raw",
    ["", "   ", "x" * 4001, "<html><body>Sorry</body></html>", "a\x1b[31mred", "```json\nTap it.\n```"],
    ids=["empty", "blank", "a book", "html", "escape codes", "fence"],
)
def test_unusable_text_is_left_out(recorded: EpisodeDataset, raw: str) -> None:
    with StandIn(lambda request: says(dict.fromkeys(request.schema["properties"], raw))) as server:
        ended = recorded.run(server)
    assert ended[0].texts == 0
    assert "does not match the schema" in ended[0].problem
    assert all(text.state is TextState.MISSING for text in recorded.texts()[1].values())


def test_rejected_text_is_requested_again(
    annotated_dataset: tuple[EpisodeDataset, int], annotated: EpisodeDataset
) -> None:
    source = annotated.suggestion(0, TextKind.INSTRUCTION)
    SemanticsStore(annotated.root).append(EPISODE, decided(source, "reject"))
    with StandIn(lambda _: says({"low_level_instruction": "Tap it."}), port=annotated_dataset[1]) as server:
        annotated.run(server, effort="low")
        assert len(server.questions) == 1
    assert annotated.texts()[0][TextKind.INSTRUCTION].words == "Tap it."


def test_later_contexts_use_the_edited_intention(annotated: EpisodeDataset, server: StandIn) -> None:
    source = annotated.suggestion(0, TextKind.INTENTION)
    SemanticsStore(annotated.root).append(EPISODE, decided(source, "edit", "I want rice."))
    annotated.run(server)
    assert {tuple(request.schema["properties"]) for request in server.questions} == {("context",)}
    count = len(server.questions)
    annotated.run(server)
    assert len(server.questions) == count, "nothing is stale any more"
    assert all("I want rice. /" in step[TextKind.CONTEXT].words for step in annotated.texts()[2:-1])


def test_private_content_is_blacked_out_before_sending(recorded: EpisodeDataset) -> None:
    number = next(one.number for one, _ in recorded.screens if one.at is not None)
    tree = recorded.root / ui_tree_path(EPISODE, number)
    tree.write_text(tree.read_text().replace('password="false"', 'password="true"', 1))
    last = recorded.screens[STEPS - 1][0]
    common: dict[str, Any] = {"who": "Ann", "at": datetime.now(UTC), "why": "a name"}
    box = RedactedBox(step=last.number, box=(0, 0, 500, 500), sha256=sha256(last.png).hexdigest(), **common)
    words = RedactedWords(text="on the phone", **common)  # in the instruction
    write_redaction(recorded.root, Redaction(episode_id=EPISODE, boxes=(box,), words=(words,)))
    with StandIn(lambda request: says(dict.fromkeys(request.schema["properties"], "A text."))) as server:
        recorded.run(server)
        sent = [images_of(request)[0] for request in server.questions if images_of(request)]
        assert any("[redacted]" in request.words for request in server.questions)
        assert not any("on the phone" in request.words for request in server.questions)
    assert any(is_black(one, (0, 0, 500, 500)) for one in sent)
    assert any(is_black(one, (0, 0, one.width, one.height)) for one in sent), "the first node is the whole screen"


def is_black(image: Image.Image, box: tuple[int, int, int, int]) -> bool:
    return max(high for _, high in image.crop(box).getextrema()) < 30  # type: ignore[misc]


def test_changed_screenshot_is_not_sent(recorded: EpisodeDataset, server: StandIn) -> None:
    path = recorded.root / screenshot_path(EPISODE, 2)
    other = io.BytesIO()
    Image.new("RGB", (72, 128)).save(other, "PNG")
    path.write_bytes(other.getvalue())
    ended = recorded.run(server)
    assert f"{path} has changed since it was recorded" in ended[0].problem
    assert recorded.texts()[1][TextKind.INTENTION].state is TextState.SUGGESTED


def test_episode_with_unreadable_texts_is_skipped(recorded: EpisodeDataset, server: StandIn) -> None:
    path = recorded.root / semantics_path(EPISODE)
    path.parent.mkdir()
    path.write_text('{"format": 1, "episode_id": "0000000000000001", "entries": [{"kind": "suggestion"}, null]}')
    plan = recorded.writer(server).plan([EPISODE])
    ended = recorded.run(server)
    assert server.questions == []
    assert "entry 1" in plan.problems[EPISODE] == ended[0].problem
    assert '"entries": [{"kind": "suggestion"}, null]' in path.read_text()


def test_plan_counts_screenshots_without_reading_or_sending_them(recorded: EpisodeDataset, server: StandIn) -> None:
    different = {one.png for one, _ in recorded.screens[:-1]}
    for one, _ in recorded.screens:
        (recorded.root / screenshot_path(EPISODE, one.number)).unlink()
    plan = recorded.writer(server).plan([EPISODE])
    assert server.questions == []
    assert plan.screenshots == len(different)
    assert plan.problems == {}
    assert STEPS < plan.estimate.calls <= 3 * STEPS - 1


def test_consent_covers_a_host_a_count_and_a_size(tmp_path: Path) -> None:
    host = "https://api.example.com"
    assert not needs_consent(tmp_path, "http://127.0.0.1:8000", 9, 900)
    assert not needs_consent(tmp_path, host, 0, 0)
    assert needs_consent(tmp_path, host, 9, 900)
    give_consent(tmp_path, host, 9, 900, by="Ann")
    with (tmp_path / CONSENTS).open("a") as file:
        file.write("not json")
    give_consent(tmp_path, "https://other.example.com", 90, 9000, by="Ann")
    assert not needs_consent(tmp_path, host, 9, 900)
    assert needs_consent(tmp_path, host, 10, 900)
    assert needs_consent(tmp_path, host, 9, 901)
    assert len((tmp_path / CONSENTS).read_text().splitlines()) == 3
