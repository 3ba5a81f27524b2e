# Two commands matter: `make book` builds the site, `make test` checks everything.
# Each sets up the environment (.venv) by itself from the lock file. `make help` lists the rest.
# If your Python has another name: make book PYTHON=python3.12

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
PLAY := $(if $(wildcard $(READY)),.venv,build/play)
SITE := _build/html/index.html
COURSE ?= course

.PHONY: help play book pdf test quick long mutants style js check bench bench-pages page execute agents studies assignments dist release collect grade give-back classroom report solutions lab lock clean

help:  ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

define NEW_ENOUGH
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; %s is %s. Try: make PYTHON=python3.12" % (sys.executable, sys.version.split()[0]))'
endef

OFFLINE := { echo "Setting up needs the network, once: pip says above what it could not get. The same command tries again." >&2; exit 1; }

$(READY): requirements.lock
	$(NEW_ENOUGH)
	@echo "Setting up .venv (some minutes, once) ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock || $(OFFLINE)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

build/play/.ready: pyproject.toml
	$(NEW_ENOUGH)
	@echo "Setting up build/play for the library alone (about a minute, once) ..."
	@$(PYTHON) -m venv build/play
	@build/play/bin/python -m pip install --quiet --disable-pip-version-check --editable . || $(OFFLINE)
	@touch $@

play: $(PLAY)/.ready  ## play in the terminal, with the library alone: make play AGAINST=q-learning
	@$(PLAY)/bin/ttt play $(AGAINST)

book: $(READY)  ## build the site; every warning is an error
	@$(BIN)/jupyter-book build . --builder html --warningiserror --nitpick --keep-going --quiet
	@echo "The book is ready. Open $(CURDIR)/$(SITE)"

pdf: book  ## print the whole book as a PDF, with Chromium or Chrome
	@$(BIN)/python book/site/pdf.py

test: style book  ## everything: style, unit tests, notebooks, pages, the site in a browser
	@$(BIN)/pytest tests book --nbval --nbval-current-env -n 3 --dist loadfile --no-loadscope-reorder

quick: $(READY)  ## the unit tests that are quick, about a minute
	@$(BIN)/pytest tests --ignore=tests/browser -m "not slow and not long" -n 2 --dist loadfile

long: $(READY)  ## print the whole book, try every setting of the learners' lab, and install all into empty environments (over an hour; PyPI)
	@$(BIN)/pytest tests/long tests/browser/long -n 2 --dist load
	@$(BIN)/pytest tests -m long -n 2 --dist loadfile
	@SECRETS=12 $(BIN)/pytest tests/test_wrong_answers.py -m "" -n 2
	@$(BIN)/python tools/slips.py

mutants: $(READY)  ## put small faults into every module: does a test find each? (most of an hour)
	@$(BIN)/python tools/mutants.py $(MODULES)

style: $(READY)  ## the style of the code alone
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

node_modules/.ready: package-lock.json
	@npm ci --silent --no-audit --no-fund
	@touch $@

js:  ## the style of the scripts, their faults and their types (Node; its tools come from npm, once)
	@if $(MAKE) --silent node_modules/.ready 2>/dev/null; then npm run --silent check; \
	else echo "JAVASCRIPT IS NOT CHECKED: there is no Node, or npm brings no tools." >&2; test -z "$$REQUIRE_NODE"; fi

check: style js  ## style of the code, its types, what it imports, and the pages as they are written
	@$(BIN)/mypy
	@$(BIN)/pytest -q -n 2 tests/test_book.py tests/test_architecture.py::test_imported_names_exist --deselect tests/test_book.py::test_equation_agrees_with_code
	@$(BIN)/python tests/pages.py

bench: $(READY)  ## measure speed beside plain C and other libraries (four minutes; STORE=1 stores it for the book)
	@PYTHONPATH=book/site $(BIN)/python benchmarks/bench.py $(if $(STORE),--store)

bench-pages: book  ## measure how light the pages are, on a slow network (three minutes, Chromium)
	@PYTHONPATH=book/site $(BIN)/python benchmarks/openings.py

page: $(READY)  ## make a new page from the template: make page NAME=closer_looks/game_length
	@$(BIN)/python tools/page.py new "$(NAME)"

execute: $(READY)  ## run every notebook from a fresh kernel and store its outputs; one: make execute PAGE=02_mdp
	@$(BIN)/python tools/page.py execute $(PAGE)

studies: $(READY)  ## run the long experiments afresh and store their results
	@cd book && ../$(BIN)/python -m studies

define MAKE_AGENTS
import sys
from ttt_lib.agents import builtin
try:
    print(*builtin.write("ttt_lib/agents/files", *sys.argv[1:]), sep="\n")
except ValueError as fault:
    sys.exit(f"make agents: {fault}")
endef
export MAKE_AGENTS

agents: $(READY)  ## make the files of the agents that come with the book again; of one: make agents NAME=p1
	@$(BIN)/python -c "$$MAKE_AGENTS" $(NAME)

assignments: $(READY)  ## make the student versions of the assignments, in course/release
	@$(BIN)/python -m assignments.grader release $(ASSIGNMENT) --course "$(COURSE)"

grade: $(READY)  ## grade a class: make grade SUBMISSIONS=folder ROLL=roll.csv
	@$(BIN)/python -m assignments.grader grade --submissions "$(SUBMISSIONS)" --roll "$(ROLL)" --course "$(COURSE)" $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT)) $(if $(SECRET),--secret "$(SECRET)") $(if $(ISOLATION),--isolation $(ISOLATION)) $(if $(DATES),--dates "$(DATES)") $(if $(JOBS),--jobs "$(JOBS)") $(if $(AGAIN),--again)

collect: $(READY)  ## sort a platform's download by student: make collect DOWNLOAD=x.zip ROLL=roll.csv INTO=folder (PLAN=1 only shows the plan)
	@$(BIN)/python -m assignments.grader collect --download "$(DOWNLOAD)" --roll "$(ROLL)" --into "$(INTO)" $(if $(PLAN),--plan)

classroom: $(READY)  ## make a template repository for GitHub Classroom: make classroom ASSIGNMENT=assignment_game
	@$(BIN)/python -m assignments.grader classroom --assignment "$(ASSIGNMENT)" --course "$(COURSE)"

report: $(READY)  ## write the statistics of a graded class: make report ASSIGNMENT=assignment_game
	@$(BIN)/python -m assignments.grader report --assignment "$(ASSIGNMENT)" --course "$(COURSE)"

solutions: $(READY)  ## make solved notebooks for after the deadline, in course/solutions
	@$(BIN)/python -m assignments.grader solutions $(ASSIGNMENT) --course "$(COURSE)"

give-back: $(READY)  ## make the zip of pages and the table of points for a platform (COLUMN="heading" of the points)
	@$(BIN)/python -m assignments.grader give-back --assignment "$(ASSIGNMENT)" --submissions "$(SUBMISSIONS)" --roll "$(ROLL)" --course "$(COURSE)" $(if $(COLUMN),--column "$(COLUMN)")

dist: $(READY)  ## build what a package index takes, the library's wheel and its source, in dist (PyPI)
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation >/dev/null
	@$(PYTHON) -m venv build/twine
	@build/twine/bin/python -m pip install --quiet --disable-pip-version-check 'twine>=7,<8'
	@build/twine/bin/twine check --strict dist/*
	@ls -l dist

release: $(READY)  ## a dry run of a release: does all agree, and what would a person do next? (PyPI)
	@$(BIN)/python .ci/release.py
	@$(MAKE) --no-print-directory dist
	@$(BIN)/python .ci/release.py --next

lab: $(READY)  ## open the notebooks in JupyterLab; released assignments are in course/release
	@$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/book $(if $(filter 0,$(shell id -u)),--allow-root)

lock:  ## resolve the dependencies anew, with hashes, by uv from PyPI; what still fits stays
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	@build/lock/bin/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --extra dev pyproject.toml -o requirements.lock

clean:  ## remove everything that can be made again
	rm -rf .venv node_modules _build build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
