"""Fills and checks the Markdown pages.

  docs.py weave PAGE...        fills the woven blocks, in place
  docs.py times PAGE...        measures the times of docs/results/times.tsv again
  docs.py check PAGE...        compares each page with a newly woven one; checks
                               plots, links, the notebook, the lab, the glossary
  docs.py links PAGE...        checks relative links and anchors
  docs.py compare OLD NEW [X]  compares two files; numbers with an exponent may
                               differ by a factor of 2, other numbers with a
                               point by the fraction X or 2 in the last digit
  docs.py notebook             runs docs/colab.ipynb without Jupyter

A woven block is between two lines, <!-- weave KIND ARGUMENTS --> and
<!-- end -->. KIND determines its content:

  code PATH ANCHOR       the lines between ANCHOR: and ANCHOR_END:
  bite PATH | A | B      at most 12 lines, from the first line that contains A
                         to the next that contains B; only one line without B
  run COMMAND            `$ COMMAND` and its output; the command must succeed
  lines A-B,... COMMAND  like run, but only these lines of the output
  markdown COMMAND       the command's output, which is Markdown
  diff NN STEP           the output of tools/stepdiff.sh NN STEP

Commands run at the top of the project, after all programs are built. The output
of a program in build/ is cached. A new run is needed if the program, a file in
the command, or the bundled data has changed. docs.py replaces a time at the end
of a line by the time in docs/results/times.tsv, so that pages do not change with
the machine; weave adds the times of a new step to that file. If a block fails or
is empty, its page does not change, and the exit status is 1.
"""
import concurrent.futures
import glob
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import types
import xml.etree.ElementTree

BUILD = os.environ.get("BUILD", "build")
TIMES = os.environ.get("TIMES", "docs/results/times.tsv")
BLOCK = re.compile(r"^(```|~~~).*?^\1"  # a marker inside a fence is an example
                   r"|^<!-- weave (\w+) ([^\n]*) -->\n(.*?)^<!-- end -->$"
                   r"|^<!-- (?:weave [^\n]*|end) -->$", re.S | re.M)


class Wrong(Exception):
    pass


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}") from None


def stem(path):
    return os.path.splitext(os.path.basename(path))[0]


def succeeds(*command):
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    part = f"{path}.{os.getpid()}.part"
    with open(part, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)


def cached_in(command):
    """Returns the path of the cached output. Its name is a digest of the inputs."""
    # Programs read the bundled data. cuda-bugs reads the sources of its bugs.
    files = glob.glob("common/data/*.npy") + \
        glob.glob("tools/emulator/cuda_on_cpu/bugs/*.cu")
    for word in filter(os.path.isfile, command.split()):
        folder = os.path.dirname(word) or "."
        files += [word, *glob.glob(f"{folder}/*/run"), *glob.glob(f"{folder}/*/*/run")]
        with open(word, "rb") as file:
            is_script = file.read(2) == b"#!"  # a script may run another program
        files += read(word).split() if is_script else []
    digest = hashlib.sha256(command.encode())
    for path in sorted(filter(os.path.isfile, files)):
        with open(path, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return f"{BUILD}/outputs/{digest.hexdigest()[:16]}"


def output(command, use_cache=True):
    command = re.sub("(^| )build/", rf"\1{BUILD}/", command)
    kept = cached_in(command) if f"{BUILD}/" in command else None
    if kept and use_cache and os.path.exists(kept):
        return read(kept)
    done = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env=dict(os.environ, LC_ALL="C", NO_COLOR="1", COLUMNS="80"))
    text = done.stdout.decode(errors="replace")
    if done.returncode or not text:
        raise Wrong(text + f"exit {done.returncode}: {command}")
    if kept:
        write(kept, text)
    return text


class Times:
    """Replaces the times in an output by the times in a table."""

    def __init__(self, may_add=False, measure=False):
        self.may_add, self.measure = may_add, measure
        self.table = {}
        if os.path.exists(TIMES) and not measure:
            for line in read(TIMES).splitlines():
                command, name, time = line.split("\t")
                self.table[command, name] = time

    def output(self, command):
        return [self.line(command, line.rstrip(" \t"))
                for line in output(command, not self.measure).splitlines()]

    def line(self, command, line):
        time = re.search(" +([0-9.]+ (?:ns|us|ms|s))$", line)
        if not time:
            return line
        start = line[:time.start()]
        key = command, (start.split() or [""])[0]
        if key not in self.table:
            if not self.may_add:
                raise Wrong(f"{TIMES}: has no time of {key[1]} (make docs)")
            self.table[key] = time[1]
            write(TIMES, "".join("\t".join((*key, time)) + "\n"
                                 for key, time in self.table.items()))
        return f"{start} {self.table[key]:>{len(time[0]) - 1}}"


def dedented(lines):
    lines = [line for line in lines if not re.search("ANCHOR(_END)?: ", line)]
    indents = [len(line) - len(line.lstrip(" ")) for line in lines
               if line and not line.startswith("#pragma")]
    least = min(indents, default=0)
    return [line if line.startswith("#pragma") else line[least:] for line in lines]


def anchored(path, name):
    lines = read(path).splitlines()
    first, last = ([n for n, line in enumerate(lines)
                    if re.search(rf"{what}: {re.escape(name)}[ */]", line + " ")]
                   for what in ("ANCHOR", "ANCHOR_END"))
    if len(first) != 1 or len(last) != 1 or first > last:
        raise Wrong(f"{path}: needs ANCHOR: {name}, then ANCHOR_END: {name}, once each")
    return dedented(lines[first[0]:last[0]])


def bite(path, first, last):
    lines = read(path).splitlines()
    begin = next((n for n, line in enumerate(lines) if first in line), None)
    end = begin is not None and next(
        (n for n in range(begin, len(lines)) if last in lines[n]), None)
    if begin is None or end is None:
        raise Wrong(f"{path}: needs {first}, then {last}")
    lines = dedented(lines[begin:end + 1])
    if len(lines) > 12:
        raise Wrong(f"{path}: {len(lines)} lines from {first}; at most 12 allowed")
    return lines


def chosen(ranges, lines):
    """Returns the lines of the ranges (such as 1-3,7), and ... in place of the others."""
    ends = [[int(n) for n in pair.split("-")] for pair in ranges.split(",")]
    wanted = {n for first, last in ends for n in range(first, last + 1)}
    if max(wanted) > len(lines):
        raise Wrong(f"lines {ranges}: the output has {len(lines)}")
    result = []
    for n, line in enumerate(lines, 1):
        if n in wanted:
            result.append(line)
        elif result[-1:] != ["..."]:
            result.append("...")
    return result


def block(kind, arguments, times):
    word, _, rest = arguments.partition(" ")
    language = "text"
    if kind == "markdown":
        return times.output(arguments)
    if kind == "code":
        lines = anchored(word, rest)
    elif kind == "bite":
        texts = arguments.split(" | ")[1:]
        lines = bite(word, texts[0], texts[-1])
    elif kind == "run":
        lines = [f"$ {arguments}"] + times.output(arguments)
    elif kind == "lines":
        lines = [f"$ {rest}"] + chosen(word, times.output(rest))
    elif kind == "diff":
        language = kind
        lines = output(f"sh tools/stepdiff.sh {arguments}").splitlines()
    else:
        raise Wrong("unknown kind; allowed: code, bite, run, lines, markdown, diff")
    if kind in ("code", "bite"):
        extension = word.rpartition(".")[2]
        language = {"h": "c", "cu": "cuda", "cuh": "cuda"}.get(extension, extension)
    if not lines:
        raise Wrong("the block is empty")
    return [f"```{language}", *lines, "```"]


def woven(page, times):
    text = read(page)

    def replacement(match):
        where = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
        if match[1]:
            return match[0]
        if not match[2] or re.search("^<!-- weave ", match[4], re.M):
            raise Wrong(f"{where}: a block without an end, or an end without a block")
        try:
            lines = block(match[2], match[3], times)
        except Wrong as wrong:
            raise Wrong(f"{wrong}\n{where}: weave {match[2]} {match[3]}: failed") from None
        return "\n".join([match[0].partition("\n")[0], *lines, "<!-- end -->"])

    return BLOCK.sub(replacement, text)


def weave(pages, times, folder="."):
    """Weaves the pages into the folder. Returns the names of the pages that failed."""
    if not times.measure:  # first fills the cache of outputs, on all processors
        commands = {match[1] for page in pages for match in re.finditer(
            r"^<!-- weave (?:run|lines \S+|markdown) (.*\bbuild/.*) -->$",
            read(page), re.M)}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for command in commands:
                pool.submit(output, command)
    failed = []
    for page in pages:
        target = os.path.join(folder, page)
        try:
            text = woven(page, times)
        except Wrong as wrong:
            print(wrong, file=sys.stderr)
            failed.append(page)
            continue
        if not os.path.exists(target) or read(target) != text:
            write(target, text)
    return failed


def same_number(a, b, floor, share):
    x, y = float(a), float(b)
    if a == b:
        return True
    if "e" in a + b:  # an error against float64: machines round differently
        return max(abs(x), abs(y)) < floor or y != 0 and 0.5 <= x / y <= 2
    last_digit = 10.0 ** -len(a.partition(".")[2])
    return share > 0 and "." in a and abs(x - y) <= max(share * abs(x), 2.01 * last_digit)


def same_line(a, b, floor, share):
    a, b = (re.split(r"(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)", re.sub("[ \t]+", " ", line))
            for line in (a, b))
    return len(a) == len(b) and a[::2] == b[::2] and \
        all(same_number(x, y, floor, share) for x, y in zip(a[1::2], b[1::2]))


def difference(old, new, floor=0.0, share=0.0):
    """Returns an error with the first five pairs of lines that differ, or None."""
    pairs = itertools.zip_longest(read(old).splitlines(), read(new).splitlines(),
                                  fillvalue="(no line)")
    texts = [f"{old}:{n}: differs from the program's output\n  there: {a}\n  now:   {b}"
             for n, (a, b) in enumerate(pairs, 1) if not same_line(a, b, floor, share)]
    return "\n".join(texts[:5]) or None


def anchors_and_links(page):
    text = re.sub(r"^ *(```|~~~).*?^ *\1", "", read(page), flags=re.S | re.M)
    anchors = set(re.findall('(?:id|name)="([^"]+)"', text))
    for heading in re.findall("^#+ +(.*)", text, re.M):  # GitHub's anchor names
        heading = re.sub(r"\]\([^)]*\)", "", heading).lower()
        heading = re.sub(r"[^\w -]", "", heading).replace(" ", "-")
        n = sum(re.fullmatch(re.escape(heading) + r"(-\d+)?", a) is not None
                for a in anchors)
        anchors.add(f"{heading}-{n}" if n else heading)
    targets = re.findall(r"\]\(([^() ]+)", re.sub("`[^`]*`", "", text))
    return anchors, [t for t in targets if not re.match("[a-z]+://|mailto:", t)]


def links(pages, plots=None):
    """Yields an error or None for each relative link, and for each line of code that
    docs/notes quotes. If `plots` is given, that folder must have each plot."""
    found = {os.path.normpath(page): anchors_and_links(page) for page in pages}
    for page, (_, targets) in found.items():
        for target in targets:
            name, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), name)) \
                if name else page
            error = None
            if not os.path.exists(path):
                error = "no such file"
            elif anchor and path.endswith(".md") and \
                    anchor not in found.get(path, [()])[0]:
                error = "no such heading"
            elif plots and re.fullmatch(r"docs/plots/.*\.svg", path) and \
                    not os.path.exists(os.path.join(plots, os.path.basename(path))):
                error = "no plot.gp draws it"
            yield error and f"{page}: {target}: {error}"
        if "docs/notes/" in page:
            path, = re.findall(r"^# \[.*\]\(\.\./\.\./(.*?)\)", read(page))
            for line in re.findall(r"\n\n`(.*?)`", read(page)):
                yield None if line in read(path) else f"{page}: {path} has no {line}"


def plots_again(folder):
    """Draws the plots. Compares each with the committed one, unless two versions of
    gnuplot drew them."""
    for chapter in os.environ.get("PLOTTED", "").split():
        yield not succeeds("sh", "tools/plot.sh", chapter) and f"{chapter}: plot.sh failed"
    for new in glob.glob(f"{folder}/*.svg"):
        old = f"docs/plots/{os.path.basename(new)}"
        if not os.path.exists(old):
            yield f"{old}: no such file; make plots draws it"
        elif re.findall("Produced by.*", read(old)) == re.findall("Produced by.*", read(new)):
            yield difference(old, new, share=0.02)


def lab_without_page(pages):
    """Checks that a page refers to each plot, program, table and result of the lab."""
    patterns = {path: "plots/" + os.path.basename(path)
                for path in glob.glob("docs/plots/*.svg")}
    for path in glob.glob("docs/lab/*.gp"):
        patterns[path] = f"plots/{stem(path)}[_.]"
    for path in glob.glob("docs/lab/*.c"):
        if re.search("^int main", read(path), re.M):
            patterns[path] = rf"(lab[/-]|plots/|make (assurance-)?){stem(path)}\b"
    tables = subprocess.run([sys.executable, "docs/lab/tables.py"], check=False,
                            stderr=subprocess.PIPE).stderr.decode()
    for table in re.sub(".*allowed: |[,)]", "", tables).split():
        patterns[f"docs/lab/tables.py {table}"] = rf"tables\.py {table}\b"
    for path in glob.glob("docs/results/*.t*"):
        name = stem(path)
        if not (read(path).startswith("card") or os.path.exists(f"docs/lab/{name}.gp")
                or f'"{name}"' in read("docs/lab/tables.py")):
            patterns[path] = rf"results/{name}\b|tables\.py changed {name}"
    listed = read("docs/results/README.md")  # enough for a program
    text = "".join(map(read, set(pages) - {"docs/results/README.md"}))
    for path, pattern in patterns.items():
        yield not re.search(pattern, text + listed * path.endswith(".c")) and \
            f"{path}: no page refers to it; use it on a page, or delete it"


def words_without_glossary():
    """The glossary must have each function of common/ that a kernel of 04 to 06
    calls."""
    kernels = [kernel for path in glob.glob("0[4-6]_*/*.c") for kernel in
               re.findall("ANCHOR: kernel.*?ANCHOR_END: kernel", read(path), re.S)]
    headers = "".join(map(read, glob.glob("common/*.h")))
    for word in set(re.findall(r"\w+\(", re.sub(r"/\*.*", "", "\n".join(kernels)))):
        yield word in headers and f"`{word}" not in read("docs/glossary.md") and \
            f"docs/glossary.md: has no {word})"


def check(pages):
    folder = f"{BUILD}/docs"
    plots = os.environ["PLOTS"] = f"{folder}/plots"
    failed = weave(pages, Times(), folder)
    for page in pages:
        yield f"{page}: not woven" if page in failed else \
            difference(page, f"{folder}/{page}", floor=1.2e-7)
    shutil.rmtree(plots, ignore_errors=True)
    if succeeds("sh", "tools/require.sh", "gnuplot"):
        yield from plots_again(plots)
    if succeeds("sh", "tools/require.sh", "nbformat"):
        yield not succeeds("/usr/bin/python3", "-c", "import nbformat as n\n"
                       "n.validate(n.read('docs/colab.ipynb', as_version=4))") and \
            "docs/colab.ipynb: does not match nbformat's schema"
    others = [path for top in ("common", *glob.glob("0[1-7]_*"))
              for path in glob.glob(f"{top}/**/*.md", recursive=True)]
    yield from links(pages + others, os.path.exists(plots) and plots)
    yield from lab_without_page(pages)
    yield from words_without_glossary()


def report(errors):
    errors = list(errors)
    wrong = list(filter(None, errors))
    print("".join(f"  FAILED  {error}\n" for error in wrong), end="")
    print(f"{len(errors) - len(wrong)} passed, {len(wrong)} failed")
    return bool(wrong or not errors)


def notebook(path="docs/colab.ipynb"):
    """Runs the notebook's cells in order. A shell command (!) must not fail."""
    names = {"shell": lambda line: subprocess.run(line, shell=True, check=True),
             "cd": os.chdir}
    display = types.ModuleType("IPython.display")
    display.SVG = xml.etree.ElementTree.parse
    sys.modules.update({"IPython": display, display.__name__: display})
    for cell in json.loads(read(path))["cells"]:
        if cell["cell_type"] == "code":
            text = cell["source"]
            for mark, name in ("!", "shell"), ("%cd ", "cd"):
                text = re.sub(rf"(?m)^( *){mark}(.*)$", rf'\1{name}(f"\2")', text)
            exec(text, names)  # pylint: disable=exec-used


def main(command="", *words):
    words = list(words)
    if command == "weave":
        return bool(weave(words, Times(may_add=True)))
    if command == "times":
        return bool(weave(words, Times(may_add=True, measure=True), f"{BUILD}/docs"))
    if command == "check":
        failed = report(check(words))
        if failed:
            print("next: make docs\n  or: fix the errors above")
        return failed
    if command == "links":
        return report(links(words))
    if command == "compare":
        return difference(words[0], words[1], share=float((words[2:] or [0])[0]))
    if command == "notebook":
        return notebook()
    return __doc__


try:
    sys.exit(main(*sys.argv[1:]))
except Wrong as wrong:
    sys.exit(f"docs.py: {wrong}")
