# Everything runs in .venv, which each target makes when it is missing: what a target needs is installed once.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
PYTEST_FLAGS ?= -n 2
DEMO_FLAGS ?=
MUTANTS_FLAGS ?=
ACCURACY_FLAGS ?=
say = @printf 'rackwatch: %s\n'

.PHONY: help demo test lint bench bench-accuracy mutants clean

help: ## say what there is to make
	@printf 'make …\n'; sed -n 's/^\([a-z-]*\):[^#]*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 18

demo: $(READY) ## watch four simulated racks play a hand: live page on 127.0.0.1, no broker needed (DEMO_FLAGS="--speed 4")
	@exec $(BIN)/rackwatch demo $(DEMO_FLAGS)

test: lint .venv/.packages ## lint, then every test, with a real broker and a real browser
	$(say) 'running the tests'
	@CI=true $(BIN)/pytest -q $(PYTEST_FLAGS)

lint: $(READY) ## ruff, mypy --strict and the contracts between the layers
	$(say) 'ruff'
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --quiet --check .
	$(say) 'mypy'
	@$(BIN)/mypy --no-error-summary && $(BIN)/mypy --no-error-summary docs/examples/*.py
	$(say) 'import-linter'
	@$(BIN)/lint-imports --verbose >.venv/lint-imports.log 2>&1 || { cat .venv/lint-imports.log; exit 1; }

bench: $(READY) ## measured ratios, side by side in one run
	@$(BIN)/python -m bench.run

mutants: .venv/mutants/.ready ## how many small changes to the rules core its tests notice: an hour (MUTANTS_FLAGS="--sample 600": less)
	@.venv/mutants/bin/python -m bench.mutants $(MUTANTS_FLAGS)

bench-accuracy: $(READY) ## simulated hands against their truth: build/accuracy/index.html (ACCURACY_FLAGS="--hands 1000 --families legal")
	@$(BIN)/python -m bench.accuracy $(ACCURACY_FLAGS)

clean: ## remove .venv and everything that was made
	rm -rf .venv var build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'rackwatch: Python 3.11 or newer is needed (PYTHON=/path/to/python3 make …)' >&2; exit 1; }
	@PYTHON=$(PYTHON) .ci/need python3-venv
	$(say) 'making .venv'
	@[ -x $(BIN)/python ] && [ -x $(BIN)/pip ] || $(PYTHON) -m venv .venv
	$(say) 'installing the locked packages into .venv (a minute or two)'
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(say) 'installing rackwatch itself'
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/mutants/.ready: $(READY)
	@$(PYTHON) -m venv .venv/mutants
	@.venv/mutants/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@.venv/mutants/bin/pip install --quiet --disable-pip-version-check mutmut==3.8.1
	@touch $@

.venv/.packages: $(READY)
	@.ci/need mosquitto chromium openssl libatomic1 postgresql
	@touch $@
