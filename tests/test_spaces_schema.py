"""The JSON schema for editors, and the page that says how to write a space."""

import doctest
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from pages import blocks

import search_spaces
from topk_tune.spaces import SpaceError, parse_space
from topk_tune.spaces.schema import schema, schema_text

HEAD: dict[str, Any] = {"algorithm": "topopt", "loops": 20}


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


def test_the_file_is_what_the_program_writes(root: Path) -> None:
    assert (root / "search_spaces" / "schema.json").read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("name", search_spaces.spaces())
def test_shipped_spaces_are_valid(name: str, validator: jsonschema.Draft202012Validator) -> None:
    validator.validate(search_spaces.load(f"{name}.yaml"))
    first = search_spaces.text(f"{name}.yaml").splitlines()[0]
    assert first == "# yaml-language-server: $schema=schema.json"


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"default": {"algorithm": "topopt"}},
        {"default": HEAD, "extra": {}},
        {"default": {**HEAD, "k": [1, 2]}},
        {"default": {**HEAD, "k": {"type": "int", "low": 1}}},
        {"default": {**HEAD, "k": {"type": "int", "low": 1.5, "high": 2}}},
        {"default": {**HEAD, "k": {"type": "int", "low": 1, "high": 2, "step": 0}}},
        {"default": {**HEAD, "k": {"type": "int", "low": 1, "high": 2, "stepp": 1}}},
        {"default": {**HEAD, "rho": {"type": "flaot", "low": 0.1, "high": 0.2}}},
        {"default": {**HEAD, "rho": {"type": "float", "low": 0, "high": 0.2, "log": True}}},
        {
            "default": {
                **HEAD,
                "rho": {"type": "float", "low": 1, "high": 2, "step": 1, "log": True},
            }
        },
        {"default": {**HEAD, "k": {"type": "choice", "options": []}}},
        {"default": {**HEAD, "k": {"type": "choice", "options": [2, 2]}}},
        {"default": {**HEAD, "k": {"type": "fixed", "value": 2, "when": {"algorithm": "topopt"}}}},
        {"default": HEAD, "datasets": {"yeast": {"k": {"type": "int"}}}},
    ],
)
def test_editor_and_reader_refuse_the_same(
    content: dict[str, Any], validator: jsonschema.Draft202012Validator
) -> None:
    assert not validator.is_valid(content)
    with pytest.raises(SpaceError):
        parse_space(yaml.safe_dump(content), "mine.yaml")


def test_editors_know_the_parameters_by_name(validator: jsonschema.Draft202012Validator) -> None:
    assert not validator.is_valid({"default": {**HEAD, "gama": 0.1}})
    assert not validator.is_valid({"default": {**HEAD, "seed": 1}})
    names = schema()["$defs"]["block"]["properties"]
    assert names["gamma"]["description"] == "A parameter of topopt, fullopt."


def test_the_examples_of_the_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = blocks("docs/spaces.md")
    (example,) = [block.code for block in found if block.language == "yaml"]
    (tmp_path / "mine.yaml").write_text(example, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    sessions = "\n".join(block.code for block in found if block.language == "pycon")
    test = doctest.DocTestParser().get_doctest(sessions, {}, "spaces.md", "docs/spaces.md", 0)
    result = doctest.DocTestRunner().run(test)
    assert result.failed == 0, capsys.readouterr().out
    assert result.attempted >= 5


def test_the_schema_is_json() -> None:
    assert json.loads(schema_text()) == schema()
