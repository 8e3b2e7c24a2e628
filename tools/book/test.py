"""Every page of the book in Chromium, as wide as a phone and as a desk: links and
anchors lead somewhere, pictures are there, no formula and no table is too wide,
nothing is left of TeX. And each note of docs/notes is about code that is there.

    python3 tools/book/test.py build/book

The pages are served to Chromium from here, with one page more that looks at each
of them in a frame and sends back what it saw.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

BOOK = os.path.abspath(sys.argv[1])
PAGES = sorted(os.path.basename(f) for f in glob.glob(f"{BOOK}/*.html"))
WIDTHS = 360, 1280

LOOK = """<!DOCTYPE html><link rel="icon" href="data:,"><body><script>
const seen = [], frame = document.createElement('iframe');
document.body.append(frame);
frame.style.height = '900px';

function ill(doc) {
    const all = (what) => [...doc.querySelectorAll(what)];
    const wide = doc.documentElement.clientWidth;
    return [...all('img').filter((el) => !el.naturalWidth || !el.alt)
            .map((el) => 'no picture, or no words for it: ' + el.src),
        ...all('merror').map((el) => 'a formula: ' + el.textContent),
        ...all('main *').filter((el) => !el.closest('pre, code, math') &&
            [...el.childNodes].some((n) => n.nodeType === 3 &&
                /\\$[^ ]|\\\\[a-zA-Z]+/.test(n.data)))
            .map((el) => 'TeX is left over: ' + el.textContent),
        ...all('main *').filter((el) => el.checkVisibility() &&
            el.getBoundingClientRect().right > wide + 1 &&
            !el.parentElement.closest('pre, .scroll, .display, .long'))
            .map((el) => 'is wider than the page: ' + el.outerHTML),
        ...(doc.documentElement.scrollWidth > wide ? ['the page scrolls'] : [])
    ].map((said) => said.slice(0, 120));
}

async function look(page, width) {
    frame.style.width = width + 'px';
    await new Promise((done) => { frame.onload = done; frame.src = page; });
    const doc = frame.contentDocument;
    doc.querySelectorAll('details').forEach((el) => { el.open = true; });
    await Promise.all([...doc.images].map((img) => img.decode().catch(() => 0)));
    seen.push({ page, width, ill: ill(doc),
        ids: [...doc.querySelectorAll('[id]')].map((el) => el.id),
        links: [...doc.querySelectorAll('a[href]')].map((a) =>
            a.getAttribute('href')) });
}

(async () => {
    for (const page of PAGES)
        for (const width of WIDTHS)
            await look(page, width);
    await fetch('/seen', { method: 'POST', body: JSON.stringify(seen) });
})();
</script>""".replace("PAGES", json.dumps(PAGES)).replace("WIDTHS", str([*WIDTHS]))

wrong, seen, done = [], [], threading.Event()

class Desk(SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/look":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(LOOK.encode())

    def do_POST(self):
        said = self.rfile.read(int(self.headers["Content-Length"]))
        seen.extend(json.loads(said))
        self.send_response(204)
        self.end_headers()
        done.set()

    def log_message(self, *_):
        pass

    def send_error(self, code, *more):
        wrong.append(f"{self.path}: {code}")
        super().send_error(code, *more)


server = ThreadingHTTPServer(("127.0.0.1", 0),
                             lambda *given: Desk(*given, directory=BOOK))
threading.Thread(target=server.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    browser = subprocess.Popen(
        ["chromium", "--headless", "--disable-gpu", "--remote-debugging-port=0",
         f"--user-data-dir={profile}", *["--no-sandbox"] * (os.getuid() == 0),
         f"http://127.0.0.1:{server.server_port}/look"], stderr=subprocess.DEVNULL)
    done.wait(600)
    browser.terminate()
    browser.wait()

ids = {page["page"]: {"", *page["ids"]} for page in seen}
for page in seen:
    wrong += [f"{page['page']} ({page['width']}): {said}" for said in page["ill"]]
    for link in page["links"] if page["width"] == WIDTHS[0] else ():
        to, _, anchor = link.partition("#")
        if ":" not in link and anchor not in ids.get(to or page["page"], ()):
            wrong.append(f"{page['page']}: {link} leads nowhere")
for path in glob.glob("docs/notes/*.md"):
    note = open(path).read()
    file, = re.findall(r"^# \[.*\]\(\.\./\.\./(.*?)\)", note)
    code = open(file).read()
    wrong += [f"{path}: {file} has no {line}" for line in
              re.findall(r"\n\n`(.*?)`", note) if line not in code]
print("\n".join(wrong))
print(f"{len(seen)} of {len(PAGES) * len(WIDTHS)} looks, {len(wrong)} failed")
sys.exit(bool(wrong) or len(seen) != len(PAGES) * len(WIDTHS))
