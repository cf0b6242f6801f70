# Timing of {{top}} for Vivado: {{title}}. Out of context: the buses and the reset stay inside the device.
create_clock -name clk -period {{period_ns}} [get_ports clk]
