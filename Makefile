# Everything runs inside .venv, which the first target that needs it creates from requirements.lock.
PYTHON ?= python3
BIN := .venv/bin
EXTRAS := demo images keras label onnx sklearn
TORCH := 2.13.0
FASHION := zoo/data/usr/share/datasets/fashion-mnist

.PHONY: demo test coverage lint types docs serve-docs generate bench torch zoo shift lock clean

demo: .venv/ready  ## the whole story on real data, in the terminal and in demo/report.html
	$(BIN)/adjudge demo

test: .venv/ready  ## tests, doctests and examples
	$(BIN)/pytest

coverage: .venv/ready  ## the same, with the lines that no test reaches
	$(BIN)/pytest --cov=adjudge --cov-report=term:skip-covered

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

torch: .venv/ready  ## PyTorch, for the tests of its models: no lock file can name its CPU build
	$(BIN)/pip install --quiet --disable-pip-version-check torch==$(TORCH)

zoo: .venv/ready $(FASHION)  ## 25 models of Fashion-MNIST, in zoo/models
	$(BIN)/adjudge zoo --data $(FASHION) --out zoo/models

shift: zoo  ## those models under 75 corruptions, in zoo/shift
	$(BIN)/adjudge shift zoo/models/* --out zoo/shift \
	  --data $(FASHION)/t10k-images-idx3-ubyte.gz --labels $(FASHION)/t10k-labels-idx1-ubyte.gz

$(FASHION):  # Debian's package, unpacked here: that needs no administrator
	mkdir -p zoo/data
	cd zoo/data && apt-get download dataset-fashion-mnist && dpkg-deb -x dataset-fashion-mnist_*.deb .

lock:  ## pin versions and hashes anew (needs uv on the PATH)
	uv pip compile pyproject.toml $(EXTRAS:%=--extra %) --group dev --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-header --upgrade --quiet -o requirements.lock

clean:
	rm -rf .venv site demo

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
# The lock names every package; asked to resolve as well, pip takes the newest release of a dependency with extras, which has no pin.
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/pip check
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@
