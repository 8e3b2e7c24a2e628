"""Tests the book in Chromium, over HTTP and from files. Formulas must be typeset,
and pictures must load. No element may be wider than the page. The search must find
a term. The last frame of each player must show the numbers that the program counted, and
no frame may show "undefined" or "NaN".
No page may request a file from another server. If the book has programs, each
terminal must run its line within two seconds, and print what the page shows.

    python3 tools/book/test.py build/book
"""
import functools
import glob
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

BOOK = os.path.abspath(sys.argv[1])
PAGES = {os.path.relpath(page, BOOK): open(page).read() for page in
         sorted(glob.glob(f"{BOOK}/**/*.html", recursive=True))}
# Pages that are now a part of another one, and its address.
MOVED = {page: to[1] for page, html in PAGES.items() if
         (to := re.search(r'http-equiv="?refresh"? content="0; url=([^"]*)', html))}
TWO = r"-?\d\.\d{4} -?\d\.\d{4}"
COUNTED = re.compile(
    r"\d+ elements read, \d+ written|y = .*" # the totals; the result of 03
    rf"|(?<= [\d.]{{6}} [\d.]{{6}}   ){TWO}$" # o, to the right of a row of P
    rf"|(?<=   ){TWO}(?=  +[\d.]+$)" # o / l, to the left of L
    rf"|(?<= ){TWO}(?=  +{TWO}  +{TWO}$)", re.M) # dQ, to the left of dK and dV
looks, wrong = 0, []

# Returns the wrong elements of the current page, and the frames of each player.
LOOK = r"""(async () => {
    const all = (what) => [...document.querySelectorAll('article ' + what)];
    all('details').forEach((el) => { el.open = true; });
    await Promise.all(all('img').map((img) => img.decode().catch(() => 0)));
    const root = document.documentElement;
    const scrolls = (el) => el && (scrolls(el.parentElement) ||
        /auto|scroll/.test(getComputedStyle(el).overflowX));
    const ill = [...all('img').filter((el) => !el.naturalWidth || !el.alt),
        ...all('.arithmatex').filter((el) => !el.querySelector('.katex-html')),
        ...all('.katex-error'), ...all(':not(.katex-mathml *)').filter((el) => el.clientWidth &&
            el.getBoundingClientRect().right > root.clientWidth + 1 &&
            el.checkVisibility() && !scrolls(el.parentElement)),
        ...root.scrollWidth > root.clientWidth ? [document.body] : []];
    const frames = (el) => {
        const most = +el.querySelector('.keys span').innerText.split(' of ')[1];
        return [...Array(most)].map((_, k) => {
            el.dispatchEvent(new KeyboardEvent('keydown',
                { key: k ? 'ArrowRight' : 'Home' }));
            return el.querySelector('.stage').innerText.replace(/\s+/g, ' ');
        });
    };
    return [ill.map((el) => el.outerHTML.slice(0, 150)), all('.player').map(frames)];
})()"""

# The place of the first result of a search.
FIRST = {"logsumexp": "glossary", "swizzle": "#swizzle", "GQA": "#gqa",
         "softmax_scale": "glossary", "online softmax": "#online"}
# What the head of a page must have.
HEAD = """(() => {
    const has = (what) => !!document.querySelector(what);
    return { description: has('meta[name=description]'), author: has('meta[name=author]'),
             title: has('meta[property="og:title"]'), icon: has('link[rel=icon]'),
             licence: document.body.textContent.includes('MIT licence') };
})()"""

# The parts of an update, old, factor and new, that have no colour in code or in a trace.
PARTS = """['pre .old', 'pre .factor', 'pre .new', '.player .factor'].filter(
    (what) => !document.querySelector('article ' + what))"""

# Types a term into the search, and returns the links that it finds.
SEARCH = """(async () => {
    document.querySelector('.md-search__button').click();
    for (let n = 0; n < 100; n++) {
        await new Promise((done) => setTimeout(done, 100));
        const all = (what) => [...document.querySelectorAll('*')].flatMap(
            (el) => [...el.shadowRoot?.querySelectorAll(what) ?? []]);
        for (const field of all('input:placeholder-shown')) {
            field.value = %r;
            field.dispatchEvent(new Event('input', { bubbles: true }));
        }
        if (all('ol a').length)
            return all('ol a').map((el) => el.href);
    }
    return [];
})()"""

# Types a line into the page's first terminal and presses Enter, and then, after `wait`
# seconds, Stop if the program still runs. Returns the seconds, the line that the up
# arrow brings, and the output.
TYPE = """(async (line, wait) => {
    const at = document.querySelector('.terminal');
    const [input, button, output] = ['form input', 'button', 'pre'].map(
        (what) => at.querySelector(what));
    const begin = performance.now();
    input.value = line;
    at.querySelector('form').requestSubmit();
    const still = () => button.textContent === 'Stop';
    while (still() && performance.now() - begin < 1000 * wait)
        await new Promise((done) => setTimeout(done, 20));
    if (still())
        button.click();
    const time = (performance.now() - begin) / 1000;
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp' }));
    return [time, input.value, output.textContent];
})(%s, %d)"""

# Moves the slider N of the page to its first value, and returns the text of the bars.
SLIDE = """(async () => {
    const at = document.querySelector('.sliders');
    const n = at.querySelector('[data-option=n]');
    n.value = 0;
    n.dispatchEvent(new Event('input', { bubbles: true }));
    for (let k = 0; k < 200 && !at.querySelector('dd'); k++)
        await new Promise((done) => setTimeout(done, 50));
    return at.querySelector('dl').innerText;
})()"""


class Browser:
    """Controls Chromium with JSON messages on two pipes. A 0 byte ends each message."""

    def __init__(self, profile):
        theirs, self.write = os.pipe()
        self.read, answers = os.pipe()
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{theirs} 4>&{answers}', "sh",
             "chromium", "--headless", "--remote-debugging-pipe",
             "--disable-gpu", f"--user-data-dir={profile}",
             *["--no-sandbox"] * (os.getuid() == 0)],
            pass_fds=(theirs, answers), stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(answers)
        self.rest, self.sent, self.to, self.requests = b"", 0, {}, []
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.to = {"sessionId": self.call(
            "Target.attachToTarget", targetId=page, flatten=True)["sessionId"]}
        self.call("Page.enable")
        self.call("Network.enable")

    def wait(self, name, value):
        """Returns the next message whose entry `name` has this value."""
        while True:
            while b"\0" not in self.rest:
                self.rest += os.read(self.read, 1 << 20) or \
                    sys.exit("book/test.py: chromium ended")
            message, self.rest = self.rest.split(b"\0", 1)
            message = json.loads(message)
            if message.get("method") == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
            if message.get(name) == value:
                return message

    def call(self, method, **params):
        self.sent += 1
        os.write(self.write, json.dumps(
            {"id": self.sent, "method": method, "params": params, **self.to}
        ).encode() + b"\0")
        return self.wait("id", self.sent)["result"]

    def run(self, url, width, script):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=width < 500)
        self.call("Page.navigate", url=url)
        self.wait("method", "Page.loadEventFired")
        return self.call("Runtime.evaluate", expression=script, returnByValue=True,
                         awaitPromise=True)["result"]["value"]


class Server(http.server.SimpleHTTPRequestHandler):
    def send_error(self, code, *more):
        wrong.append(f"{self.requestline}: {code}")
        super().send_error(code, *more)

    log_message = lambda *_: None


def look(browser, page, url, width):
    """Checks the page at url. If the path `page` exists, it is the page's Markdown file,
    and the players must show its traces."""
    ill, frames = browser.run(url, width, LOOK)
    text = open(page).read() if os.path.exists(page) else ""
    players = re.findall('<div class="player">(.*?)</div>', text, re.S)
    wrong.extend(f"{url}, {width} wide: {it}" for it in ill)
    if len(frames) != len(players):
        wrong.append(f"{url}: {len(frames)} of {len(players)} players play")
    for shown, player in zip(frames, players):
        wrong.extend(f"{url}: the player's last frame has no {it}" for it in
                     COUNTED.findall(player) or ["number"] if it not in shown[-1])
        wrong.extend(f"{url}: frame {k + 1} of the player has {it}"
                     for k, frame in enumerate(shown)
                     for it in ("undefined", "NaN") if it in frame)
        if " beta " in player and " beta " not in shown[-1]:
            wrong.append(f"{url}: the player does not show beta")

# Enters a second line while the first one still runs. Returns the output's first line.
INTERRUPT = """(async () => {
    const at = document.querySelector('.terminal');
    for (const line of ['./run --n 2800', './run --nk']) {
        at.querySelector('form input').value = line;
        at.querySelector('form').requestSubmit();
    }
    while (at.querySelector('button').textContent === 'Stop')
        await new Promise((done) => setTimeout(done, 20));
    return at.querySelector('pre').textContent.split('\\n')[0];
})()"""


def run_programs(browser, web, files):
    """Checks the terminals and sliders of the chapters' pages."""
    def check(condition, what):
        if not condition:
            wrong.append(what)

    for page in sorted(glob.glob("docs/0[1-6]_*.md")):
        stem = os.path.basename(page)[:-3]
        url = f"{web}{stem}.html"
        text = open(page).read()
        line = f"make chapter-{stem[:2]} && ./run --trace"
        time, _, output = browser.run(url, 1280, TYPE % (f"'{line}'", 20))
        traces = re.findall(rf"^\$ build/{stem}/run --trace\n((?:.|\n)*?)```", text, re.M)
        shown = {line for trace in traces for line in trace.splitlines()
                 if line not in ("", "...")}
        check(shown and shown <= set(output.splitlines()),
              f"{url}: {line} prints no {shown - set(output.splitlines())}")
        check(time < 2, f"{url}: ./run --trace takes {time:.1f} s; allowed: 2")
        if "sliders" in text:
            bars = browser.run(url, 1280, SLIDE)
            csv = subprocess.run(
                ["build/tools/flash/run", "sweep", "--n", "64", "--d", "32", "--sram",
                 "8192", "--steps", re.search('data-steps="(.*)"', text)[1]],
                check=True, capture_output=True, text=True).stdout.splitlines()
            names = csv[0].split(",")
            for row in (dict(zip(names, line.split(","))) for line in csv[1:]):
                total = f"{int(row['hbm_read']) + int(row['hbm_written']):,}"
                check(row["step"] in bars and total in bars and
                      f"{int(row['formula']):,}" in bars,
                      f"{url}: the bars have no {row['step']} {total}: {bars}")
    time, last, output = browser.run(url, 1280, TYPE % ("'./run --n 2800'", 1))
    check(time < 5 and "stopped" in output, f"{url}: stop takes {time} s: {output}")
    check(last == "./run --trace", f"{url}: the up arrow brings {last}")
    output = browser.run(url, 1280, INTERRUPT)
    check(output.startswith("--nk: no value"), f"{url}: a second line prints {output}")
    for line, said in (("make test", "make: this page runs only ./run"),
                       ("make chapter-01 && ./run", "make: this page runs only ./run"),
                       ("./run --nk", "--nk: no value")):
        output = browser.run(url, 1280, TYPE % (f"'{line}'", 5))[2]
        check(said in output, f"{url}: {line} prints {output}")
    output = browser.run(files + "05_flash1.html", 1280, TYPE % ("'./run'", 5))[2]
    check("python3 -m http.server" in output, f"a file's page prints {output}")


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Server, directory=BOOK))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Browser(profile)
    web, files = f"http://127.0.0.1:{server.server_port}/", f"file://{BOOK}/"
    for page, to in MOVED.items():
        for top in web, files:
            browser.call("Page.navigate", url=top + page)
            end, at = time.time() + 5, ""
            while at != top + to and time.time() < end:
                at = browser.call("Page.getFrameTree")["frameTree"]["frame"]
                at = at["url"] + at.get("urlFragment", "")
            if at != top + to:
                wrong.append(f"{top}{page} leads to {at}, not to {to}")
    for page in PAGES.keys() - MOVED.keys():
        of = "docs/" + page.replace(".html", ".md")
        for top, width in (web, 320), (web, 1280), (files, 320):
            if width == 320 and top == web or os.path.exists(of):
                look(browser, of, top + page, width)
                looks += 1
    for term, place in FIRST.items():
        for top in web, files:
            found = browser.run(top + "index.html", 1280, SEARCH % term)
            if not found or place not in found[0]:
                wrong.append(f"{top}: the first result for {term} is {found[:1]}")
    head = browser.run(web + "index.html", 1280, HEAD)
    wrong += [f"index.html has no {what}" for what, there in head.items() if not there]
    for page in "03_online_softmax", "04_tiled_attention", "05_flash1", "06_flash2":
        wrong += [f"{page}.html has no {what}" for what in
                  browser.run(f"{web}{page}.html", 1280, PARTS)]
    if os.path.exists(f"{BOOK}/assets/wasm"):
        run_programs(browser, web, files)
    wrong += [f"a request to {url}" for url in browser.requests
              if not url.startswith((web, files, "data:", "blob:"))]
    browser.process.terminate()
    browser.process.wait()
print("\n".join(wrong))
print(f"{looks} pages tested, {len(wrong)} errors")
sys.exit(bool(wrong) or not looks)
