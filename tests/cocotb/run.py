"""Runs accelerator.py on folders of `burstc build --board generic-axi4`, with Icarus.

Usage: run.py FOLDER ...      Exit code: 0 if all tests of all folders passed.
"""

import os
import sys
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent


def check(folder):
    """The number of tests that failed on one folder."""
    folder = Path(folder).resolve()
    top = next(folder.glob("rtl/*_top.v")).stem
    work = folder / "sim/build/cocotb"
    runner = get_runner("icarus")
    sources = sorted(folder.glob("rtl/*.v"))
    runner.build(sources=sources, hdl_toplevel=top, build_dir=work, always=True, build_args=["-g2005"],
                 timescale=("1ns", "1ps"))
    os.environ["PYTHONPATH"] = str(HERE)
    results = runner.test(hdl_toplevel=top, test_module="accelerator", build_dir=work, test_dir=work,
                          extra_env={"FOLDER": str(folder), "PYTHONPATH": str(HERE)})
    count, failed = get_results(results)
    print(f"{top}: {count - failed} passed, {failed} failed")
    return failed + (count == 0)


sys.exit(1 if sum(check(folder) for folder in sys.argv[1:]) else 0)
