"""Generates code for remote.h from an exercise's header and settings (CONTRIBUTING.md).

    remote.py HEADER SETTINGS [EMULATOR]

EMULATOR is given if the functions launch a kernel (tools/grade/remote_cuda.h).
"""
import pathlib
import re
import sys

# KERNEL in the settings stands for a head and its memory, the arguments of all kernels.
# The judge counts loads and stores (remote_head.h), but not what fill_as writes.
KERNEL = ("*h h->Q.hbm[] h->K.hbm[] h->V.hbm[] h->rule.mask.hbm[] h->O.hbm[] h->L.hbm[]"
          " mem->M => mem->error mem->message mem->counts.written[INIT] mem->on_chip"
          " mem->extra h->O.hbm.data h->L.hbm.data")

FUNCTION = """
#if JUDGE
{kind}{name}({arguments})
{{
{result}    call({nth});
{over}    for (int nth; RECEIVE(nth), nth >= 0;) {{
{answers}    }}
{back}    alarm(0);
{give}}}
#else
{askers}static void serve_{nth}(void)
{{
    int answers = -1;
{here}{result}{over}{inputs}    {keep}{name}({names});
{again}{count}    SEND(answers);
{back}}}
#endif"""
# A call from the submission to the test: ANSWER is for the judge, ASKER for the worker.
ANSWER = """        if (nth == {k}) {{
            {of} x;
            RECEIVE(x);
            {answer}y = {asked}(x);
            size_t size = {size};
            SEND(size);
            pass(true, {where}, size);
        }}
"""
ASKER = """static {answer}ask_{asked}({of} x)
{{
    return {star}call_back({k}, &x, sizeof x);
}}
"""


def lists(items, more, header):
    """Returns the code that sends the values to the worker, sends the results back, and
    copies the inputs: the arrays that the header declares as const."""
    over, _, back = items.replace("KERNEL", KERNEL).partition("=>")
    over = re.sub(r"(\S+)\[\]", r"\1 \1.data[\1.rows * \1.stride]", over)
    sent = re.findall(r"([^ \[\]]+)(?:\[([^\]]*)\])?", over)
    arrays = ["NULL", *(name for name, size in sent if size)]
    inputs = [(k, array) for k, array in enumerate(arrays) if re.search(
        rf"const \w+ \*{array.split('>')[-1]}\b", header)]
    return ("".join(f"    ARRAY_TO_WORKER({name}, {size});\n" if size else
                    f"    TO_WORKER({name});\n" for name, size in sent),
            "".join(f"    ARRAY_TO_JUDGE({arrays.index(name)});\n" if name in arrays else
                    f"    TO_JUDGE({name});\n" + f"    ONE_LINE({name});\n" *
                    name.endswith("message") for name in back.split() + more) +
            "".join(f'    INPUT_TO_JUDGE({k}, "{array}");\n' for k, array in inputs),
            "".join(f"    keep({k});\n" for k, _ in inputs))


def function(nth, header, name, items, asks, emulator, race):
    kind, arguments = re.search(rf"(\w[\w ]*[ *]){name}\(([^;]*)\);", header).groups()
    result = keep = give = answers = askers = here = again = count = ""
    names, more = [], []
    if emulator:
        here = "    found = (struct found){0};\n"
        count, give = "    counts = counted();\n", "    forgive_race();\n"
        more = ["counts", "found"]
    if kind != "void ":
        result, keep = f"    {kind}result;\n", "result = "
        give += "    return result;\n"
        more.append("result")
    over, back, inputs = lists(items, more, "" if emulator else header)
    for argument in arguments.split(", "):
        own = re.search(r"(\w+)(\)\(.*)?$", argument)[1]
        names.append(own)
        if re.search(rf"\*{own}\b|\b{own}->", over):  # the worker receives the struct
            argument = argument.replace("const ", "").replace("*", "") + "[1] = {0}"
        here += f"    {argument};\n"
    if "KERNEL" in items:
        here += "    mem->watch = ask_transfer;\n    mem->watcher = h;\n"
        answers = "        answer_transfer(h, mem);\n"
    for k, ask in enumerate(asks):
        answer, asked, of, many = re.fullmatch(
            r"(.*?)(\w+)\((.*) \w+\)(?:\[(.*)\])?", ask).groups()
        size, where = (f"({many}) * sizeof *y", "y") if many else ("sizeof y", "&y")
        star = "" if many else f"*({answer}*)"
        names[names.index(asked)] = f"ask_{asked}"
        answers += ANSWER.format_map(locals())
        askers += ASKER.format_map(locals())
    names = ", ".join(names)
    if race:
        again = f"    if (repeats())\n        {keep}{name}({names});\n"
    return FUNCTION.format_map(locals())


def main(path, settings, emulator=""):
    header = re.sub(r"(?sm)/\*.*?\*/|^#[^\n]*", "", pathlib.Path(path).read_text())
    header = " ".join(header.split())
    settings = pathlib.Path(settings).read_text()
    functions = re.findall(
        r"(?m)^((?:asks: .*\n)*)(?!(?:asks|points|counted|race):)(\w+): (.*)$",
        settings)
    print(f'#include "{pathlib.Path(path).name}"\n#include "tools/grade/remote.h"')
    if any("KERNEL" in items for _, _, items in functions):
        print('#include "tools/grade/remote_head.h"')
    if emulator:
        print('#include "tools/grade/remote_cuda.h"')
    for nth, (asks, name, items) in enumerate(functions):
        print(function(nth, header, name, items, re.findall(": (.*)", asks), emulator,
                       re.search("(?m)^race: ", settings)))
    serve = ", ".join(f"serve_{nth}" for nth in range(len(functions)))
    print(f"\n#if !JUDGE\nvoid (*const serve[])(void) = {{{serve}}};\n#endif")


main(*sys.argv[1:])
