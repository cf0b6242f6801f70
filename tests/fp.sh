#!/bin/sh
# Compares the floating-point cells of one format with the processor's arithmetic, under Verilator.
# Usage: fp.sh 32|64 LATENCY BLOCK COUNT SEED     COUNT random pairs behind every pair of a table of corner values
#        fp.sh 32|64 LATENCY BLOCK table          prints the table and the results
# LATENCY and BLOCK are those of sim/fp_operators.v; LATENCY 0 is the default of every cell.
# BUILD=FOLDER keeps the compiled bench there, and takes it from there where it is.
set -eu

format=$1 latency=$2 block=$3
shift 3
case $format in
    32) parameters='-GEXPONENT=8 -GSIGNIFICAND=24 -GOTHER_EXPONENT=11 -GOTHER_SIGNIFICAND=53' ;;
    64) parameters='-GEXPONENT=11 -GSIGNIFICAND=53 -GOTHER_EXPONENT=8 -GOTHER_SIGNIFICAND=24' ;;
    *)
        echo "fp.sh: unknown format '$format'; use 32 or 64" >&2
        exit 2
        ;;
esac
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
if [ -n "${BUILD:-}" ] && [ -x "$BUILD/bench" ]; then
    exec "$BUILD/bench" "$@"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# What runs once is not optimised: it is half of the text.
# shellcheck disable=SC2086 # a list of words
if ! verilator --cc --exe --build -O3 -Wall $parameters -GLATENCY="$latency" -GBLOCK="$block" -y "$root/rtl-templates" \
    --top-module fp_operators --Mdir "$work" -MAKEFLAGS "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1" \
    -CFLAGS "-ffp-contract=off -DFORMAT=$format" -o bench \
    "$root/sim/fp_operators.v" "$root/sim/fp_bench.cpp" >"$work/build.log" 2>&1; then
    cat "$work/build.log" >&2
    exit 1
fi
if [ -n "${BUILD:-}" ]; then
    mkdir -p "$BUILD"
    cp "$work/bench" "$BUILD/bench.$$"
    mv "$BUILD/bench.$$" "$BUILD/bench"
fi
"$work/bench" "$@"
