#!/bin/sh
# Runs the bench of the DDR SDRAM model. Prints the bench's last line, and all of its output when it fails.
# Usage: ddr_sdram.sh [iverilog|verilator]     default: iverilog
# Exit code: 0 if every check passed, 1 if not, 2 for a wrong call.
set -eu

simulator=${1:-iverilog}
sim=$(cd "$(dirname "$0")/../sim" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

case $simulator in
    iverilog)
        iverilog -g2005 -Wall -o bench "$sim/ddr_sdram.v" "$sim/tb_ddr_sdram.v"
        run="vvp -n bench"
        ;;
    verilator)
        verilator --binary --timing -Wall -Wno-DECLFILENAME --top-module tb_ddr_sdram --Mdir "$work" -o bench \
            "$sim/ddr_sdram.v" "$sim/tb_ddr_sdram.v" > build.log 2>&1 || { cat build.log; exit 1; }
        run=./bench
        ;;
    *)
        echo "usage: $0 [iverilog|verilator]" >&2
        exit 2
        ;;
esac

$run > output.log 2>&1 || { cat output.log; exit 1; }
if grep -q '^[0-9][0-9]* passed, 0 failed$' output.log; then
    grep ' passed, ' output.log
else
    cat output.log
    exit 1
fi
