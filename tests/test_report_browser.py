"""The report in a browser: it draws, it sorts, it asks the network for nothing."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, Browser
from report_cases import HOSTILE, made_content, made_record, made_records, made_settings

from topk_tune.records.wording import trial_line
from topk_tune.report.content import Content
from topk_tune.report.html import page

# A browser takes seconds to start and several times that on a machine that does other work too.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]

_CONTENT = made_content(made_records(40, seeds=2))
_CELLS = "[...document.querySelectorAll('.sortable tbody tr')].map(r => r.cells[{}].textContent)"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser with an empty profile."""
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


def show(browser: Browser, folder: Path, content: Content, width: int = 1280, **how: Any) -> None:
    """Write a page and open it."""
    path = folder / "report.html"
    path.write_text(page(content), encoding="utf-8")
    browser.open(path, width, **how)


def check_quiet(browser: Browser, folder: Path) -> None:
    """Check that nothing was complained about, and nothing loaded but the page."""
    browser.value("document.fonts.ready.then(() => 0)")
    assert browser.complaints() == []
    assert browser.requests() == [(folder / "report.html").as_uri()]


@pytest.mark.parametrize("width", [390, 1280])
def test_charts_are_drawn_within_the_width(browser: Browser, tmp_path: Path, width: int) -> None:
    show(browser, tmp_path, _CONTENT, width)
    check_quiet(browser, tmp_path)
    assert browser.value("innerWidth") == width
    assert browser.value("document.documentElement.scrollWidth") == width
    sizes = browser.value(
        "[...document.querySelectorAll('svg[role=img]')].map(s => [s.clientWidth, s.clientHeight,"
        " s.querySelectorAll('[data-n], .bar').length, getComputedStyle(s).display])"
    )
    assert len(sizes) == 10  # four of them slices
    assert all(w > 250 and h > 80 and marks > 3 for w, h, marks, _ in sizes), sizes
    # Letters that have shrunk with their chart must stay readable.
    letters = (
        "[...document.querySelectorAll('svg text')].map(t => t.getBoundingClientRect().height)"
    )
    assert min(browser.value(letters)) >= 10


def test_a_click_on_a_column_sorts_by_it(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, _CONTENT)
    losses = [f"{r.value:.4f}" for r in _CONTENT.records if r.value is not None]
    missing = [""] * (len(_CONTENT.records) - len(losses))
    browser.click("th:nth-child(3) button")
    assert browser.value(_CELLS.format(2)) == sorted(losses) + missing
    browser.click("th:nth-child(3) button")
    assert browser.value(_CELLS.format(2)) == sorted(losses, reverse=True) + missing
    sorts = "[...document.querySelectorAll('th[aria-sort]')].map(h => h.ariaSort)"
    assert browser.value(sorts) == ["descending"]
    browser.click("th:nth-child(1) button")
    assert browser.value(_CELLS.format(0)) == [str(r.number) for r in _CONTENT.records]
    browser.click("th:nth-child(2) button")
    assert browser.value(_CELLS.format(1)) == sorted(r.state for r in _CONTENT.records)
    check_quiet(browser, tmp_path)


def test_pointing_at_a_trial_tells_about_it(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, _CONTENT)
    best = _CONTENT.best
    assert best is not None and browser.value("document.getElementById('tip').hidden")
    browser.hover(f'#history [data-n="{best.number}"]')
    assert browser.value("document.getElementById('tip').textContent") == trial_line(best)
    assert browser.value("document.querySelectorAll('.lit').length") > 5
    browser.hover("h1")
    assert browser.value("document.getElementById('tip').hidden")
    check_quiet(browser, tmp_path)


def test_a_finger_beside_a_trial_means_the_trial(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, made_content(made_records(4)), width=390)
    browser.tap('#history [data-n="0"]', beside=10)
    assert browser.value("document.getElementById('tip').textContent").startswith("trial 0 ")
    assert not browser.value("document.getElementById('tip').hidden")


def test_nothing_hostile_is_executed_or_loaded(browser: Browser, tmp_path: Path) -> None:
    records = [made_record(n, exploration=text) for n, text in enumerate(HOSTILE * 2)]
    records += [made_record(100 + n, "failed", error=text) for n, text in enumerate(HOSTILE)]
    hostile = made_settings(dataset="".join(HOSTILE), labels="".join(HOSTILE))
    show(browser, tmp_path, made_content(records, settings=hostile), width=390)
    for button in range(1, 10):
        browser.click(f"th:nth-child({button}) button")
    browser.hover('#history [data-n="0"]')
    assert browser.value("document.title") == "Study s"
    assert browser.value("document.documentElement.scrollWidth") == 390
    assert browser.value("document.querySelectorAll('script').length") == 2
    check_quiet(browser, tmp_path)


@pytest.mark.parametrize(
    ("dark", "media", "bright"), [(False, "", True), (True, "", False), (True, "print", True)]
)
def test_text_has_contrast_in_light_dark_and_print(
    browser: Browser, tmp_path: Path, dark: bool, media: str, bright: bool
) -> None:
    show(browser, tmp_path, _CONTENT, dark=dark, media=media)
    card = _luminance(
        browser.value("getComputedStyle(document.querySelector('.card'))['background-color']")
    )
    assert (card > 0.5) == bright
    for selector in ("h2", ".note", "dt", "td", "pre"):
        text = browser.value(f"getComputedStyle(document.querySelector('{selector}')).color")
        assert _contrast(_luminance(text), card) >= 4.5, selector
    for selector in (".mark.complete", ".mark.failed", ".line.best", ".mark.ring"):
        kind = "fill" if selector == ".mark.complete" else "stroke"
        style = f"getComputedStyle(document.querySelector('main {selector}')).{kind}"
        assert _contrast(_luminance(browser.value(style)), card) >= 3, selector


def test_ten_thousand_trials_open_and_sort(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, made_content(made_records(10_000)))
    browser.click("th:nth-child(1) button")
    numbers = [int(text) for text in browser.value(_CELLS.format(0))]
    assert len(numbers) == 2000 and numbers == sorted(numbers)
    check_quiet(browser, tmp_path)


def _luminance(colour: str) -> float:
    """The relative luminance of an rgb(...) colour, as WCAG defines it."""
    shares = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
