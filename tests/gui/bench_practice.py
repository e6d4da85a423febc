"""Practice for the window's tests: answers and attempts in memory, and scores that a test prepares."""

from odyssey_recorder.errors import PracticeError
from odyssey_recorder.practice.profiles import Attempt, status
from odyssey_recorder.practice.score import Score
from odyssey_recorder.practice.service import Welcome, consent_text
from odyssey_recorder.practice.tasks import practice_tasks

PASSED = Score(92, ("Settings is open", "the Display page is open"), (), True, ("1 hint taken.",))
FAILED = Score(17, ("Settings is open",), ("the Display page is open",), False, ("The right ending is Complete.",))


class BenchPractice:
    """Somebody who has agreed already, unless a test says otherwise."""

    def __init__(self, *, wanted: int = 2, agrees: bool | None = True) -> None:
        self.name = "ada"
        self.agrees = agrees  # None: was not asked yet
        self.score = PASSED  # what each attempt comes to
        self.failure: PracticeError | None = None
        self.attempts: list[Attempt] = []
        self._wanted = tuple(task.task_id for task in practice_tasks()[:wanted])

    def welcome(self) -> Welcome:
        return Welcome(
            name=self.name,
            consent=consent_text(),
            agrees=bool(self.agrees),
            must_ask=self.agrees is None,
            tasks=practice_tasks(),
            status=status(self.attempts, self._wanted),
        )

    def answer_consent(self, name: str, *, agreed: bool) -> Welcome:
        self.name, self.agrees = name, agreed
        return self.welcome()

    def score_attempt(self, task_id: str, episode_id: str, *, hints: int) -> Score:
        if self.failure is not None:
            raise self.failure
        value = self.score.value
        self.attempts.append(Attempt(task_id=task_id, value=value, episode_id=episode_id, scored_us=1, hints=hints))
        return self.score
