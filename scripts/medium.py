#!/usr/bin/env python3
"""What kernels of PolyBench/C 4.2.1 take on chip and move over the pins, without running them: whether the buffers fit the block
RAM, words of buffers with their copies, bytes moved by the sets of the tiles, and seconds of processor time of the analysis.
With a second burstc, geometric means of words and of bytes over it; of bytes, over the kernels whose tiles it has in several
strips.

    medium.py [--before BURSTC] BURSTC POLYBENCH [--type float|double] [--size MEDIUM] [--board BOARD] [--lanes 1] [KERNEL...]
"""

import argparse
import json
import math
import pathlib
import re
import resource
import subprocess
import sys

from shares import NEVER_EMPTY, TYPES, sizes


def analyze(burstc, suite, path, arguments, known, more):
    command = [burstc, "analyze", path, "--board", arguments.board, "-I", suite / "utilities", "-I", path.parent]
    command += ["-D", f"{arguments.size}_DATASET", *TYPES[arguments.type], *more]
    if arguments.lanes:
        command += ["--lanes", arguments.lanes]
    if path.stem in NEVER_EMPTY:
        command += ["-D", "POLYBENCH_USE_C99_PROTO"]
    command += [word for name, value in known.items() for word in ("--max", f"{name}={value}")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def has_several_strips(offload, known):
    """Whether the tiles of some band have several values in the dimensions that strips do not run along."""
    def value(affine, names):
        return affine["constant"] + sum(c * names[name] for name, c in affine["terms"].items())

    def points(levels, names):
        if not levels:
            yield ()
            return
        first, *rest = levels
        low = max(-(-value(b["numerator"], names) // b["divisor"]) for b in first["lower"])
        high = min(value(b["numerator"], names) // b["divisor"] for b in first["upper"])
        for own in range(low, high + 1):
            for others in points(rest, {**names, first["name"]: own}):
                yield (own, *others)

    for piece in offload["tiles"]["pieces"]:
        leaf = piece["leaf"]
        band = offload["bands"][leaf if isinstance(leaf, int) else list(leaf.values())[0]]
        levels = piece["levels"]
        strip = band["tiling"].get("strip", 1)
        seen = set()
        for point in points(levels[:max(len(levels) - strip, 0)], {n: int(v) for n, v in known.items()}):
            seen.add(point)
            if len(seen) > 1:
                return True
    return False


def measure(burstc, suite, path, arguments):
    """Words on chip, bytes, seconds and whether there are several strips; or why there are none."""
    known = sizes(path.with_suffix(".h"), arguments.size)
    done, seconds = analyze(burstc, suite, path, arguments, known, ["--json"])
    if "has no size parameter" in done.stderr:
        # heat-3d has an argument that it does not use.
        names = re.search(r"known size parameters: (.*)", done.stderr)
        known = {n: v for n, v in known.items() if n in re.findall(r"\w+", names.group(1))}
        done, seconds = analyze(burstc, suite, path, arguments, known, ["--json"])
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[0]
    offload = json.loads(done.stdout)
    text = analyze(burstc, suite, path, arguments, known, [])[0].stdout
    buffers = re.findall(r"\((\d+) words(?:, (\d+) copies)?; before rounding", text)
    words = sum(int(own) * int(copies or 1) for own, copies in buffers)
    # A cycle of the memory is a word of 4 bytes on boards without a wider bus.
    moved = re.search(r"cycles to compute, (\d+) for the memory", text)
    bytes_moved = 4 * int(moved.group(1)) if moved else None
    return (words, bytes_moved, seconds, has_several_strips(offload, known)), None


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("burstc")
    parser.add_argument("polybench", type=pathlib.Path)
    parser.add_argument("--before", help="another burstc, to compare with")
    parser.add_argument("--type", choices=TYPES, default="float")
    parser.add_argument("--size", default="MEDIUM")
    parser.add_argument("--board", default="stratix2-ddr400")
    parser.add_argument("--lanes", default="", help="as burstc takes it; nothing is what it chooses")
    parser.add_argument("kernels", nargs="*")
    arguments = parser.parse_args()
    suite = arguments.polybench.resolve()
    headers = [h for h in sorted(suite.rglob("*.h"), key=lambda h: h.stem) if "_DATASET" in h.read_text()]
    paths = [h.with_suffix(".c") for h in headers if h.with_suffix(".c").exists()]
    paths = [path for path in paths if not arguments.kernels or path.stem in arguments.kernels]
    words, moved, fit, slowest = [], [], 0, []
    print("| kernel | words | bytes | seconds | words before | bytes before |\n|---|---|---|---|---|---|")
    for path in paths:
        own, fault = measure(arguments.burstc, suite, path, arguments)
        other, _ = measure(arguments.before, suite, path, arguments) if arguments.before else (None, None)
        shown = [f"{own[0]:,}", f"{own[1]:,}" if own[1] else "", f"{own[2]:.2f}"] if own else [fault, "", ""]
        shown += [f"{other[0]:,}", f"{other[1]:,}" if other[1] else ""] if other else ["", ""]
        print(f"| {path.stem} | {' | '.join(shown)} |", flush=True)
        if own:
            fit += 1
            slowest.append((own[2], path.stem))
        if own and other:
            words.append(own[0] / other[0])
            if other[3] and own[1] and other[1]:
                moved.append(own[1] / other[1])
    print(f"\n{fit} of {len(paths)} fit {arguments.board}; slowest: "
          + ", ".join(f"{name} {seconds:.2f} s" for seconds, name in sorted(slowest, reverse=True)[:5]))
    if words:
        print(f"words, geometric mean of {len(words)} over those before: {mean(words):.3f}")
    if moved:
        print(f"bytes, the same of {len(moved)} in several strips: {mean(moved):.3f}")
    return 0 if fit == len(paths) else 1


if __name__ == "__main__":
    sys.exit(main())
