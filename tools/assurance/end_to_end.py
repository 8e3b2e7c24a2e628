"""end_to_end.py BUILD SECONDS [SEED]: the programs of 01 to 06 on problems that
are made up here, and what they write beside NumPy's float64: no line of this is
the project's own. Of a problem that fails the command is printed, and its files
are kept in BUILD/end_to_end. Ends with `N passed, N failed`."""

import functools
import os
import shutil
import subprocess
import sys
import time

import numpy as np

ROWS = ["01_naive_softmax", "02_safe_softmax", "03_online_softmax"]
HEADS = ["04_tiled_attention", "05_flash1", "06_flash2"]
TILES = {"--br", "--bc", "--sram", "--block"}
build, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
top = os.path.join(build, "end_to_end")


def run(chapter, *words, threads=1):
    return subprocess.run([f"{build}/{chapter}/run", *words], cwd=f"{top}/now",
                          env={**os.environ, "OMP_NUM_THREADS": str(threads)},
                          timeout=60, capture_output=True, text=True)


@functools.cache
def steps(*program):
    return [line.split("\t")[0] for line in run(*program, "--list").stdout.splitlines()]


def one_of(*things):
    return things[rng.integers(len(things))]


def size(*below):
    return int(rng.integers(1, one_of(*below)))


def numbers(*shape):
    """All 0, alike or peaked; rising or not; whole or not."""
    x = rng.standard_normal(shape) * one_of(0, 0.1, 1, 1, 4)
    x += np.linspace(-1, 1, shape[-2])[:, None] * one_of(0, 0, 3)
    return one_of(np.round, np.array)(x).astype("<f4")


def save(name, x):
    version = one_of((1, 0), (2, 0), (3, 0))
    with open(f"{top}/now/{name}.npy", "wb") as file:
        np.lib.format.write_array(file, np.asarray(x, order="C"), version)
    return f"{name}.npy"


def most(*arrays):
    """The largest absolute value that is finite."""
    return max(np.abs(x)[np.isfinite(x)].max(initial=0) for x in arrays)


# --- What is right -------------------------------------------------------------


def softmax(s, attended, sink=-np.inf):
    """Weights and logsumexp; 0 and -inf where there is nothing to attend to."""
    s = np.where(attended, s, -np.inf)
    m = np.maximum(s.max(-1, keepdims=True), sink)
    shift = np.where(m == -np.inf, 0, m)
    e = np.where(attended, np.exp(s - shift), 0)
    l = e.sum(-1, keepdims=True) + np.exp(sink - shift)
    return e / np.where(l == 0, 1, l), (m + np.log(l))[..., 0]


def judged(right, t):
    """A weighted mean, or ln of a sum: what rounding may do to it."""
    O, L, V = right
    return {"O": (O, t * most(V)), "L": (L, t + 2.0**-23 * np.abs(L))}


def of_rows(chapter):
    x = numbers(*[size(4, 9) for _ in range(size(4))], size(5, 40, 600))
    if chapter[1] != "1": # which shows that it overflows
        x *= one_of(1, 100)
        x[rng.random(x.shape) < one_of(0, 0.2)] = -np.inf
    words = ["--in", save("x", x), "--out", "O.npy", "--lse", "L.npy"]
    if chapter[1] == "3" and one_of(True, False):
        words += ["--block", str(size(70))]
    P, L = softmax(x.astype(float), x > -np.inf)
    return words, judged((P, L, np.ones(1)), max(1e-6, x.shape[-1] * 2.0**-25))


def of_heads(step, backward):
    dims = one_of(2, 3, 4, 4) # of the arrays: N d, H N d, or B H N d
    B, Hk, many = [size(4) if dims > k else 1 for k in (3, 2, 2)]
    Nq, Nk, d, dv = size(4, 20, 150), size(4, 20, 150), size(5, 70), size(5, 70)
    shape, words = (B, Hk * many, Nq, Nk), ["--backward"] * backward
    given = {"q": numbers(*shape[:3], d), "k": numbers(B, Hk, Nk, d),
             "v": numbers(B, Hk, Nk, dv)}
    if step == "mla": # has no V of its own
        given["v"] = given["k"][..., :dv]
        dv = min(d, dv)
    scale, c, mask = np.float32(1) / np.sqrt(np.float32(d)), 0, np.zeros(shape)
    attended, alibi, sink = np.full(shape, True), 0, -np.inf
    if rng.random() < 0.3:
        scale = np.float32(one_of(0, 1, -0.5, 0.3))
        words += ["--scale", str(scale)]
    if rng.random() < 0.3:
        c = one_of(0.5, 3, 30)
        words += ["--softcap", str(c)]
    if rng.random() < 0.4:
        given["mask"] = numbers(one_of(1, B), one_of(1, shape[1]), Nq, Nk)
        given["mask"][rng.random(given["mask"].shape) < one_of(0, 0.3, 1)] = -np.inf
        mask = mask + given["mask"]
        attended &= mask > -np.inf
    offset, looks_at = Nk - Nq, np.arange(Nq)[:, None]
    if rng.random() < 0.4:
        offset = one_of(offset, int(rng.integers(-Nq - 2, Nk + 2)))
        words += ["--causal"] if offset == Nk - Nq else ["--causal-offset", str(offset)]
        attended &= np.arange(Nk) <= looks_at + offset
    if rng.random() < 0.2:
        words += ["--window", str(W := size(4, 200))]
        attended &= abs(looks_at + offset - np.arange(Nk)) < W
    if rng.random() < 0.2:
        words += ["--block-size", str(b := size(4, 40, 100))]
        given["block-mask"] = rng.integers(0, 2, (-(-Nq // b), -(-Nk // b))).astype("<f4")
        attended &= np.kron(given["block-mask"], np.ones((b, b)))[:Nq, :Nk] > 0
    if rng.random() < 0.2:
        words += ["--alibi"]
        heads = np.arange(1, shape[1] + 1)[:, None, None] / shape[1]
        alibi = -2 ** (-8 * heads) * abs(looks_at + offset - np.arange(Nk))
    if rng.random() < 0.2:
        given["sink"] = numbers(1, shape[1])[0]
        sink = given["sink"][:, None, None].astype(float)
    if rng.random() < 0.5: # few tiles are no test of what holds between them
        words += ["--br", str(size(40)), "--bc", str(size(40))]
    elif rng.random() < 0.7:
        words += ["--sram", str(4 * (d + dv) * size(30))]
    if not backward and step != "mla" and rng.random() < 0.2: # what nobody sees may be NaN
        given["v"][:, :, ~attended.any((0, 1, 2))] = np.nan
        given[one_of("q", "k")][0, 0, -1, 0] = np.nan
    if backward:
        given["grad-out"] = numbers(*shape[:3], dv)
        words += [w for x in "qkv" for w in (f"--grad-{x}", f"{x}.out.npy")]
    else:
        words += ["--out", "O.npy", "--lse", "L.npy"]
    for name, x in given.items():
        words += [f"--{name}", save(name, x.reshape(x.shape[4 - dims:]) if x.ndim == 4 else x)]

    Q = given["q"].astype(float)
    K, V = (np.repeat(given[x].astype(float), many, 1) for x in "kv")
    V[~np.broadcast_to(attended.any(2)[..., None], V.shape)] = 0
    s, slope = float(scale) * Q @ K.swapaxes(2, 3), float(scale)
    if c:
        s = c * np.tanh(s / c)
        slope = slope * (1 - (s / c) ** 2)
    s = s + alibi + mask
    P, L = softmax(s, attended, sink)
    lengths = [most(np.linalg.norm(np.nan_to_num(x), axis=3)) for x in (Q, K)]
    t = max(1e-6, max(Nq, Nk) * 2.0**-25) * max(
        1, most(s[attended]) / 4, abs(scale) * lengths[0] * lengths[1] / 16)
    if not backward:
        right = judged((P @ V, L, V), t)
    else:
        dO = given["grad-out"].astype(float)
        dP = np.where(attended, dO @ V.swapaxes(2, 3), 0)
        dS = P * (dP - (P * dP).sum(3, keepdims=True)) * slope
        dQ, dK, dV = dS @ K, dS.swapaxes(2, 3) @ Q, P.swapaxes(2, 3) @ dO
        right = {"q.out": (dQ, t * max(most(dQ), abs(scale) * most(dP) * most(K)))}
        a = t * many # as many are added
        for name, x, e in (("k.out", dK, a * max(most(dK), abs(scale) * most(dP) * most(Q))),
                           ("v.out", dV, 2 * a * most(P.swapaxes(2, 3) @ np.abs(dO)))):
            right[name] = x.reshape(B, Hk, many, *x.shape[2:]).sum(2), e
    return words, {name: (x.reshape(x.shape[4 - dims:]), np.reshape(e, np.shape(e)[4 - dims:]))
                   for name, (x, e) in right.items()}


# --- One after the other -------------------------------------------------------


def wrong(chapter):
    """Makes a problem and has it solved: the command, and what is wrong."""
    backward = chapter[:2] in ("05", "06") and rng.random() < 0.3
    step = one_of(*steps(chapter, *["--backward"] * backward))
    with np.errstate(all="ignore"):
        words, right = of_rows(chapter) if chapter in ROWS else of_heads(step, backward)
    words += ["--step", step]
    spoilt = None
    if rng.random() < 0.1: # another type is refused
        spoilt = one_of(*[w for w in words if os.path.exists(f"{top}/now/{w}")])
        x = np.load(f"{top}/now/{spoilt}")
        with np.errstate(all="ignore"):
            np.save(f"{top}/now/{spoilt}", x.astype(one_of("<f2", "<f8", ">f4", "<i4")))
    done = run(chapter, *words, threads=size(4))
    if done.stderr.split(":")[0] in TILES: # this step has none: then without
        for option in TILES & set(words):
            k = words.index(option)
            del words[k:k + 2]
        done = run(chapter, *words, threads=size(4))
    command = f"{chapter}/run {' '.join(words)}"
    outputs = [name for name in right if os.path.exists(f"{top}/now/{name}.npy")]
    if spoilt:
        clear = done.returncode and done.stderr.startswith(spoilt) and \
            done.stderr.count("\n") == 1 and not outputs
        return command, None if clear else f"{spoilt} was not refused: {done.stderr}"
    if done.returncode or done.stderr:
        return command, done.stderr or f"ended with {done.returncode}"
    for name, (want, tolerance) in right.items():
        got = np.load(f"{top}/now/{name}.npy")
        if got.shape != want.shape or got.dtype != np.float32:
            return command, f"{name}: {got.dtype} {got.shape}, not {want.shape}"
        with np.errstate(all="ignore"):
            same = (got == want) | (np.isnan(got) & np.isnan(want)) | \
                (np.abs(got - want) <= tolerance)
        if not same.all():
            at = tuple(int(k) for k in np.argwhere(~same)[0])
            return command, f"{name}{list(at)}: {got[at]}, not {want[at]}"
    return command, None


passed = failed = n = 0
end = time.time() + seconds
while time.time() < end:
    rng = np.random.default_rng([seed, n])
    shutil.rmtree(f"{top}/now", ignore_errors=True)
    os.makedirs(f"{top}/now")
    command, why = wrong(one_of(*ROWS, *HEADS, *HEADS, *HEADS))
    passed, failed, n = passed + (not why), failed + bool(why), n + 1
    if why:
        shutil.move(f"{top}/now", f"{top}/{seed}.{n}")
        print(f"FAILED in {top}/{seed}.{n}: {command}\n  {why}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
