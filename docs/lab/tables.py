"""Prints a table, sentence or chart of the pages as Markdown.

    python3 docs/lab/tables.py NAME [WORD...]

The data of a table is in docs/results (its README lists the commands) or in build/lab,
or the chapters' programs compute it.
"""
import csv
import glob
import math
import os
import re
import subprocess
import sys

BUILD = os.environ.get("BUILD", "build")
CARDS = os.environ.get("TABLES", "docs/results")


def number(x):
    for kind in int, float:
        try:
            return kind(x)
        except ValueError:
            pass
    return x


def lines(path, made_by=""):
    """Yields the fields of each line; converts numbers."""
    if not os.path.exists(path):
        sys.exit(f"{path}: no such file; {made_by}")
    with open(path) as file:
        for line in csv.reader(file, delimiter="\t"):
            yield [number(x) for x in line]


def kept(name):
    return lines(f"docs/results/{name}.tsv", "docs/results/README.md has the command")


def made(name):
    return lines(f"{BUILD}/lab/{name}.tsv", f"make lab-{name} writes it")


def named(all_lines):
    """Returns lines as dictionaries. The first line has the names of the fields."""
    head = next(all_lines)
    return [dict(zip(head, line)) for line in all_lines]


def table(head, body):
    """Prints a table. Right-aligns columns of numbers, except the first column."""
    body = [[str(x) for x in row] for row in body]
    if not body:
        sys.exit("tables.py: the table has no rows")
    print("| " + " | ".join(head) + " |")
    print("|---" + "".join(
        "|--:" if all(re.match(r"-?\d|-$|refused", x) and len(x) < 20
                      for x in column) else "|---"
        for column in list(zip(*body))[1:]) + "|")
    for row in body:
        print("| " + " | ".join(row) + " |")


def pivot(head, cells, first=str):
    """Prints a table of cells {(row, column): text}, in the order of the cells."""
    rows = dict.fromkeys(row for row, _ in cells)
    columns = dict.fromkeys(column for _, column in cells)
    table([head] + list(columns),
          [[first(row)] + [cells.get((row, column), "-") for column in columns]
           for row in rows])


def shape(r):
    causal = " causal" if r["causal"] else ""
    return "({B}, {H}, {N}, {d})".format(**r) + causal


def on(result):
    """Returns "on " and the CPU of a file of results (docs/results/README.md)."""
    return "on " + ("an Intel Xeon" if re.search("bf16|amx", result) else
                    "AMD Zen 5" if "pairs" in result else "AMD Zen 4")


def ways():
    """Prints each fast step: its speed, and the percentage of the peak of its products."""
    at = [(1024, 64), (4096, 64), (4096, 128)]
    body = []
    for step, sums, result in (("lanes", "fp32", "bench"), ("simd", "fp32", "bench"),
                               ("pairs", "pairs of bf16", "bench_pairs"),
                               ("amx", "tiles of bf16", "bench_bf16")):
        if os.path.exists(f"docs/results/{result}.tsv"):
            rows = {(r["N"], r["d"]): f"{r['rate']:.0f}, {r['percent']:.0f}%"
                    for r in named(kept(result)) if r["step"] == f"flash2_{step}"
                    and r["B"] == 1 and r["what"] != "back" and not r["causal"]}
            body.append([f"`flash2_{step}`, {sums}, {on(result)}",
                         *(rows[x] for x in at)])
        else:
            body.append([f"`flash2_{step}`, {sums}", *["not timed"] * 3])
    table(["step, GFLOP/s and part of its peak",
           *(f"N = {N}, d = {d}" for N, d in at)], body)


def bench(of):
    """Prints all steps at the shape `of`, or the step `of` at all shapes."""
    rows = [r for r in named(kept("bench"))
            if r["what"] == "forward" and of in (r["step"], shape(r))]
    at_shape = of.startswith("(")
    table([("step " if at_shape else "(B, H, N, d) ") + on("bench"), "GFLOP/s",
           "of peak", "ms", "error"],
          [["`" + r["step"] + "`" if at_shape else shape(r),
            f"{r['rate']:.{r['rate'] < 10:d}f}",
            f"{r['percent']:.{r['percent'] < 10:d}f}%",
            f"{r['ms']:.{r['ms'] < 100:d}f}", f"{r['error']:.1e}"]
           for r in rows])


def decoding():
    table(["step " + on("bench"), "K, V", "d", "keys a second", "GB/s", "of reading", "error"],
          [[f"`{r['step']}`", r["what"][9:] or "fp32", r["d"],
            f"{1e-3 * r['H'] * r['N'] / r['ms']:.0f} million", f"{r['rate']:.1f}",
            f"{r['percent']:.0f}%", f"{r['error']:.1e}"]
           for r in named(kept("bench")) if r["what"].startswith("decoding")])


def felt():
    """Prints sentences: how many times as fast as OpenBLAS flash2_simd is."""
    def over(causal):
        ours, theirs = ({shape(r): r["ms"] for r in named(kept("bench_peers"))
                         if r["step"] == step and r["causal"] == causal}
                        for step in ("flash2_simd", "openblas"))
        ratios = [theirs[at] / ours[at] for at in ours]
        return f"{min(ratios):.1f} to {max(ratios):.1f} times"

    print(f"On two threads and without a causal limit `flash2_simd` is {over(0)}\n"
          "as fast as standard attention by three calls of OpenBLAS. With the limit it\n"
          f"is {over(1)} as fast: the three calls compute all scores (`make\n"
          "bench-peers`).")


def against():
    """Prints a sentence: the times of three peers divided by flash2_simd's time."""
    times = {}
    for r in named(kept("bench_peers")):
        times.setdefault(r["step"], {})[shape(r)] = r["ms"]
    ours, phrases = times["flash2_simd"], []
    for step, name in (("torch", "PyTorch"), ("onnxruntime", "ONNX Runtime"),
                       ("openvino", "OpenVINO")):
        ratios = [ms / ours[at] for at, ms in times[step].items()]
        phrases.append(f"{name} takes {min(ratios):.1f} to {max(ratios):.1f} times")
    print(f"`flash2_simd` in fp32 on two cores of an AMD Zen 4: {phrases[0]} as\n"
          f"long, {phrases[1]}, {phrases[2]}\n(`make peers`, then "
          "`make bench-peers`).")
    for step, result in ("flash2_amx", "bench_bf16_peers_1"), \
            ("flash2_pairs", "bench_pairs_peers_1"):
        if os.path.exists(f"docs/results/{result}.tsv"):
            ratios = [r["times"] for r in named(kept(result))
                      if r["step"] == "torch_bf16"]
            print(f"In bf16 `{step}` runs {on(result)}: PyTorch takes "
                  f"{min(ratios):.1f} to {max(ratios):.1f} times as long.")


def fastest():
    """Prints our share of the peak, and the fastest peer's time divided by our time."""
    cells, mean = {}, "geometric mean"
    for result, where in (("bench_peers", "two threads"),
                          ("bench_peers_1", "one thread"),
                          ("bench_peers_avx2", "two threads, AVX2")):
        rows, logs = {}, []
        for r in named(kept(result)):
            rows.setdefault(shape(r), {})[r["step"]] = r
        for at, row in rows.items():
            ours = row.pop("flash2_simd", None)
            if not ours:  # our result was refused at this shape
                continue
            peer = min(row.values(), key=lambda r: r["ms"])
            times = peer["ms"] / ours["ms"]
            logs.append(math.log(times))
            cells[at, where] = (f"{ours['percent_of_peak']:.0f}%, {times:.2f}x "
                                f"{peer['step']}")
        cells[mean, where] = f"{math.exp(sum(logs) / len(logs)):.2f}x"
    pivot("(B, H, N, d) " + on("bench_peers"), cells)


def without():
    """Prints the speed of the kernel without one part, and the share of used pairs."""
    cells = {}
    for r in named(kept("without")):
        at = shape(r)
        cells[at, r["without"]] = f"{r['percent']:.0f}%"
        # A block has 64 queries. On the diagonal it computes keys in steps of 16.
        blocks = r["N"] // 64
        computed = 64 * 64 * blocks * (blocks - 1) / 2 + 16 * 160 * blocks
        cells[at, "pairs seen, of those computed"] = \
            f"{50 * r['N'] * (r['N'] + 1) / computed:.0f}%" if r["causal"] \
            else "100%"
    pivot(f"of the peak {on('without')}, without", cells)


def amx_steps():
    """Prints the steps on a matrix unit, each at three shapes."""
    at = [(1024, 64), (4096, 64), (4096, 128)]
    rows = {}
    for r in named(kept("bench_bf16")):
        if r["B"] == 1 and not r["causal"]:
            rows.setdefault(r["step"], {})[r["N"], r["d"]] = r
    table([f"step {on('bench_bf16')}, GFLOP/s and part of the peak",
           *(f"N = {N}, d = {d}" for N, d in at), "error"],
          [[f"`{step}`", *(f"{r[x]['rate']:.0f}, {r[x]['percent']:.0f}%"
                           for x in at), f"{r[at[0]]['error']:.1e}"]
           for step, r in rows.items()])


def amx_peers():
    """Prints our rate in bf16, and the others' times divided by our time."""
    cells = {}
    for r in named(kept("bench_bf16_peers_1")):
        ours = r["step"] == "flash2_amx"
        cells[shape(r), f"{r['step']}, GFLOP/s" if ours else r["step"]] = \
            f"{r['gflops']:.0f}" if ours else f"{r['times']:.2f}x"
    pivot("(B, H, N, d) " + on("bench_bf16_peers_1"), cells)


def without_amx():
    """Prints the rate of the kernel without one part."""
    cells, whole = {}, {}
    for r in named(kept("without_amx")):
        rate = r["gflops"]
        whole.setdefault(r["d"], rate)
        cells[r["without"], f"d = {r['d']}"] = \
            f"{rate}, {rate / whole[r['d']]:.2f}x"
    pivot(f"GFLOP/s {on('without_amx')}, without", cells)


def amx_roofline():
    """Prints the cycles per score of each part, from measured costs of instructions."""
    product, near, far, store, alone, shared = (
        cycles for _, cycles in list(kept("amx_parts"))[1:])
    scores, cells = 32 * 64, {}
    for d in 64, 128:
        def put(name, cycles):
            cells[name, f"d = {d}"] = f"{cycles:.2f}"
        outputs = d // 8  # tiles of O that are loaded and stored per block of keys
        put("products", d / 2 * product / scores)
        put("tile loads", (d / 4 * (near + far) + outputs * near) / scores)
        put("tile stores", (scores / 256 + outputs) * store / scores)
        put("exponentials, alone", alone / 16)
        put("exponentials, while tiles work", shared / 16)
        for r in named(kept("without_amx")):
            if r["d"] == d:
                part = r["without"]
                put("the kernel" if part == "nothing" else
                    f"the kernel without {part}",
                    d / 2 * product / scores / (r["percent"] / 100))
    pivot("cycles for a score", cells)


def rising(sigma):
    """Prints the errors on rising rows, and online's divided by that of three passes."""
    def times(x):
        return f"{x:,.0f}" if x >= 10 else f"{x:.2g}"

    table(["scores in a row", "three passes", "online", "in blocks of 64",
           "online / three passes", "of single rows"],
          [[f"{r['n']:,}", f"{r['safe_softmax']:.1e}",
            f"{r['online_softmax']:.1e}", f"{r['merged_softmax']:.1e}",
            f"{r['ratio']:.1f}",
            f"{times(r['least'])} to {times(r['most'])}, median "
            f"{times(r['middle'])}"]
           for r in named(kept("rising"))
           if r["sigma"] == int(sigma) and math.log2(r["n"]) % 2 == 0])


def backward_peers():
    """Prints our rate at each shape, and PyTorch's time divided by our time."""
    cells, ours = {}, {}
    for r in named(kept("bench_backward_peers")):
        at = shape(r)
        if r["step"] == "backward_simd":
            ours[at] = r["ms"]
            cells[at, "`backward_simd`, GFLOP/s"] = f"{r['gflops']:.0f}"
            cells[at, "of peak"] = f"{r['percent_of_peak']:.0f}%"
        elif at in ours: # otherwise our result was refused at this shape
            cells[at, "PyTorch takes"] = f"{r['ms'] / ours[at]:.2f}x"
    pivot("(B, H, N, d) " + on("bench_backward_peers"), cells)


def cards():
    """Returns {file name: rows} for each card that was timed (make gpu-check)."""
    found = {}
    for path in sorted(glob.glob(f"{CARDS}/*.tsv")):
        if next(lines(path))[0] == "card":
            name = os.path.basename(path)[:-4]
            found[name] = named(lines(path))
            if re.search("interpreted|cuda_on_cpu", found[name][0]["card"]):
                sys.exit(f"{path}: was not measured on a card; only cards are on pages")
    return found


def rungs():
    """Prints the TFLOP/s of each rung at (4, 16, 4096, 128) on each card, and the
    picture that make docs has drawn of them."""
    cells = {(r["step"], f"`{card}`"): r["tflops"]
             for card, rows in cards().items() for r in rows
             if shape(r) == "(4, 16, 4096, 128)"}
    if cells:
        pivot("TFLOP/s", cells, "`{}`".format)
        if os.path.exists("docs/plots/cards.svg"):
            print("\n![TFLOP/s of each rung on each card](plots/cards.svg)")
    else:
        print("(No card was timed yet.)")


def shapes(where="cpu"):
    """With `cpu` prints times of the steps and of PyTorch, with `cuda` of the rungs."""
    cells, steps = {}, ("parallel", "lanes", "simd")
    for r in named(kept("shapes")):
        r |= {"N": r["Nq"], "causal": 0}
        cells[shape(r), f"`{r['step']}`"] = f"{r['ms']:,.1f}"
    asked = dict.fromkeys(row for row, _ in cells)
    if where == "cuda":
        cells, found = {}, cards()
        for card, rows in found.items():
            for r in sorted(rows, key=lambda r: -r["ms"]):
                at, step = shape(r), r["step"]
                if at not in asked or re.match("cublas|backward|full-", step):
                    continue
                if step in ("standard", "flash1", "flash2"):
                    cells[at, f"`{card}`, {step}"] = r["ms"]
                cells[at, f"`{card}`, best"] = f"{r['ms']} (`{step}`)"
        for at in asked if not cells else ():
            for step in "standard", "flash1", "flash2", "best":
                cells[at, step] = "no GPU yet"
        return pivot("CUDA: shape, ms", cells)
    for of, name, step in [("bench", f"`flash2_{s}`", f"flash2_{s}") for s in steps] \
            + [("bench_peers", "PyTorch", "torch")]:
        timed = {shape(r): f"{r['ms']:,.1f}" for r in named(kept(of))
                 if r["step"] == step and r.get("what", "forward") == "forward"}
        for at in asked:
            cells[at, name] = timed.get(at, "-")
    pivot("CPU: shape, ms", cells)


def profilers():
    """Prints the time of the same calls by PyTorch's profilers and by a clock, in ms."""
    head, *body = kept("profilers")
    table(head, [[row[0], *(f"{x:.2f}" for x in row[1:])] for row in body])


def misses():
    """Prints the elements fetched by a simulated cache, divided by the counted reads."""
    cells = {}
    for step, M, read, by_loads, by_all in kept("misses"):
        step = step.split("_")[0]
        cells[M, f"{step}: loads"] = f"{by_loads / read:.2f}"
        cells[M, f"{step}: all"] = f"{by_all / read:.2f}"
    pivot("M", cells)


def crossed():
    """Prints a sentence: the traffic of flash1, and the part of O, m, l and L. The sum
    over the arrays must equal the count of the last load or store."""
    total = {}
    for step, what, array, *rest in made("loops"):
        if step == "flash1" and what == "total":
            total[array] = rest[0] + rest[1]
        elif step == "flash1" and what != "tiles":
            last = rest[2]
    assert sum(total.values()) == last
    print(f"{last / 1e3:.0f} kB are loaded or stored. "
          f"{(total['O'] + total['mlL']) / 1e3:.0f} of them are O, m, l and L,\n"
          "which are loaded and stored again for each tile of keys.")


def lazy():
    """Prints how many rescales lazy_rescale saves. A rescale multiplies l and the dv
    elements of O."""
    body = []
    for Bc in 4, 8, 16, 32, 64:
        text = run("tools/flash", "sweep", "--csv", "--br", "64", "--bc",
                   str(Bc), "--steps", "flash2,lazy_rescale")
        plain, lazy = csv.DictReader(text.splitlines())
        always, lazily = (int(r["rescales"]) // (1 + int(r["dv"]))
                          for r in (plain, lazy))
        rows = int(lazy["H"]) * int(lazy["Nq"])
        body.append([Bc, f"{always:,}", f"{lazily:,}", f"{rows:,}",
                     f"{always / lazily:.1f} times", f"{float(lazy['error']):.1e}"])
    table(["Bc", "flash2", "lazy_rescale", "first of a row", "fewer", "error"],
          body)


def first():
    """Prints the smallest M with less traffic than the standard backward pass."""
    over, body = None, []
    for what, step, d, *rest in made("break_even"):
        if what == "over" and rest[0] == 8192:
            over = rest[1:]
        if what == "first" and step.endswith("_backward"):
            back, both = (f"{x:.2f}" for x in over)
            body.append([f"`{step}`", d, back, f"{rest[0]:,}", both])
    table(["step", "d", "of standard's traffic at M = 8,192",
           "less than standard from M =", "both passes at M = 8,192"], body)


def figure2(word=""):
    """Prints figure 2 of FlashAttention's paper next to our counts, for 1024 heads and
    2 bytes per number."""
    N, d, GB = 1024, 64, 1024 * 2 / 1e9
    flash = "tools/flash", "sweep"
    asked = ["--n", str(N), "--d", str(d), "--br", "64", "--bc", "256", "--csv"]
    back, forward = ({r["step"]: {k: float(x or 0) for k, x in r.items()
                                  if k != "step"}
                      for r in csv.DictReader(text.splitlines())}
                     for text in (run(*flash, "--backward", *asked, "--steps",
                                      "standard_backward,flash1_backward"),
                                  run(*flash, *asked, "--steps", "flash1")))
    b, f = back["flash1_backward"], forward["flash1"]
    standard = sum(back["standard_backward"][x] for x in ("formula", "forward"))
    flash1 = b["formula"] + b["init"] + f["formula"] + f["init"] + f["L"]
    NN, once = N * N * GB, 12 * N * d * GB
    ours = [standard * GB, flash1 * GB, 6 * NN * d, 7 * NN * d]
    # GB, GFLOP, ms, each of standard and flash1: in the paper, in its first version.
    papers = ([40.3, 4.4, 66.6, 75.2, 41.7, 7.3],
              [35.3, 4.4, 66.6, 75.2, 35.1, 11.7])

    def row(name, value, of=ours):
        return [name] + [f"{value(x):.1f}" if x else "" for x in (of, *papers)]

    if not word:
        print(f"1024 heads, N = {N}, d = {d}, 2 bytes, forward and backward. A\n"
              f"matrix of N² is {NN:.2f} GB; each input and output, carried "
              f"once, is 12Nd:\n{once:.2f} GB.\n")
    body = [
        row("standard, GB", lambda x: x[0]),
        row("flash1, GB (ours: `--br 64 --bc 256`)", lambda x: x[1]),
        row("standard over flash1", lambda x: x[0] / x[1]),
        row("standard beyond our count, in N²",
            lambda x: (x[0] - ours[0]) / NN, None),
        row("flash1 over 12Nd", lambda x: x[1] / once),
        row("standard, GFLOP (ours: 12N²d)", lambda x: x[2]),
        row("flash1, GFLOP (ours: 14N²d)", lambda x: x[3]),
        row("more, in percent", lambda x: 100 * (x[3] / x[2] - 1)),
        row("standard, milliseconds", lambda x: x[4], None),
        row("flash1, milliseconds", lambda x: x[5], None),
        row("standard over flash1, in time", lambda x: x[4] / x[5], None)]
    table(["what", "ours", "the paper", "its first version"],
          [row for row in body if re.search(word, row[0])])


def storage():
    """Prints the relative errors if arrays are stored in 16 bits."""
    labels = {"unrounded": "Q, K, V", "S": "S and P", "PO": "P, O",
              "POml": "P, O, m, l", "single": "P, O, one row",
              "sorted": "P, O, rising row", "falling": "P, O, falling row"}
    wanted = ["unrounded,standard_attention", "S,standard_attention", "P,flash1",
              "P,flash2", "PO,flash1", "PO,flash2_deferred", "PO,flash2",
              "POml,flash1", "POml,flash2_deferred", "single,flash1",
              "sorted,flash1", "falling,flash1"]
    error = {}
    for r in named(kept("precision")):
        if r["Bc"] == 64 and r["storage"] != "fp32":
            rows, (type, what) = r["rows"].split(":")[0], r["storage"].split(":")
            where = "real" if rows == "real" else "random"
            what = what if rows in ("real", "normal") else rows
            error[f"{what},{r['step']}", f"{where}, {type}"] = f"{r['relative']:.1e}"

    def shown(row):
        what, step = row.rsplit(",", 1)
        return f"{labels.get(what, what)} (`{step}`)"

    columns = [f"{where}, {type}" for where in ("random", "real")
               for type in ("bf16", "fp16")]
    pivot("stored low: relative error",
          {(row, column): error[row, column] for row in wanted
           for column in columns if (row, column) in error}, shown)


def changed(name, word=""):
    """Prints the instructions before and after a change."""
    head, *body = kept(name)
    labels = {"what": "instructions", "rung": "instructions of a tile",
              "kept": "built so"}
    table([labels.get(h, h) for h in head],
          [row for row in body if re.search(word, row[0])])


def tiles():
    body = []
    for r in named(kept("tiles")):
        rung, d, keys = r["rung"].split()[0], r["d"], r["keys"]
        P = {"9": 0, "11": keys / 8}.get(rung, keys / 4)
        body.append([
            r["rung"], d, f"{r['rows']} x {keys}",
            f"{keys / 2 + d / 2 + P:.0f} of {160 if d == 64 else 240}",
            r["spilled"], int(r["instructions"] * 128 / keys),
            "-" if rung == "9" else f"{r['beside']} of {r['exponentials']}",
            r["built"]])
    table(["rung", "d", "tile", "S + O + P", "spilled",
           "instructions per 128 keys", "exponentials during P V", "built so"],
          body)


def machine_code(way=""):
    """Yields a row for each kernel of the ladder, or of the backward pass."""
    for r in named(kept("sass")):
        r["rung"] = str(r["rung"])
        r["kernel"] = f"{r['rung']} {r['name']}"
        r["float"] = r["mul"] + r["add"] + r["fma"]
        if r["rung"].startswith("b") == (way == "back"):
            yield r


def shown_code(way, *sizes):
    return [r for r in machine_code(way) if r["D"] in (sizes or (64, 128)) and
            "first" not in r["rung"]]


def loop(way="", *sizes):
    """Prints the numbers of instructions in the main loop."""
    kinds = ["tensor", "exp2", "float", "max", "round"]
    table(["rung", "d", "instructions", "tensor cores", "exponentials",
           "multiply, add, FFMA", "maxima", "roundings", "the rest"],
          [[r["kernel"], r["D"], r["loop"], *(r[kind] for kind in kinds),
            r["loop"] - sum(r[kind] for kind in kinds)]
           for r in shown_code(way, *map(int, sizes))])


def room(way=""):
    """Prints the resources that a block needs, and the first card that has them."""
    table(["rung", "d", "threads", "registers of each", "shared memory, KiB",
           "blocks per multiprocessor", "its warps", "runs from"],
          [[r["kernel"], r["D"], r["threads"], r["registers"],
            f"{(r['static'] + r['dynamic']) / 1024:.1f}", r["blocks"],
            r["blocks"] * r["threads"] // 32,
            r["card"] + (" alone" if r["card"] == "H100" else "")]
           for r in shown_code(way)])


def ptxas(d):
    """Prints registers, spills and shared memory, as ptxas reports them."""
    kernels = {}
    for r in named(kept("ptxas")):
        if r["D"] == int(d) and str(r["rung"])[0] != "b":
            kernels.setdefault(f"{r['rung']} {r['name']}", {})[r["arch"]] = r
    archs = "sm_80", "sm_86", "sm_90a"

    def of(kernel, field):
        return " / ".join(str(kernel[a][field]) if a in kernel else "-"
                          for a in archs)

    table(["rung", "threads", "registers", "spilled, bytes", "shared, bytes",
           "blocks per multiprocessor"],
          [[name, next(iter(k.values()))["threads"], of(k, "registers"),
            of(k, "spilled"), of(k, "shared"), of(k, "blocks")]
           for name, k in kernels.items()])


def waits():
    """Compares the machine code of rung 10 with that of rung 10-first."""
    table(["rung 10, machine code", "d", "exponentials in the loop",
           "between the two waits"],
          [["K awaited " + ("after softmax" if r["rung"] == "10" else
                            "at the top"),
            f"{r['D']}{r['name'][8:]}", r["exp2"], r["overlap"]]
           for r in machine_code() if r["name"].startswith("pingpong")])


def model():
    """Prints for rungs 5b to 11 the clocks that a tile of keys takes in each unit, the
    slowest unit, and the TFLOP/s. The tile is a warp's, or from rung 8 on a warpgroup's.
    The rates are NVIDIA's (docs/machine_code.md); nothing was timed."""
    body = []
    for r in shown_code(""):
        rung, d = r["rung"], r["D"]
        if rung in ("5b", "6a", "6b", "7"):
            warps, gpu, peak, rate = 1, "A100", 312, 2048
            queries = 32 if rung == "7" else 16
            keys = 32 if rung == "7" and d == 128 else 64
            if r["tensor"] * 4096 != 4 * queries * keys * d:
                continue  # the loop in the machine code is not for a whole tile
        elif rung in ("8", "9", "10", "11"):
            warps, gpu = 4, "H100"
            peak, rate = (1979, 8192) if rung == "11" else (989, 4096)
            # Two columns of a tile take one exponential of a thread; rescaling takes two.
            queries, keys = 64, 2 * (r["exp2"] - 2)
        else:
            continue
        products = 4 * queries * keys * d / rate
        mufu, issue = r["exp2"] * 32 * warps / 16, r["loop"] * warps / 4
        other = max(mufu, issue)
        binds = "tensor cores" if products >= other else \
            "MUFU" if mufu >= issue else "issue"
        body.append([r["kernel"], d, gpu, int(products), int(mufu), int(issue),
                     binds, int(peak * products / (products + other)),
                     int(peak * min(1, products / other))])
    table(["rung", "d", "on an", "tensor cores", "MUFU", "issue", "binds",
           "TFLOP/s in turn", "side by side"], body)


# Shares of the peak that papers report for kernels like ours (docs/07_cuda.md).
REACHED = {80: {"mma": 0.73}, 90: {"mma": 0.35, "wgmma": 0.75}}


def limits(r, gpu, GHz):
    """Returns the seconds that each unit takes at (4, 16, 4096, 128), and the TFLOP. Per
    clock a multiprocessor moves 2 sectors and 1 wavefront, and computes 16 exponentials;
    docs/results/gpus.tsv has the other rates."""
    heads, N, d = 64, 4096, 128
    grow, flops = heads * (N / 256) ** 2, 4 * N * N * d * heads
    clock = gpu["multiprocessors"] * GHz * 1e9
    # K and V of a few heads fit in the L2 cache; S does not.
    moved = grow * int(r["hbm_bytes"]) if r["rung"] == "standard" else \
        4 * heads * N * d * (4 if r["kind"] == "fp32" else 2)
    return {"HBM": moved / (gpu["GB/s"] * 1e9),
            "sectors": grow * int(r["sectors"]) / 2 / clock,
            "shared memory": grow * int(r["wavefronts"]) / clock,
            "products": flops / 2 / gpu["fp32 FMA"] / clock if r["kind"] == "fp32" else
            flops / gpu["tensor FLOP"] / clock,
            "exponentials": heads * N * N / 16 / clock}, flops / 1e12


def expected(r, gpu, seconds, tera):
    """Returns the least and the largest TFLOP/s that we expect by the rule on the page,
    the number of blocks, and the warps of a multiprocessor."""
    capability, kind, of = gpu["capability"], r["kind"], gpu["multiprocessors"]
    arch = "sm_90a" if kind == "wgmma" else "sm_80" if capability in (80, 90, 100) \
        else "sm_86"
    room = {"blocks": 1, "threads": 1024}  # rung 0
    for k in named(kept("ptxas")):
        if (k["name"], k["D"], k["arch"]) == (r["rung"], 128, arch):
            room = k
    blocks = int(r["blocks"]) * 64 * (1 if r["rung"] == "flash1" else 4096 // 256)
    warps = min(room["blocks"], -(-blocks // of)) * room["threads"] // 32
    busy = min(1, blocks / of)
    low, high = tera / sum(seconds.values()), tera / max(seconds.values())
    most = min((low if warps < 8 else high) * busy,
               REACHED.get(capability, {}).get(kind, 1) * tera / seconds["products"])
    return min(low * busy / (2 if warps < 8 else 1), most), most, blocks, warps


def reach(*shown):
    """Prints for each rung at (4, 16, 4096, 128) the limit by the counts, our expectation
    and the measured rate, in TFLOP/s. `shown` are cards of gpus.tsv. Each measured card
    has a column, too, with the limit at its recorded clock."""
    def digits(x):
        return f"{x:.{x < 10:d}f}"

    gpus = {g["gpu"]: g for g in named(kept("gpus"))}
    columns = [(name, gpus[name], gpus[name]["GHz"], {}) for name in shown]
    for file, rows in cards().items():
        gpu = next((g for n, g in gpus.items()
                    if re.match(n.lower().replace(" ", "_") + "(_|$)", file)), None)
        MHz = rows[0]["sm_mhz"]
        GHz = MHz / 1000 if MHz != "-" else gpu and gpu["GHz"]
        columns.append((f"`{file}`", gpu, GHz,
                        {r["step"]: r["tflops"] for r in rows
                         if shape(r) == "(4, 16, 4096, 128)"}))
    numbers = {k["name"]: k["rung"] for k in named(kept("ptxas"))} | {"standard": 0}
    cells, kind = {}, "fp32"
    for r in csv.DictReader(run("07_cuda/cpu", "--csv").splitlines()):
        rung = r["rung"]
        r["kind"] = kind = {"sliced_k": "mma", "wgmma": "wgmma", "standard": "fp32"} \
            .get(rung, kind)
        if r["d"] != "128" or rung in ("fp8", "split_kv"):
            continue  # fp8 has a pass whose counts grow as N; split_kv has few queries
        row, seen = f"{numbers[rung]} {rung}", {}
        cells[row, "conflicts"] = f"{int(r['conflicts']):,}"
        cells[row, "blocks"] = cells[row, "warps"] = "-"
        for name, gpu, GHz, timed in columns:
            measured = digits(timed[rung]) if rung in timed else "-"
            capability = gpu["capability"] if gpu else 0
            if not gpu or (capability != 90 if kind == "wgmma" else capability == 75 and
                           (kind == "mma" or rung == "warp_tiles")):
                cells[row, name] = measured
                continue
            seconds, tera = limits(r, gpu, GHz)
            least, most, blocks, warps = expected(r, gpu, seconds, tera)
            cells[row, name] = (f"{digits(tera / max(seconds.values()))} / "
                                f"{digits(least)}-{digits(most)} / {measured}")
            seen[warps] = True
            cells[row, "blocks"] = "-" if rung == "standard" else f"{blocks:,}"
            cells[row, "warps"] = " or ".join(map(str, sorted(seen)))
    pivot("rung", cells)


def budget():
    """Prints the registers of a thread of backward rung 3. A lane has D / 2 elements of
    16 rows of dK, and as many of dV."""
    print("```text")
    for r in machine_code("back"):
        if r["rung"] == "b3":
            d, S, registers = r["D"], r["exp2"], r["registers"]
            parts = {"dK": d // 2, "dV": d // 2, "S": S, "dP": S,
                     "others": registers - d - 2 * S}
            print(f"d {d:3} |" + "".join(
                f"{name} {n}".ljust(math.ceil(n / 4) - 1) + "|"
                for name, n in parts.items()), registers, "of 255")
    print("```")


def mutants():
    """Prints the results of small changes of the sources (make assurance-mutants), by
    folder and the commit whose sources were changed."""
    folders, total = {}, {}
    for folder, kind, n, commit in kept("mutants"):
        folders.setdefault((f"`{folder}`", f"`{commit[1:]}`"), {})[kind] = n
        total[kind] = total.get(kind, 0) + n
    body = []
    for (folder, commit), n in [*folders.items(), (("all", ""), total)]:
        counts = [n.get(k, 0) for k in ("refused", "same", "equal")]
        killed, alive = n.get("killed", 0), n.get("ALIVE", 0)
        others = killed + alive
        body.append([folder, commit, sum(n.values()), *counts, others,
                     f"{100 * killed / (others or 1):.1f}%", alive])
    table(["folder", "commit", "changes", "refused", "same code", "equal", "others",
           "killed", "alive"], body)


def elsewhere():
    """Prints the tests that ran for other processors (make check-elsewhere)."""
    table(["processor", "passed", "failed", "commit"],
          [[processor, passed, failed, f"`{commit[1:]}`"]
           for processor, passed, failed, commit in kept("elsewhere")])


def run(folder, *options):
    """Runs the program of a folder. Returns its output."""
    return subprocess.run([f"{BUILD}/{folder}/run", *options],
                          text=True, check=True, capture_output=True).stdout


def steps():
    """Prints the traffic and the time of README's steps on the bundled Q, K, V."""
    shown = ("standard_attention", "three_pass_attention", "tiled_attention", "flash1",
             "flash2", "flash2_simd")
    times = {(program, step): time for program, step, time in kept("times")}
    chapters = dict(line.split("\t")[:2] for line in
                    run("tools/flash", "steps").splitlines())
    body, standard = [], 0
    for r in csv.DictReader(run("tools/flash", "sweep", "--csv").splitlines()):
        step = r["step"]
        crossed = sum(int(r[account] or 0) for account in
                      ("hbm_read", "hbm_written", "init", "L", "mask"))
        standard = standard or crossed
        if step not in shown:
            continue
        chapter = chapters[step]
        program = "04_tiled_attention" if chapter == "04" else "06_flash2"
        body.append([
            chapter, f"`{step}`",
            f"{4e-6 * crossed:.1f} MB" if crossed else "not counted",
            f"{crossed / standard:.2f}" if crossed else "",
            times[f"build/{program}/run", step]])
    table(["chapter", "step", "through HBM", "of standard", "time"], body)


TABLES = {f.__name__: f for f in (
    bench, ways, decoding, fastest, against, without, amx_steps, amx_peers, without_amx,
    amx_roofline, felt, backward_peers, misses, crossed, lazy, first, figure2, storage,
    rising, changed, tiles, loop, room, ptxas, waits, model, reach, budget, rungs, shapes,
    profilers, mutants, elsewhere, steps)}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in TABLES:
        sys.exit("tables.py: no such table (allowed: " + ", ".join(TABLES) + ")")
    TABLES[sys.argv[1]](*sys.argv[2:])
