# make demo · make test · make check; each installs what it needs first.
# make installers builds packages into dist/ · make installers-test tests them in clean systems (as root).
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PYTHON := $(BIN)/python
# Those of another Python would break this one.
unexport PYTHONHOME PYTHONPATH

.PHONY: setup setup-demo demo test check tests messages pictures installers installers-test wheelhouse clean

setup:
	@sh packaging/setup.sh test

setup-demo:
	@sh packaging/setup.sh

demo: setup-demo
	@$(PYTHON) -m forensicviewer demo

test: setup check tests

check: setup
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	$(BIN)/lint-imports
	$(BIN)/deptry forensicviewer

tests: setup
	$(PYTHON) -m pytest -n auto --dist loadgroup -q

# Texts of the window, for translators: resources/languages/*.po
messages: setup
	$(PYTHON) -m tests.messages

# Images of README and manual, drawn again from the sample: resources/screenshots, resources/manual/pictures
pictures: setup
	$(PYTHON) -m tests.pictures

installers: setup
	@$(PYTHON) -m pip install --quiet --constraint constraints.txt --editable '.[packaging]'
	$(PYTHON) packaging/build.py

wheelhouse: setup-demo
	$(PYTHON) packaging/build.py wheelhouse

installers-test:
	sh packaging/test-installers.sh
	$(PYTHON) packaging/build.py windows-wine
	sh packaging/test-wine.sh

clean:
	rm -rf .venv build dist demo-output .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
