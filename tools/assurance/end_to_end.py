"""end_to_end.py BUILD SECONDS [SEED]: compares `flash` on random problems with float64
in NumPy, which shares no code with the project. The files of a failed problem remain in
BUILD/end_to_end."""

import os
import shutil
import subprocess
import sys
import time

import numpy as np

build, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
here = f"{build}/end_to_end/now"
passed = failed = 0

def run(*command):
    return subprocess.run([f"{build}/{command[0]}", *command[1:]], cwd=here,
                          timeout=60, capture_output=True, text=True)

def one_of(*things):
    return things[rng.integers(len(things))]

def size(*below):
    return int(rng.integers(1, one_of(*below)))

def numbers(*shape):
    """Returns random fp32 numbers, sometimes rounded to integers."""
    x = rng.standard_normal(shape) * one_of(0, 0.1, 1, 1, 4)
    x += np.linspace(-1, 1, shape[-2])[:, None] * one_of(0, 0, 3)
    return one_of(np.round, np.array)(x).astype("<f4")

def largest(x):
    """Returns the largest finite absolute value."""
    return np.abs(x)[np.isfinite(x)].max(initial=0)

def problem(step, backward):
    """Returns inputs, other options, and expected arrays with tolerances."""
    B, Hk, group, Nq, Nk, d, dv = (size(*below) for below in (
        (2, 4), (2, 4), (2, 4), (4, 20, 150), (4, 20, 150), (5, 70), (5, 70)))
    H, options = Hk * group, []

    def option(name, unset, *values):
        if rng.random() < 0.3:
            unset = one_of(*values)
            options.extend(["--" + name, str(unset)])
        return unset

    given = {"q": numbers(B, H, Nq, d), "k": numbers(B, Hk, Nk, d),
             "v": numbers(B, Hk, Nk, dv)}
    if step == "mla": # V is the first dv columns of K
        given["v"] = given["k"][..., :dv]
    bias, seen, sink = np.zeros((B, H, Nq, Nk)), np.full((B, H, Nq, Nk), True), -np.inf
    scale = float(np.float32(option(
        "scale", 1 / np.sqrt(np.float32(d)), 0, 1, -0.5, 0.3)))
    cap = option("softcap", 1e30, 0.5, 3, 30)
    if rng.random() < 0.4:
        mask = numbers(one_of(1, B), one_of(1, H), Nq, Nk)
        mask[rng.random(mask.shape) < one_of(0, 0.3, 1)] = -np.inf
        given["mask"], bias, seen = mask, bias + mask, seen & (mask > -np.inf)
    offset, causal = Nk - Nq, rng.random() < 0.4
    if causal:
        offset = one_of(offset, int(rng.integers(-Nq - 2, Nk + 2)))
        options += ["--causal"] if offset == Nk - Nq else ["--causal-offset", str(offset)]
    distance = np.arange(Nq)[:, None] + offset - np.arange(Nk)
    seen &= (distance >= 0) | (not causal)
    seen &= abs(distance) < option("window", np.inf, size(4, 200))
    if step == "flash2_block_mask" and (b := option("block-size", 0, size(4, 40, 100))):
        given["block-mask"] = rng.integers(0, 2, (-(-Nq // b), -(-Nk // b))).astype("<f4")
        seen &= np.kron(given["block-mask"], np.ones((b, b)))[:Nq, :Nk] > 0
    if rng.random() < 0.2:
        options += ["--alibi"]
        bias = bias - 2.0 ** (-8 / H * np.arange(1, H + 1)[:, None, None]) * abs(distance)
    if rng.random() < 0.2:
        given["sink"] = numbers(1, H)[0]
        sink = given["sink"][:, None, None].astype(float)
    if not backward and step != "mla" and rng.random() < 0.2: # NaN in Q or K, unseen V
        given["v"][:, :, ~seen.any((0, 1, 2))] = np.nan
        given[one_of("q", "k")][0, 0, -1, 0] = np.nan
    if not backward and rng.random() < 0.2: # K and V in 16 bits
        options += ["--kv-type", kind := one_of("bf16", "fp16")]
        for x in "kv":
            given[x] = given[x].astype("<f2") if kind == "fp16" else (
                given[x].view("<u4") & 0xffff0000).view("<f4")

    Q, K, V = (given[x].astype(float) for x in "qkv")
    K, V = np.repeat(K, group, 1), np.repeat(V, group, 1)
    V[~np.broadcast_to(seen.any(2)[..., None], V.shape)] = 0
    s = cap * np.tanh(scale * Q @ K.swapaxes(2, 3) / cap)
    slope = scale * (1 - (s / cap) ** 2)
    s = np.where(seen, s + bias, -np.inf)
    m = np.maximum(s.max(3, keepdims=True), sink)
    m[m == -np.inf] = 0 # a row that attends to no key has weights 0 and L -inf
    P = np.exp(s - m)
    l = P.sum(3, keepdims=True) + np.exp(sink - m)
    P, L = P / np.where(l == 0, 1, l), (m + np.log(l))[..., 0]
    norms = [largest(np.linalg.norm(np.nan_to_num(x), axis=3)) for x in (Q, K)]
    t = max(1e-6, max(Nq, Nk) * 2.0**-25) * max(
        1, largest(s) / 4, abs(scale) * norms[0] * norms[1] / 16)
    # A score is a sum of d products. If the products are equal, all sums round in the
    # same direction.
    score = Q.shape[3] * 2.0**-25 * abs(scale) * norms[0] * norms[1]
    if backward:
        given["grad-out"] = dO = numbers(B, H, Nq, V.shape[3])
        dP = dO @ V.swapaxes(2, 3)
        dS = P * (dP - (P * dP).sum(3, keepdims=True)) * slope
        dQ, dK, dV = dS @ K, dS.swapaxes(2, 3) @ Q, P.swapaxes(2, 3) @ dO
        of_group = lambda x: x.reshape(B, Hk, group, Nk, -1).sum(2)
        # The terms of dO V^T may cancel. dK and dV are sums over the heads of a group.
        terms = np.abs(dO) @ np.abs(V).swapaxes(2, 3)
        each = abs(scale) * max(largest(dP), largest(terms) / 4)
        expected = {
            "grad-q": (dQ, t * max(largest(dQ), each * largest(K))),
            "grad-k": (of_group(dK), t * group * max(largest(dK), each * largest(Q))),
            "grad-v": (of_group(dV),
                       2 * t * group * largest(P.swapaxes(2, 3) @ np.abs(dO)))}
    else:
        expected = {"out": (P @ V, (t + score) * largest(V)),
                    "lse": (L, 2 * t + score + 2.0**-23 * largest(L))}
    return given, options, expected

os.makedirs(here, exist_ok=True)
steps = [line.split("\t") for line in
         run("tools/flash/run", "steps").stdout.splitlines()]
end = time.time() + seconds
while time.time() < end:
    rng = np.random.default_rng([seed, passed + failed])
    shutil.rmtree(here, ignore_errors=True)
    os.makedirs(here)
    os.environ["OMP_NUM_THREADS"] = str(passed % 4 + 1)
    backward = rng.random() < 0.25
    kind = "backward" if backward else "attention"
    command = ["tools/flash/run", kind]
    # test_bf16 tests steps in bf16 on random problems, with a tolerance for bf16.
    step = one_of(*[name for name, _, of, _ in steps
                    if of == kind and not name.startswith(("flash2_amx", "flash2_pairs"))])
    with np.errstate(all="ignore"):
        given, options, expected = problem(step, backward)
    for name, x in given.items():
        np.save(f"{here}/{name}.npy", np.ascontiguousarray(x))
    command += ["--step", step, *options]
    for name in [*given, *expected]:
        command += [f"--{name}", f"{name}.npy"]
    tiles = one_of([], [f"--br={size(40)}", f"--bc={size(40)}"], [f"--sram={size(4000)}"])
    done = run(*command, *tiles)
    if tiles and done.stderr.startswith(("--br", "--bc", "--sram")):
        done = run(*command) # the step or M does not allow this option
    try:
        assert not done.returncode and not done.stderr, done.stderr
        for name, (want, tolerance) in expected.items():
            got = np.load(f"{here}/{name}.npy")
            assert got.dtype == np.float32
            np.testing.assert_allclose(got, want, 0, tolerance, err_msg=name)
        passed += 1
    except AssertionError as why:
        failed += 1
        shutil.move(here, f"{here}/../{seed}.{passed + failed}")
        print(f"FAILED in {seed}.{passed + failed}: {' '.join(done.args)}\n{why}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
