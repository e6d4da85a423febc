"""A tiny agent learns tasks of the simulated phone whose right action only an earlier screenshot tells.

Settings is dark or light; back on the home screen, which is the same in both cases, Notes or Clock has to be opened.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from odyssey_recorder.agents.adapter import History, PastStep, SentScreenshot, adapter_named
from odyssey_recorder.dataset.layout import annotation_files
from odyssey_recorder.exporting.export_plan import Options, Sampling
from odyssey_recorder.exporting.job import run_export
from odyssey_recorder.exporting.prepared import ExportWanted, prepare
from odyssey_recorder.llm.model import Image as SentImage
from odyssey_recorder.llm.model import LazyImage, Words
from odyssey_recorder.model.action import Click, Press, SystemKey
from odyssey_recorder.model.geometry import Pixel, Size
from odyssey_recorder.training.collator import Encoder
from odyssey_recorder.training.generating import answer, answer_to, load_trained
from odyssey_recorder.training.samples import Content, TrainingSample, Turn, read_samples
from odyssey_recorder.training.scoring import official_right
from odyssey_recorder.training.train import train
from tests.annotation.phone_dataset import EpisodeRecording
from tests.simulator.person import Person, person_with
from train_tests.conftest import quick_recipe

DEVICE = "small_phone"
HISTORIES = {"resampler": "screenshots:2", "text": "actions:2"}
"""How each kind of history is exported; both are told the last two actions."""
INSTRUCTION = "Look around on the phone."
PHONES, HELD_OUT = 100, 10
"""Each has another home screen, and makes two episodes; the last ones are for the test."""


def phones(numbers: range) -> Iterator[tuple[Person, bool, int]]:
    """Each on its home screen, once light and once dark, with a number."""
    for number in numbers:
        with person_with(DEVICE, seed=number) as person:
            for is_dark in (False, True):
                if is_dark:
                    person.open("Settings", "Display", "Dark theme")
                person.home()
                yield person, is_dark, 2 * number + is_dark


def tap(recording: EpisodeRecording, person: Person, words: str) -> None:
    x, y = person.find(words).bounds.center
    recording.tap(Pixel(round(x), round(y)))
    person.tap_at(round(x), round(y))


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("phone")
    sides: dict[str, list[str]] = {"train": [], "test": []}
    for person, is_dark, number in phones(range(PHONES)):
        recording = EpisodeRecording(root, f"{number:016}", DEVICE, person.phone)
        tap(recording, person, "Settings")
        recording.add(Press(SystemKey.HOME))
        person.home()
        tap(recording, person, "Notes" if is_dark else "Clock")
        recording.finish()
        sides["test" if number >= 2 * (PHONES - HELD_OUT) else "train"].append(f"{number:016}.json")
    (root / "splits").mkdir()
    (root / "splits" / "random_split.json").write_text(json.dumps(sides))
    return root


def exported(root: Path, out: Path, history: str) -> Path:
    options = Options(samples=Sampling(history=history, split="random"))
    prepared = prepare(ExportWanted(root, out, "trl", options), annotation_files(root), lambda _: "")
    with ThreadPoolExecutor(1) as pool:
        return run_export(prepared.request, prepared.episodes, pool)


Trained = Mapping[str, tuple[Any, Encoder, list[TrainingSample]]]
"""Model, encoding and the held-out samples of each kind of history."""


@pytest.fixture(scope="module")
def trained(dataset: Path, base: Path, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder, made = tmp_path_factory.mktemp("trained"), {}
    for kind, history in HISTORIES.items():
        data = exported(dataset, folder / kind, history)
        recipe = quick_recipe(base, data, folder / f"{kind} out", {"history": kind})
        made[kind] = (*load_trained(train(recipe)), read_samples(data, "test"))
    return made


def test_history_improves_the_agent_offline(trained: Trained) -> None:
    ams = {}
    for kind, (model, encoding, samples) in trained.items():
        right = official_right((one.gold, answer(model, encoding, one).text) for one in samples if one.gold)
        ams[kind] = sum(right) / len(right)
    assert ams["resampler"] == 1.0
    assert ams["text"] <= 0.9, "a step of four is a guess"


def test_history_improves_the_agent_online(trained: Trained) -> None:
    solved = Counter[str]()
    for person, is_dark, _ in phones(range(PHONES - HELD_OUT, PHONES)):
        for kind in HISTORIES:
            person.home()
            opened = play(person, *trained[kind][:2])
            solved[kind] += opened == ("com.odyssey.notes" if is_dark else "com.odyssey.clock")
    assert solved["resampler"] == 2 * HELD_OUT
    assert solved["text"] <= 0.75 * 2 * HELD_OUT


def play(person: Person, model: Any, encoding: Encoder) -> str:
    """The app that is open when the agent says that it is done, or after four actions."""
    adapter, steps = adapter_named("odyssey-agent"), list[tuple[PastStep, Image.Image]]()
    size = person.phone.state().size
    whole = Size(size.width, size.height)
    for _ in range(4):
        screen = person.phone.screen()
        image = Image.frombytes("RGBA", (screen.width, screen.height), screen.rgba).convert("RGB")
        shown = SentScreenshot(LazyImage("", (whole.width, whole.height), lambda: SentImage(b"")), whole)
        past = tuple(one if encoding.history == "resampler" else PastStep(one.action) for one, _ in steps[-2:])
        (message,) = adapter.prompt(INSTRUCTION, History(past), shown)
        content = tuple(
            Content(type="text", text=one.text) if isinstance(one, Words) else Content(type="image")
            for one in message.parts
        )
        images = [earlier for _, earlier in steps[-2:]] * (encoding.history == "resampler") + [image]
        said = answer_to(model, encoding, [Turn(role="user", content=content)], images).text
        action = adapter.read(said, whole, whole).action
        match action:
            case Click(point):
                person.tap_at(point.x * whole.width / 1000, point.y * whole.height / 1000)
            case Press(SystemKey.HOME):
                person.home()
            case _:
                break
        steps.append((PastStep(action, shown), image))
    return person.phone.state().package
