# Targets for people: demo test bench docs format check clean. `make` alone lists them.

# The images that `make bench` makes thumbnails of; by default those installed for the demo.
PHOTOGRAPHS ?= /usr/share/backgrounds

SWIFT_FOLDERS := $(wildcard Package.swift Sources Tests Benchmarks Examples Fuzz/Package.swift Fuzz/Sources/FuzzTargets \
    Simulation/Package.swift $(filter-out %/Table %/Random,$(wildcard Simulation/Sources/firn-*/*)))

# GTK=no omits the windows: a machine without GTK 4 builds and tests the rest.
export GTK

.PHONY: help setup build demo test examples bench docs api format check check-format check-conversions check-imports check-api check-corpus conformance fuzz fuzz-check \
    simulate race-check leak-check kill-check check-headers check-arm check-server check-gallery check-desktop check-soak check-http-cache install uninstall deb check-deb distributions clean

help:
	@echo "make demo           load photographs over HTTP, from memory and from disk (SOURCE=folder or URL list); then show the gallery"
	@echo "make test           build and run all tests"
	@echo "make examples       build and run the examples as a user would"
	@echo "make bench          measure, compare with accepted figures, store and draw (ONLY=\"folder disk\" ROUNDS=n STRICT=1"
	@echo "                    PHOTOGRAPHS=folder; ACCEPT=1 accepts the figures, FROM=bench-out/History reuses old ones)"
	@echo "make docs           write the documentation of all libraries as a static site, docs-out"
	@echo "make api            write the public API of all libraries, API/*.txt; make check-api compares it"
	@echo "make fuzz           fuzz the decoders (SECONDS=60 each, FORMAT=\"png gif\")"
	@echo "make simulate       simulate the engine's decisions, and a fleet, in virtual time (SEEDS=1000 STEPS=10000, or SEED=n to repeat one)"
	@echo "make race-check     use the public API from many threads under the thread sanitizer"
	@echo "make leak-check     measure the memory left after 100 000 requests"
	@echo "make kill-check     kill a process while it writes to a data cache, 10 000 times (TIMES=n SEED=n)"
	@echo "make conformance    compare with the shared corpus and write Documentation/Formats/conformance.md"
	@echo "make check-headers  compile the C code with the headers of Debian 13, and without each format (RELEASE=sid);"
	@echo "                    check the set-up for other systems"
	@echo "make check-arm      compile the C code for aarch64 and compare its kernels under QEMU"
	@echo "make install        install firn and firn-gallery (PREFIX=/usr/local DESTDIR=); make uninstall removes them"
	@echo "make check-soak     check that firn serve leaks nothing under mixed load for MINUTES (30)"
	@echo "make check-gallery  use the gallery at random under Xvfb: 20 rounds of 200 actions"
	@echo "make check-server   check firn serve as a program: keys, signals, the IIIF validator, clients, a fleet with Redis and proxies, the viewer"
	@echo "make check-desktop  check the gallery: accessibility by AT-SPI, and Wayland on a headless compositor"
	@echo "make check-http-cache  run the tests of http-tests/cache-tests (CACHE_TESTS=checkout)"
	@echo "make deb            build Debian packages in deb-out; make check-deb also installs and removes them in a new root"
	@echo "make distributions  run the two commands of the README in a new Debian 13 root (as root; RELEASE=bookworm or sid)"
	@echo "make format         format the Swift code"
	@echo "make check          run tests and examples; check format, conversions, imports, public API, documentation"
	@echo "make clean          remove build output"

# BUILT=1: the setup and the build of the tests are up to date.
setup:
	@[ -n "$(BUILT)" ] || Scripts/setup

build: setup
	@[ -n "$(BUILT)" ] || Scripts/swift build --build-tests

demo:
	@Scripts/setup demo
	@Scripts/demo $(if $(SOURCE),--source "$(SOURCE)") $(ARGS)
	@Scripts/show-gallery "$(SOURCE)"

test:
	@Scripts/setup test
	@Scripts/swift build --build-tests
	@Scripts/test
	@Scripts/check-migration

examples:
	@Scripts/setup examples
	@Scripts/run-examples

bench:
	@Scripts/setup bench
	@case "$(ONLY)" in *server*) Scripts/setup server && $(MAKE) -s .build/peers/bin/thumbor ;; esac
	@Scripts/swift build -c release --product firn-bench
	@case "$(ONLY)" in "" | *server*) Scripts/swift build -c release --product firn-serve ;; esac
	@case $$(Scripts/setup --traits) in *GTK*) Scripts/swift build -c release --product firn-gallery ;; esac
	@case "$$(Scripts/setup --traits) $(ONLY)" in *GTK*" " | *GTK*regions*) Scripts/swift build -c release --product firn-gtk-scenes ;; esac
	@.build/release/firn-bench $(if $(ONLY),--only "$(ONLY)") $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(ACCEPT),--accept) \
	    $(if $(STRICT),--strict) $(if $(FROM),--from "$(FROM)") $(ARGS) "$(PHOTOGRAPHS)"

# Uses the existing build: compiles nothing twice. Also checks the articles: their code and all links.
docs: build
	@Scripts/check-snippets
	@Scripts/docs

# Lists the public declarations, one a line, so that reviews see every change.
api: build
	@Scripts/api

check-api: build
	@Scripts/api check

format:
	@swift format -i -r $(SWIFT_FOLDERS)

# In this order, since the examples are built in the same folder.
check: test check-format check-conversions check-imports check-api docs examples

check-format:
	@swift format lint --strict -r $(SWIFT_FOLDERS)
	@echo "format: no problems"
	@Scripts/check-sleeps
	@Scripts/check-words
	@Scripts/check-size
	@Scripts/check-packages
	@Scripts/check-failure-modes
	@Scripts/check-figures

# Uses the existing build: the modules that read files are only type-checked.
check-conversions: build
	@Scripts/check-conversions

# The compiler checks every import against the manifest; this checks that the manifest's dependencies point down the
# layers.
check-imports: build
	@Scripts/check-layers
	@echo "imports: all declared, all pointing down"

# Judges the command on the shared corpus, if it is present.
check-corpus: setup
	@Scripts/check-corpus

# Compares every whole image of the shared corpus and writes the page of differences. Takes some minutes.
conformance: build
	@FIRN_WRITE_CONFORMANCE=1 Scripts/swift test --skip-build --filter 'document of differences'

# Needs no network: the decoders are a separate package in Fuzz.
SECONDS ?= 60
fuzz: setup
	@Scripts/fuzz $(SECONDS) $(FORMAT)

# A Python image server, for comparison with ours.
.build/peers/bin/thumbor:
	@python3 -m venv .build/peers && .build/peers/bin/pip install -q thumbor || \
	    echo "bench: thumbor could not be installed; skipping its figures"

# Replays the seeds and some thousand mutations of them, the same in every run.
fuzz-check: setup
	@FIRN_FUZZ_RUNS=2000 Scripts/fuzz 0

# Needs no network: the engine is a separate package in Simulation.
simulate:
	@SEEDS=$(SEEDS) STEPS=$(STEPS) SEED=$(SEED) LENGTH=$(LENGTH) Scripts/simulate

race-check:
	@SEED=$(SEED) Scripts/stress race

leak-check:
	@SEED=$(SEED) Scripts/stress churn

# The tests do this 60 times.
kill-check:
	@Scripts/kill-check $(or $(TIMES),10000) $(SEED)

check-headers: setup
	@Scripts/check-headers $(RELEASE)
	@Scripts/check-setup

# With WHOLE=1, also builds everything for aarch64 and runs it on arm64 kernels; see the script.
check-arm: setup
	@Scripts/check-arm
	@[ -z "$(WHOLE)" ] || Scripts/check-arm-whole

# The scripts read both from the environment.
export PREFIX DESTDIR

install:
	@Scripts/install

uninstall:
	@Scripts/install uninstall

deb:
	@Scripts/deb

check-server:
	@Scripts/check-server
	@Scripts/check-fleet
	@Scripts/check-viewer

check-gallery:
	@Scripts/swift build --product firn-gallery
	@Scripts/check-gallery

check-desktop:
	@Scripts/check-desktop

check-soak:
	@Scripts/check-soak $(MINUTES)

check-http-cache: setup
	@Scripts/check-http-cache $(CACHE_TESTS)

check-deb:
	@Scripts/deb check

distributions:
	@Scripts/distributions $(RELEASE)

clean:
	@rm -rf .build .build-* deb-out demo-out bench-out docs-out Examples/*/.build
