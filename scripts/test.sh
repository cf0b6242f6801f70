#!/bin/sh
# All tests but those that `make soak` adds; those that are ignored as slow are among them. Two test programs run side by
# side, each with half of the processors: near its end a program has few tests left, often one, and those of the other fill
# the gap. What took longest the last time begins first, and before the first time what usually takes longest. A program's output
# goes to target/tests/, to the terminal its last line, and all of it where a test fails.
#
# Usage: [SKIP="WORD..."] [CARGO=PATH] scripts/test.sh [PROGRAM...]
# PROGRAM is lib, bins, doc or the name of one in tests/; all, where none is named. Tests whose names contain a WORD are left out.
set -eu

cd "$(dirname "$0")/.."
logs=target/tests
# Seconds of what takes longest.
usual="features:700 fuzz:400 lib:280 quick:210 prove:180 pace:160 explore:140 buses:130 registers:130 controller:120 pages:90
floating_point:90 command_line:80 slow:70"
CARGO=${CARGO:-cargo}

# One program.
if [ "${1:-}" = --run ]; then
    program=$2
    case $program in
        lib | bins | doc) target=--$program ;;
        *) target=--test=$program ;;
    esac
    set -- --include-ignored
    for word in ${SKIP:-}; do
        set -- "$@" --skip "$word"
    done
    status=0
    "$CARGO" test --release "$target" -- "$@" > "$logs/$program.new" 2>&1 || status=$?
    mv "$logs/$program.new" "$logs/$program.log"
    if [ "$status" -ne 0 ]; then
        cat "$logs/$program.log"
    fi
    echo "$program: $(grep '^test result' "$logs/$program.log" | tail -n 1)"
    exit "$status"
fi

mkdir -p "$logs"
"$CARGO" test --release --no-run
processors=$(getconf _NPROCESSORS_ONLN)
RUST_TEST_THREADS=$(((processors + 1) / 2))
export CARGO RUST_TEST_THREADS
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046 # names without blanks
    set -- lib bins doc $(printf '%s\n' tests/*.rs tests/*/main.rs | sed 's,/main\.rs$,,; s,^tests/,,; s,\.rs$,,')
fi
for program; do
    seconds=$(printf '%s\n' "$usual" | tr ' ' '\n' | sed -n "s/^$program://p")
    if [ -f "$logs/$program.log" ]; then
        seconds=$(sed -n 's/.*finished in \([0-9]*\).*/\1/p' "$logs/$program.log" | tail -n 1)
    fi
    echo "${seconds:-60} $program"
done | sort -rn | sed 's/.* //' | xargs -n 1 -P 2 scripts/test.sh --run
