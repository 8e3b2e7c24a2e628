"""What a user would call: the attention of PyTorch or of NumPy, on the CPU.

    python3 docs/lab/peers.py torch|torch_autograd|torch_product|numpy THREADS

bench_peers, bench_backward_peers or tile_peak starts it and writes commands to it, a line
each:

    problem B H N d      then Q, K and V, float32 in C order
    given                to torch_autograd alone: then dO, as long as O
    output CAUSAL        answered by O in the same way, or by dQ, dK and dV
    time CAUSAL RUNS     answered by the seconds of a run; if there are several,
                         one before them is not counted: it wakes the threads

Each, and the start, is answered by a line first: "ok", "ok" and a word, or
"no" and why. Time is taken here, around the call; it is told when the threads
that did the work have gone to sleep, so that they take no core from others.
"""

import os
import signal
import sys
from time import perf_counter, process_time, sleep


class Torch:
    def __init__(self, threads):
        import torch
        from torch.nn.functional import scaled_dot_product_attention

        self.torch, self.version = torch, torch.__version__
        self.attention = scaled_dot_product_attention
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)

    def load(self, arrays, shape):
        self.qkv = [self.torch.frombuffer(x, dtype=self.torch.float32)
                    .reshape(shape).clone() for x in arrays]

    def run(self, causal):
        return self.attention(*self.qkv, is_causal=causal)

    def data(self, o):
        return o.contiguous().numpy().data


class Autograd(Torch):
    """The gradients alone: the forward pass is run when output is asked for."""

    def load(self, arrays, shape):
        super().load(arrays, shape)
        self.shape, self.forward = shape, None
        for x in self.qkv:
            x.requires_grad_(True)

    def given(self, dO):
        self.dO = self.torch.frombuffer(
            dO, dtype=self.torch.float32).reshape(self.shape).clone()

    def run(self, causal):
        if self.forward != causal:
            with self.torch.enable_grad():
                self.O = super().run(causal)
            self.forward = causal
        return self.torch.autograd.grad(self.O, self.qkv, self.dO,
                                        retain_graph=True)

    def data(self, gradients):
        return b"".join(x.contiguous().numpy().tobytes() for x in gradients)


class Product(Torch):
    """One product of square matrices, Q and K, in place of attention."""

    def load(self, arrays, shape):
        super().load(arrays, shape)
        self.out = self.torch.empty(shape)

    def run(self, causal):
        return self.torch.matmul(*self.qkv[:2], out=self.out)


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
                    for x in arrays]
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
        return p @ v

    def data(self, o):
        return o.data


def seconds(run, causal, runs):
    if runs > 1:
        run(causal)
    start = perf_counter()
    for _ in range(runs):
        run(causal)
    return (perf_counter() - start) / runs


def threads_sleep():
    """Waits for that: idle threads spin for a while, in case of more work."""
    for _ in range(50):
        before = process_time()
        sleep(0.03)
        if process_time() - before < 0.0005:
            return True
    return False


def main():
    commands, answers = sys.stdin.buffer, sys.stdout.buffer

    def answer(line, data=b""):
        answers.write(line.encode() + b"\n")
        answers.write(data)
        answers.flush()

    try:
        kind = {"torch": Torch, "torch_autograd": Autograd,
                "torch_product": Product, "numpy": Numpy}[sys.argv[1]]
        peer = kind(threads=int(sys.argv[2]))
    except ImportError as error:
        return answer(f"no {error}")
    answer(f"ok {peer.version}")

    for line in commands:
        command, *numbers = line.decode().split()
        numbers = [int(n) for n in numbers]
        if command == "problem":
            B, H, N, d = numbers
            arrays = [bytearray(commands.read(4 * B * H * N * d))
                      for _ in "QKV"]
            try:
                peer.load(arrays, (B, H, N, d))
                answer("ok")
            except MemoryError as error:
                answer(f"no {error}")
        elif command == "given":
            peer.given(bytearray(commands.read(4 * B * H * N * d)))
            answer("ok")
        elif command == "output":
            answer("ok", peer.data(peer.run(bool(numbers[0]))))
        elif command == "time":
            causal, runs = numbers
            taken = seconds(peer.run, bool(causal), runs)
            answer(f"ok {taken:.9f}" if threads_sleep() else
                   "no its threads keep spinning")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    main()
