"""Search a space of your own, written in Python, on a synthetic stream whose concept drifts."""

from topk_tune import tune
from topk_tune.spaces import Choice, Fixed, Float, Int, Space

space = Space(
    {
        "algorithm": Choice(["topopt", "topada"]),
        "loops": Fixed(5),
        "n_learners": Int(5, 25, step=5),
        "rho": Float(0.02, 0.3, log=True),
        "gamma": Float(0.02, 0.4, log=True, when={"algorithm": ["topopt"]}),
        "k": Fixed(3),
    }
)
study = tune(
    "synthetic:rows=1500,dim=20,m=10,cardinality=2,drift=0.5,seed=1",
    space=space,
    trials=6,
    seeds=2,
    backend="local",
    workers=2,
    track=False,
)
best = study.best()
assert best is not None
print(f"{best.value:.4f} ± {best.spread:.4f} with {best.best_config}")
