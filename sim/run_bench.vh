// The files of a run, named by plusargs, and its end. Included inside of the benches of whole accelerators.

    reg [8*1024:1] file_name, image_name, dump_name;
    integer        registers_file;
    integer        fields;
    integer        max_cycles;
    reg [7:0]      register_index;
    reg [31:0]     register_value;
    reg            timed_out;
    reg [31:0]     status;
    reg [31:0]     counters [1:5];

    task stop(input [8*80:1] reason);
        begin
            $display("ERROR %0s", reason);
            $finish;
            // $finish ends the time step, not the process.
            forever #1000000;
        end
    endtask

    task open_files;
        begin
            if (!$value$plusargs("bytes=%d", image_bytes) || !$value$plusargs("max_cycles=%d", max_cycles))
                stop("needs +bytes=N and +max_cycles=N");
            if (!$value$plusargs("image=%s", image_name))
                stop("needs +image=FILE");
            if (!$value$plusargs("dump=%s", dump_name))
                stop("needs +dump=FILE");
            if (!$value$plusargs("registers=%s", file_name))
                stop("needs +registers=FILE");
            registers_file = $fopen(file_name, "r");
            if (registers_file == 0)
                stop("cannot read the file of register values");
        end
    endtask

`ifdef BURSTC_TIMELINE
`include "timeline.vh"
`endif

`ifdef BURSTC_TRACE
    task trace;
        if ($value$plusargs("vcd=%s", file_name)) begin
            $dumpfile(file_name);
            $dumpvars(1, dut);
            $dumpvars(3, dut.u_accelerator);
        end
    endtask

    // Where a view of the waveform has its marker.
    reg has_begun = 1'b0;

    always @(posedge clk)
        if (!has_begun && dut.u_accelerator.tile_valid === 1'b1 && dut.u_accelerator.tile_ready === 1'b1) begin
            has_begun = 1'b1;
            $display("FIRST TILE %0t", $realtime);
        end
`endif
