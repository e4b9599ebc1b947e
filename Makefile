# Every target makes what it needs, from a bare clone on.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BENCH  := .venv-bench
SANITISE  := .venv-sanitise
BARE   := .venv-bare
# Clang alone has libFuzzer; `make fuzz CLANG=/path/to/clang++` names one that is elsewhere.
CLANG  ?= $(shell for name in clang++ clang++-22 clang++-21 clang++-20 clang++-19 clang++-18 clang++-17; do command -v $$name && break; done)
FUZZED := $(basename $(notdir $(wildcard tests/fuzz/targets/*.cpp)))
SANITISED  = ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" \
             $(SANITISE)/bin/python
CORE   := $(shell find csrc -type f) CMakeLists.txt pyproject.toml
SOURCE := $(CORE) $(shell find src -type f ! -name '*.pyc' ! -name '*.so')
CXX_FILES := $(shell find csrc tests/fuzz -name '*.cpp' -o -name '*.hpp')
# Workers cost memory, so what takes most of it is tested by itself: browsers, clusters and commands beside workers that
# have loaded little; JAX and what it compiles; torch. A file stays with one worker, so that what is compiled for one of
# its tests serves the others; tests/conftest.py says which files come first. The verdict does not depend on it.
WORKERS ?= 2
PYTEST  = $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# What is tested is what is installed, whatever the shell says; `quick` alone looks at src. Compiled tests are kept, so
# that one worker compiles for all.
unexport PYTHONPATH PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-gpu quick check bare bench bench-gpu bench-scale dev docs reference gold terms stub format sanitise threads fuzz fuzz-targets coverage mutants clean

.NOTPARALLEL:  # pip twice at once in one environment

demo: $(VENV)/.installed  ## a small world of pictures: two models, three annotators, one report to look at
	$(BIN)/vesica demo --output demo

test: $(VENV)/.installed $(VENV)/.test  ## unit tests, properties, docstrings, docs pages
	$(PYTEST) -m "processes and not jax and not torch"
	$(PYTEST) -m "not processes and not jax and not torch"
	$(PYTEST) -m "jax"
	$(PYTEST) -m "torch and not jax"

test-gpu: $(VENV)/.installed $(VENV)/.test  ## the device suite, where there is a CUDA device
	$(BIN)/python tests/gpu

quick: $(VENV)/.core $(VENV)/.test  ## after a change of Python: src as it is, without what is slow; TESTS=tests/test_join.py
	PYTHONPATH=src VESICA_PROFILE=quick $(PYTEST) -q -m "not slow" $(TESTS)

check: $(VENV)/.installed $(VENV)/.check $(VENV)/.test  ## style, types, layers of Python and C++, C++ format, stub, reference
	$(BIN)/ruff check src tests benchmarks examples docs
	$(BIN)/ruff format --check src tests benchmarks examples docs
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python csrc/includes.py
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)
	$(BIN)/python -m nanobind.stubgen -q -m vesica._native -o build/_native.pyi
	diff -u src/vesica/_native.pyi build/_native.pyi  # `make stub` writes it anew
	$(BIN)/python docs/reference.py | diff -u docs/reference.md -  # `make reference` writes it anew

bench: $(BENCH)/.installed  ## answers compared, then speed against named peers; ISA="avx512 avx2" for both columns; HISTORY=1 keeps the run in benchmarks/history
	$(BENCH)/bin/python -m benchmarks $(BENCHES) $(if $(ISA),--isa $(ISA)) $(if $(HISTORY),--history)
	$(if $(HISTORY),$(BENCH)/bin/python -m benchmarks.history)

bench-scale: $(BENCH)/.installed  ## many files: workers, merging, gathering by ranks, 100 million guesses (about 6 GB of disk); SCALE="--quick" or names
	$(BENCH)/bin/python -m benchmarks.scale $(SCALE)

bench-gpu: $(VENV)/.installed $(VENV)/.test  ## on a CUDA device, the limit beside each row
	$(BIN)/python -m benchmarks.device

dev: $(VENV)/.installed $(VENV)/.test $(VENV)/.check  ## everything a developer needs

docs: $(VENV)/.installed $(VENV)/.docs  ## the documentation site in build/site: a dead link or a warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict  # with --quiet it would not hear warnings

reference: $(VENV)/.installed $(VENV)/.test  ## docs/reference.md from the docstrings
	$(BIN)/python docs/reference.py > build/reference.md
	mv build/reference.md docs/reference.md

# Look at `git diff` before it is committed: whatever the command line prints now is taken for right.
gold: $(VENV)/.installed $(VENV)/.test  ## tests/data/gold, tests/data/pictures: accept what the command line prints and what pictures look like now
	$(BIN)/python tests/gold.py --accept
	$(BIN)/python tests/gold_pictures.py --accept
	git diff --stat -- tests/data/gold tests/data/pictures

terms: $(VENV)/.installed  ## docs/terms.md from the texts of `vesica explain`
	$(BIN)/python docs/terms.py > build/terms.md
	mv build/terms.md docs/terms.md

stub: $(VENV)/.installed $(VENV)/.check
	$(BIN)/python -m nanobind.stubgen -q -m vesica._native -o src/vesica/_native.pyi

format: $(VENV)/.check
	$(BIN)/ruff check --fix src tests benchmarks examples docs
	$(BIN)/ruff format src tests benchmarks examples docs
	$(BIN)/clang-format -i $(CXX_FILES)

bare: $(VENV)/.installed  ## the wheel alone with few other libraries, as the wheel jobs test it; BARE_NUMPY="numpy==1.26.*"
	rm -rf $(BARE) build/bare
	$(BIN)/pip wheel -q --no-build-isolation --no-deps -w build/bare .
	$(PYTHON) -m venv $(BARE)
	$(BARE)/bin/pip install -q --upgrade pip
	$(BARE)/bin/pip install -q --group bare $(BARE_NUMPY) build/bare/*.whl
	$(BARE)/bin/python -m pytest -q -rs tests

sanitise: $(SANITISE)/.installed  ## the tests once more under AddressSanitizer and UndefinedBehaviorSanitizer
	$(SANITISED) -m pytest -q -m native -k "not memory and not fork"

# setarch -R: where addresses are much randomised, the sanitiser finds its own taken. First a race that must be seen.
threads: $(VENV)/.test build/threads/.installed build/threads/planted_race  ## calls from many threads at once, under ThreadSanitizer; FUZZ_SECONDS=600
	setarch -R build/threads/planted_race without
	! setarch -R build/threads/planted_race 2> build/threads/planted_race.log
	grep "data race" build/threads/planted_race.log
	setarch -R env TSAN_OPTIONS=halt_on_error=1 PYTHONPATH=$(CURDIR)/build/threads/site \
	    LD_PRELOAD="$$(gcc -print-file-name=libtsan.so) $$(gcc -print-file-name=libstdc++.so)" $(BIN)/python -m tests.fuzz $(addprefix --noun ,threads signals coco_file nms detection) \
	    --seconds $(or $(FUZZ_SECONDS),60) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED))

# Chance lives here; a failure prints what repeats it. First readers and kernels under the sanitisers, then forks without
# (a sanitiser's own locks are not made for them), then bytes that libFuzzer makes, then the properties.
fuzz: $(SANITISE)/.installed $(VENV)/.installed $(VENV)/.test fuzz-targets  ## any input at all; FUZZ_SECONDS=600 FUZZ_SEED=7
	$(SANITISED) -m tests.fuzz --without forks --seconds $(or $(FUZZ_SECONDS),60) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED))
	$(BIN)/python -m tests.fuzz --noun forks --seconds $(or $(FUZZ_SECONDS),60) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED))
	VESICA_PROFILE=fuzz $(PYTEST) -q -m hypothesis $(if $(FUZZ_SEED),--hypothesis-seed=$(FUZZ_SEED))

# What it finds lies in build/fuzz, with the inputs that lead to new branches: build/fuzz/json FILE repeats one.
fuzz-targets: | $(VENV)/.made  ## JSON, decimals, RLE strings, records, segmentations under libFuzzer, where there is clang; FUZZ_SECONDS=600
ifeq ($(CLANG),)
	@echo "No clang here (CLANG=...): libFuzzer is left out, and with it the inputs that follow the branches of csrc."
else
	CXX=$(CLANG) $(BIN)/cmake -S tests/fuzz/targets -B build/fuzz -DCMAKE_BUILD_TYPE=None
	$(BIN)/cmake --build build/fuzz --parallel $(WORKERS)
	for target in $(FUZZED); do mkdir -p build/fuzz/corpus/$$target && build/fuzz/$$target -max_len=1000 -timeout=30 -verbosity=0 \
	    -print_final_stats=1 -max_total_time=$(or $(FUZZ_SECONDS),60) $(if $(FUZZ_SEED),-seed=$(FUZZ_SEED)) \
	    -artifact_prefix=build/fuzz/$$target- build/fuzz/corpus/$$target tests/fuzz/corpus/$$target || exit 1; done
endif

coverage: $(VENV)/.test build/coverage/.installed  ## which lines of csrc the tests never run
	find build/coverage -name '*.gcda' -delete
	PYTHONPATH=$(CURDIR)/build/coverage/site $(PYTEST) -q -m "not compile"
	$(BIN)/python csrc/coverage.py build/coverage/objects

# Outside CI: it takes most of an hour, and what it says changes slowly.
mutants: $(VENV)/.made $(VENV)/.test  ## small faults in the kernels: which do the tests not notice? MUTANTS="--number 300 --seed 1 --file nms"
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.mutants $(MUTANTS)

clean:
	rm -rf build dist demo $(VENV) $(BENCH) $(SANITISE) $(BARE) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	rm -f src/vesica/_native*.so

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade pip
	$(BIN)/pip install -q --group build
	touch $@

# Not editable: what is tested is what a user installs, with what the demo and files of all formats need. The build
# folder is kept, so only what changed is compiled.
$(VENV)/.installed: $(SOURCE) | $(VENV)/.made
	$(BIN)/pip install -q --no-build-isolation '.[formats,images,plot]'
	touch $@

# The compiled core beside the Python files, for `quick`: git and the wheel ignore it there.
$(VENV)/.core: $(CORE) | $(VENV)/.made
	$(BIN)/pip install -q --no-build-isolation .
	rm -f src/vesica/_native*.so
	cp $(VENV)/lib/python3*/site-packages/vesica/_native*.so src/vesica/
	touch $@

build/threads/planted_race: tests/fuzz/planted_race.cpp csrc/base/threads.cpp csrc/base/interrupt.cpp
	mkdir -p build/threads
	$(CXX) -std=c++20 -O1 -g -fsanitize=thread -Icsrc $^ -o $@ -pthread

$(VENV)/.test: pyproject.toml | $(VENV)/.made
	$(BIN)/pip install -q --group test
	touch $@

$(VENV)/.docs: pyproject.toml | $(VENV)/.made
	$(BIN)/pip install -q --group docs
	touch $@

$(VENV)/.check: pyproject.toml | $(VENV)/.made
	$(BIN)/pip install -q --group check
	touch $@

# Peers pin what they like, so they live apart. One that cannot be installed is reported by the benchmark.
$(BENCH)/.installed: $(SOURCE) benchmarks/requirements.txt benchmarks/optional.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/pip install -q -r benchmarks/requirements.txt
	while read -r peer; do $(BENCH)/bin/pip install -q "$$peer" || echo "could not install $$peer"; done < benchmarks/optional.txt
	$(BENCH)/bin/pip install -q .
	touch $@

$(SANITISE)/.installed: $(SOURCE)
	$(PYTHON) -m venv $(SANITISE)
	$(SANITISE)/bin/pip install -q --upgrade pip
	$(SANITISE)/bin/pip install -q --group build --group bare numpy array-api-compat rich
	$(SANITISE)/bin/pip install -q --no-build-isolation --no-deps -C build-dir=build/sanitise -C cmake.define.VESICA_SANITISE=address,undefined,float-cast-overflow -C cmake.define.VESICA_PRECOMPILE=OFF -C cmake.build-type=Debug .
	touch $@

# Other builds of the core, beside the one in .venv: a process with its folder first in PYTHONPATH runs it.
build/threads/.installed: SETTING := VESICA_SANITISE=thread
build/coverage/.installed: SETTING := VESICA_COVERAGE=ON
build/%/.installed: $(SOURCE) | $(VENV)/.made
	rm -rf build/$*/site
	$(BIN)/pip install -q --no-build-isolation --no-deps --target build/$*/site -C build-dir=build/$*/objects -C cmake.define.$(SETTING) -C cmake.define.VESICA_PRECOMPILE=OFF -C cmake.build-type=Debug .
	touch $@
