"""How Sphinx builds the site of the docs: `make docs`."""

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]

project = "topk-tune"
author = "The topk-tune developers"
release = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_external_toc",
]

# The pages are plain Markdown, which GitHub shows as well; the navigation is in a file of its own.
external_toc_path = "_toc.yml"
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4
smartquotes_action = "qD"

# Docstrings name code in single backticks, as Markdown does.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
napoleon_google_docstring = False
napoleon_attr_annotations = False
napoleon_use_param = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"topk-tune {release}"
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_css_files = ["site.css"]

# One file that needs no fonts and no network; pages without equations do not load it.
_mathjax = Path(find_spec("sphinx-mathjax-offline").submodule_search_locations[0])
html_static_path = ["_static", str(_mathjax / "static" / "mathjax" / "tex-svg.js")]
mathjax_path = "tex-svg.js"


def mark_figures(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Mark the cells of tables that have a number, a loss with its spread and so on: no breaks."""
    for cell in doctree.findall(nodes.entry):
        if re.fullmatch(r"[-+<>≤]?\d[\d.,:%± ()-]{0,24}", cell.astext()):
            cell["classes"].append("figures")


def name_pages(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Call a page by its name where a link shows that of its file, which is for GitHub."""
    for link in doctree.findall(nodes.reference):
        if re.fullmatch(r"[\w./]+\.md", link.astext()):
            *above, name = link.astext().removesuffix(".md").split("/")
            shown = above[-1] if name == "README" and above else name.replace("_", " ")
            link.children = [nodes.Text(shown)]


def setup(app: Sphinx) -> None:
    """Add what is above to Sphinx."""
    app.connect("doctree-resolved", mark_figures)
    app.connect("doctree-resolved", name_pages)
