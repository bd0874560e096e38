"""Which head a transformers architecture gets for a task, and what it is fed with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from transformers.models.auto import modeling_auto as auto

from outboard.errors import JobError
from outboard.i18n import _
from outboard.tracing.sources.base import Batch
from outboard.types.job import Job

_ENCODER_LENGTH = 128
_DECODER_LENGTH = 512
_SPOKEN_LENGTH = 128  # tokens of the transcript of half a minute


@dataclass
class Role:
    """A head, its batches, and one line that says what was chosen."""

    auto: Any
    make_batch: Callable[[int], Batch]
    note: str
    seq_len: int | None = None
    image_size: int | None = None
    labelled: bool = True


def role_of(config: Any, job: Job) -> Role:
    """The role of an architecture: the first of these that transformers knows it for."""
    kind = config.model_type
    if kind in auto.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES:
        return _speech(config, job)
    if getattr(config, "is_encoder_decoder", False) and kind in auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES:
        return _encoder_decoder(config, job)
    if hasattr(config, "text_config") and kind in auto.MODEL_FOR_ZERO_SHOT_IMAGE_CLASSIFICATION_MAPPING_NAMES:
        return _image_and_text(config, job)
    if kind in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        return _encoder(config, job)
    if kind in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return _decoder(config, job)
    if kind in auto.MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES:
        return _image(config, job)
    return _any(config, job)


def padded(job: Job) -> bool:
    """Whether a mask tells text from padding: stated, else in fine-tuning, whose examples differ in length."""
    return job.task == "finetune" if job.padded is None else job.padded and job.task != "infer"


def _noted(what: str, job: Job, length: int) -> str:
    form = _("{what}, {count} tokens, padded") if padded(job) else _("{what}, {count} tokens without padding")
    return form.format(what=what, count=length)


def _with_mask(batch: Batch, job: Job, size: int, length: int) -> Batch:
    if padded(job):
        batch.kwargs["attention_mask"] = torch.ones(size, length, dtype=torch.int64)
    return batch


def _tokens(config: Any, batch: int, length: int) -> torch.Tensor:
    return torch.empty(batch, length, dtype=torch.int64)


def _length(config: Any, job: Job, usual: int) -> int:
    text = getattr(config, "text_config", config)
    most = getattr(text, "max_position_embeddings", None) or getattr(text, "max_target_positions", None)
    if job.seq_len is None:
        return min(usual, most or usual)
    rotary = any(hasattr(text, name) for name in ("rope_parameters", "rope_theta", "rotary_dim"))
    if most and job.seq_len > most and not rotary:
        message = _("{workload} has positions for {most} tokens, not for {count}")
        raise JobError(message.format(workload=job.workload, most=most, count=job.seq_len))
    return job.seq_len


def _decoder(config: Any, job: Job) -> Role:
    length = _length(config, job, _DECODER_LENGTH)

    def make_batch(batch: int) -> Batch:
        ids = _tokens(config, batch, length)
        # A causal language model is its own target.
        inputs = {"input_ids": ids} if job.task == "infer" else {"input_ids": ids, "labels": ids}
        return _with_mask(Batch((), inputs), job, batch, length)

    note = _noted(_("causal language model"), job, length)
    return Role(transformers.AutoModelForCausalLM, make_batch, note, seq_len=length)


def _encoder(config: Any, job: Job) -> Role:
    length = _length(config, job, _ENCODER_LENGTH)
    masked = job.task == "train"

    def make_batch(batch: int) -> Batch:
        inputs = {"input_ids": _tokens(config, batch, length)}
        if job.task != "infer":
            inputs["labels"] = _tokens(config, batch, length) if masked else torch.empty(batch, dtype=torch.int64)
        return _with_mask(Batch((), inputs), job, batch, length)

    head = transformers.AutoModelForMaskedLM if masked else transformers.AutoModelForSequenceClassification
    what = _("masked language model") if masked else _("sequence classification")
    note = _noted(what, job, length)
    return Role(head, make_batch, note, seq_len=length)


def _encoder_decoder(config: Any, job: Job) -> Role:
    length = _length(config, job, _DECODER_LENGTH)
    written = max(length // 4, 1)

    def make_batch(batch: int) -> Batch:
        second = "decoder_input_ids" if job.task == "infer" else "labels"
        inputs = {"input_ids": _tokens(config, batch, length), second: _tokens(config, batch, written)}
        return _with_mask(Batch((), inputs), job, batch, length)

    note = _("sequence to sequence, {count} tokens in and {written} out").format(count=length, written=written)
    return Role(transformers.AutoModelForSeq2SeqLM, make_batch, note, seq_len=length)


def _speech(config: Any, job: Job) -> Role:
    length = _length(config, job, _SPOKEN_LENGTH)
    frames = 2 * getattr(config, "max_source_positions", 1500)

    def make_batch(batch: int) -> Batch:
        second = "decoder_input_ids" if job.task == "infer" else "labels"
        sound = torch.empty(batch, config.num_mel_bins, frames)
        return Batch((), {"input_features": sound, second: _tokens(config, batch, length)})

    note = _("speech: {frames} frames in and {count} tokens out").format(frames=frames, count=length)
    return Role(transformers.AutoModelForSpeechSeq2Seq, make_batch, note, seq_len=length)


def _image_and_text(config: Any, job: Job) -> Role:
    length = _length(config, job, _ENCODER_LENGTH)
    size = job.image_size or config.vision_config.image_size
    learns = job.task != "infer"

    def make_batch(batch: int) -> Batch:
        images = torch.empty(batch, 3, size, size)
        inputs = {"input_ids": _tokens(config, batch, length), "pixel_values": images}
        return Batch((), {**inputs, "return_loss": True} if learns else inputs)

    note = _("contrastive: one image and {count} tokens a sample").format(count=length)
    return Role(transformers.AutoModel, make_batch, note, seq_len=length, image_size=size)


def _image(config: Any, job: Job) -> Role:
    own = getattr(config, "image_size", 224)
    size = job.image_size or (own if isinstance(own, int) else own[0])

    def make_batch(batch: int) -> Batch:
        inputs: dict[str, Any] = {"pixel_values": torch.empty(batch, getattr(config, "num_channels", 3), size, size)}
        if job.task != "infer":
            inputs["labels"] = torch.empty(batch, dtype=torch.int64)
        return Batch((), inputs)

    note = _("image classification with {count} classes").format(count=config.num_labels)
    return Role(transformers.AutoModelForImageClassification, make_batch, note, image_size=size)


def _any(config: Any, job: Job) -> Role:
    length = _length(config, job, _DECODER_LENGTH)

    def make_batch(batch: int) -> Batch:
        return Batch((), {"input_ids": _tokens(config, batch, length)})

    note = _("no head for this architecture: mean-square loss on its features")
    return Role(transformers.AutoModel, make_batch, note, seq_len=length, labelled=False)
