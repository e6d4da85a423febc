.DEFAULT_GOAL := help
.PHONY: help demo demo-gui test static coverage bench quality soak pictures format clean system-packages packages-for-tests
.DELETE_ON_ERROR:

BIN := .venv/bin
INSTALLED := .venv/.installed
# Most tests wait for a phone most of the time.
PROCESSES ?= 2
PYTEST := $(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist loadfile --no-loadscope-reorder

help:
	@echo "make demo      record three episodes on a simulated emulator and replay them"
	@echo "make demo-gui  open the window on a simulated emulator"
	@echo "make test      run every check and every test"
	@echo "make static    run the checks that need no test: format, lint, types, imports"
	@echo "make coverage  run the tests and print what they cover, in about twice the time"
	@echo "make bench     print the figures of speed; with ARGS=--full 10,000 taps, 300 and 1,000 episodes, in an hour"
	@echo "make quality   print how well the checks find planted defects; with ARGS=--calibrate what their thresholds rest on"
	@echo "make soak      run the tests that take minutes, and those of the window with no slot longer than 100 ms"
	@echo "make pictures  make the pictures of the documents anew"
	@echo "make format    format the sources and mend what ruff can mend"
	@echo "make clean     remove .venv and all that was built"

demo: $(INSTALLED)
	@$(BIN)/odyssey-recorder demo

demo-gui: $(INSTALLED)
	@$(BIN)/odyssey-recorder demo --gui

test: static packages-for-tests
	@echo "== pytest"
	@$(PYTEST)

coverage: $(INSTALLED) packages-for-tests
	@$(PYTEST) --cov

static: $(INSTALLED)
	@echo "== ruff format"
	@$(BIN)/ruff format --check
	@echo "== ruff check"
	@$(BIN)/ruff check
	@echo "== mypy"
	@$(BIN)/mypy
	@echo "== import contracts"
	@$(BIN)/lint-imports --no-logo

bench: $(INSTALLED)
	@$(BIN)/python -m benchmarks $(ARGS)

quality: $(INSTALLED)
	@$(BIN)/python -m tests.quality.damaged $(ARGS)

soak: $(INSTALLED)
	@$(BIN)/python -m pytest -m soak --timeout=0 --ignore=tests/end_to_end/screen
	@ODYSSEY_TEST_SLOT_MS=100 $(BIN)/python -m pytest -m "soak or not soak" --timeout=0 tests/end_to_end/screen

pictures: $(INSTALLED)
	@$(BIN)/python -m tests.end_to_end.screen.pictures

format: $(INSTALLED)
	@$(BIN)/ruff format
	@$(BIN)/ruff check --fix

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* htmlcov build dist demo-out

system-packages:
	@sh scripts/system_packages.sh

packages-for-tests:
	@sh scripts/system_packages.sh --for-tests

$(INSTALLED): pyproject.toml constraints.txt | system-packages
	@echo "Installing Odyssey Recorder into .venv (once; a few minutes on a slow line)"
	@test -x $(BIN)/python || python3 -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --use-pep517 --constraint constraints.txt --editable '.[dev]'
	@touch $@
