"""docs/colab.ipynb: the first command on a GPU that Google lends.

    python3 tools/notebook.py write     makes it of what is here
    python3 tools/notebook.py check     is it that, and does nbformat's schema hold
    python3 tools/notebook.py run       its cells in order, without Jupyter
"""
import json
import os
import re
import subprocess
import sys
import types
import xml.etree.ElementTree

PATH = "docs/colab.ipynb"
CELLS = ["""# FlashAttention on a GPU for nothing

Choose *Runtime, Change runtime type, T4 GPU*. Put where you found this project in
place of its address below. Then run the cells one by one: the first asks what GPU
you have got.""", """\
import os
if not os.path.exists("07_cuda"):
    !git clone ADDRESS-OF-THIS-PROJECT attention
    %cd attention
!nvidia-smi -L
!sh setup.sh""", """## The table

Of every kernel that your card can run: how long it takes, and how far from float64
its output is. What is left out is said below it, and why. This takes some minutes,
half of them for the compiler.""", """\
!make gpu-check""", """## The picture""", """\
from IPython.display import SVG
SVG("build/plots/cards.svg")""", """## What now?

The table is a file in `attention/docs/results` (look to the left, at the folder).
`docs/results/README.md` says how it comes to the project's pages. And in a cell of its
own, `!make gpu-check PART=contract` asks your card for all that the tests claim."""]


def notebook():
    cells = []
    for k, text in enumerate(CELLS):
        cell = {"cell_type": "code" if k % 2 else "markdown", "metadata": {},
                "source": text}
        cells.append({**cell, "execution_count": None, "outputs": []} if k % 2
                     else cell)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "nbformat": 4, "nbformat_minor": 4,
            "metadata": {"accelerator": "GPU", "colab": {"gpuType": "T4"},
                         "kernelspec": kernel}}


def run():
    """! is the shell, as in IPython, but what fails there ends it here."""
    names = {"shell": lambda line: subprocess.run(line, shell=True, check=True),
             "cd": os.chdir}
    display = types.ModuleType("IPython.display")
    display.SVG = xml.etree.ElementTree.parse
    sys.modules.update({"IPython": display, display.__name__: display})
    for cell in json.load(open(PATH))["cells"]:
        if cell["cell_type"] == "code":
            text = cell["source"]
            for mark, name in ("!", "shell"), ("%cd ", "cd"):
                text = re.sub(rf"(?m)^( *){mark}(.*)$", rf'\1{name}("\2")', text)
            exec(text, names)


def check():
    import nbformat
    nbformat.validate(nbformat.read(PATH, as_version=4))
    if json.load(open(PATH)) != notebook():
        sys.exit(f"{PATH}: not what tools/notebook.py makes (make docs)")


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) == 2 else ""
    if what == "write":
        with open(PATH, "w") as file:  # a cell, a line
            file.write(json.dumps(notebook()).replace(', {"cell', ',\n{"cell') +
                       "\n")
    elif what == "check":
        check()
    elif what == "run":
        run()
    else:
        sys.exit("usage: notebook.py write|check|run")
