// Bench of a whole accelerator: registers, controller, PHY and device, on data from files.
//
// Macros      TOP            the module under test, <kernel>_top or <kernel>_direct_top
//             BURSTC_DEVICE  another model of the memory in place of ddr_sdram: a module with the pins of ddr_sdram (wrap
//                            a maker's model that calls them otherwise). It needs no `memory` and no counters: a second
//                            controller fills it before the run and reads it after, and counts are left out.
//             MEMORY_BYTES   of the largest image, at most 16 MB, as much as the device has
//             DDR_PERIOD_PS  period of the memory's clock
//             DDR_DEVICE, DDR_CONTROLLER  parameters of ddr_sdram and of ddr_controller for the board's memory
//             BURSTC_TRACE   compiles the dump in
// Plusargs    +image=FILE    memory before, hex bytes from address 0 ($readmemh)
//             +bytes=N       bytes of that image, a multiple of 4
//             +dump=FILE     memory after, the same bytes
//             +registers=FILE  writes to the register bus before the start: lines of index and value, both hex; after
//                            a write to the control register, the bench waits while the accelerator is busy
//             +max_cycles=N  give up so many cycles after the start
//             +vcd=FILE      dump signals from the start on (with BURSTC_TRACE)
//
// Prints one line `RESULT name=value ...` at the end: counts are from start to done. Lines `VIOLATION rule ...` come from
// the device, lines `PORT ...` from the checks of the accelerator's memory port here.
`default_nettype none
`timescale 1ns / 1ps

`ifdef BURSTC_DEVICE
`define DEVICE `BURSTC_DEVICE
`else
`define DEVICE ddr_sdram
`endif
`ifndef MEMORY_BYTES
`define MEMORY_BYTES 16777216
`endif
`ifndef DDR_PERIOD_PS
`define DDR_PERIOD_PS 5000
`endif
`ifndef DDR_DEVICE
`define DDR_DEVICE .ROWS(4096)
`endif
`ifndef DDR_CONTROLLER
`define DDR_CONTROLLER .CAS_LATENCY(3)
`endif

module tb_accelerator;

    localparam integer INIT_CYCLES = 30000;
    localparam integer REPORT_LIMIT = 20;

    localparam [7:0] CONTROL = 8'd0;
    localparam integer BUSY = 0, DONE = 1, READY = 2;

    reg clk = 1'b0;
    reg clk2x = 1'b0;
    reg rst = 1'b1;

    initial
        forever begin
            #(`DDR_PERIOD_PS / 2000.0) clk2x = 1'b1;
            clk = !clk;
            #(`DDR_PERIOD_PS / 2000.0) clk2x = 1'b0;
        end

    /* verilator lint_off BLKSEQ */ // statements of a bench happen in their order

    // -- The accelerator, its PHY and the device ----------------------------------------------------------------------

    reg         s_reg_write = 1'b0;
    reg  [7:0]  s_reg_address = CONTROL;
    reg  [31:0] s_reg_data = 32'd0;
    wire [31:0] m_reg_data;

    wire        phy_cke;
    wire [2:0]  phy_command_0, phy_command_1;
    wire [1:0]  phy_bank_0, phy_bank_1;
    wire [11:0] phy_address_0, phy_address_1;
    wire        phy_write_enable;
    wire [31:0] phy_write_data;
    wire [3:0]  phy_write_mask;
    wire        phy_read_enable;
    wire        phy_read_valid;
    wire [31:0] phy_read_data;

    wire        ddr_ck, ddr_ck_n, ddr_cke, ddr_cs_n, ddr_ras_n, ddr_cas_n, ddr_we_n, ddr_dm, ddr_dqs;
    wire [1:0]  ddr_ba;
    wire [11:0] ddr_a;
    wire [7:0]  ddr_dq;

    `TOP dut (
        .clk              (clk),
        .rst              (rst),
        .s_reg_write      (s_reg_write),
        .s_reg_address    (s_reg_address),
        .s_reg_data       (s_reg_data),
        .m_reg_data       (m_reg_data),
        .phy_cke          (phy_cke),
        .phy_command_0    (phy_command_0),
        .phy_bank_0       (phy_bank_0),
        .phy_address_0    (phy_address_0),
        .phy_command_1    (phy_command_1),
        .phy_bank_1       (phy_bank_1),
        .phy_address_1    (phy_address_1),
        .phy_write_enable (phy_write_enable),
        .phy_write_data   (phy_write_data),
        .phy_write_mask   (phy_write_mask),
        .phy_read_enable  (phy_read_enable),
        .phy_read_valid   (phy_read_valid),
        .phy_read_data    (phy_read_data)
    );

    // What drives the PHY.
    wire        phy_rst;
    wire        pin_cke;
    wire [2:0]  pin_command_0, pin_command_1;
    wire [1:0]  pin_bank_0, pin_bank_1;
    wire [11:0] pin_address_0, pin_address_1;
    wire        pin_write_enable;
    wire [31:0] pin_write_data;
    wire [3:0]  pin_write_mask;
    wire        pin_read_enable;

    wire [71:0] from_dut = {phy_command_0, phy_bank_0, phy_address_0, phy_command_1, phy_bank_1, phy_address_1,
                            phy_write_enable, phy_write_data, phy_write_mask, phy_read_enable};

    ddr_phy_behavioural #(
        .QUARTER (`DDR_PERIOD_PS / 4000.0)
    ) phy (
        .clk              (clk),
        .clk2x            (clk2x),
        .rst              (phy_rst),
        .phy_cke          (pin_cke),
        .phy_command_0    (pin_command_0),
        .phy_bank_0       (pin_bank_0),
        .phy_address_0    (pin_address_0),
        .phy_command_1    (pin_command_1),
        .phy_bank_1       (pin_bank_1),
        .phy_address_1    (pin_address_1),
        .phy_write_enable (pin_write_enable),
        .phy_write_data   (pin_write_data),
        .phy_write_mask   (pin_write_mask),
        .phy_read_enable  (pin_read_enable),
        .phy_read_valid   (phy_read_valid),
        .phy_read_data    (phy_read_data),
        .ddr_ck           (ddr_ck),
        .ddr_ck_n         (ddr_ck_n),
        .ddr_cke          (ddr_cke),
        .ddr_cs_n         (ddr_cs_n),
        .ddr_ras_n        (ddr_ras_n),
        .ddr_cas_n        (ddr_cas_n),
        .ddr_we_n         (ddr_we_n),
        .ddr_ba           (ddr_ba),
        .ddr_a            (ddr_a),
        .ddr_dm           (ddr_dm),
        .ddr_dq           (ddr_dq),
        .ddr_dqs          (ddr_dqs)
    );

`ifdef BURSTC_DEVICE
    `DEVICE device (
`else
    `DEVICE #(
        `DDR_DEVICE
    ) device (
`endif
        .ddr_ck    (ddr_ck),
        .ddr_ck_n  (ddr_ck_n),
        .ddr_cke   (ddr_cke),
        .ddr_cs_n  (ddr_cs_n),
        .ddr_ras_n (ddr_ras_n),
        .ddr_cas_n (ddr_cas_n),
        .ddr_we_n  (ddr_we_n),
        .ddr_ba    (ddr_ba),
        .ddr_a     (ddr_a),
        .ddr_dm    (ddr_dm),
        .ddr_dq    (ddr_dq),
        .ddr_dqs   (ddr_dqs)
    );

`include "native_bench.vh"

    // Where the controller puts a byte in the device: {row, bank, column} with the banks permuted.
    function [23:0] device_address(input [23:0] address);
        reg [1:0] bank;
        begin
            bank = address[11:10] + address[13:12] + address[15:14];
            device_address = {address[23:12], bank, address[9:0]};
        end
    endfunction

    // -- A second controller, for a device without `memory` -----------------------------------------------------------

`ifdef BURSTC_DEVICE
    // Cycles from a controller's reset to the moment it takes over, shortly before it initialises the device anew, which
    // is 200 us after the reset.
    localparam integer HANDOVER_CYCLES = 100000000 / `DDR_PERIOD_PS - 100;

    reg         filler_rst = 1'b1;
    reg         filler_drives = 1'b1;
    reg         cke_seen = 1'b0;
    reg         filler_cmd_valid = 1'b0;
    reg         filler_cmd_write = 1'b1;
    reg  [21:0] filler_address = 22'd0;
    reg         filler_write_valid = 1'b0;
    reg  [31:0] filler_data = 32'd0;
    wire        filler_ready, filler_idle, filler_cmd_ready, filler_write_ready, filler_read_valid;
    wire [31:0] filler_read_data;
    wire        filler_cke;
    wire [71:0] from_filler;

    ddr_controller #(
        `DDR_CONTROLLER
    ) filler (
        .clk              (clk),
        .rst              (filler_rst),
        .ready            (filler_ready),
        .idle             (filler_idle),
        .s_cmd_valid      (filler_cmd_valid),
        .s_cmd_ready      (filler_cmd_ready),
        .s_cmd_write      (filler_cmd_write),
        .s_cmd_address    (filler_address),
        .s_cmd_length     (16'd1),
        .s_write_valid    (filler_write_valid),
        .s_write_ready    (filler_write_ready),
        .s_write_data     (filler_data),
        .s_write_strobe   (4'b1111),
        .m_read_valid     (filler_read_valid),
        .m_read_ready     (1'b1),
        .m_read_data      (filler_read_data),
        .phy_cke          (filler_cke),
        .phy_command_0    (from_filler[71:69]),
        .phy_bank_0       (from_filler[68:67]),
        .phy_address_0    (from_filler[66:55]),
        .phy_command_1    (from_filler[54:52]),
        .phy_bank_1       (from_filler[51:50]),
        .phy_address_1    (from_filler[49:38]),
        .phy_write_enable (from_filler[37]),
        .phy_write_data   (from_filler[36:5]),
        .phy_write_mask   (from_filler[4:1]),
        .phy_read_enable  (from_filler[0]),
        .phy_read_valid   (phy_read_valid),
        .phy_read_data    (phy_read_data)
    );

    assign phy_rst = rst && filler_rst;
    assign pin_cke = cke_seen || (filler_drives ? filler_cke : phy_cke);
    assign {pin_command_0, pin_bank_0, pin_address_0, pin_command_1, pin_bank_1, pin_address_1,
            pin_write_enable, pin_write_data, pin_write_mask, pin_read_enable} = filler_drives ? from_filler : from_dut;

    always @(posedge clk)
        cke_seen <= cke_seen || (pin_cke && filler_ready);

    // Until then the other controller goes on refreshing.
    task hand_over(input to_filler);
        begin
            repeat (HANDOVER_CYCLES) @(negedge clk);
            filler_drives = to_filler;
        end
    endtask

    task filler_command(input write, input [21:0] address);
        begin
            @(negedge clk);
            filler_cmd_valid = 1'b1;
            filler_cmd_write = write;
            filler_address = address;
            @(posedge clk);
            while (!filler_cmd_ready) @(posedge clk);
            @(negedge clk);
            filler_cmd_valid = 1'b0;
        end
    endtask

    task fill_memory;
        begin
            filler_rst = 1'b0;
            while (!filler_ready) @(negedge clk);
            for (index = 0; index < image_bytes; index = index + 4) begin
                filler_command(1'b1, index[23:2]);
                filler_write_valid = 1'b1;
                filler_data = {memory[index + 3], memory[index + 2], memory[index + 1], memory[index]};
                @(posedge clk);
                while (!filler_write_ready) @(posedge clk);
                @(negedge clk);
                filler_write_valid = 1'b0;
            end
            while (!filler_idle) @(negedge clk);
            rst = 1'b0;
            hand_over(1'b0);
        end
    endtask

    task read_memory;
        begin
            filler_rst = 1'b1;
            repeat (10) @(negedge clk);
            filler_rst = 1'b0;
            hand_over(1'b1);
            rst = 1'b1;
            while (!filler_ready) @(negedge clk);
            for (index = 0; index < image_bytes; index = index + 4) begin
                filler_command(1'b0, index[23:2]);
                while (!filler_read_valid) @(negedge clk);
                {memory[index + 3], memory[index + 2], memory[index + 1], memory[index]} = filler_read_data;
            end
        end
    endtask
`else
    // Bytes that follow each other in the device, too. Four at a time: simulators that interpret take less time for them.
    localparam integer CHUNK = 1024;
    integer offset, place, chunk;

    task fill_memory;
        for (index = 0; index < image_bytes; index = index + CHUNK) begin
            place = {8'd0, device_address(index[23:0])};
            chunk = image_bytes - index < CHUNK ? image_bytes - index : CHUNK;
            for (offset = 0; offset < chunk; offset = offset + 4) begin
                device.memory[place + offset] = memory[index + offset];
                device.memory[place + offset + 1] = memory[index + offset + 1];
                device.memory[place + offset + 2] = memory[index + offset + 2];
                device.memory[place + offset + 3] = memory[index + offset + 3];
            end
        end
    endtask

    task read_memory;
        for (index = 0; index < image_bytes; index = index + CHUNK) begin
            place = {8'd0, device_address(index[23:0])};
            chunk = image_bytes - index < CHUNK ? image_bytes - index : CHUNK;
            for (offset = 0; offset < chunk; offset = offset + 4) begin
                memory[index + offset] = device.memory[place + offset];
                memory[index + offset + 1] = device.memory[place + offset + 1];
                memory[index + offset + 2] = device.memory[place + offset + 2];
                memory[index + offset + 3] = device.memory[place + offset + 3];
            end
        end
    endtask

    assign phy_rst = rst;
    assign pin_cke = phy_cke;
    assign {pin_command_0, pin_bank_0, pin_address_0, pin_command_1, pin_bank_1, pin_address_1,
            pin_write_enable, pin_write_data, pin_write_mask, pin_read_enable} = from_dut;
`endif

    // -- The run ------------------------------------------------------------------------------------------------------

`ifndef BURSTC_DEVICE
    reg [63:0] row_hits, row_misses, turnarounds, refreshes, reads, writes;

    task snapshot;
        begin
            row_hits    = device.row_hits - row_hits;
            row_misses  = device.row_misses - row_misses;
            turnarounds = device.turnarounds - turnarounds;
            refreshes   = device.refreshes - refreshes;
            reads       = device.reads - reads;
            writes      = device.writes - writes;
        end
    endtask
`endif

    initial begin
        open_files;
        $readmemh(image_name, memory, 0, image_bytes - 1);

        repeat (10) @(negedge clk);
        fill_memory;
        rst = 1'b0;
        index = 0;
        read_register(CONTROL);
        while (!value[READY] && index < INIT_CYCLES) begin
            read_register(CONTROL);
            index = index + 1;
        end
        if (!value[READY])
            stop("the memory did not become ready");

        fields = $fscanf(registers_file, "%h %h\n", register_index, register_value);
        while (fields == 2) begin
            write_register(register_index, register_value);
            if (register_index == CONTROL)
                settle;
            fields = $fscanf(registers_file, "%h %h\n", register_index, register_value);
        end
        $fclose(registers_file);

`ifdef BURSTC_TRACE
        trace;
`endif
`ifndef BURSTC_DEVICE
        {row_hits, row_misses, turnarounds, refreshes, reads, writes} = 0;
        snapshot;
        begin_banks;
`ifdef BURSTC_TIMELINE
        forget_banks;
`endif
`endif
        checking = 1'b1;
        write_register(CONTROL, 32'd1);
        read_register(CONTROL);
        timed_out = 1'b0;
        while (value[BUSY] !== 1'b0 && !timed_out) begin
            // The control register is what the idle bus shows.
            @(negedge clk) value = m_reg_data;
            timed_out = cycle > max_cycles;
        end
        checking = 1'b0;
        status = value;
`ifndef BURSTC_DEVICE
        snapshot;
        end_banks;
`ifdef BURSTC_TIMELINE
        // What came behind the last slice.
        tell_banks;
`endif
        // At once: done promises that the data are in the device.
        read_memory;
`endif
        for (index = 1; index <= 5; index = index + 1) begin
            read_register(index[7:0]);
            counters[index] = value;
        end
`ifdef BURSTC_DEVICE
        read_memory;
`endif
        $writememh(dump_name, memory, 0, image_bytes - 1);
        $write("RESULT timed_out=%0d bench_cycles=%0d", timed_out, cycle);
        $write(" status=%0d", status);
        $write(" cycles=%0d load_busy=%0d compute_busy=%0d compute_stall=%0d store_busy=%0d", counters[1], counters[2],
            counters[3], counters[4], counters[5]);
`ifndef BURSTC_DEVICE
        $write(" row_hits=%0d row_misses=%0d turnarounds=%0d refreshes=%0d reads=%0d writes=%0d", row_hits, row_misses,
            turnarounds, refreshes, reads, writes);
        $write(" timing_violations=%0d", device.timing_violations);
`endif
        $display(" port_faults=%0d", port_faults);
        $finish;
    end

    /* verilator lint_on BLKSEQ */

endmodule

`default_nettype wire
