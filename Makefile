# What people type. Each target sets up what it needs first; nothing is done twice.
.PHONY: build demo demo-site demo-network test quick check nightly fuzz-nightly zoo-nightly packages dist bench budget clean distclean lock format

# Tests start jostle a thousand times: it must not be compiled each time.
unexport PYTHONDONTWRITEBYTECODE

build:                  ## set everything up; afterwards .venv/bin/jostle is the command
	@tools/setup.sh

demo: build             ## a probe, a signal, and the imprint that one leaves on the other
	@.venv/bin/jostle demo

demo-site: build        ## a small site with agents, and what no profile shows (needs root)
	@.venv/bin/jostle site demo

demo-network: build     ## who shares which link: the verdict names the link and the job (needs root)
	@.venv/bin/jostle topology demo

test: build             ## the tests
	@tools/test.sh

quick: build            ## in a minute: linters and tests of what your change touches, the nearest first
	@.venv/bin/python tools/quick.py

check: build            ## tests, linters, sanitizers, fuzzers, generated files, and a seventh of nightly
	@tools/check.sh

nightly: build          ## hours: what takes too long for every change; records it in tools/nightly.tsv (best as root)
	@.venv/bin/python tools/nightly.py

fuzz-nightly: build     ## ten minutes of mutated profiles, through ingest and server, by a new seed
	@.venv/bin/python tests/hostile/fuzz_through.py --minutes 10

zoo-nightly: build      ## sixty real programs, bare and profiled, counts against strace (best as root)
	@.venv/bin/python tests/zoo/zoo.py --install

packages: build         ## a .deb and an .rpm for nodes and for the repository's host, and a wheel, in build/packages
	@tools/packages.sh

dist: build             ## the release archive in build/dist, with recipes of Spack and conda that build from it
	@.venv/bin/python tools/dist.py

bench: build            ## the figures of docs, measured here
	@.venv/bin/python lab/bench/run.py

budget: build           ## rewrite lab/bench/budget.toml; raised figures need lab/bench/budget.py --write --reason WHY
	@.venv/bin/python lab/bench/budget.py --write

format: build           ## put the sources into their style
	@.venv/bin/ruff format src lab tests tools
	@.venv/bin/ruff check --fix src lab tests tools
	@find runtime agent lab tests -name '*.[ch]' ! -path '*/mpi/generated/*' | xargs clang-format -i

lock:                   ## renew requirements.lock from pyproject.toml
	@tools/supply/lock.sh

clean:                  ## remove what a build makes
	rm -rf build .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis

distclean: clean        ## remove .venv too
	rm -rf .venv
