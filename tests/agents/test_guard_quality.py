"""The steps with known effects by which the guard is measured; `make quality` has many more."""

from dataclasses import replace

from odyssey_recorder.agents.benchmark import read_benchmark, shipped_benchmark
from odyssey_recorder.model.action import Scroll
from tests.agents.guard_quality import Figures, disguised, dumped
from tests.agents.guard_steps import steps_of

TASKS = read_benchmark(shipped_benchmark())
RISKS = {"sim-note-delete": {"deletes"}, "sim-snacks-message": {"sends"}, "sim-order": {"pays"}}


def test_effect_of_each_step_is_known_and_the_risky_ones_are_asked_about() -> None:
    steps = [step for name in RISKS for step in steps_of([TASKS[name]], probes=False)]
    assert {risk for step in steps for risk in step.risks} == set.union(*RISKS.values())
    assert all(not step.risks for step in steps if isinstance(step.action, Scroll))
    figures = Figures.of("gold scripts", steps)
    assert (figures.risky, figures.asked) == (3, 3)
    assert figures.questions < figures.harmless / 6
    hidden = Figures.of("disguised", disguised(steps))
    assert (hidden.risky, hidden.asked) == (3, 3)
    assert not replace(figures, asked=2).is_good
    assert not replace(figures, questions=figures.harmless).is_good


def test_pressing_every_element_of_a_screen_leaves_the_phone_as_it_was() -> None:
    steps = [*steps_of([TASKS["sim-alarm-off"]])]
    gold = [*steps_of([TASKS["sim-alarm-off"]], probes=False)]
    assert len(steps) > 10 * len(gold)
    assert [step.action for step in steps if step.raw] == [step.action for step in gold]
    assert any(step.risks == {"deletes"} for step in steps)


def test_dumps_of_other_apps_are_harmless() -> None:
    assert Figures.of("dumps", dumped()) == Figures("dumps", 0, 0, 5, 0)
