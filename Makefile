# Two commands are enough: `make demo` and `make test`. Both make .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE # the suite starts hundreds of processes: each would compile the package anew

.PHONY: help demo quick test test-all test-full test-ray test-adapters test-live test-uncached weigh lint size wheel bench admission admission-hard leaks agents agents-llm learning learning-hard learning-llm conformance pictures docs clean
help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

ALONE := $(PYTHON) .ci/alone.py pyproject.toml

# A stamp is touched when what it stands for is whole. What was interrupted has none, and the same command begins anew:
# a half-made environment is cleared, a half-done installation continued.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is too old or not there: Python 3.11 or newer is needed, as in make PYTHON=python3.12 demo" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.core: pyproject.toml | $(VENV)/.made
	$(ALONE) $(BIN)/python -m pip install --quiet --editable .
	@touch $@

# .test, .dev, .docs, ...: the package with the extra of that name.
$(VENV)/.%: pyproject.toml | $(VENV)/.made
	$(ALONE) $(BIN)/python -m pip install --quiet --editable ".[$*]"
	@touch $@ $(VENV)/.core

demo: $(VENV)/.core ## one incident, from the first look to the repair
	$(BIN)/aiops-gym demo

# PYTEST_ARGS is for you: make test PYTEST_ARGS="--durations=20"
PYTEST := -m pytest --numprocesses=auto --dist=worksteal --quiet $(PYTEST_ARGS)

quick: $(VENV)/.test ## the part of the suite below two minutes
	$(BIN)/python $(PYTEST) -m "not slow"

test: $(VENV)/.test ## the suite, without what is long or needs large packages
	$(BIN)/python $(PYTEST) -m "not full"

test-all: test-full test-uncached test-ray ## the rest of it

test-full: $(VENV)/.test-all ## learning, browser, long comparisons
	OMP_NUM_THREADS=1 $(BIN)/python $(PYTEST) -m "full and not ray and not adapters" tests aiops_gym/learning

# Environments that are made for one run of tests have no pip, and only what is imported there is compiled.
APART := $(ALONE) $(BIN)/python -m pip --python
RAY := build/venv-ray
$(RAY)/.test: pyproject.toml | $(VENV)/.made
	$(PYTHON) -m venv --clear --without-pip $(RAY)
	$(APART) $(RAY)/bin/python install --no-compile --quiet --editable ".[ray,test]"
	@touch $@

test-ray: $(RAY)/.test ## what needs Ray, in an environment of its own: RLlib holds Gymnasium at 1.2.2
	OMP_NUM_THREADS=1 $(RAY)/bin/python -m pytest -q -m ray $(PYTEST_ARGS) \
	  tests/on_ray tests/test_examples.py tests/docs/test_code.py aiops_gym/learning/rllib.py

test-live: $(VENV)/.test-all ## the backend of a real cluster, on yours: make test-live CONTEXT=kind-lab; it breaks things there
	AIOPS_GYM_CONTEXT=$(CONTEXT) $(BIN)/python -m pytest -q -p no:cacheprovider $(PYTEST_ARGS) tests/backends/live/test_any_cluster.py

DOORS := mcp inspect verifiers trl openenv minari trainers
build/venv-%/.test: pyproject.toml | $(VENV)/.made
	$(PYTHON) -m venv --clear --without-pip $(@D)
	$(APART) $(@D)/bin/python install --no-compile --quiet --editable ".[$*]" pytest pytest-timeout hypothesis
	@touch $@

test-adapters: ## the doors to other frameworks, each with its extra alone; two at once with --jobs=2
	@$(MAKE) --no-print-directory --keep-going $(DOORS:%=test-door-%)

.PHONY: $(DOORS:%=test-door-%)
$(DOORS:%=test-door-%): test-door-%: build/venv-%/.test
	OMP_NUM_THREADS=1 build/venv-$*/bin/python -m pytest -q -m adapters -p no:unraisableexception -k $* $(PYTEST_ARGS) \
	  tests/on_adapters/test_$**.py tests/test_examples.py

weigh: $(VENV)/.test ## what an install weighs, package by package; more than 700 MB for `make test` is an error
	$(BIN)/python .ci/weigh.py --most 700 test

# Not what goes on for an hour of load: it tells nothing of caches.
UNCACHED := tests/test_caches.py tests/sim/kernel tests/sim/traffic tests/sim/telemetry tests/envs/test_live.py \
	tests/shell/test_same_bytes.py tests/backends/test_looking_around.py tests/differential/test_replay.py \
	--ignore tests/sim/traffic/test_strain.py

test-uncached: $(VENV)/.test ## determinism, forks, telemetry and answers of a real kubectl, with all caches off
	AIOPS_GYM_CACHES=off $(BIN)/python $(PYTEST) -m "not full" $(UNCACHED)

lint: $(VENV)/.test $(VENV)/.dev ## style, types and the plan of the house
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

size: $(VENV)/.core ## lines of Python by room; fails above the ceilings
	$(BIN)/python .ci/size.py

wheel: $(VENV)/.dev ## build the wheel by way of the source package, and try it in an empty environment
	rm -rf build/dist
	$(ALONE) $(BIN)/python -m build --outdir build/dist
	PYTHON=$(PYTHON) .ci/try-wheel build/dist

bench: $(VENV)/.core ## steps a second, reset, fork, snapshot, memory
	$(BIN)/aiops-gym bench

admission: $(VENV)/.core ## play every computed problem, and write docs/problems.md (an hour; can be stopped)
	$(BIN)/aiops-gym admission --scripts 30 --per-family 2 --out build/admission --write docs/problems.md

admission-hard: $(VENV)/.core ## the same of tier hard, and write docs/problems-hard.md (two hours; can be stopped)
	$(BIN)/aiops-gym admission --tier hard --out build/hard --write docs/problems-hard.md

leaks: $(VENV)/.core ## what ages, counts, versions and rules of thumb tell of an incident, and write docs/leaks.md
	$(BIN)/aiops-gym leaks --write docs/leaks.md

AGENTS = noop,random,restart,runbook,oncall,reference
LEARNT = build/learning/{task}/imitation/seed-0/model.zip
PLAYED = $(foreach tier,basic standard hard,$(foreach task,detection localization analysis mitigation,$(tier)-$(task)))
agents: $(VENV)/.core ## let all bundled agents, and networks that `make learning` left, play a sample of each tier, task and split, and write docs/agents.md
	rm -rf build/agents
	set -e; for each in $(PLAYED); do task=$${each#*-}; \
	  play="$(BIN)/aiops-gym evaluate --split train,test --tier $${each%-*} --task $$task --sample 25 --workers 2 --no-signals"; \
	  $$play --agent $(AGENTS) --out build/agents/$$each; \
	  test ! -e "$$(echo '$(LEARNT)' | sed "s/{task}/$$task/")" || \
	    $$play --agent aiops_gym.learning:trained --agent-option model='$(LEARNT)' --out build/agents/learnt-$$each; done
	$(BIN)/aiops-gym evaluate --report build/agents/* --markdown docs/agents.md

# LLM_ARGS is for you: make agents-llm MODEL=m BASE_URL=http://127.0.0.1:8000/v1 LLM_ARGS="--seeds 1 --workers 16"
LLM = build/agents-llm/$(subst /,_,$(MODEL))
agents-llm: $(VENV)/.llm ## MODEL=... BASE_URL=...: let a language model play a sample of test; a page and a submission
	@test -n "$(MODEL)" -a -n "$(BASE_URL)" || { echo "make agents-llm MODEL=name BASE_URL=http://.../v1" >&2; exit 1; }
	$(BIN)/aiops-gym evaluate --agent chat --model "$(MODEL)" --base-url "$(BASE_URL)" --split test --sample 50 --seeds 3 \
	  --workers 4 --out $(LLM) --markdown $(LLM).md --submission $(LLM).jsonl.gz $(LLM_ARGS)

learning: $(VENV)/.sb3 ## train on three tasks with five seeds and ablations (some hours; can be stopped), and write docs/learning.md
	$(BIN)/aiops-gym study --out build/learning --write docs/learning.md

learning-hard: $(VENV)/.sb3 ## the same on tier hard with all tools, without ablations (a day; can be stopped), and write docs/learning-hard.md
	$(BIN)/aiops-gym study --tier hard --tools all --ablations 0 --imitations 0 --out build/learning-hard \
	  --write docs/learning-hard.md

# LLM_ARGS is for you: make learning-llm LLM_ARGS="--model Qwen/Qwen3-0.6B --set steps=400", on a graphics card
learning-llm: build/venv-finetune/.test ## fine-tune a tiny language model with three seeds (an hour; can be stopped), and write the figures into docs/howto/finetune.md
	HF_HUB_OFFLINE=1 build/venv-finetune/bin/aiops-gym finetune --out build/learning-llm --seeds 3 --beside 3 \
	  --write docs/howto/finetune.md --picture docs/learning/language.png $(LLM_ARGS)

conformance: $(VENV)/.test ## check what docs/making/promises.yaml names, and write docs/conformance.md
	$(BIN)/python docs/making/conformance.py

pictures: $(VENV)/.docs ## draw the pictures of README and of the site, into docs/pictures
	$(BIN)/python docs/making/pictures.py

docs: $(VENV)/.docs ## the documentation site, into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

clean: ## forget the virtual environment and all caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info
