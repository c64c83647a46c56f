"""The page: one HTML text that loads nothing, with its data inside or asked of its server."""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as resources
from typing import Any

from markupsafe import Markup

from topk_tune.charts.looks import palettes, style
from topk_tune.report.content import Content
from topk_tune.report.modules import joined
from topk_tune.report.payload import FIELDS, study_facts, trial_row
from topk_tune.version import __version__

# Only these characters can end the data of a script element.
_UNSAFE = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


@dataclass(frozen=True)
class Page:
    """A page, and the policy that allows only its own style and script."""

    text: str
    policy: str


def page(*contents: Content) -> str:
    """The offline page of some studies."""
    studies = [
        {"facts": study_facts(each), "trials": [trial_row(record) for record in each.records]}
        for each in contents
    ]
    title = contents[0].settings.name if len(contents) == 1 else f"{len(contents)} studies"
    return render(f"Study {title}", studies, live=False).text


def render(title: str, studies: Sequence[Any], live: bool) -> Page:
    """The page; a live one may ask its own server for more, and nobody else."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    data = {
        "version": __version__,
        "live": live,
        "fields": FIELDS,
        "palettes": palettes(),
        "studies": studies,
    }
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, loader=PackageLoader("topk_tune.report")
    )
    look, script = style() + _resource("templates", "page.css"), page_script()
    allowed = policy(look, script, live)
    text = environment.get_template("page.html").render(
        title=title,
        policy=allowed,
        style=Markup(look),
        script=Markup(script),
        data=embedded(data),
    )
    return Page(text, allowed)


def policy(style: str, script: str, live: bool) -> str:
    """The Content-Security-Policy: these two texts, no markup made of text, no other host."""
    asked = "'self'" if live else "'none'"
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        f"connect-src {asked}; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'"
    )


def embedded(value: object) -> Markup:
    """A value as JSON that is safe in a script element."""
    return Markup(json.dumps(value, separators=(",", ":")).translate(_UNSAFE))


@cache
def page_script() -> str:
    """All modules of the page as one script."""
    folder = resources("topk_tune.report").joinpath("scripts")
    modules = {
        file.name.removesuffix(".js"): file.read_text(encoding="utf-8")
        for file in folder.iterdir()
        if file.name.endswith(".js")
    }
    return joined(modules, "main")


def _resource(*path: str) -> str:
    return resources("topk_tune.report").joinpath(*path).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
