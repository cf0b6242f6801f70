#!/usr/bin/env bash
# Runs the bench of the SDR SDRAM controller, its PHY for ECP5 and the device model:
#   tests/sdr_controller.sh [verilator|icarus] [folder for the build]
# Every pattern must end in "0 failed"; with no simulator named, both run.
# DEFINES="-DECP5_OUTPUT_PS=500 ..." sets macros of the models, OVERRIDES="T_RCD=2 ..." parameters of the bench,
# PATTERNS="copy+block=64 random ..." selects patterns.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
simulators=${1:-verilator icarus}
build=${2:-$(mktemp -d)}
patterns=${PATTERNS:-start sequential_read sequential_read+block=1 sequential_write sequential_write+block=3 copy copy+block=256
    copy+block=64 copy_shifted+block=64 pitch+block=32 random random+seed=2 short row_cycle dependent stalled}
mkdir -p "$build"
files=("$top"/sim/tb_sdr_controller.v "$top"/sim/sdr_sdram.v "$top"/sim/ecp5/*.v "$top"/rtl-templates/sdr_*.v
    "$top"/rtl-templates/ddr_splitter.v "$top"/rtl-templates/ddr_read_fifo.v)

failures=0
for simulator in $simulators; do
    # shellcheck disable=SC2206 # a list of words
    options=(${DEFINES:-})
    if [ "$simulator" = verilator ]; then
        for override in ${OVERRIDES:-}; do options+=("-G$override"); done
        verilator --binary --timing -O3 -Wno-fatal -Wno-lint -Wno-style --top-module tb_sdr_controller -Mdir "$build/verilator" \
            -o bench "${options[@]}" "${files[@]}" > "$build/verilator.log" 2>&1 || { cat "$build/verilator.log"; exit 1; }
        run=("$build/verilator/bench")
    else
        for override in ${OVERRIDES:-}; do options+=("-Ptb_sdr_controller.$override"); done
        iverilog -g2005 -s tb_sdr_controller -o "$build/bench.vvp" "${options[@]}" "${files[@]}"
        run=(vvp -n "$build/bench.vvp")
    fi
    for pattern in $patterns; do
        echo "== $simulator $pattern"
        # name+option=value+option=value
        read -r -a arguments <<< "+pattern=${pattern//+/ +}"
        "${run[@]}" "${arguments[@]}" > "$build/log"
        grep -v '^- ' "$build/log" | tail -n "${LINES_SHOWN:-8}"
        grep -q ' 0 failed$' "$build/log" || failures=$((failures + 1))
    done
done
echo "$failures runs failed"
[ "$failures" = 0 ]
