"""The algorithms by name."""

from booster.full_ada import FullAda
from booster.full_opt import FullOpt
from booster.template import Booster
from booster.top_ada import TopAda
from booster.top_opt import TopOpt

ALGORITHMS: dict[str, type[Booster]] = {
    algorithm.__name__.lower(): algorithm for algorithm in (TopOpt, TopAda, FullOpt, FullAda)
}
