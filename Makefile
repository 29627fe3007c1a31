# SPDX-License-Identifier: BSD-3-Clause
# A thin layer over the CMake presets; every target installs the Debian packages it misses.
PREFIX ?= /usr/local
CTEST = ctest --parallel $$(nproc)
SOURCES = $(shell git ls-files '*.cpp' '*.hpp' ':!tests/golden')

.PHONY: all run test test-asan test-tsan test-neon bench install format tidy clean help
all: build-release

help:
	@echo "make run         build, transform an array on all cores, check it; then on ranks, with a picture"
	@echo "make test        build with assertions and run all tests"
	@echo "make test-asan   the same under the address and undefined-behaviour sanitizers"
	@echo "make test-tsan   the same under the thread sanitizer"
	@echo "make test-neon   cross-compile for aarch64 and run the kernel tests under qemu"
	@echo "make bench       weft against FFTW, side by side"
	@echo "make install     library, headers and tool into PREFIX (now $(PREFIX))"
	@echo "make format      format the sources in place"
	@echo "make tidy        static analysis"
	@echo "make clean       remove build/"

.PHONY: setup-build setup-neon setup-format setup-tidy
setup-build setup-neon setup-format setup-tidy: setup-%:
	@scripts/setup $*

# Configures only when there is no build folder yet: CMake re-runs itself when its files change.
build/%/build.ninja: | setup-build
	@cmake --preset $* --log-level=NOTICE

.PHONY: build-release build-dev build-asan build-tsan
build-release build-dev build-asan build-tsan: build-%: setup-build build/%/build.ninja
	@cmake --build --preset $*

run: build-release
	@build/release/tools/weft/weft demo
	@echo
	@scripts/on_ranks build/release/tools/weft/weft trace --real 256x256x256 \
	  --svg build/timeline.svg --output build/trace.json

test: build-dev
	@$(CTEST) --preset dev

test-asan test-tsan: test-%: build-%
	@$(CTEST) --preset $*

test-neon: setup-neon build/neon/build.ninja
	@cmake --build --preset neon
	@$(CTEST) --preset neon

bench: build-release
	@build/release/tools/weft/weft bench local

install: build-release
	@cmake --install build/release --prefix "$(PREFIX)"

format: setup-format
	@clang-format-19 -i $(SOURCES)

# File by file, with the headers that are generated.
tidy: setup-tidy setup-build
	@cmake --preset dev -B build/tidy -DCMAKE_UNITY_BUILD=OFF --log-level=NOTICE
	@cmake --build build/tidy --target weft_codelet
	@run-clang-tidy-19 -quiet -extra-arg=-Wno-unknown-warning-option -extra-arg=-Wno-deprecated-declarations -p build/tidy '^$(CURDIR)/(src|tools|tests|examples)/'

clean:
	@rm -rf build
