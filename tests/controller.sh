#!/usr/bin/env bash
# Runs the bench of a controller with its PHY and the model of its device:
#   tests/controller.sh ddr|sdr [verilator|icarus] [folder for the build]
# Every pattern must end in "0 failed"; with no simulator named, both run.
# DEFINES="-DECP5_OUTPUT_PS=500 ..." sets macros of the models, OVERRIDES="T_RCD=2 ..." parameters of the bench,
# PATTERNS="copy+block=64 random ..." selects patterns.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
memory=${1:?ddr or sdr}
simulators=${2:-verilator icarus}
build=${3:-$(mktemp -d)}
patterns=${PATTERNS:-start sequential_read sequential_read+block=1 sequential_write sequential_write+block=3 copy copy+block=256
    copy+block=64 copy_shifted+block=64 pitch+block=32 random random+seed=2 short row_cycle dependent stalled}
mkdir -p "$build"
bench=tb_${memory}_controller
files=("$top/sim/$bench.v" "$top/sim/${memory}_sdram.v")
case $memory in
    ddr) files+=("$top"/sim/ddr_phy_behavioural.v "$top"/rtl-templates/{ddr_*,open_rows,owed_refreshes,page_splitter,read_fifo}.v) ;;
    sdr) files+=("$top"/sim/ecp5/*.v "$top"/rtl-templates/sdr_*.v "$top"/rtl-templates/{open_rows,owed_refreshes,page_splitter,read_fifo}.v) ;;
    *) echo "usage: $0 ddr|sdr [verilator|icarus] [folder]" >&2; exit 2 ;;
esac

failures=0
for simulator in $simulators; do
    # shellcheck disable=SC2206 # a list of words
    options=(-I"$top/sim" ${DEFINES:-})
    if [ "$simulator" = verilator ]; then
        for override in ${OVERRIDES:-}; do options+=("-G$override"); done
        verilator --binary --timing -O3 -Wno-fatal -Wno-lint -Wno-style --top-module "$bench" -Mdir "$build/verilator" -o bench \
            "${options[@]}" "${files[@]}" > "$build/verilator.log" 2>&1 || { cat "$build/verilator.log"; exit 1; }
        run=("$build/verilator/bench")
    else
        for override in ${OVERRIDES:-}; do options+=("-P$bench.$override"); done
        iverilog -g2005 -s "$bench" -o "$build/bench.vvp" "${options[@]}" "${files[@]}"
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
