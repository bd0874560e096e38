"""Tiles, waves and ceilings of matrix products, against figures worked out by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from outboard.perf.time import coefficients
from outboard.perf.time.columns import DTYPE, KIND, Columns
from outboard.perf.time.gemm import conversion_seconds, gemm_seconds
from outboard.perf.time.kernels import classes
from outboard.perf.time.places import DeviceArrays
from outboard.perf.time.tiles import gemm_shape, tiling
from outboard.types.trace import FloatArray

C = coefficients.load()


def product(m: float, n: float, k: float, kind: str = "matmul", dtype: str = "fp16", **extra: float) -> Columns:
    def one(value: float) -> FloatArray:
        return np.array([[float(value)]])

    row = np.array([1.0])
    return Columns(
        kind=np.array([KIND[kind]]),
        phase=np.array([0]),
        dtype=np.array([DTYPE[dtype]]),
        count=row,
        kernels=row,
        taps=row * extra.get("taps", 1.0),
        stride=row * extra.get("stride", 1.0),
        fused=0.0 * row,
        converted=row * extra.get("converted", 0.0),
        missing=row * extra.get("missing", 0.0),
        image=row * extra.get("image", 3136.0),
        **dict.fromkeys(("batch_norm", "last", "mixed", "old"), 0.0 * row),
        flops=one(2 * m * n * k * extra.get("g", 1.0)),
        read=one(2 * (m * k / extra.get("taps", 1.0) + k * n)),
        written=one(2 * m * n),
        m=one(m),
        n=one(n),
        k=one(k),
        g=one(extra.get("g", 1.0)),
    )


def seconds(cols: Columns, devices: DeviceArrays) -> float:
    return float(classes(cols)[0].seconds(devices, C)[0][0, 0, 0])


@pytest.fixture
def devices(device: Callable[..., Any]) -> DeviceArrays:
    return DeviceArrays.of([device()])


def test_a_large_product_runs_near_the_rated_speed(devices: DeviceArrays) -> None:
    size = 8192
    achieved = 2 * size**3 / seconds(product(size, size, size), devices)
    assert 0.75 < achieved / devices.matrix[0, DTYPE["fp16"]] < 1.0


def test_a_narrow_product_pays_for_whole_tiles(devices: DeviceArrays) -> None:
    assert seconds(product(65536, 33, 512), devices) == pytest.approx(
        seconds(product(65536, 64, 512), devices), rel=0.1
    )


def test_a_deep_product_is_split_among_the_units(devices: DeviceArrays) -> None:
    deep = product(128, 128, 1 << 20)
    whole_tile_on_one_unit = 2 * 128 * 128 * (1 << 20) / (devices.matrix[0, DTYPE["fp16"]] / devices.units[0])
    assert seconds(deep, devices) < whole_tile_on_one_unit / 4


def test_padding_never_shrinks_the_work() -> None:
    for m, n, k in [(1, 1, 1), (100, 24, 27), (12544, 64, 147)]:
        cut = tiling(product(m, n, k), C)
        assert cut.work[0, 0] >= 2 * m * n * k


def test_the_three_products_of_a_convolution_are_one_another_turned() -> None:
    forward = [float(side[0, 0]) for side in gemm_shape(product(1000, 64, 576, "conv", taps=9.0))]
    data = [float(side[0, 0]) for side in gemm_shape(product(1000, 64, 576, "conv_dgrad", taps=9.0))]
    weight = [float(side[0, 0]) for side in gemm_shape(product(1000, 64, 576, "conv_wgrad", taps=9.0))]
    assert forward == [1000, 64, 576]
    assert data == [1000, 64, 576]
    assert weight == [64, 576, 1000]


def test_only_matrix_units_need_channels_last(device: Callable[..., Any]) -> None:
    cols = product(100000, 64, 576, "conv", converted=1.0)
    both = DeviceArrays.of([device(), device(matmul={})])
    found = conversion_seconds(cols, both, C)
    assert found is not None
    assert found[0, 0, 0] > 0.0
    assert found[1, 0, 0] == 0.0
    assert conversion_seconds(product(100000, 64, 576, "conv"), both, C) is None


def test_without_memory_limits_the_rest_is_arithmetic(device: Callable[..., Any]) -> None:
    base = device()
    fast = DeviceArrays.of([device(memory_bandwidth=base.memory_bandwidth.__class__(1e18, "B/s", "t", 3))])
    arithmetic, memory = gemm_seconds(product(4096, 4096, 4096), fast, C)
    assert memory[0, 0, 0] < 1e-6 < arithmetic[0, 0, 0]


def test_winograd_helps_small_filters_on_ordinary_units_only(devices: DeviceArrays) -> None:
    shape = (200_000, 256, 256 * 9, "conv")
    plain, short = (product(*shape, dtype="fp32", taps=9, stride=stride) for stride in (2, 1))
    assert seconds(short, devices) < 0.8 * seconds(plain, devices)
    on_matrix = [product(*shape, taps=9, stride=stride) for stride in (2, 1)]
    assert seconds(on_matrix[0], devices) == seconds(on_matrix[1], devices)


def test_winograd_is_left_where_its_traffic_outweighs_its_gain(devices: DeviceArrays) -> None:
    """One channel in, one out: nothing to save."""
    plain, short = (product(1e6, 1, 9, "conv", dtype="fp32", taps=9, stride=stride) for stride in (2, 1))
    assert seconds(short, devices) == pytest.approx(seconds(plain, devices))


def test_a_convolution_without_a_kernel_runs_on_the_ordinary_units(devices: DeviceArrays) -> None:
    usual, missing = (product(100_000, 64, 576, "conv", missing=missing) for missing in (0.0, 1.0))
    assert seconds(missing, devices) > 3 * seconds(usual, devices)


def test_winograds_tiles_waste_most_of_a_small_image(devices: DeviceArrays) -> None:
    """Images of 5 x 5 need four tiles of 4 x 4: 2.56 times their pixels."""
    large, small = (product(200_000, 256, 256 * 9, "conv", dtype="fp32", taps=9, image=side**2) for side in (56.0, 5.0))
    assert seconds(small, devices) > 1.3 * seconds(large, devices)


def test_narrow_batches_in_fp32_fill_whole_tiles_from_ampere_on(device: Callable[..., Any]) -> None:
    new, old = (DeviceArrays.of([device(architecture=name)]) for name in ("ampere-ga10x", "turing"))
    low, high = (product(m, 128, 512, dtype="fp32", g=256.0) for m in (32, 128))
    assert seconds(low, new) == pytest.approx(seconds(high, new), rel=0.15)
    assert seconds(low, old) < 0.5 * seconds(high, old)


def test_the_way_to_the_cache_is_wider_on_an_a100(device: Callable[..., Any]) -> None:
    wide, usual = (DeviceArrays.of([device(architecture=name)]) for name in ("ampere-ga100", "ampere-ga10x"))
    narrow = product(65536, 32, 8192)
    assert seconds(narrow, wide) < seconds(narrow, usual)


def test_a_missing_kernel_takes_as_long_for_narrow_groups_as_for_wide_ones(devices: DeviceArrays) -> None:
    """Per channel: a group of 64 fills half of the tile that one of 128 fills."""
    half, whole = (product(100_000, width, width * 9, "conv", taps=9, missing=1.0) for width in (64, 128))
    assert seconds(whole, devices) == pytest.approx(2 * seconds(half, devices), rel=0.15)
