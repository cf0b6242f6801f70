// Checks of the memory port between accelerator and native controller, the register bus, and the memory before and after.
// Included inside of the benches of whole accelerators.

    // -- Checks of the accelerator's memory port ----------------------------------------------------------------------

    integer index;
    integer cycle = 0;
    integer port_faults = 0;
    integer image_bytes = 0;
    reg     checking = 1'b0;
    reg     has_moved = 1'b0; // a command, since the last write to the control register

    task port_fault(input [8*32:1] what, input [31:0] word_address);
        begin
            if (port_faults < REPORT_LIMIT)
                $display("PORT %0s at cycle %0d, byte address %h", what, cycle, word_address * 4);
            port_faults = port_faults + 1;
        end
    endtask

    /* verilator lint_off WIDTH */ // the board sets the widths of addresses and lengths
    wire [31:0] cmd_address = dut.u_accelerator.m_cmd_address;
    wire [31:0] cmd_length  = dut.u_accelerator.m_cmd_length;
    /* verilator lint_on WIDTH */
    wire        cmd_valid   = dut.u_accelerator.m_cmd_valid;
    wire        cmd_write   = dut.u_accelerator.m_cmd_write;
    wire        write_valid = dut.u_accelerator.m_write_valid;
    wire [31:0] write_data  = dut.u_accelerator.m_write_data;
    wire [3:0]  strobe      = dut.u_accelerator.m_write_strobe;
    wire [31:0] write_bits  = {{8{strobe[3]}}, {8{strobe[2]}}, {8{strobe[1]}}, {8{strobe[0]}}};

`ifdef BURSTC_TIMELINE
    wire        word_comes  = dut.u_controller.m_read_valid && dut.u_controller.m_read_ready;
    wire        word_goes   = dut.u_controller.s_write_valid && dut.u_controller.s_write_ready;
`endif

    always @(posedge clk)
        if (cmd_valid !== 1'b0)
            has_moved = 1'b1;

    // Four-state simulators find an unknown bit; every simulator finds an access beyond the image.
    always @(posedge clk)
        if (checking) begin
            cycle <= cycle + 1;
            if (^{cmd_valid, write_valid, dut.u_accelerator.s_read_ready, dut.u_accelerator.done} === 1'bx)
                port_fault("unknown valid or ready", 32'd0);
            if (cmd_valid === 1'b1) begin
                if (^{cmd_write, cmd_address, cmd_length} === 1'bx)
                    port_fault("unknown command", cmd_address);
                else if (dut.u_accelerator.m_cmd_ready && cmd_address + cmd_length > image_bytes / 4) begin
                    if (cmd_write)
                        port_fault("write outside the arrays", cmd_address);
                    else
                        port_fault("read outside the arrays", cmd_address);
                end
            end
            if (write_valid === 1'b1 && (^strobe === 1'bx || ^(write_data & write_bits) === 1'bx))
                port_fault("unknown write data", 32'd0);
        end

    // -- Register bus -------------------------------------------------------------------------------------------------

    task write_register(input [7:0] address, input [31:0] data);
        begin
            @(negedge clk);
            s_reg_write = 1'b1;
            s_reg_address = address;
            s_reg_data = data;
            @(negedge clk);
            s_reg_write = 1'b0;
            s_reg_address = CONTROL;
        end
    endtask

    reg [31:0] value;

    task read_register(input [7:0] address);
        begin
            @(negedge clk);
            s_reg_address = address;
            // A counter shows a cycle behind its address.
            @(negedge clk) value = m_reg_data;
            s_reg_address = CONTROL;
        end
    endtask

    // -- The device's banks -------------------------------------------------------------------------------------------

`ifndef BURSTC_DEVICE
    integer    bank_index;
    reg [63:0] hits_before [0:3];
    reg [63:0] misses_before [0:3];

    // At the start of a run.
    task begin_banks;
        for (bank_index = 0; bank_index < 4; bank_index = bank_index + 1) begin
            hits_before[bank_index] = device.bank_hits[bank_index];
            misses_before[bank_index] = device.bank_misses[bank_index];
        end
    endtask

    // At its end: a line `BANK number hits misses` each.
    task end_banks;
        for (bank_index = 0; bank_index < 4; bank_index = bank_index + 1)
            $display("BANK %0d %0d %0d", bank_index, device.bank_hits[bank_index] - hits_before[bank_index],
                device.bank_misses[bank_index] - misses_before[bank_index]);
    endtask

`ifdef BURSTC_TIMELINE
`define BURSTC_BANKS
    reg [63:0] hits_told [0:3];
    reg [63:0] misses_told [0:3];
    reg [63:0] turnarounds_told, refreshes_told;

    task forget_banks;
        begin
            for (bank_index = 0; bank_index < 4; bank_index = bank_index + 1) begin
                hits_told[bank_index] = device.bank_hits[bank_index];
                misses_told[bank_index] = device.bank_misses[bank_index];
                // More than any row, and less.
                device.row_low[bank_index] = ~0;
                device.row_high[bank_index] = 0;
            end
            turnarounds_told = device.turnarounds;
            refreshes_told = device.refreshes;
        end
    endtask

    // Prints what the device did since it was told last: a line `BANKS`, of each bank its hits, its misses, the least and the
    // greatest row that they were in, then turnarounds and refreshes.
    task tell_banks;
        begin
            $write("BANKS");
            for (bank_index = 0; bank_index < 4; bank_index = bank_index + 1)
                $write(" %0d %0d %0d %0d", device.bank_hits[bank_index] - hits_told[bank_index],
                    device.bank_misses[bank_index] - misses_told[bank_index], device.row_low[bank_index], device.row_high[bank_index]);
            $display(" %0d %0d", device.turnarounds - turnarounds_told, device.refreshes - refreshes_told);
            forget_banks;
        end
    endtask
`endif
`endif

    // -- The files of the run -----------------------------------------------------------------------------------------

`include "run_bench.vh"

    // After a write to the control register: waits while busy, and says what the status word is then. An accelerator that
    // does not run leaves memory alone.
    task settle;
        begin
            has_moved = 1'b0;
            index = 0;
            read_register(CONTROL);
            while (value[BUSY] !== 1'b0 && index < max_cycles) begin
                read_register(CONTROL);
                index = index + 1;
            end
            repeat (20) @(negedge clk);
            $display("STATUS %h", value);
            if (has_moved && !value[DONE])
                port_fault("command without a run", 32'd0);
        end
    endtask

    // -- Memory contents ----------------------------------------------------------------------------------------------

    // By the byte addresses of the memory port.
    reg [7:0] memory [0:`MEMORY_BYTES-1];
