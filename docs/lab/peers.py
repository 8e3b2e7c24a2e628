"""Our fast steps beside what a user would call instead: three OpenBLAS calls a
head, PyTorch's attention, NumPy's textbook expression; and the way back beside
PyTorch's autograd, without the forward pass of either.

    python3 docs/lab/peers.py LIBRARY forward|back|product [N]

LIBRARY is peers.so (peers.c). Tables, and build/bench_peers.tsv or
build/bench_backward_peers.tsv; N: only shapes of at most N queries. product is
one product of square matrices by PyTorch. Who is not found is left out;
OPENBLAS in the environment names that library. All get the same inputs and as
many threads, and who is not near float64 on them is refused. Then come rounds:
peak probe, one of them, peak probe, the next.

PyTorch and NumPy are in processes of their own: where two libraries of threads
share one, the threads of the one that waits take the cores from the other.
"""
import ctypes
import math
import multiprocessing
import os
import statistics
import sys
from time import perf_counter, process_time, sleep

SHAPES = [(1, 8, 1024, 64), (1, 8, 4096, 64), (1, 8, 4096, 128),
          (16, 12, 64, 64), (16, 12, 256, 64), (16, 12, 2048, 64),
          (8, 12, 64, 64)]
MOST_ERROR = 1e-5  # in fp32 it is below 2e-6


class Declines(Exception):
    """It does not do this one."""


class Failed(Exception):
    """No more of it."""


# --- Peers, in processes of their own -----------------------------------------

class Torch:
    def __init__(self, threads):
        import torch
        from torch.nn.functional import scaled_dot_product_attention

        self.torch, self.version = torch, torch.__version__
        self.attention = scaled_dot_product_attention
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)

    def array(self, data, shape):
        return self.torch.frombuffer(
            bytearray(data), dtype=self.torch.float32).reshape(shape).clone()

    def load(self, arrays, shape):
        self.qkv = [self.array(x, shape) for x in arrays[:3]]

    def run(self, causal):
        return self.attention(*self.qkv, is_causal=causal),

    def bytes(self, x):
        return x.contiguous().numpy().tobytes()


class Autograd(Torch):
    """The gradients alone: the forward pass is run when inputs come."""

    def load(self, arrays, shape):
        super().load(arrays, shape)
        self.dO, self.forward = self.array(arrays[3], shape), None
        for x in self.qkv:
            x.requires_grad_(True)

    def run(self, causal):
        if self.forward != causal:
            with self.torch.enable_grad():
                self.O, = super().run(causal)
            self.forward = causal
        return self.torch.autograd.grad(self.O, self.qkv, self.dO,
                                        retain_graph=True)


class Product(Torch):
    """One product of square matrices, Q and K, in place of attention."""

    def run(self, causal):
        return self.torch.matmul(*self.qkv[:2]),


class Numpy:
    def __init__(self, threads):
        os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
        import numpy

        self.np, self.version = numpy, numpy.__version__

    def load(self, arrays, shape):
        np, (B, H, N, d) = self.np, shape
        size = 4e-9 * B * H * N * N
        if size > 1:
            raise MemoryError(f"S alone would take {size:.1f} GB")
        self.qkv = [np.frombuffer(x, np.float32).reshape(shape).copy()
                    for x in arrays[:3]]
        self.scale = np.float32(d**-0.5)
        self.mask = np.triu(np.full((N, N), -np.inf, np.float32), 1)

    def run(self, causal):
        q, k, v = self.qkv
        s = q @ k.swapaxes(-1, -2)
        s *= self.scale
        if causal:
            s += self.mask
        s -= s.max(axis=-1, keepdims=True)
        p = self.np.exp(s, out=s)
        p /= p.sum(axis=-1, keepdims=True)
        return p @ v,

    def bytes(self, x):
        return x.tobytes()


def threads_sleep():
    """Waits for that: idle threads spin for a while, in case of more work."""
    for _ in range(50):
        before = process_time()
        sleep(0.03)
        if process_time() - before < 0.0005:
            return True
    return False


def seconds(run, causal, runs):
    if runs > 1:
        run(causal)
    start = perf_counter()
    for _ in range(runs):
        run(causal)
    return (perf_counter() - start) / runs


def serve(kind, threads, line):
    """Answers a problem by what comes out, and a number of runs by seconds; or
    by a word that says why not."""
    try:
        peer = kind(threads)
        line.send([peer.version])
    except ImportError as error:
        line.send(str(error))
        return
    causal = False
    while True:
        try:
            asked = line.recv()
            if isinstance(asked, int):
                taken = seconds(peer.run, causal, asked)
                line.send([taken] if threads_sleep() else
                          "its threads keep spinning")
            else:
                arrays, shape, causal = asked
                peer.load(arrays, shape)
                line.send([peer.bytes(x) for x in peer.run(causal)])
        except MemoryError as error:
            line.send(str(error))
        except EOFError:
            return


# --- All who are timed --------------------------------------------------------

class Problem:
    def __init__(self, library, shape, causal, back):
        self.library, self.shape, self.causal = library, shape, causal
        self.title = str(shape) + (" causal" if causal else "")
        self.at = library.problem_new(*shape, causal, back)
        if not self.at:
            sys.exit(1)
        self.size = 4 * math.prod(shape)
        self.inputs = "Q K V dO".split() if back else "Q K V".split()
        self.outputs = "dQ dK dV".split() if back else ["O"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.problem_free(self.at)

    def array(self, name):
        return self.library.problem_array(self.at, name.encode())

    def error(self):
        return self.library.problem_error(self.at)


class Ours:
    """A step of the library, or OpenBLAS by it."""

    def __init__(self, library, name):
        self.library, self.name = library, name

    def output(self, problem):
        for name in problem.outputs:  # so that what it leaves out is wrong
            ctypes.memset(problem.array(name), 255, problem.size)
        self.seconds(problem, 1)

    def seconds(self, problem, runs):
        threads_sleep()
        taken = self.library.problem_run(problem.at, self.name.encode(), runs)
        if not taken > 0:
            raise Failed("it failed")
        return taken


class Apart:
    def __init__(self, name, kind, threads):
        spawn = multiprocessing.get_context("spawn")
        self.name = name
        self.line, end = spawn.Pipe()
        self.process = spawn.Process(target=serve, args=(kind, threads, end),
                                     daemon=True)
        self.process.start()
        end.close()
        self.version, = self.answer()

    def answer(self):
        try:
            said = self.line.recv()
        except EOFError:
            raise Failed("it does not answer") from None
        if isinstance(said, str):
            raise Declines(said)
        return said

    def output(self, problem):
        inputs = [ctypes.string_at(problem.array(x), problem.size)
                  for x in problem.inputs]
        self.line.send((inputs, problem.shape, problem.causal))
        for name, data in zip(problem.outputs, self.answer(), strict=True):
            if len(data) != problem.size:
                raise Failed("its output is cut short")
            ctypes.memmove(problem.array(name), data, problem.size)

    def seconds(self, problem, runs):
        self.line.send(runs)
        taken, = self.answer()
        if not 0 < taken < math.inf:
            raise Failed("its time is not a number above 0")
        return taken


def open_library(path):
    library = ctypes.CDLL(os.path.abspath(path))
    size, at, text = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p
    for name, result, *arguments in (
            ("problem_new", at, size, size, size, size, ctypes.c_int,
             ctypes.c_int),
            ("problem_free", None, at), ("problem_array", at, at, text),
            ("problem_flops", ctypes.c_double, at),
            ("problem_error", ctypes.c_double, at),
            ("problem_run", ctypes.c_double, at, text, size),
            ("probe", ctypes.c_double), ("openblas_open", text),
            ("thread_count", size)):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def find(library, kinds):
    """Those of them that are here; else a line says how to get them."""
    threads = library.thread_count()
    for name, kind in kinds:
        peer, how = None, "make torch, or PYTHON=one that has it"
        try:
            if kind:
                peer = Apart(name, kind, threads)
                version = peer.version
            else:
                version = library.openblas_open()
                how = "Debian: libopenblas0, or OPENBLAS=its file"
                peer = Ours(library, name) if version else None
                version = version.decode() if version else ""
        except (Declines, Failed) as why:
            version = why
        print(f"{name}: {version}" if peer else f"{name}: not found ({how})")
        if peer:
            yield peer
    print(f"\n{threads} threads\n")


def spread(x):
    """The middle half over the median."""
    x = sorted(x)
    return (x[round(0.75 * (len(x) - 1))] - x[round(0.25 * (len(x) - 1))]) / \
        statistics.median(x)


wrong = []  # who was, once


def are_right(problem, contenders):
    """Those who are, and their errors; who fails is no longer a contender."""
    right = {}
    for who in list(contenders):
        try:
            who.output(problem)
            right[who] = problem.error()
            if not right[who] < MOST_ERROR:
                raise ValueError(f"relative error {right.pop(who):.1e}: refused")
        except Declines as why:
            print(f"{who.name}: left out: {why}")
        except (Failed, ValueError) as why:
            print(f"peers: {who.name}: {problem.title}: {why}", file=sys.stderr)
            wrong.append(who)
            if isinstance(why, Failed):
                contenders.remove(who)
    return right


def measure(library, problem, contenders, rounds):
    """Lists of name, FLOP/s, share of the peak, seconds, spread, error."""
    right = are_right(problem, contenders)
    flops = library.problem_flops(problem.at)
    taken, shares = {who: [] for who in right}, {who: [] for who in right}
    runs = 1 + int(0.01 / contenders[0].seconds(problem, 1))
    for _ in range(rounds):
        before = library.probe()
        for who in right:
            taken[who].append(who.seconds(problem, runs))
            after = library.probe()
            shares[who].append(flops / taken[who][-1] / ((before + after) / 2))
            before = after
    for who in right:
        s = statistics.median(taken[who])
        yield (who.name, flops / s, statistics.median(shares[who]), s,
               spread(taken[who]), right[who])


def compare(library, back, most):
    """All shapes, in a table each, and a file. Is anything wrong?"""
    kinds = [("torch_autograd", Autograd)] if back else \
        [("openblas", None), ("torch", Torch), ("numpy", Numpy)]
    contenders = [Ours(library, "backward_simd" if back else "flash2_simd"),
                  *find(library, kinds)]
    ratios = {}
    if len(contenders) == 1:
        print("There is no peer to compare with.")
        return False
    path = "build/bench_backward_peers.tsv" if back else "build/bench_peers.tsv"
    with open(path + ".part", "w") as file:
        print("step", "B", "H", "N", "d", "causal", "gflops", "percent_of_peak",
              "ms", "spread", "error", sep="\t", file=file)
        for shape, causal in ((s, c) for s in SHAPES if s[2] <= most
                              for c in (False, True)):
            with Problem(library, shape, causal, back) as problem:
                rows = list(measure(library, problem, contenders,
                                    5 if back else 7))
            print(problem.title)
            print("who             GFLOP/s  of peak       ms  spread    time    "
                  "error")
            for name, rate, share, s, off, error in rows:
                if not share <= 1:
                    print(f"{name:15} refused  {share:7.0%}: above the peak")
                    continue
                ratio = s / rows[0][3]
                if name != contenders[0].name and rows[0][2] <= 1:
                    ratios.setdefault(name, []).append(ratio)
                print(f"{name:15} {rate * 1e-9:7.1f}  {share:7.1%}  "
                      f"{1e3 * s:7.2f}  {off:6.0%}  {ratio:5.2f}x  {error:.1e}")
                print(name, *shape, int(causal), f"{rate * 1e-9:.2f}",
                      f"{100 * share:.2f}", f"{1e3 * s:.4f}", f"{off:.4f}",
                      f"{error:.2e}", sep="\t", file=file)
            print()
    os.replace(path + ".part", path)
    for name, each in ratios.items():
        mean = statistics.geometric_mean(each)
        print(f"{name} takes {mean:.2f} times as long, the geometric mean of "
              f"{len(each)} shapes; at least {min(each):.2f}")
    return bool(wrong)


def product(library, side=2048):
    """The share of the peak that one product reaches, for tile_peak.tsv."""
    for torch in find(library, [("torch_product", Product)]):
        with Problem(library, (1, 1, side, side), False, False) as problem:
            torch.output(problem)
            floats = ctypes.POINTER(ctypes.c_float)
            q, k, o = (ctypes.cast(problem.array(x), floats) for x in "QKO")
            for i in range(0, side, 97):
                j = i * 31 % side
                want = sum(q[i * side + x] * k[x * side + j]
                           for x in range(side))
                if not abs(o[i * side + j] - want) < 1e-5 * side:
                    sys.exit("peers: torch_product: its product is wrong")
            shares = []
            for _ in range(41):
                before, taken = library.probe(), torch.seconds(problem, 1)
                shares.append(2 * side**3 / taken /
                              ((before + library.probe()) / 2))
            print(f"{side} x {side}\t{statistics.median(shares):.3f}")


def main(path, what, most="1000000000"):
    if not most.isdigit() or int(most) < 64:
        sys.exit(f"peers: '{most}': not a number from 64 on")
    library = open_library(path)
    if what == "product":
        return product(library)
    return compare(library, what == "back", int(most))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or \
            sys.argv[2] not in ("forward", "back", "product"):
        sys.exit("usage: peers.py LIBRARY forward|back|product [N]")
    sys.exit(main(*sys.argv[1:]))
