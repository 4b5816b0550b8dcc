"""Controls headless Chromium by real clicks and keys, over its DevTools protocol.

The protocol uses a pipe (descriptors 3 and 4), so only Python and Chromium are needed.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
PATIENCE = 60                   # seconds to wait for anything before it counts as a failure

# The code, virtual key code and text of keys in the protocol.
KEYS = {
    "Enter": ("Enter", 13, "\r"), "Tab": ("Tab", 9, ""), "Escape": ("Escape", 27, ""),
    " ": ("Space", 32, " "), "Backspace": ("Backspace", 8, ""), "Delete": ("Delete", 46, ""),
    "ArrowUp": ("ArrowUp", 38, ""), "ArrowDown": ("ArrowDown", 40, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""), "ArrowRight": ("ArrowRight", 39, ""),
    "Home": ("Home", 36, ""), "End": ("End", 35, ""),
    "PageUp": ("PageUp", 33, ""), "PageDown": ("PageDown", 34, ""),
}
MODIFIERS = {"alt": 1, "ctrl": 2, "meta": 4, "shift": 8}


class Failure(Exception):
    """The page did not do what was expected. The text describes the failure."""


def find():
    """Returns the path of Chromium, or None."""
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    return None


class Pipe:
    """A Chromium process, and a pipe for messages of JSON, each followed by a zero byte."""

    def __init__(self, arguments, home, log):
        to_child, self.write = os.pipe()
        self.read, from_child = os.pipe()
        # Numbers above 4 do not collide with the child's descriptors 3 and 4.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_child, from_child)]
        actions = [(os.POSIX_SPAWN_DUP2, ends[0], 3), (os.POSIX_SPAWN_DUP2, ends[1], 4),
                   (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                   (os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                   (os.POSIX_SPAWN_DUP2, 1, 2)]
        self.pid = os.posix_spawn(arguments[0], arguments, {**os.environ, "HOME": home},
                                  file_actions=actions, setpgroup=0)
        for end in (to_child, from_child, *ends):
            os.close(end)
        self.bytes = b""

    def send(self, message):
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]

    def receive(self, until):
        """Returns the next message, or None if none arrived up to the time UNTIL."""
        while b"\0" not in self.bytes:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.read], [], [], left)[0]:
                return None
            more = os.read(self.read, 1 << 20)
            if not more:
                raise Failure("chromium ended")
            self.bytes += more
        message, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(message)

    def close(self):
        os.close(self.write)
        os.close(self.read)
        until = time.monotonic() + 5
        while time.monotonic() < until:
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                break
            time.sleep(0.02)
        else:
            os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


class Chrome:
    """One browser with one page."""

    def __init__(self, folder=None, options=()):
        self.folder = tempfile.mkdtemp(prefix="chrome.", dir=folder)
        self.log = os.path.join(self.folder, "log")
        self.last = 0
        self.errors = []        # exceptions and logged errors of the page, as text
        self.requests = []      # URLs that the page requested
        self.pipe = Pipe([find(), "--headless=new", "--no-sandbox", "--disable-gpu",
                          "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                          "--hide-scrollbars", "--force-color-profile=srgb",
                          f"--user-data-dir={self.folder}/profile", "--remote-debugging-pipe",
                          *options, "about:blank"], self.folder, self.log)
        self.session = None
        target = self.wait_for(self._page, "a page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(1280, 800)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
        except (Failure, OSError):
            pass
        self.pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _page(self):
        targets = self.call("Target.getTargets")["targetInfos"]
        return next((t["targetId"] for t in targets if t["type"] == "page"), None)

    # ------------------------------------------------------------ the protocol

    def _event(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.pipe.send(message)
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.pipe.receive(until)
            if answer is None:
                raise Failure(f"{method}: no answer")
            if answer.get("id") != self.last:
                self._event(answer)
            elif "error" in answer:
                raise Failure(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def evaluate(self, expression):
        """Returns the value of EXPRESSION in the page. If it is a promise, waits for it."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def apply(self, function, *arguments):
        """Calls FUNCTION, an expression of JavaScript, in the page with ARGUMENTS, and returns the result."""
        return self.evaluate(f"({function})({', '.join(json.dumps(a) for a in arguments)})")

    def wait_for(self, what, text, seconds=PATIENCE):
        """Waits until WHAT() is true, and returns its value. TEXT describes it in the failure."""
        until = time.monotonic() + seconds
        while True:
            value = what()
            if value:
                return value
            if time.monotonic() > until:
                raise Failure(f"{text} never came")
            time.sleep(0.02)

    def wait(self, expression):
        """Waits until EXPRESSION is true in the page, and returns its value."""
        return self.wait_for(lambda: self.evaluate(expression), expression)

    # ------------------------------------------------------------ actions of a reader

    def open(self, path, fragment=""):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}{fragment}")
        self.wait("location.protocol === 'file:' && document.readyState === 'complete'")

    def resize(self, width, height, scheme="light"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def settle(self):
        """Waits until all changes of the page are painted."""
        self.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def place(self, selector, text=None):
        """Scrolls to the first visible element that matches, and returns its middle.

        TEXT, if any, is the element's text or label. Fails if another element covers the middle.
        """
        found = self.apply("""(selector, text) => {
            const all = [...document.querySelectorAll(selector)].filter(e =>
                e.getClientRects().length &&
                (text === null || e.textContent.trim() === text || e.getAttribute("aria-label") === text));
            const e = all[0];
            if (!e) return null;
            e.scrollIntoView({block: "nearest", inline: "nearest"});
            const r = e.getClientRects()[0], x = r.left + r.width / 2, y = r.top + r.height / 2;
            const hit = document.elementFromPoint(x, y);
            return {x, y, hit: !!hit && (e.contains(hit) || hit.contains(e)),
                    by: hit ? hit.outerHTML.slice(0, 80) : "nothing"};
        }""", selector, text)
        name = selector if text is None else f"{selector} '{text}'"
        if not found:
            raise Failure(f"{name}: there is none")
        if not found["hit"]:
            raise Failure(f"{name}: covered by {found['by']}")
        return found["x"], found["y"]

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click_at(self, x, y, count=1):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=count)
        self.mouse("mouseReleased", x, y, button="left", clickCount=count)
        self.settle()

    def click(self, selector, text=None):
        self.click_at(*self.place(selector, text))

    def drag(self, start, end):
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, button="left", clickCount=1)
        for i in range(1, 6):
            self.mouse("mouseMoved", start[0] + (end[0] - start[0]) * i / 5,
                       start[1] + (end[1] - start[1]) * i / 5, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)
        self.settle()

    def wheel(self, x, y, dy, modifiers=0):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=dy, modifiers=modifiers)
        self.settle()

    def key(self, key, *modifiers):
        code, number, text = KEYS.get(key) or (f"Key{key.upper()}", ord(key.upper()), key)
        bits = sum(MODIFIERS[m] for m in modifiers)
        if bits & ~MODIFIERS["shift"]:
            text = ""
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=key,
                  code=code, windowsVirtualKeyCode=number, text=text, modifiers=bits)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code,
                  windowsVirtualKeyCode=number, modifiers=bits)
        self.settle()

    def type(self, text):
        for character in text:
            self.call("Input.dispatchKeyEvent", type="char", text=character)
        self.settle()

    def focus(self, selector):
        self.apply("s => document.querySelector(s).focus()", selector)

    def choose(self, selector, text):
        """Chooses the item of a <select> that begins with TEXT, by typing TEXT."""
        self.focus(selector)
        for character in text:
            self.key(character) if character.isalnum() else self.type(character)
        self.settle()

    # ------------------------------------------------------------ contents of the page

    def text(self, selector):
        return self.apply("s => { const e = document.querySelector(s);"
                          " return e ? e.innerText : null; }", selector)

    def texts(self, selector):
        return self.apply("s => [...document.querySelectorAll(s)]"
                          ".filter(e => e.getClientRects().length).map(e => (e.innerText || e.textContent).trim())",
                          selector)

    def box(self, selector):
        """Returns left and upper edge and the width of an element, in pixels of the window."""
        return self.apply("s => { const b = document.querySelector(s).getBoundingClientRect();"
                          " return [b.left, b.top, b.width]; }", selector)

    def count(self, selector):
        return self.apply("s => document.querySelectorAll(s).length", selector)

    def address(self):
        return self.evaluate("location.hash")

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
# SPDX-License-Identifier: MIT
