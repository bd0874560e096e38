"""Ideas about the input: how it is decoded, what travels, and what hides the copy."""

from outboard.i18n import _
from outboard.perf.input.terms import cores
from outboard.planner.faster.ideas import BUILD, Idea, Situation


def ideas(here: Situation) -> list[Idea]:
    """Every idea about the input that applies."""
    return [*_copy(here), *_type(here), *_decoders(here), *_workers(here), *_cache(here)]


def _copy(here: Situation) -> list[Idea]:
    if not here.copies:
        return []
    if not here.job.pinned:
        text, why = _("pinned batches"), _("the driver copies pageable memory in pieces, and the loop waits meanwhile")
        return [Idea("pinned", text, why, "DataLoader(..., pin_memory=True)", {"pinned": True})]
    if here.job.input_copy == "overlapped":
        return []
    text = _("copy the next batch during this step")
    why = _("the link and the device then work at the same time")
    code = "for batch in outboard.feed(loader, device):  # or: pin_memory=True and .to(device, non_blocking=True)"
    return [Idea("input_copy", text, why, code, {"input_copy": "overlapped"})]


def _type(here: Situation) -> list[Idea]:
    if not here.copies or not here.images or here.job.input_type == "uint8" or here.job.decoder == "gpu":
        return []
    text = _("send uint8, normalise on the device")
    why = _("a quarter of the bytes over the link, and no arithmetic on the host's cores")
    code = "outboard.feed(loader, device, mean=MEAN, std=STD)  # workers return PILToTensor()(image)"
    return [Idea("input_type", text, why, code, {"input_type": "uint8"})]


def _decoders(here: Situation) -> list[Idea]:
    if not here.feeds or here.job.input_kind not in ("jpeg", "png"):
        return []
    known = {
        "pillow-simd": (
            _("Pillow-SIMD instead of Pillow"),
            _("resizing and colours use the vector units of each core"),
            "pip uninstall -y pillow && pip install pillow-simd",
        ),
        "torchvision": (
            _("decode with torchvision, transform tensors"),
            _("libjpeg-turbo straight into a tensor, and transforms of uint8 tensors"),
            "torchvision.io.decode_jpeg(torchvision.io.read_file(path)) with torchvision.transforms.v2",
        ),
        "gpu": (
            _("decode on the GPU"),
            _("the small files travel, and no core decodes"),
            'torchvision.io.decode_jpeg(files, device="cuda")  # or DALI',
        ),
    }
    faster = ("pillow-simd", "torchvision", "gpu") if here.job.input_kind == "jpeg" else ("torchvision",)
    if here.place.device.vendor != "nvidia":
        faster = tuple(name for name in faster if name != "gpu")
    return [Idea("decoder", *known[name], {"decoder": name}) for name in faster if name != here.job.decoder]


def _workers(here: Situation) -> list[Idea]:
    if not here.feeds:
        return []
    free = max(int(cores(here.place).value / here.place.count) - 1, 1)
    found: list[Idea] = []
    if here.job.workers is not None and here.job.workers < free:
        text = _("{count} workers").format(count=free)
        why = _("cores stand idle") if here.job.workers else _("the loop itself loads, and the device waits meanwhile")
        found.append(Idea("workers", text, why, f"DataLoader(..., num_workers={free})", {"workers": free}))
    return found


def _cache(here: Situation) -> list[Idea]:
    if not here.copies or not here.trains or here.sample <= 0 or here.room < here.sample * here.batch:
        return []
    text = _("keep the data set in the device's memory: there is room for {count} samples").format(
        count=int(here.room / here.sample)
    )
    why = _("after the first epoch nothing is decoded and nothing crosses the link")
    code = "outboard.feed(loader, device, cache=True)"
    return [Idea("cache", text, why, code, {"input_copy": "resident", "input_kind": "ready"}, distance=BUILD)]
