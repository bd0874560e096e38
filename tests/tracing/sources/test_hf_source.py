import json

import pytest

pytest.importorskip("transformers")

from outboard.errors import FileError, JobError, UnknownNameError


# Parameters as their authors' model cards and files have them.
@pytest.mark.parametrize(
    ("name", "task", "count"),
    [
        ("bert-base-uncased", "infer", 109_483_778),
        ("gpt2", "infer", 124_439_808),
        ("t5-small", "train", 60_506_624),
        ("whisper-tiny", "infer", 37_760_640),
        ("clip-vit-base-patch32", "train", 151_277_313),
        ("meta-llama/Llama-3.2-1B", "infer", 1_235_814_400),
    ],
)
def test_known_architectures_have_their_parameters(name: str, task: str, count: int) -> None:
    from outboard.tracing import sources
    from outboard.types.job import Job

    model = sources.build(Job(workload=f"hf:{name}", task=task)).model  # type: ignore[arg-type]
    assert sum(parameter.numel() for parameter in model.parameters()) == count


def small(folder, **changes):
    config = {
        "model_type": "llama",
        "vocab_size": 1000,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        **changes,
    }
    path = folder / "config.json"
    path.write_text(json.dumps({key: value for key, value in config.items() if value is not None}))
    return path


def test_a_language_model_is_its_own_target(steps, tmp_path) -> None:
    step = steps(f"hf:{small(tmp_path)}", seq_len=32, precision="bf16")[0]
    assert step.inputs == [(64, 512), (64, 512)]
    forward = [row for row in step.operators if row.kind == "attention"]
    assert [(row.m, row.k, row.g) for row in forward] == [(32, 16, 8)] * 2
    # Causal without a mask, hence flash and half of the scores.
    assert "flash" in forward[0].name
    assert forward[0].flops == 4 * 8 * 32 * 32 * 16 / 2
    assert next(row.name for row in step.operators if row.phase == "loss") == "aten._log_softmax"
    assert "512" not in step.warnings[0]


def test_positions_end_where_they_are_learned(steps, tmp_path) -> None:
    path = small(tmp_path, model_type="gpt2", num_key_value_heads=None)
    with pytest.raises(JobError, match="positions for 1024 tokens, not for 1025"):
        steps(f"hf:{path}", seq_len=1025)
    steps(f"hf:{small(tmp_path, max_position_embeddings=16)}", seq_len=32)


def test_a_folder_will_do(steps, tmp_path) -> None:
    small(tmp_path)
    assert steps(f"hf:{tmp_path}", seq_len=16, task="infer")[0].operators


def test_checkpointing(steps, tmp_path) -> None:
    name = f"hf:{small(tmp_path, num_hidden_layers=4)}"
    plain, again = (steps(name, seq_len=64, grad_checkpointing=value)[0] for value in (False, True))
    kept = [sum(t.size for t in step.tensors if t.category == "activations") for step in (plain, again)]
    assert kept[1] < kept[0]
    assert len(again.operators) > len(plain.operators)


def test_bert_has_the_published_flops(steps) -> None:
    step = steps("hf:bert-base-uncased", task="infer", precision="bf16")[0]
    # 85.1 M weights in products, each used for 128 tokens, and 12 attentions; pooler and head see one token.
    products = sum(row.flops for row in step.operators if row.kind in ("matmul", "attention")) / step.batch
    weights = 12 * (4 * 768**2 + 2 * 768 * 3072) * 128 + 768 * 768 + 768 * 2
    assert products == 2 * weights + 12 * 4 * 128 * 128 * 768


@pytest.mark.parametrize("name", ["t5-small", "whisper-tiny"])
def test_those_that_read_and_write(steps, name: str) -> None:
    steps(f"hf:{name}", seq_len=32, precision="amp-bf16", batches=(2, 3))


def test_eager_attention(steps, tmp_path) -> None:
    step = steps(f"hf:{small(tmp_path)}", seq_len=16, attention="eager")[0]
    assert not [row for row in step.operators if row.kind == "attention"]


@pytest.mark.parametrize(
    ("task", "said"), [("train", "masked language model"), ("finetune", "sequence classification")]
)
def test_encoders_say_which_head_they_got(steps, tmp_path, task: str, said: str) -> None:
    path = small(tmp_path, model_type="bert", num_key_value_heads=None)
    step = steps(f"hf:{path}", task=task)[0]
    assert said in step.warnings[0]
    assert "128 tokens" in step.warnings[0]


def test_images(steps, tmp_path) -> None:
    path = small(tmp_path, model_type="vit", vocab_size=None, num_key_value_heads=None, num_labels=7, image_size=32)
    step = steps(f"hf:{path}")[0]
    assert step.inputs == [(2 * 3 * 32 * 32, 4 * 2 * 3 * 32 * 32), (2, 16)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "not a JSON object"),
        ('{"hidden_size": 3}', "model_type: missing"),
        ('{"model_type": "lama"}', "'lama' is no architecture.*llama"),
    ],
)
def test_a_wrong_config_names_file_and_key(tmp_path, content: str, message: str) -> None:
    from outboard.tracing.recorder import record
    from outboard.types.job import Job

    path = tmp_path / "config.json"
    path.write_text(content)
    with pytest.raises(FileError, match=message) as error:
        record(Job(workload=f"hf:{path}"), 2)
    assert str(path) in str(error.value)


def test_a_file_that_is_not_there(tmp_path) -> None:
    from outboard.tracing.recorder import record
    from outboard.types.job import Job

    with pytest.raises(FileError, match="no such file"):
        record(Job(workload=f"hf:{tmp_path}/config.json"), 2)


def test_an_unknown_name_goes_nowhere() -> None:
    from outboard.tracing.recorder import record
    from outboard.types.job import Job

    with pytest.raises(UnknownNameError, match=r"nearest: llama-3\.2-1b.*config\.json"):
        record(Job(workload="hf:nobody/llama-3.2-1bb"), 2)


def test_a_configuration_that_contradicts_itself(tmp_path) -> None:
    from outboard.tracing.recorder import record
    from outboard.types.job import Job

    with pytest.raises((JobError, FileError), match=r"heads|hidden"):
        record(
            Job(workload=f"hf:{small(tmp_path, model_type='bert', num_attention_heads=5, num_key_value_heads=None)}"), 2
        )
