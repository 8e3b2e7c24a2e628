"""Every backward step against PyTorch's autograd, in float64 on the same fp32
inputs: batches, groups of heads, causal limits, masks, softcaps.

    python docs/lab/autograd.py build/06_flash2/run

Exit 1 if a gradient is off by more than 5e-6 of its largest number. Needs torch
and numpy (make torch); nothing else in this project asks for it.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch

TOLERANCE = 5e-6


def attention(q, k, v, scale, limit, mask, cap):
    """What ./run computes, written out in torch; dead rows give 0."""
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    s = q @ k.transpose(-1, -2) * scale
    if cap:
        s = cap * torch.tanh(s / cap)
    if mask is not None:
        s = s + mask
    if limit is not None:
        i = torch.arange(q.shape[2])[:, None]
        j = torch.arange(k.shape[2])[None]
        s = s.masked_fill(j > i + limit, -np.inf)
    dead = torch.isinf(s).all(-1, keepdim=True)
    p = torch.softmax(torch.where(dead, torch.zeros_like(s), s), -1)
    return torch.where(dead, torch.zeros_like(p), p) @ v


def problems(source):
    """Inputs of each problem, and the options that ask for it."""
    for B, Hq, Hk, Nq, Nk, d, dv in [(2, 4, 4, 37, 37, 16, 16),
                                     (1, 6, 2, 70, 90, 32, 48),
                                     (2, 4, 1, 129, 65, 64, 64),
                                     (1, 8, 2, 100, 260, 64, 32)]:
        for limit in (None, Nk - Nq, -3):
            for masked in (False, True):
                for cap in (0, 2.0):
                    draw = lambda *s: source.standard_normal(s).astype("<f4")
                    q, k = 2 * draw(B, Hq, Nq, d), draw(B, Hk, Nk, d)
                    v, dO = draw(B, Hk, Nk, dv), draw(B, Hq, Nq, dv)
                    mask = None
                    if masked:
                        mask = draw(1, Hq, Nq, Nk)
                        mask[source.random(mask.shape) < 0.3] = -np.inf
                        mask[:, :, 3] = mask[..., 5] = -np.inf
                    yield (q, k, v, dO), limit, mask, cap


def wanted(arrays, limit, mask, cap):
    q, k, v = (torch.tensor(x.astype(np.float64), requires_grad=True)
               for x in arrays[:3])
    scale = float(np.float32(1) / np.sqrt(np.float32(q.shape[-1])))
    if mask is not None:
        mask = torch.tensor(mask.astype(np.float64))
    attention(q, k, v, scale, limit, mask, cap).backward(
        torch.tensor(arrays[3].astype(np.float64)))
    return [x.grad.numpy() for x in (q, k, v)]


def gradients(program, step, folder, options):
    names = ["grad-q", "grad-k", "grad-v"]
    files = {n: os.path.join(folder, n + ".npy") for n in names}
    command = [program, "--backward", "--step", step] + options
    for n in names:
        command += ["--" + n, files[n]]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [np.load(files[n]) for n in names]


def main(program):
    listed = subprocess.run([program, "--backward", "--list"], check=True,
                            capture_output=True, text=True).stdout
    steps = ["standard_backward", "flash1_backward"]
    steps += [line.split("\t")[0] for line in listed.splitlines()]
    worst = {step: [0, 0, 0] for step in steps}
    compared = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for arrays, limit, mask, cap in problems(np.random.default_rng(0)):
            options = []
            for name, x in zip(("q", "k", "v", "grad-out"), arrays):
                path = os.path.join(folder, name + "-in.npy")
                np.save(path, x)
                options += ["--" + name, path]
            if mask is not None:
                path = os.path.join(folder, "mask.npy")
                np.save(path, mask)
                options += ["--mask", path]
            if limit is not None:
                options += ["--causal-offset", str(limit)]
            if cap:
                options += ["--softcap", str(cap)]
            want = wanted(arrays, limit, mask, cap)
            for step in steps:
                got = gradients(program, step, folder, options)
                for k, (x, y) in enumerate(zip(got, want)):
                    off = np.abs(x - y).max() / np.abs(y).max()
                    compared += 1
                    if not off <= TOLERANCE:
                        failed += 1
                        print(f"{step}: gradient {k} off by {off:.1e}:",
                              " ".join(options))
                    worst[step][k] = max(worst[step][k], off)
    for step in steps:
        print(f"{step:26s} worst dQ, dK, dV:",
              " ".join(f"{x:.1e}" for x in worst[step]))
    print(f"torch {torch.__version__}: {compared - failed} passed, "
          f"{failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
