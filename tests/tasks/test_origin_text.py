"""A person's phrasing is never presented as a model's, nor the other way round."""

from dataclasses import replace

from odyssey_recorder.model.text_origin import Approval, Equivalence, TextOrigin, Writer
from odyssey_recorder.tasks.wording.origin_text import call_text, judge_text, origin_text, rule_texts
from tests.tasks.origins import BY_MODEL, CALL, FAULTY, PHRASED

LOCAL = f"{CALL.at.astimezone():%Y-%m-%d %H:%M}"


def test_human_written_text_is_described_as_such() -> None:
    assert origin_text(PHRASED) == "A phrasing that a person wrote with the template; no model was asked."
    assert origin_text(TextOrigin()) == "The template's own words, filled in; no phrasing, no model."
    assert origin_text(None) == "Written by a person, in a list of tasks."
    assert origin_text(TextOrigin(Writer.PERSON)) == "Written by a person."


def test_model_text_names_its_call_editor_and_approver() -> None:
    edited = replace(BY_MODEL, edited_by="Ada", approved_by="Bea", approval=Approval.APPROVED)
    assert origin_text(edited) == (
        f"Written by the model m-1-0301. Prompt rewrite/1, https://llm.example, {LOCAL}, 1,312 + 41 tokens, $0.0021."
        " Edited by Ada. Approved by Bea."
    )


def test_unknown_price_is_stated() -> None:
    assert call_text(replace(CALL, cost=None)).endswith("price unknown.")


def test_rule_and_judge_findings_are_described() -> None:
    assert rule_texts(FAULTY.equivalence) == ("“yoga” is missing.",)
    assert judge_text(FAULTY.equivalence) == ""
    judged = Equivalence((), True, False, ("yoga",), ("tea",), CALL)
    assert judge_text(judged) == (
        "The judge (m-1-0301): Does the task ask for everything in the instruction? Yes."
        " Does the instruction ask for everything in the task? No.\nMissing: yoga\nAdded: tea"
    )


def test_agreement_of_the_judge_is_described() -> None:
    content = Equivalence((), True, True, judge=CALL)
    assert judge_text(content) == "The judge (m-1-0301) finds that both ask for the same."
    assert judge_text(replace(content, faults=("Too long.",))) == "The judge (m-1-0301) finds nothing against it."
    assert rule_texts(None) == ()
