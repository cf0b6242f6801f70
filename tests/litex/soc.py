"""A SoC of LiteX with a RISC-V core, picorv32, and the accelerator of examples/matmul.c: its Verilog, with a program in ROM.

Usage: soc.py FOLDER PROGRAM MEMORY   FOLDER has drivers/matmul_litex.py, PROGRAM is the ROM's content; soc.v comes into FOLDER/soc.
                                      MEMORY is chip, or sdram for a model of the ULX3S's behind LiteDRAM
       soc.py --address               the address of the register that the program tells its result in
"""

import os
import sys

from litedram.modules import MT48LC16M16
from litedram.phy.model import SDRAMPHYModel
from litex.build.generic_platform import Pins
from litex.build.io import CRG
from litex.build.sim import SimPlatform
from litex.soc.cores.gpio import GPIOOut
from litex.soc.integration.soc_core import SoCCore

REGISTERS = 0x9000_0000
# The place that LiteX gives the CSRs of a SoC with picorv32, and one of its pages of 2 KB.
CSRS = 0x8200_0000
PLACE = 20
TOLD = CSRS + 0x800 * PLACE


class Platform(SimPlatform):
    def __init__(self):
        super().__init__("SIM", [("sys_clk", 0, Pins(1)), ("sys_rst", 0, Pins(1)), ("told", 0, Pins(8))])


def soc(folder, program, memory):
    platform = Platform()
    words = [int.from_bytes(program[at : at + 4], "little") for at in range(0, len(program), 4)]
    core = SoCCore(
        platform, 50e6, cpu_type="picorv32", integrated_rom_size=0x4000, integrated_rom_init=words, integrated_sram_size=0x1000,
        integrated_main_ram_size=0x10000 if memory == "chip" else 0, with_uart=False, with_timer=False, ident="", ident_version=False,
    )
    core.crg = CRG(platform.request("sys_clk"), rst=platform.request("sys_rst"))
    if memory == "sdram":
        chip = MT48LC16M16(50e6, "1:1")
        core.sdrphy = SDRAMPHYModel(chip, data_width=16, clk_freq=50e6)
        core.add_sdram("sdram", phy=core.sdrphy, module=chip)
    core.told = GPIOOut(platform.request("told"))
    core.csr.add("told", n=PLACE)
    sys.path.insert(0, os.path.join(folder, "drivers"))
    from matmul_litex import Matmul

    Matmul(platform).add_to(core, origin=REGISTERS)
    assert core.mem_map["csr"] == CSRS
    return platform, core


if __name__ == "__main__":
    if sys.argv[1] == "--address":
        print(hex(TOLD))
    else:
        folder, path, memory = sys.argv[1:]
        with open(path, "rb") as file:
            content = file.read()
        platform, core = soc(folder, content + bytes(-len(content) % 4), memory)
        os.makedirs(os.path.join(folder, "soc"), exist_ok=True)
        os.chdir(os.path.join(folder, "soc"))
        platform.get_verilog(core, name="soc").write("soc.v")
        with open("sources.f", "w") as file:
            file.writelines(f"{source[0]}\n" for source in platform.sources)
