"""``torchvision:NAME``: classification, segmentation, video and detection models of torchvision."""

import inspect
from typing import Any

from outboard.errors import JobError, MissingExtraError, UnknownNameError
from outboard.i18n import _
from outboard.tracing.sources.base import Batch, Built, nearest
from outboard.tracing.sources.lean import import_lean
from outboard.tracing.sources.skeleton import no_initialisation
from outboard.types.job import Job

try:
    torchvision = import_lean("torchvision")
    import torch
except ImportError as error:
    raise MissingExtraError("torchvision", "models", _("tracing a torchvision model")) from error

from outboard.tracing.sources import losses

_CLIP_LENGTH = 16
# Weight of each further output in the loss, as in torchvision's reference scripts.
_FURTHER_OUTPUTS = {"aux": 0.5, "aux_logits": 0.4, "aux_logits1": 0.3, "aux_logits2": 0.3}


def build(name: str, job: Job) -> Built:
    """The torchvision model ``name``, built without weights."""
    names = torchvision.models.list_models()
    if name not in names:
        raise UnknownNameError(_("torchvision model"), name, nearest(name, names))
    family = torchvision.models.get_model_builder(name).__module__.split(".")
    if "optical_flow" in family or "quantization" in family:
        raise JobError(_("torchvision:{name}: optical flow and quantised models cannot be traced").format(name=name))
    with no_initialisation():
        model = _create(name, job.image_size)
    versions = {"torch": torch.__version__, "torchvision": torchvision.__version__}
    if "detection" in family:
        from outboard.tracing.sources.detection import build_detector

        return build_detector(model, job.image_size, versions)
    return _pixels(name, model, family, job, versions)


def _create(name: str, image_size: int | None) -> Any:
    builder = torchvision.models.get_model_builder(name)
    options: dict[str, Any] = {"weights": None}
    if "weights_backbone" in inspect.signature(builder).parameters:
        options["weights_backbone"] = None
    if name.startswith("vit_") and image_size is not None:
        options["image_size"] = image_size
    try:
        return builder(**options)
    except (AssertionError, TypeError, ValueError) as error:
        message = _("torchvision:{name} cannot be built: {error}; its own image size is {size}")
        size = _default_size(name, None)
        raise JobError(message.format(name=name, error=str(error).rstrip("!."), size=size)) from error


def _pixels(name: str, model: Any, family: list[str], job: Job, versions: dict[str, str]) -> Built:
    """Classes for an image, for a clip or for each pixel."""
    size = job.image_size or _default_size(name, model)
    shape = (3, _CLIP_LENGTH, size, size) if "video" in family else (3, size, size)
    per_pixel = "segmentation" in family

    def make_batch(batch: int) -> Batch:
        targets = torch.empty((batch, size, size) if per_pixel else (batch,), dtype=torch.int64)
        return Batch((torch.empty(batch, *shape),), {}, targets)

    return Built(
        model=model,
        make_batch=make_batch,
        loss=_loss,
        unit="images",
        image_size=size,
        default_size=str(_default_size(name, model)),
        warnings=[_("clips of {count} frames").format(count=_CLIP_LENGTH)] if "video" in family else [],
        versions=versions,
    )


def _default_size(name: str, model: Any) -> int:
    if isinstance(getattr(model, "image_size", None), int):
        return model.image_size
    first = next(iter(torchvision.models.get_model_weights(name)), None)
    transforms = first.transforms() if first is not None else None
    for wanted in ("crop_size", "resize_size"):
        size = getattr(transforms, wanted, None)
        if size:
            return size[-1] if isinstance(size, (list, tuple)) else size
    return 224


def _loss(output: Any, targets: torch.Tensor) -> torch.Tensor:
    if isinstance(output, torch.Tensor):
        return losses.cross_entropy(output, targets)
    named = output if isinstance(output, dict) else output._asdict()
    total = losses.cross_entropy(output, targets)
    for key, weight in _FURTHER_OUTPUTS.items():
        if named.get(key) is not None:
            total = total + weight * losses.cross_entropy(named[key], targets)
    return total
