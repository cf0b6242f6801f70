# Timing of {{top}} for Quartus' TimeQuest: {{title}}.

# One clock for the accelerator and the memory controller; the memory itself runs at twice its rate behind the PHY.
create_clock -name clk -period {{period_ns}} [get_ports clk]
derive_clock_uncertainty

# The reset may come at any time; it is synchronised before it reaches this entity.
set_false_path -from [get_ports rst]

# The register bus and the PHY side stay inside the device, so each side of a port gets half of the cycle.
set_input_delay -clock clk {{half_period_ns}} [get_ports {s_reg_* phy_read_*}]
set_output_delay -clock clk {{half_period_ns}} [get_ports {m_reg_* phy_cke phy_command_* phy_bank_* phy_address_* phy_write_* phy_read_enable}]
