"""What the device does to images that arrive as bytes: scaling, normalising, changing the layout."""

from collections.abc import Callable, Sequence
from typing import Any

from outboard.errors import UsageError
from outboard.feeding.trees import mapped
from outboard.i18n import _


def preparation(
    mean: Sequence[float] | None, std: Sequence[float] | None, dtype: Any, channels_last: bool
) -> Callable[[Any], Any] | None:
    """A function of a batch on its device, or None where nothing is to be done.

    Images are uint8 tensors of four dimensions (N, C, H, W). They become ``(x / 255 - mean) / std`` in ``dtype``, what
    torchvision's ToTensor and Normalize make of them on the host. Other tensors are left alone.
    Raises :class:`UsageError` for a mean without a deviation, or of another length.
    """
    import torch

    if (mean is None) != (std is None):
        raise UsageError(_("mean and std belong together; give both or neither"))
    if mean is not None and std is not None and (len(mean) != len(std) or not all(each > 0 for each in std)):
        raise UsageError(_("mean and std need one number for each channel, and those of std above 0"))
    if mean is None and dtype is None and not channels_last:
        return None
    kind = dtype or torch.float32
    stored: dict[Any, tuple[Any, Any]] = {}

    def scales(device: Any) -> tuple[Any, Any]:
        if device not in stored:
            shape = (1, -1, 1, 1)
            stored[device] = (
                torch.tensor(mean, dtype=torch.float32, device=device).view(shape),
                torch.tensor(std, dtype=torch.float32, device=device).view(shape),
            )
        return stored[device]

    def prepared(tensor: Any) -> Any:
        if tensor.dim() != 4 or tensor.dtype != torch.uint8:
            return tensor
        layout = torch.channels_last if channels_last else torch.preserve_format
        image = tensor.to(torch.float32, memory_format=layout).div_(255.0)
        if mean is not None:
            middle, deviation = scales(tensor.device)
            image = image.sub_(middle).div_(deviation)
        return image.to(kind)

    return lambda batch: mapped(batch, prepared)
