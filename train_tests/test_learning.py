"""What a tiny agent can and cannot learn from earlier screenshots."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from odyssey_recorder.training.generating import answer, load_trained
from odyssey_recorder.training.model import HistoryResampler
from odyssey_recorder.training.samples import TrainingSample, read_samples
from odyssey_recorder.training.train import train
from train_tests import tiny
from train_tests.conftest import Recipes


def rotated(sample: TrainingSample) -> TrainingSample:
    """Its history in another order."""
    first, *others, now = sample.images
    return replace(sample, images=(*others, first, now))


def right(folder: Path, samples: list[TrainingSample]) -> float:
    model, encoding = load_trained(folder)
    return sum(answer(model, encoding, one).text == one.answer for one in samples) / len(samples)


def test_resampler_has_the_parameters_of_the_paper() -> None:
    with torch.device("meta"):
        resampler = HistoryResampler(4096, 256, 32, 0)
    assert sum(one.numel() for one in resampler.parameters()) == 84_975_616


@pytest.mark.parametrize(("frames", "sees"), [(0, False), (4, True)])
def test_order_matters_only_with_a_frame_index(frames: int, sees: bool) -> None:
    torch.manual_seed(0)
    resampler = HistoryResampler(32, 4, 4, frames)
    features, ages = torch.randn(1, 6, 32), torch.tensor([[2, 2, 1, 1, 0, 0]])
    there = torch.ones(1, 6, dtype=torch.bool)
    turned = resampler(features.flip(1), ages, there)
    assert torch.allclose(resampler(features, ages, there), turned, atol=1e-6) is not sees


def test_padding_changes_nothing() -> None:
    torch.manual_seed(0)
    resampler = HistoryResampler(32, 4, 4, 4)
    features, ages = torch.randn(1, 4, 32), torch.tensor([[1, 1, 0, 0]])
    alone = resampler(features, ages, torch.ones(1, 4, dtype=torch.bool))
    padded = torch.nn.functional.pad(features, (0, 0, 0, 3), value=9.0)
    mask = torch.tensor([[True] * 4 + [False] * 3])
    assert torch.allclose(alone, resampler(padded, torch.nn.functional.pad(ages, (0, 3)), mask), atol=1e-6)


def test_information_in_the_first_screenshot_is_learned(recipes: Recipes, tmp_path: Path) -> None:
    data = tiny.write_export(tmp_path / "data", tiny.first_image)
    trained = train(recipes(data))
    tests = read_samples(data, "test")
    assert right(trained, tests) == 1.0
    assert right(trained, [rotated(one) for one in tests if one.images[1] != one.images[0]]) <= 0.4


@pytest.mark.parametrize(("frames", "at_least", "at_most"), [(8, 1.0, 1.0), (0, 0.0, 0.75)])
def test_order_is_learned_only_with_a_frame_index(
    recipes: Recipes, tmp_path: Path, frames: int, at_least: float, at_most: float
) -> None:
    data = tiny.write_export(tmp_path / "data", tiny.order)
    trained = train(recipes(data, {"history_frames": frames}, most_steps=250))
    assert at_least <= right(trained, read_samples(data, "test")) <= at_most


@pytest.mark.parametrize(("history", "at_least", "at_most"), [("images", 1.0, 1.0), ("text", 0.0, 0.75)])
def test_baselines_share_the_code(
    recipes: Recipes, tmp_path: Path, history: str, at_least: float, at_most: float
) -> None:
    data = tiny.write_export(tmp_path / "data", tiny.order)
    trained = train(recipes(data, {"history": history}, most_steps=250))
    assert at_least <= right(trained, read_samples(data, "test")) <= at_most
