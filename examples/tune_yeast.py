"""Search for a good TopAda on Yeast, then confirm the best on fresh seeds and the test rows."""

from topk_tune import tune
from topk_tune.backends.resources import ResourceOptions
from topk_tune.spaces import read_space
from topk_tune.study.confirm import confirm

space = read_space("topada").fixed(loops=4)  # of 20, which make better boosters and take longer
study = tune("yeast", space=space, trials=2, seed=1, backend="local", workers=2, track=False)
print(study.dataframe()[["number", "state", "shown_loss", "n_learners", "rho"]])

for found in confirm(study, top=1, seeds=2, resources=ResourceOptions("local", 2)):
    print(f"trial {found.trial}: {found.value:.4f} ± {found.spread:.4f} on the test rows")
