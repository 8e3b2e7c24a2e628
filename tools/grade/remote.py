"""Of an exercise's header and its remote.txt, the C of remote.h.

    remote.py HEADER REMOTE_TXT [EMULATOR]

In remote.txt a line for each function that is asked for says what goes over, in
that order, and what comes back besides what the function returns:

    merge_splits: O L[O.rows] o[O.cols] => o

A value or a matrix is named, an array has its size with it. What a function may
ask the tests stands before it, with how many elements are behind a pointer:

    asks: const float *value(size_t j)[dv]

EMULATOR: the function launches a kernel (07_cuda/exercise/remote_cuda.h). The other
lines of remote.txt, which begin with several words, are for grade.py.
"""
import os
import re
import sys

# A head and the memory that it is run in are the same for all kernels.
KERNEL = ("*h h->Q.hbm h->K.hbm h->V.hbm h->rule.mask.hbm h->O.hbm h->L.hbm mem->M"
          " => mem->error mem->message mem->counts mem->on_chip mem->extra"
          " h->O.hbm h->L.hbm")

FUNCTION = """
#ifdef JUDGE
{kind}{name}({arguments})
{{
{result}    call({nth});
{over}    while (asked()) {{
        int nth;
        HEAR(nth);
{answers}    }}
{back}{give}}}
#else
{askers}static void serve_{nth}(void)
{{
{here}{result}{over}    {keep}{name}({names});
{count}    pass(true, "a", 1);
{back}}}
#endif"""
# A question: how the judge answers, and what the submission calls.
ANSWER = """        if (nth == {k}) {{
            {of} x;
            HEAR(x);
            {answer}y = {asked}(x);
            reply({what});
        }}
"""
ASKER = """static {answer}ask_{asked}({of} x)
{{
    return {star}question({k}, &x, sizeof x);
}}
"""


def passed(what, items):
    return "".join(f"    {what}_ALL({name}, {size});\n" if size else
                   f"    {what}({name});\n" for name, size in
                   re.findall(r"([^ \[\]]+)(?:\[([^\]]*)\])?", items))


def function(nth, header, name, items, asks, emulator):
    kind, arguments = re.search(rf"(\w[\w ]*[ *]){name}\(([^;]*)\);", header).groups()
    over, _, back = items.replace("KERNEL", KERNEL).partition("=>")
    result = keep = give = answers = askers = here = ""
    if kind != "void ":
        result, keep, give = f"    {kind}result;\n", "result = ", "    return result;\n"
        back += " result"
    count = "    counts = counted();\n" if emulator else ""
    back = passed("BACK", back + " counts" * bool(emulator))
    names = []
    for argument in arguments.split(", "):
        own = re.search(r"(\w+)(\)\(.*)?$", argument)[1]
        names.append(own)
        if re.search(rf"\*{own}\b|\b{own}->", over):  # this lies behind it
            argument = argument.replace("const ", "").replace("*", "") + "[1] = {0}"
        here += f"    {argument};\n"
    for k, ask in enumerate(asks):
        answer, asked, of, count_of = re.fullmatch(
            r"(.*?)(\w+)\((.*) \w+\)(?:\[(.*)\])?", ask).groups()
        what = f"y, ({count_of}) * sizeof *y" if count_of else "&y, sizeof y"
        star = "" if count_of else f"*({answer}*)"
        names[names.index(asked)] = f"ask_{asked}"
        answers += ANSWER.format_map(locals())
        askers += ASKER.format_map(locals())
    names, over = ", ".join(names), passed("OVER", over)
    return FUNCTION.format_map(locals())


def main(path, remote, emulator=""):
    with open(path) as file:
        header = " ".join(re.sub(r"(?sm)/\*.*?\*/|^#[^\n]*", "", file.read()).split())
    with open(remote) as file:
        lines = re.findall(r"^(\w+): (.*)$", file.read(), re.M)
    print(f'#include "{os.path.basename(path)}"\n#include "tools/grade/remote.h"')
    if emulator:
        print('#include "07_cuda/exercise/remote_cuda.h"')
    asks, served = [], []
    for name, items in lines:
        if name == "asks":
            asks.append(items)
        elif name != "points":
            print(function(len(served), header, name, items, asks, emulator))
            served.append(f"serve_{len(served)}")
            asks = []
    print("\n#ifndef JUDGE\nvoid (*const serve[])(void) = "
          f"{{{', '.join(served)}}};\n#endif")


main(*sys.argv[1:])
