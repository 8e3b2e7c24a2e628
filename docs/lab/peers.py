"""Times our fast steps and other libraries for attention (the peers), with the same
inputs and number of threads. `back` times backward_simd and PyTorch's autograd.

    python3 docs/lab/peers.py LIB forward|back|bf16 [N]

LIB is the folder that make lib writes; peers.so (peers.c) must be in it. With N only
shapes of at most N queries are timed. The script prints tables, and writes
build/bench_peers.tsv, build/bench_backward_peers.tsv, or for bf16
build/bench_bf16_peers.tsv (AMX) or build/bench_pairs_peers.tsv. On one thread the
name also has _1, and with FLASH2_TARGET the target.
Libraries that are not installed are left out. A library with a large error against
float64 is refused. A round measures the peak, runs the first peer, measures the peak,
runs the second peer, and so on. The results are medians over the rounds.

To add a peer, write a function of the number of threads that imports the library.
It returns the library's version and a function `load`. load takes `causal` and the
inputs (NumPy arrays), and returns the function to be timed. Add your function to
PEERS. Each peer has its own process, because idle threads of one library would slow
down another.
"""
import ctypes
import ctypes.util
import multiprocessing
import os
import statistics
import sys
from functools import partial
from time import perf_counter, process_time, sleep

import numpy as np

SHAPES = [(1, 8, 1024, 64), (1, 8, 4096, 64), (1, 8, 4096, 128),
          (16, 12, 64, 64), (16, 12, 256, 64), (16, 12, 2048, 64),
          (8, 12, 64, 64)]
BF16_SHAPES = [(1, 8, N, d) for d in (64, 128) for N in (1024, 2048, 4096)] + \
    [(16, 12, 64, 64), (16, 12, 256, 64)]
MOST_ERROR = {"forward": 1e-5, "back": 1e-5,  # usual errors are below 2e-6
              "bf16": 3e-2}  # OpenVINO also rounds the scores to bf16
ROUNDS = 5


class Declines(Exception):
    """The library is not installed, or cannot run the problem."""


def flash(threads, dtype=None):
    """libflash runs flash2_simd for more than 16 queries. If dtype is "bf16", it runs the
    step that FLASH2_TILES names (test_bf16.c)."""
    from flash import attention

    def load(causal, *arrays):
        qkv = [bits_of(a) for a in arrays] if dtype else arrays
        return lambda: attention(*qkv, causal=causal, threads=threads, dtype=dtype)[:1]
    return "libflash", load


def backward_simd(threads):
    """Times only the gradients, like torch_autograd."""
    from flash import attention, attention_backward
    options = {"threads": threads}

    def load(causal, q, k, v, dO):
        options["causal"] = causal
        o, lse = attention(q, k, v, **options)
        return lambda: attention_backward(q, k, v, o, lse, dO, **options)
    return "libflash", load


def bits_of(a):
    """Returns the bf16 bits of float32 numbers that bf16 represents exactly."""
    return (a.view(np.uint32) >> 16).astype(np.uint16)


def floats_of(a):
    """Returns a tensor, bf16 bits or a float32 array as a float32 array."""
    if hasattr(a, "bfloat16"):
        return a.float().numpy()
    if a.dtype == np.uint16:
        return (a.astype(np.uint32) << 16).view(np.float32)
    return a


def openblas(threads):
    """An OpenBLAS that is older than the CPU would choose code for older CPUs."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    flags = open("/proc/cpuinfo").read() if os.path.exists("/proc/cpuinfo") else ""
    for kind, has in ("SKYLAKEX", "avx512f"), ("HASWELL", "avx2"):
        if has in flags:
            os.environ.setdefault("OPENBLAS_CORETYPE", kind)
    path = os.environ.get("OPENBLAS") or ctypes.util.find_library("openblas")
    if not path:
        raise Declines("not found")
    library = open_library()
    library.set_sgemm(ctypes.CDLL(path).cblas_sgemm)

    def load(causal, *arrays):
        O = np.full_like(arrays[0], np.nan)

        def run():
            if library.openblas(*O.shape, causal,
                                *(x.ctypes.data for x in (*arrays, O))):
                raise Declines("a call failed")
            return [O]
        return run
    return "as found", load


def torch(threads, dtype="float32"):
    import torch
    attention = torch.nn.functional.scaled_dot_product_attention
    torch.set_num_threads(threads)

    def load(causal, *arrays):
        q, k, v = (torch.tensor(a).to(getattr(torch, dtype)) for a in arrays)
        return lambda: [attention(q, k, v, is_causal=causal)]
    return torch.__version__, load


def torch_autograd(threads):
    """Times only the gradients: load runs the forward pass."""
    import torch
    torch.set_num_threads(threads)

    def load(causal, *arrays):
        *qkv, dO = map(torch.tensor, arrays)
        for x in qkv:
            x.requires_grad_(True)
        O = torch.nn.functional.scaled_dot_product_attention(
            *qkv, is_causal=causal)
        return lambda: [x.numpy() for x in torch.autograd.grad(
            O, qkv, dO, retain_graph=True)]
    return torch.__version__, load


def onnxruntime(threads):
    """ONNX Runtime's own operator. Its arrays have the shape (B, N, H d)."""
    def inputs(x):
        B, H, N, d = x.shape
        return np.ascontiguousarray(x.swapaxes(1, 2)).reshape(B, N, H * d)

    def output(o, shape):
        B, H, N, d = shape
        return o.reshape(B, N, H, d).swapaxes(1, 2)
    return onnx_model(threads, "MultiHeadAttention", inputs, output)


def onnx_attention(threads):
    """The operator Attention of ONNX's opset 23."""
    return onnx_model(threads, "Attention", lambda x: x, lambda o, shape: o)


def onnx_model(threads, operator, inputs, output):
    import onnx
    import onnxruntime
    is_own = operator == "MultiHeadAttention"  # no operator of the ONNX standard
    domain = "com.microsoft" if is_own else ""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # By default ONNX Runtime's idle threads spin while other peers are timed.
    options.add_session_config_entry("session.force_spinning_stop", "1")

    def load(causal, q, k, v):
        given = {"q": inputs(q), "k": inputs(k), "v": inputs(v)}
        words = {"num_heads": q.shape[1], "unidirectional": int(causal)} \
            if is_own else {"is_causal": int(causal)}
        node = onnx.helper.make_node(operator, list("qkv"), ["o"], domain=domain,
                                     **words)
        *ends, end = [onnx.helper.make_tensor_value_info(
            x, onnx.TensorProto.FLOAT, given["q"].shape) for x in "qkvo"]
        model = onnx.helper.make_model(
            onnx.helper.make_graph([node], "attention", ends, [end]),
            opset_imports=[onnx.helper.make_opsetid("", 23),
                           onnx.helper.make_opsetid("com.microsoft", 1)],
            ir_version=10)
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options,
            providers=["CPUExecutionProvider"])
        return lambda: [output(session.run(None, given)[0], q.shape)]
    return onnxruntime.__version__, load


def openvino(threads, dtype="f32"):
    import openvino
    from openvino import opset13
    kind = getattr(openvino.Type, dtype)
    core = openvino.Core()
    exactly = {"INFERENCE_PRECISION_HINT": dtype, "NUM_STREAMS": 1,
               "INFERENCE_NUM_THREADS": threads}

    def load(causal, *arrays):
        given = [opset13.parameter(x.shape, kind) for x in arrays]
        model = openvino.Model([opset13.scaled_dot_product_attention(
            *given, causal=causal)], given)
        request = core.compile_model(model, "CPU", exactly).create_infer_request()
        if dtype == "bf16":
            arrays = [openvino.Tensor(bits_of(x), x.shape, kind) for x in arrays]

        def run():
            result = request.infer(list(arrays))[0]
            return [result.view(np.uint16) if result.itemsize == 2 else result]
        return run
    return openvino.__version__.split("-")[0], load


def numpy(threads):
    def load(causal, q, k, v):
        N = q.shape[2]
        if 4e-9 * q.shape[0] * q.shape[1] * N * N > 1:
            raise Declines("S would take more than 1 GB")
        mask = np.triu(np.full((N, N), -np.inf, np.float32), 1)

        def run():
            s = q @ k.swapaxes(-1, -2)
            s *= np.float32(q.shape[3]**-0.5)
            if causal:
                s += mask
            s -= s.max(axis=-1, keepdims=True)
            p = np.exp(s, out=s)
            p /= p.sum(axis=-1, keepdims=True)
            return [p @ v]
        return run
    return np.__version__, load


PEERS = {"forward": {"flash2_simd": flash, "openblas": openblas, "torch": torch,
                     "onnxruntime": onnxruntime,
                     "onnx_attention": onnx_attention, "openvino": openvino,
                     "numpy": numpy},
         "back": {"backward_simd": backward_simd,
                  "torch_autograd": torch_autograd},
         # ONNX Runtime has not been tried in bf16.
         "bf16": {"flash2_bf16": partial(flash, dtype="bf16"),
                  "flash2_simd": flash, # in fp32
                  "torch_bf16": partial(torch, dtype="bfloat16"),
                  "openvino_bf16": partial(openvino, dtype="bf16")}}
# With FLASH2_TARGET=avx2 only libraries run that can be limited to AVX2. ONNX
# Runtime and OpenVINO always use the best instructions of the CPU.
AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2", "OPENBLAS_CORETYPE": "HASWELL",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
NOT_LIMITED = ["onnxruntime", "onnx_attention", "openvino"]
TARGET = os.environ.get("FLASH2_TARGET", "")
HOW = {"openblas": "Debian: libopenblas0, or OPENBLAS=its file"}


def threads_sleep():
    """Waits until no thread of this process spins, at most 1.5 s."""
    for _ in range(50):
        before = process_time()
        sleep(0.03)
        if process_time() - before < 0.0005:
            return


def serve(importer, threads, line):
    """The process of a peer. It receives inputs and sends the result, or receives a
    number of runs and sends the seconds of one run."""
    try:
        version, load = importer(threads)
        line.send([version])
        # Other programs hardly change the processor time.
        clock = process_time if threads == 1 else perf_counter
        while request := line.recv():
            try:
                if isinstance(request, int):
                    start = clock()
                    for _ in range(request):
                        kept = run()  # frees the previous result after this run
                    taken = clock() - start
                    threads_sleep()
                    line.send([taken / request])
                else:
                    run = load(*request)
                    line.send([floats_of(x) for x in run()])
            except (Declines, MemoryError) as why:
                line.send(str(why))
    except (Declines, ImportError, OSError) as why:
        line.send(str(why))
    except EOFError:
        pass


class PeerProcess:
    def __init__(self, name, importer, library):
        spawn = multiprocessing.get_context("spawn")
        self.name, threads = name, library.thread_count()
        os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
        self.line, end = spawn.Pipe()
        spawn.Process(target=serve, args=(importer, threads, end),
                      daemon=True).start()
        end.close()
        self.version, = self.answer()

    def answer(self):
        try:
            answer = self.line.recv()
        except EOFError:
            raise Declines("its process has ended") from None
        if isinstance(answer, str):
            raise Declines(answer)
        return answer

    def output(self, problem):
        self.line.send([problem.causal, *problem.inputs])
        for ours, theirs in zip(problem.outputs, self.answer(), strict=True):
            ours[:] = theirs

    def seconds(self, runs):
        threads_sleep()
        self.line.send(runs)
        return self.answer()[0]


ARRAYS = "Q K V O dO dQ dK dV".split()


class Problem:
    def __init__(self, library, shape, causal, what):
        self.library, self.causal = library, causal
        self.title = str(shape) + (" causal" if causal else "")
        self.most_error = MOST_ERROR[what]
        if library.problem_new(*shape, causal, what.encode()):
            sys.exit(1)
        self.flops = library.problem_flops()
        self.inputs, self.outputs = (
            [np.ctypeslib.as_array(library.problem_array(ARRAYS.index(name)),
                                   shape) for name in names.split()]
            for names in (("Q K V dO", "dQ dK dV") if what == "back" else
                          ("Q K V", "O")))


def open_library():
    library = ctypes.CDLL(os.path.abspath(f"{sys.argv[1]}/peers.so"))
    size, whole, at = ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p
    for name, result, *arguments in (
            ("problem_new", whole, size, size, size, size, whole,
             ctypes.c_char_p),
            ("instructions", ctypes.c_char_p),
            ("problem_array", ctypes.POINTER(ctypes.c_float), size),
            ("problem_flops", ctypes.c_double),
            ("problem_worst_error", ctypes.c_double),
            ("probe", ctypes.c_double),
            ("openblas", whole, size, size, size, size, whole, at, at, at, at),
            ("set_sgemm", None, at), ("thread_count", size)):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


refusals = []  # messages about peers with a large error


def accepted(problem, contenders):
    """Yields each peer whose error is small enough, and the error."""
    for peer in contenders:
        try:
            peer.output(problem)
            error = problem.library.problem_worst_error()
            if error < problem.most_error:  # false for a NaN
                yield peer, error
                continue
            refusals.append(f"{peer.name}: {problem.title}: relative error "
                            f"{error:.1e}: refused")
        except Declines as why:
            print(f"{peer.name}: left out: {why}")


def measure(problem, contenders):
    """Yields a row for each peer. Its last number is the median over the rounds of the
    peer's time divided by our time."""
    errors = dict(accepted(problem, contenders))
    if not errors:
        return
    taken, shares = {peer: [] for peer in errors}, {peer: [] for peer in errors}
    runs = 1 + int(0.05 / next(iter(errors)).seconds(1))
    for _ in range(ROUNDS):
        before = problem.library.probe()
        for peer in errors:
            taken[peer].append(peer.seconds(runs))
            after = problem.library.probe()
            shares[peer].append(problem.flops / taken[peer][-1] / ((before + after) / 2))
            before = after
    for peer, error in errors.items():
        ours = taken.get(contenders[0], taken[peer])
        times = statistics.median(t / o for t, o in zip(taken[peer], ours))
        s = statistics.median(taken[peer])
        low, _, high = statistics.quantiles(taken[peer], n=4)
        yield (peer.name, problem.flops / s * 1e-9, 100 * statistics.median(shares[peer]),
               s * 1e3, (high - low) / s, error, times)


def installed(library, what):
    for name, importer in PEERS[what].items():
        if TARGET == "avx2" and name in NOT_LIMITED:
            print(f"{name}: cannot be limited to AVX2")
            continue
        try:
            peer = PeerProcess(name, importer, library)
            print(f"{name}: {peer.version}")
            yield peer
        except Declines as why:
            print(f"{name}: {why} "
                  f"({HOW.get(name, 'make peers, or PYTHON=one that has it')})")


def compare(library, what, most, contenders, file):
    first = contenders[0].name
    print("step", "B", "H", "N", "d", "causal", "gflops", "percent_of_peak", "ms",
          "spread", "error", "times", sep="\t", file=file)
    shapes = BF16_SHAPES if what == "bf16" else SHAPES
    for shape, causal in ((s, c) for s in shapes if s[2] <= most
                          for c in (False, True)):
        problem, ours = Problem(library, shape, causal, what), None
        print(f"\n{problem.title}, {library.thread_count()} threads\n"
              "who             GFLOP/s  of peak       ms  spread    time    error")
        for name, rate, share, ms, off, error, times in measure(problem, contenders):
            if not share <= 100:
                print(f"{name:15} refused  {share:6.0f}%: above the peak")
                continue
            ours = ms if name == first else ours
            shown = f"{times:.2f}x" if ours else "-"
            print(f"{name:15} {rate:7.1f}  {share:6.1f}%  {ms:7.2f}  {off:6.0%}  "
                  f"{shown:>6}  {error:.1e}")
            print(name, *shape, int(causal), f"{rate:.2f}", f"{share:.2f}",
                  f"{ms:.4f}", f"{off:.4f}", f"{error:.2e}", f"{times:.3f}",
                  sep="\t", file=file)


def main(lib, what, most="1000000000"):
    if not most.isdigit() or int(most) < 64:
        sys.exit(f"peers.py: {most}: N must be a whole number, at least 64")
    sys.path.insert(0, lib)
    library = open_library()
    tiles = (library.instructions() or b"").decode()
    if what == "bf16" and not tiles:
        print("This CPU has neither AMX nor AVX512-BF16.\n"
              "docs/results/bench_bf16_peers_1.tsv has rows in bf16.")
        return False
    if what == "bf16":
        PEERS[what] = {name.replace("flash2_bf16", "flash2_" + tiles): importer
                       for name, importer in PEERS[what].items()}
        os.environ["FLASH2_TILES"] = tiles
    out = "build/bench_" + {"forward": "", "back": "backward_",
                            "bf16": "pairs_" if tiles == "pairs" else "bf16_"
                            }[what] + "peers" + \
        "_1" * (library.thread_count() == 1) + ("_" + TARGET) * bool(TARGET) + \
        ".tsv"
    if TARGET == "avx2":
        os.environ.update(AVX2)
    contenders, first = list(installed(library, what)), next(iter(PEERS[what]))
    if not contenders or contenders[0].name != first:
        sys.exit(f"peers.py: {first}: not found in {lib}; make lib builds it")
    with open(out + ".part", "w") as file:
        compare(library, what, int(most), contenders, file)
    os.replace(out + ".part", out)
    for message in refusals:
        print(f"peers: {message}", file=sys.stderr)
    return bool(refusals)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[2] not in PEERS:
        sys.exit("usage: peers.py LIB forward|back|bf16 [N]")
    sys.exit(main(*sys.argv[1:]))
