"""A person's phrasing is never presented as a model's, nor the other way round."""

from dataclasses import replace

from odyssey_recorder.model.text_origin import Approval, Equivalence, TextOrigin, Writer
from odyssey_recorder.task.wording.origin_words import call_words, judge_words, origin_words, rule_words
from tests.task.origins import BY_MODEL, CALL, FAULTY, PHRASED

LOCAL = f"{CALL.at.astimezone():%Y-%m-%d %H:%M}"


def test_a_phrasing_is_a_persons() -> None:
    assert origin_words(PHRASED) == "A phrasing that a person wrote with the template; no model was asked."
    assert origin_words(TextOrigin()) == "The template's own words, filled in; no phrasing, no model."
    assert origin_words(None) == "Written by a person, in a list of tasks."
    assert origin_words(TextOrigin(Writer.PERSON)) == "Written by a person."


def test_a_models_words_say_by_which_call_and_who_changed_and_approved_them() -> None:
    edited = replace(BY_MODEL, edited_by="Ada", approved_by="Bea", approval=Approval.APPROVED)
    assert origin_words(edited) == (
        f"Written by the model m-1-0301. Prompt rewrite/1, https://llm.example, {LOCAL}, 1,312 + 41 tokens, $0.0021."
        " Edited by Ada. Approved by Bea."
    )


def test_what_nobody_knows_the_price_of_says_so() -> None:
    assert call_words(replace(CALL, cost=None)).endswith("price unknown.")


def test_rules_and_judge_say_what_they_found() -> None:
    assert rule_words(FAULTY.equivalence) == ("“yoga” is missing.",)
    assert judge_words(FAULTY.equivalence) == ""
    judged = Equivalence((), True, False, ("yoga",), ("tea",), CALL)
    assert judge_words(judged) == (
        "The judge (m-1-0301): Does the task ask for everything in the instruction? Yes."
        " Does the instruction ask for everything in the task? No.\nMissing: yoga\nAdded: tea"
    )


def test_a_judge_who_was_content_says_so() -> None:
    content = Equivalence((), True, True, judge=CALL)
    assert judge_words(content) == "The judge (m-1-0301) finds that both ask for the same."
    assert judge_words(replace(content, faults=("Too long.",))) == "The judge (m-1-0301) finds nothing against it."
    assert rule_words(None) == ()
