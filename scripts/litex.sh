#!/bin/sh
# Runs the accelerator of examples/matmul.c in a SoC of LiteX, in simulation: the RISC-V core picorv32 executes the C driver, and
# compares the result with the kernel itself. Installs LiteX and the core from PyPI into a folder of its own
# (target/litex/tools); the compiler is Debian's.
# Usage: scripts/litex.sh BURSTC      the program that builds the accelerator
set -eu
burstc=$1
cd "$(dirname "$0")/.."
scripts/bootstrap.sh gcc-riscv64-unknown-elf:riscv64-unknown-elf-gcc
work=target/litex

if [ ! -x "$work/tools/bin/python" ]; then
    mkdir -p "$work"
    python3 -m venv "$work/tools"
fi
python=$work/tools/bin/python
"$python" -m pip install --quiet --disable-pip-version-check litex==2024.12 litedram==2024.12 migen==0.10.0 \
    pythondata-cpu-picorv32==1.0.post218

for soc in 32:chip 64:chip 32:sdram; do
    bits=${soc%:*}
    memory=${soc#*:}
    folder=$work/matmul_${bits}_$memory
    "$burstc" build examples/matmul.c --board generic-axi4 --bus-bits "$bits" --out "$folder" --force --quiet
    rm -rf "$folder/soc"
    mkdir -p "$folder/soc"
    riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -O1 -ffreestanding -nostdlib -Wno-unknown-pragmas -I"$folder" \
        -DTOLD="$("$python" tests/litex/soc.py --address)" -Wl,--build-id=none \
        tests/litex/program.c examples/matmul.c -o "$folder/soc/program" -Wl,-T,tests/litex/program.ld
    riscv64-unknown-elf-objcopy -O binary "$folder/soc/program" "$folder/soc/program.bin"
    "$python" tests/litex/soc.py "$folder" "$folder/soc/program.bin" "$memory" > "$folder/soc/litex.log" 2>&1 \
        || { cat "$folder/soc/litex.log"; exit 1; }
    bench=$PWD/tests/litex/bench.v
    (cd "$folder/soc" && verilator --binary --timing -O3 -Wno-fatal -Wno-lint -Wno-MULTIDRIVEN --top-module bench -Mdir simulated \
        "$bench" soc.v -f sources.f > verilator.log 2>&1 || { cat verilator.log; exit 1; })
    told=$(cd "$folder/soc" && simulated/Vbench | sed -n 's/^TOLD //p')
    echo "matmul behind a bus of $bits bits, memory $memory: told $told"
    [ "$told" = A ]
done
