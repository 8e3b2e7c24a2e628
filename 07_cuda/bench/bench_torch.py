"""The upper rungs beside PyTorch's scaled_dot_product_attention, in turns.

    python3 07_cuda/bench/bench_torch.py build/07_cuda/gpu/libladder.so

Same inputs, same stream, CUDA events, medians of the rounds A B C A B C.
Outputs are held against float64 (of head 0) before anything is timed; the peak
is a matrix product of the same run, and a figure above it is refused.
Tab-separated on stdout, as bench.cu writes it. docs/measuring.md
"""

import ctypes
import statistics
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


def fields(kind, names):
    return [(name, kind) for name in names.split()]


class Problem(ctypes.Structure):
    """rung_problem of rung.h."""

    _fields_ = [
        *fields(ctypes.c_int, "type"),
        *fields(ctypes.c_void_p, "Q K V O L m l"),
        *fields(ctypes.c_int, "heads group Nq Nk D"),
        *fields(ctypes.c_float, "scale"),
        *fields(ctypes.c_int, "offset"),
        *fields(ctypes.c_void_p, "scratch"),
    ]


class Gradients(ctypes.Structure):
    """gradient_problem of backward/gradient_rung.h."""

    _fields_ = [("forward", Problem),
                *fields(ctypes.c_void_p, "dO dQ dK dV D dQ_sum")]


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


# --- Who is timed: what starts it, and the arrays that it then has written ---

def call(library, name, problem, keep):
    """What calls a rung; `keep` is there as long as it is."""
    function = getattr(library, name)
    function.argtypes = [ctypes.POINTER(type(problem))]

    def start(keep=keep):
        error = function(ctypes.byref(problem))
        if error:
            raise RuntimeError(f"{name}: CUDA error {error}")

    return start


def rung(library, name, q, k, v, causal):
    B, H, N, d = q.shape
    o = torch.full_like(q, float("nan"))
    L = torch.empty(q.shape[:3], device="cuda")
    p = Problem(
        type=BF16, Q=q.data_ptr(), K=k.data_ptr(), V=v.data_ptr(),
        O=o.data_ptr(), L=L.data_ptr(), heads=B * H, group=1,
        Nq=N, Nk=N, D=d, scale=d**-0.5, offset=0 if causal else N,
    )
    return call(library, name, p, (L, o)), [o], p


def backward_rung(library, name, q, k, v, dO, causal):
    """Forward once, by rung 6a; then what is timed."""
    forward, kept, p = rung(library, "rung_swizzle", q, k, v, causal)
    forward()
    gradients = [torch.full_like(q, float("nan")) for _ in range(3)]
    D = torch.empty(q.shape[:3], device="cuda")
    total = torch.empty(q.shape, device="cuda")
    g = Gradients(p, dO.data_ptr(), *(x.data_ptr() for x in gradients),
                  D.data_ptr(), total.data_ptr())
    return call(library, name, g, (forward, kept, D, total)), gradients


def torch_forward(backend, q, k, v, causal):
    result = [None]

    def start():
        with sdpa_kernel(backend):
            result[0] = F.scaled_dot_product_attention(q, k, v,
                                                       is_causal=causal)

    return start, result


def torch_backward(backend, q, k, v, dO, causal):
    inputs = [x.detach().requires_grad_() for x in (q, k, v)]
    gradients = [None] * 3
    with sdpa_kernel(backend):
        o = F.scaled_dot_product_attention(*inputs, is_causal=causal)

    def start():
        gradients[:] = torch.autograd.grad(o, inputs, dO, retain_graph=True)

    return start, gradients


# --- What is right -----------------------------------------------------------

def truth(q, k, v, dO, causal):
    """[O] and [dQ, dK, dV] of head 0 in float64."""
    inputs = [x[0, 0].double().requires_grad_() for x in (q, k, v)]
    Q, K, V = inputs
    S = Q @ K.T * q.shape[3] ** -0.5
    if causal:
        S = S.masked_fill(torch.ones_like(S, dtype=bool).triu(1), float("-inf"))
    O = torch.softmax(S, -1) @ V
    return [O.detach()], torch.autograd.grad(O, inputs, dO[0, 0].double())


def keep_right(contenders, want):
    """Runs each once; who is wrong or can't is named, and left out."""
    for name in list(contenders):
        start, result = contenders[name]
        try:
            start()
            torch.cuda.synchronize()
            error = max(((x[0, 0].double() - w).norm() / w.norm()).item()
                        for x, w in zip(result, want))
            if not error < 0.02:
                raise RuntimeError(f"wrong: relative error {error}")
        except RuntimeError as reason:
            print(f"{name}: {reason}", file=sys.stderr)
            del contenders[name]


# --- How long it takes -------------------------------------------------------

def time_once(start, times=3):
    begin = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(times):
        start()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / times


def report(contenders, shape, causal, peak, passes):
    """Times them in turns; passes: of the forward pass's products, 4 N^2 d."""
    B, H, N, d = shape
    times = {name: [] for name in contenders}
    for turn in range(-2, ROUNDS):
        for name, (start, _) in contenders.items():
            ms = time_once(start)
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
    q, k, v, dO = (torch.randn(shape, device="cuda", dtype=torch.bfloat16)
                   for _ in range(4))
    on_hopper = torch.cuda.get_device_capability() == (9, 0)
    print(shape, "causal" if causal else "", file=sys.stderr)
    forward, backward = {}, {}
    for name in RUNGS + HOPPER_RUNGS * on_hopper:
        forward[name] = rung(library, "rung_" + name, q, k, v, causal)[:2]
    for name in BACKWARD + HOPPER_BACKWARD * on_hopper:
        name = "backward_" + name
        backward[name] = backward_rung(library, name, q, k, v, dO, causal)
    for name, backend in BACKENDS.items():
        forward[name] = torch_forward(backend, q, k, v, causal)
        try:
            backward[name + "_backward"] = torch_backward(backend, q, k, v, dO,
                                                          causal)
        except RuntimeError as reason:
            print(f"{name}: {reason}", file=sys.stderr)
    O, gradients = truth(q, k, v, dO, causal)
    keep_right(forward, O)
    report(forward, shape, causal, peak, 1)
    keep_right(backward, gradients)
    report(backward, shape, causal, peak, 2.5)


def measured_peak():
    """TFLOP/s of an 8192 x 8192 x 8192 product of random bf16."""
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
            for _ in range(2))
    ms = statistics.median([time_once(lambda: torch.matmul(a, b))
                            for _ in range(3 + ROUNDS)][3:])
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
