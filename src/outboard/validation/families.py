"""The family of a model: its architecture's name without size, recipe or version."""

import re

# Names that stand anywhere in a model's name; the first that does wins.
_WORDS = (
    *("efficientnetv2", "efficientnet", "mobilenet", "regnet", "convnext", "efficientvit", "nfnet", "swin"),
    *("distilbert", "roberta", "deberta", "albert", "bert", "smollm", "llama", "mistral", "qwen", "gemma", "whisper"),
)
_RESNET = re.compile(r"res(t|ne(x|s)t|net|2net)")


def family(workload: str) -> str:
    """The family of a workload, so that groups of errors hold models alike, and a family is held out as one.

    >>> family("timm:tf_efficientnetv2_b0.in1k"), family("timm:seresnext50_32x4d"), family("timm:vit_base_patch16_224")
    ('efficientnet', 'resnet', 'vit')
    >>> family("hf:meta-llama/Llama-3.2-1B"), family("zoo:gpt2-large"), family("torchvision:vgg11_bn")
    ('llama', 'gpt', 'vgg')
    """
    name = workload.rpartition(":")[2].removesuffix("/config.json").rpartition("/")[2].lower()
    name = name.split(".")[0] if workload.startswith("timm:") else name
    for word in _WORDS:
        if word in name:
            return word.removesuffix("v2")
    if _RESNET.search(name) or name.startswith(("wide_resnet", "skresne")):
        return "resnet"
    return re.split(r"[_\d.\- ]", name)[0] or name
