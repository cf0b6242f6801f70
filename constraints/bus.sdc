# Timing of {{top}} for Quartus' timing analyser: {{title}}.

create_clock -name clk -period {{period_ns}} [get_ports clk]
derive_clock_uncertainty

# The reset may come at any time; it is synchronised before it reaches this entity.
set_false_path -from [get_ports rst]

# The buses stay inside the device, so each side of a port gets half of the cycle.
set_input_delay -clock clk {{half_period_ns}} [get_ports {avs_* avm_waitrequest avm_readdata* m_axi* s_axil_*}]
set_output_delay -clock clk {{half_period_ns}} [get_ports {irq avs_readdata* avs_waitrequest avm_* m_axi* s_axil_*}]
