"""Every page of the book, and README's, in Chromium: what page.js asks of it, from
360 to 1920 pixels wide, light and dark; its links; real keys, a finger, paper, no
JavaScript; the search; the steppers, beside the programs of the chapters.

    python3 tools/book/test/test.py BUILD
"""
import csv
import glob
import json
import os
import re
import subprocess
import sys
import time

from browser import Browser

BUILD = sys.argv[1]
SITE, BOOK = f"{BUILD}/site", f"{BUILD}/site/book"
PICTURE = "docs/plots/race.svg"
ASK = open("tools/book/test/page.js").read()
CONTENTS = "document.querySelector('#contents')"
counts = [0, 0]


def must(what, fine):
    counts[not fine] += 1
    if not fine:
        print("  FAILED ", what)


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True,
                          encoding="utf-8").stdout


# --- Every page ---------------------------------------------------------------

def pages(b):
    links, ids = {}, {}
    for file in sorted(glob.glob(f"{SITE}/**/*.html", recursive=True)):
        page = os.path.abspath(file)
        must(f"{page}: opens", b.open(page, 360))
        b.script(ASK)
        b.script("all('details').forEach((el) => { el.open = true; })")
        links[page] = b.script("links()")
        ids[page] = b.script("all('[id]').map((el) => el.id)")
        for width, names in (360, ""), (768, "'is wider than the page'"), \
                (1024, "'is wider than the page'"), (1280, ""), \
                (1920, "'is wider than the page'"):
            b.width(width)
            wrong = b.script(f"wrong({names})")
            must(f"{file} ({width}): {wrong}", wrong == [])
        for wanted, contents in ("light", "show"), ("dark", "show"):
            b.width(360)
            b.script(f"{CONTENTS}?.showPopover()")
            b.ask("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": wanted}])
            wrong = b.script("wrong('is too pale', 'is wider than the page')")
            must(f"{file}, {wanted}, contents open: {wrong}", wrong == [])
        must(f"{file}: {b.errors}", not b.errors)
        b.errors.clear()
    reached = [os.path.abspath(f"{SITE}/index.html")]
    for at in reached:  # what is added meanwhile comes, too
        for link in links[at]:
            to, _, anchor = link.replace("file://", "").partition("#")
            must(f"{at}: {link} leads nowhere",
                 to in ids and (not anchor or anchor in ids[to]))
            if to in ids and to not in reached:
                reached.append(to)
    must(f"no links lead to {set(ids) - set(reached)}", set(ids) == set(reached))


def search(b):
    b.open(f"{BOOK}/glossary.html")
    terms = b.script("[...document.querySelectorAll('li > a[id]')].map((a) => "
                     "[a.id, a.parentElement.querySelector('strong').innerText])")
    must("the glossary has more than 60 terms", len(terms) > 60)
    b.open(f"{BOOK}/01_naive_softmax/naive_softmax.c.html", 360)
    b.press("/")
    b.ask("Input.insertText", text="wavefront")
    must("a stroke goes to the search, which finds",
         b.until("!!document.querySelector('.found a')"))
    b.script(ASK)
    named = {}
    for place, term in terms:
        for name in {term, *term.split(", ")}:
            named.setdefault(name.lower(), []).append(f"../glossary.html#{place}")
    for name, wanted in named.items():
        found = b.script(f"places({json.dumps(name)})")
        must(f"search: {name} is {found[:1]}", found and found[0] in wanted)
    for words, wanted in ("borrow the same book", "../05_flash1.html"), \
            ("zzyzx", ""):
        found = b.script(f"places('{words}')") or [""]
        must(f"search: {words}", found[0].split("#")[0] == wanted)
    b.script("places('wavefront')")
    wrong = b.script("wrong('is wider than the page', 'is too pale')")
    must(f"what is found: {wrong}", wrong == [])
    b.press("Enter")
    must("Enter goes there",
         b.until("location.href.endsWith('glossary.html#wavefront')"))


# --- Keys, a finger, paper ------------------------------------------------------

def tab_key(b):
    b.open(f"{BOOK}/01_naive_softmax.html", 360)
    left = b.script(
        "(window.stops = [...document.querySelectorAll('a[href], button, input,"
        " summary')].filter((el) => el.tabIndex === 0 && el.checkVisibility()))"
        ".length")
    for _ in range(left + 20):  # boxes that scroll are stops, too
        b.press("Tab")
        b.script("stops = stops.filter((el) => el !== document.activeElement)")
    must("the Tab key passes over nothing", b.script("stops.length") == 0)
    b.open(f"{BOOK}/06_flash2.html", 360)
    b.press("Tab", "Tab", "Enter", "Tab")
    must("Enter opens the contents, Tab goes into them",
         b.until(f"{CONTENTS}.contains(document.activeElement)"))
    b.press("Escape")
    must("Escape closes them", b.until(f"!{CONTENTS}.checkVisibility()"))


def finger(b, scripts):
    b.open(f"{BOOK}/warp_stepper.html", 360, scripts)
    b.ask("Emulation.setTouchEmulationEnabled", enabled=True)
    b.tap("[popovertarget]")
    must("a tap opens the contents",
         b.until(f"{CONTENTS}.matches(':popover-open')"))
    time.sleep(1)  # else it is a double tap
    b.tap(335, 400)
    must("a tap beside them closes them",
         b.until(f"!{CONTENTS}.checkVisibility()"))
    if scripts:
        b.tap(".stepper button:nth-child(3)")
        must("a tap steps", b.until(STEP.format(2)))
    else:
        must("there is no search that cannot search",
             b.script("!document.querySelector('[role=search]')"))
    b.open(f"{BOOK}/03_online_softmax.html", 1280, scripts)
    must("a wide screen shows the contents, with this page's sections",
         b.script(f"{CONTENTS}.querySelector('.sections a').checkVisibility()"))


def paper(b):
    b.open(f"{BOOK}/03_online_softmax.html", 794)
    b.ask("Emulation.setEmulatedMedia", media="print")
    must("the header is not printed",
         b.script("!document.querySelector('header').checkVisibility()"))
    must("what is folded is printed, and no code is cut off", b.script(
        "[...document.querySelectorAll('pre')].every((el) => el.scrollWidth <= "
        "el.clientWidth + 1 && el.getBoundingClientRect().height > 20)"))


# --- The steppers ---------------------------------------------------------------

STEP = "document.querySelector('.stepper [role=status]').textContent" \
       ".includes(' {} of ')"
CASES = {
    "online": ["all 0.1 0.5 0.4 0.2 0.3 0.3", "3 3 2 1 0",
               "all 0 1 2 3 -7 100 99.5 1e3", "all -inf -inf 1 2 -inf"],
    "tile": ["7 64 16 1024", "all 64 64 100", "all 100 33 3000"],
    "backward": ["all 64 64 100", "5 100 33 3000"],
    "warp": ["9 16 128 1 0", "all 16 24 1 0", "all 8 256 2 1"],
    "pipeline": ["all", "7"],
}


def steps(kind, *words):
    return said(f"{BUILD}/book_parts/steps", kind.replace("tile", "tiles"), *words)


def steppers(b):
    for kind, cases in CASES.items():
        page = f"{BOOK}/{kind}_stepper.html"
        b.open(page, scripts=False)
        still = b.script("document.querySelector('.stepper').innerHTML.trim()")
        must(f"{kind}: there is a picture without JavaScript",
             b.script("document.querySelector('.stepper svg').checkVisibility()"))
        must(f"{kind}: starts", b.open(page))
        b.press("Home", "ArrowRight", "ArrowRight", "ArrowLeft")
        must(f"{kind}: keys step", b.until(STEP.format(1)))
        b.press("End")
        b.script(ASK)
        must(f"{kind}: its end is what is shown without JavaScript", still ==
             b.script("document.querySelector('.picture').innerHTML.trim()"))
        for case in cases:
            shown, *words = case.split()
            c = json.dumps(steps(kind, shown, *words))
            must(f"{kind} {case}: is not what C prints", b.script(
                f"picture('{' '.join(words)}', '{shown}') === normal({c})"))
        if kind == "pipeline":  # which has no field
            continue
        b.press("Home")
        b.script("document.querySelector('.stepper input').focus()")
        b.press("ArrowRight")
        must(f"{kind}: in a field an arrow is the field's",
             b.until(STEP.format(0)))
        b.press("Enter", "ArrowRight")
        must(f"{kind}: Enter gives the keys back", b.until(STEP.format(1)))
        b.script("document.querySelector('.stepper input').value = '';"
                 "document.querySelector('.stepper form').requestSubmit()")
        must(f"{kind}: takes nothing for a number",
             b.script("!!document.querySelector('.stepper :is(.error, :invalid)')"))


def rows(kind, *words):
    """Of the tables of a stepper: the cells' text."""
    return [[re.sub("<[^>]*>|,", "", cell) for cell in re.split("</t[hd]>", row)]
            for row in re.findall("<tr.*(?=</tr)", steps(kind, "all", *words))]


def counted(kind, ways, one, two, names):
    """The rows of a stepper's table are what the program counts of two steps."""
    table = {r[0]: r[1:3] for r in rows(kind, "100", "33", "3000")}
    program = csv.DictReader(said(
        f"{BUILD}/06_flash2/run", *ways, *"--n 100 --d 33 --sram 3000 --seed 1 "
        "--csv".split()).splitlines())
    step = {line["step"]: line for line in program}
    for column, row in names.items():
        wanted = [step[one][column], step[two][column]]
        must(f"{kind}, {row}: {table.get(row)}, not {wanted}",
             table.get(row) == wanted)


def traffic():
    given = "0.1 0.5 0.4 0.2 0.3 0.3".split()
    theirs = [line.split() for line in said(
        f"{BUILD}/03_online_softmax/run", "--trace", "--step", "online_softmax"
    ).splitlines() if re.match(r"\d+( +\S+){5}$", line.strip())]
    ours = [r for r in rows("online", *given) if r[0].isdigit()]
    must("the states are those of --trace", theirs and
         [[float(x) for x in r[:6]] for r in ours] ==
         [[float(x) for x in r] for r in theirs])
    counted("tile", [], "flash1", "flash2", {
        "hbm_read": "read so far", "hbm_written": "written so far",
        "init": "first values of O l m", "onchip": "tiles on chip",
        "L": "L where the formula leaves it out",
        "formula": "moved in all by formula"})
    counted("backward", ["--backward"], "flash2_backward", "two_kernel_backward", {
        "hbm_read": "elements read so far", "onchip": "tiles on chip",
        "hbm_written": "elements written so far",
        "formula": "moved in all by formula"})


def race():
    """README's picture: the bytes of all heads, and it moves where it may."""
    drawn = open(PICTURE).read()
    must("the race is drawn from its data", drawn == said(
        "awk", "-f", "docs/lab/race.awk", f"{BUILD}/lab/race.tsv"))
    for step in "standard_attention", "flash1", "flash2":
        line, = csv.DictReader(said(
            f"{BUILD}/06_flash2/run", "--q", "common/data/q.npy", "--k",
            "common/data/k.npy", "--v", "common/data/v.npy", "--step", step,
            "--csv").splitlines())
        moved = 4 * sum(int(line[what]) for what in (
            "hbm_read", "hbm_written", "init", "L", "mask"))
        must(f"the race's bytes of {step}", re.search(
            f"<desc.* {moved // int(int(line['H']))}[,.]", drawn))
    b, still = Browser(), Browser("--force-prefers-reduced-motion")
    for each in b, still:
        each.open(PICTURE)
    early, late, end = b.looks(), b.looks(), still.looks()
    must("the picture moves", early != late)
    must("but not for a reader who prefers it still", end == still.looks())
    must("and shows the end then", end != early)


browser = Browser("--allow-file-access-from-files")
race()
traffic()
for test in steppers, search, tab_key, paper, pages:
    test(browser)
for with_scripts in True, False:
    finger(browser, with_scripts)
print(f"{counts[0]} passed, {counts[1]} failed")
sys.exit(counts[1] > 0)
