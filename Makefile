# Every target makes what it needs; a stamp file says that it was made.
PYTHON ?= $(shell for p in python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: demo test check format golden messages schemas docs accuracy bench clean

demo: $(VENV)/.base  ## A real forecast: a GPU in a Thunderbolt box, the same in a desktop, and a student's plan
	$(BIN)/outboard estimate zoo:resnet50 --task train --on rtx-3060-12gb@tb3
	@echo
	$(BIN)/outboard compare zoo:resnet50 --task train --on rtx-3060-12gb@tb3 --on rtx-3060-12gb@pcie4-x16
	@echo
	$(BIN)/outboard plan examples/student/job-resnet.yaml --situation examples/student/me.yaml

test: check  ## All checks, then all tests
	$(BIN)/pytest -q -n 2

check: $(VENV)/.test  ## Style, types and the layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: $(VENV)/.test  ## Mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

golden: $(VENV)/.test  ## Write the expected outputs again; read the difference before committing it
	$(BIN)/pytest -q tests/cli --update-golden

messages: $(VENV)/.test  ## Collect new messages into the catalogues and compile them
	$(BIN)/python scripts/messages.py

schemas: $(VENV)/.test  ## Write the published JSON Schemas again
	$(BIN)/python scripts/schemas.py

docs: $(VENV)/.test  ## Write the generated pages again
	$(BIN)/python scripts/commands_page.py
	$(BIN)/python scripts/transcripts.py

accuracy: $(VENV)/.test  ## Judge the forecasts on published measurements and write docs/accuracy.md; takes minutes
	$(BIN)/python -m accuracy.report

bench: $(VENV)/.test  ## Measure what the program promises to be quick at
	$(BIN)/python benchmarks/run.py

clean:  ## Remove the environment
	rm -rf $(VENV)

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name it with: make PYTHON=..." >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(VENV)/bin/python pyproject.toml
	@echo "Installing Outboard into $(VENV), once"
	$(PIP) install --editable .
	@touch $@

$(VENV)/.test: $(VENV)/bin/python pyproject.toml requirements-test.txt
	@echo "Installing Outboard, torch and what the tests need into $(VENV), once"
	$(PIP) install --requirement requirements-test.txt --editable '.[dev,models]'
	@touch $@ $(VENV)/.base
