# Packages {{top}} as an IP for the block designs of Vivado: {{title}}.
# vivado -mode batch -source {{kernel}}_ip.tcl          Written for Vivado 2022.1.

set here [file dirname [file normalize [info script]]]
create_project {{kernel}}_ip $here/ip_project -part {{part}} -force
foreach file { {{files}} } {
    add_files -norecurse $here/../rtl/$file
}
set_property top {{top}} [current_fileset]
update_compile_order -fileset sources_1

ipx::package_project -root_dir $here/ip -vendor burstc -library user -taxonomy /UserIP -import_files
set core [ipx::current_core]
set_property name {{kernel}} $core
set_property version 1.0 $core
set_property display_name "{{kernel}} (burstc)" $core

# The AXI interfaces {{masters}} and s_axil are found by the names of their ports.
ipx::infer_bus_interface rst xilinx.com:signal:reset_rtl:1.0 $core
ipx::infer_bus_interface clk xilinx.com:signal:clock_rtl:1.0 $core
ipx::infer_bus_interface irq xilinx.com:signal:interrupt_rtl:1.0 $core
set polarity [ipx::add_bus_parameter POLARITY [ipx::get_bus_interfaces rst -of_objects $core]]
set_property value ACTIVE_HIGH $polarity
foreach interface { {{interfaces}} } {
    ipx::associate_bus_interfaces -busif $interface -clock clk $core
}
ipx::associate_bus_interfaces -clock clk -reset rst $core

ipx::update_checksums $core
ipx::check_integrity $core
ipx::save_core $core
close_project
