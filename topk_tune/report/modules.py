"""Joins the modules of the page into one script.

Browsers load no modules from files, and the page's policy allows one script, by its hash. So each
module becomes a function's scope, and its imports become lookups; no other tool is needed.
"""

import re
from collections.abc import Mapping

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([a-z_]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def joined(modules: Mapping[str, str], main: str) -> str:
    """Return one script of all modules that `main` needs; `modules` has their texts by name."""
    order: list[str] = []
    _visit(main, modules, order, ())
    scopes = "\n".join(_scope(name, modules[name]) for name in order)
    return f'"use strict";\n(() => {{\nconst modules = {{}};\n{scopes}\n}})();\n'


def _visit(name: str, modules: Mapping[str, str], order: list[str], above: tuple[str, ...]) -> None:
    """Append a module after those that it imports."""
    if name in above:
        raise ValueError(f"modules must not import each other in a circle: {[*above, name]}")
    if name in order:
        return
    for _, other in _IMPORT.findall(modules[name]):
        _visit(other, modules, order, (*above, name))
    order.append(name)


def _scope(name: str, text: str) -> str:
    exported = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(_lookup, text))
    if left := _LEFT.search(body):
        raise ValueError(
            f'{name}.js: a module has lines `import {{a}} from "./b.js";` and exports functions, '
            f"constants and classes, but got {left.group()!r}"
        )
    return f"modules.{name} = (() => {{\n{body}return {{{exported}}};\n}})();"


def _lookup(found: re.Match[str]) -> str:
    return f"const {found[1]} = modules.{found[2]};\n"
