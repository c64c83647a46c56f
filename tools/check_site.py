"""Checks a built site: every link leads somewhere, and no page loads anything from elsewhere."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}
"""What a browser fetches by itself when it shows a page."""


@dataclass
class Page(HTMLParser):
    """The ids of a page, what it links to and what it loads."""

    path: Path
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names, links to or loads."""
        given = dict(attrs)
        self.ids |= {given[key] or "" for key in ("id", "name") if key in given}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        if tag in LOADED and given.get(LOADED[tag]):
            self.loads.append(given[LOADED[tag]] or "")


def problems(site: Path) -> Iterator[str]:
    """What is wrong, as page and address."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    for page in pages.values():
        for address in page.links + page.loads:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.loads and parts.scheme != "data":
                    yield f"{page.path}: loads {address} from another host"
                continue
            target = page.path.resolve()
            if parts.path:
                target = (page.path.parent / unquote(parts.path)).resolve()
            place = unquote(parts.fragment)
            if not target.is_file():
                yield f"{page.path}: nothing is at {address}"
            elif place and target in pages and place not in pages[target].ids:
                yield f"{page.path}: no such place in a page, {address}"
    for style in sorted(site.rglob("*.css")):
        if any(far in style.read_text("utf-8") for far in ("url(http", "url(//", '@import "http')):
            yield f"{style}: loads something from another host"


if __name__ == "__main__":
    found = list(problems(Path(sys.argv[1])))
    print("\n".join(found) or "Every link leads somewhere, and nothing is loaded from elsewhere.")
    sys.exit(bool(found))
