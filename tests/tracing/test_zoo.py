"""The traces that ship: every file opens, holds what its name says, and counts the parameters of the authors."""

import pytest

from outboard.errors import UnknownNameError
from outboard.tracing import file, zoo
from outboard.tracing.totals import describe
from outboard.tracing.zoo.entries import Entry
from outboard.types.trace import FORMAT_VERSION

ENTRIES = {entry.name: entry for entry in zoo.entries()}

# As the authors' checkpoints have them, tied weights counted once.
PARAMETERS = {
    "resnet50": 25_557_032,
    "resnet18": 11_689_512,
    "efficientnet_b0": 5_288_548,
    "convnext_tiny": 28_589_128,
    "mobilenetv3_large_100": 5_483_032,
    "vit_base_patch16_224": 86_567_656,
    "swin_tiny_patch4_window7_224": 28_288_354,
    "bert-base": 109_514_298,
    "bert-large": 335_174_458,
    "distilbert": 66_985_530,
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
    "t5-small": 60_506_624,
    "whisper-small": 241_734_912,
    "clip-vit-base-patch32": 151_277_313,
    "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-3b": 3_212_749_824,
    "llama-3.1-8b": 8_030_261_248,
    "mistral-7b": 7_248_023_552,  # version 0.3, whose vocabulary is 32,768
    "qwen2.5-1.5b": 1_543_714_304,
    "qwen2.5-7b": 7_615_616_512,
    "sd-unet": 859_520_964,
}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_every_variant_ships_and_is_what_its_name_says(entry: Entry) -> None:
    for variant in entry.variants:
        trace = file.load_bare(entry.path(variant))
        info = trace.info
        assert trace.format_version == FORMAT_VERSION
        assert (info.workload, info.task, info.precision) == (entry.workload, variant.task, variant.precision)
        assert info.memory_format == variant.memory_format
        assert info.grad_checkpointing == variant.grad_checkpointing
        assert variant.seq_len in (None, info.seq_len)
        assert variant.image_size in (None, info.image_size)
        assert "recorder" in info.versions
        assert describe(trace)["flops"]["per_batch"] > 1e8


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_nothing_else_ships(entry: Entry) -> None:
    files = set(entry.path(entry.variants[0]).parent.iterdir())
    assert files == {entry.path(variant) for variant in entry.variants}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_are_those_of_the_checkpoints(name: str) -> None:
    entry = ENTRIES[name]
    trace = file.load_bare(entry.path(next(variant for variant in entry.variants if variant.task == "train")))
    assert trace.parameter_count() == PARAMETERS[name]


def test_training_costs_three_times_inference() -> None:
    for entry in ENTRIES.values():
        totals = {
            variant.task: describe(file.load_bare(entry.path(variant)))["flops"]["per_batch"]
            for variant in entry.variants
            if not variant.grad_checkpointing and variant.memory_format == "nchw"
        }
        # Encoders are pre-trained with a head over the whole vocabulary; inference and fine-tuning classify.
        trained = totals.get("finetune", totals["train"])
        assert 2.5 < trained / totals["infer"] < 3.6, entry.name


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("ResNet-50", "resnet50"),
        ("vit-b16", "vit_base_patch16_224"),
        ("ViT-B/16", "vit_base_patch16_224"),
        ("BERT_base", "bert-base"),
        ("bert-base-uncased", "bert-base"),
        ("Llama 3.1 8B", "llama-3.1-8b"),
        ("llama_3_1_8b", "llama-3.1-8b"),
        ("Qwen2.5-7B", "qwen2.5-7b"),
    ],
)
def test_names_match_whatever_their_case_and_separators(name: str, found: str) -> None:
    assert zoo.find(name).name == found


def test_no_two_models_share_a_name() -> None:
    names = [
        "".join(filter(str.isalnum, name.casefold()))
        for entry in ENTRIES.values()
        for name in (entry.name, *entry.aliases)
    ]
    assert len(names) == len(set(names))


def test_a_miss_lists_the_nearest_or_all() -> None:
    with pytest.raises(UnknownNameError, match="nearest: zoo:gpt2"):
        zoo.find("gpt3")
    with pytest.raises(UnknownNameError, match="known: resnet50, resnet18"):
        zoo.find("zzzzzzzz")


def test_the_zoo_is_small() -> None:
    sizes = [
        path.stat().st_size for entry in ENTRIES.values() for path in entry.path(entry.variants[0]).parent.iterdir()
    ]
    assert len(ENTRIES) >= 24
    assert sum(sizes) < 6e6 and max(sizes) < 150e3
