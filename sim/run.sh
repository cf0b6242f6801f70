#!/bin/sh
# Simulates {{top}} on the data in data/ and compares the memory after it with what the C program leaves.
#
# Usage: sim/run.sh [verilator|icarus] [FILE.vcd|FILE.fst]
#
# A maker's model of the memory takes the place of ours with
#   BURSTC_DEVICE=<module> BURSTC_DEVICE_FILES="<file.v> ..." sim/run.sh
# where the module has the pins of ddr_sdram (wrap the model where it calls them otherwise), and the files' paths are
# absolute. A memory behind a bus takes its settings, such as +latency=40 +stalls=3, from BURSTC_MEMORY.
# Without them it has the latency of the board's profile.
set -eu

simulator=${1:-verilator}
vcd=${2:-}
case $vcd in
    "" | /*) ;;
    *) vcd=$PWD/$vcd ;;
esac
cd "$(dirname "$0")"
mkdir -p build

files="{{bench}}"
for file in ../rtl/*.v; do
    files="$files $file"
done
options="-DTOP={{top}}{{defines}}"
if [ -n "$vcd" ]; then
    options="$options -DBURSTC_TRACE"
fi
case $vcd in
    "") trace= ;;
    *.fst) trace=--trace-fst ;;
    *) trace=--trace ;;
esac
if [ -n "${BURSTC_DEVICE:-}" ]; then
    options="$options -DBURSTC_DEVICE=$BURSTC_DEVICE"
    files="$files ${BURSTC_DEVICE_FILES:-}"
fi

case $simulator in
    verilator)
        # shellcheck disable=SC2086 # lists of words
        verilator --binary --timing -j 2 -O3 --timescale 1ns/1ps -Wno-fatal -Wno-UNOPTFLAT $trace $options \
            --top-module tb_accelerator -Mdir build/verilated -o bench $files > build/verilator.log 2>&1 \
            || { cat build/verilator.log; exit 1; }
        program=build/verilated/bench
        ;;
    icarus)
        # shellcheck disable=SC2086
        iverilog -g2005 $options -s tb_accelerator -o build/bench.vvp $files
        program="vvp -n build/bench.vvp"
        case $vcd in *.fst) program="$program -fst" ;; esac
        ;;
    *)
        echo "usage: $0 [verilator|icarus] [FILE.vcd|FILE.fst]" >&2
        exit 2
        ;;
esac

# shellcheck disable=SC2086 # a list of words
$program +image=data/before.hex +bytes={{bytes}} +registers=data/registers.txt +dump=build/after.hex \
    +max_cycles={{max_cycles}} ${BURSTC_MEMORY:-}{{memory}} ${vcd:+"+vcd=$vcd"} | tee build/run.log

if ! grep -q '^RESULT timed_out=0 .*port_faults=0$' build/run.log || grep -q '^VIOLATION' build/run.log; then
    echo "FAIL: time-out, timing violation or a fault at the memory port" >&2
    exit 1
fi
if ! grep -v '^[/@]' build/after.hex | head -n {{compared_bytes}} \
    | awk -v floats="{{floats}}" -f compare.awk data/expected.hex - >&2; then
    echo "FAIL: memory differs from what the C program leaves" >&2
    exit 1
fi
echo "PASS"
