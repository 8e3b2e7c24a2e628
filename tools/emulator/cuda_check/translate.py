"""translate.py: translates CUDA C++ to C++ for the emulator. Line numbers do not
change.

It translates constructs that no macro can, such as launches with <<<>>>, extern
__shared__ arrays of any name, and asm statements with PTX. It removes definitions
that use PyTorch. Page: docs/cuda_check.md."""

import re

from ptx import call_of
from scan import CLOSED, OPEN, masked, parts, partner


BOUNDS = re.compile(r"__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)")


def length(code):
    """Returns the number of template arguments in code, such as 2 for <a, b<c, d>>."""
    inner = code[1:-1].replace("->", "  ")
    return len(parts(inner, ",", OPEN + "<", CLOSED + ">")) if inner.strip() else 0


def kernel_templates(code):
    """Returns {name: number of template parameters} of kernel templates (variadic: 99)."""
    count = {}
    for found in re.finditer(r"\btemplate\s*<", code):
        begin = found.end() - 1
        end = partner(code, begin, "<", ">") + 1
        head = re.split(r"[{;]", code[end:end + 2000], maxsplit=1)[0]
        name = re.search(r"(\w+)\s*\(", BOUNDS.sub("", head))
        if name and "__global__" in head:
            list_of = code[begin:end]
            count[name[1]] = 99 if "..." in list_of else length(list_of)
    return count


def defaults(code):
    """Returns {name: number of parameters} of the kernels with default arguments."""
    count = {}
    for found in re.finditer(r"\b__global__\b[^;{}]*?(\w+)\s*(\()",
                             BOUNDS.sub(lambda f: " " * len(f[0]), code)):
        inner = code[found.start(2) + 1:partner(code, found.start(2))]
        if "=" in inner:
            count[found[1]] = len(parts(inner, ",", OPEN + "<", CLOSED + ">"))
    return count


def launches(code):
    """Yields five positions for each <<<>>>: begin and end of the kernel's name, begin
    and end of the launch configuration, and begin of the arguments."""
    for found in re.finditer(r"<<\s*<", code): # Visual Studio writes << <g, b>> >
        end = begin = len(code[:found.start()].rstrip(" \t\n\\"))
        if code[begin - 1] == ">":
            begin = partner(code, begin - 1, "<", ">")
            begin = len(code[:begin].rstrip())
        if code[begin - 1] in ")]":
            begin = partner(code, begin - 1)
        while begin and re.match(r"[\w:.]|->", code[begin - 1:begin + 1]):
            begin -= 1
        at, depth = found.end(), 0
        closed = re.compile(r">>\s*>[\s\\]*\(")
        while at < len(code) and (depth or not closed.match(code, at)):
            depth += (code[at] in OPEN) - (code[at] in CLOSED)
            at += 1
        after = closed.match(code, at)
        if after:
            yield begin, end, found.end(), at, after.end()


def launch(text, code, spans, templates, optional):
    """Returns the text that replaces a launch, up to the start of its arguments.
    templates and optional are the results of kernel_templates and defaults."""
    begin, end, sizes, sizes_end, arguments = spans
    kernel = text[begin:end]
    name = re.sub(r"[\s\\]+", " ", kernel).strip()
    explicit = length(kernel[kernel.index("<"):]) if "<" in kernel else 0
    base = re.split(r"[<:.>]", name.split("<")[0])[-1].strip()
    label = name.replace('"', "'")
    given = code[arguments:partner(code, arguments - 1)]
    given = len(parts(given)) if given.strip() else 0
    definition = rf"\b{base}\s*\((?:[^(){{}};]|\([^()]*\))*\)\s*\{{"
    overloaded = len(re.findall(definition, code)) > 1
    if overloaded or explicit < templates.get(base, 0) or given < optional.get(base, 0):
        call = f"[&](auto... emu_a) {{ {kernel}(emu_a...); }}"
        made = f'emu::emu_deduced({call}, "{label}")'
    else:
        made = f'emu::emu_kernel({kernel}, "{label}")'
    return made + "(" + text[sizes:sizes_end] + ")("


def dynamic_array(statement):
    """Returns the declaration of a pointer that replaces `extern __shared__ T name[];`,
    or None if the statement has another form."""
    words = re.sub(r"\b(?:extern|__shared__|static)\b|"
                   r"\b(?:__align__|alignas|__attribute__)\s*"
                   r"\((?:[^()]|\([^()]*\)|\(\([^()]*\)\))*\)", " ", statement)
    found = re.match(r"\s*(.*?)(\w+)\s*\[\s*\]\s*((?:\[[^]]*\])*)\s*;", words, re.S)
    if not found:
        return None
    T, name, rest = found[1].strip(), found[2], found[3]
    array = f'emu::dynamic_shared<{T}>("{name}")'
    if rest:
        return f'{T} (*const {name}){rest} = ({T} (*){rest}){array};'
    return f'{T} *const {name} = {array};'


def definitions(code):
    """Yields the first and last position of each top-level declaration."""
    begin = depth = 0
    for i, c in enumerate(code):
        depth += (c in OPEN) - (c in CLOSED)
        if depth == 0 and (c == ";" or c == "}"):
            yield begin, i
            begin = i + 1


def pytorch(code):
    """Yields the first and last position of each declaration that uses PyTorch."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", # replaces directives by blanks
                  lambda found: re.sub(r"[^\n]", " ", found[0]), code, flags=re.M)
    for found in re.finditer(r"^[ \t]*TORCH_\w+\s*\(", code, re.M):
        end = partner(code, found.end() - 1)
        yield found.start(), end
        code = code[:found.start()] + " " * (end - found.start()) + ";" + \
            code[end + 1:]
    for begin, end in definitions(code):
        if re.search(r"\b(?:torch|at|c10)::|\bPYBIND11_MODULE\b", code[begin:end]):
            yield begin, end


# A word that begins a device function, or a type that may contain one. A word in
# capitals may be a macro for __device__.
DEVICE = re.compile(r"\b(__global__|__device__|class|struct|[A-Z][A-Z0-9_]+)\b")
# The start of a namespace or of extern "C". masked() has replaced the C by a blank.
BLOCK = re.compile(r'\bnamespace\b|\bextern\s*" *"\s*$')


def declarations(code):
    """Yields head, brace, body and the body's position, of each declaration of the file
    and of its namespaces. head has no directives."""
    for begin, end in definitions(code):
        head, brace, body = code[begin:end].partition("{")
        inside = begin + len(head) + 1
        head = re.sub(r"^[ \t]*#.*", "", head, flags=re.M)
        if BLOCK.search(head):
            for *parts_of, at in declarations(body):
                yield *parts_of, inside + at
        else:
            yield head, brace, body, inside


def host_only(code):
    """Yields begin and end of each __CUDA_ARCH__ in a host function."""
    for head, brace, body, inside in declarations(code):
        if brace and not DEVICE.search(head):
            for found in re.finditer(r"\b__CUDA_ARCH__\b", body):
                yield inside + found.start(), inside + found.end()


TABLE = re.compile(r"[^(=]*\b(?:const|constexpr)\b[^(=]*?(\w+)\s*\[")
SPACES = re.compile(r"__(?:device|constant|managed|shared|global)__")
TYPE = r"\b(?:bool|char|short|int|long|unsigned|float|double|half|auto|T|\w+_t|\w+[234])\b"


def host_tables(code):
    """Yields the position and the name of each constant array of the host that a device
    function uses. The emulator sees no access to a constant."""
    tables = set()
    for head, _, body, inside in declarations(code):
        table = TABLE.match(head)
        if not SPACES.search(head):
            tables |= {table[1]} if table else set()
            continue
        for name in tables:
            own = rf"{TYPE}[\s*&]*{name}\b|,\s*{name}\s*[=;]|__CUDA_ARCH__"
            if re.search(own, head + body):
                continue
            for found in re.finditer(rf"(?<![\w.>:]){name}\b", body):
                before = re.split("[;{}]", body[:found.start()])[-1]
                if not re.search("sizeof|constexpr|static_assert|decltype", before):
                    yield inside + found.start(), name


# Vectors whose copy constructor is not trivial (vectors.h).
VECTOR = re.compile(r"\b(?:u?(?:char|short|int|long|longlong)|float|double)[24]\b"
                    r"(?=\s+\w)")


def in_unions(code):
    """Yields the position of each vector type that begins a member of a union."""
    for found in re.finditer(r"\bunion\b[^;{}()]*\{", code):
        end = partner(code, found.end() - 1)
        for vector in VECTOR.finditer(code, found.end(), end):
            yield vector.start()


def shared_ends(code):
    """Yields the end of each declarator of a __shared__ variable. There " = {}" is
    added. Without it g++ guards a struct with a float4 and a float by a flag, which
    would be in shared memory."""
    for found in re.finditer(r"\b__shared__\b", code):
        before = re.split(r"[;{}]", code[:found.start()])[-1]
        line = code.rfind("\n", 0, found.start()) + 1
        directive = re.compile(r"[ \t]*#(?:[^\n]*\\\n)*[^\n]*").match(code, line)
        limit = directive.end() if directive else len(code)
        if re.search(r"\bextern\b", before):
            continue
        depth = angle = 0
        ends, begin, given = [], found.end(), False
        for i in range(found.end(), limit):
            c = code[i]
            if depth == 0 and c in ",;" and not angle:
                if not given and code[begin:i].strip():
                    ends.append(i)
                begin, given = i + 1, False
                if c == ";":
                    yield from ends
                    break
            depth += (c in OPEN) - (c in CLOSED)
            if depth < 0:
                break
            angle += depth == 0 and (c == "<") - (c == ">")
            given |= depth == 0 and c == "="


DEFINED_AS_DEVICE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[ \t]+\w+)*?"
                               r"[ \t]+__device__[ \t\w]*$", re.M)


def device_variables(code):
    """Yields the position of each __device__ variable, for the tag EMU_VARIABLE."""
    words = "|".join(["__device__", *DEFINED_AS_DEVICE.findall(code)])
    code = re.sub(r"^[ \t]*#.*", lambda m: " " * len(m[0]), code, flags=re.M)
    for found in re.finditer(rf"\b(?:{words})\s+(?:__align__\s*\([^()]*\)\s*)?"
                             r"[A-Za-z_](?:(?!\boperator\b)[^(){};=[])*[;=[{]", code):
        yield found.start()


def linkages(code):
    """Yields begin and end of the "C" of each extern "C" that has a variable of the
    device, since a name with a tag has the linkage of C++."""
    for found in re.finditer(r'\bextern\s*("\s*")\s*', code):
        last = partner(code, found.end()) if code[found.end()] == "{" else \
            re.compile(r"[^;{]*").match(code, found.end()).end()
        inside = code[found.end():last + 1]
        if re.search("__constant__|__managed__", inside) or any(device_variables(inside)):
            yield found.span(1)


def launch_bounds(code):
    """Yields, for each kernel with __launch_bounds__, the start of its body and its
    maximum number of threads, as text."""
    for found in re.finditer(r"\b__launch_bounds__\s*(\()", code):
        end = partner(code, found.start(1))
        body = re.compile(r"[^;{}]*\{").match(code, end)
        if body:
            begin, first = parts(code[found.end():end])[0]
            yield body.end(), code[found.end():][begin:first]


def translated(text):
    """Returns the translation of a file's text."""
    text = text.replace("\r\n", "\n")
    code = masked(text)
    edits = []
    for begin, end in pytorch(code):
        edits.append((begin, end + 1, ";"))
    templates, optional = kernel_templates(code), defaults(code)
    for spans in launches(code):
        edits.append((spans[0], spans[4],
                      launch(text, code, spans, templates, optional)))
    for found in re.finditer(
            r"\bextern\b(?:[^;={}()]|\([^;()]*\))*?\b__shared__\b[^;]*;", code):
        made = dynamic_array(found[0])
        if made:
            edits.append((found.start(), found.end(), made))
    for found in re.finditer(r"\b__shared__(\s+)(alignas\s*\([^()]*(?:\([^()]*\))?[^()]*\))",
                             code):
        edits.append((found.start(), found.end(), found[2] + found[1] + "__shared__"))
    for found in re.finditer(r"\b(?:asm|__asm__|__asm)\b(?:[\s\\]*"
                             r"(?:volatile|__volatile__))?[\s\\]*\(", code):
        begin, end = found.end(), partner(code, found.end() - 1)
        edits.append((found.start(), end + 1,
                      call_of(text[begin:end], code[begin:end])))
    edits += [(at, at, f" emu::launch_bounds({threads});")
              for at, threads in launch_bounds(code)]
    edits += [(at, at, " = {}") for at in shared_ends(code)]
    edits += [(at, at, "EMU_VARIABLE ") for at in device_variables(code)]
    edits += [(at, at + len(name), f'emu::of_host({name}, "{name}")')
              for at, name in host_tables(code)]
    edits += [(begin, end, '"C++"') for begin, end in linkages(code)]
    edits += [(at, at, "emu_plain_") for at in sorted(set(in_unions(code)))]
    edits += [(begin, end, "EMU_HOST_HAS_NO_ARCH") for begin, end in host_only(code)]
    # Removes the cast to void *, so that the kernel's type determines the types of the
    # arguments.
    edits += [(f.start(1), f.end(1), "") for f in
              re.finditer(r"\bcudaLaunchKernel\s*\(\s*"
                          r"(\(\s*(?:const\s+)?void\s*\*\s*\))", code)]
    edits += [(f.start(1), f.end(1), "__attribute__((noinline))") for f in
              re.finditer(r"(?:^|[^(_])\b(__noinline__)\b", code)]
    out, at = [], 0
    for begin, end, made in sorted(edits):
        if begin < at:
            continue
        old = text[begin:end]
        lost = old.count("\n") - made.count("\n")
        newline = "\\\n" if "\\\n" in old else "\n"
        out += [text[at:begin], made, newline * max(lost, 0)]
        at = end
    return "".join(out) + text[at:]
