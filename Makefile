# Two commands are enough: `make demo` and `make test`. Both make .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test test-ray quick lint size bench admission agents learning pictures docs clean
help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[test,dev]"
	@touch $@ $(VENV)/.core

demo: $(VENV)/.core ## one incident, from the first look to the repair
	$(BIN)/aiops-gym demo

test: $(VENV)/.test ## the whole suite
	$(BIN)/python -m pytest -n auto -q

RAY := build/venv-ray
$(RAY)/.test: pyproject.toml
	$(PYTHON) -m venv $(RAY)
	$(RAY)/bin/python -m pip install --quiet "torch==2.13.0"
	$(RAY)/bin/python -m pip install --quiet --editable ".[ray,test]"
	@touch $@

test-ray: $(RAY)/.test ## what needs Ray, in an environment of its own: RLlib holds Gymnasium at 1.2.2
	OMP_NUM_THREADS=1 $(RAY)/bin/python -m pytest -q tests/on_ray tests/test_examples.py aiops_gym/learning/rllib.py

quick: $(VENV)/.test ## the part of the suite below a minute
	$(BIN)/python -m pytest -n auto -q -m "not slow"

lint: $(VENV)/.test ## style, types and the plan of the house
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

size: $(VENV)/.core ## lines of Python by room; fails above the ceilings
	$(BIN)/python .ci/size.py

bench: $(VENV)/.core ## steps a second, reset, fork, snapshot, memory
	$(BIN)/aiops-gym bench

admission: $(VENV)/.core ## play every computed problem, and write docs/problems.md
	$(BIN)/aiops-gym admission --write docs/problems.md

agents: $(VENV)/.core ## let all bundled agents play a sample of both splits, and write docs/agents.md
	rm -rf build/agents
	$(BIN)/aiops-gym evaluate --agent noop,random,restart,runbook,reference --split train,test --sample 200 --workers 2 --out build/agents
	$(BIN)/aiops-gym evaluate --report build/agents --markdown docs/agents.md

$(VENV)/.learning: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[sb3]"
	@touch $@

learning: $(VENV)/.learning ## train on three tasks with three seeds (an hour and a half; can be stopped), and write docs/learning.md
	$(BIN)/aiops-gym study --out build/learning --write docs/learning.md

pictures: $(VENV)/.test ## draw the pictures of README and of the site, into docs/pictures
	$(BIN)/python docs/making/pictures.py

docs: $(VENV)/.test ## the documentation site, into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

clean: ## forget the virtual environment and all caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info
