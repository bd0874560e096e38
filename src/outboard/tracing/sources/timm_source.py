"""``timm:NAME``: image models of the timm library."""

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from outboard.errors import JobError, MissingExtraError, UnknownNameError
from outboard.i18n import _
from outboard.tracing.sources.base import Batch, Built, nearest
from outboard.tracing.sources.lean import import_lean
from outboard.tracing.sources.skeleton import keep, no_initialisation
from outboard.types.job import Job

try:
    timm = import_lean("timm")
    import torch
    from timm.layers import config as timm_config
except ImportError as error:
    raise MissingExtraError("timm", "models", _("tracing a timm model")) from error

from outboard.tracing.sources import losses


def build(name: str, job: Job) -> Built:
    """The timm model ``name``, built without weights."""
    if not timm.is_model(name.split(".")[0]):
        raise UnknownNameError(_("timm model"), name, nearest(name, timm.list_models()))
    with _attention(job), _no_timm_initialisation(), no_initialisation():
        model = _create(name, job.image_size)
    channels, size = _input_size(model, job.image_size)
    classes = getattr(model, "num_classes", 0)

    def make_batch(batch: int) -> Batch:
        images = torch.empty(batch, channels, *size)
        targets = torch.empty(batch, dtype=torch.int64) if classes else None
        return Batch((images,), {}, targets)

    return Built(
        model=model,
        make_batch=make_batch,
        loss=losses.cross_entropy if classes else losses.mean_square,
        unit="images",
        image_size=size[0],
        checkpoint=getattr(model, "set_grad_checkpointing", None),
        default_size=_text(_default_size(model)),
        warnings=[] if classes else [_("the model has no classifier: mean-square loss on its features")],
        versions={"torch": torch.__version__, "timm": timm.__version__},
    )


def _create(name: str, image_size: int | None) -> Any:
    options = {} if image_size is None else {"img_size": image_size}
    try:
        return timm.create_model(name, pretrained=False, **options)
    except TypeError as error:
        # Convolutional models take any size and know no such option.
        if not options or "img_size" not in str(error):
            raise
        return timm.create_model(name, pretrained=False)
    except (AssertionError, ValueError, RuntimeError) as error:
        message = _("timm:{name} cannot be built: {error}; its own image size is {size}")
        size = _text(timm.get_pretrained_cfg(name).input_size)
        raise JobError(message.format(name=name, error=str(error).rstrip("!."), size=size)) from error


def _text(size: tuple[int, ...]) -> str:
    return " x ".join(map(str, size[1:]))


def _default_size(model: Any) -> tuple[int, ...]:
    return tuple(getattr(model, "pretrained_cfg", {}).get("input_size") or (3, 224, 224))


def _input_size(model: Any, image_size: int | None) -> tuple[int, tuple[int, int]]:
    channels, height, width = _default_size(model)
    return channels, (image_size, image_size) if image_size else (height, width)


@contextlib.contextmanager
def _attention(job: Job) -> Iterator[None]:
    before = timm_config._USE_FUSED_ATTN
    timm_config.set_fused_attn(job.attention == "sdpa")
    try:
        yield
    finally:
        timm_config._USE_FUSED_ATTN = before


@contextlib.contextmanager
def _no_timm_initialisation() -> Iterator[None]:
    """Truncated normals, which timm computes itself."""
    from timm.layers import weight_init

    with patch.object(weight_init, "_trunc_normal_", keep):
        yield
