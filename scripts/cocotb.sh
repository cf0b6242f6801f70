#!/bin/sh
# Runs accelerators with AXI4 against the memory and master models of cocotbext-axi, which it installs from PyPI into a
# folder of its own (target/cocotb/tools).
# Usage: scripts/cocotb.sh BURSTC      the program that builds the accelerators
set -eu
burstc=$1
cd "$(dirname "$0")/.."
work=target/cocotb

if [ ! -x "$work/tools/bin/python" ]; then
    mkdir -p "$work"
    python3 -m venv "$work/tools"
fi
"$work/tools/bin/pip" install --quiet --disable-pip-version-check cocotb==2.1.0 cocotbext-axi==0.1.28

folders=
for kernel in widths:32 transpose_bytes:64 prefix_sum:32 fir:128; do
    name=${kernel%:*}
    folder=$work/$name
    "$burstc" build "tests/kernels/$name.c" --board generic-axi4 --bus-bits "${kernel#*:}" --out "$folder" --force
    folders="$folders $folder"
done
# shellcheck disable=SC2086 # a list of words
PATH="$PWD/$work/tools/bin:$PATH" COCOTB_LOG_LEVEL=WARNING PYTHONWARNINGS=ignore "$work/tools/bin/python" tests/cocotb/run.py $folders
