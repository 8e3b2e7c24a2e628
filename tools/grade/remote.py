"""Of an exercise's header and its settings (CONTRIBUTING.md), the C of remote.h.

    remote.py HEADER SETTINGS [EMULATOR]

EMULATOR: the function launches a kernel (07_cuda/exercise/remote_cuda.h).
"""
import pathlib
import re
import sys

# A head and the memory that it is run in are the same for all kernels.
KERNEL = ("*h h->Q.hbm[] h->K.hbm[] h->V.hbm[] h->rule.mask.hbm[] h->O.hbm[] h->L.hbm[]"
          " mem->M => mem->error mem->message mem->counts mem->on_chip mem->extra mem->loads"
          " h->O.hbm.data h->L.hbm.data")

FUNCTION = """
#if JUDGE
{kind}{name}({arguments})
{{
{result}    call({nth});
{over}    for (int nth; HEAR(nth), nth >= 0;) {{
{answers}    }}
{back}    alarm(0);
{give}}}
#else
{askers}static void serve_{nth}(void)
{{
    int answers = -1;
{here}{result}{over}    {keep}{name}({names});
{count}    TELL(answers);
{back}}}
#endif"""
# A question: how the judge answers, and what the submission calls.
ANSWER = """        if (nth == {k}) {{
            {of} x;
            HEAR(x);
            {answer}y = {asked}(x);
            size_t size = {size};
            TELL(size);
            pass(true, {where}, size);
        }}
"""
ASKER = """static {answer}ask_{asked}({of} x)
{{
    return {star}question({k}, &x, sizeof x);
}}
"""


def lists(items, more):
    """C that lets what is named go over, and what of it comes back."""
    over, _, back = items.replace("KERNEL", KERNEL).partition("=>")
    over = re.sub(r"(\S+)\[\]", r"\1 \1.data[\1.rows * \1.stride]", over)
    went = re.findall(r"([^ \[\]]+)(?:\[([^\]]*)\])?", over)
    arrays = ["NULL", *(name for name, size in went if size)]
    return ("".join(f"    OVER_ARRAY({name}, {size});\n" if size else
                    f"    OVER({name});\n" for name, size in went),
            "".join(f"    BACK_ARRAY({arrays.index(name)});\n" if name in arrays else
                    f"    BACK({name});\n" + f"    ONE_LINE({name});\n" *
                    name.endswith("message") for name in back.split() + more))


def function(nth, header, name, items, asks, emulator):
    kind, arguments = re.search(rf"(\w[\w ]*[ *]){name}\(([^;]*)\);", header).groups()
    result = keep = give = answers = askers = here = ""
    names, more = [], []
    if kind != "void ":
        result, keep, give = f"    {kind}result;\n", "result = ", "    return result;\n"
        more = ["result"]
    count = "    counts = counted();\n" if emulator else ""
    over, back = lists(items, more + ["counts"] * bool(emulator))
    for argument in arguments.split(", "):
        own = re.search(r"(\w+)(\)\(.*)?$", argument)[1]
        names.append(own)
        if re.search(rf"\*{own}\b|\b{own}->", over):  # this lies behind it
            argument = argument.replace("const ", "").replace("*", "") + "[1] = {0}"
        here += f"    {argument};\n"
    for k, ask in enumerate(asks):
        answer, asked, of, many = re.fullmatch(
            r"(.*?)(\w+)\((.*) \w+\)(?:\[(.*)\])?", ask).groups()
        size, where = (f"({many}) * sizeof *y", "y") if many else ("sizeof y", "&y")
        star = "" if many else f"*({answer}*)"
        names[names.index(asked)] = f"ask_{asked}"
        answers += ANSWER.format_map(locals())
        askers += ASKER.format_map(locals())
    names = ", ".join(names)
    return FUNCTION.format_map(locals())


def main(path, remote, emulator=""):
    header = re.sub(r"(?sm)/\*.*?\*/|^#[^\n]*", "", pathlib.Path(path).read_text())
    header = " ".join(header.split())
    asked_for = re.findall(r"(?m)^((?:asks: .*\n)*)(?!(?:asks|points|counted):)(\w+): (.*)$",
                           pathlib.Path(remote).read_text())
    print(f'#include "{pathlib.Path(path).name}"\n#include "tools/grade/remote.h"')
    if emulator:
        print('#include "07_cuda/exercise/remote_cuda.h"')
    for nth, (asks, name, items) in enumerate(asked_for):
        print(function(nth, header, name, items, re.findall(": (.*)", asks), emulator))
    serve = ", ".join(f"serve_{nth}" for nth in range(len(asked_for)))
    print(f"\n#if !JUDGE\nvoid (*const serve[])(void) = {{{serve}}};\n#endif")


main(*sys.argv[1:])
