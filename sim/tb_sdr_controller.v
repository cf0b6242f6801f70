// Bench of sdr_controller with sdr_phy_ecp5, models of its cells, and sdr_sdram: every word read is compared with a shadow
// memory, the device checks its rules, and the throughput is measured.
//
// +pattern=NAME selects the traffic, +count=N its amount, +seed=N the random numbers:
//   sequential_read   bursts of +block=N words, one after the other
//   sequential_write
//   copy              +block=N words read, then as many written to the same banks in other rows
//   copy_shifted      the same, written two pages further, mostly to other banks
//   pitch             +block=N words of every row of a matrix with rows of 4 pages
//   random            lengths of 1 to 600 words, random strobes, random stalls on all streams
//   short             random single words to random rows and banks, full speed
//   row_cycle         queued single words of two rows of one bank; reads, a phase of writes, and mixed
//   dependent         the same reads, each waiting for the data of the one before
//   stalled           reads whose data nobody takes and writes whose data do not come, for longer than refreshes wait
//   start             reads from the moment the controller is ready
// The last line is "<n> passed, <n> failed"; a RESULT line before it gives words, cycles and words per cycle.
//
// Parameters: those of the controller's timing at 100 MHz, and of the device's, in ps, those that the controller keeps
// without a wait of its own. A controller that is told too short a time is caught by the device.
`default_nettype none
`timescale 1ps / 1ps

module tb_sdr_controller;

    parameter integer READ_FIFO_DEPTH = 32;
    parameter integer CAS_LATENCY = 3;
    parameter integer T_RCD = 3;
    parameter integer T_RP = 3;
    parameter integer T_RAS = 5;
    parameter integer T_RC = 7;
    parameter integer T_RRD = 2;
    parameter integer T_WR = 2;
    parameter integer T_RFC = 7;
    parameter integer T_MRD = 2;
    parameter integer T_REFI = 750;
    parameter integer INIT_CLOCKS = 220;

    parameter [63:0] DEVICE_T_RAS = 42000;
    parameter [63:0] DEVICE_T_RC = 63000;
    parameter [63:0] DEVICE_T_RRD = 14000;
    parameter [63:0] DEVICE_T_MRD = 14000;

    localparam integer PERIOD = 10000;

    localparam integer ADDRESS_WIDTH = 23;
    localparam [22:0]  BASE   = 23'h6a8000;

    // -- Clocks -------------------------------------------------------------------------------------------------------

    reg clk = 1'b0;
    reg clk_memory = 1'b0;
    reg rst = 1'b1;
    integer cycle = 0;

    always #(PERIOD / 2) clk = !clk;

    always @(clk)
        clk_memory <= #(PERIOD * 3 / 4) clk;

    always @(posedge clk) begin
        cycle <= cycle + 1;
        rst   <= cycle < 3;
    end

    // -- Design -------------------------------------------------------------------------------------------------------

    wire        ready;
    wire        idle;
    reg         cmd_valid = 1'b0;
    wire        cmd_ready;
    reg         cmd_write;
    reg  [22:0] cmd_address;
    reg  [15:0] cmd_length;
    reg         write_valid = 1'b0;
    wire        write_ready;
    reg  [31:0] write_data;
    reg  [3:0]  write_strobe;
    wire        read_valid;
    reg         read_ready = 1'b0;
    wire [31:0] read_data;

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

    sdr_controller #(
        .READ_FIFO_DEPTH (READ_FIFO_DEPTH),
        .CAS_LATENCY     (CAS_LATENCY),
        .T_RCD           (T_RCD),
        .T_RP            (T_RP),
        .T_RAS           (T_RAS),
        .T_RC            (T_RC),
        .T_RRD           (T_RRD),
        .T_WR            (T_WR),
        .T_RFC           (T_RFC),
        .T_MRD           (T_MRD),
        .T_REFI          (T_REFI),
        .INIT_CLOCKS     (INIT_CLOCKS)
    ) controller (
        .clk              (clk),
        .rst              (rst),
        .ready            (ready),
        .idle             (idle),
        .s_cmd_valid      (cmd_valid),
        .s_cmd_ready      (cmd_ready),
        .s_cmd_write      (cmd_write),
        .s_cmd_address    (cmd_address),
        .s_cmd_length     (cmd_length),
        .s_write_valid    (write_valid),
        .s_write_ready    (write_ready),
        .s_write_data     (write_data),
        .s_write_strobe   (write_strobe),
        .m_read_valid     (read_valid),
        .m_read_ready     (read_ready),
        .m_read_data      (read_data),
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
        .CAS_LATENCY (CAS_LATENCY)
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
        .T_INIT       (2000000),
        .T_RAS_MIN    (DEVICE_T_RAS),
        .T_RC         (DEVICE_T_RC),
        .T_RRD        (DEVICE_T_RRD),
        .T_MRD        (DEVICE_T_MRD),
        .REPORT_LIMIT (20)
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

    // The address in the device of a word's first column: {row, bank, column} with the banks permuted.
    function [23:0] device_address(input integer offset);
        reg [22:0] address;
        reg [1:0]  bank;
        begin
            address = BASE + offset[22:0];
            bank = address[9:8] + address[11:10] + address[13:12];
            device_address = {address[22:10], bank, address[7:0], 1'b0};
        end
    endfunction

    function [31:0] device_word(input integer offset);
        reg [23:0] first;
        begin
            first = device_address(offset);
            device_word = {device.memory[first + 24'd1], device.memory[first]};
        end
    endfunction

    task set_device_word(input integer offset, input [31:0] value);
        reg [23:0] first;
        begin
            first = device_address(offset);
            {device.memory[first + 24'd1], device.memory[first]} = value;
        end
    endtask

`include "controller_traffic.vh"

endmodule

`default_nettype wire
