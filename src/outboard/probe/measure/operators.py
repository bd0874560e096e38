"""Operators as training runs them, on the device named: what the forecast for a CPU is computed from."""

from collections.abc import Callable, Iterator
from typing import Any

from outboard.probe.measure.fit import Shape, rates
from outboard.probe.measure.timing import Timed, timed
from outboard.types.measured import Figure

FP32 = 4.0  # bytes of an element
HELD = 12  # outputs that a forward pass keeps at once: memory that is new costs more than memory used again
CONVOLUTIONS = (  # images, channels in, channels out, pixels, side of the kernel, stride
    (4, 64, 64, 56, 3, 1),
    (4, 256, 256, 14, 3, 1),
    (4, 64, 256, 28, 1, 1),
    (4, 1024, 256, 14, 1, 1),
    (4, 512, 512, 7, 3, 1),
    (4, 3, 32, 160, 3, 2),
)
DEPTHWISE = ((4, 32, 80, 3), (4, 144, 40, 3), (4, 480, 14, 5), (4, 960, 7, 5))  # images, channels, pixels, side
PRODUCTS = ((512, 512, 512), (784, 384, 1536), (1024, 256, 1024), (8, 512, 1000), (128, 768, 3072))
HEADS = ((4, 6, 197, 64), (8, 4, 128, 64), (16, 3, 64, 64))
ROWS = ((788, 384), (1024, 256), (3136, 192))
IMAGES = ((4, 64, 56), (4, 256, 28), (4, 512, 7))
SIZES = (2**16, 2**18, 2**20, 2**22)  # elements

NAMES = (
    "matmul",
    *(f"{name}{end}" for name in ("conv", "depthwise") for end in ("", "_dgrad", "_wgrad")),
    *("elementwise", "activation", "activation_backward", "elementwise_backward", "in_place"),
    *("norm", "norm_backward", "batch_norm", "batch_norm_backward", "attention", "attention_backward"),
    *("softmax", "softmax_backward", "reduction", "copy", "pool", "pool_backward", "gather"),
)

Run = tuple[float, float, Callable[[], Any]]


def held(call: Callable[[], Any]) -> Callable[[], Any]:
    """Several calls whose results all live at once, as in a forward pass."""
    return lambda: [call() for _ in range(HELD)]


def measured(name: str, runs: list[Run], device: str, start: float, patience: float, times: int = 1) -> list[Figure]:
    """The rates of one class of operators; each run makes ``times`` calls."""
    shapes: list[Shape] = []
    for flops, size, call in runs:
        took = timed(call, device, patience)
        one = Timed(took.seconds / times, took.low / times, took.high / times, took.repetitions)
        shapes.append(Shape(flops, size, one))
    return rates(name, shapes, start)


def runs(name: str, device: str) -> tuple[list[Run], int]:
    """The runs of one class of :data:`NAMES`, and how many calls each makes."""
    return next((made, times) for found, made, times in classes(device) if found == name)


def classes(device: str) -> Iterator[tuple[str, list[Run], int]]:
    """Each class with its runs: FLOP, bytes and the call."""
    import torch

    yield "matmul", _products(torch, device), 1
    for family in (_convolutions, _streams, _norms, _attention, _others):
        yield from family(torch, device)


def _products(torch: Any, device: str) -> list[Run]:
    made: list[Run] = []
    for m, n, k in PRODUCTS:
        a, b = torch.randn(m, k, device=device), torch.randn(n, k, device=device)
        made.append((2.0 * m * n * k, FP32 * (m * k + n * k + m * n), lambda a=a, b=b: a @ b.t()))
    return made


def _convolutions(torch: Any, device: str) -> Iterator[tuple[str, list[Run], int]]:
    plain = [(images, cin, cout, pixels, side, stride, 1) for images, cin, cout, pixels, side, stride in CONVOLUTIONS]
    deep = [(images, channels, channels, pixels, side, 1, channels) for images, channels, pixels, side in DEPTHWISE]
    for name, shapes in (("conv", plain), ("depthwise", deep)):
        forward: list[Run] = []
        inputs: list[Run] = []
        weights: list[Run] = []
        for images, cin, cout, pixels, side, stride, groups in shapes:
            x = torch.randn(images, cin, pixels, pixels, device=device)
            w = torch.randn(cout, cin // groups, side, side, device=device)
            given = ([stride] * 2, [side // 2] * 2, [1, 1], False, [0, 0], groups)
            y = torch.convolution(x, w, None, *given)
            flops = 2.0 * y.numel() * w.numel() / cout
            read = FP32 * (x.numel() + w.numel() + y.numel())
            forward.append((flops, read, held(lambda x=x, w=w, g=given: torch.convolution(x, w, None, *g))))
            for runs, mask in ((inputs, [True, False, False]), (weights, [False, True, False])):
                call = torch.ops.aten.convolution_backward
                runs.append((flops, read, lambda c=call, y=y, x=x, w=w, g=given, m=mask: c(y, x, w, None, *g, m)))
        yield name, forward, HELD
        yield f"{name}_dgrad", inputs, 1
        yield f"{name}_wgrad", weights, 1


def _streams(torch: Any, device: str) -> Iterator[tuple[str, list[Run], int]]:
    inputs = [torch.randn(size, device=device) for size in SIZES]
    yield "elementwise", [(0.0, 8.0 * x.numel(), held(lambda x=x: torch.relu(x))) for x in inputs], HELD
    gelu = torch.nn.functional.gelu
    yield "activation", [(0.0, 8.0 * x.numel(), held(lambda x=x: gelu(x))) for x in inputs], HELD
    back = torch.ops.aten.gelu_backward
    yield "activation_backward", [(0.0, 12.0 * x.numel(), lambda x=x: back(x, x)) for x in inputs], 1
    back = torch.ops.aten.threshold_backward
    yield "elementwise_backward", [(0.0, 12.0 * x.numel(), lambda x=x, b=back: b(x, x, 0)) for x in inputs], 1
    yield "in_place", [(0.0, 12.0 * x.numel(), lambda x=x: x.add_(x, alpha=0.0)) for x in inputs], 1


def _norms(torch: Any, device: str) -> Iterator[tuple[str, list[Run], int]]:
    aten = torch.ops.aten
    forward: list[Run] = []
    backward: list[Run] = []
    for rows, columns in ROWS:
        x, w = torch.randn(rows, columns, device=device), torch.randn(columns, device=device)
        call = lambda x=x, w=w: aten.native_layer_norm(x, [x.shape[1]], w, w, 1e-5)  # noqa: E731
        _y, mean, deviation = call()
        forward.append((0.0, 8.0 * x.numel(), held(call)))
        state = (x, x, [columns], mean, deviation, w, w, [True, True, True])
        backward.append((0.0, 12.0 * x.numel(), lambda s=state: aten.native_layer_norm_backward(*s)))
    yield "norm", forward, HELD
    yield "norm_backward", backward, 1
    forward, backward = [], []
    for images, channels, pixels in IMAGES:
        x, w = torch.randn(images, channels, pixels, pixels, device=device), torch.ones(channels, device=device)
        own = (w.clone(), w.clone())
        call = lambda x=x, w=w, o=own: aten.native_batch_norm(x, w, w, *o, True, 0.1, 1e-5)  # noqa: E731
        _y, mean, deviation = call()
        forward.append((0.0, 8.0 * x.numel(), held(call)))
        state = (x, x, w, *own, mean, deviation, True, 1e-5, [True, True, True])
        backward.append((0.0, 12.0 * x.numel(), lambda s=state: aten.native_batch_norm_backward(*s)))
    yield "batch_norm", forward, HELD
    yield "batch_norm_backward", backward, 1


def _attention(torch: Any, device: str) -> Iterator[tuple[str, list[Run], int]]:
    attend = torch.nn.functional.scaled_dot_product_attention
    forward: list[Run] = []
    backward: list[Run] = []
    for images, heads, length, size in HEADS:
        q, k, v = (torch.randn(images, heads, length, size, device=device, requires_grad=True) for _ in range(3))
        flops, moved = 4.0 * images * heads * length * length * size, 4.0 * FP32 * q.numel()
        forward.append((flops, moved, lambda q=q, k=k, v=v: attend(q, k, v)))
        y = attend(q, k, v)
        call = torch.autograd.grad
        backward.append(
            (2.5 * flops, 2 * moved, lambda c=call, y=y, q=q, k=k, v=v: c(y, (q, k, v), y, retain_graph=True))
        )
    yield "attention", forward, 1
    yield "attention_backward", backward, 1


def _others(torch: Any, device: str) -> Iterator[tuple[str, list[Run], int]]:
    functional, aten = torch.nn.functional, torch.ops.aten
    rows = [torch.randn(size // 256, 256, device=device) for size in SIZES[1:]]
    yield "softmax", [(0.0, 8.0 * x.numel(), lambda x=x: torch.softmax(x, -1)) for x in rows], 1
    back = aten._softmax_backward_data
    yield "softmax_backward", [(0.0, 12.0 * x.numel(), lambda x=x: back(x, x, -1, torch.float32)) for x in rows], 1
    yield "reduction", [(0.0, 4.0 * x.numel(), lambda x=x: x.sum(0)) for x in rows], 1
    yield "copy", [(0.0, 8.0 * x.numel(), lambda x=x: x.t().contiguous()) for x in rows], 1
    images = [torch.randn(4, 64, side, side, device=device) for side in (28, 56, 112)]
    yield "pool", [(0.0, 9.0 * x.numel(), held(lambda x=x: functional.max_pool2d(x, 3, 2, 1))) for x in images], HELD
    backward: list[Run] = []
    for x in images:
        y, index = aten.max_pool2d_with_indices(x, [3, 3], [2, 2], [1, 1])
        state = (y, x, [3, 3], [2, 2], [1, 1], [1, 1], False, index)
        backward.append((0.0, 10.0 * x.numel(), lambda s=state: aten.max_pool2d_with_indices_backward(*s)))
    yield "pool_backward", backward, 1
    table = torch.randn(8192, 256, device=device)
    words = [torch.randint(0, 8192, (count,), device=device) for count in (256, 1024, 4096)]
    yield "gather", [(0.0, 2048.0 * len(w), lambda w=w: functional.embedding(w, table)) for w in words], 1
