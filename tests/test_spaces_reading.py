"""Space files: what ships, data-set blocks, and errors with their lines."""

from pathlib import Path

import pytest
from messages import lines_say, raises, says

import search_spaces
from topk_tune.spaces import Choice, Fixed, Float, Int, SpaceError, parse_space, read_space

GOOD = """\
default:
  algorithm: topopt
  loops: 20
  gamma: {type: float, low: 1e-2, high: 0.4, log: true, when: {algorithm: [topopt, fullopt]}}
  weight_cap:
datasets:
  mediamill:
    loops: {type: choice, options: [10, 20]}
    rho: 0.1
"""


def problems(text: str) -> list[str]:
    with pytest.raises(SpaceError) as refused:
        parse_space(text, "mine.yaml")
    return str(refused.value).splitlines()


def test_a_file_is_read_as_it_is_written() -> None:
    space = parse_space(GOOD, "mine.yaml")
    assert space.parameters == {
        "algorithm": Fixed("topopt"),
        "loops": Fixed(20),
        "gamma": Float(0.01, 0.4, log=True, when={"algorithm": ["topopt", "fullopt"]}),
        "weight_cap": Fixed(None),
    }
    assert list(space.parameters) == ["algorithm", "loops", "gamma", "weight_cap"]
    assert space.place("gamma") == "mine.yaml:4"


def test_a_data_set_replaces_entries_in_their_place() -> None:
    space = parse_space(GOOD, "mine.yaml", "mediamill")
    assert list(space.parameters) == ["algorithm", "loops", "gamma", "weight_cap", "rho"]
    assert space.parameters["loops"] == Choice([10, 20])
    assert space.place("loops") == "mine.yaml:8"
    assert parse_space(GOOD, "mine.yaml", "yeast") == parse_space(GOOD, "mine.yaml")


def test_all_problems_come_at_once() -> None:
    text = """\
default:
  algorithm: topopt
  n_learners: {type: int, low: 60, high: 10}
  gamma:
    type: float
    low: 0.1
    high: 0.4
    stepp: 0.1
  rho: {type: flaot, low: 0.1, high: 0.2}
  rho: 0.1
  k: {type: choice, options: [3, 3]}
  exploration: {type: choice, options: [uniform], when: {kk: [3]}}
  max_nodes: {type: int, low: 10}
  1: 2
  weight_cap: [1, 2]
datasets:
  yeast:
    k: {type: fixed, value: 3, when: {later: [1]}}
    later: 1
  scene: 7
extra: {}
"""
    lines_say(
        "\n".join(problems(text)),
        ["mine.yaml:1: loops:", "missing"],
        ["mine.yaml:3: n_learners:", "low 60", "high 10"],
        ["mine.yaml:8: gamma:", "'stepp'", "float", "low, high, step, log, when"],
        ["mine.yaml:9: rho:", "'flaot'", "int, float, choice, fixed"],
        ["mine.yaml:10: rho:", "line 9"],
        ["mine.yaml:11: k:", "options", "distinct", [3, 3]],
        ["mine.yaml:12: exploration:", "when", "'kk'", "algorithm, n_learners, gamma, rho, k"],
        ["mine.yaml:13: max_nodes:", "high", "missing", "int"],
        ["mine.yaml:14: keys", "text", 1],
        ["mine.yaml:15: weight_cap:", "true, false or null", [1, 2]],
        ["mine.yaml:18: k:", "when", "earlier", "'later'", "algorithm, n_learners, gamma, rho"],
        ["mine.yaml:20: scene", "mapping", 7],
        ["mine.yaml:21:", "'extra'", "many_labels, datasets"],
    )


HEAD = "default:\n  algorithm: topopt\n  loops: 20\n"


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", ["mine.yaml:1:", "default", "missing"]),
        ("datasets:\n", ["mine.yaml:1:", "default", "missing"]),
        (HEAD + "  gamma: [1, 2\n", ["mine.yaml:5:", "YAML"]),
        (HEAD + "  gamma: {low: 1\n  rho: 2\n", ["mine.yaml:5:", "YAML"]),
        (HEAD + "---\na: 1\n", ["mine.yaml:4:", "YAML"]),
        (HEAD + "  rho: \x07\n", ["mine.yaml:4:", "YAML", "'\\x07'"]),
        (HEAD + "  k: &a 3\n  rho: *a\n", ["mine.yaml:5:", "YAML", "aliases", "*a"]),
        (HEAD + "  k: &a [*a]\n", ["mine.yaml:4:", "YAML", "aliases", "*a"]),
        (HEAD + "  k: " + "[" * 5000 + "]" * 5000, ["mine.yaml:1:", "YAML", "deeply"]),
        (HEAD + "  k: !!python/name:os.system x\n", ["mine.yaml:4:", "YAML", "tag"]),
        (HEAD + "  k: !!python/object:os.x {a: 1}\n", ["mine.yaml:4:", "YAML", "tags"]),
        (HEAD + "  k: !!int abc\n", ["mine.yaml:4:", "tag", "'abc'"]),
        (HEAD + "  k: 2026-02-30\n", ["mine.yaml:4:", "tag", "2026-02-30"]),
        (HEAD + "  k: 2026-02-03\n", ["mine.yaml:4: k:", "finite number"]),
        (HEAD + "  rho: .nan\n", ["mine.yaml:4: rho:", "finite number"]),
        (HEAD + "  k: {type: [int], low: 1}\n", ["mine.yaml:4: k:", "type", "choice"]),
        (HEAD + "  k: {low: 1, high: 2}\n", ["mine.yaml:4: k:", "type", "none"]),
        (HEAD + "  k: {type: int, low: one, high: 2}\n", ["mine.yaml:4: k:", "low", "'one'"]),
        (HEAD + "  k: {type: fixed, value: 3, when: 3}\n", ["mine.yaml:4: k:", "when", 3]),
        (
            "default:\n  algorithm: topada\n"
            "  loops: {type: fixed, value: 2, when: {algorithm: [topada]}}",
            ["mine.yaml:3: loops:", "always", {"algorithm": ("topada",)}],
        ),
    ],
)
def test_errors_name_the_line(text: str, facts: list[object]) -> None:
    (problem,) = problems(text)
    says(problem, *facts)


def test_all_mistakes_are_reported_at_once() -> None:
    text = """\
default:
  algorithm: topada
  loops: 0
  n_learners: {type: int, low: 20, high: 10, stepp: 5}
  k: 1
  exploration: nonsense
  schedule: wrong
  rho_end: 7
  rho: {type: float, low: 0.5, high: 1.5}
  gama: 0.1
  max_nodes: {type: choice, options: [31, 0], when: {observer: [sparse]}}
"""
    assert [(line.split(":")[1], line.split(": ")[1]) for line in problems(text)] == [
        ("3", "loops"),
        ("4", "n_learners"),
        ("4", "n_learners"),
        ("5", "k"),
        ("6", "exploration"),
        ("7", "schedule"),
        ("8", "rho_end"),
        ("9", "rho"),
        ("10", "gama"),
        ("11", "max_nodes"),
    ]


def test_a_file_that_is_no_mapping() -> None:
    said = "\n".join(problems("- 1\n- 2\n"))
    lines_say(said, ["mine.yaml:1:", "default"], ["mine.yaml:1:", "mapping", [1, 2]])


def test_a_file_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.yml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert read_space(str(path)) == parse_space(GOOD, "mine.yaml")
    path.write_text(GOOD.replace("topopt\n", "topopt\n  algorithm: topada\n"))
    with raises(SpaceError, "mine.yml:3: algorithm:", "duplicate", "line 2"):
        read_space(str(path))


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        (b"# " + b"x" * 1_000_000, ["mine.yaml:", "1,000,000 bytes"]),
        (b"default:\n  k: \xff\n", ["mine.yaml:2:", "UTF-8", "0xff"]),
        (None, ["mine.yaml:", "No such file"]),
    ],
)
def test_a_file_that_cannot_be_read(
    tmp_path: Path, content: bytes | None, facts: list[object]
) -> None:
    path = tmp_path / "mine.yaml"
    if content is not None:
        path.write_bytes(content)
    with raises(SpaceError, *facts):
        read_space(str(path))


def test_a_misspelt_name_gets_the_nearest_ones() -> None:
    with pytest.raises(SpaceError) as refused:
        read_space("topad")
    assert str(refused.value).startswith(
        "unknown search space 'topad'; choose from fullada, fullopt, paper, table5, topada, "
        "topopt, or the path of a .yaml file. Did you mean 'topada'"
    )


@pytest.mark.parametrize("name", search_spaces.spaces())
@pytest.mark.parametrize("dataset", [None, "yeast", "mediamill"])
def test_shipped_spaces_suit_the_boosters(name: str, dataset: str | None) -> None:
    space = read_space(name, dataset)
    space.check(n_features=103, n_labels=14)
    space.check(n_features=120, n_labels=101)
    space.check(n_features=72, n_labels=6)


@pytest.mark.parametrize("name", ["topopt", "topada", "fullopt", "fullada"])
def test_the_space_of_an_algorithm_is_its_own(name: str) -> None:
    space = read_space(name)
    assert space.parameters["algorithm"] == Fixed(name)
    assert space.parameters["loops"] == Fixed(20)
    assert ("gamma" in space.parameters) == name.endswith("opt")
    assert ("rho" in space.parameters) == name.startswith("top")
    assert space.largest("n_learners") == 100
    assert read_space(name, "mediamill").largest("n_learners") == 40


def test_the_search_of_the_paper_counted_by_hand() -> None:
    space = read_space("table5")
    # N: 10 to 100; gamma: 4 values; rho: 0.01 to 0.1; loops: 2 values.
    by_hand = {
        "topopt": 10 * 4 * 10 * 2,
        "topada": 10 * 10 * 2,
        "fullopt": 10 * 4 * 2,
        "fullada": 20,
    }
    for algorithm, size in by_hand.items():
        grid = space.fixed(algorithm=algorithm).grid()
        assert len(grid) == space.fixed(algorithm=algorithm).size == size
    assert len(space.grid()) == space.size == sum(by_hand.values()) == 1100


@pytest.mark.parametrize("algorithm", ["topopt", "topada"])
@pytest.mark.parametrize("dataset", ["emotions", "scene", "yeast", "mediamill", "m_reduced"])
def test_the_search_of_the_paper_holds_what_it_picked(algorithm: str, dataset: str) -> None:
    space = read_space("table5", dataset)
    space.contains({"algorithm": algorithm, **search_spaces.paper_parameters(algorithm, dataset)})


@pytest.mark.parametrize("algorithm", ["fullopt", "fullada"])
def test_full_information_as_the_paper_ran_it(algorithm: str) -> None:
    space = read_space("table5").fixed(loops=1, n_learners=100)
    space.contains({"algorithm": algorithm, **search_spaces.paper_parameters(algorithm, "yeast")})


def test_only_whole_steps_are_in_the_search_of_the_paper() -> None:
    assert read_space("table5").parameters["n_learners"] == Int(10, 100, step=10)
