# {{kernel}} as a component of Platform Designer: {{title}}. Written for Quartus Prime 20.1.

package require -exact qsys 16.1

set_module_property NAME {{kernel}}
set_module_property VERSION 1.0
set_module_property DISPLAY_NAME "{{kernel}} (burstc)"
set_module_property GROUP "Accelerators"
set_module_property EDITABLE false

add_fileset QUARTUS_SYNTH QUARTUS_SYNTH "" ""
set_fileset_property QUARTUS_SYNTH TOP_LEVEL {{top}}
add_fileset SIM_VERILOG SIM_VERILOG "" ""
set_fileset_property SIM_VERILOG TOP_LEVEL {{top}}
foreach fileset {QUARTUS_SYNTH SIM_VERILOG} {
    foreach file { {{files}} } {
        add_fileset_file $file VERILOG PATH ../rtl/$file "" $fileset
    }
}

add_interface clock clock end
add_interface_port clock clk clk Input 1

add_interface reset reset end
set_interface_property reset associatedClock clock
set_interface_property reset synchronousEdges BOTH
add_interface_port reset rst reset Input 1

add_interface control avalon end
set_interface_property control associatedClock clock
set_interface_property control associatedReset reset
set_interface_property control addressUnits WORDS
set_interface_property control readLatency 0
set_interface_property control maximumPendingReadTransactions 0
add_interface_port control avs_address address Input 8
add_interface_port control avs_read read Input 1
add_interface_port control avs_write write Input 1
add_interface_port control avs_writedata writedata Input 32
add_interface_port control avs_byteenable byteenable Input 4
add_interface_port control avs_readdata readdata Output 32
add_interface_port control avs_waitrequest waitrequest Output 1

add_interface irq interrupt end
set_interface_property irq associatedAddressablePoint control
set_interface_property irq associatedClock clock
set_interface_property irq associatedReset reset
add_interface_port irq irq irq Output 1

add_interface memory avalon start
set_interface_property memory associatedClock clock
set_interface_property memory associatedReset reset
set_interface_property memory addressUnits SYMBOLS
set_interface_property memory burstcountUnits WORDS
set_interface_property memory burstOnBurstBoundariesOnly false
set_interface_property memory doStreamReads false
set_interface_property memory doStreamWrites false
add_interface_port memory avm_address address Output {{address_bits}}
add_interface_port memory avm_burstcount burstcount Output {{burstcount_bits}}
add_interface_port memory avm_read read Output 1
add_interface_port memory avm_write write Output 1
add_interface_port memory avm_writedata writedata Output {{data_bits}}
add_interface_port memory avm_byteenable byteenable Output {{lanes}}
add_interface_port memory avm_waitrequest waitrequest Input 1
add_interface_port memory avm_readdata readdata Input {{data_bits}}
add_interface_port memory avm_readdatavalid readdatavalid Input 1
