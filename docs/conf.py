"""How Sphinx builds the site of the docs: `make docs`."""

import tomllib
from importlib.util import find_spec
from pathlib import Path

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

# Docstrings name code in single backticks, as Markdown does.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"topk-tune {release}"
html_show_sourcelink = False
html_copy_source = False
html_css_files = ["site.css"]

# One file that needs no fonts and no network; pages without equations do not load it.
_mathjax = Path(find_spec("sphinx-mathjax-offline").submodule_search_locations[0])
html_static_path = ["_static", str(_mathjax / "static" / "mathjax" / "tex-svg.js")]
mathjax_path = "tex-svg.js"
