#!/bin/sh
# Whether this tree generates the same Verilog as the commit REV, byte for byte, for every example and test kernel, on
# the native controller and behind a bus: scripts/same_verilog.sh REV [BOARD ...]
# Prints the files that differ; exit code 0 where none does.
set -eu
cd "$(dirname "$0")/.."

if [ $# -lt 1 ]; then
    sed -n '2,4s/^# //p' "$0" >&2
    exit 2
fi
revision=$(git rev-parse --verify --quiet "$1^{commit}") || { echo "$1 is no commit" >&2; exit 2; }
shift
boards=${*:-stratix2-ddr400 generic-axi4}

work=$PWD/target/same_verilog
tree=$work/tree
mkdir -p "$work"
git worktree remove --force "$tree" 2> /dev/null || true
git worktree add --quiet --force --detach "$tree" "$revision"
trap 'git worktree remove --force "$tree"' EXIT
cargo build --release --quiet
CARGO_TARGET_DIR=$work/target cargo build --release --quiet --manifest-path "$tree/Cargo.toml" --config "$tree/.cargo/config.toml"

rm -rf "$work/before" "$work/after"
for board in $boards; do
    for kernel in examples/*.c tests/kernels/*.c; do
        name=$board/$(basename "$kernel" .c)
        # A kernel that one of the two refuses is a difference too: its folder is then missing on one side.
        echo "'$work/target/release/burstc' build $kernel --board $board --out '$work/before/$name' > /dev/null 2>&1 || true"
        echo "target/release/burstc build $kernel --board $board --out '$work/after/$name' > /dev/null 2>&1 || true"
    done
done | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I{} sh -c '{}'

if diff -rq "$work/before" "$work/after" | grep -E '\.vh?( |$)|^Only in|/rtl' ; then
    exit 1
fi
echo "the same Verilog for $(find "$work/after" -name rtl | wc -l) folders"
