#!/bin/sh
# Runs the benches of the cells in rtl-templates. Their properties are proved by tests/prove.
# Usage: cells.sh [iverilog|verilator] [cell ...]     default: iverilog, all cells
# Exit code: 0 if every check of every cell passed, 1 if not, 2 for a wrong call.
set -u

tool=${1:-iverilog}
[ $# -gt 0 ] && shift
streams='fifo token_fifo divide_serial divide_pipelined memory_arbiter word_unpacker word_packer row_packer stream_register'
# The parts of the bus masters that have no bench of their own are exercised by the masters'.
wholes='dual_port_ram cycle_counters store_tracker axi4_master avalon_master axi4_checker avalon_checker'

root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Compiles and runs the bench of one cell.
iverilog_cell() {
    iverilog -g2001 -Wall -Wno-timescale -y "$root/rtl-templates" -y "$root/sim" -I "$root/sim" -o "$work/$1.vvp" "$root/sim/tb_$1.v" &&
        vvp -n "$work/$1.vvp"
}

verilator_cell() {
    if ! verilator --binary --timing -Wno-fatal -Wno-lint -Wno-style -Wno-MULTIDRIVEN -y "$root/rtl-templates" \
        -y "$root/sim" "-I$root/sim" --top-module "tb_$1" --Mdir "$work/$1" -CFLAGS -O0 "$root/sim/tb_$1.v" >"$work/$1.build" 2>&1; then
        cat "$work/$1.build"
        return 1
    fi
    "$work/$1/Vtb_$1" +verilator+seed+1
}

case $tool in
    iverilog | verilator) cells=${*:-$streams $wholes} ;;
    *)
        echo "cells.sh: unknown tool '$tool'; use iverilog or verilator" >&2
        exit 2
        ;;
esac

status=0
for cell in $cells; do
    output=$("${tool}_cell" "$cell" 2>&1)
    code=$?
    result=$(printf '%s\n' "$output" | sed -n 's/^\([0-9]* passed, [0-9]* failed\)$/\1/p' | tail -n 1)
    checks=${result%% *}
    verdict=FAIL
    if [ $code -eq 0 ] && [ "${checks:-0}" -gt 0 ] && [ "${result#*, }" = '0 failed' ]; then
        verdict=ok
    fi
    printf '%-4s %-16s %s\n' "$verdict" "$cell" "${result:-no result}"
    if [ $verdict = FAIL ]; then
        printf '%s\n' "$output" | tail -n 20 | sed 's/^/    /'
        status=1
    fi
done
exit $status
