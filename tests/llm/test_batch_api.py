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
from tests.llm.stand_in import MODEL, ErrorReply, ReceivedRequest, Reply, StandIn, Turn, fault, server_error

PROMPT = "rewrite/1"
QUESTIONS = questions(10)
FOUR_A_FILE = FileLimits(requests=4)


class BatchClient:
    """A client in `folder`; each use reopens its files, as another process would."""

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

    def submit(self, questions: Sequence[ModelRequest] = QUESTIONS) -> BatchReport:
        with self._open() as api:
            return api.submit(questions, PROMPT)

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


@pytest.fixture
def service() -> BatchService:
    return BatchService()


@pytest.fixture
def server(service: BatchService) -> Iterator[StandIn]:
    with StandIn(others=service.answer) as running:
        yield running


def test_batched_answers_are_not_requested_again(service: BatchService, server: StandIn, tmp_path: Path) -> None:
    service.behaviour, service.polls = lambda _: Reply('{"text": "one\u2028two\x85"}'), 1
    client = BatchClient(tmp_path, server.url)
    sent = client.submit()
    assert (sent.submitted, sent.requests) == (3, 10)
    assert client.submit().submitted == 0, "all are in open batches"
    first = client.collect()
    assert (first.answered, first.open[0]) == (0, "batch_2: in_progress, 0 of 4 requests")
    second = client.collect()
    assert (second.answered, second.open, second.problems) == (10, [], [])
    assert client.submit().submitted == 0
    assert all(isinstance(one, ModelAnswer) and one.is_batched for one in client.run_live())
    assert server.questions == []
    assert service.files == {}, "nothing stays at the server"
    assert set(service.paid.values()) == {1}


def test_unanswered_requests_are_reported_and_reopened(service: BatchService, server: StandIn, tmp_path: Path) -> None:
    fates: list[Fate] = ["answered", "twice", "missing", "expired", "error", "garbage", "no JSON", "answered"]
    service.fate, service.ends = lambda number: fates[number] if number < len(fates) else "answered", "expired"
    client = BatchClient(tmp_path, server.url, FileLimits())
    client.submit()
    report = client.collect()
    assert report.answered == 5
    assert sorted(report.problems) == [
        "batch_2 expired: 1 request: expired",
        "batch_2 expired: 1 request: failed (500)",
        "batch_2 expired: 1 request: refused or unusable answer",
        "batch_2 expired: 1 request: unreadable line",
        "batch_2 expired: 2 requests: no line in the output",
    ]
    missing = [number for number, one in enumerate(client.answers()) if one is None]
    assert missing == [2, 3, 4, 5, 6]
    assert client.submit().requests == 5
    client.collect()
    assert None not in client.answers()
    twice = {key for key, count in service.paid.items() if count > 1}
    model = OpenAIModel(MODEL, server.url, None)
    assert twice == {question_key(QUESTIONS[5], MODEL, model.host)}, "only what was answered unusably"


def test_failed_batch_is_reported_and_resubmitted(service: BatchService, server: StandIn, tmp_path: Path) -> None:
    service.ends = "failed"
    client = BatchClient(tmp_path, server.url)
    client.submit()
    report = client.collect()
    assert "batch_2 failed: Enqueued token limit reached." in report.problems
    service.ends = "completed"
    assert client.submit().requests == 10
    assert client.collect().answered == 10
    assert set(service.paid.values()) == {1}


def test_too_large_file_is_split_in_half(service: BatchService, server: StandIn, tmp_path: Path) -> None:
    service.largest = 1_500
    client = BatchClient(tmp_path, server.url, FileLimits())
    report = client.submit()
    assert report.requests == 10
    assert report.submitted > 2
    assert client.collect().answered == 10
    assert set(service.paid.values()) == {1}


def test_too_large_single_request_is_reported(service: BatchService, server: StandIn, tmp_path: Path) -> None:
    service.largest = 100
    report = BatchClient(tmp_path, server.url, FileLimits()).submit(QUESTIONS[:2])
    assert report.submitted == 0
    assert len(report.problems) == 2
    assert "takes only smaller requests" in report.problems[0]


def test_files_respect_the_byte_limit(service: BatchService, server: StandIn, tmp_path: Path) -> None:
    BatchClient(tmp_path, server.url, FileLimits(bytes=2_000)).submit()
    assert max(service.sizes) <= 2_000
    assert len(service.sizes) > 2


def test_budget_includes_open_batches_at_half_price(service: BatchService, server: StandIn, tmp_path: Path) -> None:
    with closing(AnswerCache()) as cache:
        whole = Batch(OpenAIModel(MODEL, server.url, None), cache, priced()).estimate(QUESTIONS).cost
    assert whole is not None
    first = BatchClient(tmp_path, server.url, budget=whole * 0.31).submit()
    assert first.requests == 6
    assert "the budget of" in first.problems[0]
    assert BatchClient(tmp_path, server.url, budget=whole * 0.31).submit().requests == 0
    assert BatchClient(tmp_path, server.url, budget=whole * 0.51).submit().requests == 4


def test_lost_batch_is_resubmitted_only_once_forgotten(service: BatchService, server: StandIn, tmp_path: Path) -> None:
    client = BatchClient(tmp_path, server.url)
    client.submit()
    first, *others = service.batches
    del service.batches[first]
    report = client.collect()
    assert report.lost == [f"{first}: {server.url.removesuffix('/v1')} does not know it; 4 requests"]
    assert (report.answered, report.problems) == (6, []), "the others are collected"
    assert client.submit().submitted == 0, "it may be there for another key"
    assert client.forget(first) == 4
    sent = client.submit()
    assert (sent.submitted, sent.requests) == (1, 4)
    again = client.collect()
    assert (again.answered, again.lost) == (4, [])
    assert None not in client.answers()
    assert set(service.paid.values()) == {1}
    assert len(others) == 2


def test_batch_cannot_be_forgotten_unless_the_server_lost_it(service: BatchService, tmp_path: Path) -> None:
    service.polls = 9
    with StandIn(others=service.answer) as server:
        client = BatchClient(tmp_path, server.url, FileLimits())
        client.submit()
        with pytest.raises(LanguageModelError, match="would be paid twice"):
            client.forget("batch_2")
        with pytest.raises(LanguageModelError, match="No open batch of"):
            client.forget("batch_9")
    with StandIn(port=server.port), pytest.raises(ModelUnusableError, match="has no Batch API"):
        client.forget("batch_2")
    with StandIn(others=service.answer, port=server.port):
        assert client.submit().requests == 0
        assert len(client.collect().open) == 1


def test_missing_output_file_is_reported_and_others_are_collected(service: BatchService, tmp_path: Path) -> None:
    gone: list[str] = []

    def losing(request: ReceivedRequest) -> Turn | None:
        if request.path.endswith("/content") and not gone:
            gone.append(request.path.split("/")[-2])
            return fault(404, "No such file.")
        return service.answer(request)

    with StandIn(others=losing) as server:
        client = BatchClient(tmp_path, server.url)
        client.submit()
        report = client.collect()
        assert report.answered == 6
        assert any(f"no longer has {gone[0]}, with its answers" in why for why in report.problems)
        assert client.submit().requests == 4
        assert client.collect().answered == 4
    assert None not in client.answers()


def test_busy_server_is_retried_without_duplicate_batches(service: BatchService, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()

    def failing(request: ReceivedRequest) -> Turn | None:
        seen[f"{request.method} {request.path}"] += 1
        if request.path == "/v1/batches" and request.method == "POST":
            service.answer(request)
            return server_error()
        is_first = seen[f"{request.method} {request.path}"] == 1 and request.path != "/v1/batches"
        return ErrorReply(503, "busy") if is_first else service.answer(request)

    with StandIn(others=failing) as server:
        client = BatchClient(tmp_path, server.url, FileLimits())
        with pytest.raises(LanguageModelError, match="failed"):
            client.submit()
        assert client.collect().answered == 10, "it was created all the same"
    assert seen["POST /v1/batches"] == 1
    assert set(service.paid.values()) == {1}
    assert service.files == {}


def test_damaged_journal_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "batches.sqlite").write_bytes(b"not a database, but longer than a header " * 9)
    with StandIn(others=BatchService().answer) as server:
        for use in (BatchClient(tmp_path, server.url).submit, BatchClient(tmp_path, server.url).collect):
            with pytest.raises(LanguageModelError, match="which batches are open"):
                use()
    assert (tmp_path / "batches.sqlite").read_bytes().startswith(b"not a database")


def test_request_files_can_be_answered_elsewhere(service: BatchService, server: StandIn, tmp_path: Path) -> None:
    client = BatchClient(tmp_path, server.url)
    files = client.written()
    assert [len(one.splitlines()) for one in files] == [4, 4, 2]
    lines: list[str] = []
    for line in (json.loads(line) for data in files for line in data.splitlines()):
        assert (line["method"], line["url"], line["body"]["model"]) == ("POST", "/v1/chat/completions", MODEL)
        service.answer_line(line, "answered", lines, [])
    stray = json.dumps({"id": "x", "custom_id": "ab" * 32, "response": None})
    report = client.read([*reversed(lines), stray, "not json"])
    assert server.seen == []
    assert report.answered == 10
    assert report.problems == ["1 request: line that answers no open question", "1 request: unreadable line"]
    assert None not in client.answers()


def killed_at(
    folder: Path, service: BatchService, limits: FileLimits, number: int, *, is_answered: bool
) -> tuple[str, bool]:
    """Submit and collect in a process that is killed at the request `number`, before or after the server acts on it.

    Returns the server's address, and whether there was that request.
    """
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        _submit_and_collect(folder, limits, os.fdopen(read_end).readline)
    count = 0

    def killing(request: ReceivedRequest) -> Turn | None:
        nonlocal count
        count += 1
        turn = service.answer(request) if is_answered or count != number else None
        if count == number:
            os.kill(child, signal.SIGKILL)
            return server_error()
        return turn

    with StandIn(others=killing) as server:
        os.write(write_end, f"{server.port}\n".encode())
        _, status = os.waitpid(child, 0)
        os.close(write_end)
        os.close(read_end)
        return server.url, os.WIFSIGNALED(status)


def _submit_and_collect(folder: Path, limits: FileLimits, read_port: Callable[[], str]) -> None:
    try:
        client = BatchClient(folder, f"http://127.0.0.1:{int(read_port())}/v1", limits)
        client.submit()
        client.collect()
    finally:
        os._exit(0)


@pytest.mark.parametrize(
    ("per_file", "is_answered", "requests"),
    [(10, False, range(1, 9)), (10, True, range(1, 9)), (6, True, range(3, 5))],
    ids=["before", "after", "second file"],
)
def test_kill_at_any_request_loses_and_repeats_nothing(
    tmp_path: Path, per_file: int, is_answered: bool, requests: range
) -> None:
    limits, killed = FileLimits(requests=per_file), 0
    for request in requests:
        folder, service = tmp_path / str(request), BatchService()
        folder.mkdir()
        url, was_killed = killed_at(folder, service, limits, request, is_answered=is_answered)
        with StandIn(others=service.answer, port=int(url.rpartition(":")[2].partition("/")[0])):
            client = BatchClient(folder, url, limits)
            client.collect()
            if client.submit().submitted:
                client.collect()
            assert None not in client.answers(), request
        assert set(service.paid.values()) == {1}, request
        assert service.files == {}, request
        killed += was_killed
    assert killed == min(len(requests), 7), "there are seven requests for a file"
