#!/usr/bin/env python3
"""Area and clock of the accelerators of the examples, without controller and PHY, of the controller alone, and of the
floating-point cells.

Area: Yosys `synth_intel_alm -family cyclonev`, cells of the flat netlist. Clock: Yosys `synth_ecp5` and nextpnr for
ECP5 (85k, speed grade 8), the median and the best of several seeds; the module sits between shift registers, so that
every path counted starts and ends in a register and few pins are used.

    synth.py FOLDER [--seeds N]     FOLDER/<kernel>/rtl/*.v as `burstc build --out FOLDER/<kernel>` writes them
    synth.py --cells [FOLDER]       only the floating-point cells
    synth.py --check [FOLDER]       the same way with a module whose figures are known; --seeds 0 leaves out the clock
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Module, its files relative to FOLDER, and the (ALUTs, registers, DSP) of RR-7648 over its bare system and wanted.
# The paper counts DSP in 9-bit elements. Its controller is the whole bare system.
SUBJECTS = [
    ("dma_accelerator", "dma/rtl", (6646, 8659, 40), (600, 800, 0)),
    ("vecsum_accelerator", "vecsum/rtl", (7226, 9653, 40), (700, 900, 0)),
    ("matmul_accelerator", "matmul/rtl", (20263, 28758, 328), (1200, 1500, 3)),
    ("ddr_controller", "dma/rtl", (4406, 3474, None), (400, 350, 0)),
]
# As the accelerators have it: bursts of at most 4095 words.
PARAMETERS = {"ddr_controller": "chparam -set LENGTH_WIDTH 12 ddr_controller"}
PAPER_CLOCK, WANTED_CLOCK = "146-168", 175

# Name, module, parameters, latency and the ALUTs wanted of a floating-point cell. A product's blocks are 27 bits wide
# in Cyclone V, 18 in ECP5.
FORMATS = {"float": {"EXPONENT": 8, "SIGNIFICAND": 24}, "double": {"EXPONENT": 11, "SIGNIFICAND": 53}}
CELLS = [
    (f"{kind} {name}", module, {**FORMATS[kind], **more}, latency, wanted.get(kind))
    for kind, digits in (("float", 24), ("double", 53))
    for name, module, more, latency, wanted in (
        ("sum", "fp_add", {"LATENCY": 8 if kind == "float" else 9}, 8 if kind == "float" else 9,
         {"float": 500, "double": 1100}),
        ("product", "fp_multiply", {"LATENCY": 9 if kind == "float" else 10}, 9 if kind == "float" else 10,
         {"float": 200, "double": 500}),
        ("quotient", "fp_divide", {}, 8 + digits, {}),
        ("root", "fp_sqrt", {}, 4 + digits, {}),
        ("product by 2", "fp_scale", {"POWER": 1, "LATENCY": 2}, 2, {}),
        ("product by 1/8", "fp_scale", {"POWER": -3, "LATENCY": 2}, 2, {}),
        ("comparison", "fp_compare", {"LATENCY": 1}, 1, {}),
        ("from int32_t", "fp_from_int", {"LATENCY": 4}, 4, {}),
        ("to int32_t", "fp_to_int", {"LATENCY": 3}, 3, {}),
    )
] + [
    ("float to double", "fp_widen", {"LATENCY": 2}, 2, None),
    ("double to float", "fp_narrow", {"LATENCY": 5}, 5, None),
]
BLOCKS = {"cyclonev": 27, "ecp5": 18}


def run(command, log):
    """Runs a command in the folder of `log`, which gets its output; ends the program where it fails."""
    with open(log, "w") as file:
        if subprocess.run(command, cwd=log.parent, stdout=file, stderr=subprocess.STDOUT).returncode != 0:
            sys.exit(f"{command[0]} failed:\n{pathlib.Path(log).read_text()[-2000:]}")


def read_design(folder):
    """Yosys' command that reads a folder of Verilog."""
    return "read_verilog " + " ".join(str(f.resolve()) for f in sorted(folder.glob("*.v")))


def netlist(script, work, name):
    """The JSON netlist that Yosys writes after `script`."""
    path = work / f"{name}.json"
    run(["yosys", "-q", "-p", f"{script}; write_json {path}"], work / f"{name}.log")
    return json.loads(path.read_text())


def integer(parameter):
    """A parameter of a cell: a number, or a string of bits."""
    return parameter if isinstance(parameter, int) else int(parameter, 2)


def area(design, top, work):
    """Cells of the flat Cyclone V netlist. An inverter counts as part of the cell that it feeds."""
    script = f"{design}; {PARAMETERS.get(top, '')}; synth_intel_alm -family cyclonev -top {top}"
    cells = netlist(script, work, f"{top}_cyclonev")["modules"][top]["cells"].values()
    count = lambda prefix: sum(c["type"].startswith(prefix) for c in cells)
    ram = [c["parameters"] for c in cells if c["type"] == "MISTRAL_M10K"]
    return {
        "aluts": count("MISTRAL_ALUT"),
        "registers": count("MISTRAL_FF"),
        "dsp": count("MISTRAL_MUL"),
        "ram": sum(integer(p["CFG_DBITS"]) << integer(p["CFG_ABITS"]) for p in ram),
        "lut_ram": 32 * count("MISTRAL_MLAB"),
    }


def harness(ports, top):
    """`top` between shift registers: inputs shifted in, outputs caught every 64 cycles and shifted out."""
    width = lambda name: len(ports[name]["bits"])
    clock = lambda name: name in ("clk", "rst")
    inputs = [n for n, p in ports.items() if p["direction"] == "input" and not clock(n)]
    outputs = [n for n, p in ports.items() if p["direction"] == "output"]
    connections, lines = [], []
    for group, names in (("in", inputs), ("out", outputs)):
        low = 0
        for name in names:
            connections.append(f".{name}({group}[{low + width(name) - 1}:{low}])")
            low += width(name)
        if group == "in":
            lines.append(f"reg [{low - 1}:0] in; always @(posedge clk) in <= {{in, d}};")
        else:
            lines.append(f"wire [{low - 1}:0] out; reg [{low - 1}:0] caught; reg [5:0] beat;")
            lines.append("always @(posedge clk) begin beat <= beat + 6'd1; caught <= beat == 0 ? out : caught >> 1; end")
    lines += [
        "reg reset; always @(posedge clk) reset <= rst; assign q = caught[0];",
        f"{top} u_top (.clk(clk), {'.rst(reset), ' if 'rst' in ports else ''}{', '.join(connections)});",
    ]
    return "module harness(input clk, input rst, input d, output q);\n" + "\n".join(lines) + "\nendmodule\n"


def clock(design, top, work, nextpnr, seeds):
    """MHz by seed."""
    ports = netlist(f"{design}; hierarchy -top {top}; proc", work, f"{top}_ports")["modules"][top]["ports"]
    wrapper = work / f"{top}_harness.v"
    wrapper.write_text(harness(ports, top))
    script = f"{design}; read_verilog {wrapper}; hierarchy -top harness; synth_ecp5 -top harness"
    netlist(script, work, f"{top}_ecp5")
    found = []
    for seed in range(1, seeds + 1):
        report = work / f"{top}_{seed}_report.json"
        arguments = ["--85k", "--package", "CABGA381", "--speed", "8", "--freq", str(WANTED_CLOCK + 25)]
        # Names relative to the folder: the program sees nothing outside it.
        arguments += ["--seed", str(seed), "--json", f"{top}_ecp5.json", "--report", report.name]
        run([nextpnr, *arguments, "--timing-allow-fail"], work / f"{top}_{seed}_nextpnr.log")
        found.append(max(c["achieved"] for c in json.loads(report.read_text())["fmax"].values()))
        print(f"  {top}: seed {seed}, {found[-1]:.1f} MHz", file=sys.stderr, flush=True)
    return found


def tools():
    """The path of nextpnr, installed where it is missing."""
    script = ROOT / "scripts" / "synth_tools.sh"
    return subprocess.run([str(script)], check=True, capture_output=True, text=True).stdout.strip()


def measure_cells(folder, seeds, only):
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    nextpnr = str((ROOT / tools()).resolve())
    print("| cell | latency | ALUTs / registers / DSP | ALUTs wanted | MHz, median (best) | wanted |\n|" + "---|" * 6)
    files = " ".join(str(ROOT / "rtl-templates" / name) for name in ("fp_*.v", "delay_line.v", "leading_zeros.v"))
    for name, module, parameters, latency, wanted in CELLS:
        if not name.startswith(only):
            continue
        def design(block):
            own = {**parameters, **({"BLOCK": block} if module == "fp_multiply" else {})}
            # Yosys reads negative numbers as bits alone.
            bits = {parameter: f"32'sb{value & 0xffffffff:b}" if value < 0 else value for parameter, value in own.items()}
            sets = " ".join(f"-set {parameter} {value}" for parameter, value in bits.items())
            return f"read_verilog {files}; chparam {sets} {module}"
        a = area(design(BLOCKS["cyclonev"]), module, work)
        mhz = clock(design(BLOCKS["ecp5"]), module, work, nextpnr, seeds)
        cells = (name, str(latency), f"{a['aluts']:,} / {a['registers']:,} / {a['dsp']}", "-" if wanted is None else
                 f"{wanted:,}", f"{statistics.median(mhz):.0f} ({max(mhz):.0f})" if mhz else "-", str(WANTED_CLOCK))
        print("| " + " | ".join(cells) + " |", flush=True)


def measure(folder, seeds):
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    nextpnr = str((ROOT / tools()).resolve())
    rows = []
    for top, files, paper, wanted in SUBJECTS:
        print(f"  {top}: area", file=sys.stderr, flush=True)
        design = read_design(folder / files)
        rows.append((top, area(design, top, work), clock(design, top, work, nextpnr, seeds), paper, wanted))
    show = lambda values: " / ".join("-" if v is None else f"{v:,}" for v in values)
    head = ("module", "ALUTs / registers / DSP", "paper", "wanted", "block RAM bits", "LUT RAM bits",
            "MHz, median (best)", "paper", "wanted")
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for top, a, mhz, paper, wanted in rows:
        of_three = top != "ddr_controller"
        cells = (top, show((a["aluts"], a["registers"], a["dsp"])), show(paper), show(wanted), f"{a['ram']:,}",
                 f"{a['lut_ram']:,}", f"{statistics.median(mhz):.0f} ({max(mhz):.0f})" if mhz else "-",
                 PAPER_CLOCK if of_three else "-", str(WANTED_CLOCK) if of_three else "-")
        print("| " + " | ".join(cells) + " |")


COUNTER = """
module counter(input clk, input rst, input [7:0] step, input [17:0] a, input [17:0] b, output reg [7:0] count,
               output reg [35:0] product, output [31:0] word);
    reg [31:0] memory [0:1023]; reg [31:0] read;
    assign word = read;
    always @(posedge clk) begin
        count <= rst ? 8'd0 : count + step;
        product <= a * b;
        memory[a[9:0]] <= {b, step};
        read <= memory[b[9:0]];
    end
endmodule
"""


def check(work, with_clock):
    """A module whose figures follow from its text: 44 registers outside block RAM, one 18x18 product, 1024 words."""
    work.mkdir(parents=True, exist_ok=True)
    source = work / "counter.v"
    source.write_text(COUNTER)
    found = area(f"read_verilog {source}", "counter", work)
    print(f"counter: {found}")
    assert found["registers"] == 8 + 36, "registers"
    assert 8 <= found["aluts"] <= 10 + 8, "ALUTs: eight bits of a sum, a reset each"
    assert found["dsp"] == 1, "DSP"
    # 26 of the 32 bits are written with something else than zero.
    assert found["ram"] >= 1024 * 26 and found["ram"] % 1024 == 0 and found["lut_ram"] == 0, "RAM"
    ports = {"clk": {"direction": "input", "bits": [1]}, "rst": {"direction": "input", "bits": [2]},
             "a": {"direction": "input", "bits": [3, 4]}, "b": {"direction": "output", "bits": [5, 6, 7]}}
    text = harness(ports, "top")
    assert ".a(in[1:0]), .b(out[2:0])" in text and "reg [1:0] in" in text and "wire [2:0] out" in text, text
    if with_clock:
        # At least a DSP block between two registers.
        mhz = clock(f"read_verilog {source}", "counter", work, str((ROOT / tools()).resolve()), 1)
        assert 100 < mhz[0] < 400, mhz
    print("check passed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "target" / "synth")
    parser.add_argument("--seeds", type=int, default=5, help="placements to try (default 5; 0 leaves out the clock)")
    parser.add_argument("--cells", action="store_true", help="only the floating-point cells")
    parser.add_argument("--only", default="", help="of the cells, those whose name begins so")
    parser.add_argument("--check", action="store_true", help="only check this script")
    arguments = parser.parse_args()
    if arguments.check:
        check(arguments.folder.resolve() / "check", arguments.seeds > 0)
    else:
        if not arguments.cells:
            measure(arguments.folder.resolve(), arguments.seeds)
            print()
        measure_cells(arguments.folder.resolve(), arguments.seeds, arguments.only)


if __name__ == "__main__":
    main()
