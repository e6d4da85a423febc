"""Screenshots as Qwen2.5-VL's vision tower reads them: resized and cut into patches, kept as bytes until used."""

from dataclasses import dataclass

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from transformers.image_utils import OPENAI_CLIP_MEAN, OPENAI_CLIP_STD
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize

_FRAMES = 2
"""A patch is of two frames of a video; those of an image are equal."""


@dataclass(frozen=True, slots=True)
class Patches:
    """`side`: pixels of a patch; `merge` x `merge` patches make a token of the language model, of `most_tokens`.

    A `quick` resize averages pixels first, and is not exactly that of transformers.
    """

    side: int
    merge: int
    most_tokens: int
    quick: bool = False

    def of(self, image: Image.Image) -> tuple[Tensor, Tensor]:
        """The patches of an RGB image, uint8 (patches, channels x frames x side x side), and their grid, (1, 3)."""
        token = self.side * self.merge
        area = token**2
        height, width = smart_resize(image.height, image.width, token, 4 * area, self.most_tokens * area)
        gap = 1.0 if self.quick else None
        resized = image.resize((width, height), Image.Resampling.BICUBIC, reducing_gap=gap)
        rows, columns = height // token, width // token
        cut = np.asarray(resized).reshape(rows, self.merge, self.side, columns, self.merge, self.side, 3)
        patches = cut.transpose(0, 3, 1, 4, 6, 2, 5).reshape(-1, 3, 1, self.side**2).repeat(_FRAMES, axis=2)
        grid = torch.tensor([[1, rows * self.merge, columns * self.merge]])
        return torch.from_numpy(patches.reshape(len(patches), -1)), grid


def normalised(patches: Tensor) -> Tensor:
    """Patches of bytes as the vision tower was trained on, float32; others as they are."""
    if patches.dtype != torch.uint8:
        return patches
    mean, std = (torch.tensor(values, device=patches.device)[:, None] for values in (OPENAI_CLIP_MEAN, OPENAI_CLIP_STD))
    channels = patches.unflatten(1, (3, -1)).float()
    return channels.div_(255).sub_(mean).div_(std).flatten(1)
