import asyncio
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder import errors
from odyssey_recorder.llm.answer_cache import AnswerCache, question_key
from odyssey_recorder.llm.batch import Ask, Batch, BatchProgress
from odyssey_recorder.llm.model import ModelAnswer
from odyssey_recorder.llm.prices import read_prices
from odyssey_recorder.llm.retry import RetryPolicy
from tests.llm import stand_in
from tests.llm.questions import Rewrite, batch, batch_with, model_at, priced, question, questions


def echo(request: stand_in.ReceivedRequest) -> stand_in.Turn:
    return stand_in.says({"text": request.body["messages"][1]["content"]})


def text_of(answer: ModelAnswer) -> str:
    return Rewrite.model_validate(answer.data).text


def texts(results: list[ModelAnswer | errors.LanguageModelError]) -> list[object]:
    return [text_of(result) if isinstance(result, ModelAnswer) else type(result) for result in results]


@pytest.fixture
def server() -> Iterator[stand_in.StandIn]:
    with stand_in.StandIn(echo) as running:
        yield running


def test_answers_keep_question_order_and_the_concurrency_limit() -> None:
    with stand_in.StandIn(echo, delay_s=0.02, waits_for=3) as server:
        results = batch(server, at_once=3).ask_all(questions(12))
    assert texts(results) == [f"Task {number}." for number in range(12)]
    assert server.most_at_once == 3
    assert server.complaints == []


def test_equal_questions_are_asked_once() -> None:
    with stand_in.StandIn(echo, delay_s=0.02) as server:
        results = batch(server).ask_all([question("Again.")] * 5)
        assert texts(results) == ["Again."] * 5
        assert len(server.questions) == 1


def test_failure_does_not_stop_others_and_progress_is_reported() -> None:
    progress: list[BatchProgress] = []
    with stand_in.StandIn(
        lambda request: stand_in.refuses() if "Task 1." in request.words else echo(request)
    ) as server:
        runner = batch(server)
        runner.ask_all(questions(2))
        results = runner.ask_all(questions(4), progress=progress.append)
    assert texts(results) == ["Task 0.", errors.RefusedAnswerError, "Task 2.", "Task 3."]
    assert [one.done for one in progress] == [1, 2, 3, 4]
    assert (progress[-1].kept, progress[-1].failed, progress[-1].of) == (1, 1, 4)
    costs = [one.cost or 0.0 for one in progress]
    assert costs == sorted(costs)
    assert costs[-1] > 0


def test_bug_in_one_job_stops_all_jobs() -> None:
    async def job(ask: Ask) -> ModelAnswer:
        await ask(question())
        raise ZeroDivisionError("a fault of the program")

    with stand_in.StandIn(echo, delay_s=0.02) as server:
        with pytest.raises(ZeroDivisionError):
            batch(server, at_once=2).run([job] * 50)
        assert len(server.questions) <= 2


def test_cancelled_run_is_resumed_from_the_cache(tmp_path: Path, server: stand_in.StandIn) -> None:
    file = tmp_path / "answers.sqlite"
    done: list[BatchProgress] = []
    with pytest.raises(errors.CancelledError):
        batch(server, file, at_once=2).ask_all(questions(60), progress=done.append, cancelled=lambda: len(done) > 9)
    assert len(server.questions) < 60
    batch(server, file).ask_all(questions(60))
    assert len(server.questions) - 60 <= 2, "more than what was under way was asked twice"


def test_cancelling_aborts_pending_requests_immediately() -> None:
    with stand_in.StandIn(echo, delay_s=600) as server:
        started = time.monotonic()
        with pytest.raises(errors.CancelledError):
            batch(server).ask_all(questions(20), cancelled=lambda: len(server.questions) > 3)
        assert time.monotonic() - started < 120


def test_unusable_answers_are_stored_but_not_reused() -> None:
    turns = stand_in.in_turn(stand_in.Reply("no"), stand_in.Reply("nor this"), stand_in.refuses("I cannot."))
    with closing(AnswerCache()) as cache, stand_in.StandIn(turns) as server:
        model = model_at(server)
        key = question_key(question(), model.name, model.host)
        runner = Batch(model, cache, priced())
        progress: list[BatchProgress] = []
        assert texts(runner.ask_all([question()], progress=progress.append)) == [errors.BrokenAnswerError]
        assert (progress[-1].cost or 0) > 0, "a broken answer is paid for"
        assert texts(runner.ask_all([question()])) == [errors.RefusedAnswerError]
        assert texts(runner.ask_all([question()])) == ["a few words"]
        assert cache.broken(key) == ["no", "nor this", "I cannot."]


def test_invalid_answer_is_returned_to_the_model_for_correction(tmp_path: Path) -> None:
    with stand_in.StandIn(
        stand_in.in_turn(stand_in.Reply('{"words": 1}'), stand_in.says({"text": "Mended."}))
    ) as server:
        (answer,) = batch(server, tmp_path / "answers.sqlite").ask_all([question()])
        assert texts(batch(server, tmp_path / "answers.sqlite").ask_all([question()])) == ["Mended."]
        assert isinstance(answer, ModelAnswer)
        assert (answer.data, answer.attempts) == (Rewrite(text="Mended."), 2)
        first, second = server.questions
        assert second.body["messages"][:2] == first.body["messages"]
        assert second.body["messages"][2] == {"role": "assistant", "content": '{"words": 1}'}
        assert "text: Field required" in second.body["messages"][3]["content"]
        assert answer.usage.tokens_in > len(second.words) // 4, "both requests count"


def test_long_invalid_answer_is_returned_truncated() -> None:
    with stand_in.StandIn(stand_in.in_turn(stand_in.Reply("I " * 50_000), then=echo)) as server:
        batch(server).ask_all([question()])
        _, returned, _ = server.questions[1].body["messages"][1:]
        assert returned["content"].startswith("I I I")
        assert len(returned["content"]) < 10_000


def test_truncated_answer_is_not_retried() -> None:
    with stand_in.StandIn(stand_in.in_turn(stand_in.truncated())) as server:
        assert texts(batch(server).ask_all([question()])) == [errors.TruncatedAnswerError]
        assert len(server.questions) == 1


def test_busy_server_is_retried() -> None:
    turns = stand_in.server_error(503), stand_in.rate_limited(), stand_in.DroppedConnection()
    with stand_in.StandIn(stand_in.in_turn(*turns, then=echo)) as server:
        (answer,) = batch(server).ask_all([question("Task.")])
    assert isinstance(answer, ModelAnswer)
    assert (text_of(answer), answer.attempts) == ("Task.", 4)


def test_waits_double_until_retries_are_exhausted() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(round(seconds, 3))

    retry = RetryPolicy(now_s=lambda: sum(waits), sleep=sleep, chance=lambda: 0.0)
    with stand_in.StandIn(lambda request: stand_in.server_error(500)) as server:
        (error,) = batch_with(model_at(server), priced(), retry=retry).ask_all([question()])
        assert isinstance(error, errors.ModelBusyError)
        assert "The server had an error. Gave up after 6 attempts." in str(error)
        assert waits == [0.5, 1, 2, 4, 8]
        assert len(server.questions) == 6


def test_rate_limit_pauses_all_requests() -> None:
    when: list[tuple[str, float]] = []

    def busy_once(request: stand_in.ReceivedRequest) -> stand_in.Turn:
        when.append((request.body["messages"][1]["content"], time.monotonic()))
        return stand_in.rate_limited("0.2") if len(when) == 1 else echo(request)

    async def both(ask: Ask) -> None:
        await asyncio.gather(ask(question("First.")), ask(question("Second.")))

    with stand_in.StandIn(busy_once) as server:
        batch(server, at_once=1).run([both])
    (first, refused_at), *later = when
    assert first == "First."
    assert sorted(words for words, _ in later) == ["First.", "Second."]
    assert min(at for _, at in later) - refused_at >= 0.2


def test_permanent_error_stops_further_requests() -> None:
    with stand_in.StandIn(lambda request: stand_in.no_quota()) as server:
        results = batch(server, at_once=1).ask_all(questions(10))
        assert texts(results) == [errors.ModelUnusableError] * 10
        assert len(server.questions) == 1


def test_failing_server_stops_further_requests() -> None:
    with stand_in.StandIn(lambda request: stand_in.server_error()) as server:
        results = batch(server, at_once=1, tries=2).ask_all(questions(10))
        assert texts(results) == [errors.ModelBusyError] * 3 + [errors.ModelUnusableError] * 7
        assert len(server.questions) == 6


def test_cached_answers_are_returned_while_the_server_is_down(tmp_path: Path, server: stand_in.StandIn) -> None:
    file = tmp_path / "answers.sqlite"
    batch(server, file).ask_all(questions(2))
    server.behaviour = lambda request: stand_in.no_quota()
    results = batch(server, file, at_once=1).ask_all([question("New."), *questions(2)])
    assert texts(results) == [errors.ModelUnusableError, "Task 0.", "Task 1."]


def test_requests_stop_before_exceeding_the_budget(tmp_path: Path, server: stand_in.StandIn) -> None:
    file = tmp_path / "answers.sqlite"
    short = {"max_completion_tokens": 6}
    requests = [question(f"Task {number}.", parameters=short) for number in range(10)]
    whole = batch(server).estimate(requests)
    assert whole.cost is not None
    runner = batch(server, file, budget=whole.cost / 2, at_once=1)
    progress: list[BatchProgress] = []
    results = runner.ask_all(requests, progress=progress.append)
    assert isinstance(results[-1], errors.BudgetError)
    answered = [one for one in results if isinstance(one, ModelAnswer)]
    assert 0 < len(answered) == len(server.questions) < 10
    assert (progress[-1].cost or 0) <= whole.cost / 2
    assert len(batch(server, file).ask_all(requests)) == 10
    assert server.repeated == 0


def test_budget_includes_concurrent_requests() -> None:
    with stand_in.StandIn(echo, delay_s=0.02) as server:
        one = batch(server).estimate([question("Task 1.")]).cost
        assert one is not None
        batch(server, budget=2.5 * one, at_once=8).ask_all(questions(8))
        assert len(server.questions) == 2


def test_unknown_price_rules_out_a_budget() -> None:
    progress: list[BatchProgress] = []
    with stand_in.StandIn() as server:
        with pytest.raises(errors.BudgetError, match="'stand-in-1' is unknown"):
            batch_with(model_at(server), read_prices(), budget=1.0)
        runner = batch_with(model_at(server), read_prices())
        runner.ask_all([question()], progress=progress.append)
        assert (runner.estimate([question("Another.")]).cost, progress[-1].cost) == (None, None)


def test_estimate_counts_open_questions_without_asking(tmp_path: Path, server: stand_in.StandIn) -> None:
    file = tmp_path / "answers.sqlite"
    batch(server, file).ask_all(questions(2))
    count = len(server.questions)
    estimate = batch(server, file).estimate([*questions(5), *questions(5)])
    assert (estimate.calls, estimate.kept) == (3, 2)
    assert estimate.tokens_in > 3 * 20
    assert estimate.cost == pytest.approx((estimate.tokens_in + 4 * estimate.tokens_out) / 1e6)
    assert (estimate.model, estimate.host) == (stand_in.MODEL, server.url.removesuffix("/v1"))
    assert estimate.priced_on == read_prices().date
    assert estimate.warnings == ()
    assert len(server.questions) == count


@pytest.mark.parametrize(
    ("name", "ends", "words"),
    [
        (stand_in.MODEL, "2999-01-14", "scheduled to shut down on 2999-01-14"),
        (stand_in.MODEL, "2001-01-14", "shut down on 2001-01-14 and may no longer respond"),
        ("gpt-4-turbo", None, "2026-10-23"),  # from the price table, as the server gives no date
    ],
)
def test_model_shutdown_date_causes_a_warning(name: str, ends: str | None, words: str) -> None:
    with stand_in.StandIn(models={name: ends}) as server:
        (warning,) = batch_with(model_at(server, name=name), read_prices()).estimate([question()]).warnings
    assert words in warning


def test_unusable_cache_file_only_warns(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, server: stand_in.StandIn
) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    runner = batch(server, tmp_path / "cache" / "answers.sqlite")
    (warning,) = runner.estimate([question()]).warnings
    assert "lost when the program ends" in warning
    assert texts(runner.ask_all([question()])) == texts(runner.ask_all([question()]))
    assert len(server.questions) == 1
    caplog.clear()


def test_second_run_needs_no_server(tmp_path: Path) -> None:
    file, progress = tmp_path / "answers.sqlite", list[BatchProgress]()
    with stand_in.StandIn(echo) as server:
        first = batch(server, file).ask_all(questions(5))
    runner = batch(server, file)
    second = runner.ask_all(questions(5), progress=progress.append)
    assert progress[-1] == BatchProgress(5, 5, 0, 5, 0.0, asked=5)
    assert [isinstance(one, ModelAnswer) and one.is_kept for one in second] == [True] * 5
    assert [replace(one, is_kept=False) for one in second if isinstance(one, ModelAnswer)] == first
    assert runner.estimate(questions(5)).warnings == ()
    (warning,) = runner.estimate(questions(6)).warnings
    assert "cannot be reached" in warning


def test_estimate_learns_from_earlier_answers(tmp_path: Path) -> None:
    requests = questions(20)
    with stand_in.StandIn() as server:
        before = batch(server).estimate(requests[7:])
        answers = batch(server, tmp_path / "answers.sqlite").ask_all(requests[:7])
        after = batch(server, tmp_path / "answers.sqlite").estimate(requests)
    used = [one.usage.tokens_in for one in answers if isinstance(one, ModelAnswer)]
    assert (after.calls, after.kept, len(used)) == (13, 7, 7)
    assert before.tokens_in != sum(used) / 7 * 13
    assert after.tokens_in == pytest.approx(sum(used) / 7 * 13, rel=0.02)
