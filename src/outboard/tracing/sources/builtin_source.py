"""``builtin:NAME``: models that ship with Outboard because no library here has them."""

import torch

from outboard.errors import UnknownNameError
from outboard.i18n import _
from outboard.tracing.sources import losses
from outboard.tracing.sources.base import Batch, Built, nearest
from outboard.tracing.sources.skeleton import no_initialisation
from outboard.tracing.sources.unet import UNet
from outboard.types.job import Job

_PIXELS_PER_LATENT = 8
_CONTEXT = (77, 768)
_IMAGE_SIZE = 512

NAMES = ("sd-unet",)


def build(name: str, job: Job) -> Built:
    """The model ``name`` of ours."""
    if name not in NAMES:
        raise UnknownNameError(_("builtin model"), name, nearest(name, NAMES) or NAMES)
    size = job.image_size or _IMAGE_SIZE
    latent = size // _PIXELS_PER_LATENT

    def make_batch(batch: int) -> Batch:
        image, noise = torch.empty(batch, 4, latent, latent), torch.empty(batch, 4, latent, latent)
        return Batch((image, torch.empty(batch, dtype=torch.int64), torch.empty(batch, *_CONTEXT)), {}, noise)

    with no_initialisation(), torch.device("meta"):
        model = UNet()
    return Built(
        model=model,
        make_batch=make_batch,
        loss=losses.mean_square,
        unit="images",
        image_size=size,
        default_size=str(_IMAGE_SIZE),
        warnings=[_("UNet alone: latents and text embeddings are taken as computed beforehand")],
        versions={"torch": torch.__version__},
    )
