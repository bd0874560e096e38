"""Types of tensors in a GGUF file: how many values a block packs, and into how many bytes (ggml/src/ggml-common.h)."""

from typing import NamedTuple


class Kind(NamedTuple):
    """A type of tensors."""

    name: str
    values: int  # in a block
    bytes: int  # of a block [B]


KINDS: dict[int, Kind] = {
    0: Kind("f32", 1, 4),
    1: Kind("f16", 1, 2),
    2: Kind("q4_0", 32, 18),
    3: Kind("q4_1", 32, 20),
    6: Kind("q5_0", 32, 22),
    7: Kind("q5_1", 32, 24),
    8: Kind("q8_0", 32, 34),
    9: Kind("q8_1", 32, 36),
    10: Kind("q2_k", 256, 84),
    11: Kind("q3_k", 256, 110),
    12: Kind("q4_k", 256, 144),
    13: Kind("q5_k", 256, 176),
    14: Kind("q6_k", 256, 210),
    15: Kind("q8_k", 256, 292),
    16: Kind("iq2_xxs", 256, 66),
    17: Kind("iq2_xs", 256, 74),
    18: Kind("iq3_xxs", 256, 98),
    19: Kind("iq1_s", 256, 50),
    20: Kind("iq4_nl", 32, 18),
    21: Kind("iq3_s", 256, 110),
    22: Kind("iq2_s", 256, 82),
    23: Kind("iq4_xs", 256, 136),
    24: Kind("i8", 1, 1),
    25: Kind("i16", 1, 2),
    26: Kind("i32", 1, 4),
    27: Kind("i64", 1, 8),
    28: Kind("f64", 1, 8),
    29: Kind("iq1_m", 256, 56),
    30: Kind("bf16", 1, 2),
    34: Kind("tq1_0", 256, 54),
    35: Kind("tq2_0", 256, 66),
    39: Kind("mxfp4", 32, 17),
    40: Kind("nvfp4", 64, 36),
    41: Kind("q1_0", 128, 18),
}

# general.file_type: what people call the whole file. Its tensors may be of several types.
FILE_TYPES: dict[int, str] = {
    0: "f32",
    1: "f16",
    2: "q4_0",
    3: "q4_1",
    7: "q8_0",
    8: "q5_0",
    9: "q5_1",
    10: "q2_k",
    11: "q3_k_s",
    12: "q3_k_m",
    13: "q3_k_l",
    14: "q4_k_s",
    15: "q4_k_m",
    16: "q5_k_s",
    17: "q5_k_m",
    18: "q6_k",
    19: "iq2_xxs",
    20: "iq2_xs",
    21: "q2_k_s",
    22: "iq3_xs",
    23: "iq3_xxs",
    24: "iq1_s",
    25: "iq4_nl",
    26: "iq3_s",
    27: "iq3_m",
    28: "iq2_s",
    29: "iq2_m",
    30: "iq4_xs",
    31: "iq1_m",
    32: "bf16",
    36: "tq1_0",
    37: "tq2_0",
    38: "mxfp4",
    39: "nvfp4",
    40: "q1_0",
}
