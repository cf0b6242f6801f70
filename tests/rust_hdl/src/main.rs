//! Prints the Verilog of a rust-hdl design around `vecsum_top`: what the register bus writes goes through flip-flops. The
//! ports are those of `vecsum_top`.

use rust_hdl::prelude::*;

mod vecsum {
    include!(env!("BURSTC_COMPONENT"));
}

#[derive(Default, LogicBlock)]
struct Registered {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_reg_write: Signal<In, Bit>,
    pub s_reg_address: Signal<In, Bits<8>>,
    pub s_reg_data: Signal<In, Bits<32>>,
    pub phy_read_valid: Signal<In, Bit>,
    pub phy_read_data: Signal<In, Bits<32>>,
    pub m_reg_data: Signal<Out, Bits<32>>,
    pub phy_cke: Signal<Out, Bit>,
    pub phy_command_0: Signal<Out, Bits<3>>,
    pub phy_bank_0: Signal<Out, Bits<2>>,
    pub phy_address_0: Signal<Out, Bits<12>>,
    pub phy_command_1: Signal<Out, Bits<3>>,
    pub phy_bank_1: Signal<Out, Bits<2>>,
    pub phy_address_1: Signal<Out, Bits<12>>,
    pub phy_write_enable: Signal<Out, Bit>,
    pub phy_write_data: Signal<Out, Bits<32>>,
    pub phy_write_mask: Signal<Out, Bits<4>>,
    pub phy_read_enable: Signal<Out, Bit>,
    accelerator: vecsum::Vecsum,
    write: DFF<Bit>,
    address: DFF<Bits<8>>,
    data: DFF<Bits<32>>,
}

impl Logic for Registered {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, write, address, data);
        self.write.d.next = self.s_reg_write.val();
        self.address.d.next = self.s_reg_address.val();
        self.data.d.next = self.s_reg_data.val();

        self.accelerator.clk.next = self.clk.val();
        self.accelerator.rst.next = self.rst.val();
        self.accelerator.s_reg_write.next = self.write.q.val();
        self.accelerator.s_reg_data.next = self.data.q.val();
        self.accelerator.s_reg_address.next = self.s_reg_address.val();
        if self.write.q.val() {
            self.accelerator.s_reg_address.next = self.address.q.val();
        }
        self.accelerator.phy_read_valid.next = self.phy_read_valid.val();
        self.accelerator.phy_read_data.next = self.phy_read_data.val();

        self.m_reg_data.next = self.accelerator.m_reg_data.val();
        self.phy_cke.next = self.accelerator.phy_cke.val();
        self.phy_command_0.next = self.accelerator.phy_command_0.val();
        self.phy_bank_0.next = self.accelerator.phy_bank_0.val();
        self.phy_address_0.next = self.accelerator.phy_address_0.val();
        self.phy_command_1.next = self.accelerator.phy_command_1.val();
        self.phy_bank_1.next = self.accelerator.phy_bank_1.val();
        self.phy_address_1.next = self.accelerator.phy_address_1.val();
        self.phy_write_enable.next = self.accelerator.phy_write_enable.val();
        self.phy_write_data.next = self.accelerator.phy_write_data.val();
        self.phy_write_mask.next = self.accelerator.phy_write_mask.val();
        self.phy_read_enable.next = self.accelerator.phy_read_enable.val();
    }
}

fn main() {
    let mut design = Registered::default();
    design.connect_all();
    println!("{}", generate_verilog(&design));
}
