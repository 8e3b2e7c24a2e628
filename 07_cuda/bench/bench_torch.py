"""Times PyTorch's attention and prints lines like those of bench.cu.

    python3 07_cuda/bench/bench_torch.py

The shapes are three of bench.cu's, and inputs are normal numbers, too. A time is the
median of CUDA events in turns A B C A B C. The peak is the rate of a matrix product in
the same run. A rate more than 5% above the peak is not printed. Compare the percentages
with those of bench.cu. docs/machine_code.md
"""
import statistics
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

BACKENDS = {"torch_flash": SDPBackend.FLASH_ATTENTION,
            "torch_cudnn": SDPBackend.CUDNN_ATTENTION,
            "torch_efficient": SDPBackend.EFFICIENT_ATTENTION}
SHAPES = [(4, 16, 4096, 64), (4, 16, 4096, 128), (16, 12, 2048, 64)]
TURNS = 11


def time_once(start, times=3):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(times):
        start()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / times


def contenders(shape, causal):
    """Returns {name: (function, its FLOPs relative to a forward pass)}."""
    q, k, v, dO = (torch.randn(shape, device="cuda", dtype=torch.bfloat16,
                               requires_grad=True) for _ in range(4))
    found = {}
    for name, backend in BACKENDS.items():
        def forward(backend=backend):
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

        try:
            o = forward()
            torch.autograd.grad(o, (q, k, v), dO, retain_graph=True)
        except RuntimeError as reason:
            print(f"{name}: {reason}", file=sys.stderr)
            continue
        found[name] = forward, 1
        found[name + "_backward"] = lambda o=o: torch.autograd.grad(
            o, (q, k, v), dO, retain_graph=True), 2.5
    return found


def bench(shape, causal, peak):
    B, H, N, d = shape
    found = contenders(shape, causal)
    times = {name: [] for name in found}
    for turn in range(-2, TURNS):
        for name, (start, _) in found.items():
            ms = time_once(start)
            times[name] += [ms] * (turn >= 0)
    for name, all_ms in times.items():
        low, ms, high = statistics.quantiles(all_ms, n=4)
        flops = found[name][1] * 4.0 * B * H * N * N * d
        rate = flops * ((N + 1) / (2 * N) if causal else 1) / ms / 1e9
        if not rate <= 1.05 * peak:
            print(f"{name}: {rate:.0f} TFLOP/s is above the peak, {peak:.0f}: "
                  "not printed", file=sys.stderr)
            continue
        print(name, "bf16", B, H, N, d, int(causal), f"{ms:.5f}", f"{rate:.2f}",
              f"{100 * rate / peak:.1f}", f"{(high - low) / ms:.3f}", sep="\t")


torch.manual_seed(1)
a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
        for _ in range(2))
peak = 2 * 8192.0**3 / 1e9 / statistics.median(
    time_once(lambda: torch.matmul(a, b)) for _ in range(TURNS))
print(f"peak {peak:.0f} TFLOP/s, torch {torch.__version__}", file=sys.stderr)
print("step\tdtype\tB\tH\tN\td\tcausal\tms\ttflops\tpercent\tspread")
for shape in SHAPES:
    for causal in (False, True):
        bench(shape, causal, peak)
