// avalon_checker: watches an Avalon-MM bus and reports every breach of the protocol, of master or slave.
//
// Parameters  DATA_WIDTH, ADDRESS_WIDTH  of the bus
//             MAX_BURST  beats of the longest burst
//             SILENT     1: only count, for tests that break the rules
//
// Rules       stable   a command stays, with its payload, while waitrequest is high
//             unknown  no control signal is unknown, nor payload that is valid
//             reset    no command in reset
//             both     not read and write at once
//             burst    burstcount from 1 to MAX_BURST, the address a multiple of the beat
//             mixed    no read within a write burst
//             owed     read data only for a read that has been accepted, and not more than it asked for
//             enables  a read has all byte enables
//
// Each breach prints a line `VIOLATION avalon <rule> at cycle <n>: <what>` and counts in `violations` and, by rule, in
// `broken`.
`default_nettype none
`timescale 1ns / 1ps

module avalon_checker #(
    parameter integer DATA_WIDTH    = 32,
    parameter integer ADDRESS_WIDTH = 32,
    parameter integer MAX_BURST     = 256,
    parameter integer SILENT        = 0
) (
    input wire                     clk,
    input wire                     rst,
    input wire [ADDRESS_WIDTH-1:0] address,
    input wire [8:0]               burstcount,
    input wire                     read,
    input wire                     write,
    input wire [DATA_WIDTH-1:0]    writedata,
    input wire [DATA_WIDTH/8-1:0]  byteenable,
    input wire                     waitrequest,
    /* verilator lint_off UNUSED */ // what a read brings is the memory's affair
    input wire [DATA_WIDTH-1:0]    readdata,
    /* verilator lint_on UNUSED */
    input wire                     readdatavalid
);

    /* verilator lint_off BLKSEQ */ // a checker's statements happen in their order
    /* verilator lint_off WIDTH */  // integers count

    localparam integer LANES = DATA_WIDTH / 8;
    localparam integer LIMIT = 20;  // messages

    localparam integer STABLE = 0, UNKNOWN = 1, RESET = 2, BOTH = 3, BURST = 4, MIXED = 5, OWED = 6, ENABLES = 7,
                       RULES = 8;

    integer violations = 0;
    integer broken [0:RULES-1];
    integer cycle = 0;
    integer rule;

    initial
        for (rule = 0; rule < RULES; rule = rule + 1)
            broken[rule] = 0;

    task breach(input integer which, input [8*40-1:0] what);
        reg [8*12-1:0] name;
        begin
            case (which)
                STABLE:  name = "stable";
                UNKNOWN: name = "unknown";
                RESET:   name = "reset";
                BOTH:    name = "both";
                BURST:   name = "burst";
                MIXED:   name = "mixed";
                OWED:    name = "owed";
                default: name = "enables";
            endcase
            if (SILENT == 0 && violations < LIMIT)
                $display("VIOLATION avalon %0s at cycle %0d: %0s", name, cycle, what);
            violations = violations + 1;
            broken[which] = broken[which] + 1;
        end
    endtask

    task check(input integer which, input ok, input [8*40-1:0] what);
        if (ok !== 1'b1) breach(which, what);
    endtask

    // Lanes without an enable do not count.
    wire [DATA_WIDTH-1:0] mask;

    genvar lane;

    generate
        for (lane = 0; lane < LANES; lane = lane + 1) begin : lanes
            assign mask[8*lane +: 8] = {8{byteenable[lane]}};
        end
    endgenerate

    // A write's address and count belong to its first beat.
    integer write_left = 0;
    integer owed       = 0;

    wire [DATA_WIDTH+LANES-1:0]  data    = {byteenable, writedata & mask};
    wire [ADDRESS_WIDTH+8:0]     command = {address, burstcount};

    reg waits = 1'b0;
    reg waits_read, waits_write, waits_first;
    reg [DATA_WIDTH+LANES-1:0] data_held;
    reg [ADDRESS_WIDTH+8:0]    command_held;

    always @(posedge clk) begin
        cycle = cycle + 1;
        if (rst !== 1'b0) begin
            if (rst === 1'b1 && cycle > 2)
                check(RESET, {read, write} === 2'b00, "read or write is high");
            waits = 1'b0;
            write_left = 0;
            owed = 0;
        end else begin
            check(UNKNOWN, ^{read, write, waitrequest, readdatavalid} !== 1'bx, "a control signal");
            check(BOTH, !(read === 1'b1 && write === 1'b1), "read and write");
            if (waits) begin
                check(STABLE, read === waits_read && write === waits_write, "read or write");
                if (waits_first) check(STABLE, command === command_held, "address or burstcount");
                check(STABLE, (waits_read && byteenable === data_held[DATA_WIDTH +: LANES])
                              || (waits_write && data === data_held), "data or enables");
            end
            if (read === 1'b1 || (write === 1'b1 && write_left == 0)) begin
                check(UNKNOWN, ^command !== 1'bx, "address or burstcount");
                check(BURST, burstcount >= 1 && burstcount <= MAX_BURST && address % LANES == 0,
                      "burstcount, or address not aligned");
            end
            if (write === 1'b1)
                check(UNKNOWN, ^byteenable !== 1'bx && ^(writedata & mask) !== 1'bx, "write data");
            if (read === 1'b1) begin
                check(MIXED, write_left == 0, "read within a write burst");
                check(ENABLES, &byteenable === 1'b1, "not all lanes");
            end

            // What comes in this cycle was owed before it.
            if (readdatavalid === 1'b1) begin
                check(OWED, owed > 0, "no read is under way");
                if (owed > 0) owed = owed - 1;
            end
            waits = (read === 1'b1 || write === 1'b1) && waitrequest === 1'b1;
            waits_first = read === 1'b1 || write_left == 0;
            waits_read = read;
            waits_write = write;
            data_held = data;
            command_held = command;
            if (read === 1'b1 && waitrequest === 1'b0) owed = owed + burstcount;
            if (write === 1'b1 && waitrequest === 1'b0)
                write_left = write_left == 0 ? burstcount - 1 : write_left - 1;
        end
    end

    /* verilator lint_on WIDTH */
    /* verilator lint_on BLKSEQ */

endmodule

`default_nettype wire
