"""Qwen2.5-VL with a history resampler: earlier screenshots become a fixed number of tokens.

As in OdysseyAgent (arXiv 2406.08451), earlier screenshots pass the vision tower and one cross-attention with learned
queries, whose outputs take the place of history tokens in the prompt. The paper's resampler cannot tell the order of
the screenshots, because its position embedding is not used; with `history_frames`, this one can.
"""

from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoConfig, Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration
from transformers.conversion_mapping import get_checkpoint_conversion_mapping, register_checkpoint_conversion_mapping

from odyssey_recorder.training.pixels import normalised


class OdysseyConfig(Qwen2_5_VLConfig):
    """`history_queries` is the number of tokens for the whole history, 0 for a model without a resampler.

    `history_frames` is the number of screenshots whose order is known, 0 for the paper's variant. `history_token_id`
    marks the places of the tokens.
    """

    model_type = "odyssey_agent"
    history_queries: int = 0
    history_heads: int = 32
    history_frames: int = 0
    history_token_id: int = -1


AutoConfig.register(OdysseyConfig.model_type, OdysseyConfig, exist_ok=True)


class HistoryResampler(nn.Module):
    """Features of all earlier screenshots, as keys and values, to `queries` tokens of the same width.

    With the paper's sizes (width 4096, 256 queries, no `frames`) it has its 84,975,616 parameters.
    """

    def __init__(self, width: int, queries: int, heads: int, frames: int) -> None:
        super().__init__()
        self.heads = heads
        self.queries = nn.Embedding(queries, width)
        self.order = nn.Embedding(frames, width) if frames else None
        self.norm_queries, self.norm_keys, self.norm_out = (nn.LayerNorm(width) for _ in range(3))
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(width, width) for _ in range(4))
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, features: Tensor, ages: Tensor, is_there: Tensor) -> Tensor:
        """`features` (batch, tokens, width), in any precision; `ages` (batch, tokens): 0 for the newest screenshot's.

        `is_there` (batch, tokens) is False for padding. Returns (batch, queries, width).
        """
        keys = self.norm_keys(features.to(self.queries.weight.dtype))
        if self.order is not None:
            keys = keys + self.order(ages.clamp(max=self.order.num_embeddings - 1))
        queries = self.norm_queries(self.queries.weight).expand(len(features), -1, -1)
        q, k, v = (self._split(projected) for projected in (self.q_proj(queries), self.k_proj(keys), self.v_proj(keys)))
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=is_there[:, None, None, :])
        joined = mixed.transpose(1, 2).flatten(2)
        return self.out(self.norm_out(self.o_proj(joined)))  # type: ignore[no-any-return]

    def _split(self, tensor: Tensor) -> Tensor:
        return tensor.unflatten(2, (self.heads, -1)).transpose(1, 2)


class OdysseyAgent(Qwen2_5_VLForConditionalGeneration):
    """`history_*` arguments are named in `forward`, because `generate` passes no others."""

    config_class = OdysseyConfig
    _no_split_modules = ("Qwen2_5_VLDecoderLayer", "Qwen2_5_VLVisionBlock", "HistoryResampler")
    accepts_loss_kwargs = True  # the loss is divided by the tokens of the whole batch, on however many processes

    def __init__(self, config: OdysseyConfig) -> None:
        super().__init__(config)
        if config.history_queries:
            text = config.text_config
            self.history_resampler = HistoryResampler(
                text.hidden_size, config.history_queries, config.history_heads, config.history_frames
            )
            self.post_init()

    def forward(  # noqa: PLR0913 - those of Qwen2.5-VL and the history's
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        past_key_values: Any = None,
        inputs_embeds: Tensor | None = None,
        labels: Tensor | None = None,
        use_cache: bool | None = None,
        pixel_values: Tensor | None = None,
        image_grid_thw: Tensor | None = None,
        mm_token_type_ids: Tensor | None = None,
        logits_to_keep: int | Tensor = 0,
        history_pixel_values: Tensor | None = None,
        history_grid_thw: Tensor | None = None,
        history_counts: Tensor | None = None,
        num_items_in_batch: Tensor | int | None = None,
        **kwargs: Any,
    ) -> Any:
        """`history_counts` (batch): how many of the history's images belong to each sample, the oldest first."""
        if inputs_embeds is None and input_ids is not None:
            inputs_embeds = self.get_input_embeddings()(input_ids)
            places = input_ids == self.config.history_token_id
            if history_pixel_values is not None and bool(places.any()):  # later steps of a generation have none
                tokens = self._history(history_pixel_values, history_grid_thw, history_counts)
                inputs_embeds = inputs_embeds.masked_scatter(places[..., None], tokens.to(inputs_embeds.dtype))
            elif self.training and self.config.history_queries:
                inputs_embeds = inputs_embeds + self._unused(inputs_embeds).to(inputs_embeds.dtype)
        outputs = super().forward(
            input_ids=input_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            past_key_values=past_key_values,
            inputs_embeds=inputs_embeds,
            use_cache=use_cache,
            pixel_values=None if pixel_values is None else normalised(pixel_values),
            image_grid_thw=image_grid_thw,
            mm_token_type_ids=mm_token_type_ids,
            logits_to_keep=logits_to_keep,
            **kwargs,
        )
        if labels is not None:
            vocabulary = self.config.text_config.vocab_size
            outputs.loss = self.loss_function(
                logits=outputs.logits, labels=labels, vocab_size=vocabulary, num_items_in_batch=num_items_in_batch
            )
        return outputs

    def save_pretrained(self, *args: Any, **kwargs: Any) -> None:
        """With the parameter names of the code: a resumed run silently ignores others."""
        super().save_pretrained(*args, **{"save_original_format": False, **kwargs})

    def _unused(self, like: Tensor) -> Tensor:
        """A zero that depends on every resampler parameter: distributed training waits for the gradients of all."""
        features = like.new_zeros(1, 1, like.shape[-1])
        ages = torch.zeros(1, 1, dtype=torch.long, device=like.device)
        return 0 * self.history_resampler(features, ages, ages == 0).sum()  # type: ignore[no-any-return]

    def _history(self, pixels: Tensor, grids: Any, counts: Any) -> Tensor:
        """The history tokens of the samples that have a history: (their number, queries, width)."""
        images = self.get_image_features(normalised(pixels), grids, return_dict=True).pooler_output
        samples: list[tuple[Tensor, Tensor]] = []
        first = 0
        for count in counts.tolist():
            frames = images[first : first + count]
            first += count
            if frames:
                ages = [
                    torch.full((len(frame),), count - 1 - at, device=frame.device) for at, frame in enumerate(frames)
                ]
                samples.append((torch.cat(tuple(frames)), torch.cat(ages)))
        features = nn.utils.rnn.pad_sequence([sample for sample, _ in samples], batch_first=True)
        ages_padded = nn.utils.rnn.pad_sequence([ages for _, ages in samples], batch_first=True)
        lengths = torch.tensor([len(ages) for _, ages in samples], device=features.device)
        is_there = torch.arange(features.shape[1], device=features.device) < lengths[:, None]
        return self.history_resampler(features, ages_padded, is_there)  # type: ignore[no-any-return]


# The weights of Qwen2.5-VL's checkpoints have other names than its code; transformers renames them by the class's name.
_RENAMED = get_checkpoint_conversion_mapping(Qwen2_5_VLForConditionalGeneration.__name__)
if _RENAMED is not None:
    register_checkpoint_conversion_mapping(OdysseyAgent.__name__, _RENAMED, overwrite=True)
