"""Which episodes are exported: without errors, and accepted if required."""

import io
import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from odyssey_recorder.dataset.provenance import KeyRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.model.action import Action, Complete, Press, SystemKey
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.reviewing.review import Decision
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from odyssey_recorder.quality.reviewing.views import VerdictDraft
from odyssey_recorder.review_service import ReviewService
from odyssey_recorder.selection.index import EpisodeIndex
from tests.command_line import CommandLine, Ran
from tests.dataset.drafts import begin, record
from tests.quality.verdicts import judgements


@pytest.fixture
def store(command_line: CommandLine) -> EpisodeStore:
    return EpisodeStore(command_line.dataset, drafts=command_line.drafts)


def publish(store: EpisodeStore) -> str:
    actions: tuple[Action, ...] = (Press(SystemKey.HOME), Press(SystemKey.BACK), Complete("done"))
    draft = begin(store)
    for number, action in enumerate(actions):
        data = _screen(number)
        sent = KeyRecord(key=action.key.value) if isinstance(action, Press) else None
        known = record(data).model_copy(update={"input": sent})
        draft.add_step(action, draft.keep_picture(data), known)
    return store.publish(draft).stem


def _screen(number: int) -> bytes:
    picture = Image.new("RGB", (72, 128), "white")
    ImageDraw.Draw(picture).rectangle((10, 20 + 20 * number, 60, 50 + 20 * number), fill="navy")
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def export(command_line: CommandLine, *options: str) -> Ran:
    out = command_line.folder / "out"
    return command_line("convert", command_line.dataset, out, "--dialect", "release", "--with-screenshots", *options)


def exported(command_line: CommandLine) -> set[str]:
    return {path.stem for path in (command_line.folder / "out" / "annotations").glob("*.json")}


def spoil(store: EpisodeStore, episode_id: str) -> Path:
    path = store.screenshot_path(store.load(episode_id), 1)
    path.write_bytes(path.read_bytes()[:-40])
    return path


def test_an_episode_with_an_error_stays_out_and_is_named_with_what_was_found(
    command_line: CommandLine, store: EpisodeStore
) -> None:
    good, bad = publish(store), publish(store)
    spoil(store, bad)

    ran = export(command_line)

    assert (ran.exit_code, ran.out) == (1, "1 written, 1 failed\n")
    assert ran.err.startswith(f"{bad}.json: ")
    assert "IMG01@1" in ran.err
    assert exported(command_line) == {good}


def test_it_is_taken_unchecked_where_that_is_asked_and_where_no_pictures_come_along(
    command_line: CommandLine, store: EpisodeStore
) -> None:
    bad = publish(store)
    spoil(store, bad)
    assert export(command_line, "--unchecked").exit_code == 0
    assert exported(command_line) == {bad}
    without_pictures = command_line("convert", store.root, command_line.folder / "bare", "--dialect", "release")
    assert without_pictures.exit_code == 0
    file = store.root / "annotations" / f"{bad}.json"
    ran = command_line("convert", file, command_line.folder / "out.json", "--dialect", "card", "--accepted")
    assert (ran.exit_code, "is not a dataset folder" in ran.err) == (1, True)


@pytest.mark.parametrize(("box", "is_taken"), [([], True), ([9, 9, 1, 1], False)])
def test_an_empty_box_is_repaired_on_the_way_and_a_wrong_one_keeps_the_episode_out(
    command_line: CommandLine, store: EpisodeStore, box: list[int], *, is_taken: bool
) -> None:
    path = store.root / "annotations" / f"{publish(store)}.json"
    tree = json.loads(path.read_bytes())
    tree["steps"][0] |= {"action": "CLICK", "info": [[500, 300], [500, 300]], "ps": "[(500, 300)]", "sam2_bbox": box}
    path.write_text(json.dumps(tree))
    (store.root / "provenance" / path.name).unlink()  # it has another action

    ran = export(command_line)

    assert ("ACT09@0" in ran.err) is not is_taken
    assert exported(command_line) == ({path.stem} if is_taken else set())


def test_only_what_was_accepted_comes_along_where_that_is_asked(command_line: CommandLine, store: EpisodeStore) -> None:
    accepted, waiting = publish(store), publish(store)
    for name in ("Bea", "Cleo"):  # episodes with warnings are judged twice
        accept(store.root, accepted, name)

    ran = export(command_line, "--accepted")

    assert (ran.exit_code, ran.out) == (1, "1 written, 1 failed\n")
    assert f"{waiting}.json is not accepted: unreviewed" in ran.err
    assert exported(command_line) == {accepted}


def accept(root: Path, episode_id: str, name: str) -> None:
    ReviewStore(root).set_policy(ReviewPolicy(second_share=0.0))
    service = ReviewService(EpisodeIndex(root, None), Checker(None, 1), lambda: name)
    service.check_all()
    opened = service.open(episode_id)
    service.submit(episode_id, VerdictDraft(Decision.ACCEPT, judgements("ppp"), "", opened.revision, 9.0))
