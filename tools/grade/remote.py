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
{type}{name}({arguments})
{{
{result}    call({nth});
{over}    for (int letter = CALL; exchange(letter); letter = REPLY) {{
        int nth;
        HEAR(nth);
{answers}    }}
{back}{give}}}
#else
{askers}static void serve_{nth}(void)
{{
{here}{result}{over}{begin}    {keep}{name}({names});
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


def declared(argument, name, items):
    """The worker's: a pointer of which the fields go over has them behind it."""
    if not re.search(rf"\*{name}\b|\b{name}->", items):
        return f"    {argument};\n"
    of = argument.replace("const ", "").split(" *")[0]
    return f"    {of} {name}_here = {{0}}, *{name} = &{name}_here;\n"


def function(nth, header, name, items, asks, cuda):
    kind, arguments = re.search(rf"(\w[\w ]*[ *]){name}\(([^;]*)\);", header).groups()
    over, _, back = items.replace("KERNEL", KERNEL).partition("=>")
    value = "" if kind == "void " else "result"
    answers = askers = here = ""
    names = []
    for k, ask in enumerate(asks):
        answer, asked, of, count = re.fullmatch(
            r"(.*?)(\w+)\((.*) \w+\)(?:\[(.*)\])?", ask).groups()
        what = f"y, ({count}) * sizeof *y" if count else "&y, sizeof y"
        star = "" if count else f"*(const {answer}*)"
        answers += ANSWER.format_map(locals())
        askers += ASKER.format_map(locals())
    for argument in arguments.split(", "):
        own = re.search(r"(\w+)(\)\(.*)?$", argument)[1]
        asked = f" ask_{own}(" in askers.replace("*", " ")
        names.append(f"ask_{own}" if asked else own)
        here += "" if asked else declared(argument, own, over)
    return FUNCTION.format(
        type=kind, name=name, arguments=arguments, nth=nth, answers=answers,
        askers=askers, here=here, names=", ".join(names),
        result=value and f"    {kind}result;\n", keep=value and "result = ",
        give=value and "    return result;\n", over=passed("OVER", over),
        begin="    cuda_on_cpu_print_findings(0);\n" if cuda else "",
        back=("    cuda_answers();\n" if cuda else "") +
        passed("BACK", f"{back} {value}"))


def main(path, remote, cuda=""):
    with open(path) as file:
        header = " ".join(re.sub(r"(?sm)/\*.*?\*/|^#[^\n]*", "", file.read()).split())
    with open(remote) as file:
        lines = re.findall(r"^(\w+): (.*)$", file.read(), re.M)
    print(f'#include "{os.path.basename(path)}"\n#include "tools/grade/remote.h"')
    if cuda:
        print('#include "07_cuda/exercise/remote_cuda.h"')
    asks, served = [], []
    for name, items in lines:
        if name == "asks":
            asks.append(items)
        elif name != "points":
            print(function(len(served), header, name, items, asks, cuda))
            served.append(f"serve_{len(served)}")
            asks = []
    print("\n#ifndef JUDGE\nvoid (*const serve[])(void) = "
          f"{{{', '.join(served)}}};\n#endif")


main(*sys.argv[1:])
