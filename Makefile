# Attention, Worked Out. `make help` lists the commands; each sets up what it needs on its first run.
# On a fresh machine: Python 3.11 or newer, make and git. Chromium is needed by `make test`, `pdf`, `epub` and `screenshots`.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   ?= .venv
PORT   ?= 8000
TESTS  ?= tests
WORKERS ?= 3
TO      ?= _build/course
LAB_PORT = $(if $(filter-out file,$(origin PORT)),--port=$(PORT))

BIN := $(VENV)/bin
INSTALL = $(BIN)/python site/install_locked.py$(if $(UNCHECKED), --unchecked)
TORCH_PIN = $(shell sed -n 's/^\(torch==[0-9.]*\).*/\1/p' requirements.txt)

# A build and its tests start hundreds of Pythons: what one has compiled, the others find, and the next run too.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup book page new-page test quick mutants lint course serve lab lab-notice edit notebooks pdf epub zip \
	wheel screenshots readme lock sbom clean distclean

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | while IFS='|' read -r name what; do \
		printf '  make %-12s %s\n' "$$name" "$$what"; done

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "The book needs Python 3.11 or newer; PYTHON is '$(PYTHON)'. Try: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "No virtual environment could be made; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }

# Set-up, one stamp for each set of packages. Every file is installed by its digest in requirements.hashes (UNCHECKED=1: by
# version alone), and the book's own package is built by the setuptools that came that way.
$(VENV)/.ready: requirements.txt requirements.hashes pyproject.toml | $(BIN)/python
	@$(INSTALL) requirements.txt
	@$(BIN)/python site/install.py
	@touch $@

$(VENV)/.ready-lab: requirements-lab.txt $(VENV)/.ready
	@$(INSTALL) requirements-lab.txt
	@touch $@

# JupyterLab is part of it, and is not looked up twice.
$(VENV)/.ready-dev: requirements-dev.txt requirements-export.txt requirements-lab.txt $(VENV)/.ready
	@$(INSTALL) requirements-dev.txt
	@touch $(VENV)/.ready-lab $@

# PyTorch without CUDA, from PyTorch's own index; once installed, it is kept by every later set-up.
$(VENV)/.torch-cpu: requirements.txt | $(BIN)/python
	@$(INSTALL) --force-reinstall --no-deps --index-url https://download.pytorch.org/whl/cpu $(TORCH_PIN)
	@touch $@

ifneq (,$(filter cpu,$(TORCH))$(wildcard $(VENV)/.torch-cpu))
$(VENV)/.ready: $(VENV)/.torch-cpu
endif

setup: $(VENV)/.ready  ## set up what the book and the package need, in .venv (TORCH=cpu: without CUDA, on Linux)

book: $(VENV)/.ready  ## build the book: _build/html/index.html (strict: a warning or a failing cell fails it)
	@$(BIN)/python site/build.py

page: $(VENV)/.ready  ## build one page for whoever writes it, into _build/page/ (P=attention/masks)
	@$(BIN)/python site/build.py --page '$(P)'

new-page: $(VENV)/.ready  ## write the skeleton of a chapter (PART=attention NAME=thing TITLE="…")
	@$(BIN)/python site/new_page.py --part '$(PART)' --name '$(NAME)' --title '$(TITLE)'

PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

test: lint book $(VENV)/.ready-dev  ## lint, build the book, run every test, three at a time (TESTS=tests/attention/test_masks.py for some)
	$(PYTEST) $(TESTS)

quick: lint  ## run the tests that need neither the built book nor Chromium nor minutes (TESTS=… for some)
	$(PYTEST) -m "not site and not browser and not slow" $(TESTS)

mutants: $(VENV)/.ready-dev  ## change the core at random, print the changes that no test notices (ARGS="--count 65 --minutes 15")
	@$(BIN)/python site/mutants.py --workers $(WORKERS) $(ARGS)

lint: $(VENV)/.ready-dev  ## check style, unused code and the order of the rooms
	$(BIN)/ruff check .
	@$(BIN)/lint-imports --no-logo
	$(BIN)/python site/lint_pages.py

course: $(VENV)/.ready  ## build the problem sets: what students and instructors get (TO=folder, VARIANTS="1 2 3")
	@$(BIN)/python -m coursework build --to '$(TO)' $(foreach variant,$(VARIANTS),--variant $(variant))

serve: book  ## build the book and serve it on http://127.0.0.1:8000 (PORT=… for another)
	@echo "Reading at http://127.0.0.1:$(PORT) - stop with Ctrl-C"
	@$(BIN)/python -m http.server --directory _build/html --bind 127.0.0.1 $(PORT)

lab: lab-notice book $(VENV)/.ready-lab  ## write your own copies of the notebooks into notebooks/ and open them (PORT=… for a port, LAB_ARGS=…)
	@$(BIN)/python site/run_lab.py $(LAB_PORT) $(LAB_ARGS)

lab-notice:
	@test -e _build/built-from || echo "The notebooks come from the built book, whose text holds computed numbers:" \
		"it is built first, which takes six to ten minutes once."

edit: $(VENV)/.ready-lab  ## open the sources of the pages as notebooks, for writing the book (PORT=…, LAB_ARGS=…)
	@$(BIN)/python site/run_lab.py --edit $(LAB_PORT) $(LAB_ARGS)

notebooks: book  ## write your own copies of the notebooks into notebooks/, for any Jupyter
	@$(BIN)/python site/run_lab.py --write-only

pdf: book $(VENV)/.ready-dev  ## print the book: _build/pdf/attention-worked-out.pdf (needs Chromium; some minutes)
	@$(BIN)/python site/take_along.py pdf

epub: book $(VENV)/.ready-dev  ## write the book for e-book readers: _build/epub/attention-worked-out.epub (needs Chromium)
	@$(BIN)/python site/take_along.py epub

zip: book  ## put the built book into one file, to be unpacked and read anywhere: _build/zip/attention-worked-out.zip
	@$(BIN)/python site/take_along.py zip

wheel: $(VENV)/.ready  ## write the package as a published book serves it, the weights beside it: _build/wheel/
	@$(BIN)/python site/take_along.py wheel

screenshots: book $(VENV)/.ready-dev  ## make the README's screenshots again
	$(BIN)/python site/screenshots.py

readme: $(VENV)/.ready  ## write the measured results into the README again
	$(BIN)/python site/readme.py

lock: | $(BIN)/python  ## resolve requirements.lock anew (run it with the oldest Python supported)
	$(BIN)/python site/lock.py $(wildcard requirements*.txt) > requirements.lock.new
	mv requirements.lock.new requirements.lock
	$(BIN)/python -m pip install --quiet --only-binary :all: --require-hashes --requirement site/uv.txt
	$(BIN)/python site/hashes.py $(wildcard requirements*.txt) > requirements.hashes.new
	mv requirements.hashes.new requirements.hashes

sbom: $(VENV)/.ready  ## print a bill of materials of what is installed (CycloneDX, JSON)
	@$(BIN)/python site/sbom.py

clean:  ## remove the built book and the execution cache
	rm -rf _build

distclean: clean  ## remove the virtual environment too, and say what is left
	@if [ -e $(VENV)/.ready ]; then echo "Not removed: corpora that were fetched and models that were trained, if any, in"; \
		$(BIN)/python -c 'from platformdirs import user_cache_path; print(user_cache_path("attention-book"))'; fi
	rm -rf $(VENV)
