"""check_links.py PAGE...: every relative link and image of a Markdown page names a
file that is there, and an #anchor a heading of that file. A plot must also be one
that was drawn anew into $PLOTS, if that is set."""

import os
import re
import sys

plots = os.environ.get("PLOTS")
anchors, links = {}, []
for page in sys.argv[1:]:
    text = re.sub(r"^ *(```|~~~).*?^ *\1", "", open(page).read(), flags=re.S | re.M)
    # As GitHub makes an anchor of a heading; or one that is set by hand.
    found = anchors[os.path.normpath(page)] = set(re.findall('(?:id|name)="([^"]+)"', text))
    for heading in re.findall("^#+ +(.*)", text, re.M):
        heading = re.sub(r"\]\([^)]*\)", "", heading).lower()
        heading = re.sub(r"[^\w -]", "", heading).replace(" ", "-")
        n = sum(a == heading or re.fullmatch(re.escape(heading) + r"-\d+", a) is not None
                for a in found)
        found.add(f"{heading}-{n}" if n else heading)
    links += [(page, target) for target in re.findall(
        r"\]\(([^() ]+)", re.sub("`[^`]*`", "", text))
        if not re.match("[a-z]+://|mailto:", target)]

failed = 0
for page, target in links:
    name, _, anchor = target.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name \
        else os.path.normpath(page)
    error = None
    if not os.path.exists(file):
        error = "no such file"
    elif anchor and file.endswith(".md") and anchor not in anchors.get(file, ()):
        error = "no such heading"
    elif plots and file.startswith("docs/plots/") and file.endswith(".svg") and \
            not os.path.exists(f"{plots}/{os.path.basename(file)}"):
        error = "no plot.gp draws it"
    if error:
        print(f"  FAILED  {page}: {target}: {error}")
        failed += 1
for page in sys.argv[1:]:
    if "docs/notes/" in page: # each piece of code of a note is in its file
        note = open(page).read()
        file, = re.findall(r"^# \[.*\]\(\.\./\.\./(.*?)\)", note)
        code = open(file).read()
        for line in re.findall(r"\n\n`(.*?)`", note):
            if line not in code:
                print(f"  FAILED  {page}: {file} has no {line}")
                failed += 1
print(f"{len(links) - failed} passed, {failed} failed")
sys.exit(failed > 0 or not links)
