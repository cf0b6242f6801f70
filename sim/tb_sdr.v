// Bench of a whole accelerator on SDR SDRAM: registers, controller, PHY for ECP5 with models of its cells, and device, on
// data from files.
//
// Macros      TOP            the module under test, <kernel>_top or <kernel>_direct_top
//             MEMORY_BYTES   of the largest image, at most 32 MB, as much as the device has
//             SDR_PERIOD_PS, SDR_CAS_LATENCY, SDR_DEVICE (parameters of sdr_sdram)  the board's memory
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
`timescale 1ps / 1ps

`ifndef MEMORY_BYTES
`define MEMORY_BYTES 16777216
`endif

module tb_accelerator;

    localparam integer INIT_CYCLES = 30000;
    localparam integer REPORT_LIMIT = 20;

    localparam [7:0] CONTROL = 8'd0;
    localparam integer BUSY = 0, DONE = 1, READY = 2;

    reg clk = 1'b0;
    reg clk_memory = 1'b0;
    reg rst = 1'b1;

    initial
        forever #(`SDR_PERIOD_PS / 2) clk = !clk;

    always @(clk)
        clk_memory <= #(`SDR_PERIOD_PS * 3 / 4) clk;

    /* verilator lint_off BLKSEQ */ // statements of a bench happen in their order

    // -- The accelerator, its PHY and the device ----------------------------------------------------------------------

    reg         s_reg_write = 1'b0;
    reg  [7:0]  s_reg_address = CONTROL;
    reg  [31:0] s_reg_data = 32'd0;
    wire [31:0] m_reg_data;

    wire        phy_cke;
    wire [2:0]  phy_command;
    wire [1:0]  phy_bank;
    wire [12:0] phy_address;
    wire        phy_write_enable, phy_read_enable, phy_read_valid;
    wire [15:0] phy_write_data, phy_read_data;
    wire [1:0]  phy_write_mask;

    wire        sdram_clk, sdram_cke, sdram_csn, sdram_rasn, sdram_casn, sdram_wen;
    wire [1:0]  sdram_ba, sdram_dqm;
    wire [12:0] sdram_a;
    wire [15:0] sdram_d;

    `TOP dut (
        .clk              (clk),
        .rst              (rst),
        .s_reg_write      (s_reg_write),
        .s_reg_address    (s_reg_address),
        .s_reg_data       (s_reg_data),
        .m_reg_data       (m_reg_data),
        .phy_cke          (phy_cke),
        .phy_command      (phy_command),
        .phy_bank         (phy_bank),
        .phy_address      (phy_address),
        .phy_write_enable (phy_write_enable),
        .phy_write_data   (phy_write_data),
        .phy_write_mask   (phy_write_mask),
        .phy_read_enable  (phy_read_enable),
        .phy_read_valid   (phy_read_valid),
        .phy_read_data    (phy_read_data)
    );

    sdr_phy_ecp5 #(
        .CAS_LATENCY (`SDR_CAS_LATENCY)
    ) phy (
        .clk              (clk),
        .clk_memory       (clk_memory),
        .rst              (rst),
        .phy_cke          (phy_cke),
        .phy_command      (phy_command),
        .phy_bank         (phy_bank),
        .phy_address      (phy_address),
        .phy_write_enable (phy_write_enable),
        .phy_write_data   (phy_write_data),
        .phy_write_mask   (phy_write_mask),
        .phy_read_enable  (phy_read_enable),
        .phy_read_valid   (phy_read_valid),
        .phy_read_data    (phy_read_data),
        .sdram_clk        (sdram_clk),
        .sdram_cke        (sdram_cke),
        .sdram_csn        (sdram_csn),
        .sdram_rasn       (sdram_rasn),
        .sdram_casn       (sdram_casn),
        .sdram_wen        (sdram_wen),
        .sdram_ba         (sdram_ba),
        .sdram_a          (sdram_a),
        .sdram_dqm        (sdram_dqm),
        .sdram_d          (sdram_d)
    );

    sdr_sdram #(
        `SDR_DEVICE
    ) device (
        .sdram_clk  (sdram_clk),
        .sdram_cke  (sdram_cke),
        .sdram_csn  (sdram_csn),
        .sdram_rasn (sdram_rasn),
        .sdram_casn (sdram_casn),
        .sdram_wen  (sdram_wen),
        .sdram_ba   (sdram_ba),
        .sdram_a    (sdram_a),
        .sdram_dqm  (sdram_dqm),
        .sdram_d    (sdram_d)
    );

`include "native_bench.vh"

    // Where the controller puts two bytes in the device: {row, bank, column} with the banks permuted.
    function [23:0] device_address(input [24:1] address);
        reg [1:0] bank;
        begin
            bank = address[11:10] + address[13:12] + address[15:14];
            device_address = {address[24:12], bank, address[9:1]};
        end
    endfunction

    task fill_memory;
        for (index = 0; index < image_bytes; index = index + 2)
            device.memory[device_address(index[24:1])] = {memory[index + 1], memory[index]};
    endtask

    task read_memory;
        for (index = 0; index < image_bytes; index = index + 2)
            {memory[index + 1], memory[index]} = device.memory[device_address(index[24:1])];
    endtask

    // -- The run ------------------------------------------------------------------------------------------------------

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
        {row_hits, row_misses, turnarounds, refreshes, reads, writes} = 0;
        snapshot;
        begin_banks;
`ifdef BURSTC_TIMELINE
        forget_banks;
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
        snapshot;
        end_banks;
`ifdef BURSTC_TIMELINE
        // What came behind the last slice.
        tell_banks;
`endif
        // At once: done promises that the data are in the device.
        read_memory;
        for (index = 1; index <= 5; index = index + 1) begin
            read_register(index[7:0]);
            counters[index] = value;
        end
        $writememh(dump_name, memory, 0, image_bytes - 1);
        $write("RESULT timed_out=%0d bench_cycles=%0d", timed_out, cycle);
        $write(" status=%0d", status);
        $write(" cycles=%0d load_busy=%0d compute_busy=%0d compute_stall=%0d store_busy=%0d", counters[1], counters[2],
            counters[3], counters[4], counters[5]);
        $write(" row_hits=%0d row_misses=%0d turnarounds=%0d refreshes=%0d reads=%0d writes=%0d", row_hits, row_misses,
            turnarounds, refreshes, reads, writes);
        $write(" timing_violations=%0d", device.timing_violations);
        $display(" port_faults=%0d", port_faults);
        $finish;
    end

    /* verilator lint_on BLKSEQ */

endmodule

`default_nettype wire
