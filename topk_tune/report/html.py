"""The report as a self-contained HTML page that needs no network and no server."""

import base64
import hashlib
import json
from importlib.resources import files as resources

from markupsafe import Markup

from topk_tune.charts import svg
from topk_tune.records.wording import trial_line
from topk_tune.report import recipe, tables
from topk_tune.report.content import Content
from topk_tune.report.panels import panels
from topk_tune.version import __version__

# Only these characters can end the data of a script element.
_UNSAFE = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}

# These change the text direction: a command could look like another one.
_TURNING = {
    ord(c): f"\\u{ord(c):04x}" for c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
}


def page(content: Content) -> str:
    """The page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("topk_tune.report")
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=loader,
        finalize=_readable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = svg.style() + _resource("page.css"), _resource("page.js")
    drawn = panels(content)
    return environment.get_template("page.html").render(
        name=content.settings.name,
        policy=policy(style, script),
        style=Markup(style),
        script=Markup(script),
        headline=tables.headline(content),
        summary=tables.summary(content),
        best=tables.best_configuration(content),
        panels=drawn,
        trials=tables.trials(content),
        left_out=tables.left_out(content),
        recipe=recipe.recipe(content),
        files=recipe.files(content),
        data=embedded(_lines(content, "".join(p for panel in drawn for p in panel.pictures))),
        version=__version__,
    )


def policy(style: str, script: str) -> str:
    """The Content-Security-Policy, which allows only these two texts."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def embedded(value: object) -> Markup:
    """A value as JSON that is safe in a script element."""
    return Markup(json.dumps(value, separators=(",", ":")).translate(_UNSAFE))


def _readable(value: object) -> object:
    """Text without characters that change its direction; our own markup is kept."""
    return value.translate(_TURNING) if type(value) is str else value


def _lines(content: Content, pictures: str) -> dict[str, str]:
    """A line for each drawn trial, which is shown when a mouse is over it."""
    numbers = {part.split('"', 1)[0] for part in pictures.split('data-n="')[1:]}
    return {str(r.number): trial_line(r) for r in content.records if str(r.number) in numbers}


def _resource(name: str) -> str:
    return resources("topk_tune.report").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
