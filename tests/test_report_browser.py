"""The page in a browser: it draws, filters, pins and compares, and asks the network for nothing."""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, Browser
from report_cases import HOSTILE, made_content, made_record, made_records, made_settings

from topk_tune.charts.history import improvements
from topk_tune.report.content import Content
from topk_tune.report.html import page
from topk_tune.report.modules import joined
from topk_tune.report.payload import FIELDS, trial_row
from topk_tune.spaces import Fixed, Float, Space

# A browser takes seconds to start and several times that on a machine that does other work too.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]

_CONTENT = made_content(made_records(40, seeds=2))
_NUMBERS = "[...document.querySelectorAll('.trials [data-n]')].map(r => Number(r.dataset.n))"
_CELLS = "[...document.querySelectorAll('.trials [data-n]')].map(r => r.cells[{}].textContent)"
_COUNT = "document.getElementById('count').textContent"
_PAINTED = (
    "[...document.querySelectorAll('canvas[role=img]')].every(c => c.width === c.clientWidth)"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser with an empty profile."""
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


def show(browser: Browser, folder: Path, *contents: Content, width: int = 1280, **how: Any) -> None:
    """Write a page and open it; rows of the table are made when it is in sight."""
    path = folder / "report.html"
    path.write_text(page(*contents), encoding="utf-8")
    browser.open(path, width, **how)
    browser.value("document.querySelector('#trials')?.scrollIntoView()")
    browser.until("!document.querySelector('#trials') || document.querySelector('[data-n]')")


def go(browser: Browser, address: str) -> None:
    """Go to another view of the page."""
    browser.value("document.getElementById('app').firstChild.dataset.old = 'yes'")
    browser.value(f"location.hash = {json.dumps(address)}")
    browser.until("!document.querySelector('[data-old]')")


def check_quiet(browser: Browser, folder: Path) -> None:
    """Check that nothing was complained about, and nothing loaded but the page."""
    browser.until("document.readyState === 'complete'")
    assert browser.complaints() == []
    assert browser.requests() == [(folder / "report.html").as_uri()]


def brush(browser: Browser, name: str, start: float, end: float) -> None:
    """Drag along the axis of a parameter, between two shares of the chart's height."""
    axis = browser.box(f'[data-axis="parameter {name}"]')
    plot = browser.box("#parallel .plot")
    x = axis["x"] + axis["width"] / 2
    browser.drag([(x, plot["y"] + share * plot["height"]) for share in (start, end)])


def shown(browser: Browser) -> list[int]:
    """The numbers of the trials in the table, once it is in sight and filtered."""
    browser.box("#trials")
    count = "Number(document.querySelector('.trials').getAttribute('aria-rowcount'))"
    browser.until(f"document.querySelectorAll('.trials [data-n]').length === {count}")
    numbers: list[int] = browser.value(_NUMBERS)
    return numbers


@pytest.mark.parametrize("width", [390, 1280])
def test_charts_are_drawn_within_the_width(browser: Browser, tmp_path: Path, width: int) -> None:
    show(browser, tmp_path, _CONTENT, width=width, height=9000)
    browser.until(_PAINTED)
    check_quiet(browser, tmp_path)
    assert browser.value("innerWidth") == width
    assert browser.value("document.documentElement.scrollWidth") == width
    sizes = browser.value(
        "[...document.querySelectorAll('canvas[role=img]')].map(c => [c.clientWidth, c.width,"
        " c.ariaLabel, new Set(new Uint32Array("
        "c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size])"
    )
    assert len(sizes) == 10  # four of them slices
    for shown, drawn, label, colours in sizes:
        assert shown == drawn > 250 and label and colours > 10, label


def test_brushing_filters_the_table(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, _CONTENT)
    assert browser.value(_COUNT) == "all 40 trials"
    brush(browser, "n_learners", 0.5, 0.95)  # the lower half of the axis
    kept = shown(browser)
    low = [r for r in _CONTENT.records if r.params["n_learners"] <= 80]
    assert 0 < len(kept) < 40 and set(kept) <= {r.number for r in low}
    assert browser.value(_COUNT) == f"{len(kept)} of 40 trials"
    chip = browser.value("document.querySelector('.chip').textContent")
    assert chip.startswith("n_learners: ")
    brush(browser, "exploration", 0.0, 0.4)  # the upper option
    both = shown(browser)
    assert {_CONTENT.records[n].params["exploration"] for n in both} == {"single-swap"}
    assert set(both) < set(kept)
    browser.click(".clear")
    assert browser.value(_COUNT) == "all 40 trials"
    check_quiet(browser, tmp_path)


def test_states_and_typed_bounds_filter_too(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, _CONTENT)
    browser.click("button.state.failed")
    assert browser.value(_COUNT) == f"{40 - _CONTENT.counts['failed']} of 40 trials"
    browser.value(
        "(f => (f.value = 100, f.dispatchEvent(new Event('change'))))"
        "(document.querySelector('[aria-label=\"n_learners from\"]'))"
    )
    found = set(shown(browser))
    expected = {
        r.number for r in _CONTENT.records if r.state != "failed" and r.params["n_learners"] >= 100
    }
    assert found == expected


def test_dragging_over_points_filters_by_both_axes(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, _CONTENT)
    plot = browser.box("#history .plot")
    at = [
        (plot["x"] + x * plot["width"], plot["y"] + y * plot["height"])
        for x, y in ((0.5, 0.02), (0.95, 0.8))
    ]
    browser.drag(at)
    kept = shown(browser)
    assert kept and min(kept) > 8
    assert browser.value("document.querySelectorAll('.chip').length") == 2


def test_pins_survive_a_reload_and_are_compared(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, _CONTENT)
    one, other = (record.number for record in _CONTENT.ranked[:2])
    for number in (one, other):
        browser.click(f'[data-n="{number}"] .pin')
    browser.open(tmp_path / "report.html", 1280)
    browser.box("#trials")
    browser.until("document.querySelector('[data-n]')")
    number = "p => p.closest('tr').dataset.n"
    pressed = f"[...document.querySelectorAll('.pin[aria-pressed=true]')].map({number})"
    assert browser.value(pressed) == [str(one), str(other)]
    browser.click("header a.button")
    browser.until("document.querySelector('.compared')")
    heads = "[...document.querySelectorAll('.compared thead a')].map(a => a.textContent)"
    assert browser.value(heads) == [f"trial {one}", f"trial {other}"]
    texts = "r => [...r.cells].map(c => c.textContent)"
    rows = f"[...document.querySelectorAll('.compared tr')].map({texts})"
    found = {row[0]: row[1:] for row in browser.value(rows)}
    assert found["shown loss"] == [f"{r.value:.4f}" for r in _CONTENT.ranked[:2]]
    assert found["n_learners"] == [str(r.params["n_learners"]) for r in _CONTENT.ranked[:2]]
    for _ in range(2):
        browser.click(".compared .pin")
    assert "No trial is pinned" in browser.value("document.body.textContent")
    check_quiet(browser, tmp_path)


def test_a_click_on_a_column_sorts_by_it(browser: Browser, tmp_path: Path) -> None:
    content = made_content(made_records(20))
    show(browser, tmp_path, content)
    order = [r.number for r in content.ranked]
    assert browser.value(_NUMBERS)[: len(order)] == order
    browser.click('[data-column="number"]')
    assert browser.value(_NUMBERS) == [r.number for r in content.records]
    browser.click('[data-column="number"]')
    assert browser.value(_NUMBERS) == [r.number for r in content.records][::-1]
    sorts = "[...document.querySelectorAll('th[aria-sort]')].map(h => h.ariaSort)"
    assert browser.value(sorts) == ["descending"]
    browser.click('[data-column="state"]')
    assert browser.value(_CELLS.format(2)) == sorted(r.state for r in content.records)


def test_a_trial_has_a_page(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, _CONTENT)
    best = _CONTENT.best
    assert best is not None
    browser.click(f'[data-n="{best.number}"] a')
    browser.until("document.querySelector('#outcome')")
    text = browser.value("document.body.textContent")
    assert f"Trial {best.number}" in text and f"{best.value:.4f}" in text
    assert f"1 of {len(_CONTENT.ranked)}" in text
    go(browser, "#/study/s/trial/8")  # which failed
    assert "no such luck" in browser.value("document.body.textContent")
    go(browser, "#/study/s/trial/999")
    assert "There is no trial 999" in browser.value("document.body.textContent")
    check_quiet(browser, tmp_path)


def test_several_studies_stand_side_by_side(browser: Browser, tmp_path: Path) -> None:
    other = made_content(made_records(9), settings=made_settings(name="other"))
    elsewhere = made_content(made_records(5), settings=made_settings(name="t", dataset="yeast"))
    show(browser, tmp_path, _CONTENT, other, elsewhere)
    browser.until(_PAINTED)
    lines = "c => c.querySelectorAll('.keys li').length"
    cards = f"[...document.querySelectorAll('main .card')].map({lines})"
    assert browser.value(cards) == [0, 2, 1]  # all, then those of one data set together
    browser.click("#studies tbody tr:nth-child(2) input")
    assert browser.value(cards) == [0, 1, 1]
    go(browser, "#/study/other")
    assert browser.value(_COUNT) == "all 9 trials"
    check_quiet(browser, tmp_path)


def test_a_switch_makes_scales_logarithmic(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, _CONTENT)
    log = "document.querySelectorAll('[data-axis] small').length"
    assert browser.value(log) == 1  # rho is searched so
    browser.click("#history .tick input")
    assert browser.value(log) == 2
    ticked = "[...document.querySelectorAll('#curves .tick input')].map(i => i.checked)"
    assert browser.value(ticked) == [True]  # the same scale everywhere
    browser.click('[data-axis="parameter rho"]')
    assert browser.value(log) == 1


def test_pointing_at_a_trial_tells_about_it(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, made_content(made_records(4)), width=390)
    plot = browser.box("#history .plot")
    browser.until("(c => c.width === c.clientWidth)(document.querySelector('#history canvas'))")
    at = {"x": plot["x"] + 66, "y": plot["y"] + 10}
    for offset in range(0, 250, 20):  # a finger is wider than a mark
        touched = [{"x": at["x"], "y": at["y"] + offset}]
        browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=touched)
        browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        if not browser.value("document.getElementById('tip').hidden"):
            break
    assert browser.value("document.getElementById('tip').textContent").startswith("trial 0 ")


def test_nothing_hostile_is_executed_or_loaded(browser: Browser, tmp_path: Path) -> None:
    named = {name: Float(0.0, 1.0) for name in HOSTILE}
    space = Space({"algorithm": Fixed("topada"), "loops": Fixed(4), **named})
    values = dict.fromkeys(HOSTILE, 0.5)
    records = [made_record(n, **values, exploration=text) for n, text in enumerate(HOSTILE * 2)]
    records += [made_record(100 + n, "failed", error=text) for n, text in enumerate(HOSTILE)]
    hostile = made_settings(dataset="".join(HOSTILE), labels="".join(HOSTILE)).model_copy(
        update={"space": space.to_dict()}
    )
    shares = dict.fromkeys(HOSTILE, 1 / len(HOSTILE))
    content = made_content(records, settings=hostile, importances=shares)
    show(browser, tmp_path, content, width=390)
    for address in (
        "#/",
        "#/study/s/trial/0",
        "#/study/s/trial/100",
        "#/study/s/pins",
        "#/study/%",
    ):
        go(browser, address)
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
    for selector in ("h2", ".note", "dt", "td", "pre", "td a"):
        text = browser.value(f"getComputedStyle(document.querySelector('{selector}')).color")
        assert _contrast(_luminance(text), card) >= 4.5, selector


def test_five_thousand_trials_open_sort_and_scroll(browser: Browser, tmp_path: Path) -> None:
    show(browser, tmp_path, made_content(made_records(5000)))
    browser.click('[data-column="number"]')
    numbers = browser.value(_NUMBERS)
    assert numbers[:3] == [0, 1, 2] and len(numbers) < 100  # what is in sight
    browser.value("document.querySelector('.tall').scrollTop = 1e9")
    browser.until(f"{_NUMBERS}.at(-1) === 4999")
    check_quiet(browser, tmp_path)


@pytest.mark.parametrize("objective", ["shown_loss", "average_precision"])
def test_the_page_ranks_as_the_study_does(browser: Browser, objective: str) -> None:
    """Its order, improvements and Pareto front are those of topk_tune.charts."""
    content = made_content(made_records(60), settings=made_settings(objective=objective))
    folder = files("topk_tune.report").joinpath("scripts")
    rows = [dict(zip(FIELDS, trial_row(record), strict=True)) for record in content.records]
    main = (
        'import {front, improvements, rank} from "./ranking.js";\n'
        f"const trials = {json.dumps(rows)};\n"
        "const ranked = rank(trials, true);\n"
        "globalThis.found = [ranked, improvements(trials, true), front(ranked)]"
        ".map((list) => list.map(({number}) => number));\n"
    )
    ranking = folder.joinpath("ranking.js").read_text(encoding="utf-8")
    browser.value(joined({"main": main, "ranking": ranking}, "main"))
    expected = [content.ranked, improvements(content.records), content.front]
    assert browser.value("found") == [[record.number for record in each] for each in expected]


def _luminance(colour: str) -> float:
    """The relative luminance of an rgb(...) colour, as WCAG defines it."""
    shares = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
