"""The modules of the page, joined into one script."""

import pytest

from topk_tune.report.html import page_script
from topk_tune.report.modules import joined


def test_a_module_comes_after_what_it_imports_and_once() -> None:
    modules = {
        "main": 'import {a} from "./a.js";\nimport {b} from "./b.js";\na(b);\n',
        "a": 'import {b} from "./b.js";\nexport const a = (x) => x + b;\n',
        "b": "export const b = 1;\n",
        "unused": "export const c = 2;\n",
    }
    script = joined(modules, "main")
    starts = [line for line in script.splitlines() if line.startswith("modules.")]
    assert [line.split()[0] for line in starts] == ["modules.b", "modules.a", "modules.main"]
    assert "const {b} = modules.b;" in script and "return {a};" in script
    assert "export" not in script and "import" not in script


def test_a_circle_is_refused() -> None:
    modules = {"a": 'import {b} from "./b.js";\n', "b": 'import {a} from "./a.js";\n'}
    with pytest.raises(ValueError, match=r"\['a', 'b', 'a'\]"):
        joined(modules, "a")


@pytest.mark.parametrize("line", ['import x from "./b.js";', "export default 1;", "export {a};"])
def test_a_line_that_is_not_understood_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"a\.js: .*but got"):
        joined({"a": f"{line}\n"}, "a")


def test_the_page_makes_no_markup_of_text() -> None:
    script = page_script()
    for sink in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert sink not in script
