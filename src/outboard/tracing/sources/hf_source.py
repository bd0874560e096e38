"""``hf:NAME``: models of transformers, built from their configuration on the meta device, never with weights."""

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from outboard.errors import JobError
from outboard.i18n import _
from outboard.tracing.sources.base import Built
from outboard.tracing.sources.hf_configs import config_of, transformers  # first: it sees to it that nothing goes online
from outboard.tracing.sources.skeleton import no_initialisation
from outboard.types.job import Job

import torch  # isort: skip

from outboard.tracing.sources import hf_roles, losses


def build(name: str, job: Job) -> Built:
    """The model ``name`` with the head that its task asks for."""
    config = config_of(name)
    for part in (config, getattr(config, "text_config", None)):
        if part is not None:
            # As transformers does unless told otherwise: keys and values are kept in inference, and no use in training.
            part.use_cache = job.task == "infer"
    if getattr(config, "decoder_start_token_id", None) is None:
        config.decoder_start_token_id = 0  # any will do: no values are computed
    role = hf_roles.role_of(config, job)
    model, warnings = _create(role, config, job, name)

    def checkpoint() -> None:
        model.gradient_checkpointing_enable({"use_reentrant": False})

    labelled = role.labelled and job.task != "infer"
    return Built(
        model=model,
        make_batch=role.make_batch,
        loss=_own_loss if labelled else losses.mean_square,
        unit="images" if role.image_size and not role.seq_len else "sequences",
        image_size=role.image_size,
        seq_len=role.seq_len,
        tokens_per_sample=role.seq_len,
        checkpoint=checkpoint if getattr(model, "supports_gradient_checkpointing", False) else None,
        default_size=str(role.image_size or ""),
        warnings=[role.note, *warnings],
        versions={"torch": torch.__version__, "transformers": transformers.__version__},
        around=_values_unread,
    )


def _create(role: "hf_roles.Role", config: Any, job: Job, name: str) -> tuple[Any, list[str]]:
    def create(attention: str) -> Any:
        with torch.device("meta"), no_initialisation():
            return role.auto.from_config(config, attn_implementation=attention, dtype=torch.float32)

    try:
        return create(job.attention), []
    except (ValueError, ImportError) as error:
        if job.attention == "sdpa" and "does not support" in str(error):
            return create("eager"), [_("{name} knows no fused attention: eager is traced").format(name=name)]
        raise JobError(_("hf:{name} cannot be built: {error}").format(name=name, error=error)) from error
    except Exception as error:
        reason = str(error).strip().splitlines()[0]
        raise JobError(_("hf:{name} cannot be built: {error}").format(name=name, error=reason)) from error


@contextlib.contextmanager
def _values_unread() -> Iterator[None]:
    """Where transformers sees tensors without values it masks what it would not mask otherwise.

    It looks for several sequences packed into one: there are none, and attention is then causal without a mask. It
    looks whether a mask hides nothing and can be left out: where there is one, it hides padding.
    """
    masking = getattr(transformers, "masking_utils", None)
    answers = {"find_packed_sequence_indices": lambda position_ids: None, "fast_all": lambda mask: False}
    with contextlib.ExitStack() as stack:
        for name, answer in answers.items():
            if hasattr(masking, name):
                stack.enter_context(patch.object(masking, name, answer))
        yield


def _own_loss(output: Any, targets: Any) -> torch.Tensor:
    return output.loss
