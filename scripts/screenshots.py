#!/usr/bin/env python3
"""The pictures of README.md: runs burstc, opens its pages in headless Chromium, and keeps parts of them as PNG files.

Usage: scripts/screenshots.py BURSTC FOLDER
"""

import base64
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 1000

# Arguments of burstc, what is done on the page, and the parts from one to another that are kept, by name.
PICTURES = {
    "page-run.png": (
        ["run", "examples/matmul.c", "--board", "stratix2-ddr400"],
        "",
        ("header", "#timeline"),
    ),
    "page-tiles.png": (
        ["run", "examples/jacobi_2d.c", "--board", "stratix2-ddr400"],
        "const own = document.getElementById('tile'); own.value = 29; own.dispatchEvent(new Event('input'));",
        ("#tiles", "#tile-arrays"),
    ),
    "page-order.png": (
        ["run", "tests/kernels/nussinov.c", "--board", "stratix2-ddr400", "--set", "N=40"],
        "const own = document.getElementById('tile'); own.value = 7; own.dispatchEvent(new Event('input'));",
        ("#order", "#lives"),
    ),
    "page-designs.png": (
        ["explore", "examples/matmul.c", "--set", "N=16", "--limit", "60", "--simulate", "8"],
        "document.querySelector('.design.front').dispatchEvent(new MouseEvent('click'));",
        ("header", "#plots-of-designs"),
    ),
}


class Browser:
    """Chromium behind its pipe: JSON texts that end with a zero byte, to its descriptor 3 and from 4."""

    def __init__(self, scratch):
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                   "--remote-debugging-pipe", f"--user-data-dir={scratch}/profile"]
        shell = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1'
        self.child = subprocess.Popen(["sh", "-c", shell, "sh", *command], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, env={**os.environ, "HOME": scratch})
        self.last = 0
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def message(self):
        text = bytearray()
        while (byte := self.child.stdout.read(1)) != b"\0":
            if not byte:
                sys.exit("chromium ended: is it installed (scripts/bootstrap.sh)?")
            text += byte
        return json.loads(text)

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.child.stdin.write(json.dumps(message).encode() + b"\0")
        self.child.stdin.flush()
        while (answer := self.message()).get("id") != self.last:
            pass
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']}")
        return answer["result"]

    def value(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            sys.exit(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def open(self, path):
        self.call("Page.navigate", url=f"file://{path}")
        self.value("new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))")

    def picture(self, first, last):
        """The page from the part `first` to the part `last`."""
        edge = "document.querySelector({!r}).getBoundingClientRect().{}"
        top, bottom = self.value(edge.format(first, "top")), self.value(edge.format(last, "bottom"))
        clip = {"x": 0, "y": max(top - 12, 0), "width": WIDTH, "height": bottom - top + 24, "scale": 1}
        taken = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(taken["data"])


def small(png):
    """The same picture, without what only describes it, its rows packed as well as zlib can."""
    chunks, place = [], 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place:place + 4])
        chunks.append((png[place + 4:place + 8], png[place + 8:place + 8 + length]))
        place += 12 + length
    rows = zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT"))
    head = next(data for kind, data in chunks if kind == b"IHDR")
    packed = [(b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    written = [struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in packed]
    return png[:8] + b"".join(written)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    burstc, folder = (pathlib.Path(own).resolve() for own in sys.argv[1:])
    with tempfile.TemporaryDirectory() as scratch:
        browser = Browser(scratch)
        browser.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=800, deviceScaleFactor=1, mobile=False)
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
        for name, (arguments, script, parts) in PICTURES.items():
            page = f"{scratch}/page.html"
            command = [burstc, *arguments, "--quiet", "--html", page]
            subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            browser.open(page)
            browser.value(f"(() => {{ {script} }})()")
            png = small(browser.picture(*parts))
            (folder / name).write_bytes(png)
            print(f"{name}: {len(png):,} bytes")
        browser.child.kill()
        browser.child.wait()


main()
