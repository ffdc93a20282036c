# Everything runs inside .venv, which the first target that needs it creates from requirements.lock.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint types docs serve-docs generate bench lock clean

demo: .venv/ready  ## the whole story on real data, in the terminal and in demo/report.html
	$(BIN)/adjudge demo

test: .venv/ready  ## tests, doctests and examples, with coverage
	$(BIN)/pytest

lint: .venv/ready  ## style and import order
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports

types: .venv/ready
	$(BIN)/mypy

docs: .venv/ready  ## the documentation site, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

serve-docs: .venv/ready
	$(BIN)/mkdocs serve --dev-addr 127.0.0.1:8000

generate: .venv/ready  ## rewrite the docs pages that come from the code
	$(BIN)/python docs/generate.py

bench: .venv/ready  ## what the hot paths cost, as ratios to plain references
	for each in benchmarks/*.py; do $(BIN)/python $$each; done

lock:  ## pin versions and hashes anew (needs uv on the PATH)
	uv pip compile pyproject.toml --extra demo --extra label --group dev --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-header --upgrade --quiet -o requirements.lock

clean:
	rm -rf .venv site demo

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@
