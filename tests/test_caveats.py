"""What is said beside the result of a study."""

from typing import Any

import pytest
from messages import says

from topk_tune.spaces import Choice, DataKind, Fixed, Float, Int, Parameter, Space
from topk_tune.study.caveats import Shape, above_label_frequency, edges, slow_observer

SHAPE = Shape(n_features=5, n_labels=6)


def space(**others: Parameter) -> Space:
    parameters = {
        "algorithm": Fixed("topopt"),
        "loops": Int(5, 20),
        "n_learners": Int(20, 400, step=10),
        "rho": Float(0.01, 0.5),
        "gamma": Float(0.001, 0.1, log=True),
    }
    return Space({**parameters, **others})


INSIDE = {"algorithm": "topopt", "loops": 12, "n_learners": 100, "rho": 0.2, "gamma": 0.01}


def found(searched: Space | None = None, shape: Shape | None = SHAPE, **values: Any) -> list[Any]:
    at = edges({**INSIDE, **values}, searched or space(), shape)
    return [(edge.name, edge.end) for edge in at]


def test_nothing_is_said_of_values_inside_their_ranges() -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("name", "value", "end"),
    [
        ("rho", 0.5, "high"),
        ("rho", 0.496, "high"),
        ("rho", 0.494, None),
        ("rho", 0.01, "low"),
        ("rho", 0.0148, "low"),
        ("rho", 0.016, None),
        ("gamma", 0.001, "low"),
        ("gamma", 0.00104, "low"),
        ("gamma", 0.00106, None),
        ("gamma", 0.096, "high"),
        ("gamma", 0.095, None),
        ("n_learners", 400, "high"),
        ("n_learners", 390, None),
        ("n_learners", 20, "low"),
        ("loops", 20, "high"),
        ("loops", 3, None),
    ],
)
def test_a_hundredth_of_a_range_on_its_own_scale_is_its_edge(
    name: str, value: float, end: str | None
) -> None:
    assert found(**{name: value}) == ([] if end is None else [(name, end)])


def test_it_says_which_way_to_widen() -> None:
    high, low = edges({**INSIDE, "rho": 0.5, "gamma": 0.001}, space(), SHAPE)
    says(high, "rho = 0.5", "upper end", "0.01 to 0.5", "larger")
    says(low, "gamma = 0.001", "lower end", "0.001 to 0.1", "logarithmic", "smaller")


def test_choices_fixed_values_and_single_points_have_no_edge() -> None:
    searched = space(n_learners=Choice([1, 100, 200]), rho=Fixed(0.5), gamma=Float(0.1, 0.1))
    assert found(searched, n_learners=200, rho=0.5, gamma=0.1) == []


@pytest.mark.parametrize(
    ("sparse", "others", "told"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"observer": Fixed("gaussian")}, False),
        (True, {"observer": Fixed("binary")}, False),
        (True, {"learner": Fixed("river")}, False),
    ],
)
def test_rows_that_are_mostly_zero_need_an_observer(
    sparse: bool, others: dict[str, Parameter], told: bool
) -> None:
    kind = DataKind(2000, sparse, "binary", 50)
    warning = slow_observer(space(n_covariates=Fixed(20), **others), kind)
    assert (warning is not None) == told
    if told:
        says(warning, "observer: binary", "sparse:")
    assert slow_observer(space(**others), kind) is None  # a ranker without trees


def test_parameters_that_do_not_exist_have_no_edge() -> None:
    searched = space(k=Int(2, 4, when={"algorithm": ["topada"]}))
    assert found(searched) == []


@pytest.mark.parametrize(
    ("parameter", "values"),
    [
        ({"k": Int(3, 6)}, {"k": 6}),
        ({"k": Int(2, 5)}, {"k": 2}),
        ({"n_learners": Int(1, 8)}, {"n_learners": 1}),
        ({"loops": Int(1, 8)}, {"loops": 1}),
        ({"rho": Float(0.01, 0.99)}, {"rho": 0.99}),
        ({"rho": Float(0.01, 0.99, log=True)}, {"rho": 0.985}),
    ],
)
def test_nobody_is_sent_where_no_booster_goes(
    parameter: dict[str, Parameter], values: dict[str, Any]
) -> None:
    assert found(space(**parameter), **values) == []
    assert len(found(space(**parameter), shape=None, **values)) == 1


def test_a_low_end_near_zero_can_still_be_lowered() -> None:
    assert found(rho=0.01) == [("rho", "low")]


def test_a_loss_that_is_not_below_label_frequency_is_named() -> None:
    assert above_label_frequency(0.19, 0.21) is None
    said = above_label_frequency(0.21, 0.21)
    assert said is not None
    assert said.startswith("the loss of 0.2100 is not below that of label frequency, 0.2100")
