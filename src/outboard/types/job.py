"""The job: what is to be computed. Read from files and options, so unknown keys are errors."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from outboard.errors import UnitError
from outboard.i18n import _
from outboard.types.run import RunSection
from outboard.types.trace import TraceInfo
from outboard.units import parse

Task = Literal["train", "finetune", "infer", "serve"]
Precision = Literal["fp32", "tf32", "fp16", "bf16", "amp-fp16", "amp-bf16", "fp64"]
Optimizer = Literal[
    "sgd", "momentum", "adam", "adamw", "adamw-fused", "adamw-8bit", "adafactor", "paged-adamw", "paged-adamw-8bit"
]  # fmt: skip
MemoryFormat = Literal["nchw", "nhwc"]
Attention = Literal["sdpa", "eager"]
Software = Literal["current", "torch-1"]
InputCopy = Literal["resident", "serial", "overlapped"]
InputType = Literal["model", "uint8"]
Method = Literal["full", "lora", "qlora", "prompt", "prefix"]
AdapterPrecision = Literal["fp32", "same"]
Loss = Literal["plain", "chunked", "fused"]
BaseWeights = Literal["nf4-dq", "nf4", "int8"]
Parallel = Literal["ddp", "dp", "zero1", "zero2", "zero3", "fsdp", "tensor", "pipeline"]
Offload = Literal["none", "optimizer", "all"]
GradientsReleased = Literal["in-backward", "before-forward", "before-backward", "never"]
Allocator = Literal["default", "expandable", "emptied"]
InputKind = Literal["ready", "jpeg", "png", "raw", "tokens", "tabular", "video", "audio"]
Decoder = Literal["pillow", "pillow-simd", "torchvision", "gpu"]
Augment = Literal["none", "crop", "colour", "heavy"]


def _size(value: Any) -> Any:
    """Bytes, from a text with its unit."""
    if isinstance(value, str) and not any(letter.isalpha() for letter in value):
        raise ValueError(_("has no unit"))
    try:
        return parse(value, "bytes")
    except UnitError as error:
        raise ValueError(str(error)) from None


Bytes = Annotated[float, BeforeValidator(_size), Field(gt=0)]


# How a model is adapted: recorded with it, but told of a trace only where it differs from the defaults.
ADAPTATION = (
    "padded",
    "loss",
    "method",
    "rank",
    "targets",
    "adapter_precision",
    "adapter_dropout",
    "base_weights",
    "virtual_tokens",
)


class Job(BaseModel):
    """One deep-learning job. Defaults are what people run most, and every one of them is shown in the answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    workload: str
    task: Task = "train"
    precision: Precision = "fp32"
    batch_size: Annotated[int, Field(ge=1)] | Literal["auto"] = "auto"
    image_size: Annotated[int, Field(ge=1)] | None = None
    seq_len: Annotated[int, Field(ge=1)] | None = None
    optimizer: Optimizer = "adamw"
    memory_format: MemoryFormat = "nchw"
    attention: Attention = "sdpa"
    # Whether the sequences of a batch are padded to one length, so that a mask goes with them; nothing: as the task,
    # examples of a finetune are, the blocks of a training are not.
    padded: bool | None = None
    # Of language models. "chunked": logits in eight pieces, each widened to fp32 by itself; "fused": head and loss in
    # slices, so that the logits are never there at once.
    loss: Loss = "plain"
    grad_checkpointing: bool = False
    grad_accumulation: Annotated[int, Field(ge=1)] = 1
    compiled: bool = False
    # "torch-1": libraries of PyTorch 1 (cuDNN 8.3 and before), which have no half-precision kernels for channels-last
    # convolutions in groups.
    software: Software = "current"
    # What is trained: all weights, or something small beside frozen ones. "qlora" also quantises the frozen ones.
    method: Method = "full"
    rank: Annotated[int, Field(ge=1)] = 16
    # Endings of the names of the layers that get an adapter, with commas, or "all-linear"; nothing: query and value.
    targets: str | None = None
    # peft keeps adapters in fp32 beside frozen weights of two bytes; "same" is the type of those.
    adapter_precision: AdapterPrecision = "fp32"
    adapter_dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    # qlora: 4 bits with scales that are quantised themselves, 4 bits, or 8 bits.
    base_weights: BaseWeights = "nf4-dq"
    virtual_tokens: Annotated[int, Field(ge=1)] = 20  # learned tokens of prompt and prefix tuning
    # "resident": data already on the device; "serial": copied before each step; "overlapped": during the last one.
    input_copy: InputCopy = "serial"
    # What travels over the link for images: the model's own float type, or uint8 that the device converts.
    input_type: InputType = "model"
    # Whether batches wait in pinned memory; copies from pageable memory are slower, and nothing hides them.
    pinned: bool = True
    # What samples are stored as. "ready": batches already lie in the host's memory, no pipeline limits the step.
    input_kind: InputKind = "ready"
    sample_bytes: Annotated[Bytes | None, Field(examples=["110 kB"])] = None  # stored size; nothing: usual for the kind
    decoder: Decoder = "pillow"
    # What is done to each image: nothing, a random crop and flip, also colours, also RandAugment.
    augment: Augment = "crop"
    # Worker processes for each device; nothing: as many as the host has cores for. With 0 the loop itself loads.
    workers: Annotated[int, Field(ge=0)] | None = None
    prefetch: Annotated[int, Field(ge=1)] = 2  # batches that each worker has ready
    # How often in a step the loop waits for the device: loss.item(), metrics, clipping that reads the norm.
    syncs: Annotated[int, Field(ge=0)] = 0
    checkpoint_every: Annotated[int, Field(ge=1)] | None = None  # optimizer steps between checkpoints
    evaluate_every: Annotated[int, Field(ge=1)] | None = None  # optimizer steps between evaluations
    evaluate_batches: Annotated[int, Field(ge=1)] = 100
    evaluate_batch: Annotated[int | None, Field(ge=1)] = None  # samples on a device at once; nothing: as in training
    # How several devices share the work: copies of the model (ddp, or dp in one process), shards of optimizer states
    # (zero1), of gradients too (zero2), of weights too (zero3, fsdp), of every layer (tensor), or layers in turn
    # (pipeline).
    parallel: Parallel = "ddp"
    # What waits in the host's memory: the optimizer's states, with its step; or weights and gradients as well.
    offload: Offload = "none"
    # When last step's gradients are freed: before this step's forward pass, as zero_grad() right after step() does;
    # before its backward pass, as zero_grad() between the two does; in this backward pass, each once its parameter has
    # been stepped by a hook; or never, so that backward adds to what is there,
    # as under accumulation or zero_grad(set_to_none=False). Loops are seldom known: the default takes most memory.
    gradients_released: GradientsReleased = "never"
    # "expandable": PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, under which free pieces can be joined;
    # "emptied": the loop calls torch.cuda.empty_cache() after each step.
    allocator: Allocator = "default"
    # Whether the model's output (for language models the logits) is still referenced while the optimizer steps.
    output_held: bool = True


def adaptation_of(info: TraceInfo) -> dict[str, Any]:
    """Every field of :data:`ADAPTATION` as a trace holds it."""
    return {name: info.adaptation.get(name, Job.model_fields[name].default) for name in ADAPTATION}


class Data(BaseModel):
    """How much one run works through: ``samples`` of the data set, ``epochs`` times."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    samples: Annotated[int, Field(ge=1, examples=["1281167"])]
    epochs: Annotated[float, Field(gt=0, examples=["90"])] = 1.0
    kind: Annotated[str, Field(examples=["jpeg"])] = ""
    bytes_per_sample: Annotated[Bytes | None, Field(examples=["110 kB"])] = None
    result: Annotated[Bytes | None, Field(examples=["1 GB"])] = None  # what one run sends back


class Serve(BaseModel):
    """How a language model is served (task ``serve``): one run of such a job is one day.

    How much there is of it: ``tokens_per_day``, or so many ``users`` who get ``rate`` without a pause. ``always_on``:
    whether it must answer at any time; else it works its tokens off and is given back.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    tokens_per_day: Annotated[float | None, Field(gt=0, le=1e15, examples=["2000000"])] = None  # written
    # Read; nothing: three for each that is written, as in chats.
    prompt_tokens_per_day: Annotated[float | None, Field(ge=0, le=1e15, examples=["6000000"])] = None
    quantisation: Annotated[str | None, Field(examples=["q4_k_m"])] = None  # nothing: the widest that fits
    context: Annotated[int, Field(ge=1, le=10**8, examples=["8192"])] = 8192  # of each user [tokens]
    users: Annotated[int, Field(ge=1, le=10**5, examples=["4"])] = 1  # at once, at the busiest
    rate: Annotated[float | None, Field(gt=0, examples=["10"])] = None  # that each must get then [tokens/s]
    cache: Literal["f16", "q8_0", "q4_0"] = "f16"
    always_on: bool = True
    api_price: Annotated[str | None, Field(examples=["0.60 USD/Mtok"])] = None  # for what is written
    api_price_prompt: Annotated[str | None, Field(examples=["0.15 USD/Mtok"])] = None  # for what is read

    @model_validator(mode="after")
    def _how_much(self) -> "Serve":
        if self.tokens_per_day is None and self.rate is None:
            raise ValueError(_("says neither tokens_per_day nor the rate that each of its users gets"))
        return self

    @property
    def written(self) -> float:
        """Tokens written in a day."""
        return self.tokens_per_day or self.users * (self.rate or 0.0) * 86400.0


class Repeat(BaseModel):
    """How often the job runs; nothing means once."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    runs_per_month: Annotated[float | None, Field(ge=0, le=1e6, examples=["2"])] = None
    runs_per_week: Annotated[float | None, Field(ge=0, le=1e6, examples=["20"])] = None
    runs: Annotated[float | None, Field(ge=0, le=1e6, examples=["3"])] = None  # over the whole horizon

    @model_validator(mode="after")
    def _one_of_them(self) -> "Repeat":
        given = [name for name in ("runs_per_month", "runs_per_week", "runs") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(_("{names} contradict each other; keep one").format(names=", ".join(given)))
        return self


class JobFile(Job):
    """A job as people write it in a file: the job itself, how much of it there is, and how often.

    ``memory`` serves workloads of ``hours:``, which have no model to forecast it from: all devices together [B].
    """

    workload: Annotated[str, Field(examples=["timm:resnet50"])]
    name: Annotated[str, Field(examples=["resnet50-imagenet"])] = ""
    data: Annotated[Data | None, Field(examples=["{samples: 1281167, epochs: 90}"])] = None
    repeat: Annotated[Repeat, Field(examples=["{runs_per_month: 2}"])] = Repeat()
    memory: Annotated[Bytes | None, Field(examples=["16 GB"])] = None
    serve: Annotated[Serve | None, Field(examples=["{tokens_per_day: 2000000, users: 4}"])] = None
    deadline: Annotated[str | None, Field(examples=["3 days"])] = None  # of this job, before that of the situation
    run: Annotated[RunSection | None, Field(examples=["{command: python train.py}"])] = None  # how it is started

    @property
    def job(self) -> Job:
        """What is computed in one step; only what the file states counts as stated."""
        return Job(**{name: getattr(self, name) for name in self.model_fields_set & set(Job.model_fields)})
