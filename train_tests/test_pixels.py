"""Patches as the vision tower reads them, compared with the image processor of transformers."""

import numpy as np
import pytest
import torch
from PIL import Image
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from odyssey_recorder.training.pixels import Patches, normalised

_SIZES = [(1080, 2400), (2208, 1840), (300, 200), (61, 57)]


def noise(size: tuple[int, int]) -> Image.Image:
    coarse = np.random.default_rng(7).integers(0, 256, (size[1] // 20 + 1, size[0] // 20 + 1, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize(size)


@pytest.mark.parametrize("size", _SIZES)
def test_patches_match_transformers(size: tuple[int, int]) -> None:
    image = noise(size)
    theirs = Qwen2VLImageProcessorPil(min_pixels=4 * 784, max_pixels=1280 * 784)(images=[image], return_tensors="pt")
    patches, grid = Patches(14, 2, 1280).of(image)
    assert patches.dtype == torch.uint8
    assert torch.equal(grid, theirs["image_grid_thw"])
    torch.testing.assert_close(normalised(patches), theirs["pixel_values"], rtol=0, atol=1e-6)


@pytest.mark.parametrize("size", _SIZES)
def test_fast_resize_is_nearly_identical(size: tuple[int, int]) -> None:
    image = noise(size)
    exact, quick = (Patches(14, 2, 256, quick).of(image) for quick in (False, True))
    assert torch.equal(exact[1], quick[1])
    assert (exact[0].float() - quick[0].float()).abs().mean() < 1, "levels of 256"
