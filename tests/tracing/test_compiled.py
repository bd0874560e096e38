"""Lifetimes after compilation, held against what torch's own partitioner keeps for backward."""

from typing import Any

import numpy as np
import pytest

from outboard.tracing.compiled import compiled_deaths
from outboard.tracing.raw import RawOperator, RawStep, RawTensor

BATCH, TOKENS, VOCABULARY = 3, 32, 512


def _operator(name: str, kind: str, phase: str, inputs: tuple[int, ...], outputs: tuple[int, ...]) -> RawOperator:
    sizes = (8.0,) * len(inputs), (8.0,) * len(outputs)
    return RawOperator(name, kind, phase, "fp32", 0.0, inputs, sizes[0], outputs, sizes[1], m=2.0, n=1.0)


def _step(operators: list[RawOperator], tensors: list[RawTensor], backward: int) -> RawStep:
    return RawStep(2, operators, tensors, {"forward": 0, "loss": 0, "backward": backward}, [], [])


def _mlp(last: str) -> RawStep:
    """Product, activation, product, and backward of the activation; ``last`` is what reads its result there."""
    operators = [
        _operator("mm", "matmul", "forward", (0, 1), (2,)),
        _operator("silu", "elementwise", "forward", (2,), (3,)),
        _operator("mm", "matmul", "forward", (3, 1), (4,)),
        _operator("loss", "matmul", "backward", (4,), (5,)),
        _operator("grad", last, "backward", (5, 3), (6,)),
        _operator("silu_backward", "elementwise", "backward", (6, 2), (7,)),
    ]
    lives = [(-1, 6), (-1, 6), (0, 6), (1, 5), (2, 4), (3, 5), (4, 6), (5, 6)]
    categories = ["inputs", "weights", *["activations"] * 5, "gradients"]
    tensors = [
        RawTensor(i, kind, 8.0, birth, death)
        for i, (kind, (birth, death)) in enumerate(zip(categories, lives, strict=True))
    ]
    return _step(operators, tensors, 3)


def test_what_elementwise_backward_alone_reads_is_made_again() -> None:
    deaths = compiled_deaths(_mlp("elementwise"))
    assert deaths[3] == 3  # after the second product, its last reader in the forward pass
    assert deaths[2] == 6  # from which it is made


def test_what_a_product_reads_in_backward_is_kept() -> None:
    assert compiled_deaths(_mlp("matmul"))[3] == 5


def test_what_stays_within_one_fused_group_is_never_in_memory() -> None:
    operators = [
        _operator("add", "elementwise", "forward", (0,), (1,)),
        _operator("mul", "elementwise", "forward", (1,), (2,)),
        _operator("mm", "matmul", "forward", (2,), (3,)),
    ]
    tensors = [RawTensor(i, "activations", 8.0, i - 1, 3) for i in range(3)] + [RawTensor(3, "output", 8.0, 2, 3)]
    tensors[1].death, tensors[2].death = 2, 3
    assert compiled_deaths(_step(operators, tensors, 3))[1] == 0


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch")


def test_keeps_what_torchs_partitioner_keeps(torch: Any, tmp_path: Any) -> None:
    from outboard.tracing.live import record_trace
    from outboard.types.job import Job
    from tests.tracing.models_to_compile import language_model

    here = language_model.__code__.co_filename
    job = Job(workload=f"python:{here}:language_model", precision="bf16", compiled=True)
    table = record_trace(job).tensors
    assert table.compiled_death is not None
    backward = table.phase_start[2]
    sizes = table.size.constant + BATCH * table.size.per_batch
    held = (table.birth >= 0) & (table.birth < backward) & (table.compiled_death > backward)
    eager = (table.birth >= 0) & (table.birth < backward) & (table.death > backward)
    kept = _partitioned(torch, language_model(BATCH)[0].to(torch.bfloat16))
    assert np.isclose(sizes[held].sum(), kept, rtol=0.02), (sizes[held].sum(), kept)
    assert sizes[eager].sum() > 1.5 * kept  # compiling matters here


def _partitioned(torch: Any, model: Any) -> float:
    """Bytes of the storages that min_cut_rematerialization_partition has forward hand to backward [B]."""
    from torch._functorch._aot_autograd.utils import make_boxed_func
    from torch._functorch.aot_autograd import aot_module
    from torch._functorch.partitioners import min_cut_rematerialization_partition
    from torch._inductor.decomposition import select_decomp_table

    kept: dict[int, int] = {}

    def forward(graph: Any, _inputs: Any) -> Any:
        def run(*given: Any) -> Any:
            known = {value.untyped_storage()._cdata for value in given if isinstance(value, torch.Tensor)}
            found = graph(*given)
            for value in found[1:]:
                if isinstance(value, torch.Tensor) and value.untyped_storage()._cdata not in known:
                    kept[value.untyped_storage()._cdata] = value.untyped_storage().nbytes()
            return found

        return make_boxed_func(run)

    compiled = aot_module(
        model,
        fw_compiler=forward,
        bw_compiler=lambda graph, _inputs: make_boxed_func(graph),
        partition_fn=min_cut_rematerialization_partition,
        decompositions=select_decomp_table(),
    )
    ids = torch.zeros((BATCH, TOKENS), dtype=torch.long)
    compiled(ids, ids).backward()
    return float(sum(kept.values()))
