# Everything runs inside .venv, which the first target that needs it creates from requirements.lock.
PYTHON ?= python3
BIN := .venv/bin
EXTRAS := dask demo images keras label onnx remote sklearn
TORCH := 2.13.0
MLFLOW := 3.17.2
FASHION := zoo/data/usr/share/datasets/fashion-mnist
# The rooms that everything else rests on, every method's contract, the commands, and the files of the project itself.
QUICK := tests/core tests/evaluation tests/io tests/methods tests/contract/test_all_methods.py tests/cli/test_commands.py \
  tests/cli/test_main.py tests/cli/test_slips.py tests/test_api.py tests/test_registry.py tests/test_project.py
TASKS := digits

.DEFAULT_GOAL := help
.PHONY: help demo test quick honesty test-page torture coverage lint types docs serve-docs generate pictures bench tasks torch mlflow zoo shift release-check lock clean

help:  ## this list
	@awk -F ':.*## *' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/ready  ## the whole story on real data, in the terminal and in demo/report.html
	$(BIN)/adjudge demo

test: .venv/ready  ## tests, doctests and examples
	$(BIN)/pytest

coverage: .venv/ready  ## the same, with the lines that no test reaches
	$(BIN)/pytest --cov=adjudge --cov-report=term:skip-covered

quick: lint types  ## an answer within a minute: style, types, and the tests that are fast
	$(BIN)/pytest -m "not slow and not honesty" $(QUICK)

honesty: .venv/ready  ## long simulations: how often intervals, stop rules and chances hold (after `make tasks`; TASKS="digits")
	$(BIN)/pytest -m honesty
	mkdir -p honesty
	set -e; for each in intervals streams best parts stops; do \
	  ADJUDGE_TASKS="$${ADJUDGE_TASKS:-tasks}" $(BIN)/python benchmarks/honesty/$$each.py --keep honesty/$$each.json \
	    $$(test $$each = stops && echo --samples 500 --) $(TASKS); \
	done

test-page: .venv/ready  ## the tests that need Chromium, PostgreSQL or Fashion-MNIST; those without are skipped
	$(BIN)/pytest -r s tests/labeling tests/cli/test_corrupt.py tests/models/corruptions

torture: .venv/ready  ## kills, full disks, clock jumps and lost connections at the labeling page, in minutes: no label lost or doubled
	$(BIN)/python scripts/torture.py

lint: .venv/ready  ## style, spelling and import order
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/codespell

types: .venv/ready  ## mypy, strict
	$(BIN)/mypy

docs: .venv/ready  ## the documentation site, into site/
	PYTHONPATH=docs $(BIN)/zensical build --strict --clean

serve-docs: .venv/ready  ## the same on http://127.0.0.1:8000, as you write
	PYTHONPATH=docs $(BIN)/zensical serve --dev-addr 127.0.0.1:8000

generate: .venv/ready  ## rewrite the docs pages that come from the code, and what their commands print
	$(BIN)/python docs/generate.py

pictures: .venv/ready  ## draw the charts of the docs anew, and photograph the pages (needs chromium), in minutes
	$(BIN)/python docs/pictures.py
	$(BIN)/python docs/screens.py

bench: .venv/ready  ## what everything costs, beside references, in one table (BENCH="--samples 5000000" for large pools)
	$(BIN)/python benchmarks/table.py $(BENCH)

tasks: .venv/ready  ## pools with known truth for `adjudge bench`, in tasks/: digits, and Fashion-MNIST after `make zoo`
	$(BIN)/python scripts/make_tasks.py --data $(FASHION) --out tasks

torch: .venv/ready  ## PyTorch, for the tests of its models: no lock file can name its CPU build
	$(BIN)/pip install --quiet --disable-pip-version-check torch==$(TORCH)

mlflow: .venv/ready  ## MLflow without its server, for the tests of its stores: it holds back versions that others in the lock file have
	$(BIN)/pip install --quiet --disable-pip-version-check mlflow-skinny==$(MLFLOW)

zoo: .venv/ready $(FASHION)  ## 25 models of Fashion-MNIST, in zoo/models
	$(BIN)/adjudge zoo --data $(FASHION) --out zoo/models

shift: zoo  ## those models under 75 corruptions, in zoo/shift
	$(BIN)/adjudge shift zoo/models/* --out zoo/shift \
	  --data $(FASHION)/t10k-images-idx3-ubyte.gz --labels $(FASHION)/t10k-labels-idx1-ubyte.gz

$(FASHION):  # Debian's package, unpacked here: that needs no administrator
	mkdir -p zoo/data
	cd zoo/data && apt-get download dataset-fashion-mnist && dpkg-deb -x dataset-fashion-mnist_*.deb .

release-check: .venv/ready  ## build, install in a fresh environment, and run what the README says (TAG=v0.1.0 DIST=dist)
	$(BIN)/python scripts/release_check.py $(if $(TAG),--tag "$(TAG)") $(if $(DIST),--out "$(DIST)")

lock:  ## pin versions and hashes anew (needs uv on the PATH)
	uv pip compile pyproject.toml $(EXTRAS:%=--extra %) --group dev --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-header --upgrade --quiet -o requirements.lock

clean:  ## remove the environment and what was built
	rm -rf .venv site demo dist

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
# The lock names every package; asked to resolve as well, pip takes the newest release of a dependency with extras, which has no pin.
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/pip check
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@
