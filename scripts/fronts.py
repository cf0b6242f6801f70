#!/usr/bin/env python3
"""What `burstc explore` finds of five kernels on three boards, as the table of docs/RESULTS.md.

    fronts.py BURSTC FOLDER [BOARD...] [--limit DESIGNS] [--simulate DESIGNS]

FOLDER keeps the results: what is there is not done again. Every row is of one exploration: its designs, those of them that cannot be made, the
cycles of what `burstc run` does, and the fastest, the balanced and the smallest of the front, with their ALUTs, DSP, block RAMs
and, behind a bus, bits of ports.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOARDS = ["stratix2-ddr400", "ulx3s", "pynq-z2"]
BICG = """#include <stdint.h>

/* Two products with one matrix, bicg of PolyBench/C in 32-bit integers, one nest per product. */
#pragma burstc size(M: 32, max 64) size(N: 32, max 64)
void bicg(int M, int N, int32_t a[N][M], int32_t s[M], int32_t q[N], int32_t p[M], int32_t r[N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            s[j] += r[i] * a[i][j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            q[i] += a[i][j] * p[j];
}
"""
# Sizes of the exploration.
KERNELS = {
    "gemm": {"N": 24, "M": 20, "K": 17},
    "bicg": {"M": 32, "N": 32},
    "syrk": {"N": 20, "K": 15},
    "jacobi_2d": {"N": 14, "T": 3},
    "convolve_layers": {"C": 3, "K": 4, "H": 6, "W": 7},
}


def explored(burstc, folder, kernel, board, arguments):
    """The lines of the file, without the first."""
    source = ROOT / "tests/kernels" / f"{kernel}.c"
    if kernel == "bicg":
        source = folder / "bicg.c"
        source.write_text(BICG)
    out = folder / f"{kernel}-{board}.jsonl"
    command = [burstc, "explore", source, "--board", board, "--quiet", "--out", out]
    command += ["--limit", str(arguments.limit), "--simulate", arguments.simulate]
    for name, value in KERNELS[kernel].items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{kernel} on {board}: {done.stderr}")
    return done.stdout, [json.loads(line) for line in out.read_text().splitlines()[1:]]


def marked(table, mark):
    """The cycles of the design that the terminal's table marks, and its text."""
    lines = table.splitlines()
    place = next(k for k, line in enumerate(lines) if re.match(rf" +\d.* {mark}\b", line))
    return int(lines[place].split()[0]), lines[place].split()


def row(kernel, board, table, lines):
    """A row of the table."""
    passed = {tuple(own["directives"]): own["simulated"]["cycles"] for own in lines
              if own.get("simulated", {}).get("result") == "pass"}
    failed = sum("simulated" in own and own["simulated"]["result"] != "pass" for own in lines)
    estimates = {tuple(own["directives"]): own["estimate"] for own in lines if "estimate" in own}
    usual = passed[()]
    cells = [kernel, board, str(len({tuple(own["directives"]) for own in lines})),
             str(sum("refused" in own for own in lines)), f"{len(passed)}, {failed}", f"{usual:,}"]
    for mark in ("fastest", "balanced", "smallest"):
        cycles, figures = marked(table, mark)
        _, _, _, aluts, dsp, blocks, _, *ports = figures
        ports = f", {ports[0]}" if ports and ports[0].isdigit() else ""
        times = f" ({usual / cycles:.2f}x)" if mark == "fastest" else ""
        cells.append(f"{cycles:,}{times}: {int(aluts):,}, {dsp}, {blocks}{ports}")
    ratios = [estimates[name]["cycles"] / cycles for name, cycles in passed.items()]
    cells.append(f"{min(ratios):.2f} to {max(ratios):.2f}")
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("burstc", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("boards", nargs="*", default=BOARDS)
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--simulate", default="8", help="a number, or all")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    print("| kernel | board | designs | refused | simulated: right, wrong | `run` | fastest | balanced | smallest | estimate |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for board in arguments.boards:
        for kernel in KERNELS:
            table, lines = explored(arguments.burstc.resolve(), folder, kernel, board, arguments)
            print(row(kernel, board, table, lines), flush=True)


main()
