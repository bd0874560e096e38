"""What one sample costs a processor core before it can travel: decoding, augmenting, becoming part of a batch."""

from dataclasses import dataclass

from outboard.perf.input.facts import fact, known
from outboard.perf.input.transfer import FLOAT_BYTES, decodes_on_device, stored_bytes
from outboard.types.evidence import Evidence, Fact
from outboard.types.job import Job
from outboard.types.trace import Trace

IMAGES = ("jpeg", "png")


@dataclass(frozen=True)
class Load:
    """One sample on one core [s] and what is read and made for it [B]. ``evidence`` is the weakest of the facts."""

    decode: float
    augment: float
    tensor: float
    collate: float
    stored: float  # read from the disk [B]
    batched: float  # its part of a batch in the host's memory [B]
    on_device: float  # pixels that the device decodes [1]
    evidence: Evidence
    low: float  # processor time at the quick end of the facts [s]
    high: float  # at the slow end [s]

    @property
    def processor(self) -> float:
        """All that a core does for one sample [s]."""
        return self.decode + self.augment + self.tensor + self.collate


def load(job: Job, trace: Trace) -> Load | None:
    """What feeding ``job`` costs, or None where batches are ready or already on the device."""
    if job.input_kind == "ready" or job.input_copy == "resident":
        return None
    pixels, elements = _stored_pixels(job), _elements(trace)
    decode, augment = _decode(job, pixels), _augment(job, pixels, _area(job, trace, elements))
    batched = stored_bytes(job) if decodes_on_device(job) else elements * _width(job, trace)
    tensor = [] if decodes_on_device(job) or job.input_kind in ("raw", "tokens", "tabular") else _tensor(job, elements)
    collate = [(fact("tensor.collate"), batched)]
    every = [*decode, *augment, *tensor, *collate]
    return Load(
        decode=_sum(decode),
        augment=_sum(augment),
        tensor=_sum(tensor),
        collate=_sum(collate),
        stored=stored_bytes(job) if _has_size(job) else batched,
        batched=batched,
        on_device=pixels if decodes_on_device(job) else 0.0,
        evidence=max(each.evidence for each, _amount in every),
        low=sum((each.low or each.value) * amount for each, amount in every),
        high=sum((each.high or each.value) * amount for each, amount in every),
    )


Costs = list[tuple[Fact, float]]


def _sum(costs: Costs) -> float:
    return sum(each.value * amount for each, amount in costs)


def _has_size(job: Job) -> bool:
    return job.sample_bytes is not None or known(f"stored.{job.input_kind}.bytes") is not None


def _stored_pixels(job: Job) -> float:
    """Pixels of one stored sample [1]; 0 for what has none."""
    density = known(f"stored.{job.input_kind}.pixels_per_byte")
    return stored_bytes(job) * density.value if density else 0.0


def _elements(trace: Trace) -> float:
    """Elements of a sample's largest input tensor [1]."""
    return float(trace.input_elements.per_batch.max(initial=0.0))


def _width(job: Job, trace: Trace) -> float:
    """Bytes of an element as it travels [B]."""
    elements = trace.input_elements.per_batch
    largest = int(elements.argmax())
    size = float(trace.input_bytes.per_batch[largest] / elements[largest]) if elements[largest] > 0 else FLOAT_BYTES
    return 1.0 if job.input_type == "uint8" and trace.info.unit == "images" else size


def _area(job: Job, trace: Trace, elements: float) -> float:
    """Pixels of an image as the model takes it [1]."""
    side = job.image_size or trace.info.image_size
    return float(side * side) if side else elements / 3.0


def _decode(job: Job, pixels: float) -> Costs:
    decoder = job.decoder if job.input_kind in IMAGES else "any"
    if job.input_kind == "png" and decoder == "gpu":
        decoder = "torchvision"  # no device decodes PNG
    amounts = {"pixel": pixels, "byte": stored_bytes(job) if _has_size(job) else 0.0, "sample": 1.0}
    named = [(known(f"decode.{job.input_kind}.{decoder}.{per}"), amount) for per, amount in amounts.items()]
    return [(each, amount) for each, amount in named if each is not None]


def _augment(job: Job, pixels: float, area: float) -> Costs:
    """Nothing for what is no image, and where the device does it."""
    if job.input_kind not in IMAGES or job.augment == "none" or decodes_on_device(job):
        return []
    faster = known(f"vector.{job.decoder}")
    share = faster.value if faster else 1.0
    costs = [(fact("augment.crop.source_pixel"), pixels), (fact("augment.crop.pixel"), area)]
    if job.augment != "crop":
        costs.append((fact(f"augment.{job.augment}.pixel"), area))
    return [(each, amount * share) for each, amount in costs]


def _tensor(job: Job, elements: float) -> Costs:
    return [(fact("tensor.uint8" if job.input_type == "uint8" else "tensor.model"), elements)]
