"""Use a booster without a study: rank, show the top three, learn from what was clicked."""

from booster import TopOpt
from topk_tune.data import load

yeast = load("yeast")
ranker = TopOpt(
    n_features=yeast.n_features, n_labels=yeast.n_labels, n_learners=20, gamma=0.05, rho=0.1
)
right = 0
for x, y in zip(yeast.X_train, yeast.Y_train, strict=True):
    shown = ranker.predict(x)[: ranker.k]
    clicked = y[shown]
    right += int(clicked.sum())
    ranker.update(clicked)

print(f"{right / (ranker.k * len(yeast.X_train)):.3f} of the labels shown were right")
measured = ranker.evaluate(yeast.X_test, yeast.Y_test)
print(f"weighted rank loss of what is shown on the test rows: {measured.shown:.4f}")
print(f"of the ranking before exploration: {measured.loss:.4f}")
