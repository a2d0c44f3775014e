"""A Chromium that opens written pages, without a network."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser; tests that need it are skipped without one."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install")
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    # Chromium has no sandbox for root, as in containers.
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=program, args=["--no-sandbox"] if root else []
        )
        yield browser
        browser.close()


class Opened:
    """A page of a report, with all that it asks for and complains of."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        self.context = browser.new_context(offline=True, **options)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on(
            "console",
            lambda message: (
                self.errors.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        self.file = file
        self.page.goto(f"{file.as_uri()}#/topics")
        self.page.wait_for_selector("main > *")

    def go(self, view: str) -> Any:
        """Follow a link to a view; return the page."""
        self.page.evaluate(
            """hash => new Promise(done => {
                if (location.hash === hash) return done();
                addEventListener("hashchange", () => done(), {once: true});
                location.hash = hash;
            })""",
            f"#/{view}",
        )
        return self.page

    def texts(self, selector: str) -> list[str]:
        """Text of all elements."""
        texts: list[str] = self.page.locator(selector).all_text_contents()
        return texts


@pytest.fixture
def opened(chromium: Any) -> Iterator[Any]:
    """Open a file; at the end it has asked for nothing and complained of nothing."""
    pages: list[Opened] = []

    def open_file(file: Path, **options: Any) -> Opened:
        pages.append(Opened(chromium, file, **options))
        return pages[-1]

    yield open_file
    for each in pages:
        own = each.file.as_uri()
        foreign = [url for url in each.requests if url.split("#")[0] != own]
        foreign = [url for url in foreign if not url.startswith("blob:")]
        each.context.close()
        assert not foreign
        assert not each.errors


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a report is written, whose bits do not depend on the date."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    return tmp_path / "report.html"
