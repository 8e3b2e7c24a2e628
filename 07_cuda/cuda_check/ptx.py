"""ptx.py: an asm statement with PTX as a call of the emulator's functions."""

import re

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def operands(text):
    """"=r"(a), "r"(b)  ->  the expressions between parentheses."""
    found, at = [], 0
    while True:
        string = STRING.search(text, at)
        if not string:
            return found
        open_at = text.index("(", string.end())
        depth, i = 0, open_at
        while True:
            depth += (text[i] == "(") - (text[i] == ")")
            if depth == 0:
                break
            i += 1
        found.append(text[open_at + 1:i].replace("\\\n", " ").replace("\n", " "))
        at = i + 1


def words(statement):
    """The instruction, and its operands with {...} taken apart."""
    name, _, rest = statement.partition(" ")
    return name, [w for w in re.split(r"[\s,{}\[\]]+", rest) if w]


def assign(outs, array):
    return " ".join(f"({o}) = {array}[{i}];" for i, o in enumerate(outs))


def listed(type_of, name, values, n):
    cast = [f"({type_of})({v})" for v in values] + ["0"] * (n - len(values))
    return f"{type_of} {name}[{n}] = {{{', '.join(cast)}}};"


def mma(name, a):
    shape = re.match(r"mma\.sync\.aligned\.m16n8k(16|8)\.row\.col\."
                     r"(f32|f16)\.(f16|bf16)\.\3\.\2$", name)
    if not shape:
        return None
    k, type_of_c, kind = shape[1], shape[2], shape[3]
    nc, na, nb = (4 if type_of_c == "f32" else 2), (4 if k == "16" else 2), \
        (2 if k == "16" else 1)
    D, A = a[:nc], a[nc:nc + na]
    B, C = a[nc + na:nc + na + nb], a[nc + na + nb:nc + na + nb + nc]
    if len(C) != nc:
        return None
    c = "float" if type_of_c == "f32" else "unsigned"
    return " ".join([listed("unsigned", "emu_a", A, 4), listed("unsigned", "emu_b", B, 2),
                     listed(c, "emu_c", C, nc),
                     f"emu::mma_{kind}(emu_c, emu_a, emu_b);", assign(D, "emu_c")])


def ldmatrix(name, a):
    kinds = set(name.split(".")) # PTX allows them in several orders
    sizes = kinds & {"x1", "x2", "x4"}
    if not {"ldmatrix", "m8n8", "b16"} <= kinds or len(sizes) != 1:
        return None
    n = int(sizes.pop()[1])
    if len(a) != n + 1:
        return None
    transposed = "true" if "trans" in kinds else "false"
    return f"unsigned emu_r[4]; emu::ldmatrix_x({n}, {transposed}, emu_r, " \
           f"emu::shared_pointer({a[n]})); " + assign(a[:n], "emu_r")


def cp_async(name, a):
    if re.match(r"cp\.async\.c[ag]\.shared(::cta)?\.global(\.L2::\w+)?$", name):
        return f"emu::cp_async(emu::shared_pointer({a[0]}), (const void *)({a[1]}), " \
               f"{a[2]}, {a[3] if len(a) > 3 else a[2]});"
    if name == "cp.async.commit_group":
        return "emu::cp_async_commit();"
    if name == "cp.async.wait_group":
        return f"emu::cp_async_wait({a[0]});"
    if name == "cp.async.wait_all":
        return "emu::cp_async_commit(); emu::cp_async_wait(0);"
    return None


def other(name, a):
    simple = {"ex2.approx.f32": "exp2_approx({1})", "ex2.approx.ftz.f32": "exp2_approx({1})",
              "rcp.approx.f32": "1.0f / ({1})", "rcp.approx.ftz.f32": "1.0f / ({1})",
              "lg2.approx.f32": "log2f({1})", "rsqrt.approx.f32": "rsqrtf({1})",
              "fma.rn.f32": "fmaf({1}, {2}, {3})", "add.f32": "({1}) + ({2})",
              "mul.f32": "({1}) * ({2})", "max.f32": "fmaxf({1}, {2})",
              "mov.u32": "({1})", "mov.b32": "({1})"}
    if name in simple and all(not w.startswith("%") for w in a):
        return f"({a[0]}) = " + simple[name].format(*a) + ";"
    if name in ("bar.sync", "barrier.sync"):
        return "emu::barrier(emu::Site::here());" if len(a) == 1 and a[0] == "0" else \
            f"emu::named_barrier({a[0]}, {a[1]}, true);"
    if re.match(r"(membar|fence|prefetch|griddepcontrol)\b", name):
        return ";"
    return None


def cvta(statements, values):
    """The usual pair: cvta.to.shared.u64 t, p; cvt.u32.u64 a, t."""
    names = [w[0] for w in statements if w[0] != ".reg"]
    if names and names[0] == "cvta.to.shared.u64" and \
            names[1:] in ([], ["cvt.u32.u64"]) and len(values) == 2:
        return f"({values[0]}) = emu::shared_address((const void *)({values[1]}));"
    return None


def call_of(inside):
    """asm(inside) as a statement."""
    text = re.sub(r"\\\n", "\n", inside)
    # the template: the strings before the first : that is in none
    template, at = "", 0
    while True:
        string = re.compile(r"\s*" + STRING.pattern).match(text, at)
        if not string:
            break
        template += string[1]
        at = string.end()
    values = operands(text[at:])
    template = re.sub(r"\\[nt]|//.*?(?=\\n|$)", " ", template)
    template = re.sub(r"\s+", " ", template).strip()
    bare = template.strip("{} ") if template.startswith("{ .reg") or \
        template.startswith("{.reg") else template.strip()
    statements = [words(s.strip()) for s in re.split(r";", bare) if s.strip(" {}")]
    made = cvta(statements, values)
    if not made:
        lines = []
        for name, a in statements:
            a = [values[int(w[1:])] if re.fullmatch(r"%\d+", w) and
                 int(w[1:]) < len(values) else w for w in a]
            for translate in (ldmatrix, mma, cp_async, other):
                line = translate(name, a)
                if line:
                    break
            lines.append(line or f'emu::cannot("the PTX instruction {name}");')
        made = " ".join(lines)
    return "do { " + made + " } while (0)"
