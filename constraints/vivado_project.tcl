# A Vivado project of {{top}} alone, out of context, for its size and timing: {{title}}.
# vivado -mode batch -source {{kernel}}_project.tcl     Written for Vivado 2022.1.

set here [file dirname [file normalize [info script]]]
create_project {{kernel}} $here/project -part {{part}} -force
foreach file { {{files}} } {
    add_files -norecurse $here/../rtl/$file
}
add_files -fileset constrs_1 -norecurse $here/../constraints/{{kernel}}.xdc
set_property top {{top}} [current_fileset]
set_property -name {STEPS.SYNTH_DESIGN.ARGS.MORE OPTIONS} -value {-mode out_of_context} -objects [get_runs synth_1]
update_compile_order -fileset sources_1
launch_runs synth_1
wait_on_run synth_1
open_run synth_1
report_utilization -file $here/utilization.txt
report_timing_summary -file $here/timing.txt
