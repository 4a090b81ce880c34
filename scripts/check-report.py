#!/usr/bin/env python3
"""Opens a report in headless Chromium, wide and narrow, light and dark, and uses its filters and links.

    pip install playwright      # and Chromium from the distribution, or `playwright install chromium`
    scripts/check-report.py bench-report/report.html [FOLDER FOR SCREENSHOTS] [FURTHER PAGE…]

Further pages, such as a leaderboard, are opened and looked at only.

Ends with status 1 and a list of what is wrong. Needs no network.
"""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright


def open_page(page, path, faults):
    """Opens a page; notes what it does that it should not, and what does not fit."""

    def note(what):
        faults.append(f"{path.name}, {page.viewport_size['width']} px: {what}")

    page.on("console", lambda message: note(f"console: {message.text}"))
    page.on("pageerror", lambda error: note(f"script: {error}"))
    page.on("dialog", lambda dialog: (note(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: request.url.startswith(("file:", "data:")) or note(request.url))
    page.goto(path.as_uri())
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        note("wider than the screen")
    cut = "[...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth + 1)"
    for name in page.evaluate(f"{cut}.map((e) => e.getAttribute('aria-label'))"):
        note(f"the table {name!r} is cut off")
    return note


def follow_a_link(page, note):
    """The id of a sample leads to everything that is known of it."""
    link = page.locator("#list .sample .meta a").first
    wanted = link.text_content()
    link.click()
    page.wait_for_load_state()
    found = page.locator("article:target h2")
    if found.count() != 1 or wanted not in found.text_content():
        note(f"the link of {wanted} does not lead to it")
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        note("the page of a sample is wider than the screen")


def check(page, path, faults):
    note = open_page(page, path, faults)
    head = page.locator("table.ranking th button").nth(2)
    if page.viewport_size["width"] > 1180:
        first = page.locator("table.ranking tbody tr").first.text_content()
        head.click()
        head.click()
        rows = page.locator("table.ranking tbody tr").count()
        if rows > 1 and page.locator("table.ranking tbody tr").first.text_content() == first:
            note("sorting changes nothing")
    if page.evaluate("document.images.length"):
        note("there are images")
    count = page.locator("#count")
    everything = count.text_content()
    page.locator("[name=result]").select_option("wrong")
    page.wait_for_timeout(400)
    if count.text_content() == everything and page.locator(".answers .no").count():
        note("the filter changes nothing")
    page.locator("#filters button").click()
    page.wait_for_timeout(400)
    if count.text_content() != everything:
        note("clearing the filters does not bring all samples back")
    page.locator("[name=search]").fill("no such command anywhere")
    page.wait_for_timeout(400)
    if not count.text_content().startswith("0 of"):
        note("the search finds what is not there")
    page.locator("#filters button").click()
    page.wait_for_timeout(400)


def main():
    path = Path(sys.argv[1]).resolve()
    pictures = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    faults = []
    with sync_playwright() as playwright:
        installed = shutil.which("chromium") or shutil.which("chromium-browser")
        # Chromium's own sandbox refuses to start for root, as in most containers.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=installed, args=arguments)
        for width in (2560, 1280, 400):
            for scheme in ("light", "dark"):
                size = {"width": width, "height": 900}
                page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
                check(page, path, faults)
                if pictures:
                    pictures.mkdir(parents=True, exist_ok=True)
                    page.screenshot(path=pictures / f"report-{width}-{scheme}.png", full_page=True)
                follow_a_link(page, lambda what: faults.append(f"{width} px: {what}"))
                if pictures:
                    page.screenshot(path=pictures / f"sample-{width}-{scheme}.png")
                for further in map(Path, sys.argv[3:]):
                    page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
                    open_page(page, further.resolve(), faults)
                    page.screenshot(path=pictures / f"{further.stem}-{width}-{scheme}.png")
        browser.close()
    for fault in faults:
        print(fault)
    print("the report works" if not faults else f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
