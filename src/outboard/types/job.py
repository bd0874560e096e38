"""The job: what is to be computed. Read from files and options, so unknown keys are errors."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Task = Literal["train", "finetune", "infer"]
Precision = Literal["fp32", "tf32", "fp16", "bf16", "amp-fp16", "amp-bf16", "fp64"]
Optimizer = Literal["sgd", "momentum", "adam", "adamw", "adamw-8bit", "adafactor"]
MemoryFormat = Literal["nchw", "nhwc"]
Attention = Literal["sdpa", "eager"]
InputCopy = Literal["resident", "serial", "overlapped"]
InputType = Literal["model", "uint8"]


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
    grad_checkpointing: bool = False
    grad_accumulation: Annotated[int, Field(ge=1)] = 1
    compiled: bool = False
    # "resident": data already on the device; "serial": copied before each step; "overlapped": copied during the last one.
    input_copy: InputCopy = "serial"
    # What travels over the link for images: the model's own float type, or uint8 that the device converts.
    input_type: InputType = "model"
    # When last step's gradients are freed. "before-backward" keeps them through the forward pass, as zero_grad() placed
    # after the forward pass, or gradient accumulation, does; "before-forward" frees them first.
    gradients_released: Literal["before-forward", "before-backward"] = "before-backward"
    # Whether the model's output (for language models the logits) is still referenced while the optimizer steps.
    output_held: bool = True
