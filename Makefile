# The interpreter that the virtual environment is made from: Python 3.11, 3.12 or 3.13.
PYTHON ?= python3

VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK  := build/lock
PIP   := -m pip --disable-pip-version-check

PYTEST := $(BIN)/pytest --dist loadfile --no-loadscope-reorder

# If it is set, every process that the tests start compiles all of our modules.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help install tune check test test-fast test-all test-cluster kernels skmultiflow skmultiflow-if-possible lint format docs bench results lock clean check-python

help: ## show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: kernels ## make .venv and install the project with its tools (the others do it when needed)

tune: kernels ## search for the best configuration of TopAda on Yeast, 20 trials
	$(BIN)/topk-tune run --trials 20

check: $(STAMP) ## run the fast lane: lint, format, types, import contract, tests not marked slow
	@$(MAKE) --no-print-directory --jobs=2 lint test-fast

test: $(STAMP) ## run every gate: lint, format, types, import contract, tests
	@$(MAKE) --no-print-directory --jobs=2 kernels skmultiflow-if-possible
	@$(MAKE) --no-print-directory --jobs=2 lint test-all

# With three processes two cores are busy: many slow tests wait for other processes to start.
test-all: kernels
	$(PYTEST) -n 3

test-fast: kernels
	$(PYTEST) -q -n 2 -m "not slow and not machines"

test-cluster: kernels ## run the README's cluster on machines with SSH, in namespaces (needs root)
	$(BIN)/pytest -m machines -v --durations=12 tests/test_cluster_machines.py

# Once a machine: nothing is done if it has the machine code of these kernels.
kernels: $(STAMP)
	@$(BIN)/python -c 'import booster; booster.warm_up(load=False)'

skmultiflow-if-possible: $(STAMP)
	@$(BIN)/python -m topk_tune.commands.build_skmultiflow --if-possible

skmultiflow: $(STAMP) ## build scikit-multiflow for this Python and install it, for learner=skmultiflow
	$(BIN)/python -m topk_tune.commands.build_skmultiflow

lint: $(STAMP) ## run the gates that do not execute the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP) ## rewrite the code in the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(STAMP) ## build the site of the docs into build/docs, offline; a warning is an error
	@rm -rf build/docs
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going docs build/docs
	$(BIN)/python tools/check_site.py build/docs

bench: $(STAMP) ## measure the speed of the algorithms, and what the tuner costs
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.wide_speed
	$(BIN)/python -m benchmarks.log_speed --file-rows 10000000
	$(BIN)/python -m benchmarks.schedule_cost
	$(BIN)/python -m benchmarks.tuner_overhead
	$(BIN)/python -m benchmarks.tuner_scale
	$(BIN)/python -m benchmarks.tracking_cost
	$(BIN)/python -m benchmarks.serving

results: $(STAMP) ## make the paper's tables again, and the pages beside them (hours; goes on where it stopped)
	$(BIN)/topk-tune reproduce all --paper-protocol --baselines --output docs/results
	mv docs/results/tuned.yaml search_spaces/best/tuned.yaml
	$(BIN)/python -m benchmarks.ablation
	$(BIN)/python -m benchmarks.paper_parameters
	$(BIN)/python -m benchmarks.constant_rho
	$(BIN)/python -m benchmarks.exploration
	$(BIN)/python -m benchmarks.mediamill
	$(BIN)/python -m benchmarks.tree_size
	$(BIN)/python -m benchmarks.tie_threshold
	$(BIN)/python -m benchmarks.row_order
	$(BIN)/python -m benchmarks.ranges
	$(BIN)/python -m benchmarks.topada_step
	$(BIN)/python -m benchmarks.wide
	$(BIN)/python -m benchmarks.default_search
	$(BIN)/python -m benchmarks.curves_compare
	$(BIN)/python -m benchmarks.settling

clean: ## remove the virtual environment, caches and build products
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The build backend goes in first, so that it too has the version that constraints.txt names. pip
# would compile all modules on one core; some packages have files that this Python cannot compile.
$(STAMP): pyproject.toml constraints.txt
	@$(MAKE) --no-print-directory check-python
	@echo "Installing into $(VENV); this takes some minutes, once."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(PIP) install --quiet --constraint constraints.txt hatchling
	@$(BIN)/python $(PIP) install --quiet --no-build-isolation --no-compile --constraint constraints.txt --editable '.[dev]'
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	@touch $@

check-python:
	@command -v $(PYTHON) >/dev/null || { echo "No $(PYTHON) here: name a Python 3.11, 3.12 or 3.13, as in make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; (3, 11) <= v <= (3, 13) or sys.exit("topk-tune needs Python 3.11, 3.12 or 3.13, but $(PYTHON) is %d.%d: name another, as in make PYTHON=python3.12" % v)'

# Resolved on the oldest Python, whose releases the newer ones can install too; the loop makes sure of it.
lock: check-python ## resolve the ranges of pyproject.toml into constraints.txt again (run with Python 3.11)
	@$(PYTHON) -c 'import sys; sys.version_info[:2] == (3, 11) or sys.exit("make lock needs Python 3.11, as in make lock PYTHON=python3.11")'
	rm -rf $(LOCK)
	$(PYTHON) -m venv $(LOCK)
	$(LOCK)/bin/python $(PIP) install --quiet '.[dev]'
	{ sed -n '/^#/p' constraints.txt; $(LOCK)/bin/python $(PIP) freeze --exclude topk-tune; } > $(LOCK)/constraints.txt
	for version in 3.12 3.13; do \
	    $(LOCK)/bin/python $(PIP) install --quiet --dry-run --ignore-installed --only-binary=:all: \
	        --python-version $$version --target $(LOCK)/none --requirement $(LOCK)/constraints.txt || exit 1; \
	done
	mv $(LOCK)/constraints.txt constraints.txt
	rm -rf $(LOCK)
