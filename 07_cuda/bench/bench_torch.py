"""The upper rungs beside PyTorch's scaled_dot_product_attention, in turns.

    python3 07_cuda/bench/bench_torch.py build/07_cuda/gpu/libladder.so

Same inputs, same stream, CUDA events, medians of the rounds A B C A B C.
Outputs are held against float64 (of some rows) before anything is timed; the
peak is a matrix product of the same run, and a figure above it is refused.
Tab-separated on stdout, as bench.cu writes it. docs/measuring.md
"""

import ctypes
import statistics
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


class Problem(ctypes.Structure):
    """rung_problem of rung.h."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("Q", ctypes.c_void_p),
        ("K", ctypes.c_void_p),
        ("V", ctypes.c_void_p),
        ("O", ctypes.c_void_p),
        ("L", ctypes.c_void_p),
        ("m", ctypes.c_void_p),
        ("l", ctypes.c_void_p),
        ("heads", ctypes.c_int),
        ("group", ctypes.c_int),
        ("Nq", ctypes.c_int),
        ("Nk", ctypes.c_int),
        ("D", ctypes.c_int),
        ("scale", ctypes.c_float),
        ("offset", ctypes.c_int),
        ("scratch", ctypes.c_void_p),
    ]


class Gradients(ctypes.Structure):
    """gradient_problem of backward/gradient_rung.h."""

    _fields_ = [
        ("forward", Problem),
        ("dO", ctypes.c_void_p),
        ("dQ", ctypes.c_void_p),
        ("dK", ctypes.c_void_p),
        ("dV", ctypes.c_void_p),
        ("D", ctypes.c_void_p),
        ("dQ_sum", ctypes.c_void_p),
    ]


RUNGS = ["split_q", "swizzle", "cp_async", "full"]
HOPPER_RUNGS = ["wgmma", "roles", "pingpong"]
BACKWARD = ["tensor_cores"]
HOPPER_BACKWARD = ["wgmma", "reduce"]
BACKENDS = {
    "torch_flash": SDPBackend.FLASH_ATTENTION,
    "torch_cudnn": SDPBackend.CUDNN_ATTENTION,
    "torch_efficient": SDPBackend.EFFICIENT_ATTENTION,
}
SHAPES = [(4, 16, 4096, 64), (4, 16, 4096, 128), (16, 12, 2048, 64)]
BF16 = 1
ROUNDS = 11


def problem(q, k, v, o, L, causal):
    B, H, N, d = q.shape
    return Problem(
        type=BF16, Q=q.data_ptr(), K=k.data_ptr(), V=v.data_ptr(),
        O=o.data_ptr(), L=L.data_ptr(), m=None, l=None, heads=B * H, group=1,
        Nq=N, Nk=N, D=d, scale=d**-0.5, offset=0 if causal else N,
    )


def rung_start(library, name, q, k, v, o, causal):
    L = torch.empty(q.shape[:3], device="cuda")
    p = problem(q, k, v, o, L, causal)
    function = getattr(library, "rung_" + name)
    function.argtypes = [ctypes.POINTER(Problem)]

    def start(keep=(L, p)):
        error = function(ctypes.byref(p))
        if error:
            raise RuntimeError(f"{name}: CUDA error {error}")

    return start


def backward_start(library, name, q, k, v, dO, causal):
    """Forward once, by rung 6a; then what is timed, and where dQ will be."""
    o, L = torch.empty_like(q), torch.empty(q.shape[:3], device="cuda")
    p = problem(q, k, v, o, L, causal)
    library.rung_swizzle.argtypes = [ctypes.POINTER(Problem)]
    library.rung_swizzle(ctypes.byref(p))
    gradients = [torch.full_like(q, float("nan")) for _ in range(3)]
    D, total = torch.empty_like(L), torch.empty(q.shape, device="cuda")
    g = Gradients(p, dO.data_ptr(), *(x.data_ptr() for x in gradients),
                  D.data_ptr(), total.data_ptr())
    function = getattr(library, "backward_" + name)
    function.argtypes = [ctypes.POINTER(Gradients)]

    def start(keep=(o, L, gradients, D, total, g)):
        error = function(ctypes.byref(g))
        if error:
            raise RuntimeError(f"backward_{name}: CUDA error {error}")

    return start, gradients


def torch_backward_start(backend, q, k, v, dO, causal):
    inputs = [x.detach().requires_grad_() for x in (q, k, v)]
    gradients = [None] * 3
    with sdpa_kernel(backend):
        o = F.scaled_dot_product_attention(*inputs, is_causal=causal)

    def start():
        gradients[:] = torch.autograd.grad(o, inputs, dO, retain_graph=True)

    return start, gradients


def gradients_right(gradients, q, k, v, dO, causal):
    """The largest relative error of head 0's gradients against float64."""
    inputs = [x[0, 0].double().requires_grad_() for x in (q, k, v)]
    Q, K, V = inputs
    S = Q @ K.T * q.shape[3] ** -0.5
    if causal:
        S = S.masked_fill(torch.ones_like(S, dtype=bool).triu(1), float("-inf"))
    want = torch.autograd.grad(torch.softmax(S, -1) @ V, inputs,
                               dO[0, 0].double())
    return max(((g[0, 0].double() - w).norm() / w.norm()).item()
               for g, w in zip(gradients, want))


def torch_start(backend, q, k, v, result, causal):
    def start():
        with sdpa_kernel(backend):
            result[0] = F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    return start


def right(o, q, k, v, causal):
    """The relative error of head 0's rows 0, 97, 194, ... against float64."""
    rows = torch.arange(0, q.shape[2], 97, device="cuda")
    Q, K, V = (x[0, 0].double() for x in (q, k, v))
    S = Q[rows] @ K.T * q.shape[3] ** -0.5
    if causal:
        keys = torch.arange(k.shape[2], device="cuda")
        S = S.masked_fill(keys[None, :] > rows[:, None], float("-inf"))
    want = torch.softmax(S, -1) @ V
    error = (o[0, 0][rows].double() - want).norm() / want.norm()
    return error.item()


def time_once(start, times):
    begin = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(times):
        start()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / times


def keep_right(contenders, shape, error_of):
    """Runs each once; who is wrong or can't is named, and left out."""
    for name in list(contenders):
        start, result = contenders[name]
        try:
            start()
            torch.cuda.synchronize()
            error = error_of(result)
            if not error < 0.02:
                raise RuntimeError(f"wrong: relative error {error}")
        except RuntimeError as reason:
            print(f"{name} {shape}: {reason}", file=sys.stderr)
            del contenders[name]


def report(contenders, shape, causal, peak, passes):
    """Times them in turns; passes: of the forward pass's products, 4 N^2 d."""
    B, H, N, d = shape
    times = {name: [] for name in contenders}
    for turn in range(-2, ROUNDS):
        for name, (start, _) in contenders.items():
            ms = time_once(start, 3)
            if turn >= 0:
                times[name].append(ms)
    flops = passes * 4.0 * B * H * N * N * d
    if causal:
        flops *= (N + 1) / (2 * N)
    for name, all_ms in times.items():
        ms = statistics.median(all_ms)
        quarters = statistics.quantiles(all_ms, n=4)
        tflops = flops / ms / 1e9
        if not tflops <= 1.05 * peak:
            print(f"{name}: {tflops:.0f} TFLOP/s is above the peak, "
                  f"{peak:.0f}: not believed", file=sys.stderr)
            continue
        print(f"{name}\tbf16\t{B}\t{H}\t{N}\t{d}\t{int(causal)}\t{ms:.5f}\t"
              f"{tflops:.2f}\t{100 * tflops / peak:.1f}\t"
              f"{(quarters[2] - quarters[0]) / ms:.3f}", flush=True)


def bench(library, shape, causal, peak):
    torch.manual_seed(1)
    q, k, v = (torch.randn(shape, device="cuda", dtype=torch.bfloat16)
               for _ in range(3))
    contenders = {}
    on_hopper = torch.cuda.get_device_capability() == (9, 0)
    for name in RUNGS + (HOPPER_RUNGS if on_hopper else []):
        o = torch.full_like(q, float("nan"))
        contenders[name] = rung_start(library, name, q, k, v, o, causal), [o]
    for name, backend in BACKENDS.items():
        result = [None]
        contenders[name] = torch_start(backend, q, k, v, result, causal), result

    keep_right(contenders, shape,
               lambda result: right(result[0], q, k, v, causal))
    report(contenders, shape, causal, peak, 1)


def bench_backward(library, shape, causal, peak):
    torch.manual_seed(1)
    q, k, v, dO = (torch.randn(shape, device="cuda", dtype=torch.bfloat16)
                   for _ in range(4))
    contenders = {}
    on_hopper = torch.cuda.get_device_capability() == (9, 0)
    for name in BACKWARD + (HOPPER_BACKWARD if on_hopper else []):
        contenders["backward_" + name] = backward_start(library, name, q, k, v,
                                                        dO, causal)
    for name, backend in BACKENDS.items():
        try:
            contenders[name + "_backward"] = torch_backward_start(
                backend, q, k, v, dO, causal)
        except RuntimeError as reason:
            print(f"{name} {shape}: {reason}", file=sys.stderr)
    keep_right(contenders, shape, lambda result: gradients_right(
        result, q, k, v, dO, causal))
    report(contenders, shape, causal, peak, 2.5)


def measured_peak():
    """TFLOP/s of an 8192 x 8192 x 8192 product of random bf16."""
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
            for _ in range(2))
    product = lambda: torch.matmul(a, b)
    for _ in range(3):
        time_once(product, 3)
    ms = statistics.median(time_once(product, 3) for _ in range(11))
    return 2 * 8192.0**3 / ms / 1e9


def main():
    library = ctypes.CDLL(sys.argv[1])
    peak = measured_peak()
    print(f"peak {peak:.0f} TFLOP/s, torch {torch.__version__}", file=sys.stderr)
    print("step\tdtype\tB\tH\tN\td\tcausal\tms\ttflops\tpercent\tspread")
    for shape in SHAPES:
        for causal in (False, True):
            bench(library, shape, causal, peak)
            bench_backward(library, shape, causal, peak)


if __name__ == "__main__":
    main()
