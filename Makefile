# The interpreter that the virtual environment is made from: Python 3.11, 3.12 or 3.13.
PYTHON ?= python3

VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.installed
TOOLS := build/tools
PIP   := -m pip --disable-pip-version-check

PYTEST := $(BIN)/pytest --dist loadfile --no-loadscope-reorder

# If it is set, every process that the tests start compiles all of our modules.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help install tune check test test-fast test-all test-cluster test-install coverage kernels skmultiflow skmultiflow-if-possible lint format pre-commit docs bench results dist sbom audit lock clean check-python

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
	$(PYTEST) -q -n 2 --hypothesis-profile quick -m "not slow and not machines and not installs"

test-install: $(STAMP) ## install the wheel into empty environments, one for each extra, and use it (needs a package index)
	$(BIN)/pytest -m installs -v --durations=12 tests/test_installs.py

test-cluster: kernels ## run the README's cluster on machines with SSH, in namespaces (needs root)
	$(BIN)/pytest -m machines -v --durations=12 tests/test_cluster_machines.py

# Coverage cannot follow machine code, so kernels run once more, as plain Python: in all their tests
# but those that take minutes then.
coverage: kernels ## measure which lines the fast lane runs, those of kernels as plain Python (a quarter of an hour)
	$(BIN)/coverage erase
	NUMBA_DISABLE_JIT=1 PYTHONPATH=tests $(BIN)/coverage run -m pytest -q -p plain_kernels \
	    -m "not slow" -k "not screening_changes" tests/test_kernels_*.py tests/test_potentials.py
	$(BIN)/coverage run -m pytest -q --hypothesis-profile quick -m "not slow and not machines and not installs"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --skip-covered

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
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.citation-file-format CITATION.cff

pre-commit: $(STAMP) ## check what changes at each git commit: lint, format, types, import contract
	$(BIN)/pre-commit install

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
	$(BIN)/python -m benchmarks.additions
	$(BIN)/python -m benchmarks.paper_parameters
	$(BIN)/python -m benchmarks.top_cells
	$(BIN)/python -m benchmarks.constant_rho
	$(BIN)/python -m benchmarks.exploration
	$(BIN)/python -m benchmarks.mediamill
	$(BIN)/python -m benchmarks.tree_size
	$(BIN)/python -m benchmarks.tie_threshold
	$(BIN)/python -m benchmarks.row_order
	$(BIN)/python -m benchmarks.ranges
	$(BIN)/python -m benchmarks.topada_step
	$(BIN)/python -m benchmarks.wide
	$(BIN)/python -m benchmarks.unseen
	$(BIN)/python -m benchmarks.default_search
	$(BIN)/python -m benchmarks.curves_compare
	$(BIN)/python -m benchmarks.oracle
	$(BIN)/python -m benchmarks.seeds_compare
	$(BIN)/python -m benchmarks.settling

dist: $(STAMP) ## build the source archive and the wheel into dist/, the same bytes wherever it is done
	rm -rf dist
	$(BIN)/hatchling build

sbom: $(STAMP) $(TOOLS) ## write the bill of materials of .venv beside the wheel, in CycloneDX
	@mkdir -p dist
	$(TOOLS)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file dist/sbom.cdx.json $(VENV)

# `--strict`: without it, a package that the database could not be asked about counts as sound.
audit: $(TOOLS) ## look up known vulnerabilities of the locked versions (needs the network)
	@$(TOOLS)/bin/pip-audit --strict --disable-pip --require-hashes --progress-spinner off --requirement locks/dev.txt || \
	    { echo "Not passed: either a vulnerability is listed above, or the database at PyPI could not be asked." >&2; exit 1; }

clean: ## remove the virtual environment, caches and build products
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Nothing is installed whose hash is not in the lock file; `pip check` finds a lock file that is older
# than the ranges of pyproject.toml. pip would compile all modules on one core; some packages have
# files that this Python cannot compile.
$(STAMP): pyproject.toml locks/dev.txt
	@$(MAKE) --no-print-directory check-python
	@echo "Installing into $(VENV); this takes some minutes, once."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(PIP) install --quiet --no-deps --no-compile --require-hashes --requirement locks/dev.txt
	@$(BIN)/python $(PIP) install --quiet --no-deps --no-index --no-build-isolation --editable .
	@$(BIN)/python $(PIP) check >$(VENV)/check.log || { cat $(VENV)/check.log; echo "make lock brings the lock files up to date" >&2; exit 1; }
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	@touch $@

$(TOOLS): locks/release.txt
	@$(MAKE) --no-print-directory check-python
	@rm -rf $@
	@$(PYTHON) -m venv $@
	@$@/bin/python $(PIP) install --quiet --no-deps --require-hashes --requirement $<

check-python:
	@command -v $(PYTHON) >/dev/null || { echo "No $(PYTHON) here: name a Python 3.11, 3.12 or 3.13, as in make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; (3, 11) <= v <= (3, 13) or sys.exit("topk-tune needs Python 3.11, 3.12 or 3.13, but $(PYTHON) is %d.%d: name another, as in make PYTHON=python3.12" % v)'

# One version of each package for all Pythons and platforms. Versions that still fit stay as they are.
COMPILE := $(TOOLS)/bin/uv pip compile --quiet --universal --no-annotate --no-header --no-emit-index-url
lock: $(TOOLS) ## resolve pyproject.toml into constraints.txt and locks/ (with UPGRADE=--upgrade: to the newest versions)
	$(COMPILE) pyproject.toml --all-extras $(UPGRADE) --output-file constraints.txt
	sed -i '1i # Exact versions of everything that `make` installs, for every Python in pyproject.toml.\n# Written by `make lock`; do not edit by hand. locks/ has these versions with their hashes.' constraints.txt
	$(COMPILE) pyproject.toml --extra dev --constraint constraints.txt --generate-hashes --output-file locks/dev.txt
	$(COMPILE) --group release --python-version 3.11 $(UPGRADE) --generate-hashes --output-file locks/release.txt
