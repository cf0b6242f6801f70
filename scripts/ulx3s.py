#!/usr/bin/env python3
"""Clock, area and bitstream of the folders that `burstc build --board ulx3s` wrote, after `make` in their ecp5/.

    ulx3s.py FOLDER ...     a row each
"""

import json
import pathlib
import sys

CELLS = [("LUTs", "TRELLIS_COMB"), ("registers", "TRELLIS_FF"), ("block RAM", "DP16KD"), ("DSP", "MULT18X18D")]

print("| kernel | MHz (wanted) | " + " | ".join(name for name, _ in CELLS) + " | bitstream, bytes |")
print("|---|---|" + "---|" * len(CELLS) + "---|")
for folder in map(pathlib.Path, sys.argv[1:]):
    report = json.loads((folder / "ecp5" / "report.json").read_text())
    (clock,) = [figures for name, figures in report["fmax"].items() if name.endswith("clk")]
    cells = [f"{report['utilization'].get(cell, {'used': 0})['used']:,}" for _, cell in CELLS]
    (bitstream,) = (folder / "ecp5").glob("*.bit")
    print(f"| {folder.name} | {clock['achieved']:.0f} ({clock['constraint']:.0f}) | " + " | ".join(cells)
          + f" | {bitstream.stat().st_size:,} |")
