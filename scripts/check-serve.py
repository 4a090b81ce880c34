#!/usr/bin/env python3
"""Opens the page of `aegish serve` in headless Chromium and uses it: live decisions, filters, explanation, grants.

    pip install playwright      # and Chromium from the distribution, or `playwright install chromium`
    scripts/check-serve.py PROGRAM [FOLDER FOR SCREENSHOTS]

The daemon runs at a terminal of its own, because only then the page gives grants. Ends with status 1 and a list of what is
wrong. Needs no network.
"""

import json
import os
import pty
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright


def start(program, home):
    """The daemon at a terminal, and the address of its page."""
    master, slave = pty.openpty()
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "AEGISH_AUDIT": "off", "AEGISH_JUDGE": "never"}
    arguments = [program, "serve", "--http", "127.0.0.1:0", "--socket", str(home / "guard.sock")]
    daemon = subprocess.Popen(arguments, env=environment, cwd=home, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    said = ""
    while True:
        said += os.read(master, 4096).decode()
        found = re.search(r"page: (\S+token=\w{64})", said)
        if found:
            return daemon, found.group(1)


def check(home, command):
    """A verdict over the socket."""
    body = json.dumps({"command": command, "cwd": str(home)}).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(home / "guard.sock"))
        head = f"POST /v1/check HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return json.loads(answer.split(b"\r\n\r\n", 1)[1])["action"]


def use(page, home):
    rows = page.locator("#list li")
    expect(page.locator("#state")).to_have_text("live")
    expect(rows).to_have_count(2)
    # A decision appears by itself.
    check(home, "wget https://example.org/archive.tar.gz")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("download-only")
    # Filters.
    page.get_by_label("allow", exact=True).uncheck()
    expect(rows).to_have_count(2)
    page.locator("#search").fill("shadow")
    expect(rows).to_have_count(1)
    page.locator("#search").fill("no such thing")
    expect(page.locator("#empty")).to_be_visible()
    page.locator("#search").fill("")
    page.get_by_label("allow", exact=True).check()
    expect(rows).to_have_count(3)
    # One is explained; text of a command is never markup.
    rows.filter(has_text="shadow").get_by_role("button").click()
    expect(page.locator("#detail h2")).to_contain_text("critical-file-read")
    expect(page.locator("#command")).to_contain_text("<b>cat</b>")
    expect(page.locator("#commands")).to_contain_text("read /etc/shadow")
    # What belongs to the core cannot be granted.
    page.get_by_role("button", name="Allow", exact=True).click()
    expect(page.locator("#grant-answer")).to_contain_text("blocked by critical-file-read")
    # A warning can, for some time, and it can be taken back.
    rows.filter(has_text="wget").get_by_role("button").click()
    expect(page.locator("#detail h2")).to_contain_text("download-only")
    page.locator("#minutes").select_option("60")
    page.get_by_role("button", name="Allow", exact=True).click()
    expect(page.locator("#grants li")).to_have_count(1)
    command = "wget https://example.org/archive.tar.gz"
    assert check(home, command) == "allow", "the grant counts"
    page.get_by_role("button", name="Take back").click()
    expect(page.locator("#no-grants")).to_be_visible()
    assert check(home, command) == "warn", "the grant is taken back"


def main():
    pictures = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    faults = []
    with sync_playwright() as playwright:
        installed = shutil.which("chromium") or shutil.which("chromium-browser")
        # Chromium's own sandbox refuses to start for root, as in most containers.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=installed, args=arguments)
        for width, scheme in ((1280, "light"), (1280, "dark"), (400, "light")):
            with tempfile.TemporaryDirectory() as folder:
                home = Path(folder)
                daemon, address = start(str(Path(sys.argv[1]).resolve()), home)
                try:
                    check(home, "ls -la")
                    check(home, "echo '<b>cat</b>'; cat /etc/shadow")
                    size = {"width": width, "height": 800}
                    page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
                    page.on("console", lambda message: "409" in message.text or faults.append(message.text))
                    page.on("pageerror", lambda error: faults.append(str(error)))
                    page.goto(address)
                    use(page, home)
                    if "token" in page.url:
                        faults.append("the token stays in the address")
                    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                        faults.append(f"{width} px: wider than the screen")
                    if pictures:
                        pictures.mkdir(parents=True, exist_ok=True)
                        page.screenshot(path=pictures / f"serve-{width}-{scheme}.png", full_page=True)
                    page.context.close()
                finally:
                    daemon.kill()
                    daemon.wait()
        browser.close()
    for fault in faults:
        print(fault)
    print("the page works" if not faults else f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
