"""ptx.py: translates an asm statement with PTX to C++ for the emulator."""

import re

from scan import parts

STRING = re.compile(r'R"\w*\((.*?)\)\w*"|"((?:[^"\\]|\\.)*)"', re.S)
REGISTERS = {".pred": "bool", ".f32": "float", ".u64": "unsigned long long",
             ".b64": "unsigned long long", ".u32": "unsigned", ".b32": "unsigned"}
# Patterns of instructions and their calls; {0}, {1} are operands. The last operand of
# cp.async is optional.
CALLS = [(re.compile(name + "$"), call) for name, call in {
    r"ex2\.approx(\.ftz)?\.f32": "{0} = emu::exp2_approx({1}, true)",
    r"rcp\.approx(\.ftz)?\.f32": "{0} = 1.0f / {1}",
    r"lg2\.approx(\.ftz)?\.f32": "{0} = log2f({1})",
    r"mov\.[ub](32|64)": "{0} = {1}",
    r"setp\.ne\.[usb]32": "{0} = {1} != {2}",
    r"selp\.[usbf]\d\d": "{0} = {3} ? {1} : {2}",
    r"cvt\.rna\.tf32\.f32": "{0} = emu::to_tf32({1})",
    r"cvt\.u32\.u64": "{0} = (unsigned){1}",
    r"cvta\.to\.shared\.u64": "{0} = emu::shared_address((const void *){1})",
    r"cp\.async\.c[ag]\.shared(::cta)?\.global(\.L2::\w+)?":
        "emu::cp_async(emu::shared_pointer({0}), (const void *){1}, {2}, {3})",
    r"cp\.async\.commit_group": "emu::cp_async_commit()",
    r"cp\.async\.wait_group": "emu::cp_async_wait({0})",
    r"cp\.async\.wait_all": "emu::cp_async_commit(), emu::cp_async_wait(0)",
    r"bar(rier)?\.sync": "emu::named_barrier({0}, {1}, true)",
    r"bar(rier)?\.arrive": "emu::named_barrier({0}, {1}, false)",
    r"mbarrier\.init\..*":
        'emu::init_mbarrier(emu::shared_pointer({0}), {1}, "mbarrier[0]")',
    r"mbarrier\.arrive(\.release\.cta)?\.shared(::cta)?\.b64":
        "emu::mbarrier_arrive(emu::shared_pointer({1}), 0)",
    # The emulator's mbarrier_wait waits until the phase ends, so the result is true.
    r"mbarrier\.(try|test)_wait\.parity\..*":
        "emu::mbarrier_wait(emu::shared_pointer({1}), {2}), {0} = true",
    r"membar\.(gl|sys)|fence\.(sc|acq_rel)\.(gpu|sys)": "emu::fence()",
    r"(membar|fence|prefetch|griddepcontrol)\b.*": "",
}.items()]


def assign(outs, array):
    return " ".join(f"{o} = {array}[{i}];" for i, o in enumerate(outs))


def listed(type_of, name, values, n):
    cast = [f"({type_of}){v}" for v in values] + ["0"] * (n - len(values))
    return f"{type_of} {name}[{n}] = {{{', '.join(cast)}}};"


def mma(name, a):
    shape = re.match(r"mma\.sync\.aligned\.(m16n8k16|m16n8k8)\.row\.col\."
                     r"(f32|f16)\.(f16|bf16|tf32)\.\3\.\2$", name)
    if not shape:
        return None
    size, sum_type, kind = shape[1], shape[2], shape[3]
    if kind == "tf32" and size == "m16n8k16":
        return None
    # m16n8k8 with 16-bit inputs becomes m16n8k16 with zeros in the second half of k.
    half = size == "m16n8k8" and kind != "tf32"
    size = "m16n8k8" if kind == "tf32" else "m16n8k16"
    nc, na = (4 if sum_type == "f32" else 2), (2 if half else 4)
    D, A, B, C = a[:nc], a[nc:nc + na], a[nc + na:nc + na + na // 2], a[-nc:]
    if len(a) != len(D + A + B + C):
        return None
    c = "float" if sum_type == "f32" else "unsigned"
    return " ".join([listed("unsigned", "emu_a", A, 4), listed("unsigned", "emu_b", B, 2),
                     listed(c, "emu_c", C, nc),
                     f"emu::mma(emu::WarpOp::{size}_{kind}, emu_c, emu_a, emu_b);",
                     assign(D, "emu_c")])


def ldmatrix(name, a):
    kinds = set(name.split(".")) # the parts may have any order
    sizes = kinds & {"x1", "x2", "x4"}
    if not {"ldmatrix", "m8n8", "b16"} <= kinds or len(sizes) != 1:
        return None
    n = int(sizes.pop()[1])
    if len(a) != n + 1:
        return None
    kind = "ldmatrix_trans" if "trans" in kinds else "ldmatrix"
    return f"unsigned emu_r[4]; emu::ldmatrix(emu::WarpOp::{kind}, emu_r, " \
           f"emu::shared_pointer({a[n]}), emu::Site::here(), {n}); " + \
        assign(a[:n], "emu_r")


# The types of ld and st, and the prefixes of vectors with such elements.
VECTORS = {"f32": "float", "f64": "double", "b32": "uint", "u32": "uint", "s32": "int",
           "b64": "ulonglong", "u64": "ulonglong"}
SCALARS = {"uint": "unsigned", "ulonglong": "unsigned long long"}


def load_or_store(name, a):
    """Returns ld or st of 1, 2 or 4 numbers as one access, or None. Ignores cache hints."""
    shape = re.match(r"(ld|st)(?:\.volatile|\.weak)?\.(global|shared)(?:::cta)?"
                     r"(?:\.(?:nc|ca|cg|cs|lu|cv|wb|wt))?(?:\.L\d::\w+)*"
                     r"(?:\.v([24]))?\.([fbus](?:32|64))$", name)
    if not shape or shape[4] not in VECTORS:
        return None
    n = int(shape[3] or 1)
    if len(a) != n + 1 or n * int(shape[4][1:]) > 128:
        return None
    numbers, address = (a[:n], a[n]) if shape[1] == "ld" else (a[1:], a[0])
    if shape[2] == "shared":
        address = f"emu::shared_pointer({address})"
    if ".volatile" in name and n == 1: # a loop may wait until the number changes
        scalar = SCALARS.get(VECTORS[shape[4]], VECTORS[shape[4]])
        place = f"*(volatile {scalar} *){address}"
        return f"{a[0]} = {place};" if shape[1] == "ld" else f"{place} = {numbers[0]};"
    vector = f"{VECTORS[shape[4]]}{n}"
    place, members = f"*({vector} *){address}", [f"emu_v.{m}" for m in "xyzw"[:n]]
    if shape[1] == "ld":
        return f"{vector} emu_v = {place}; " + \
            " ".join(f"{to} = {m};" for to, m in zip(numbers, members))
    return f"{vector} emu_v; " + \
        " ".join(f"{m} = {v};" for m, v in zip(members, numbers)) + f" {place} = emu_v;"


def instruction(name, a):
    if name in ("bar.sync", "barrier.sync") and a == ["0"]:
        return "emu::barrier(emu::Site::here());"
    for pattern, call in CALLS:
        if pattern.match(name):
            try:
                return call.format(*a, a[-1] if a else "") + ";"
            except IndexError:
                return None
    made = mma(name, a) or ldmatrix(name, a) or load_or_store(name, a)
    return made and f"{{ {made} }}"


def statement(text, values):
    """Returns one PTX instruction as C++. values maps %0, %1 and registers to C++."""
    name, _, rest = text.partition(" ")
    a = [w for w in re.split(r"[\s,{}\[\]]+", rest) if w]
    if name == ".reg" and a[0] in REGISTERS:
        values.update((w, "emu_" + w) for w in a[1:])
        return " ".join(f"{REGISTERS[a[0]]} emu_{w};" for w in a[1:])
    if name[0] == "@":
        when = re.sub(r"\w+", lambda w: values.get(w[0], w[0]), name[1:])
        return f"if ({when}) {{ {statement(rest, values)} }}"
    known = all(w in values for w in re.findall(r"%+\w+", rest))
    a = [re.sub(r"%?\w+", lambda w: values.get(w[0], w[0]), w) for w in a]
    return known and instruction(name, a) or \
        f'emu::cannot("the PTX instruction {text}");'


def call_of(text, code):
    """Returns the C++ statement that replaces asm(text). code is the masked text."""
    text = text.replace("\\\n", " \n")
    template, *operands = [(text[a:b], code[a:b]) for a, b in parts(code, ":")]
    values = [t[a:b][t[a:b].index("("):t[a:b].rindex(")") + 1].replace("\n", " ")
              for t, c in operands for a, b in parts(c) if "(" in c[a:b]]
    values = {f"%{i}": v for i, v in enumerate(values)}
    values.update({"%laneid": "(unsigned)emu::lane()", "%smid": "0u",
                   "%clock": "(unsigned)clock64()", "%clock64": "clock64()",
                   "%warpid": "emu::thread_in_block() / 32"})
    lines = "".join(map("".join, STRING.findall(template[0]))).replace("%%", "%")
    lines = re.sub(r"(//.*?(\\n|\n|$)|\\[nt]|\s)+", " ", lines)
    if "_wait.parity" in lines: # mbarrier_wait waits, so the loop is removed
        lines = re.sub(r"(@!?\w+ )?\bbra(\.uni)? [\w$]+", "", lines)
    made = [re.sub(r"^[{\s]*([\w$]+:(?!:))?[{\s]*", "", s).strip("} ")
            if s.strip("{} ") else "" for s in lines.split(";")]
    return "do { " + " ".join(statement(s, values) for s in made if s) + \
        " } while (0)"
