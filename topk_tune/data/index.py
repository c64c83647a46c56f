"""Downloads a source archive from the user's package indexes."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topk_tune.data.errors import DataError
from topk_tune.data.pip_settings import PipSettings, read_pip_settings

if TYPE_CHECKING:
    from unearth import Link, PackageFinder
    from unearth.finder import Source

# Called with the bytes received and the total, if known.
Progress = Callable[[int, int | None], None]


def download(requirement: str, sha256: str, folder: Path, progress: Progress | None = None) -> Path:
    """Download the source archive of a release with a known sha256, without running any of it.

    If a source does not answer or has another file, the next one is tried.
    """
    import httpx2
    from unearth.errors import HashMismatchError, UnpackError
    from unearth.preparer import download_link

    def report(link: Link, completed: int, total: int | None) -> None:
        if progress is not None:
            progress(completed, total)

    failures = []
    settings = read_pip_settings()
    with _session(settings) as session:
        for place, links in _search(requirement, settings, session):
            try:
                link = next(links, None)
                if link is not None:
                    return download_link(session, link, folder, {"sha256": [sha256]}, report)
                failures.append(f"{place} does not have it")
            except HashMismatchError as error:
                got = error.actual["sha256"]
                failures.append(f"{place} has a file with the sha256 {got} instead of {sha256}")
            except (httpx2.HTTPError, httpx2.InvalidURL, UnpackError) as error:
                # Some errors have advice on a second line, and a few have no message.
                reason = str(error).partition("\n")[0] or type(error).__name__
                failures.append(f"{place} failed ({reason})")
    raise DataError(
        f"{requirement} cannot be downloaded: {'; '.join(failures) or 'pip has no index here'}. "
        "Is the network up? The indexes are those of `pip config list`."
    )


# Any, because the type hints of unearth do not accept its own client.
def _session(settings: PipSettings) -> Any:
    from unearth.auth import MultiDomainBasicAuth
    from unearth.fetchers import PyPIClient

    indexes = [url for url in (settings.index_url, *settings.extra_index_urls) if url]
    return PyPIClient(
        trusted_hosts=settings.trusted_hosts,
        verify=_certificates(settings.cert) if settings.cert else True,
        proxy=settings.proxy or None,
        follow_redirects=True,
        # A command in the background must not wait for a password.
        auth=MultiDomainBasicAuth(prompting=False, index_urls=indexes),
    )


def _certificates(path: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=path)
    except OSError as error:
        raise DataError(f"{path}, the cert in pip's settings, cannot be read: {error}") from None


def _search(
    requirement: str, settings: PipSettings, session: Any
) -> Iterator[tuple[str, Iterator[Link]]]:
    """Yield the name of each source and its links, which are looked up lazily."""
    from unearth import Link, PackageFinder

    finder = PackageFinder(session, no_binary=[":all:"], ignore_compatibility=True)
    for source in _sources(finder, settings):
        finder.sources = [source]
        place = source["url"]
        # An address may hold a password.
        yield Link(place).redacted if "://" in place else place, _links(finder, requirement)


def _links(finder: PackageFinder, requirement: str) -> Iterator[Link]:
    for package in finder.find_matches(requirement):
        yield package.link


def _sources(finder: PackageFinder, settings: PipSettings) -> list[Source]:
    """Yield the sources, folders first, because they need no network."""
    # Without a source, the finder uses the default index: no address is needed here.
    usual = finder.sources[0]["url"]
    links = [link for link in settings.find_links if "://" in link or Path(link).exists()]
    sources: list[Source] = [{"url": link, "type": "find_links"} for link in links]
    if not settings.no_index:
        indexes = (settings.index_url or usual, *settings.extra_index_urls)
        sources += [{"url": url, "type": "index"} for url in indexes]
    return sources
