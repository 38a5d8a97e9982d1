# Two commands do everything: `make check` and `make test`. Both set up `.venv` first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: check test lint unit bench fuzz diagrams lock clean help

help:
	@echo "make check     set up, then check the library of games"
	@echo "make test      set up, then lint, types and the whole test suite"
	@echo "make bench     what things cost, as ratios within one run, to docs/benchmarks.md"
	@echo "make fuzz      long random runs: FUZZ=3000 make fuzz"
	@echo "make diagrams  draw the pictures in diagrams/ again"
	@echo "make lock      pin the dependencies anew (needs uv)"

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "turnproof needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(STAMP)

check: $(STAMP)
	$(BIN)/turnproof check

lint: $(STAMP)
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests
	$(BIN)/mypy

unit: $(STAMP)
	$(BIN)/pytest -n 2 --dist loadfile -m "not fuzz"
	@{ command -v chromium && command -v chromedriver; } > /dev/null || \
	  echo "Not run: the tests of the report in a browser. They want the programs chromium and chromedriver."

test: check lint unit

fuzz: $(STAMP)
	TURNPROOF_FUZZ=$${FUZZ:-3000} $(BIN)/pytest tests/soundness -n 2

bench: $(STAMP)
	$(BIN)/python -m tests.bench > docs/benchmarks.md
	@cat docs/benchmarks.md

diagrams: $(STAMP)
	$(BIN)/python -m tests.draw

lock:
	uv pip compile -q --universal --python-version 3.11 --extra dev --no-emit-index-url --no-header --no-annotate \
	  --generate-hashes pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis build dist
