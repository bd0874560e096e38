"""What transformers finds out by looking at values, answered as for a batch of whole sequences without padding.

It looks whether a row of a batch holds several sequences, and drops the mask if none does, so that flash attention can
run. Fake tensors have no values; it would then keep the mask, materialise it for each layer and run a slower attention.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_NAME = "find_packed_sequence_indices"


@contextmanager
def one_sequence_per_row() -> Iterator[None]:
    """Within this, transformers finds one sequence in each row; does nothing where it is not loaded or has no such
    test.
    """
    masking = sys.modules.get("transformers.masking_utils")
    if not hasattr(masking, _NAME):
        yield
        return
    from unittest.mock import patch  # it brings asyncio along

    with patch.object(masking, _NAME, _none_after(getattr(masking, _NAME))):
        yield


def _none_after(look: Callable[..., Any]) -> Callable[..., None]:
    """The look itself launches kernels, so that it is taken all the same."""

    def looked(*args: Any, **kwargs: Any) -> None:
        look(*args, **kwargs)

    return looked
