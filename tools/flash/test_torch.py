"""Builds the C++ extension of docs/library.md and compares it with PyTorch. Also
tests the error of an extension in which a function has no definition. Needs torch
and a C++ compiler. With nvcc it also builds the extension that calls rung 7, tests
what it refuses, and with a GPU compares its results.

    python3 tools/flash/test_torch.py build/lib [profilers]

With the argument profilers it runs no test, but times calls with a clock and with
PyTorch's profilers.
"""
import os
import shutil
import statistics
import subprocess
import sys
import time

try:
    import torch
    import torch.utils.cpp_extension as cpp
except ImportError:
    if os.environ.get("REQUIRE") == "torch":
        raise
    print("torch-check: left out, PyTorch is not installed (make peers)")
    sys.exit()

HERE = os.path.dirname(os.path.abspath(__file__))
LIB = os.path.abspath(sys.argv[1])
os.environ["PATH"] = (os.path.dirname(sys.executable) + ":" +
                      os.environ["PATH"])  # ninja of the venv


def built(name, **what):
    folder = f"{LIB}/torch/{name}"
    os.makedirs(folder, exist_ok=True)
    return cpp.load(name=name, build_directory=folder, **what)


# ANCHOR: load
def extension():
    return built("flash_torch", sources=[f"{HERE}/flash_torch.cpp"],
                 extra_include_paths=[LIB],
                 extra_ldflags=[f"-L{LIB}", "-lflash", f"-Wl,-rpath,{LIB}"])
# ANCHOR_END: load


def rung_extension():
    """Builds the extension that calls rung 7. A PyTorch without CUDA loads no .cu file,
    so then nvcc compiles it alone."""
    root = os.path.dirname(os.path.dirname(HERE))
    include = [root, f"{root}/tools/emulator/include"]
    main, rung = f"{HERE}/rung_torch.cpp", f"{root}/07_cuda/rung7_full.cu"
    if torch.version.cuda:
        if not torch.cuda.is_available():
            os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "8.0")
        return built("rung_torch", sources=[main, rung], extra_include_paths=include)
    nvcc, made = shutil.which("nvcc"), f"{LIB}/torch/rung7.o"
    os.makedirs(f"{LIB}/torch", exist_ok=True)
    subprocess.run([nvcc, "-O3", "-std=c++17", "-arch=sm_80", "-Xcompiler", "-fPIC",
                    *(f"-I{folder}" for folder in include), "-c", rung, "-o", made],
                   check=True)
    lib64 = f"{os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))}/lib64"
    return built("rung_torch", sources=[main], extra_include_paths=include,
                 extra_ldflags=[made, f"-L{lib64}", "-lcudart_static", "-lrt", "-ldl"])


sdpa = torch.nn.functional.scaled_dot_product_attention


def inputs(B, Hq, Hk, Nq, Nk, d, dv):
    torch.manual_seed(1)
    return (torch.randn(B, Hq, Nq, d), torch.randn(B, Hk, Nk, d),
            torch.randn(B, Hk, Nk, dv))


def check(name, q, k, v, causal, flash, most=1e-5):
    """Checks the type of o, and that o and lse of the extension differ by less than
    `most` from those of PyTorch in float64."""
    o, lse = flash.attention(q, k, v, causal)
    n = q.size(1) // k.size(1)
    q64, k64, v64 = (x.double() for x in (
        q, k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)))
    want = sdpa(q64, k64, v64, is_causal=causal)
    scores = q64 @ k64.transpose(2, 3) / q.size(3) ** 0.5
    if causal:
        scores.masked_fill_(torch.ones(scores.shape[2:]).triu(1) > 0,
                            -torch.inf)
    off = torch.maximum((o - want).abs().max(),
                        (lse - scores.logsumexp(3)).abs().max())
    assert o.dtype == q.dtype and off < most, (name, off)  # false for NaN


def missing(name, sources):
    """Builds and imports an extension from these sources. Returns the message of
    the ImportError, or ''."""
    folder = f"{LIB}/torch/{name}_sources"
    os.makedirs(folder, exist_ok=True)
    for file, text in sources.items():
        with open(f"{folder}/{file}", "w") as out:
            out.write(text)
    try:
        built(name, sources=[f"{folder}/{file}" for file in sources])
    except ImportError as error:
        return str(error)
    return ""


# ANCHOR: missing
MAIN = """#include <pybind11/pybind11.h>
double twice(float x);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("twice", &twice); }
"""
OTHER = "double twice(double x) { return 2 * x; }\n"
# ANCHOR_END: missing


def main():
    flash = extension()
    q, k, v = inputs(2, 4, 4, 70, 70, 64, 64)
    check("plain", q, k, v, False, flash)
    check("causal", q, k, v, True, flash)
    check("grouped heads", *inputs(1, 4, 2, 33, 90, 40, 24), False, flash)
    views = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, v)]
    assert not views[0].is_contiguous()
    check("views of (B, N, H, d)", *views, True, flash)
    check("every second column", q[..., ::2], k[..., ::2], v, False, flash)
    narrow = [x.bfloat16() for x in views]
    check("bf16", *narrow, True, flash, 3e-2)
    for wrong in ((narrow[0], k, v), (q, k[..., :3], v), (q, k, v[:, :, :2]),
                  (q.double(), k, v), (q[0], k, v), (q[:, :3], k[:, :2], v[:, :2]),
                  (q, k, torch.zeros(1).expand(v.shape))):
        refused(flash.attention, *wrong, False)
    symbol = "undefined symbol: _Z5twicef"
    assert symbol in missing("other_arguments",
                             {"main.cpp": MAIN, "other.cpp": OTHER})
    assert symbol in missing("left_out", {"main.cpp": MAIN})
    print("15 passed, 0 failed")


def refused(call, *arguments):
    try:
        call(*arguments)
    except RuntimeError as error:
        return str(error)
    raise AssertionError("not refused")


def rung():
    if not shutil.which("nvcc"):
        return print("rung 7 from PyTorch: left out, nvcc is not installed")
    rung7 = rung_extension()
    q, k, v = (x.bfloat16() for x in inputs(2, 4, 2, 70, 70, 64, 64))
    assert "on one GPU" in refused(rung7.attention, q, k, v, False)
    print("1 passed, 0 failed")
    if not torch.cuda.is_available():
        return print("rung 7 from PyTorch: built, not run: there is no GPU")
    q, k, v = q.cuda(), k.cuda(), v.cuda()
    for kind in torch.float16, torch.bfloat16:
        for causal in False, True:
            check("rung 7", q.to(kind), k.to(kind), v.to(kind), causal, rung7, 3e-2)
    assert "do not fit" in refused(rung7.attention, q, k[..., :40], v, False)
    assert "on one GPU" in refused(rung7.attention, q.float(), k, v, False)
    print("6 passed, 0 failed")


def profilers():
    """Prints the time in ms of a call of PyTorch's attention and of the extension: of
    the first call, and of later calls as measured by each tool."""
    flash, (q, k, v) = extension(), inputs(1, 8, 8, 1024, 1024, 64, 64)
    calls, old = 20, torch.autograd.profiler.profile
    new = torch.profiler.profile

    def by(profile, call):
        with profile() as prof:
            for _ in range(calls):
                call()
        return sum(e.self_cpu_time_total
                   for e in prof.key_averages()) / 1e3 / calls

    print("call\tfirst\tclock\ttorch.autograd.profiler\ttorch.profiler")
    for name, call in (("`scaled_dot_product_attention`",
                        lambda: sdpa(q, k, v)),
                       ("our extension",
                        lambda: flash.attention(q, k, v, False))):
        times = []
        for _ in range(calls + 1):
            began = time.perf_counter()
            call()
            times.append(1e3 * (time.perf_counter() - began))
        print(name, f"{times[0]:.2f}", f"{statistics.median(times[1:]):.2f}",
              f"{by(old, call):.3f}", f"{by(new, call):.3f}", sep="\t")


if sys.argv[2:] == ["profilers"]:
    profilers()
else:
    main()
    rung()
