"""Tests the grader (docs/grading.md). Prints each failure.

    test.py MADE [all]

MADE is the folder of the judges. With `all` it tests every hostile file, every exercise
with every mistake, and a class of 200 students. Without `all`, every third hostile
file, one exercise of each chapter, and a class of 12.

No hostile file may earn a point, or leave a file or a process. Answers from a table and
constant answers may earn no point. A right answer must pass under any allowed file name.
`make exercise` and the grader must have the same verdict.
"""
import collections
import concurrent.futures
import contextlib
import csv as csv_module
import glob
import importlib
import math
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import cage  # noqa: E402
import grade  # noqa: E402
klass = importlib.import_module("class")

MADE = sys.argv[1]
ALL = sys.argv[2:] == ["all"]
HERE = os.path.dirname(__file__)
TMP = tempfile.mkdtemp()
counts = [0, 0]
runs = []
locks = collections.defaultdict(threading.Lock)
grade.Exercise.seconds = 3  # most hostile files wait for the time limit
sys.setswitchinterval(0.0005)
pool = concurrent.futures.ThreadPoolExecutor(8)


def must(what, holds, why=""):
    counts[not holds] += 1
    if not holds:
        print(f"  FAILED  {what}  \n{grade.quoted(str(why))}",
              flush=True)


def exercise(ident):
    try:
        return grade.Exercise(MADE, ident)
    except FileNotFoundError:
        return None  # chapter 07 has no judges without a C++ compiler


def graded(it, data):
    begun = time.monotonic()
    outcome = it.graded(data)
    return *outcome, time.monotonic() - begun


def read(path):
    with open(path, "rb") as file:
        return file.read()


def sh(*words, **more):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          **more)


EVERY = [exercise(os.path.basename(path)) for path in sorted(glob.glob(f"{MADE}/0*"))]
SOME = EVERY if ALL else [[it for it in EVERY if it.ident[:2] == chapter][0]
                          for chapter in sorted({it.ident[:2] for it in EVERY})]
merge, top = exercise("03_merge_parts"), exercise("03_top_score")
right = read(f"{merge.folder}/solution/merge_parts.c")


# --- Hostile files ----------------------------------------------------------------

def hostile():
    os.dup2(2, 100)  # a sandbox must not inherit this descriptor
    os.environ["SECRET"] = "a teacher's"
    folder = f"{TMP}/hostile"
    os.mkdir(folder)
    subprocess.run(["sh", f"{HERE}/hostile.sh", folder, grade.ROOT], check=True)
    with open(f"{folder}/canary", "w") as file:
        file.write("whole")
    runs = {}  # results by the name of the file
    quick = exercise(merge.ident)
    quick.seconds, quick.prove = 1, lambda: None
    for path in sorted(glob.glob(f"{folder}/*.c*"))[::1 if ALL else 3]:
        it = (exercise("07_row_max") if path.endswith(".cu") else
              quick if path.endswith("/never_begins.c") else merge)
        if it:
            runs[os.path.basename(path)] = pool.submit(
                graded, it, grade.contents(path))
    for name, run in runs.items():
        points, verdict, text, took = run.result()
        must(f"{name} earns nothing", points == 0, (points, verdict, text))
        must(f"{name} gets no access", "GOT" not in text and "SECRET" not in text, text)
        must(f"{name} ends in time", took < (
            60 if name in ("trickles.c", "never_begins.c") else 150), took)
        must(f"{name} cannot imitate the judge's output", not re.search(
            "[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text) and
            {*re.findall(r"^ *(?:ok|FAILED) +(.*?)(?:: costs [\d.]+ points)?$",
                           text, re.M)} <=
            {name for it in EVERY for name in it.tests}, text)
        if "include" in name or name == "takes_its_bytes.c":
            must(f"{name} does not compile", verdict == "does not compile", verdict)
        if "proc_" in name:
            must(f"{name} cannot read /proc", re.search(
                "No such file|file not found", text), text)
        if name in ("link.c", "pipe.c", "too_long.c"):
            must(f"{name} is refused", verdict == "no file", verdict)
    grade.Exercise.seconds = 50  # so that the memory limit stops the worker first
    for name in "takes_memory", "holds_page_tables", "hides_behind_a_thread":
        runs[name] = pool.submit(merge.test, read(f"{folder}/{name}.c"))
    for name, run in list(runs.items())[-3:]:
        must(f"{name} is stopped by the memory limit", grade.TOO_MUCH in run.result()[2],
             run.result())
    grade.Exercise.seconds = 3
    box = cage.Sandbox(["head", "-c", "3000000", "/dev/zero"], {}, **cage.RUNNING)
    must("a program that writes 3 MB prints no more than 100 kB", len(box.ended(60)[1]) ==
         100_000)
    must("a file outside the sandbox has not changed",
         read(f"{folder}/canary") == b"whole")


class Recorder(grade.Exercise):
    """Records the calls of each test in self.table."""
    def judge(self, name, worker, seconds):
        line = worker.line
        worker.line, ours = socket.socketpair()
        between = threading.Thread(target=self.between, args=(
            ours, line, self.table.setdefault(name, [])))
        between.start()
        try:
            return super().judge(name, worker, seconds)
        finally:
            worker.line.close()
            between.join()
            ours.close()
            worker.line = line

    def between(self, judge, worker, table):
        asked, answer = 0, b""
        while True:
            one = select.select([judge, worker], [], [])[0][0]
            part = one.recv(1 << 16)
            if one is judge and answer or not part:
                table.append((asked, answer))
                asked, answer = 0, b""
            if not part:
                return
            asked += len(part) * (one is judge)
            answer += part * (one is worker)
            (worker if one is judge else judge).sendall(part)


class Replay:
    """A worker that sends the recorded answers for any input."""
    def __init__(self, answers):
        self.line, ours = socket.socketpair()
        threading.Thread(target=self.send, args=(ours, answers)).start()

    @staticmethod
    def send(judge, answers):
        with judge, contextlib.suppress(OSError):
            for asked, answer in answers:
                if asked and not judge.recv(asked, socket.MSG_WAITALL):
                    return
                judge.sendall(answer)

    def watched(self, judge):
        judge.wait()
        self.line.close()


def constant(table, pattern):
    """The result of each call is the repeated pattern."""
    calls, rest = [], iter(table)
    for begins in rest:
        asked, answer = next(rest, (0, b""))
        while answer and answer[:4] != b"\xff" * 4:
            answer = next(rest, (0, b""))[1]
        calls += begins, (asked, answer[:4] + (pattern * len(answer))[:len(answer) - 4])
    return calls


CONSTANTS = [struct.pack(f"<{kind}", number) for kind, numbers in (
    ("f", (0, 1, math.nan, math.inf, -math.inf)), ("d", (88.72, math.nan, -math.inf)),
    ("i", (1, 2, 3, 4)), ("q", (1, 4))) for number in numbers]


def looked_up(it):
    """Recorded and constant answers must earn no point with other inputs."""
    for variant in "4711", "7", "":
        recorder = Recorder(MADE, it.ident)
        recorder.table, recorder.variant = {}, variant
        outcome = recorder.test(read(f"{it.folder}/solution/{it.name}.{it.kind}"))
        must(f"{it.ident}: our solution has all points with VARIANT={variant}",
             outcome[:2] == (it.of, "passed"), outcome)

    def earned(variant, answers):
        judge = exercise(it.ident)
        judge.variant = variant
        codes = {name: judge.judge(name, Replay(answers(recorder.table[name])), 1)[0]
                 for name in it.tests}
        return judge.points(codes), [
            name for name in codes if not codes[name] and judge.worth[name] > 0]
    for variant in "", "4711", "7":
        points, held = earned(variant, list)
        must(f"{it.ident}: a table earns nothing with a VARIANT",
             points == (0 if variant else it.of), (variant, points, held))
    for pattern in CONSTANTS:
        points, held = earned("", lambda table: constant(table, pattern))
        must(f"{it.ident}: a constant earns nothing", not held, (pattern, held))


def before(text):
    return lambda source: text + source


def sub(pattern, change):
    return lambda source: re.sub(pattern, change, source)


def does(body):
    """Returns a change that inserts this code at the start of merge_parts' body."""
    return lambda source: before(
        "#include <math.h>\n#include <signal.h>\n#include <stdlib.h>\n")(
        re.sub(r"(?m)^\{", "{ " + body, source, count=1))


def one_thread(source):
    source = re.sub("int i = .*", "", source).replace(
        "if (i < n)", "for (int i = 0; i < n; i++)")
    return re.sub("<<<.*>>>", "<<<1, 1>>>", source)


def shares_nothing(source):
    source = re.sub(r"(?s)        for \(int e = .*?__syncthreads.*?\n", "", source)
    source = re.sub(r"__(shared|sync).*", "", source)
    return re.sub(r"\b([kv])\[j\]\[c\]", lambda found: found[1].upper() +
                  "[(j0 + j) * D + c]", source)


def whole(text):
    return lambda source: text


ONE_THREAD_MAX = """
    #include "row_max.h"
    #include <cuda_runtime.h>
    __global__ void row_max(const float *scores, float *largest, int n)
    {
        float m = -INFINITY;
        for (int j = 0; j < n && threadIdx.x == 0; j++)
            m = fmaxf(m, scores[blockIdx.x * n + j]);
        if (threadIdx.x == 0)
            largest[blockIdx.x] = m;
    }"""
ONE_THREAD_KERNEL = """
    #include "write_kernel.h"
    #include <cuda_runtime.h>
    __global__ void attention(const float *Q, const float *K, const float *V, float *O,
                              int n)
    {
        __shared__ float k[200][D], v[200][D];
        for (int e = 0; e < n * D && threadIdx.x == 0; e++) {
            k[e / D][e % D] = K[e];
            v[e / D][e % D] = V[e];
        }
        for (int t = 0; t < QUERIES && threadIdx.x == 0; t++) {
            int i = blockIdx.x * QUERIES + t;
            float q[D], o[D] = {}, m = -INFINITY, l = 0;
            for (int c = 0; c < D && i < n; c++)
                q[c] = Q[i * D + c] / 4;
            for (int j = 0; j < n && i < n; j++) {
                float s = 0, m_new, alpha, p;
                for (int c = 0; c < D; c++)
                    s += q[c] * k[j][c];
                m_new = fmaxf(m, s);
                alpha = expf(m - m_new);
                p = expf(s - m_new);
                l = alpha * l + p;
                for (int c = 0; c < D; c++)
                    o[c] = alpha * o[c] + p * v[j][c];
                m = m_new;
            }
            for (int c = 0; c < D && i < n; c++)
                O[i * D + c] = o[c] / l;
        }
    }"""
A_WARP_FOR_EACH_ROW = """
    #include "float4_rows.h"
    #include <cuda_runtime.h>
    __global__ void slice_sums(const float *X, float *sum, int ld, int first, int n)
    {
        for (int i = threadIdx.x / 32; i < ROWS; i += 2) {
            float s = 0;
            for (int c = threadIdx.x % 32; c < n; c += 32)
                s += X[i * ld + first + c];
            for (int other = 1; other < 32; other *= 2)
                s += __shfl_xor_sync(~0u, s, other);
            sum[i] = s;
        }
    }"""
EIGHT_LANES_FOR_EACH_KEY = """
    #include "coalesced_loads.h"
    #include <cuda_runtime.h>
    __global__ void row_of_scores(const float *q, const float *K, float *s)
    {
        __shared__ float sums[KEYS];
        int lane = threadIdx.x % 8;
        const float4 *k = (const float4 *)K + blockIdx.x * KEYS * 8;
        float4 a = ((const float4 *)q)[lane];
        for (int j = threadIdx.x / 8; j < KEYS; j += KEYS / 8) {
            float4 b = k[j * 8 + lane];
            float sum = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
            for (int other = 1; other < 8; other *= 2)
                sum += __shfl_xor_sync(~0u, sum, other);
            sums[j] = sum;
        }
        __syncthreads();
        s[blockIdx.x * KEYS + threadIdx.x] = sums[threadIdx.x];
    }"""


# Asks for an element before an array (remote_head.h).
WRAPS_AROUND = """
{
    struct { int nth, array; _Bool stored; size_t at, i0, rows, cols; } w =
        {0, 1, 0, (size_t)-4, 3, 1, 1};
    float x;
    if (h->K.hbm.stride == 1 && write(0, &w, sizeof w) && read(0, &x, 4)) {}
"""
HELPER = "int {0}(void); int {0}(void) {{ return 0; }}\n"
SIZES = r"trimmed\(.*\);"
M = "03_merge_parts"
# Each row has an exercise, the name of a submission, a change of our solution, the
# smallest and the largest allowed number of points, and a text that must be printed.
SUBMISSIONS = [
    *((M, f"a function called {name}", before(HELPER.format(name)), 10, 10, "")
      for name in ("main", "fill", "row", "is_close", "hear", "question", "malloc_it")),
    *((M, f"a global called {name}", before(f"extern int {name}; int {name} = 1;\n"),
       10, 10, "") for name in ("hear", "question", "wire_in", "worker")),
    (M, "a mark before the first line", before("\ufeff"), 10, 10, ""),
    (M, "POSIX's constants", before(
        "#include <math.h>\nextern double x; double x = M_LN2 * M_1_PI;\n"), 10, 10, ""),
    (M, "its own constant", before(
        "#define M_LN2 0.7\n#include <math.h>\nextern double x; double x = M_LN2;\n"),
     10, 10, ""),
    ("05_visit_tile", "o times l, divided by the new l", sub(
        "scale_row.*", "for (size_t c = 0; c < V.cols; c++) "
        "r->o[c] = r->l * r->o[c] * alpha * inverse(l_new);"), 10, 10, ""),
    ("07_row_max", "cooperative groups", lambda source: before(
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n")(
        sub(r"__shfl_xor_sync\(~0u, ", "cg::tiled_partition<32>("
            "cg::this_thread_block()).shfl_xor(")(source)), 10, 10, ""),
    ("07_row_max", "names that nvcc declares without an include", lambda source:
        source.replace("#include <cuda_runtime.h>", "").replace(
            "__syncthreads", "__syncthreads_or").replace("or()", "or(1)"), 10, 10, ""),
    ("07_first_launch", "two launches on a line", sub(
        r"(if \(blocks > 0\))\s*(.*)", r"if (n < 0) { \2 \2 } \1 \2"), 10, 10, ""),
    (M, "OpenMP", before("#include <omp.h>\nint n(void);\nint n(void)"
                         "{ return omp_get_max_threads(); }\n"), 10, 10, ""),
    *((M, f"includes {path}", before(f'#include "{path}"\n'), 10, 10, "") for path in (
        "03_online_softmax/exercise/merge_parts/merge_parts.h",
        "03_online_softmax/steps.h", "common/softmax_row.h")),
    *((M, f"includes {path}", before(f'#include "{path}"\n'), 0, 0, "") for path in (
        "common/judge/reference.h", "common/testing/variant.h",
        "../exercise/merge_parts/solution/merge_parts.c",
        "03_online_softmax/exercise/merge_parts/solution/merge_parts.c",
        "03_online_softmax/online_softmax.c")),
    *((M, f"calls {name}", before(f"double {name}(); double (*volatile f)() = {name};\n"),
       0, 0, "") for name in (
           "reference_softmax", "reference_forward", "reference_attention",
           "assert_close_at", "random_seed", "variant_seed")),
    ("02_logsumexp", "an array of no elements", lambda source: source.replace(
        "size_t n)\n{", "size_t n)\n{ float t[n]; (void)sizeof t;", 1), 10, 10, ""),
    # The text must name the reason why a worker ended.
    (M, "crashes in one test", does("if (a.m == 3 && b.m == 3) __builtin_abort();"),
     7, 9, "(SIGABRT)"),
    (M, "a signal", does("raise(SIGUSR1);"), 0, 0, "(SIGUSR1)"),
    (M, "a null pointer", does("*(volatile int *)16 = 1;"), 0, 0, "(SIGSEGV)"),
    (M, "a sanitizer", does("for (;;) { char *p = malloc(1); p[1] = *p; }"), 0, 0,
     "(stopped by a sanitizer)"),
    (M, "a NaN without a sign", does("a.l = -NAN; return a;"), 0, 2, "got (-inf, nan)"),
    ("06_emit_logsumexp", "is wrong in the last digit", sub(
        "return m [+] logf.l.;", "o[0] *= 1.000003f; return m + logf(l);"), 1, 9,
     ", a difference of "),
    ("07_row_max", "a throwing initialiser", lambda source: read(
        f"{TMP}/hostile/cuda_throws_first.cu").decode(), 0, 0,
     "(SIGABRT, uncaught exception std::out_of_range)"),
    ("04_write_tiled", "a message of two lines", lambda source: r"""
        #include <stdio.h>
        #include "write_tiled.h"
        int write_tiled(const head *h, memory *mem)
        {
            (void)h;
            snprintf(mem->message, sizeof mem->message, "x\n  ok      y\n[  ok  ]");
            return mem->error = 1;
        }""", 0, 0, "  > refused: x?  ok      y?["),
    # The answer leaves out the lesson.
    (M, "the input with the larger m", whole("""
        #include "merge_parts.h"
        part merge_parts(part a, part b)
        {
            return a.l != a.l || (b.l == b.l && a.m > b.m) ? a : b;
        }"""), 1, 3, ""),
    ("06_merge_splits", "the part with the larger L", whole("""
        #include "merge_splits.h"
        #include <math.h>
        float merge_splits(float *o, matrix O, const float *L)
        {
            float best = -INFINITY;
            for (size_t c = 0; c < O.cols; c++)
                o[c] = 0;
            for (size_t k = 0; k < O.rows; k++)
                if (!(L[k] <= best)) {
                    best = L[k];
                    for (size_t c = 0; c < O.cols; c++)
                        o[c] = best == best ? row(O, k)[c] : best;
                }
            return best;
        }"""), 1, 3, ""),
    ("02_logsumexp", "the naive formula", whole("""
        #include "logsumexp.h"
        #include <math.h>
        float logsumexp(const float *x, size_t n)
        {
            float l = 0;
            for (size_t i = 0; i < n; i++)
                l += x[i] < INFINITY ? expf(x[i]) : NAN;
            return logf(l);
        }"""), 1, 3, ""),
    ("05_predict_traffic", "computes in int", sub(
        "return t;", "t.read = (unsigned)t.read; return t;"),
     5, 9, "a_large_head_needs_64_bits"),
    # The results are right, but the code leaves out what the exercise teaches.
    ("04_write_tiled", "has a tile for each key", sub(SIZES, "{1, 1};"), 1, 12,
     "too little on-chip memory for tiles of 4 keys"),
    ("04_write_tiled", "loads key by key", sub(r"one\(i\)\), t\.Bc", "one(i)), 1"), 1, 12,
     "keys are not loaded in tiles"),
    ("04_write_tiled", "has all keys on chip", sub(SIZES, "{1, h->Nk};"), 1, 24,
     "FAILED  a_query_and_a_tile_are_on_chip_and_no_more: costs 6.0 points"),
    ("04_write_tiled", "reads HBM without load", sub(
        r"load\(mem, &(.), h->., j\);", r"\1 = block(h->\1.hbm, j.first, 0, j.n, "
        r"h->\1.hbm.cols);"), 0, 0, "K and V were not loaded"),
    ("04_write_tiled", "loads tiles and ignores them", sub(
        r"(load\(mem, &(.), h->., j\);)", r"\1 \2 = block(h->\2.hbm, j.first, 0, "
        r"j.n, h->\2.hbm.cols);"), 0, 0, "(NaN) was used"),
    ("04_write_tiled", "writes the counts itself", sub(
        r"store\(mem, h->O, one\(i\), o\);", "store(mem, h->O, one(i), o); "
        "store(mem, h->O, one(i), o); mem->counts.written[ALGORITHM] -= h->dv;"), 12, 24,
     "too much HBM traffic"),
    ("04_write_tiled", "loads all keys at once",
     lambda source: re.sub(r"one\(i\)\), t\.Bc", "one(i)), h->Nk", source).replace(
         "matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);",
         "matrix K = scratch(mem, h->Nk, h->d), V = scratch(mem, h->Nk, h->dv); "
         "on_chip(mem, t.Bc, h->d); on_chip(mem, t.Bc, h->dv);").replace(
         "scratch(mem, 1, t.Bc)", "scratch(mem, 1, h->Nk)"), 1, 12,
     "a load has"),
    ("04_write_tiled", "keeps all keys", sub(
        r"load\(mem, &(.), h->., j\);", r"{ static float kept[4096]; float *k = kept + j.first"
        r" * \1.cols; if (i == 0) load(mem, &\1, h->\1, j); \1.rows = j.n; for (size_t e = 0; "
        r"e < j.n * \1.cols; e++) i ? (\1.data[e] = k[e]) : (k[e] = \1.data[e]); }"), 1, 12,
     "keep only one tile of each"),
    ("06_write_flash2", "has a tile for each query", sub(SIZES, "{1, h->tile.Bc};"),
     1, 12, ""),
    ("06_write_flash2", "has neither tile", sub(SIZES, "{1, 1};"), 1, 12, ""),
    ("06_write_flash2", "loads key by key", sub(r"seen\(h, i\), t\.Bc", "seen(h, i), 1"),
     1, 12, "keys are not loaded in tiles"),
    ("07_first_launch", "has one thread", one_thread, 1, 4, ""),
    ("07_first_launch", "has one thread for each block", sub(
        r"if \(i < n\)", "for (int end = i + 128; threadIdx.x == 0 && i < n && i < end; i++)"),
     1, 4,
     "each number has its own thread: one thread loads and stores"),
    ("07_first_launch", "has a block too many", sub(
        "blocks = .*;", "blocks = n / 128 + (n > 0);"), 7, 9, "FAILED  the_grid_has_no_unnecessary_block: costs 2.0 points"),
    ("07_missing_barrier", "has no tile", lambda source: re.sub(
        r"__s.*|(?s:if \(i < keys\).*?;)", "", source).replace("tile[j]", "k[j0 + j]"),
     0, 0, "bytes were loaded"),
    ("07_write_kernel", "shares no memory", shares_nothing, 1, 12, "bytes were loaded"),
    ("07_row_max", "has one thread", whole(ONE_THREAD_MAX), 1, 7,
     "a thread loads 1604 bytes of a row, and 16 are enough"),
    ("07_owned_rows", "has one thread", sub(
        r"(?s)int i = block.*?return;\n(.*)row\[i\] = sum;", r"for (int i = blockIdx.x * "
        r"THREADS; i < n && i < (blockIdx.x + 1) * THREADS && threadIdx.x == 0; i++) "
        r"{ float sum = 0; \1 row[i] = sum; }"), 1, 7, "a thread loads and stores 256 numbers"),
    ("07_write_kernel", "has one thread", whole(ONE_THREAD_KERNEL), 1, 12,
     "a thread loads and stores"),
    ("07_write_kernel", "keeps all keys in shared memory", sub(r"\bKEYS\b", "200"), 1, 12,
     "do not keep all keys"),
    ("07_write_kernel", "keeps all keys in its own variables", sub(
        r"(?s)(    float q.* loaded \*/)(.*)k\[j\]", r"    float all[200][2 * D];\1 for (int "
        r"e = 0; e < keys * D; e++) { all[j0 + e / D][e % D] = k[e / D][e % D]; all[j0 + e / "
        r"D][D + e % D] = v[e / D][e % D]; }\2all[j0 + j]"), 1, 12, "do not keep all keys"),
    ("07_first_launch", "has another launch for the counts", lambda source: sub(
        r"(scaled)<.*", r"\1<<<1, 1>>>(x, y, n, a), \1<<<blocks, 128>>>(x, y, 0, a);")(
            one_thread(source)), 0, 4, "one thread loads and stores"),
    ("07_first_launch", "computes on the host", sub(
        r"(?s)int blocks(.*)y, n", r"float h[4000]; cudaMemcpy(h, x, 4 * n, cudaMemcpyDefault);"
        r" for (float &v : h) v *= a; cudaMemcpy(y, h, 4 * n, cudaMemcpyDefault);"
        r" int blocks\1y, 0"), 0, 0, "a kernel stores"),
    ("07_missing_barrier", "has one thread", sub(
        r"(?s)__shared__.*", r"float x, m, a[999]; for (int j = 0; j < n && !threadIdx.x; j++) "
        r"a[j] = k[j]; for (int i = 0; i < 64 && !threadIdx.x; best[i++] = m) { x = q[i]; "
        r"m = -INFINITY; for (int j = 0; j < n; j++) m = fmaxf(m, x * a[j]); } }"), 0, 0,
     "a thread loads and stores"),
    ("07_owned_rows", "adds in HBM", sub(
        r"(?s)(void add_o.*return;)(.*)sum (.=.*)= sum", r"\1 row[i] = 0;\2row[i] \3+= 0"),
     10, 10, ""),
    ("07_write_kernel", "keeps the tile in global memory", sub(
        r"(?s)(__global__.*)__shared__([^;]*;)", r"static __device__\2 \1"), 0, 0,
     "stored to __device__ variables"),
    ("07_coalesced_loads", "eight lanes have a key, and load q together",
     whole(EIGHT_LANES_FOR_EACH_KEY), 10, 10, ""),
    ("07_coalesced_loads", "loads K twice", sub(
        r"float sum = (mine \* (K.*));", r"float sum = \1 + \2 - K[(j0 + j) * D + 31 - lane];"),
     0, 5, "K or q is loaded more often than needed"),
    ("07_float4_rows", "has coalesced loads of floats", whole(A_WARP_FOR_EACH_ROW), 0, 0,
     "loads, and"),
    ("07_two_buffers", "loads a number before it waits", sub(
        r"(?s)(start_tile\(tile\[0.*)cp_async_wait<1>\(\);", r"__shared__ float x[64]; "
        r"x[t] = m; \1 m = fmaxf(m, x[t]); cp_async_wait<0>();"), 0, 0,
     "were loaded for products"),
    # Both verdicts have the same sentence.
    ("02_logsumexp", "changes its input", sub(
        r"(?m)^\{", "{ if (n > 3) ((float *)x)[3] += 0x1p-18f;"), 0, 9,
     "x is an input, but the function has changed it"),
    ("06_visit_tile_backward", "changes its input", sub(
        r"(?m)^\{", "{ ((float *)q->L)[0] += 0x1p-18f;"), 0, 1,
     "q->L is an input, but the function has changed it"),
    ("07_row_max", "changes its input", sub(
        r"(m = fmaxf\(m, row\[j\]\);)", r"{ \1 ((float *)row)[j] = 0; }"), 0, 0,
     "row_max.cu:16: input: writes 4 bytes at scores + 0, which is an input"),
    # A race costs points once. Other findings and wrong results cost all of a test's.
    ("07_row_max", "has no barrier", sub(".*__syncthreads.*", ""), 5, 5,
     "row_max.cu:20: race: writes of_warp + 4 bytes, which thread (0,0,0) read at "
     "row_max.cu:24"),
    ("07_row_max", "has no barrier and is wrong", sub(
        r"(?s)__syncthreads..;(.*?w < )[^;]*", r"\g<1>3"), 0, 3, "want 2, got 1"),
    *(("07_write_kernel", f"has no barrier after '{what}'", sub(
        rf".*__syncthreads.*{what}.*", ""), 15, 15, f"write_kernel.cu:{line}: race: ")
      for what, line in (("loaded", 22), ("used", 30))),
    ("07_write_kernel", "writes beyond its tile", sub(
        r"keys \* D; e \+=", "keys * D + 900; e +="), 0, 0,
     "in kernel attention, block (0,0,0), thread (0,0,0)")]


def submitted(ident, what, change, least, most, says):
    it = exercise(ident)
    if not it:
        return
    it.seconds = 20  # on a busy machine, a right call may take more than 3 s
    source = read(f"{it.folder}/solution/{it.name}.{it.kind}").decode()
    verdict, points, text = alike(it, f"{ident}: {what}", change(source).encode(),
                                  least == it.of)
    must(f"{ident}: {what}: has {least} to {most} points", least <= points <= most,
         (points, verdict, text))
    must(f"{ident}: {what}: prints '{says}'", says in text and not re.search(
        r"-nan|ERROR:|unknown line|work/", text), text)


def both(*words):
    runs.append(pool.submit(alike, *words))


def alike(it, name, data, passes):
    """`make exercise` and the grader must have the same verdict."""
    place = f"{TMP}/fair/{threading.get_ident()}/work/{it.ident[:2]}"
    os.makedirs(place, exist_ok=True)
    path = f"{place}/{it.name}.{it.kind}"
    with open(path, "wb") as file:
        file.write(data)
    chapter = it.folder.parts[-3]
    with locks[it.ident]:
        exercised = sh("sh", "tools/exercise.sh", "test", chapter, it.name, path)
    points, verdict, text, _ = graded(it, data)
    must(f"{name}: make exercise and the grader agree", (exercised.returncode == 0) ==
         (verdict == "passed") == passes, (exercised.stdout, verdict, text))
    must(f"{name}: has all points if it passes", (points == it.of) >= passes, points)
    return verdict, points, text


def fair():
    runs.extend(pool.submit(submitted, *row) for row in SUBMISSIONS)
    other = exercise(merge.ident)
    other.tests.append("of_which_there_is_no_test")
    other.worth[other.tests[-1]] = 1
    must("a missing test fails", other.test(right)[1] ==
         "failed")
    tiled = exercise("04_write_tiled")
    source = read(f"{tiled.folder}/solution/write_tiled.c").decode()
    points, _, text, _ = tiled.test(before("#include <unistd.h>\n")(
        source.replace("\n{", WRAPS_AROUND, 1)).encode())
    must("an index that wraps around is refused", points < tiled.of and
         "it ended the program" in text, text)
    for it in EVERY:
        names = {*it.free, *it.counted} - {*it.tests}
        must(f"{it.ident}: the settings name only tests of the exercise", not names, names)
    for it in SOME:
        skeleton = read(f"{it.folder}/{it.name}.{it.kind}")
        both(it, f"{it.ident}'s solution", read(
            f"{it.folder}/solution/{it.name}.{it.kind}"), True)
        both(it, f"{it.ident}'s skeleton", skeleton, False)
        must(f"{it.ident}: a skeleton earns nothing", it.test(skeleton)[0] == 0)
        chapter = it.folder.parts[-3]
        mistakes = sh("sh", "tools/wrong.sh", chapter, it.name).stdout.splitlines()
        for line in mistakes[:None if ALL else 1]:
            mistake = line.split("\t")[0]
            data = sh("sh", "tools/wrong.sh", chapter, it.name, mistake).stdout
            both(it, f"{it.ident} {mistake}", data.encode(), False)


def killed(run, when):
    """Finds the sandboxes by name, because a process whose parent was killed is no
    longer a descendant of the grader."""
    run.kill()
    run.wait()
    time.sleep(4)
    left = [read(f"/proc/{pid}/cmdline") for pid in cage.named(f"grade-{run.pid}")]
    must(f"a grader that is killed {when} leaves no process", not left, left)


SANDBOXES = """
import sys
sys.path.insert(0, "tools/grade")
import cage
cage.rules(cage.THREAD)
cage.watch()
print("they begin", flush=True)
while True:
    cage.Sandbox(["sleep", "99"], {}, **cage.RUNNING).ended(0.02)
"""


def sandboxes():
    """Tests sandboxes and graders that are killed at the start, and a file's time."""
    for k in range(42):
        cage.Sandbox(["sleep", "77.125"], {}, **cage.RUNNING).ended(k / 1000)
    time.sleep(1)
    left = {*cage.named("77.125")} & {*cage.named(cage.NAME)}
    must("a sandbox that is killed in its first 42 ms leaves no process", not left, left)
    began = []
    for k in range(20 if ALL else 10):
        run = subprocess.Popen(["/usr/bin/python3", "-BEsc", SANDBOXES],
                               stdout=subprocess.PIPE)
        run.stdout.readline()
        time.sleep(0.007 * k)
        run.kill()
        run.communicate()
        began.append(f"grade-{run.pid}")
    time.sleep(4)
    left = [name for name in began if [*cage.named(name)]]
    must("a grader that is killed while sandboxes start leaves no process", not left,
         left)

    class Late(cage.Sandbox):
        def __init__(self, *words, **limits):
            super().__init__(*words, **limits)
            self.ends, Late.limit = min(self.ends, Late.limit), math.inf
    grade.Sandbox, Late.limit = Late, 0
    must("a compiler that is too late is tried again", merge.test(right)[1] == "passed")
    late, began, me = exercise(merge.ident), [], threading.get_ident()
    late.seconds = 1

    class Counted(cage.Sandbox):
        def __init__(self, *words, **limits):
            began.append(threading.get_ident() == me)
            super().__init__(*words, **limits)
    grade.Sandbox = Counted
    outcome = late.test(read(f"{TMP}/hostile/never_begins.c"))
    grade.Sandbox = cage.Sandbox
    must("after a file's time no sandbox is started", 3 < sum(began) < 6, sum(began))
    must("after a file's time all other tests fail as too late", outcome[0] == 0 and
         outcome[2].count("there may be an endless loop") == outcome[2].count("FAILED") > 6,
         outcome)


def classes(n):
    names = [f"=st $u'd\"ent \x1b[2J\u202e {k}" for k in range(n)]
    mistake = sh("sh", "tools/wrong.sh", "03_online_softmax", "top_score",
                 "last_of_equals").stdout
    for k, name in enumerate(names):
        folder = f"{TMP}/class/{name}/" + ("", "work/03/", "03/")[k % 3]
        os.makedirs(folder)
        if k % 5 == 0:
            with open(f"{folder}my\x1b_top_score.c", "w"):
                pass
            continue
        for it in merge, top, exercise("03_catch_mistakes"):
            shutil.copy(f"{it.folder}/solution/{it.name}.c", folder)
        if k % 5 > 2:
            with open(f"{folder}top_score.c", "w") as file:
                file.write(mistake)
        os.remove(f"{folder}merge_parts.c") if k % 4 > 1 else None
        os.mkfifo(f"{folder}merge_parts.c") if k % 4 == 2 else None
        os.symlink("/etc/passwd", f"{folder}merge_parts.c") if k % 4 == 3 else None
    os.symlink(names[1], f"{TMP}/class/a link")
    words = ["/usr/bin/python3", "-BEs", "tools/grade/class.py", MADE,
             f"{TMP}/class"]
    chapter = {**os.environ, "CHAPTER": "03", "JOBS": "3"}
    begun = time.monotonic()
    done = sh(*words, f"{TMP}/whole.csv", env=chapter)
    took = time.monotonic() - begun
    print(f"a class of {n}: {took:.0f} s")
    must("a class is graded", done.returncode == 0, done.stdout)
    must("the first line describes the sandbox", done.stdout.startswith("guarded by"),
         done.stdout)
    must("a class takes at most 1.5 s per student", took < max(60, 1.5 * n), took)
    must("printed names have no control characters", "\x1b" not in done.stdout and
         "\u202e" not in done.stdout, done.stdout)
    must("a file with another name is reported", "my?_top_score.c: not graded" in
         done.stdout, done.stdout)
    texts = [read(path).decode() for path in glob.glob(f"{TMP}/whole.d/*.txt")]
    must("a text for students begins with points and name", len(texts) ==
         3 * (n + 1) and all(re.match(r"\w+: \d+\.\d of 10\n('?=st .*|a link): ", text)
                             for text in texts), texts)
    csv = read(f"{TMP}/whole.csv").decode()
    must("no cell of the table is a formula", not re.search(r'(^|,)"?[=+@-]', csv, re.M),
         csv)
    must("the table has a row for each student", len(csv.splitlines()) == n + 2, csv)
    must("a student with three solutions has all points", re.search(
        r" 1\",30.0,30,3,3,3(,10.0){3}$", csv, re.M), csv)
    must("a link and a FIFO are no files", re.search(
        r" 2\",(20.0|17.5),30,\d,2,3,", csv, re.M), csv)
    must("only the owner can read the grades", all(
        not os.stat(path).st_mode & 0o077 for path in
        (f"{TMP}/whole.csv", f"{TMP}/whole.d", f"{TMP}/whole.d/exercises.csv")))
    must("a link to another student's folder has no points",
         re.search("^a link,0.0", csv, re.M), csv)
    handed, wrong = (sum(k % 5 > least for k in range(n)) for least in (0, 2))
    must("class.html has a message and its number", f"<td>{wrong}<td>the top is the first"
         " of equal scores" in read(f"{TMP}/whole.d/class.html").decode())
    must("tests.csv has the number of students who passed a test",
         f"03_top_score,the_first_of_equal_scores_is_the_top,{handed - wrong},{handed}\n"
         in read(f"{TMP}/whole.d/tests.csv").decode())
    must("similar/ has the students' files and the skeleton", len(glob.glob(
        f"{TMP}/whole.d/similar/03_top_score/students/*/top_score.c")) == handed and
         read(f"{TMP}/whole.d/similar/03_top_score/skeleton/top_score.c") ==
         read(f"{top.folder}/top_score.c"))
    tables = {"HAND": (("student", "style"), (names[1], 2)),
              "ROSTER": (("Student", "ID", "SIS Login ID", "Section"),
                         ("    Points Possible", "", "", ""), ("Doe, J", 7, names[1], "A"))}
    for name, rows in tables.items():
        with open(f"{TMP}/{name}", "w", newline="") as file:
            csv_module.writer(file).writerows(rows)
    part = {**os.environ, "E": "top_score", **{name: f"{TMP}/{name}" for name in tables}}
    done = sh(*words, f"{TMP}/part.csv", env=part)
    must("E chooses exercises, and HAND adds a column to the total", re.search(
        r" 1\",10.0,10,1,1,1,10.0,2.0,12.0$", read(f"{TMP}/part.csv").decode(), re.M),
         done.stdout)
    must("canvas.csv has ID, login, section and the total", re.search(
        r'^"Doe, J",7,.*,A,12.0$', read(f"{TMP}/part.d/canvas.csv").decode(), re.M))
    for name, value, says in (
            ("E", "top_scores", "E=top_scores: no such exercises"),
            ("HAND", f"{TMP}/ROSTER", "no column 'student'"),
            ("ROSTER", f"{TMP}/HAND", "no column 'Student'")):
        done = sh(*words, f"{TMP}/none.csv", env={**part, name: value})
        must(f"a wrong {name} is refused in one line", done.returncode and says in
             done.stdout and done.stdout.count("\n") <= 4, done.stdout)
    run = subprocess.Popen([*words, f"{TMP}/again.csv"], env=chapter,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seen = []
    while run.poll() is None and len(glob.glob(f"{TMP}/again.d/*.txt")) < 9:
        for pid in cage.descendants(run.pid):
            with contextlib.suppress(OSError):
                seen += [line for line in [read(f"/proc/{pid}/cmdline")]
                         if b"u'd\"ent" in line]
        time.sleep(0.1)
    must("no command line names a student", not seen, seen)
    killed(run, "in the middle of a class")
    must("a grader that is killed writes no csv", not os.path.exists(
        f"{TMP}/again.csv"))
    for what in "resumed", "repeated":
        begun = time.monotonic()
        sh(*words, f"{TMP}/again.csv", env=chapter)
        must(f"a {what} run writes the same csv",
             read(f"{TMP}/again.csv").decode() == csv)
    must("a run without changed files takes ten seconds", time.monotonic() - begun < 10)
    with open(f"{TMP}/class/{names[1]}/work/03/top_score.c", "w") as file:
        file.write(mistake)
    sh(*words, f"{TMP}/again.csv", env=chapter)
    must("a changed file is graded again", re.search(
        r" 1\",(2\d\.\d),30,2,3,3,", read(f"{TMP}/again.csv").decode(), re.M))


def broken():
    """Tests damaged judges, a killed grader, systemd, and a machine without bwrap."""
    for what in "kit.tar", "judge":
        shutil.rmtree(f"{TMP}/made", ignore_errors=True)
        for path in glob.glob(f"{MADE}/03_*"):
            shutil.copytree(path, f"{TMP}/made/{os.path.basename(path)}")
        with open(f"{TMP}/made/03_top_score/{what}", "r+b") as file:
            file.truncate(5000)
        done = sh("/usr/bin/python3", "-BEs", "tools/grade/class.py",
                  f"{TMP}/made", f"{TMP}/class", f"{TMP}/none.csv",
                  env={**os.environ, "CHAPTER": "03"})
        must(f"with a damaged {what} nothing is graded", done.returncode == 2 and
             "reference solution does not pass" in done.stdout and
             not os.path.exists(f"{TMP}/none.csv"), done.stdout)
        must(f"with a damaged {what} no grade is stored", not any(
            "compile" in read(kept).decode() or "failed" in read(kept).decode()
            for kept in glob.glob(f"{TMP}/none.d/*/*.03_*")))
        shutil.rmtree(f"{TMP}/none.d", ignore_errors=True)
    run = subprocess.Popen(["/usr/bin/python3", "-BEs", "tools/grade/grade.py",
                            MADE, merge.ident, f"{TMP}/hostile/ignores_signals.c"],
                           stdout=subprocess.DEVNULL)
    loops, was = set(), {"none"}
    while not loops & was and run.poll() is None:  # our solution's workers end soon
        time.sleep(1)
        loops, was = {pid for pid in cage.named("/worker")
                      if pid in cage.descendants(run.pid)}, loops
    must("the submission is in an endless loop", loops & was)
    killed(run, "in a loop")
    grade.ROOT, root = "/usr/lib/course", grade.ROOT
    try:
        must("a project that a sandbox could read is refused", not grade.guarded())
    except grade.Broken as why:
        must("a refusal has the reason", "a sandbox could read it" in str(why), why)
    grade.ROOT = root
    other = exercise("03_top_score")
    other.environment.append("CUDA_ON_CPU=count")
    must("a saved grade has the environment in its digest",
         other.digest != exercise("03_top_score").digest)
    os.mkdir(f"{TMP}/fake")  # has a systemd-run that logs its arguments
    with open(f"{TMP}/fake/systemd-run", "w") as file:
        file.write(f'#!/bin/sh\necho "$@" >>{TMP}/asked\nwhile :; do case $1 in'
                   ' -p) shift 2 ;; -*) shift ;; *) exec "$@" ;; esac; done\n')
    os.chmod(f"{TMP}/fake/systemd-run", 0o755)
    done = sh("/usr/bin/python3", "-BEs", "tools/grade/grade.py", MADE,
              merge.ident, f"{merge.folder}/solution/merge_parts.c", env={
                  **os.environ, "PATH": f"{TMP}/fake:{os.environ['PATH']}"})
    must("with systemd a file is graded in a scope", "a systemd scope" in
         done.stdout and "10.0 10 passed" in done.stdout, done.stdout)
    must("a systemd scope limits memory and tasks", {
        b"MemoryMax=600M", b"MemoryMax=1500M", b"TasksMax=200"} <=
         {*read(f"{TMP}/asked").split()})
    no_bwrap = {**os.environ, "PATH": f"{TMP}/bin"}
    os.mkdir(f"{TMP}/bin")
    for name in "sh", "awk", "setpriv", "sed":
        os.symlink(shutil.which(name), f"{TMP}/bin/{name}")
    for words in (["tools/grade/class.py", MADE, f"{TMP}/class", f"{TMP}/no.csv"],
                  ["tools/grade/grade.py", MADE, merge.ident, "README.md"]):
        done = sh("/usr/bin/python3", "-BEs", *words, env=no_bwrap)
        must(f"without bwrap {words[0]} refuses in one line", done.returncode == 2 and
             done.stdout.count("\n") == 1 and "no sandbox" in done.stdout, done.stdout)


# True if the file is graded, False if it is ignored, or the message of the report.
FILES = {
    "merge_parts.c": True, "03/merge_parts.c": True, "work/03/merge_parts.c": True,
    "merge_parts.C": True, "Merge_Parts.c": True, "merge-parts.c": True,
    "MergeParts.c": True, "merge_parts.c.txt": True, "merge_parts.cpp": True,
    "merge_parts.cc": True, "merge_parts": True, "03_merge_parts.c": True,
    "submission/merge_parts.c": True, "a/b/c/d/merge_parts.c": True,
    "doe_123_merge_parts.c": True, "doe_LATE_12_345_merge_parts-1.c": True,
    "merge_parts (1).c": True, "doe.j_1_merge_parts.c": True,
    "merge_parts.zip": "an archive", "homework.tar.gz": "an archive",
    "merge_parts.c~": "a backup copy", "merge_parts.c.bak": "a backup copy",
    "merge_parts.o": "does not end like a source", "my_merge_parts.c": "no exercise has",
    "main.c": "no exercise has", "x\n  ok      y.c": "no exercise has",
    "work/03/merge_parts.hints": False, "work/03/merge_parts.c.1": False,
    ".merge_parts.c": False, "__MACOSX/merge_parts.c": False, "README.md": False}
# Two files for the same exercise. The first is graded, the second is reported.
PAIRS = (("03_merge_parts", "merge_parts.c", "work/03/merge_parts.c"),
         ("03_merge_parts", "sub/merge_parts.c", "doe_1_merge_parts.c"),
         ("03_merge_parts", "merge_parts.c.txt", "merge_parts.c"),
         ("07_row_max", "row_max.cu", "row_max.c"))


def names():
    exercises = {it.ident: it for it in EVERY}

    def student(*files):
        root = tempfile.mkdtemp(dir=TMP)
        for name, data in files:
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return root, *klass.handed_in(root, exercises)
    for name, what in FILES.items():
        root, files, left = student((name, right))
        plain = grade.plain(name)
        must(f"{plain} is {'graded' if what is True else 'not graded'}", files == (
            {merge.ident: (plain, right)} if what is True else {}), files)
        reported = isinstance(what, str)
        must(f"{plain} is {'reported' if reported else 'not reported'}", bool(left) ==
             reported and (
            not left or what in left[0][2] and left[0][1] == plain), left)
    for ident, *pair in PAIRS[:4 if "07_row_max" in exercises else 3]:
        if pair[0].endswith(".txt"):  # makes the second file binary
            files = (pair[0], right), (pair[1], b"\0")
        else:
            files = tuple((name, name.encode()) for name in pair)
        root, files, left = student(*files)
        must(f"of {pair} the first is graded", files[ident][0] == pair[0], files)
        must(f"of {pair} the second is reported", left == [
            (ident, pair[1], f"{pair[0]} is graded")], left)
    root, files, left = student(*((f"f{k}.c", b"") for k in range(3000)))
    must("of 3,000 files a few are reported", klass.not_graded(left, "").count("\n") == 6)
    root, files, left = student(("tools/exercise.sh", b""), (
        "03_online_softmax/exercise/merge_parts/merge_parts.c", b""), (
        "work/03/merge_parts.c", right))
    must("files of the course itself are not graded", not left and files == {
        merge.ident: ("work/03/merge_parts.c", right)}, (files, left))

    klass.MOST_SECONDS, most = 0, klass.MOST_SECONDS
    root, *_ = student(("merge_parts.c", right))
    grades = klass.all_of("slow", root, {merge.ident: merge}, TMP, [])
    must("after a student's time no file is graded", grades[0].verdict == "no file" and
         "the limit for all together" in grades[0].text, grades)
    klass.MOST_SECONDS = most
    root, *_ = student(("doe_12_merge_parts-1.c", b"int x = ;"))
    os.makedirs(f"{TMP}/kept")
    one, = klass.all_of("named", root, {merge.ident: merge}, TMP, [])
    must("a place in a file has the name that was handed in", all(re.search(
        r"^  \| (.*):1:9: error", text, re.M)[1] == name for text, name in (
            (one.output, "doe_12_merge_parts-1.c"), (one.text, "merge_parts.c"))), one)


def messages():
    """Checks that a student's output cannot imitate the judge's, and is read in time."""
    for done in ("  ok      z", "x\u2028  ok      z", "x\r  ok      z", "\n" * 99 + "ok",
                 "x" * 159 + "\n  ok      z", "\t" * 9 + "ok", "\n".join(map(str, range(
                     3000))), "x\x0b  ok      z", "x\x85  ok      z"):
        lines = grade.quoted(done).splitlines()
        must(f"quoted({done[:20]!r}) has a mark in each line", len(lines) <= 51 and all(
            re.match(r"  \||  \(\d+ lines are left out\)$", line)
            for line in lines), lines)
    wrapped = subprocess.run(
        ["sh", "-c", ". tools/exercise_lib.sh; wrap"], text=True, capture_output=True,
        input=grade.quoted(70 * "x" + 9 * " ok      z")).stdout
    must("a long line is continued after the same mark", wrapped.count("\n") > 1 and all(
        line[:4] == "  | " for line in wrapped.splitlines()), wrapped)

    begun = time.monotonic()
    output = grade.explained("".join(
        f"merge_parts.c:{199_000 - k}:1: runtime error: x\n\n" for k in range(2700)),
        "merge_parts.c", b"\n" * 199_000)
    must("2,700 false reports are read in time", time.monotonic() - begun < 4 and
         output.count("\n") == 100, (time.monotonic() - begun, output))
    output = grade.explained("a/" * 50_000 + "\n" + "==1==ERROR: AddressSanitizer: x on\n" +
                           "    #0 " + "x:1" * 30_000 + "\n", "merge_parts.c", b"")
    must("long lines are read in time", time.monotonic() - begun < 8, output)
    os.mkdir(f"{TMP}/slow")
    with open(f"{TMP}/slow/awk", "w") as file:
        file.write("#!/bin/sh\nexec sleep 60\n")
    os.chmod(f"{TMP}/slow/awk", 0o755)
    path = os.environ["PATH"]
    os.environ["PATH"] = f"{TMP}/slow:{path}"
    begun = time.monotonic()
    must("the grader stops a slow awk", grade.explained("x\n", "a.c", b"") ==
         "x\n" and time.monotonic() - begun < 9)
    os.environ["PATH"] = path


def unchanged():
    """Checks that 200 students whose files have not changed take less than 10 s of
    processor time."""
    for k in range(200):
        os.makedirs(f"{TMP}/same/s{k}")
        for it in EVERY:
            with open(f"{TMP}/same/s{k}/{it.name}.{it.kind}", "w") as file:
                file.write(f"{k}\n")
    once, grade.Exercise.graded = grade.Exercise.graded, lambda it, data: (
        0, "failed", "  FAILED  it\n")
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        klass.main(MADE, f"{TMP}/same", f"{TMP}/same.csv")
        grade.Exercise.graded = once
        begun = time.process_time()
        klass.main(MADE, f"{TMP}/same", f"{TMP}/same.csv")
    took = time.process_time() - begun
    must("200 students with unchanged files take less than 10 s", took < 10, took)
    head, *rows = read(f"{TMP}/same.csv").decode().splitlines()
    must("the table has a column per exercise", head.split(",")[6:] == [
        it.ident for it in EVERY] and len(rows) == 200, head)


def promises():
    """Each row of docs/grading.md's promises must quote existing code and an
    existing test."""
    code, tests = (
        "".join(read(path).decode() for path in glob.glob(f"{HERE}/{of}")
                if os.path.isfile(path))
        for of in ("../*.[chp]*", "*"))
    tests += read("tools/classroom/test.sh").decode()
    rows = re.findall(r"(?m)^\| (.*) \| `(.*)` \| `(.*)` \|$", read(
        "docs/grading.md").decode().split("| promise |")[1])
    must("docs/grading.md has a table of promises", len(rows) > 15, len(rows))
    for promise, line, test in rows:
        must(f"{promise}: the quoted code exists", line in code, line)
        must(f"{promise}: the quoted test exists", test in tests, test)


try:
    print(grade.guarded())
except grade.Broken as why:
    sys.exit(print(why) or os.environ.get("REQUIRE") == "all")
try:
    left = [set(os.listdir(path)) for path in ("/tmp", "/dev/shm")]
    promises()
    hostile()
    fair()
    [run.result() for run in runs]
    list(map(looked_up, SOME))
    sandboxes()
    names()
    messages()
    unchanged()
    classes(200 if ALL else 12)
    broken()
    pool.shutdown()
    time.sleep(1)
    must("no file is left", [] == [
        name for path, was in zip(("/tmp", "/dev/shm"), left)
        for name in set(os.listdir(path)) - was if "grade" in name or "left" in name])
    must("no process is left", not any(
        map(read, glob.glob("/proc/self/task/*/children"))))
finally:
    shutil.rmtree(TMP, ignore_errors=True)
print(f"{counts[0]} passed, {counts[1]} failed")
sys.exit(bool(counts[1]))
