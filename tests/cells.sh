#!/bin/sh
# Checks the cells in rtl-templates: runs their benches (iverilog, verilator) or proves the properties in their tails
# for all inputs by induction, at small widths (yosys).
# Usage: cells.sh [iverilog|verilator|yosys] [cell ...]     default: iverilog, all cells
# Exit code: 0 if every check of every cell passed, 1 if not, 2 for a wrong call.
set -u

tool=${1:-iverilog}
[ $# -gt 0 ] && shift
streams='fifo token_fifo divide_serial memory_arbiter word_unpacker word_packer stream_register'
# Proved, and otherwise exercised by the benches of the bus masters.
parts='burst_splitter beat_unpacker beat_packer beat_room'
# Benches without a proof: memory and counters have no handshake, masters and checkers consist of the others.
wholes='dual_port_ram cycle_counters store_tracker axi4_master avalon_master axi4_checker avalon_checker'

root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Compiles and runs the bench of one cell.
iverilog_cell() {
    iverilog -g2001 -Wall -Wno-timescale -y "$root/rtl-templates" -y "$root/sim" -o "$work/$1.vvp" "$root/sim/tb_$1.v" &&
        vvp -n "$work/$1.vvp"
}

verilator_cell() {
    if ! verilator --binary --timing -Wno-fatal -Wno-lint -Wno-style -Wno-MULTIDRIVEN -y "$root/rtl-templates" \
        -y "$root/sim" --top-module "tb_$1" --Mdir "$work/$1" -CFLAGS -O0 "$root/sim/tb_$1.v" >"$work/$1.build" 2>&1; then
        cat "$work/$1.build"
        return 1
    fi
    "$work/$1/Vtb_$1" +verilator+seed+1
}

# The parameters under which a cell is proved, one set per line.
proof_parameters() {
    case $1 in
        fifo) printf '%s\n' 'WIDTH 3 DEPTH 1' 'WIDTH 3 DEPTH 3' 'WIDTH 3 DEPTH 4' 'WIDTH 2 DEPTH 5' ;;
        token_fifo) printf '%s\n' 'DEPTH 1 INITIAL 0' 'DEPTH 2 INITIAL 2' 'DEPTH 3 INITIAL 1' 'DEPTH 5 INITIAL 0' ;;
        divide_serial) printf '%s\n' 'WIDTH 3 SIGNED 0' 'WIDTH 4 SIGNED 1' ;;
        memory_arbiter) printf '%s\n' 'ADDRESS_WIDTH 4 LENGTH_WIDTH 2 HOLD 1' 'ADDRESS_WIDTH 4 LENGTH_WIDTH 2 HOLD 3' ;;
        word_unpacker | word_packer) printf '%s\n' 'COUNT_WIDTH 1' 'COUNT_WIDTH 4' ;;
        burst_splitter)
            printf 'ADDRESS_WIDTH %s LENGTH_WIDTH 4 BEAT_WIDTH %s BURST_WIDTH %s\n' 6 0 2 7 2 1 10 1 8
            ;;
        beat_unpacker) printf 'BEAT_WIDTH %s LENGTH_WIDTH 3 OFFSET_WIDTH %s\n' 0 1 1 1 2 2 ;;
        beat_packer) printf 'BEAT_WIDTH %s BURST_WIDTH %s LENGTH_WIDTH 3\n' 0 2 1 1 2 2 ;;
        beat_room) printf '%s\n' 'DEPTH 256' 'DEPTH 512' ;;
        stream_register) printf '%s\n' 'WIDTH 1' 'WIDTH 4' ;;
    esac
}

yosys_cell() {
    proved=0
    unproved=0
    proof_parameters "$1" >"$work/parameters"
    while read -r parameters; do
        overrides=$(printf '%s' "$parameters" | sed 's/[A-Z_][A-Z_]* [0-9][0-9]*/-set &/g')
        if (cd "$root/rtl-templates" && yosys -q -p "
            read_verilog -formal $1.v dual_port_ram.v; chparam $overrides $1;
            prep -flatten -top $1; memory_map; opt -full;
            sat -tempinduct -prove-asserts -set-assumes -seq 1 -maxsteps 12 -verify $1" </dev/null) >"$work/proof" 2>&1
        then
            proved=$((proved + 1))
        else
            unproved=$((unproved + 1))
            echo "$1 with $parameters:"
            tail -n 20 "$work/proof"
        fi
    done <"$work/parameters"
    echo "$proved passed, $unproved failed"
}

case $tool in
    iverilog | verilator) cells=${*:-$streams $wholes} ;;
    yosys) cells=${*:-$streams $parts} ;;
    *)
        echo "cells.sh: unknown tool '$tool'; use iverilog, verilator or yosys" >&2
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
