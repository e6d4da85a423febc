import asyncio
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.errors import (
    BrokenAnswerError,
    BudgetError,
    CancelledError,
    LanguageModelError,
    ModelBusyError,
    ModelUnusableError,
    RefusedAnswerError,
    TruncatedAnswerError,
)
from odyssey_recorder.llm.answer_cache import AnswerCache, question_key
from odyssey_recorder.llm.batch import Ask, Batch, BatchProgress
from odyssey_recorder.llm.model import ModelAnswer
from odyssey_recorder.llm.prices import read_prices
from odyssey_recorder.llm.retry import RetryPolicy
from tests.llm.questions import Rewrite, batch, batch_with, model_at, priced, question, questions
from tests.llm.stand_in import (
    MODEL,
    Asked,
    CutsOff,
    Fails,
    Says,
    StandIn,
    Turn,
    in_turn,
    no_quota,
    rate_limited,
    refuses,
    says,
    server_error,
    truncated,
)


def echo(asked: Asked) -> Turn:
    return says({"text": asked.body["messages"][1]["content"]})


def text_of(answer: ModelAnswer) -> str:
    return Rewrite.model_validate(answer.data).text


def texts(results: list[ModelAnswer | LanguageModelError]) -> list[object]:
    return [text_of(result) if isinstance(result, ModelAnswer) else type(result) for result in results]


class Clock:
    """A clock that only waits advance; `waits` are in seconds."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 3))
        self.now += seconds


def patient(server: StandIn, clock: Clock) -> Batch:
    """Asks one question at a time by that clock, without random waits."""
    retry = RetryPolicy(now_s=lambda: clock.now, sleep=clock.sleep, chance=lambda: 0.0)
    return batch_with(model_at(server), priced(), at_once=1, retry=retry)


# Concurrency.


def test_answers_come_in_the_order_of_the_questions_and_no_more_are_asked_at_once_than_allowed() -> None:
    with StandIn(echo, delay_s=0.02) as server:
        results = batch(server, at_once=3).ask_all(questions(12))
    assert texts(results) == [f"Task {number}." for number in range(12)]
    assert server.most_at_once == 3
    assert server.complaints == []


def test_equal_questions_are_asked_once() -> None:
    with StandIn(echo, delay_s=0.02) as server:
        results = batch(server).ask_all([question("Again.")] * 5)
        assert texts(results) == ["Again."] * 5
        assert len(server.questions) == 1


def test_one_that_fails_does_not_end_the_others_and_progress_tells_what_is_done_and_what_it_cost() -> None:
    told: list[BatchProgress] = []
    with StandIn(lambda asked: refuses() if "Task 1." in asked.words else echo(asked)) as server:
        asks = batch(server)
        asks.ask_all(questions(2))
        results = asks.ask_all(questions(4), progress=told.append)
    assert texts(results) == ["Task 0.", RefusedAnswerError, "Task 2.", "Task 3."]
    assert [one.done for one in told] == [1, 2, 3, 4]
    assert (told[-1].kept, told[-1].failed, told[-1].of) == (1, 1, 4)
    costs = [one.cost or 0.0 for one in told]
    assert costs == sorted(costs)
    assert costs[-1] > 0


def test_a_fault_in_a_job_ends_all_of_them() -> None:
    async def job(ask: Ask) -> ModelAnswer:
        await ask(question())
        raise ZeroDivisionError("a fault of the program")

    with StandIn(echo, delay_s=0.02) as server:
        with pytest.raises(ZeroDivisionError):
            batch(server, at_once=2).run([job] * 50)
        assert len(server.questions) <= 2


# Cache.


def test_a_run_that_was_cancelled_goes_on_where_it_was(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    with StandIn(echo) as server:
        done: list[BatchProgress] = []
        with pytest.raises(CancelledError):
            batch(server, file, at_once=2).ask_all(questions(60), progress=done.append, cancelled=lambda: len(done) > 9)
        assert len(server.questions) < 60
        batch(server, file).ask_all(questions(60))
        assert len(server.questions) - 60 <= 2, "more than what was under way was asked twice"


def test_what_is_under_way_is_given_up_at_once_when_cancelled() -> None:
    with StandIn(echo, delay_s=30) as server:
        started = time.monotonic()
        with pytest.raises(CancelledError):
            batch(server).ask_all(questions(20), cancelled=lambda: len(server.questions) > 3)
        assert time.monotonic() - started < 5


def test_broken_and_refused_answers_are_kept_but_not_given() -> None:
    turns = in_turn(Says("no"), Says("nor this"), refuses("I cannot."))
    with closing(AnswerCache()) as kept, StandIn(turns) as server:
        model = model_at(server)
        key = question_key(question(), model.name, model.host)
        asks = Batch(model, kept, priced())
        told: list[BatchProgress] = []
        assert texts(asks.ask_all([question()], progress=told.append)) == [BrokenAnswerError]
        assert (told[-1].cost or 0) > 0, "a broken answer is paid for"
        assert texts(asks.ask_all([question()])) == [RefusedAnswerError]
        assert texts(asks.ask_all([question()])) == ["a few words"]
        assert kept.broken(key) == ["no", "nor this", "I cannot."]


# Retries.


def test_a_broken_answer_goes_back_to_the_model_once_and_the_mended_one_is_kept(tmp_path: Path) -> None:
    with StandIn(in_turn(Says('{"words": 1}'), says({"text": "Mended."}))) as server:
        (answer,) = batch(server, tmp_path / "answers.sqlite").ask_all([question()])
        assert texts(batch(server, tmp_path / "answers.sqlite").ask_all([question()])) == ["Mended."]
        assert isinstance(answer, ModelAnswer)
        assert (answer.data, answer.attempts) == (Rewrite(text="Mended."), 2)
        first, second = server.questions
        assert second.body["messages"][:2] == first.body["messages"]
        assert second.body["messages"][2] == {"role": "assistant", "content": '{"words": 1}'}
        assert "text: Field required" in second.body["messages"][3]["content"]
        assert answer.usage.tokens_in > len(second.words) // 4, "both requests count"


def test_of_a_broken_answer_without_end_only_the_beginning_goes_back() -> None:
    with StandIn(in_turn(Says("I " * 50_000), then=echo)) as server:
        batch(server).ask_all([question()])
        _, said, _ = server.questions[1].body["messages"][1:]
        assert said["content"].startswith("I I I")
        assert len(said["content"]) < 10_000


@pytest.mark.parametrize(("turn", "kind"), [(truncated(), TruncatedAnswerError), (refuses(), RefusedAnswerError)])
def test_what_asking_again_would_not_mend_is_not_asked_again(turn: Turn, kind: type[LanguageModelError]) -> None:
    with StandIn(in_turn(turn)) as server:
        assert texts(batch(server).ask_all([question()])) == [kind]
        assert len(server.questions) == 1


@pytest.mark.parametrize("turn", [server_error(500), server_error(503), rate_limited(), CutsOff()])
def test_a_server_that_was_busy_is_asked_again(turn: Turn) -> None:
    with StandIn(in_turn(turn, turn, then=echo)) as server:
        (answer,) = batch(server).ask_all([question("Task.")])
    assert isinstance(answer, ModelAnswer)
    assert (text_of(answer), answer.attempts) == ("Task.", 3)


def test_waits_double_until_it_is_given_up_with_the_last_words_of_the_server() -> None:
    clock = Clock()
    with StandIn(lambda asked: server_error(500)) as server:
        (error,) = patient(server, clock).ask_all([question()])
        assert isinstance(error, ModelBusyError)
        assert "The server had an error. Gave up after 6 attempts." in str(error)
        assert clock.waits == [0.5, 1, 2, 4, 8]
        assert len(server.questions) == 6


def test_a_server_with_too_many_questions_is_left_alone_by_all_as_long_as_it_asks() -> None:
    when: list[tuple[str, float]] = []

    def busy_once(asked: Asked) -> Turn:
        when.append((asked.body["messages"][1]["content"], time.monotonic()))
        return rate_limited("0.2") if len(when) == 1 else echo(asked)

    async def both(ask: Ask) -> None:
        await asyncio.gather(ask(question("First.")), ask(question("Second.")))

    with StandIn(busy_once) as server:
        batch(server, at_once=1).run([both])
    (first, refused_at), *later = when
    assert first == "First."
    assert sorted(words for words, _ in later) == ["First.", "Second."]
    assert min(at for _, at in later) - refused_at >= 0.2


def test_a_server_that_asks_to_be_left_alone_for_long_is_not_waited_for() -> None:
    clock = Clock()
    with StandIn(in_turn(rate_limited("3600"))) as server:
        (error,) = patient(server, clock).ask_all([question()])
        assert isinstance(error, ModelBusyError)
        assert clock.waits == []
        assert len(server.questions) == 1


@pytest.mark.parametrize("turn", [no_quota(), Fails(401, {"message": "no"}), Fails(403, {"message": "no"})])
def test_after_what_would_meet_every_question_no_other_is_asked(turn: Turn) -> None:
    with StandIn(lambda asked: turn) as server:
        results = batch(server, at_once=1).ask_all(questions(10))
        assert texts(results) == [ModelUnusableError] * 10
        assert len(server.questions) == 1


def test_a_server_that_is_down_is_not_asked_all_the_questions() -> None:
    with StandIn(lambda asked: server_error()) as server:
        results = batch(server, at_once=1, tries=2).ask_all(questions(10))
        assert texts(results) == [ModelBusyError] * 3 + [ModelUnusableError] * 7
        assert len(server.questions) == 6


def test_kept_answers_are_given_although_the_server_is_down(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    with StandIn(echo) as server:
        batch(server, file).ask_all(questions(2))
        server.behaviour = lambda asked: no_quota()
        results = batch(server, file, at_once=1).ask_all([question("New."), *questions(2)])
    assert texts(results) == [ModelUnusableError, "Task 0.", "Task 1."]


# Money.


def test_asking_stops_before_the_question_that_would_overdraw_the_budget(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    with StandIn(echo) as server:
        short = {"max_completion_tokens": 6}
        asked = [question(f"Task {number}.", parameters=short) for number in range(10)]
        whole = batch(server).estimate(asked)
        assert whole.cost is not None
        asks = batch(server, file, budget=whole.cost / 2, at_once=1)
        told: list[BatchProgress] = []
        results = asks.ask_all(asked, progress=told.append)
        assert isinstance(results[-1], BudgetError)
        answered = [one for one in results if isinstance(one, ModelAnswer)]
        assert 0 < len(answered) == len(server.questions) < 10
        assert (told[-1].cost or 0) <= whole.cost / 2
        assert len(batch(server, file).ask_all(asked)) == 10
        assert server.repeated == 0


def test_the_budget_bounds_what_is_under_way_at_the_same_time() -> None:
    with StandIn(echo, delay_s=0.02) as server:
        one = batch(server).estimate([question("Task 1.")]).cost
        assert one is not None
        batch(server, budget=2.5 * one, at_once=8).ask_all(questions(8))
        assert len(server.questions) == 2


def test_without_a_price_there_is_no_budget_and_the_cost_is_not_known() -> None:
    told: list[BatchProgress] = []
    with StandIn() as server:
        with pytest.raises(BudgetError, match="'stand-in-1' is unknown"):
            batch_with(model_at(server), read_prices(), budget=1.0)
        asks = batch_with(model_at(server), read_prices())
        asks.ask_all([question()], progress=told.append)
        assert (asks.estimate([question("Another.")]).cost, told[-1].cost) == (None, None)


def test_the_estimate_counts_what_is_to_be_asked_and_asks_nothing(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    with StandIn(echo) as server:
        batch(server, file).ask_all(questions(2))
        asked = len(server.questions)
        estimate = batch(server, file).estimate([*questions(5), *questions(5)])
        assert (estimate.calls, estimate.kept) == (3, 2)
        assert estimate.tokens_in > 3 * 20
        assert estimate.cost == pytest.approx((estimate.tokens_in + 4 * estimate.tokens_out) / 1e6)
        assert (estimate.model, estimate.host) == (MODEL, server.url.removesuffix("/v1"))
        assert estimate.priced_on == read_prices().date
        assert estimate.warnings == ()
        assert len(server.questions) == asked


@pytest.mark.parametrize(
    ("name", "ends", "words"),
    [
        (MODEL, "2999-01-14", "scheduled to shut down on 2999-01-14"),
        (MODEL, "2001-01-14", "shut down on 2001-01-14 and may no longer respond"),
        ("gpt-4-turbo", None, "2026-10-23"),  # by the table, where the server says nothing
    ],
)
def test_a_model_that_is_to_end_is_warned_of(name: str, ends: str | None, words: str) -> None:
    with StandIn(models={name: ends}) as server:
        (warning,) = batch_with(model_at(server, name=name), read_prices()).estimate([question()]).warnings
    assert words in warning


def test_a_file_that_cannot_keep_the_answers_is_said_before_anything_is_asked_and_the_work_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with StandIn(echo) as server:
        asks = batch(server, tmp_path / "cache" / "answers.sqlite")
        (warning,) = asks.estimate([question()]).warnings
        assert "lost when the program ends" in warning
        assert texts(asks.ask_all([question()])) == texts(asks.ask_all([question()]))
        assert len(server.questions) == 1
    caplog.clear()


def test_a_second_run_asks_nothing_and_needs_no_server(tmp_path: Path) -> None:
    file, told = tmp_path / "answers.sqlite", list[BatchProgress]()
    with StandIn(echo) as server:
        first = batch(server, file).ask_all(questions(5))
    asks = batch(server, file)
    second = asks.ask_all(questions(5), progress=told.append)
    assert told[-1] == BatchProgress(5, 5, 0, 5, 0.0)
    assert [isinstance(one, ModelAnswer) and one.is_kept for one in second] == [True] * 5
    assert [replace(one, is_kept=False) for one in second if isinstance(one, ModelAnswer)] == first
    assert asks.estimate(questions(5)).warnings == ()
    (warning,) = asks.estimate(questions(6)).warnings
    assert "cannot be reached" in warning


def test_an_estimate_is_corrected_by_what_the_first_answers_took(tmp_path: Path) -> None:
    asked = questions(20)
    with StandIn() as server:
        before = batch(server).estimate(asked[7:])
        answers = batch(server, tmp_path / "answers.sqlite").ask_all(asked[:7])
        after = batch(server, tmp_path / "answers.sqlite").estimate(asked)
    took = [one.usage.tokens_in for one in answers if isinstance(one, ModelAnswer)]
    assert (after.calls, after.kept, len(took)) == (13, 7, 7)
    assert before.tokens_in != sum(took) / 7 * 13
    assert after.tokens_in == pytest.approx(sum(took) / 7 * 13, rel=0.02)
