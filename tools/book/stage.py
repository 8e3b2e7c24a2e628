"""stage.py OUT [ADDRESS]: writes the pages of docs/, and every file that they link to, for
Zensical. docs/a.md becomes OUT/a.md. A linked source file a/b.c becomes the page
OUT/a/b.c.md. A linked folder a becomes the page OUT/a/index.md. Pictures are copied,
and the notebook with the ADDRESS of the project.
"""
import glob
import os
import re
import shutil
import sys

from pygments.lexers import find_lexer_class_for_filename

OUT, ADDRESS = (sys.argv[1:] + [""])[:2]
FENCE = re.compile(r"(^ *(```|~~~)[\s\S]*?^ *\2\n)", re.M)
LINK = re.compile(r"(?<=\])\(\s*(?!\w+:|#)([^\s)#]+)(#[^\s)]*)?\)")
WOVEN = re.compile(r"<!-- weave (?:code|bite) (\S+).*\n(```[\s\S]*?\n```\n)")
HTML = re.compile("<((?:details|summary|div).*?)>")
# Files that folder_page leaves out. mistakes.diff contains lines of solutions.
HIDDEN = (".npy", ".diff")


def page_of(path):
    if os.path.isdir(path):
        return f"{path}/index.md"
    keep = path.endswith((".md", ".svg", ".ipynb"))
    return path.removeprefix("docs/") + ("" if keep else ".md")


def source_page(path):
    lexer = find_lexer_class_for_filename(path)
    return ("---\nhide: [toc]\nsearch: {exclude: true}\n---\n"
            f"# `{path}`\n\n~~~~{lexer.aliases[0] if lexer else 'text'} "
            f'linenums="1"\n{open(path).read()}~~~~\n')


def folder_page(path, to):
    files = [f for f in sorted(os.listdir(path))
             if os.path.isfile(f"{path}/{f}") and not f.endswith(HIDDEN)]
    return f"# `{path}`\n\n" + "".join(f"- [`{f}`]({to(f)})\n" for f in files)


def prose_page(path, to):
    """Returns the page with each link replaced by to(link). Adds a link to the source
    of each code block that docs.py fills."""
    up = os.path.relpath(".", os.path.dirname(path) or ".")
    text = WOVEN.sub(r"\2\n[\1](" + up + r"/\1){.from}\n", open(path).read())
    parts = FENCE.split(text)
    for k in range(0, len(parts), 3): # parts: text, fence, the fence's mark, text ...
        parts[k] = LINK.sub(lambda m: f"({to(m[1])}{m[2] or ''})", parts[k])
        parts[k] = HTML.sub(r"<\1 markdown>", parts[k])
    del parts[2::3]
    is_moved = 'http-equiv="refresh"' in text
    return is_moved * "---\nsearch: {exclude: true}\n---\n" + "".join(parts)


def stage(path):
    page = page_of(path)
    if os.path.exists(f"{OUT}/{page}"):
        return
    if "/solution/" in path or path.endswith("/mistakes.diff"):
        sys.exit(f"stage.py: {path}: a page links to this file, which has solutions")
    os.makedirs(os.path.dirname(f"{OUT}/{page}"), exist_ok=True)
    if path.endswith(".svg"):
        shutil.copy(path, f"{OUT}/{page}")
        return
    if path.endswith(".ipynb"):
        text = open(path).read().replace(r'ADDRESS = \"\"', rf'ADDRESS = \"{ADDRESS}\"')
        with open(f"{OUT}/{page}", "w") as out:
            out.write(text)
        return
    linked = set()
    folder = path if os.path.isdir(path) else os.path.dirname(path)

    def to(target):
        file = os.path.normpath(os.path.join(folder, target))
        linked.add(file)
        return os.path.relpath(page_of(file), os.path.dirname(page))

    if os.path.isdir(path):
        text = folder_page(path, to)
    else:
        text = prose_page(path, to) if page == path.removeprefix("docs/") else \
            source_page(path)
    with open(f"{OUT}/{page}", "w") as out:
        out.write(text)
    for file in sorted(linked):
        stage(file)


shutil.rmtree(OUT, ignore_errors=True)
for path in sorted(glob.glob("docs/*.md")):
    stage(path)
