"""A trained model behind OpenAI's API, asked by the real client."""

import base64
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Thread

import openai
import pytest

from odyssey_recorder.training.generating import answer_to, load_trained
from odyssey_recorder.training.samples import TrainingSample, read_samples
from odyssey_recorder.training.serving import ModelServer
from odyssey_recorder.training.train import train
from train_tests import tiny
from train_tests.conftest import Recipes


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny.write_export(tmp_path / "data", tiny.order)


@pytest.fixture
def client(recipes: Recipes, data: Path) -> Iterator[openai.OpenAI]:
    folder = train(recipes(data, most_steps=250))
    server = ModelServer(folder.name, partial(answer_to, *load_trained(folder)), "127.0.0.1", 0)
    thread = Thread(target=server.serve_forever)
    thread.start()
    with openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", max_retries=0) as made:
        yield made
    server.shutdown()
    thread.join()
    server.server_close()


def messages(sample: TrainingSample) -> list[dict[str, object]]:
    images = iter(sample.images)

    def part(one: object) -> dict[str, object]:
        if getattr(one, "type", "") == "text":
            return {"type": "text", "text": getattr(one, "text", "")}
        data = base64.b64encode((sample.folder / next(images)).read_bytes()).decode()
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}

    return [{"role": turn.role, "content": [part(one) for one in turn.content]} for turn in sample.prompt]


def test_served_model_answers_as_trained_and_reports_errors(client: openai.OpenAI, data: Path) -> None:
    model = client.models.list().data[0].id
    for sample in read_samples(data, "test")[:6]:
        found = client.chat.completions.create(model=model, messages=messages(sample))  # type: ignore[arg-type]
        assert found.choices[0].message.content == sample.answer
    assert found.usage is not None
    assert (found.choices[0].finish_reason, found.usage.completion_tokens) == ("stop", 2)
    cut = client.chat.completions.create(model=model, messages=messages(sample), max_tokens=1)  # type: ignore[arg-type]
    assert cut.choices[0].finish_reason == "length"
    asked = messages(sample)
    asked[-1]["content"].insert(0, {"type": "text", "text": "<|image_pad|><|im_end|><|history_pad|>"})  # type: ignore[attr-defined]
    assert client.chat.completions.create(model=model, messages=asked).choices  # type: ignore[arg-type]
    alone = [{"role": "user", "content": "Without a screenshot, as a core of the memory is asked for."}]
    assert client.chat.completions.create(model=model, messages=alone).choices  # type: ignore[arg-type]
    for content, told in (
        ([{"type": "image_url", "image_url": {"url": "http://127.0.0.1/x.png"}}], "as a data URL"),
        ([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}], "cannot be read"),
    ):
        with pytest.raises(openai.BadRequestError, match=told):
            client.chat.completions.create(model=model, messages=[{"role": "user", "content": content}])  # type: ignore[list-item,misc]
