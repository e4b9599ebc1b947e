# Every target makes what it needs, from a bare clone on.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BENCH  := .venv-bench
SANITISE  := .venv-sanitise
SANITISED  = ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" \
             $(SANITISE)/bin/python
SOURCE := $(shell find src csrc -type f ! -name '*.pyc') CMakeLists.txt pyproject.toml
CXX_FILES := $(shell find csrc -name '*.cpp' -o -name '*.hpp')
BUILD  := --no-build-isolation --no-deps
# The requirements of an extra, without the package itself.
extra   = $$($(BIN)/python -c "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
            print(*(p | p['optional-dependencies'])['$(1)'])")

.PHONY: demo test check bench dev stub format sanitise fuzz clean

demo: $(VENV)/.installed  ## run a small detection job and leave a page to look at
	$(BIN)/vesica demo --output demo

test: $(VENV)/.test  ## unit tests, properties, docstrings, docs pages
	$(BIN)/python -m pytest

check: $(VENV)/.check  ## style, types, layers of Python and C++, C++ format, stub
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python csrc/includes.py
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)
	$(BIN)/python -m nanobind.stubgen -q -m vesica._native -o build/_native.pyi
	diff -u src/vesica/_native.pyi build/_native.pyi  # `make stub` writes it anew

bench: $(BENCH)/.installed  ## answers compared, then speed against named peers
	$(BENCH)/bin/python -m benchmarks $(BENCHES)

dev: $(VENV)/.test $(VENV)/.check  ## everything a developer needs

stub: $(VENV)/.check
	$(BIN)/python -m nanobind.stubgen -q -m vesica._native -o src/vesica/_native.pyi

format: $(VENV)/.check
	$(BIN)/ruff check --fix src tests benchmarks examples
	$(BIN)/ruff format src tests benchmarks examples
	$(BIN)/clang-format -i $(CXX_FILES)

sanitise: $(SANITISE)/.installed  ## the tests once more under AddressSanitizer and UndefinedBehaviorSanitizer
	$(SANITISED) -m pytest -q -k "not memory and not fork" \
	  $(foreach noun,join best rotated kernels masks rle sparse pixels polygons raster labels sets anchors kmeans soft fusion nmm nms nms_batched matching decimals json coco_file records,tests/test_$(noun).py)

fuzz: $(SANITISE)/.installed  ## any input at all, under the same sanitisers; FUZZ_SECONDS=600 FUZZ_SEED=7
	$(SANITISED) -m tests.fuzz --seconds $(or $(FUZZ_SECONDS),60) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED))

clean:
	rm -rf build dist demo $(VENV) $(BENCH) $(SANITISE) .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade pip
	$(BIN)/pip install -q $(call extra,build) $(call extra,dependencies)
	touch $@

# Not editable: what is tested is what a user installs. The build folder is kept, so only what changed is compiled.
$(VENV)/.installed: $(VENV)/.made $(SOURCE)
	$(BIN)/pip install -q $(BUILD) .
	touch $@

$(VENV)/.test: $(VENV)/.installed
	$(BIN)/pip install -q $(call extra,test)
	touch $@

$(VENV)/.check: $(VENV)/.test
	$(BIN)/pip install -q $(call extra,check)
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
	$(SANITISE)/bin/pip install -q scikit-build-core nanobind ninja cmake numpy array-api-compat rich pytest hypothesis scipy
	$(SANITISE)/bin/pip install -q $(BUILD) -C build-dir=build/sanitise -C cmake.define.VESICA_SANITISE=ON -C cmake.build-type=Debug .
	touch $@
