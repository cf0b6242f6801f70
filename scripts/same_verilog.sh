#!/bin/sh
# Whether two commits generate the same Verilog, byte for byte, for every example and test kernel of the first, on the native
# controller and behind a bus: scripts/same_verilog.sh REV [REV] [--boards "BOARD ..."] [KERNEL.c ...]
# Without a second REV this tree takes its place, with what is not committed. Prints the files that differ; exit code 0 where
# none does, 1 where some do. What a commit generates is kept in target/same_verilog, so that the next comparison with it
# takes half the time.
set -eu
cd "$(dirname "$0")/.."

usage() {
    sed -n '2,6s/^# //p' "$0" >&2
    exit 2
}
commit() { git rev-parse --verify --quiet "$1^{commit}"; }

[ $# -ge 1 ] || usage
before=$(commit "$1") || { echo "$1 is no commit" >&2; exit 2; }
shift
after=
if [ $# -ge 1 ] && after=$(commit "$1"); then
    shift
fi
boards="stratix2-ddr400 generic-axi4"
if [ "${1:-}" = --boards ]; then
    [ $# -ge 2 ] || usage
    boards=$2
    shift 2
fi
kernels=${*:-$(git ls-tree --name-only "$before" examples/ tests/kernels/ | grep '\.c$')}

work=$PWD/target/same_verilog
mkdir -p "$work"
tree=$work/tree
trap 'git worktree remove --force "$tree" 2> /dev/null || true' EXIT

# Both build in one folder: the second compiles what has changed.
binary() { # commit, or nothing for this tree
    if [ -z "$1" ]; then
        cargo build --release --quiet
        cp target/release/burstc "$work/burstc-tree"
    elif [ ! -x "$work/burstc-$1" ]; then
        git worktree remove --force "$tree" 2> /dev/null || true
        git worktree add --quiet --force --detach "$tree" "$1"
        (cd "$tree" && CARGO_TARGET_DIR=$work/target cargo build --release --quiet)
        cp "$work/target/release/burstc" "$work/burstc-$1.new"
        mv "$work/burstc-$1.new" "$work/burstc-$1"
    fi
}

# The kernels are the first commit's for both: a kernel that one of the two refuses is a difference, too, as its folder is then
# missing on one side.
generate() { # name of the binary, folder
    for board in $boards; do
        for kernel in $kernels; do
            out=$2/$board/$(basename "$kernel" .c)
            [ -d "$out" ] || [ -e "$out.refused" ] || echo "$1 $kernel $board $out"
        done
    done | xargs -P "$(getconf _NPROCESSORS_ONLN)" -L1 sh -c '
        mkdir -p "$(dirname "$3")"
        "$0" build "$1" --board "$2" --out "$3" > /dev/null 2>&1 || : > "$3.refused"'
}

# The boards are those of each commit; the kernels of the first lie in a folder of their own.
rm -rf "$work/kernels"
mkdir -p "$work/kernels"
git archive "$before" examples tests/kernels | tar -x -C "$work/kernels"

binary "$before"
binary "$after"
old=$work/verilog-$before
new=$work/verilog-${after:-tree}
[ -n "$after" ] || rm -rf "$new"
(cd "$work/kernels" && generate "$work/burstc-$before" "$old" && generate "$work/burstc-${after:-tree}" "$new")

compared=0 differing=0
for board in $boards; do
    for kernel in $kernels; do
        name=$board/$(basename "$kernel" .c)
        compared=$((compared + 1))
        if [ -e "$old/$name.refused" ] && [ -e "$new/$name.refused" ]; then
            continue
        elif ! diff -rq "$old/$name/rtl" "$new/$name/rtl"; then
            differing=$((differing + 1))
        fi
    done
done
refused=$(find "$new" -name '*.refused' | wc -l)
echo "$compared designs compared, $differing differ; $refused are refused now"
[ "$differing" = 0 ]
