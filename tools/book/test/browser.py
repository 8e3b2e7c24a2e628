"""Chromium without a window, asked over its pipe (the DevTools protocol: JSON,
each message ended by a zero byte): the events of a script would reach what no
real key and no finger reaches."""
import json
import os
import subprocess
import sys
import tempfile
import time

KEYS = {"Tab": 9, "Enter": 13, "Home": 36, "End": 35, "ArrowLeft": 37,
        "ArrowRight": 39, "Escape": 27, "/": 191}


class Browser:
    def __init__(self, *options):
        commands, self.to_it = os.pipe()
        self.from_it, answers = os.pipe()
        self.said, self.asked, self.session, self.errors = b"", 0, None, []
        self.profile = tempfile.TemporaryDirectory()
        no_sandbox = ["--no-sandbox"] if os.getuid() == 0 else []

        def pipes():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        subprocess.Popen(
            ["chromium", "--headless", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
             *no_sandbox, *options], preexec_fn=pipes, pass_fds=(3, 4),
            stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        tab = self.ask("Target.createTarget", url="about:blank")
        self.session = self.ask("Target.attachToTarget", flatten=True,
                                **tab)["sessionId"]

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
            if answer.get("method") in ("Runtime.exceptionThrown",
                                        "Log.entryAdded"):
                self.errors.append(str(answer["params"])[:300])
            if answer.get("id") == self.asked:
                return answer.get("result", {})

    def script(self, text):
        answer = self.ask("Runtime.evaluate", expression=text,
                          returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            self.errors.append(str(answer["exceptionDetails"])[:300])
        return answer.get("result", {}).get("value")

    def until(self, text):
        """Is it true, or does it become so, within 15 seconds?"""
        end = time.time() + 15
        while self.script(text) is not True:
            if time.time() > end:
                return False
            time.sleep(0.1)
        return True

    def width(self, width):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900,
                 deviceScaleFactor=1, mobile=False)

    def open(self, file, width=1280, scripts=True):
        """Until it is there, and its stepper has started."""
        for domain in "Runtime", "Log":
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setEmulatedMedia")
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.width(width)
        self.ask("Page.navigate", url="file://" + os.path.abspath(file))
        return self.until(
            "document.readyState === 'complete' && location.protocol === 'file:'"
            + " && !document.querySelector('.stepper:not([role])')" * scripts)

    def press(self, *keys):
        for key in keys:
            text = {"Enter": "\r", "/": "/"}.get(key)
            for kind in "keyDown", "keyUp":
                self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                         windowsVirtualKeyCode=KEYS[key],
                         **({"text": text} if text else {}))

    def tap(self, *at):
        """At x, y, or on what a selector names."""
        if len(at) == 1:
            at = self.script(
                f"(() => {{ const el = document.querySelector('{at[0]}');"
                "el.scrollIntoView({ block: 'center' });"
                "const box = el.getBoundingClientRect();"
                "return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        self.ask("Input.dispatchTouchEvent", type="touchStart",
                 touchPoints=[{"x": at[0], "y": at[1]}])
        self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def looks(self):
        time.sleep(1)
        return self.ask("Page.captureScreenshot")["data"]
