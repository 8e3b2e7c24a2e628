"""cuda_check.py: runs a user's .cu file on the emulator and prints its mistakes.

    cuda-check my.cu [more.cu ...] [options] [-- arguments of the program]

The exit status is 0 without mistakes, 1 if there are mistakes or the program fails, and
2 if the file cannot be run. Page: docs/cuda_check.md."""

import argparse
import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../../.."))
sys.path.insert(0, HERE)

from translate import translated

FOUND, CANNOT = 61, 62 # exit status of the user's program (messages/messages.h)
OWN = (f"{HERE}/include", f"{ROOT}/tools/emulator/cuda_on_cpu/include",
       f"{ROOT}/tools/emulator/include")
# Options of flash judge for each type of o (attention.h).
ERRORS = {"fp32": [], "fp16": ["--error", "1e-2"], "bf16": ["--error", "4e-2"]}
# NVIDIA's headers that implicit.h replaces.
REPLACED = re.compile(r"""(cuda|cuda_runtime\w*|cuda_fp16|cuda_bf16|cuda_profiler_api|
    device_launch_parameters|device_functions|vector_types|vector_functions|
    math_functions|math_constants|driver_types|crt/\w+|device_types|builtin_types|
    host_defines|host_config|library_types|channel_descriptor|cuda_device_runtime_api|
    (device|sm_\d\d)_\w*(functions|intrinsics))\.(h|hpp)$""", re.X)
# Other headers of NVIDIA. cuda-check refuses those that it does not have.
FOREIGN = re.compile(r"""(cublas|cudnn|curand|cusparse|cufft|cusolver|nvml|nccl|cuda_|
    cub/|thrust/|cute/|cutlass/|cuda/|cooperative_groups/|mma\.h|cu(da)?[A-Z]|
    cupti|npp|nv|texture_|surface_)""", re.X)
# NVIDIA's names. If one of them is missing, cuda-check does not support it. If another
# name is missing, the user made a mistake.
NVIDIAS = re.compile(r"""cu[A-Z]|cuda|cub|cu(blas|dnn|fft|rand|sparse|solver)|nv|
    thrust|cute|cutlass|wmma|tex\w*[123]D|surf[123]D|__\w|atomic[A-Z]|u?(mul|min|max)\w*$|
    clock|make_\w+\d|h2?(exp|log|sin|cos|sqrt|rsqrt|rcp|ceil|floor|rint|trunc|tanh)|
    (this|tiled|coalesced|binary|labeled|invoke)_\w+|.*\.(h|hpp|cuh)$|
    (r?cbrt|normcdf|erfcinv|sincospi|[sc]o?s?i?n?pi|rnorm|rhypot|norm\dd)f?$""", re.X)
NO_NAME = re.compile(r"""[‘'](\S+?)[’']\ (?:in\ namespace|was\ not\ declared|has\ not\ been|
    does\ not\ name|is\ not\ a\ member)|no\ member\ named\ [‘'](\S+?)[’']|
    (\S+):\ No\ such\ file""", re.X)
# NVIDIA's headers, each with the header that cuda-check includes instead.
ELSEWHERE = {"cuda_pipeline_primitives.h": "cuda_pipeline.h",
             "cublasLt.h": "cublas_v2.h", "mma.h": "cuda_runtime.h"}
# A launch whose arguments or sizes do not fit: the compiler's error, and a clear one.
LAUNCH = [(re.compile(r"no match for call to .\(emu::kernel<.*?>\(void \(\*\)\((.*?)\), "
                      r"const char\*\).*?\) \((.*)\).$"),
           r"the launch passes (\2), but the kernel takes (\1)"),
          (re.compile(r"no match for call to .\(emu::sized<.*\) \((.*)\).$"),
           r"<<<>>> has (\1), but must have a grid and a block (dim3 or int), and may "
           r"have bytes of shared memory and a stream")]
INCLUDED = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)(["<])([^">\n]+)[">]', re.M)


def refuse(text):
    print(text, file=sys.stderr)
    sys.exit(2)


class Translation:
    """Translates the user's files and headers into files of the folder `work`."""

    def __init__(self, work, folders):
        self.work, self.folders, self.made = work, folders, {}

    def find(self, name, first):
        """Returns the path of the user's header `name`, or None."""
        for folder in [first] + self.folders:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                return os.path.normpath(path)
        return None

    def file(self, path, append=""):
        """Returns the path of the file's translation, which ends with `append`."""
        if path in self.made:
            return self.made[path]
        try:
            with open(path, encoding="utf-8", errors="replace") as f:
                text = f.read().removeprefix("\ufeff")
        except OSError as error:
            refuse(f"{path}: {error.strerror}")
        text = re.sub(r"\A%%\w+", "//", text) # a cell of a notebook
        extension = os.path.splitext(path)[1]
        to = os.path.join(self.work, f"{len(self.made)}_{os.path.basename(path)}" +
                          (".cpp" if extension in (".cu", ".cc", ".cpp", ".c") else ""))
        self.made[path] = to

        def include(found):
            if found[3].startswith(("torch/", "ATen/", "c10/", "pybind11/")):
                return "// left out: PyTorch"
            if found[3] in ELSEWHERE:
                return f"{found[1]}<{ELSEWHERE[found[3]]}>"
            if REPLACED.match(found[3]):
                return "// " + found[3]
            other = self.find(found[3], os.path.dirname(path))
            if not other and FOREIGN.match(found[3]) and \
                    not any(os.path.exists(f"{own}/{found[3]}") for own in OWN):
                return f'#error cuda-check has no {found[3]}'
            return found[0] if not other else f'{found[1]}"{self.file(other)}"'
        text = INCLUDED.sub(include, translated(text))
        with open(to, "w", encoding="utf-8") as f:
            f.write(f'#line 1 "{path}"\n{text}\n{append}')
        return to


def reasons(log):
    """Returns the first error, or a line for each missing name if it is one of these."""
    errors = re.findall(r"^(.*?):(\d+):\d+: (?:fatal )?error: (.*)$", log, re.M)
    missing = {}
    for i, (file, line, text) in enumerate(errors):
        for pattern, clear in LAUNCH:
            text = pattern.sub(clear, text)
        errors[i] = file, line, text
        name = NO_NAME.search(text)
        name = name and (name[1] or name[2] or name[3])
        if "nvcuda::wmma" in text and not missing:
            return f"{file}:{line}: cuda-check has no nvcuda::wmma; it has mma.sync in PTX"
        if text.startswith("#error cuda-check"):
            missing.setdefault(text, f"{file}:{line}: {text[7:]}")
        elif name and NVIDIAS.match(name):
            meant = re.search("did you mean .(\\S+).\\?", text)
            close = meant and difflib.get_close_matches(name, [meant[1]], cutoff=0.9)
            missing.setdefault(name, f"{file}:{line}: cuda-check has no {name}" +
                               (f"; did you mean {meant[1]}?" if close else ""))
        elif name: # the user's name: keeps the compiler's message
            missing.setdefault(name, f"{file}:{line}: {text}")
        elif not missing: # the names that are missing later may follow from this error
            break
    if missing:
        return "\n".join(missing.values())
    if errors:
        return "{}:{}: {}".format(*errors[0])
    undefined = re.findall(r"undefined reference to [`‘'](.*?)['’]", log)
    return "\n".join(f"cuda-check has no {u}" for u in dict.fromkeys(undefined)) \
        or "the compiler failed"


def compile_all(files, options, arch, std, build, work):
    """Returns the path of the program (None after an error) and the compiler's output."""
    hooks = open(f"{build}/07_cuda/hooks").read().split()
    cxx = open(f"{build}/07_cuda/cxx").read().split()[:1] or ["g++"]
    flags = [f"-std={std}", "-gdwarf-4", "-O2", "-Wuninitialized", "-fno-strict-aliasing",
             "-fno-threadsafe-statics", "-fsanitize=signed-integer-overflow",
             "-D__CUDACC__", "-D__NVCC__",
             f"-D__CUDA_ARCH__={arch}0", "-DCUDART_VERSION=12000",
             *(f"-I{own}" for own in OWN), f"-I{ROOT}",
             "-include", f"{OWN[0]}/implicit.h"]
    running = [subprocess.Popen(cxx + flags + hooks + options + ["-c", f, "-o", f + ".o"],
                                stderr=subprocess.PIPE, text=True, errors="replace")
               for f in files]
    logs = [r.communicate()[1] for r in running]
    program = f"{work}/program"
    if not any(r.returncode for r in running):
        linked = subprocess.run(cxx + ["-o", program] + [f + ".o" for f in files] +
                                [f"{build}/07_cuda/libcuda_on_cpu.a",
                                 "-Wl,--wrap=memcpy,--wrap=memset,--wrap=memmove",
                                 "-lm"],
                                stderr=subprocess.PIPE, text=True, errors="replace")
        if linked.returncode == 0:
            return program, "".join(logs)
        logs = [linked.stderr]
    return None, "".join(logs)


def never_set(log):
    """Returns a line for each local variable that is used uninitialised. The line is a
    finding if the compiler is certain, otherwise a note."""
    warned = re.findall(r"^(.*?):(\d+):\d+: warning: .(\w+)\S? (is|may be) used uninit",
                        log, re.M)
    lines = [f"{file}:{line}: {'uninitialised' if verb == 'is' else 'note'}: "
             f"the variable {name} {verb} used before it is set"
             for file, line, name, verb in warned if not file.startswith(OWN)]
    return list(dict.fromkeys(lines))


def sizes(text):
    if not re.fullmatch("[1-9][0-9]{0,5}(,[1-9][0-9]{0,5}){3}", text):
        raise argparse.ArgumentTypeError(f"{text}: must be four numbers from 1 to 999999")
    return [int(s) for s in text.split(",")]


def standard(text):
    if text not in ("c++17", "c++20", "c++23"):
        raise argparse.ArgumentTypeError(f"{text}: must be c++17, c++20 or c++23")
    return text


def seconds(text):
    if not re.fullmatch("[0-9]{1,6}", text):
        raise argparse.ArgumentTypeError(f"{text}: must be a whole number of seconds")
    return text


def arguments(words):
    """Returns the options of cuda-check and the arguments of the user's program."""
    end = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(prog="cuda-check", allow_abbrev=False,
                                     epilog="Words after -- are arguments of the program. "
                                     "See docs/cuda_check.md.")
    parser.error = lambda why: parser.exit(2, f"cuda-check: {why}\n")  # one line
    parser.add_argument("files", nargs="+", metavar="FILE.cu")
    parser.add_argument("-I", action="append", default=[], metavar="FOLDER")
    parser.add_argument("-D", action="append", default=[], metavar="NAME[=VALUE]")
    parser.add_argument("--quick", action="store_true",
                        help="find no races or uninitialised reads",
                        default=os.environ.get("QUICK", "") not in ("", "0"))
    parser.add_argument("--arch", choices=("80", "86", "89", "90"), default="80",
                        help="the card's architecture (default 80)")
    parser.add_argument("--std", type=standard, metavar="C++", help="default c++17",
                        default=os.environ.get("STD") or "c++17")
    parser.add_argument("--limit", type=seconds, metavar="SECONDS",
                        help="time limit of a block; 0: no limit (default 30)",
                        default=os.environ.get("CUDA_ON_CPU_LIMIT") or "30")
    parser.add_argument("--attention", metavar="CALL",
                        help="C++, with q, k, v, o, B, H, N, d, scale: "
                        "'attention(q, k, v, o, B * H, N, d)'")
    parser.add_argument("--sizes", type=sizes, default="2,2,100,32", metavar="B,H,N,d")
    parser.add_argument("--causal", action="store_true")
    return parser.parse_intermixed_args(words[:end]), words[end + 1:]


def harness(given, work):
    """Returns the main function for --attention, from attention.h."""
    with open(f"{HERE}/attention.h", encoding="utf-8") as f:
        text = f.read()
    for name, value in {"FOLDER": f'"{work}/"', "CALL": given.attention.rstrip("; "),
                        "SIZES": ", ".join(map(str, given.sizes))}.items():
        text = text.replace(f"EMU_{name}", value)
    return translated(text)


def judged(given, work, build):
    """Returns the exit status of flash judge on o; 1 if the program wrote no o."""
    for kind, allowed in ERRORS.items():
        if os.path.exists(f"{work}/{kind}"):
            words = [f"{build}/tools/flash/run", "judge", f"{work}/{kind}"]
            for name in "qkv":
                words += [f"--{name}", f"{work}/{name}"]
            words += allowed + ["--causal"] * given.causal
            return subprocess.run(words).returncode
    return 1


def is_attention(files):
    """True if one of the files seems to compute attention."""
    return any(re.search("attention|attn|flash", open(f, errors="replace").read(), re.I)
               for f in files)


def main():
    given, rest = arguments(sys.argv[1:])
    name = given.files[0]
    build = os.environ.get("CUDA_CHECK_BUILD", f"{ROOT}/build")
    for ending in signal.SIGHUP, signal.SIGTERM: # removes the folder, as Ctrl-C does
        signal.signal(ending, lambda number, _: sys.exit(128 + number))
    work = tempfile.mkdtemp(prefix="cuda-check.")
    try:
        translation = Translation(work, given.I)
        end = harness(given, work) if given.attention else ""
        files = [translation.file(f, end if i == 0 else "")
                 for i, f in enumerate(given.files)]
        folders = given.I + [os.path.dirname(f) or "." for f in given.files]
        options = [f"-D{d}" for d in given.D] + [f"-I{f}" for f in folders]
        program, log = compile_all(files, options, given.arch, given.std, build,
                                   work)
        if not program:
            if given.attention and re.search("redefinition of .int main", log):
                refuse(f"{name}: has a main, and --attention adds one; use a file without "
                       "main, or leave out --attention")
            if "undefined reference to `main'" in log or "‘main’" in log:
                refuse(f"{name}: no main; " + (
                    "call one of its functions with --attention "
                    "'NAME(q, k, v, o, B * H, N, d)'" if is_attention(given.files) else
                    "add one that launches the kernel"))
            with open(f"{build}/07_cuda/cuda-check.log", "w", encoding="utf-8") as f:
                f.write(log)
            refuse(f"{reasons(log)}\n(the compiler's output: {f.name})")
        found = never_set(log)
        for line in found:
            print(line, file=sys.stderr)
        found = [line for line in found if ": note: " not in line]
        environment = dict(os.environ, CUDA_ON_CPU_SUMMARY="1",
                           CUDA_ON_CPU_LIMIT=given.limit, CUDA_ON_CPU_ARCH=given.arch,
                           CUDA_ON_CPU="count" if given.quick else
                           os.environ.get("CUDA_ON_CPU", "full"))
        status = subprocess.run([program] + rest, env=environment).returncode
        wrong = given.attention and status in (0, FOUND) and \
            judged(given, work, build)
    finally:
        shutil.rmtree(work)
    if status == CANNOT:
        refuse(f"{name}: did not run to its end")
    if status < 0:
        print(f"{name}: ended by {signal.Signals(-status).name} (ARGS='...' gives the "
              "program arguments)", file=sys.stderr)
    elif status not in (0, FOUND):
        print(f"{name}: the program returned {status}", file=sys.stderr)
    sys.exit(1 if status or wrong or found else 0)


if __name__ == "__main__":
    main()
