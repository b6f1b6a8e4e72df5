# `make demo` and `make test` need nothing but Python 3.11 to 3.13 and make.
PYTHON ?= python3
RUN := .venv/bin

.PHONY: demo test lint types bench clean

demo: .venv/installed-web
	$(RUN)/plyground tournament connect_n random greedy "alphabeta(depth=6)" "mcts(simulations=2000)" \
		--games 10 --seed 1 --replay demo.html
	@echo "Open demo.html in a browser to watch a game. To play in the browser: $(RUN)/plyground serve"

test: .venv/installed-test
	$(RUN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

lint: .venv/installed-test
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .

types: .venv/installed-test
	$(RUN)/mypy

bench: .venv/installed-bench
	$(RUN)/python -m benchmarks

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/installed-%: .venv/installed
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	touch $@

clean:
	rm -rf .venv
