from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.errors import CancelledError, RefusedAnswerError, TaskError
from odyssey_recorder.llm.model import LONGEST_ANSWER
from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.templates.template import Items, Role, TemplateLibrary
from odyssey_recorder.tasks.templates.template_files import load_library
from odyssey_recorder.tasks.templates.template_writing import write_template
from odyssey_recorder.tasks.wording.proposing import Proposal, Proposing, likeness, nearest
from tests.llm.questions import batch
from tests.llm.stand_in import StandIn, Turn, in_turn, refuses, says
from tests.tasks.templates import folder_of

NEW: dict[str, Any] = {
    "meta_task": "Watch {film} and write a review of it",
    "slots": [{"name": "film", "items": ["a film about chess", "a film about  bees"]}],
    "roles": ["video", "notes"],
    "phrasings": [
        "I want to watch {film}, then write a review of it.",
        "Could you put {film} on and write a review of it afterwards?",
        "Write a review after watching {film}.",
    ],
    "named_phrasings": [
        "Watch {film} in {video} and write a review of it in {notes}.",
        "In {notes}, write a review of {film} when you have watched it in {video}.",
    ],
    "notes": "A short  film will do.",
}


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as running:
        yield running


@pytest.fixture
def library(tmp_path: Path) -> TemplateLibrary:
    return load_library([folder_of(tmp_path / "templates")])


def propose(library: TemplateLibrary, *templates: dict[str, Any], turn: Turn | None = None) -> list[Proposal]:
    with StandIn(in_turn(turn or says({"templates": list(templates)}))) as server:
        return Proposing(batch(server), library).propose(Category.MEDIA_ENTERTAINMENT, 4)


def test_proposal_becomes_a_template(library: TemplateLibrary) -> None:
    (proposal,) = propose(library, NEW)
    template = proposal.template
    assert proposal.faults == ()
    assert (template.template_id, template.category) == ("watch_and_write_a_review_of", Category.MEDIA_ENTERTAINMENT)
    assert template.slots == {"film": Items(("a film about chess", "a film about bees"))}
    assert template.roles == (Role("video"), Role("notes"))
    assert template.notes == "A short film will do."


def test_prompt_contains_category_roles_and_existing_templates(library: TemplateLibrary, server: StandIn) -> None:
    server.behaviour = in_turn(says({"templates": []}))
    assert Proposing(batch(server), library).propose(Category.MULTI_APPS, 7) == []
    (request,) = server.questions
    assert "Category: Multi_Apps\nAn errand that takes three or more apps" in request.words
    assert "has three or four of these roles" in request.words
    assert '["clock", "notes", "podcast", "video"]' in request.words
    assert '["Listen to {item} and write down {count}"]' in request.words
    assert "Propose 7 new templates." in request.words


def test_proposals_similar_to_other_templates_are_dropped(library: TemplateLibrary) -> None:
    like_old = {**NEW, "meta_task": "Listen to {film} and write down {count}"}
    like_new = {**NEW, "meta_task": "Watch {movie} and write a short review of it"}
    (proposal,) = propose(library, like_old, NEW, like_new)
    assert proposal.template.meta_task == NEW["meta_task"]
    assert proposal.nearest == "listen"
    assert 0 < proposal.likeness <= 0.7


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"roles": ["video"]}, "roles: Media_Entertainment asks for 2 or more different apps, and there is 1"),
        ({"roles": ["notes", "notes"]}, "a slot or a role is listed twice"),
        (
            {"phrasings": ["I want to watch something, then write a review.", *NEW["phrasings"][1:]]},
            "phrasings.0: the gap {film} is missing",
        ),
        (
            {"phrasings": ["I want to watch {film} twice, then write 3 reviews of it.", *NEW["phrasings"][1:]]},
            "phrasings.0: Adds the number \u201c3\u201d, which is not in the task.",
        ),
        ({"meta_task": "Watch YouTube about {film}"}, 'meta_task: names the app "YouTube"'),
    ],
)
def test_faults_of_a_proposal_are_reported(library: TemplateLibrary, change: dict[str, Any], fault: str) -> None:
    (proposal,) = propose(library, {**NEW, **change})
    assert any(one.startswith(fault) for one in proposal.faults), proposal.faults


@pytest.mark.parametrize("words", ["../../etc/passwd {film}", "{film}", "\u00dc \u4e2d {film}", "a" * 300 + " {film}"])
def test_proposed_id_is_a_valid_file_name(library: TemplateLibrary, tmp_path: Path, words: str) -> None:
    (proposal,) = propose(library, {**NEW, "meta_task": words})
    path = write_template(tmp_path / "out", proposal.template)
    assert path.parent == tmp_path / "out" / "Media_Entertainment"


def test_proposed_ids_are_unique(library: TemplateLibrary) -> None:
    other = {**NEW, "meta_task": "Watch and write a review of every single thing that anybody ever made about {film}"}
    first, second = propose(library, NEW, other)
    assert second.template.template_id == f"{first.template.template_id}_2"


def test_answer_limit_grows_with_the_number_of_templates(library: TemplateLibrary, server: StandIn) -> None:
    proposing = Proposing(batch(server), library)
    assert proposing.question(Category.MULTI_APPS, 3) != proposing.question(Category.MULTI_APPS, 3, 1)
    assert {proposing.question(one, 3).prompt for one in Category} == {"propose/1"}
    few, many = (proposing.question(Category.MULTI_APPS, count) for count in (1, 10))
    assert 1_000 < float(str(few.parameters[LONGEST_ANSWER])) < float(str(many.parameters[LONGEST_ANSWER])) < 50_000


def test_refusal_by_the_model_is_reported(library: TemplateLibrary) -> None:
    with pytest.raises(RefusedAnswerError):
        propose(library, turn=refuses())


def test_proposing_can_be_cancelled(library: TemplateLibrary) -> None:
    with StandIn(delay_s=5) as server, pytest.raises(CancelledError):
        Proposing(batch(server), library).propose(Category.MULTI_APPS, 4, cancelled=lambda: bool(server.seen))


def test_unknown_catalogue_is_rejected(library: TemplateLibrary, server: StandIn) -> None:
    with pytest.raises(TaskError, match="No catalogue is named 'toaster'"):
        Proposing(batch(server), library, "toaster")


def test_likeness_is_the_share_of_common_words_in_order() -> None:
    assert likeness("the cat sat here", "the dog sat") == pytest.approx(2 * 2 / 7)
    assert likeness("Find {dish}, and save it.", "find {food} and SAVE it") == 1.0


def test_nearest_template_is_found_with_its_likeness() -> None:
    assert nearest("a b c", {"one": "a b d", "two": "a b c", "three": "x"}) == ("two", 1.0)
    assert nearest("a b c", {}) == ("", 0.0)


@given(st.text(), st.text())
def test_likeness_is_symmetric_and_between_0_and_1(one: str, other: str) -> None:
    assert 0.0 <= likeness(one, other) == likeness(other, one) <= 1.0
