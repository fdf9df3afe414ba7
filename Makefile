# make demo · make test · make check; each sets up what it needs first.
PYTHON := .venv/bin/python

.PHONY: setup demo test check tests messages pictures clean

setup:
	@sh packaging/setup.sh

demo: setup
	@$(PYTHON) -m forensicviewer demo

test: setup check tests

check: setup
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	.venv/bin/lint-imports
	.venv/bin/deptry forensicviewer

tests: setup
	$(PYTHON) -m pytest -n auto --dist loadgroup -q

# What the window says now, for translators to fill in: resources/languages/*.po
messages: setup
	$(PYTHON) -m tests.messages

# What README and manual show, drawn anew from the sample: resources/screenshots, resources/manual/pictures
pictures: setup
	$(PYTHON) -m tests.pictures

clean:
	rm -rf .venv build dist demo-output .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
