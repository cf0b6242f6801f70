// Bench of ddr_controller with ddr_phy_behavioural and ddr_sdram: every word read is compared with a shadow memory, the
// device checks its rules, and the throughput is measured.
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
// Parameters: those of the controller's timing, and the same of the device with DEVICE_ before the name. A controller
// that is told too short a time is caught by the device in these patterns:
//   T_RCD=2 short; T_RP=2, T_RFC=13, T_MRD=1, CAS_LATENCY=2, INIT_CLOCKS=380, DLL_CLOCKS=180 start; T_RAS=7 row_cycle;
//   T_RRD=1 sequential_read; T_WR=2 copy +block=64; T_WTR=0 copy +block=64 (a read never comes closer to a write than
//   with 1, by the slots); T_REFI=6240 sequential_read; T_RC=12 with DEVICE_T_RC=13 row_cycle (11 is T_RAS + T_RP)
`default_nettype none
`timescale 1ns / 1ps

module tb_ddr_controller;

    parameter integer READ_FIFO_DEPTH = 32;
    parameter integer CAS_LATENCY = 3;
    parameter integer T_RCD = 3;
    parameter integer T_RP = 3;
    parameter integer T_RAS = 8;
    parameter integer T_RC = 11;
    parameter integer T_RRD = 2;
    parameter integer T_WR = 3;
    parameter integer T_WTR = 2;
    parameter integer T_RFC = 14;
    parameter integer T_MRD = 2;
    parameter integer T_REFI = 3120;
    parameter integer INIT_CLOCKS = 400;
    parameter integer DLL_CLOCKS = 200;

    parameter [63:0] DEVICE_T_RCD = 3;
    parameter [63:0] DEVICE_T_RP = 3;
    parameter [63:0] DEVICE_T_RAS = 8;
    parameter [63:0] DEVICE_T_RC = 11;
    parameter [63:0] DEVICE_T_RRD = 2;
    parameter [63:0] DEVICE_T_WR = 3;
    parameter [63:0] DEVICE_T_WTR = 2;
    parameter [63:0] DEVICE_T_RFC = 14;
    parameter [63:0] DEVICE_T_MRD = 2;
    parameter [63:0] DEVICE_T_REFI = 3120;
    parameter [63:0] DEVICE_INIT_CLOCKS = 400;
    parameter [63:0] DEVICE_DLL_CLOCKS = 200;

    localparam integer ADDRESS_WIDTH = 22;
    localparam [21:0]  BASE   = 22'h2a8000;

    // -- Clocks -------------------------------------------------------------------------------------------------------

    reg clk = 1'b0;
    reg clk2x = 1'b0;
    reg rst = 1'b1;
    integer cycle = 0;

    initial
        forever begin
            #2.5;
            clk2x = 1'b1;
            clk = !clk;
            #2.5;
            clk2x = 1'b0;
        end

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
    reg  [21:0] cmd_address;
    reg  [15:0] cmd_length;
    reg         write_valid = 1'b0;
    wire        write_ready;
    reg  [31:0] write_data;
    reg  [3:0]  write_strobe;
    wire        read_valid;
    reg         read_ready = 1'b0;
    wire [31:0] read_data;

    wire        phy_cke;
    wire [2:0]  phy_command_0, phy_command_1;
    wire [1:0]  phy_bank_0, phy_bank_1;
    wire [11:0] phy_address_0, phy_address_1;
    wire        phy_write_enable, phy_read_enable, phy_read_valid;
    wire [31:0] phy_write_data, phy_read_data;
    wire [3:0]  phy_write_mask;

    wire        ddr_ck, ddr_ck_n, ddr_cke, ddr_cs_n, ddr_ras_n, ddr_cas_n, ddr_we_n, ddr_dm, ddr_dqs;
    wire [1:0]  ddr_ba;
    wire [11:0] ddr_a;
    wire [7:0]  ddr_dq;

    ddr_controller #(
        .READ_FIFO_DEPTH (READ_FIFO_DEPTH),
        .CAS_LATENCY     (CAS_LATENCY),
        .T_RCD           (T_RCD),
        .T_RP            (T_RP),
        .T_RAS           (T_RAS),
        .T_RC            (T_RC),
        .T_RRD           (T_RRD),
        .T_WR            (T_WR),
        .T_WTR           (T_WTR),
        .T_RFC           (T_RFC),
        .T_MRD           (T_MRD),
        .T_REFI          (T_REFI),
        .INIT_CLOCKS     (INIT_CLOCKS),
        .DLL_CLOCKS      (DLL_CLOCKS)
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

    ddr_phy_behavioural phy (
        .clk              (clk),
        .clk2x            (clk2x),
        .rst              (rst),
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

    ddr_sdram #(
        .INIT_CLOCKS (DEVICE_INIT_CLOCKS),
        .TRCD        (DEVICE_T_RCD),
        .TRP         (DEVICE_T_RP),
        .TRAS_MIN    (DEVICE_T_RAS),
        .TRC         (DEVICE_T_RC),
        .TRFC        (DEVICE_T_RFC),
        .TRRD        (DEVICE_T_RRD),
        .TWR         (DEVICE_T_WR),
        .TWTR        (DEVICE_T_WTR),
        .TMRD        (DEVICE_T_MRD),
        .TREFI       (DEVICE_T_REFI),
        .TDLL        (DEVICE_DLL_CLOCKS),
        .REPORT_LIMIT(20)
    ) device (
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

    // The byte address in the device of a word offset: {row, bank, column} with the banks permuted.
    function [23:0] device_address(input integer offset);
        reg [21:0] address;
        reg [1:0]  bank;
        begin
            address = BASE + offset[21:0];
            bank = address[9:8] + address[11:10] + address[13:12];
            device_address = {address[21:10], bank, address[7:0], 2'd0};
        end
    endfunction

    function [31:0] device_word(input integer offset);
        reg [23:0] first;
        begin
            first = device_address(offset);
            device_word = {device.memory[first + 24'd3], device.memory[first + 24'd2], device.memory[first + 24'd1],
                           device.memory[first]};
        end
    endfunction

    task set_device_word(input integer offset, input [31:0] value);
        reg [23:0] first;
        begin
            first = device_address(offset);
            {device.memory[first + 24'd3], device.memory[first + 24'd2], device.memory[first + 24'd1],
             device.memory[first]} = value;
        end
    endtask

`include "controller_traffic.vh"

endmodule

`default_nettype wire
