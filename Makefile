# Needs: Python 3.11 or later with venv, a C compiler, and a package index for pip.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The tools of the report's page are optional: its bundle is committed.
NPM := $(shell command -v npm)
NODE_MODULES := page/node_modules/.package-lock.json

CYTHON := $(wildcard topictemper/_core/*.pyx topictemper/_core/*.pxd topictemper/datasets/formats/*.pyx)
SOURCES := $(CYTHON) $(wildcard topictemper/_core/src/*.[ch] topictemper/_core/src/*/*.h)

# What an extra of pyproject.toml asks for, without a new build of the package.
define install-extra
$(BIN)/python -c "import tomllib; \
    print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['$(1)'], \
    sep='\n')" > $(VENV)/$(1)-requires.txt
$(BIN)/python -m pip install --quiet --requirement $(VENV)/$(1)-requires.txt
endef

.PHONY: demo test test-oldest fuzz faults docs lint page build wheels check-portable check-arm64 sanitize sanitize-threads clean

demo: build
	$(BIN)/topictemper demo

test: build
	$(BIN)/pytest $(ARGS)

# With the oldest NumPy, SciPy, scikit-learn and Dask of pyproject.toml, and the pytest of their time.
# The editable build serves both.
OLDEST := tests/lda/test_estimator.py tests/lda/test_bad_input.py tests/lda/test_batch.py \
    tests/lda/test_streams.py tests/persistence tests/mixture tests/factorial/test_contract.py \
    tests/metrics tests/datasets tests/tempering tests/text tests/topics tests/core/test_gather.py \
    tests/dask/test_prediction.py tests/dask/test_contract.py tests/dask/test_other_names.py

test-oldest: build $(VENV)/oldest.stamp
	$(VENV)/oldest/bin/python -m pytest -q $(OLDEST) $(ARGS)

$(VENV)/oldest.stamp: $(VENV)/built.stamp
	$(PYTHON) -m venv $(VENV)/oldest
	$(BIN)/python -c "import tomllib; \
	    project = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
	    oldest = project['dependencies'] + project['optional-dependencies']['dask']; \
	    print(*(name.replace('>=', '==') + '.*' for name in oldest), 'pytest==8.*', 'hypothesis', sep='\n')" \
	    > $(VENV)/oldest-requires.txt
	$(VENV)/oldest/bin/python -m pip install --quiet --requirement $(VENV)/oldest-requires.txt
	cp -r $(VENV)/lib/python3.*/site-packages/*topictemper* $(VENV)/oldest/lib/python3.*/site-packages
	touch $@

# A million damaged files, on all cores (`make fuzz ARGS='mtx npz --inputs 1000'` for some).
fuzz: build
	$(BIN)/python -m tests.fuzz $(ARGS)

# Kills, full disks and two writers at once; some minutes.
faults: build
	$(BIN)/python -m tests.faults $(ARGS)

# -W: warnings are errors, also of pages of names that are gone, so those pages are made anew. Needs
# nothing of the network but pip, and that only once.
docs: $(VENV)/docs.stamp
	rm -rf docs/generated
	$(BIN)/python -m sphinx -W --keep-going --quiet docs docs/_build/html
	@echo docs/_build/html/index.html

$(VENV)/docs.stamp: $(VENV)/built.stamp
	$(call install-extra,docs)
	touch $@

# cython-lint looks for pycodestyle on the path.
lint: build $(if $(NPM),$(NODE_MODULES))
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint $(CYTHON)
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --quiet .github
ifdef NPM
	$(NPM) --prefix page run --silent lint
else
	@echo "npm is not installed: the JavaScript in page/ is not checked"
endif

# The bundle of the report that the package ships, from the sources in page/.
page: $(NODE_MODULES)
	npm --prefix page run --silent build

$(NODE_MODULES): page/package-lock.json
	npm --prefix page ci --no-audit --no-fund
	touch $@

build: $(VENV)/built.stamp

# In place and editable: Python is used as it stands, C and Cython are compiled again when they change.
# Dependencies that are there already are left alone, without a look at the index.
$(VENV)/built.stamp: $(VENV)/build-requires.stamp setup.py $(SOURCES)
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable '.[dev]'
	touch $@

$(VENV)/build-requires.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -c "import tomllib; \
	    print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'], sep='\n')" \
	    > $(VENV)/build-requires.txt
	$(BIN)/python -m pip install --quiet --requirement $(VENV)/build-requires.txt
	touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# What a user gets: the wheel built from the source archive, tested far from the checkout with every
# Python at hand (`make wheels ARGS='--python python3.11 -- -k estimator'` for some).
wheels: $(VENV)/release.stamp
	$(BIN)/python -m tests.platforms.wheels $(ARGS)

# All kernels on other platforms, without Python: see tests/platforms/portable.py for what runs them.
check-portable: $(VENV)/release.stamp
	$(BIN)/python -m tests.platforms.portable $(ARGS)

# On 64-bit ARM, emulated; Debian's qemu-user-static and ten minutes.
check-arm64: $(VENV)/release.stamp
	$(BIN)/python -m tests.platforms.arm64 $(ARGS)

$(VENV)/release.stamp: $(VENV)/built.stamp
	$(call install-extra,release)
	touch $@

# Builds of their own below build/sanitize; the ordinary one is not touched.
sanitize: build
	$(BIN)/python tests/sanitize/run.py memory

sanitize-threads: build
	$(BIN)/python tests/sanitize/run.py threads

clean:
	rm -rf $(VENV) build dist page/node_modules docs/_build docs/auto_examples docs/generated *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	rm -f topictemper/_core/_*.c topictemper/datasets/formats/_scan.c topictemper/_core/*.so topictemper/datasets/formats/*.so
	find topictemper tests -name __pycache__ -type d -prune -exec rm -rf {} +
