"""Search spaces: what a study searches over, read from YAML and checked before anything starts.

>>> from topk_tune.spaces import read_space
>>> space = read_space("table5").fixed(algorithm="topada")
>>> space.size
200
>>> space.check(n_features=103, n_labels=14)
>>> space.grid()[0]["rho"]
0.01
"""

from topk_tune.spaces.errors import SpaceError
from topk_tune.spaces.kinds import DataKind
from topk_tune.spaces.parameters import Choice, Fixed, Float, Int, Parameter
from topk_tune.spaces.reading import parse_space, read_space
from topk_tune.spaces.space import Space

__all__ = [
    "Choice",
    "DataKind",
    "Fixed",
    "Float",
    "Int",
    "Parameter",
    "Space",
    "SpaceError",
    "parse_space",
    "read_space",
]
