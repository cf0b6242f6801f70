#!/usr/bin/env python3
"""How many of other people's C files are taken as they are: every *.c file with loops under FOLDER, its regions with
`#pragma scop` one by one, or else each function with loops. Counts, by folder, what is accepted, refused (by cause), what
panics, what takes longer than LIMIT; with --run also what is simulated, equal to the C program or not.

    suites.py BURSTC FOLDER [--run] [--board BOARD] [--limit SECONDS] [--redefine NAME=VALUE]... [--options OPTIONS] [--list] [FILE...]

FILE are paths below FOLDER; without them all files. --redefine is for those that define NAME themselves.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

# The first line of a message without what is of the file: names, numbers.
OWN = [(re.compile(r"`[^`]*`"), "`…`"), (re.compile(r"\d[\d,.]*"), "N")]
CHOICE = re.compile(r"--(?:region|function) [\w$]+")


def cause(text):
    """A refusal in words that files have in common."""
    lines = [line for line in text.splitlines() if line.strip().startswith("×")]
    line = (lines or text.strip().splitlines() or ["no message"])[0].strip(" ×")
    for pattern, word in OWN:
        line = pattern.sub(word, line)
    return line[:90]


def burstc(command, limit):
    """The exit code, or None for one that was stopped, and what was printed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout + done.stderr


def outcome(command, limit, is_run):
    """One of accepted, refused, wrong, panic, slow; and why."""
    code, text = burstc(command, limit)
    if code == 0:
        return "accepted", ""
    if code is None:
        return "slow", f"more than {limit} s"
    if code == 2:
        return "refused", cause(text)
    if is_run and code == 1:
        return "wrong", cause(text)
    return "panic", f"exit code {code}: {cause(text)}"


def units(burstc_path, file, options, limit):
    """What there is to choose of a file: options for each of its regions or functions."""
    with tempfile.TemporaryDirectory() as folder:
        code, text = burstc([burstc_path, "build", file, "--out", f"{folder}/out", *options], limit)
    if code == 2 and re.search(r"several (regions|functions|loops)", text):
        found = CHOICE.findall(text)
        return [choice.split() for choice in dict.fromkeys(found)]
    return [[]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("burstc")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--run", action="store_true", help="simulate what is accepted, too")
    parser.add_argument("--board", default="generic-axi4")
    parser.add_argument("--limit", type=int, default=120, help="seconds for each")
    parser.add_argument("--options", default="", help="for all, as in --options=\"--lanes 1 -I common\"")
    parser.add_argument("--redefine", action="append", default=[])
    parser.add_argument("--list", action="store_true", help="a line for each")
    arguments = parser.parse_args()
    files = [arguments.folder / file for file in arguments.files] or sorted(arguments.folder.rglob("*.c"))
    counts, causes = collections.defaultdict(collections.Counter), collections.Counter()
    for file in files:
        text = file.read_text(errors="replace")
        if not re.search(r"\b(for|while|do)\b", text):
            continue
        below = file.relative_to(arguments.folder)
        suite = below.parts[0] if len(below.parts) > 1 else "."
        counts[suite]["files"] += 1
        options = ["--board", arguments.board, "-I", str(file.parent), *arguments.options.split()]
        for new in arguments.redefine:
            if re.search(rf"^\s*#\s*define\s+{re.escape(new.split('=')[0])}\b", text, re.M):
                options += ["--redefine", new]
        for choice in units(arguments.burstc, file, options, arguments.limit):
            with tempfile.TemporaryDirectory() as folder:
                command = [arguments.burstc, "build", file, "--out", f"{folder}/out", *options, *choice]
                result, why = outcome(command, arguments.limit, False)
            ran = ""
            if result == "accepted" and arguments.run:
                own = ["--own-data"] if re.search(r"\bmain\s*\(", text) else []
                command = [arguments.burstc, "run", file, *options, *choice]
                ran, why = outcome([*command, *own], arguments.limit, True)
                counts[suite]["equal" if ran == "accepted" else f"run {ran}"] += 1
            counts[suite][result] += 1
            if why:
                causes[f"{'run ' if ran else ''}{ran or result}: {why}"] += 1
            if arguments.list:
                print(below, *choice, result, ran and f"run: {ran}", why, sep="  ", flush=True)
    columns = ["files", "accepted", "refused", "panic", "slow"]
    if arguments.run:
        columns += ["equal", "run refused", "wrong", "run slow", "run panic"]
    named = {"wrong": "run wrong"}
    print("| suite |", " | ".join(columns), "|")
    print("|---|" + "---|" * len(columns))
    total = collections.Counter()
    for suite, row in sorted(counts.items()):
        total.update(row)
        print(f"| {suite} |", " | ".join(str(row[named.get(column, column)]) for column in columns), "|")
    if len(counts) > 1:
        print("| all |", " | ".join(str(total[named.get(column, column)]) for column in columns), "|")
    print()
    for why, count in causes.most_common():
        print(f"{count:4}  {why}")
    return 1 if total["panic"] or total["run wrong"] or total["run panic"] else 0


if __name__ == "__main__":
    sys.exit(main())
