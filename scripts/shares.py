#!/usr/bin/env python3
"""What share of the possible the kernels of PolyBench/C 4.2.1 reach: the larger of iterations and words moved, over
cycles; 1 is one iteration or one word of the memory per cycle. Iterations count copies from scalar to scalar, too. The last
columns have the cycles estimated before the run over those of the run, and the lanes.

With --of-board it is the share of what the board would allow whatever the tiles and lanes are, at most 1: the largest of the cycles for
words that must cross once, for the products over the multipliers, for the operators over 80 % of the look-up tables, and for
the longest chain of values.

    shares.py BURSTC POLYBENCH [--type float|double|int] [--size SMALL] [--board BOARD] [--lanes P|auto|chosen [--reassociate]]
              [--of-board] [--keep FOLDER] [KERNEL...]
"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

# Data that keep divisors and roots from what has no value.
DATA = {"cholesky": ["A=1..3"], "correlation": ["float_n=2..1000"], "covariance": ["float_n=2..1000"]}
TYPES = {"float": ["-D", "DATA_TYPE_IS_FLOAT"], "double": ["-D", "DATA_TYPE_IS_DOUBLE"],
         "int": ["-D", "DATA_TYPE_IS_INT", "-D", "SCALAR_VAL(x)=x"]}
# Kernels that leave their arrays where a size is 0: the sizes must be extents.
NEVER_EMPTY = ["correlation"]


def sizes(header, dataset):
    """The macros that the header defines for a dataset: {'tsteps': '40', 'n': '120'}."""
    section = re.search(rf"ifdef {dataset}_DATASET(.*?)endif", header.read_text(), re.S).group(1)
    return {name.lower(): value for name, value in re.findall(r"define (\w+) (\d+)", section)}


def run(burstc, suite, path, arguments):
    """The report of a run, or why there is none."""
    command = [burstc, "run", path, "--simulator", "verilator", "--board", arguments.board]
    command += ["-I", suite / "utilities", "-I", path.parent, "-D", f"{arguments.size}_DATASET", *TYPES[arguments.type]]
    if arguments.lanes != "chosen":
        command += ["--lanes", arguments.lanes, *(["--allow-reassociation"] if arguments.reassociate else [])]
    if path.stem in NEVER_EMPTY:
        command += ["-D", "POLYBENCH_USE_C99_PROTO"]
    for data in DATA.get(path.stem, []):
        command += ["--data", data]
    known = sizes(path.with_suffix(".h"), arguments.size)
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        while True:
            given = [word for name, value in known.items() for word in
                     ("--max", f"{name}={value}", "--set", f"{name}={value}")]
            done = subprocess.run([*command, *given, "--json", report], capture_output=True, text=True)
            if not done.returncode:
                text = report.read_text()
                if arguments.keep:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    (arguments.keep / f"{path.stem}.json").write_text(text)
                return json.loads(text), None
            # heat-3d has an argument that it does not use.
            names = re.search(r"known size parameters: (.*)", done.stderr)
            fewer = {n: v for n, v in known.items() if names and n in re.findall(r"\w+", names.group(1))}
            if not fewer or fewer == known:
                return None, (done.stderr.strip().splitlines() or ["no message"])[-1]
            known = fewer


HEADS = {False: "cycles | iterations | cycles per iteration | words | share | estimate | lanes",
         True: "cycles | once | multipliers | tables | chain | share | bound by | lanes | estimate | waits: rows, values; load, tiles | why no more lanes"}


def of_ideal(report):
    """The larger of iterations and words over cycles, and what a line of the table has."""
    words = (report["ddr"]["bytes_read"] + report["ddr"]["bytes_written"]) / 4
    cycles, iterations = report["cycles"], report["iterations"]
    share = min(max(iterations, words) / cycles, 1)
    lanes = report["tiling"].get("lanes") or {"count": 1}
    return share, [f"{cycles:,}", f"{iterations:,}", f"{cycles / iterations:.3f}", f"{words:,.0f}", f"{share:.2f}",
                   f"{expected(report):.2f}", f"{lanes['count']}"]


def of_board(report):
    """The largest of the board's bounds over cycles, and what a line of the table has."""
    bound, cycles, waits = report["bound"], report["cycles"], report["processes"]
    all_bounds = {"words": bound["once"], "multipliers": bound["multipliers"], "tables": bound["look_up_tables"],
                  "chain": bound["dependences"]}
    by = max(all_bounds, key=all_bounds.get)
    share = min(all_bounds[by] / cycles, 1)
    lanes = report["tiling"].get("lanes") or {"count": 1}
    part = lambda number: f"{number / cycles:.2f}"
    whole = "" if bound["dependences_whole"] else " at least"
    return share, [f"{cycles:,}", *(f"{number:,}" for number in all_bounds.values()), f"{share:.3f}", by + whole,
                   f"{lanes['count']}", f"{expected(report):.2f}",
                   f"{part(waits['compute_idle'])}, {part(waits['compute_stall'])}; "
                   f"{part(waits['load_busy'])}, {part(cycles - waits['load_busy'])}", lanes.get("reason", "")]


def expected(report):
    """The cycles that were estimated over those of the run."""
    return max(report["estimate"]["compute_cycles"], report["estimate"]["memory_cycles"]) / report["cycles"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("burstc")
    parser.add_argument("polybench", type=pathlib.Path)
    parser.add_argument("--lanes", default="1", help="a power of two, auto, or chosen: what burstc takes where nobody asks")
    parser.add_argument("--reassociate", action="store_true", help="lanes may add floating-point numbers in another order")
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--type", choices=TYPES, default="float")
    parser.add_argument("--size", default="SMALL")
    parser.add_argument("--board", default="stratix2-ddr400")
    parser.add_argument("--of-board", action="store_true", help="shares of what the board would allow")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="keeps the report of every run there")
    arguments = parser.parse_args()
    suite = arguments.polybench.resolve()
    headers = [h for h in sorted(suite.rglob("*.h"), key=lambda h: h.stem) if "_DATASET" in h.read_text()]
    paths = [h.with_suffix(".c") for h in headers if h.with_suffix(".c").exists()]
    if arguments.kernels:
        paths = [path for path in paths if path.stem in arguments.kernels]
    shares, estimates, failed = [], [], 0
    head = HEADS[arguments.of_board]
    print(f"| kernel | {head} |\n" + "|---" * (2 + head.count("|")) + "|", flush=True)
    for path in paths:
        report, fault = run(arguments.burstc, suite, path, arguments)
        if fault:
            failed += 1
            print(f"| {path.stem} | not run: {fault} |" + " |" * head.count("|"), flush=True)
            continue
        share, line = of_board(report) if arguments.of_board else of_ideal(report)
        shares.append(share)
        estimates.append(expected(report))
        print(f"| {path.stem} | {' | '.join(line)} |", flush=True)
    if shares:
        mean = math.exp(sum(map(math.log, shares)) / len(shares))
        print(f"\ngeometric mean of {len(shares)} shares: {mean:.3f}")
        near = sum(abs(estimate - 1) <= 0.1 for estimate in estimates)
        print(f"estimates within 10 % of the simulation: {near} of {len(estimates)}")
    return 1 if failed or not shares else 0


if __name__ == "__main__":
    sys.exit(main())
