"""The published memory figures as cases: a job in fields, where it ran, and what was measured there.

What a table leaves open is either a default of the product or of the source's own published loop, stated here once for
the source and never for a row. What cannot be known leaves a case without a job and with the reason.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

GIB = float(1 << 30)
UNITS = {"GB(1e9)": 1e9, "GB": 1e9, "MB": 1e6, "GiB": GIB}
PRECISIONS = {"bf16": "bf16", "pure-bf16": "bf16", "amp": "amp-fp16", "amp-bf16": "amp-bf16", "fp32": "fp32"}
GPUS = {
    "RTX A6000": "rtx-a6000",
    "Tesla T4": "t4",
    "NVIDIA L40S": "l40s",
    "V100 16GB": "v100-pcie-16gb",
    "A100-SXM4-40GB": "a100-sxm4-40gb",
    "A100 (80GB)": "a100-sxm4-80gb",
    "A100": "a100-sxm4-80gb",
    "RTX 4090": "rtx-4090",
    "4090": "rtx-4090",
    "A6000": "rtx-a6000",
}


@dataclass(frozen=True)
class Case:
    """One figure. ``measured`` [B]; ``quantity`` is allocated, reserved, either of the two, whole (the GPU) or, for
    batches, fits.
    """

    table: str
    label: str
    gpu: str
    quantity: str
    measured: float
    job: dict[str, Any] = field(default_factory=dict[str, Any])
    batch: int = 1
    failed: int | None = None  # the next larger batch, which did not run
    unknown: str = ""  # why nothing can be forecast


def cases(folder: Path) -> list[Case]:
    """Every case of every table."""
    return [*_training(folder), *_llm(folder), *_peft(folder), *_documentation(folder), *_batches(folder)]


def _records(folder: Path, name: str) -> list[dict[str, Any]]:
    return pd.read_csv(folder / name).astype(object).replace({float("nan"): None}).to_dict("records")


def _training(folder: Path) -> Iterator[Case]:
    """``training_memory.csv``: max_memory_allocated of small language models."""
    for row in _records(folder, "training_memory.csv"):
        mode = row["mode"]
        job: dict[str, Any] = {
            "workload": f"hf:{row['model']}",
            "task": "infer" if mode == "inference" else "finetune",
            "precision": PRECISIONS[row["precision"]],
            "seq_len": int(row["seq_or_image"]),
            "attention": "eager" if row["attn"] == "eager" else "sdpa",
            "grad_checkpointing": bool(row["grad_ckpt"]),
        }
        if "lora16" in mode:
            job |= {"method": "lora", "rank": 16, "targets": "q_proj,k_proj,v_proj,o_proj"}
        label = f"{row['model']} {mode} {row['precision']} {job['attention']}{' ckpt' * job['grad_checkpointing']}"
        measured = float(row["measured_GB_1e9"]) * 1e9
        yield Case("training", label, GPUS[row["gpu"]], "allocated", measured, job, int(row["batch"]))


def _peft(folder: Path) -> Iterator[Case]:
    """``peft_training.csv``: reserved memory of one model under many methods, batches padded to their longest.

    The largest of the run is compared with the longest sequence that the run admits.
    """
    known = {"LORA": "lora", "full-finetune": "full", "PROMPT_TUNING": "prompt", "PREFIX_TUNING": "prefix"}
    for row in _records(folder, "peft_training.csv"):
        label, gpu = f"{row['experiment']} torch {row['torch']}", GPUS[row["gpu"]]
        measured = float(row["mem_reserved_max_gib"] or 0) * GIB
        method = known.get(row["peft_type"])
        plain = method is not None and not re.search(r"dora|bdlora|eva|loftq", str(row["experiment"]))
        if row["resolution"] or not plain:
            reason = "image generator" if row["resolution"] else f"method {row['peft_type']}"
            yield Case("peft", label, gpu, "reserved", measured, unknown=reason)
            continue
        job: dict[str, Any] = {
            "workload": f"hf:{row['model']}",
            "task": "finetune",
            "precision": "bf16",
            "seq_len": int(row["max_seq_length"]),
            "optimizer": "adamw",
            "method": method,
            "padded": True,  # tokenizer.pad, to the longest of the batch
            # method_comparison/MetaMathQA/run.py: optimizer.zero_grad() opens the step.
            "gradients_released": "before-forward",
            # The same loop empties the cache after each step: mem_reserved_avg_gib falls far below the largest.
            "allocator": "emptied",
        }
        if method == "lora":
            job |= {"rank": int(row["r"]), "targets": row["target_modules"].replace("|", ",")}
        if method in ("prompt", "prefix"):
            width = 3072 if method == "prompt" else 2 * 28 * 1024
            trained = row["num_trainable"] or (614400.0 if method == "prompt" else None)
            job |= {"virtual_tokens": round(float(trained or width) / width)}
        yield Case("peft", label, gpu, "reserved", measured, job, int(row["batch_size"]))


def _documentation(folder: Path) -> Iterator[Case]:
    """``hf_docs_training_memory.csv``: what the whole card held, by NVML, less the context of its first row."""
    # Transformers' own AdamW of then went parameter by parameter: nothing lives beside the states, as in a fused one.
    optimizers = {"AdamW": "adamw-fused", "Adafactor": "adafactor", "bnb 8-bit Adam": "adamw-8bit"}
    context = 0.0
    for row in _records(folder, "hf_docs_training_memory.csv"):
        if "context" in row["config"]:
            context = float(row["peak_mem_mb"])
        if row["optimizer"] is None:
            continue
        job: dict[str, Any] = {
            "workload": f"hf:{row['model']}",
            "task": "finetune",
            "precision": row["precision"],
            "seq_len": int(row["seq_len"]),
            "attention": "eager",  # transformers had no other for BERT then
            "software": "torch-1",
            "optimizer": optimizers[row["optimizer"]],
            "grad_checkpointing": bool(row["grad_checkpointing"]),
            "grad_accumulation": int(row["grad_accum"]),
            # Trainer calls zero_grad() after the step, which under torch 1.x filled with zeros and released nothing.
            "gradients_released": "never",
        }
        # NVML counts mebibytes; the page's own helper divides by 1024**2 and calls them MB.
        measured = (float(row["peak_mem_mb"]) - context) * (1 << 20)
        yield Case("docs", row["config"], GPUS[row["gpu"]], "reserved", measured, job, int(row["micro_batch"]))


def _batches(folder: Path) -> Iterator[Case]:
    """Training runs of timm: a batch that ran, and the next larger that did not."""
    for row in _records(folder, "vision_throughput.csv"):
        if row["task"] != "train":
            continue
        job: dict[str, Any] = {
            "workload": row["workload"],
            "task": "train",
            "precision": row["precision"],
            "image_size": int(row["image_size"]),
            "optimizer": "momentum",
            "memory_format": row["memory_format"],
            "attention": "eager",  # torch 1.12 had no fused attention
            "input_copy": "resident",
            # benchmark.py: zero_grad() opens the step, which under torch 1.12 filled with zeros and released nothing.
            "gradients_released": "never",
        }
        failed = re.search(r"failed: (\d+)", row["note"])
        label = f"{row['workload']} {row['image_size']} {row['memory_format']}"
        next_one = int(failed.group(1)) if failed else None
        yield Case("batches", label, row["gpu"], "fits", 0.0, job, int(row["batch_size"]), next_one)


# The library has models of its own, which models/litgpt.py writes down as their owner's step would be.
LITGPT = {"phi-1.5 1.3 B": "phi", "Llama 2 7 B": "llama", "Llama 2 7B": "llama"}
LITGPT_STEPS = Path(__file__).parent / "models" / "litgpt.py"
TUNE = {"Llama2-7B": "llama-2-7b", "Llama 3.1 8B": "llama-3.1-8b", "Llama 3.2 3B": "llama-3.2-3b"}


def _llm(folder: Path) -> Iterator[Case]:
    """``llm_training.csv``: rows of one device and a measured peak."""
    for row in _records(folder, "llm_training.csv"):
        if row["peak_mem"] is None or row["peak_mem_unit"] not in UNITS or str(row["num_gpu"]) not in ("1", "1.0"):
            continue
        source = str(row["source_set"])
        kind = _quantity(str(row["mem_kind"]))
        method = str(row["method"]).split(": ")[-1]
        label = f"{source.split()[0]} {row['model']} {method} {row['precision']} x{row['micro_batch']}"
        measured = float(row["peak_mem"]) * UNITS[row["peak_mem_unit"]]
        gpu = GPUS.get(str(row["gpu"]), "a100-sxm4-80gb")
        job, batch, reason = None, 1, "the table does not state its batch or its sequence"
        if source.startswith("litgpt"):
            job, batch, reason = _litgpt(row)
        elif source.startswith("torchtune"):
            job, batch, reason = _torchtune(row)
        elif source.startswith("torchao torchao/optim"):
            job, batch, reason = _torchao(row)
        yield Case("llm", label, gpu, kind, measured, job or {}, batch, unknown="" if job else reason)


def _quantity(kind: str) -> str:
    """What a table says it measured; "either" where it leaves open whether allocated or reserved memory."""
    reserved, allocated = "reserved" in kind, "alloc" in kind
    return "either" if reserved and allocated else "reserved" if reserved else "allocated"


def _litgpt(row: dict[str, Any]) -> tuple[dict[str, Any] | None, int, str]:
    """finetune/lora.py of that time, at the longest sequence of its data, which it runs first of all."""
    if row["method"] != "LoRA" or row["model"] not in LITGPT:
        return None, 1, f"method {row['method']}"
    precision = str(row["precision"])
    if "bf16-true" not in precision:
        return None, 1, "mixed precision of another library"
    kind = "nf4_dq" if "nf4-dq" in precision else "nf4" if "nf4" in precision else "bf16"
    job: dict[str, Any] = {
        "workload": f"python:{LITGPT_STEPS}:{LITGPT[row['model']]}_{kind}",
        "task": "finetune",
        "precision": "bf16",
        "optimizer": "adamw",
        "gradients_released": "before-forward",  # optimizer.zero_grad() right after optimizer.step()
    }
    return job, int(float(row["micro_batch"] or 1)), ""


def _torchtune(row: dict[str, Any]) -> tuple[dict[str, Any] | None, int, str]:
    """Recipes for one device: checkpointing unless said otherwise, rank 8, chunked loss from late 2024."""
    if row["micro_batch"] is None or row["model"] not in TUNE:
        return None, 1, "the table does not state its batch or its sequence"
    method, cumulative = str(row["method"]), "cumulative" in str(row["method"])
    if "Full" in method:
        return None, 1, "the table does not say which optimizer, and what of it is offloaded"
    if row["gpu"] == "A6000":
        return None, 1, "the same settings are given as for half the memory"
    step = method.split(": ", 1)[-1].removeprefix("+ ")
    if cumulative and step in ("LoRA", "QLoRA"):
        return None, 1, "two of the steps that these rows add to are not in the table"
    job: dict[str, Any] = {
        "workload": f"hf:{TUNE[row['model']]}",
        "task": "finetune",
        "precision": "bf16",
        "seq_len": int(re.match(r"\d+", str(row["seq_len"])).group()),  # type: ignore[union-attr]
        "method": "qlora" if "QLoRA" in method else "lora" if "LoRA" in method else "full",
        "grad_checkpointing": not cumulative or step not in ("Packed Dataset", "Compile", "Chunked Cross Entropy"),
        "compiled": "compile on" in str(row["config"]) or (cumulative and step != "Packed Dataset"),
        "gradients_released": "before-forward",  # recipes: optimizer.step(); optimizer.zero_grad(set_to_none=True)
        "optimizer": "adamw-fused",  # configs: torch.optim.AdamW with fused: True
    }
    if step.startswith("Fuse"):
        job["gradients_released"] = "in-backward"
    if job["method"] != "full":
        job |= {"rank": 8, "targets": "q_proj,v_proj,o_proj", "adapter_precision": "same"}
    if (cumulative and step not in ("Packed Dataset", "Compile")) or "11+" in str(row["source_set"]):
        job["loss"] = "chunked"
    return job, int(float(row["micro_batch"])), ""


def _torchao(row: dict[str, Any]) -> tuple[dict[str, Any] | None, int, str]:
    return None, 1, "optimizer or training script of another library"
