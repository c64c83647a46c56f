"""The report as one HTML page that needs nothing else: no network, no server."""

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

# In a script element of HTML nothing but these can end the data or begin something else.
_UNSAFE = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}

# These turn the direction of what follows: a command would read as another than it is.
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
    """The Content-Security-Policy: these two texts and nothing else, from nowhere."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def embedded(value: object) -> Markup:
    """A value as JSON that can be put into a script element."""
    return Markup(json.dumps(value, separators=(",", ":")).translate(_UNSAFE))


def _readable(value: object) -> object:
    """Text as it is read from left to right; markup of our own stays as it is."""
    return value.translate(_TURNING) if type(value) is str else value


def _lines(content: Content, pictures: str) -> dict[str, str]:
    """A line for each trial that is drawn somewhere, to be shown when it is pointed at."""
    numbers = {part.split('"', 1)[0] for part in pictures.split('data-n="')[1:]}
    return {str(r.number): trial_line(r) for r in content.records if str(r.number) in numbers}


def _resource(name: str) -> str:
    return resources("topk_tune.report").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
