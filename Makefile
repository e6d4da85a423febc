.DEFAULT_GOAL := help
.PHONY: help demo demo-gui test tests train-test static ruff-format ruff-check mypy import-contracts coverage bench quality soak pictures format clean system-packages packages-for-tests
.DELETE_ON_ERROR:

BIN := .venv/bin
INSTALLED := .venv/.installed
# Many tests wait for simulated emulators, so there are more processes than a small computer has cores.
PROCESSES ?= 5
# When a process crashes, the run ends with that failure: a process in its place would wait for tests for ever.
PYTEST := $(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# Without bytecode, each of the hundreds of Python processes in the tests would compile every module it imports.
unexport PYTHONDONTWRITEBYTECODE

# Run a check beside the tests; print its output only if it fails.
define check
@found=$$($(1) 2>&1) && echo "== $@: passed" || { echo "== $@"; echo "$$found"; exit 1; }
endef

help:
	@echo "make demo        record four episodes on a simulated emulator and replay them"
	@echo "make demo-gui    open the window on a simulated emulator"
	@echo "make test        run every check and every test"
	@echo "make train-test  run the tests of training, in .venv-train (1.4 GB with torch)"
	@echo "make static      run the static checks: format, lint, types, imports"
	@echo "make coverage    run the tests and print what they cover, in about twice the time"
	@echo "make bench       print performance figures; with ARGS=--full 10,000 taps, 300 and 1,000 episodes, in an hour; with --train those of training"
	@echo "make quality     print how well the checks find planted defects, and the guard of agents what is risky; with ARGS=--calibrate the data behind their thresholds"
	@echo "make soak        run the long tests, and those of the window with no slot over 100 ms"
	@echo "make pictures    remake the pictures of the documents"
	@echo "make format      format the sources and fix what ruff can fix"
	@echo "make clean       remove .venv and all that was built"

demo: $(INSTALLED)
	@$(BIN)/odyssey-recorder demo

demo-gui: $(INSTALLED)
	@$(BIN)/odyssey-recorder demo --gui

test: $(INSTALLED) packages-for-tests
	@$(MAKE) --no-print-directory --keep-going --jobs 2 tests static

# Images of megabytes come and go: glibc keeps their memory instead of having the kernel clear it each time.
tests coverage: export MALLOC_ARENA_MAX = 2
tests coverage: export MALLOC_MMAP_THRESHOLD_ = 1073741824
tests coverage: export MALLOC_TRIM_THRESHOLD_ = 1073741824

tests: .venv/.compiled
	@$(PYTEST)

# By one process, once: the processes of the tests would each compile all of them. Mistakes are told by the tests.
.venv/.compiled: $(INSTALLED)
	@$(BIN)/python -m pytest --collect-only --quiet >/dev/null 2>&1 || true
	@touch $@

static: ruff-format ruff-check mypy import-contracts

ruff-format: $(INSTALLED)
	$(call check,$(BIN)/ruff format --check)

ruff-check: $(INSTALLED)
	$(call check,$(BIN)/ruff check)

mypy: $(INSTALLED)
	$(call check,$(BIN)/mypy)

import-contracts: $(INSTALLED)
	$(call check,$(BIN)/lint-imports --no-logo)

train-test: .venv-train/.installed
	@OMP_NUM_THREADS=1 .venv-train/bin/python -m pytest --config-file=train_tests/pytest.ini --rootdir . train_tests

coverage: $(INSTALLED) packages-for-tests .venv/.compiled
	@$(PYTEST) --cov

ifneq ($(findstring --train,$(ARGS)),)
bench: .venv-train/.installed
	@OMP_NUM_THREADS=1 .venv-train/bin/python -m benchmarks.training
else
bench: $(INSTALLED)
	@$(BIN)/python -m benchmarks $(ARGS)
endif

quality: $(INSTALLED)
	@$(BIN)/python -m tests.checking.damaged $(ARGS)
	@$(if $(ARGS),,$(BIN)/python -m tests.agents.guard_quality)

soak: $(INSTALLED)
	@$(BIN)/python -m pytest -m soak --timeout=0 -o faulthandler_timeout=0 --ignore=tests/end_to_end/screen
	@mkdir -p build/screenshots
	@ODYSSEY_TEST_SLOT_MS=100 ODYSSEY_TEST_SCREENSHOTS=build/screenshots $(BIN)/python -m pytest -m "soak or not soak" --timeout=0 -o faulthandler_timeout=0 tests/end_to_end/screen

pictures: $(INSTALLED)
	@$(BIN)/python -m tests.end_to_end.screen.pictures

format: $(INSTALLED)
	@$(BIN)/ruff format
	@$(BIN)/ruff check --fix

clean:
	rm -rf .venv .venv-train .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* htmlcov build dist demo-out

system-packages:
	@sh scripts/system_packages.sh

packages-for-tests:
	@sh scripts/system_packages.sh --for-tests

.venv-train/.installed: pyproject.toml constraints.txt | system-packages
	@echo "Installing the libraries of training into .venv-train (once; a few minutes)"
	@test -x .venv-train/bin/python || python3 -m venv .venv-train
	@.venv-train/bin/python -m pip install --quiet --disable-pip-version-check --use-pep517 --constraint constraints.txt --editable '.[train,llm]' pytest pytest-timeout tensorboard
	@touch $@

$(INSTALLED): pyproject.toml constraints.txt | system-packages
	@echo "Installing Odyssey Recorder into .venv (once; a few minutes on a slow line)"
	@test -x $(BIN)/python || python3 -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --use-pep517 --constraint constraints.txt --editable '.[dev]'
	@touch $@
