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


RUNGS = ["split_q", "swizzle", "cp_async", "full"]
HOPPER_RUNGS = ["wgmma", "roles", "pingpong"]
BACKENDS = {
    "torch_flash": SDPBackend.FLASH_ATTENTION,
    "torch_cudnn": SDPBackend.CUDNN_ATTENTION,
    "torch_efficient": SDPBackend.EFFICIENT_ATTENTION,
}
SHAPES = [(4, 16, 4096, 64), (4, 16, 4096, 128), (16, 12, 2048, 64)]
BF16 = 1
ROUNDS = 11


def rung_start(library, name, q, k, v, o, causal):
    B, H, N, d = q.shape
    L = torch.empty(B * H * N, device="cuda")
    p = Problem(
        type=BF16, Q=q.data_ptr(), K=k.data_ptr(), V=v.data_ptr(),
        O=o.data_ptr(), L=L.data_ptr(), m=None, l=None, heads=B * H, group=1,
        Nq=N, Nk=N, D=d, scale=d**-0.5, offset=0 if causal else N,
    )
    function = getattr(library, "rung_" + name)
    function.argtypes = [ctypes.POINTER(Problem)]

    def start(keep=(L, p)):
        error = function(ctypes.byref(p))
        if error:
            raise RuntimeError(f"{name}: CUDA error {error}")

    return start


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


def bench(library, shape, causal, peak):
    B, H, N, d = shape
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

    for name in list(contenders):
        start, result = contenders[name]
        try:
            start()
            torch.cuda.synchronize()
            error = right(result[0], q, k, v, causal)
            if not error < 0.02:
                raise RuntimeError(f"wrong: relative error {error}")
        except RuntimeError as reason:
            print(f"{name} {shape}: {reason}", file=sys.stderr)
            del contenders[name]

    times = {name: [] for name in contenders}
    for turn in range(-2, ROUNDS):
        for name, (start, _) in contenders.items():
            ms = time_once(start, 3)
            if turn >= 0:
                times[name].append(ms)
    flops = 4.0 * B * H * N * N * d
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


if __name__ == "__main__":
    main()
