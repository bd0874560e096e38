"""``builtin:NAME``: models written here, for kinds of work that no library of the extra ``models`` covers."""

from outboard.errors import JobError, MissingExtraError, UnknownNameError
from outboard.i18n import _
from outboard.tracing.sources.base import Batch, Built, nearest
from outboard.types.job import Job

try:
    import torch
except ImportError as error:
    raise MissingExtraError("torch", "models", _("tracing a model")) from error

from outboard.tracing.sources import losses
from outboard.tracing.sources.skeleton import no_initialisation

NAMES = ("sd-unet",)
# The autoencoder before it shrinks images by this factor; the UNet then halves three times.
PIXELS_PER_LATENT = 8
SIZE_STEP = PIXELS_PER_LATENT * 8
DEFAULT_SIZE = 512


def build(name: str, job: Job) -> Built:
    """The model ``name``, built without weights."""
    if name not in NAMES:
        raise UnknownNameError("builtin model", name, nearest(name, NAMES) or NAMES)
    return _unet(job)


def _unet(job: Job) -> Built:
    from outboard.tracing.sources import unet

    size = job.image_size or DEFAULT_SIZE
    if size % SIZE_STEP:
        message = _("builtin:sd-unet takes image sizes that are multiples of {step}, not {size}; its own is {default}")
        raise JobError(message.format(step=SIZE_STEP, size=size, default=DEFAULT_SIZE))
    with no_initialisation():
        model = unet.UNet(fused=job.attention == "sdpa")

    def make_batch(batch: int) -> Batch:
        side = size // PIXELS_PER_LATENT
        latents = torch.empty(batch, 4, side, side)
        step = torch.empty(batch, dtype=torch.int64)
        text = torch.empty(batch, unet.TEXT_LENGTH, unet.TEXT_WIDTH)
        return Batch((latents, step, text), {}, torch.empty_like(latents))

    return Built(
        model=model,
        make_batch=make_batch,
        loss=losses.mean_square,
        unit="images",
        image_size=size,
        default_size=str(DEFAULT_SIZE),
        warnings=[_("the UNet alone: one denoising step, without the autoencoder and the text encoder")],
        versions={"torch": torch.__version__},
    )
