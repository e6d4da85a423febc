"""Batches through the real client library and a Batch API on this computer: nothing is lost, nothing paid twice."""

import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from odyssey_recorder.errors import LanguageModelError, ModelUnusableError
from odyssey_recorder.llm.answer_cache import AnswerCache, question_key
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.batch_api import BatchApi, BatchReport
from odyssey_recorder.llm.batch_journal import BatchJournal
from odyssey_recorder.llm.batch_lines import FileLimits
from odyssey_recorder.llm.model import ModelAnswer, ModelRequest
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.retry import RetryPolicy
from tests.llm.batch_service import BatchService, Fate
from tests.llm.questions import Rewrite, priced, questions
from tests.llm.stand_in import MODEL, Asked, Fails, Says, StandIn, Turn, server_error

PROMPT = "rewrite/1"
QUESTIONS = questions(10)
FOUR_A_FILE = FileLimits(requests=4)


class Asking:
    """A client in `folder`; each use opens its files anew, as another process would."""

    def __init__(self, folder: Path, url: str, limits: FileLimits = FOUR_A_FILE, budget: float | None = None) -> None:
        self.folder, self.url, self.limits, self.budget = folder, url, limits, budget

    @contextmanager
    def _open(self) -> Iterator[BatchApi]:
        model = OpenAIModel(MODEL, self.url, None, read_s=10)
        journal = BatchJournal(self.folder / "batches.sqlite", MODEL, model.host)
        with closing(AnswerCache(self.folder / "answers.sqlite")) as cache:
            yield BatchApi(
                model, cache, priced(), journal, {PROMPT: Rewrite}, budget=self.budget, limits=self.limits,
                retry=RetryPolicy(tries=2, first_wait_s=0.001),
            )  # fmt: skip

    def submit(self, asked: Sequence[ModelRequest] = QUESTIONS) -> BatchReport:
        with self._open() as api:
            return api.submit(asked, PROMPT)

    def collect(self) -> BatchReport:
        with self._open() as api:
            return api.collect()

    def forget(self, batch_id: str) -> int:
        with self._open() as api:
            return api.forget(batch_id)

    def written(self) -> list[bytes]:
        with self._open() as api:
            return [bytes(part.data) for part in api.written(QUESTIONS, [])]

    def read(self, lines: Sequence[str]) -> BatchReport:
        with self._open() as api:
            return api.read(lines, QUESTIONS, PROMPT)

    def answers(self) -> list[ModelAnswer | None]:
        model = OpenAIModel(MODEL, self.url, None)
        with closing(AnswerCache(self.folder / "answers.sqlite")) as cache:
            return [cache.find(one, question_key(one, MODEL, model.host)) for one in QUESTIONS]

    def run_live(self) -> list[ModelAnswer | LanguageModelError]:
        with closing(AnswerCache(self.folder / "answers.sqlite")) as cache:
            return Batch(OpenAIModel(MODEL, self.url, None), cache, priced()).ask_all(QUESTIONS)


def served(service: BatchService, **options: object) -> StandIn:
    return StandIn(others=service.answer, **options)  # type: ignore[arg-type]


def test_questions_are_answered_in_batches_and_not_asked_again(tmp_path: Path) -> None:
    service = BatchService(lambda _: Says('{"text": "one\u2028two\x85"}'), looks=1)
    with served(service) as server:
        asking = Asking(tmp_path, server.url)
        sent = asking.submit()
        assert (sent.submitted, sent.requests) == (3, 10)
        assert asking.submit().submitted == 0, "all are in open batches"
        first = asking.collect()
        assert (first.answered, first.open[0]) == (0, "batch_2: in_progress, 0 of 4 requests")
        second = asking.collect()
        assert (second.answered, second.open, second.problems) == (10, [], [])
        assert asking.submit().submitted == 0
        assert all(isinstance(one, ModelAnswer) and one.is_batched for one in asking.run_live())
        assert server.questions == []
    assert service.files == {}, "nothing stays at the server"
    assert set(service.paid.values()) == {1}


def test_what_a_batch_did_not_answer_is_told_and_open_again(tmp_path: Path) -> None:
    fates: list[Fate] = ["answered", "twice", "missing", "expired", "error", "garbage", "no JSON", "answered"]
    service = BatchService(fate=lambda number: fates[number] if number < len(fates) else "answered", ends="expired")
    with served(service) as server:
        asking = Asking(tmp_path, server.url, FileLimits())
        asking.submit()
        report = asking.collect()
        assert report.answered == 5
        assert sorted(report.problems) == [
            "batch_2 expired: 1 request: expired",
            "batch_2 expired: 1 request: failed (500)",
            "batch_2 expired: 1 request: refused or unusable answer",
            "batch_2 expired: 1 request: unreadable line",
            "batch_2 expired: 2 requests: no line in the output",
        ]
        missing = [number for number, one in enumerate(asking.answers()) if one is None]
        assert missing == [2, 3, 4, 5, 6]
        assert asking.submit().requests == 5
        asking.collect()
    assert None not in asking.answers()
    twice = {key for key, count in service.paid.items() if count > 1}
    model = OpenAIModel(MODEL, server.url, None)
    assert twice == {question_key(QUESTIONS[5], MODEL, model.host)}, "only what was answered unusably"


def test_a_batch_that_fails_as_a_whole_is_told_and_submitted_again(tmp_path: Path) -> None:
    service = BatchService(ends="failed")
    with served(service) as server:
        asking = Asking(tmp_path, server.url)
        asking.submit()
        report = asking.collect()
        assert "batch_2 failed: Enqueued token limit reached." in report.problems
        service.ends = "completed"
        assert asking.submit().requests == 10
        assert asking.collect().answered == 10
    assert set(service.paid.values()) == {1}


def test_a_file_that_is_too_large_for_the_server_is_halved(tmp_path: Path) -> None:
    service = BatchService(largest=1_500)
    with served(service) as server:
        asking = Asking(tmp_path, server.url, FileLimits())
        report = asking.submit()
        assert report.requests == 10
        assert report.submitted > 2
        assert asking.collect().answered == 10
    assert set(service.paid.values()) == {1}


def test_one_request_that_is_too_large_is_told(tmp_path: Path) -> None:
    service = BatchService(largest=100)
    with served(service) as server:
        report = Asking(tmp_path, server.url, FileLimits()).submit(QUESTIONS[:2])
    assert report.submitted == 0
    assert len(report.problems) == 2
    assert "takes only smaller requests" in report.problems[0]


def test_files_keep_to_the_limit_of_bytes(tmp_path: Path) -> None:
    service = BatchService()
    with served(service) as server:
        Asking(tmp_path, server.url, FileLimits(bytes=2_000)).submit()
    assert max(service.sizes) <= 2_000
    assert len(service.sizes) > 2


def test_a_budget_counts_what_is_in_open_batches_at_half_the_price(tmp_path: Path) -> None:
    service = BatchService()
    with served(service) as server:
        with closing(AnswerCache()) as cache:
            whole = Batch(OpenAIModel(MODEL, server.url, None), cache, priced()).estimate(QUESTIONS).cost
        assert whole is not None
        first = Asking(tmp_path, server.url, budget=whole * 0.31).submit()
        assert first.requests == 6
        assert "the budget of" in first.problems[0]
        assert Asking(tmp_path, server.url, budget=whole * 0.31).submit().requests == 0
        assert Asking(tmp_path, server.url, budget=whole * 0.51).submit().requests == 4


def test_a_batch_that_the_server_lost_is_told_and_asked_again_only_when_forgotten(tmp_path: Path) -> None:
    service = BatchService()
    with served(service) as server:
        asking = Asking(tmp_path, server.url)
        asking.submit()
        first, *others = service.batches
        del service.batches[first]
        report = asking.collect()
        assert report.lost == [f"{first}: {server.url.removesuffix('/v1')} does not know it; 4 requests"]
        assert (report.answered, report.problems) == (6, []), "the others are collected"
        assert asking.submit().submitted == 0, "it may be there for another key"
        assert asking.forget(first) == 4
        sent = asking.submit()
        assert (sent.submitted, sent.requests) == (1, 4)
        again = asking.collect()
        assert (again.answered, again.lost) == (4, [])
    assert None not in asking.answers()
    assert set(service.paid.values()) == {1}
    assert len(others) == 2


def test_a_batch_is_not_forgotten_while_the_server_has_it_or_has_no_batch_api(tmp_path: Path) -> None:
    service = BatchService(looks=9)
    with served(service) as server:
        asking = Asking(tmp_path, server.url, FileLimits())
        asking.submit()
        with pytest.raises(LanguageModelError, match="would be paid twice"):
            asking.forget("batch_2")
        with pytest.raises(LanguageModelError, match="No open batch of"):
            asking.forget("batch_9")
    with StandIn(port=server.port), pytest.raises(ModelUnusableError, match="has no Batch API"):
        asking.forget("batch_2")
    with served(service, port=server.port):
        assert asking.submit().requests == 0
        assert len(asking.collect().open) == 1


def test_an_output_file_that_is_gone_is_named_and_what_another_has_is_kept(tmp_path: Path) -> None:
    service = BatchService()
    gone: list[str] = []

    def losing(asked: Asked) -> Turn | None:
        if asked.path.endswith("/content") and not gone:
            gone.append(asked.path.split("/")[-2])
            return Fails(404, {"message": "No such file.", "type": "invalid_request_error"})
        return service.answer(asked)

    with StandIn(others=losing) as server:
        asking = Asking(tmp_path, server.url)
        asking.submit()
        report = asking.collect()
        assert report.answered == 6
        assert any(f"no longer has {gone[0]}, with its answers" in why for why in report.problems)
        assert asking.submit().requests == 4
        assert asking.collect().answered == 4
    assert None not in asking.answers()


def test_a_server_without_a_batch_api_is_named(tmp_path: Path) -> None:
    with StandIn() as server, pytest.raises(ModelUnusableError, match="has no Batch API"):
        Asking(tmp_path, server.url).submit()


def test_a_busy_server_is_asked_again_but_a_batch_is_never_created_twice(tmp_path: Path) -> None:
    service = BatchService()
    seen: Counter[str] = Counter()

    def failing(asked: Asked) -> Turn | None:
        seen[f"{asked.method} {asked.path}"] += 1
        if asked.path == "/v1/batches" and asked.method == "POST":
            service.answer(asked)
            return server_error()
        is_first = seen[f"{asked.method} {asked.path}"] == 1 and asked.path != "/v1/batches"
        return Fails(503, "busy") if is_first else service.answer(asked)

    with StandIn(others=failing) as server:
        asking = Asking(tmp_path, server.url, FileLimits())
        with pytest.raises(LanguageModelError, match="failed"):
            asking.submit()
        assert asking.collect().answered == 10, "it was created all the same"
    assert seen["POST /v1/batches"] == 1
    assert set(service.paid.values()) == {1}
    assert service.files == {}


def test_a_foreign_or_damaged_journal_is_not_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "batches.sqlite").write_bytes(b"not a database, but longer than a header " * 9)
    with served(BatchService()) as server:
        for use in (Asking(tmp_path, server.url).submit, Asking(tmp_path, server.url).collect):
            with pytest.raises(LanguageModelError, match="which batches are open"):
                use()
    assert (tmp_path / "batches.sqlite").read_bytes().startswith(b"not a database")


def test_request_files_are_answered_by_another_program(tmp_path: Path) -> None:
    service = BatchService()
    with served(service) as server:
        asking = Asking(tmp_path, server.url)
        files = asking.written()
        assert [len(one.splitlines()) for one in files] == [4, 4, 2]
        lines: list[str] = []
        for line in (json.loads(line) for data in files for line in data.splitlines()):
            assert (line["method"], line["url"], line["body"]["model"]) == ("POST", "/v1/chat/completions", MODEL)
            service.answer_line(line, "answered", lines, [])
        stray = json.dumps({"id": "x", "custom_id": "ab" * 32, "response": None})
        report = asking.read([*reversed(lines), stray, "not json"])
        assert server.seen == []
    assert report.answered == 10
    assert report.problems == ["1 request: line that answers no open question", "1 request: unreadable line"]
    assert None not in asking.answers()


# Killed between any two requests, and before a response is read.


def killed_at(
    folder: Path, service: BatchService, limits: FileLimits, request: int, *, is_done: bool
) -> tuple[str, bool]:
    """Submit and collect in a process that is killed at this request; `is_done`: after the server did what it asks.

    Returns the server's address, and whether there was that request.
    """
    told, tell = os.pipe()
    child = os.fork()
    if not child:
        _work(folder, limits, os.fdopen(told).readline)
    count = 0

    def killing(asked: Asked) -> Turn | None:
        nonlocal count
        count += 1
        turn = service.answer(asked) if is_done or count != request else None
        if count == request:
            os.kill(child, signal.SIGKILL)
            return server_error()
        return turn

    with StandIn(others=killing) as server:
        os.write(tell, f"{server.port}\n".encode())
        _, status = os.waitpid(child, 0)
        os.close(tell)
        os.close(told)
        return server.url, os.WIFSIGNALED(status)


def _work(folder: Path, limits: FileLimits, told: Callable[[], str]) -> None:
    try:
        asking = Asking(folder, f"http://127.0.0.1:{int(told())}/v1", limits)
        asking.submit()
        asking.collect()
    finally:
        os._exit(0)


@pytest.mark.parametrize(
    ("a_file", "is_done", "requests"),
    [(10, False, range(1, 9)), (10, True, range(1, 9)), (6, True, range(3, 5))],
    ids=["before", "after", "second file"],
)
def test_a_kill_at_any_request_loses_nothing_and_pays_nothing_twice(
    tmp_path: Path, a_file: int, is_done: bool, requests: range
) -> None:
    limits, killed = FileLimits(requests=a_file), 0
    for request in requests:
        folder, service = tmp_path / str(request), BatchService()
        folder.mkdir()
        url, was_killed = killed_at(folder, service, limits, request, is_done=is_done)
        with served(service, port=int(url.rpartition(":")[2].partition("/")[0])):
            asking = Asking(folder, url, limits)
            asking.collect()
            if asking.submit().submitted:
                asking.collect()
            assert None not in asking.answers(), request
        assert set(service.paid.values()) == {1}, request
        assert service.files == {}, request
        killed += was_killed
    assert killed == min(len(requests), 7), "there are seven requests for a file"
