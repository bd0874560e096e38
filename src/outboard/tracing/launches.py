"""How many kernels one foreach operator launches.

torch's multi_tensor_apply (ATen/native/cuda/MultiTensorApply.cuh) cuts each tensor into chunks and packs chunks into
launches until the kernel arguments are full. The limits below are those of builds for CUDA 11 and 12; builds for CUDA
13 pack seven times as much, which saves a few microseconds a step.
"""

from collections.abc import Iterable
from math import ceil

CHUNK_ELEMENTS = 65536
MAX_BLOCKS = 320
MAX_TENSORS = (110, 64, 48, 36, 30)  # by depth, the number of tensor lists that the operator touches
MAX_TENSORS_SCALARS = (96, 64, 48, 36, 30)  # the same where each tensor has a scalar of its own


def foreach_launches(sizes: Iterable[tuple[int, int]], depth: int, scalars: bool = False) -> int:
    """Launches for tensors given as (elements, how many of them), in order, touched through ``depth`` lists.

    >>> foreach_launches([(10, 110)], depth=1), foreach_launches([(10, 111)], depth=1)
    (1, 2)
    >>> foreach_launches([(320 * 65536 + 1, 1)], depth=1)
    2
    """
    max_tensors = (MAX_TENSORS_SCALARS if scalars else MAX_TENSORS)[depth - 1]
    launches = blocks = tensors = 0
    for elements, count in sizes:
        chunks = ceil(elements / CHUNK_ELEMENTS)
        for _ in range(count):
            full, blocks = divmod(blocks + chunks, MAX_BLOCKS)
            launches += full
            # A launch that fills up in the middle of a tensor carries that tensor on into the next one.
            tensors = (1 if blocks else 0) if full else tensors + 1
            if tensors == max_tensors:
                launches, blocks, tensors = launches + 1, 0, 0
    return launches + (1 if blocks else 0)
