"""Prints how the quantities of the backward pass cause errors in the gradients.

    python3 docs/lab/backward_precision.py alone    one quantity in fp32 or bf16
    python3 docs/lab/backward_precision.py mean     P, dS, O in bf16, and V with a mean

In `alone` one quantity is in fp32 (S and dP by products in fp32) or rounded to bf16;
all others are in float64. The output is a Markdown table of ||got - want|| / ||want||.
N = 512, d = 64; the scores have standard deviation 1. docs/backward.md
"""
import sys

sys.dont_write_bytecode = True
from one_hour import np  # noqa: E402
from tables import table  # noqa: E402

N, d = 512, 64


def fp32(x):
    return x.astype(np.float32).astype(float)


def bf16(x):
    """Returns x rounded to bf16; ties go to even."""
    bits = x.astype(np.float32).view(np.uint32)
    bits = bits + 0x7fff + (bits >> 16 & 1) & 0xffff0000
    return bits.view(np.float32).astype(float)


def gradients(Q, K, V, dO, rounded={}, D_of_P=False):
    """Returns dQ, dK, dV. rounded has the rounding function of each quantity that is
    rounded. If D_of_P, D is the sum of P dP, else of dO O."""
    def of(name, x):
        return rounded.get(name, lambda exact: exact)(x)

    def product(name, A, B):
        if rounded.get(name) is fp32:
            return fp32(np.float32(A) @ np.float32(B).T)
        return of(name, A @ B.T)

    S = product("S", Q, K) / 8
    L = np.log(np.exp(S).sum(axis=1))
    O = of("O", np.exp(S - L[:, None]) @ V)
    P = of("P", np.exp(S - of("L", L)[:, None]))
    dP = product("dP", dO, V)
    D = of("D", ((P * dP) if D_of_P else (dO * O)).sum(axis=1))
    dS = of("dS", P * (dP - D[:, None])) / 8
    return dS @ K, dS.T @ Q, P.T @ dO


def errors(rounded, mean=0, D_of_P=False):
    numbers = np.random.default_rng(1).standard_normal((4, N, d))
    Q, K, V, dO = fp32(numbers)
    want = gradients(Q, K, fp32(V + mean), dO)
    got = gradients(Q, K, fp32(V + mean), dO, rounded, D_of_P)
    return [f"{np.linalg.norm(x - y) / np.linalg.norm(y):.1e}"
            for x, y in zip(got, want)]


def alone():
    table(["only this quantity", *(f"{how}: {gradient}" for how in
                                   ("computed in fp32", "rounded to bf16")
                                   for gradient in ("dQ", "dK", "dV"))],
          [[name, *errors({name: fp32}), *errors({name: bf16})]
           for name in ("S", "L", "P", "O", "dP", "D", "dS")])


def mean():
    """P, dS and O are in bf16, as in training with mixed precision."""
    mixed = dict.fromkeys(("P", "dS", "O"), bf16)
    table(["mean of V", "D = dO · O: dQ", "D = dO · O: dK", "D = Σ P dP: dQ",
           "D = Σ P dP: dK"],
          [[c, *errors(mixed, c)[:2], *errors(mixed, c, True)[:2]]
           for c in (0, 1, 10, 100)])


tables = {"alone": alone, "mean": mean}
if sys.argv[1:2] == [] or sys.argv[1] not in tables:
    sys.exit("usage: backward_precision.py alone|mean")
tables[sys.argv[1]]()
