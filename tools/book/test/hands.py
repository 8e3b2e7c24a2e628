"""The book under keys as a keyboard sends them, under a finger, on paper and
without JavaScript; and README's picture, which moves, but is still for a reader
who prefers no motion.

    python3 tools/book/test/hands.py BOOK PICTURE

The events of a script would reach what no real key reaches, so Chromium is asked
to press them, over its pipe (the DevTools protocol: JSON, each message ended by
a zero byte).
"""
import json
import os
import subprocess
import sys
import tempfile
import time

BOOK, PICTURE = map(os.path.abspath, sys.argv[1:])
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "Home": 36, "ArrowLeft": 37,
        "ArrowRight": 39, "ArrowDown": 40, "/": 191}
TEXT = {"Enter": "\r", "/": "/"}
ACTIVE = "document.activeElement"
CONTENTS = "document.querySelector('#contents')"
failures = []
passed = 0


def check(what, fine):
    global passed
    if fine:
        passed += 1
    else:
        failures.append(what)


class Browser:
    def __init__(self, *options):
        commands, self.to_it = os.pipe()
        self.from_it, answers = os.pipe()
        self.said, self.asked, self.session = b"", 0, None
        self.profile = tempfile.TemporaryDirectory()
        no_sandbox = ["--no-sandbox"] if os.getuid() == 0 else []

        def pipes():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            ["timeout", "300", "chromium", "--headless", "--disable-gpu",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
             *no_sandbox, *options], preexec_fn=pipes, pass_fds=(3, 4),
            stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)

    def ask(self, method, **parameters):
        self.asked += 1
        message = {"id": self.asked, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_it, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.said:
                more = os.read(self.from_it, 1 << 16)
                if not more:
                    sys.exit(f"Chromium does not answer {method}")
                self.said += more
            answer, self.said = self.said.split(b"\0", 1)
            answer = json.loads(answer)
            if answer.get("id") == self.asked:
                return answer.get("result", {})

    def script(self, text):
        answer = self.ask("Runtime.evaluate", expression=text,
                          returnByValue=True)
        return answer.get("result", {}).get("value")

    def holds(self, text, what):
        """Is it true, or does it become so, within 15 seconds?"""
        tries = 75
        while self.script(text) is not True and tries:
            time.sleep(0.2)
            tries -= 1
        check(f"{self.page}: {what} ({text})", tries)

    def open(self, page, width=1280, scripts=True):
        """In a tab of its own; a stepper of it has started."""
        self.page, self.session = page, None
        target = self.ask("Target.createTarget", url="about:blank")
        self.session = self.ask("Target.attachToTarget", flatten=True,
                                **target)["sessionId"]
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=800,
                 deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.ask("Page.navigate", url="file://" + os.path.join(BOOK, page))
        ready = f"location.href.endsWith('{page}') && " \
            "document.readyState === 'complete'"
        if scripts:
            ready += " && !document.querySelector('.stepper:not([data-ready])')"
        self.holds(ready, "does not open, or its stepper does not start")

    def press(self, *keys):
        for key in keys:
            for kind in "keyDown", "keyUp":
                more = {"text": TEXT[key]} if key in TEXT else {}
                self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                         windowsVirtualKeyCode=KEYS[key], **more)

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def tap(self, x, y):
        self.ask("Input.dispatchTouchEvent", type="touchStart",
                 touchPoints=[{"x": x, "y": y}])
        self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def tap_on(self, selector):
        x, y = self.script(
            f"(() => {{ const el = document.querySelector('{selector}');"
            "el.scrollIntoView({ block: 'center' });"
            "const box = el.getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        self.tap(x, y)

    def step_is(self, step, what):
        self.holds("document.querySelector('.stepper [role=status]')"
                   f".textContent.includes(' {step} of ')", what)

    def looks(self):
        time.sleep(1)
        return self.ask("Page.captureScreenshot")["data"]

    def close(self):
        self.session = None
        self.ask("Browser.close")
        self.process.wait()
        os.close(self.to_it)
        os.close(self.from_it)


def steppers(b):
    for name in "online", "tile", "backward", "warp", "pipeline":
        b.open(f"{name}_stepper.html")
        b.press("ArrowRight")
        b.step_is(2, "a key works before anything was clicked")
        if name != "pipeline":  # which has no field
            b.script("document.querySelector('.stepper input').focus()")
            b.press("ArrowRight")
            b.step_is(2, "in a field the arrow is the field's")
            b.press("Enter", "ArrowRight")
            b.step_is(1, "the keys step again")
        b.script(f"{ACTIVE}.blur()")
        b.press("Home", "ArrowRight", "ArrowRight", "ArrowLeft")
        b.step_is(1, "keys work wherever the focus is")


def search(b):
    b.open("05_flash1.html")
    b.press("/")
    b.holds(f"{ACTIVE}.type === 'search'", "a stroke goes to the search")
    b.type("wavefront")
    b.holds("document.querySelector('.found a') !== null", "it is found")
    b.press("ArrowDown")
    b.holds(f"{ACTIVE}.getAttribute('href') === 'glossary.html#wavefront'",
            "the arrow goes to what was found")
    b.holds(f"getComputedStyle({ACTIVE}).outlineStyle === 'solid'",
            "what has the focus shows it")
    b.press("Escape")
    b.holds("document.querySelector('.found').hidden", "Escape closes it")
    b.type(" ")
    b.press("ArrowDown", "Enter")
    b.holds("location.href.endsWith('glossary.html#wavefront')",
            "Enter goes to what was found")


def tab_key(b):
    """Every stop of a phone's page: none is passed over."""
    b.open("01_naive_softmax.html", 360)
    left = b.script(
        "(window.stops = [...document.querySelectorAll('a[href], button, input,"
        " summary')].filter((el) => el.tabIndex === 0 && el.checkVisibility()))"
        ".length")
    for _ in range(left + 20):  # boxes that scroll are stops, too
        b.press("Tab")
        b.script(f"stops = stops.filter((el) => el !== {ACTIVE})")
    b.holds("stops.length === 0", "the Tab key passes over none")

    b.open("06_flash2.html", 360)
    b.press("Tab", "Tab", "Enter", "Tab")
    b.holds(f"{CONTENTS}.matches(':popover-open')", "Enter opens the contents")
    b.holds(f"{CONTENTS}.contains({ACTIVE})", "the Tab key goes into them")
    b.press("Escape")
    b.holds(f"!{CONTENTS}.matches(':popover-open')", "Escape closes them")


def finger(b, scripts):
    b.open("warp_stepper.html", 360, scripts)
    b.ask("Emulation.setTouchEmulationEnabled", enabled=True)
    b.tap_on("[popovertarget]")
    b.holds(f"{CONTENTS}.matches(':popover-open')", "a tap opens the contents")
    time.sleep(1)  # else it is a double tap
    b.tap(335, 400)
    b.holds(f"!{CONTENTS}.checkVisibility()", "a tap beside them closes them")
    if scripts:
        b.tap_on(".stepper button:nth-child(3)")
        b.step_is(2, "a tap steps")
    else:
        b.holds("document.querySelector('.stepper svg').checkVisibility()",
                "there is a picture without JavaScript")
        b.holds("!document.querySelector('[role=search]')",
                "there is no search that cannot search")
    b.open("03_online_softmax.html", 1280, scripts)
    b.holds(f"{CONTENTS}.checkVisibility()", "a wide screen shows the contents")
    b.holds(f"{CONTENTS}.querySelector('.sections a') !== null",
            "with this page's sections")


def paper(b):
    b.open("03_online_softmax.html", 794)
    b.ask("Emulation.setEmulatedMedia", media="print")
    b.holds("!document.querySelector('header').checkVisibility()",
            "the header is not printed")
    b.holds("[...document.querySelectorAll('details pre')].every((el) =>"
            " el.getBoundingClientRect().height > 100)",
            "what is folded is printed")
    b.holds("[...document.querySelectorAll('pre')].every((el) =>"
            " el.scrollWidth <= el.clientWidth + 1)", "code is not cut off")


def picture(b):
    b.open(PICTURE)
    return b.looks(), b.looks()


browser = Browser()
for test in steppers, search, tab_key, paper:
    test(browser)
for with_scripts in True, False:
    finger(browser, with_scripts)
early, late = picture(browser)
check("the picture moves", early != late)
browser.close()
browser = Browser("--force-prefers-reduced-motion")
still = picture(browser)
check("without motion it is still", still[0] == still[1])
check("and shows the end", still[0] != early)
browser.close()
for failure in failures:
    print("  FAILED ", failure)
print(f"{passed} passed, {len(failures)} failed")
sys.exit(bool(failures))
