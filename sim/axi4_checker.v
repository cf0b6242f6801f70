// axi4_checker: watches an AXI4 bus and reports every breach of the protocol, of master or slave.
//
// Parameters  DATA_WIDTH, ADDRESS_WIDTH  of the bus
//             SILENT  1: only count, for tests that break the rules
//
// Rules       stable      a valid signal stays, with its payload, until it is answered
//             unknown     no valid or ready is unknown, nor payload that is valid
//             reset       no valid in reset
//             boundary    no burst crosses 4 KB
//             burst       bursts are INCR, of whole beats, aligned to them, with ID 0
//             write_last  last comes with the last beat of a burst, and only there
//             read_last   the same of read data
//             read_owed   read data only for a read whose address has been accepted
//             write_owed  a response only for a write whose address and data have been accepted
//
// Each breach prints a line `VIOLATION axi4 <rule> at cycle <n>: <what>` and counts in `violations` and, by rule, in
// `broken`. One ID, so everything is in order.
`default_nettype none
`timescale 1ns / 1ps

module axi4_checker #(
    parameter integer DATA_WIDTH    = 32,
    parameter integer ADDRESS_WIDTH = 32,
    parameter integer SILENT        = 0
) (
    input wire                     clk,
    input wire                     rst,
    input wire                     arid,
    input wire [ADDRESS_WIDTH-1:0] araddr,
    input wire [7:0]               arlen,
    input wire [2:0]               arsize,
    input wire [1:0]               arburst,
    input wire                     arvalid,
    input wire                     arready,
    input wire                     rid,
    input wire [DATA_WIDTH-1:0]    rdata,
    input wire [1:0]               rresp,
    input wire                     rlast,
    input wire                     rvalid,
    input wire                     rready,
    input wire                     awid,
    input wire [ADDRESS_WIDTH-1:0] awaddr,
    input wire [7:0]               awlen,
    input wire [2:0]               awsize,
    input wire [1:0]               awburst,
    input wire                     awvalid,
    input wire                     awready,
    input wire [DATA_WIDTH-1:0]    wdata,
    input wire [DATA_WIDTH/8-1:0]  wstrb,
    input wire                     wlast,
    input wire                     wvalid,
    input wire                     wready,
    input wire                     bid,
    input wire [1:0]               bresp,
    input wire                     bvalid,
    input wire                     bready
);

    /* verilator lint_off BLKSEQ */ // a checker's statements happen in their order
    /* verilator lint_off WIDTH */  // integers count

    localparam integer LANES   = DATA_WIDTH / 8;
    localparam integer BURSTS  = 1024;
    localparam integer LIMIT   = 20;  // messages

    localparam integer STABLE = 0, UNKNOWN = 1, RESET = 2, BOUNDARY = 3, BURST = 4, WRITE_LAST = 5, READ_LAST = 6,
                       READ_OWED = 7, WRITE_OWED = 8, RULES = 9;

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
                STABLE:     name = "stable";
                UNKNOWN:    name = "unknown";
                RESET:      name = "reset";
                BOUNDARY:   name = "boundary";
                BURST:      name = "burst";
                WRITE_LAST: name = "write_last";
                READ_LAST:  name = "read_last";
                READ_OWED:  name = "read_owed";
                default:    name = "write_owed";
            endcase
            if (SILENT == 0 && violations < LIMIT)
                $display("VIOLATION axi4 %0s at cycle %0d: %0s", name, cycle, what);
            violations = violations + 1;
            broken[which] = broken[which] + 1;
        end
    endtask

    task check(input integer which, input ok, input [8*40-1:0] what);
        if (ok !== 1'b1) breach(which, what);
    endtask

    localparam integer ADDRESS_BITS = ADDRESS_WIDTH + 14;

    wire [ADDRESS_BITS-1:0] ar = {arid, araddr, arlen, arsize, arburst};
    wire [ADDRESS_BITS-1:0] aw = {awid, awaddr, awlen, awsize, awburst};
    // Data of lanes without a strobe do not count.
    wire [DATA_WIDTH-1:0]   mask;
    wire [DATA_WIDTH+LANES:0] w = {wlast, wstrb, wdata & mask};
    wire [DATA_WIDTH+3:0]   r = {rid, rresp, rlast, rdata};
    wire [2:0]              b = {bid, bresp};

    genvar lane;

    generate
        for (lane = 0; lane < LANES; lane = lane + 1) begin : lanes
            assign mask[8*lane +: 8] = {8{wstrb[lane]}};
        end
    endgenerate

    reg ar_waits = 1'b0, aw_waits = 1'b0, w_waits = 1'b0, r_waits = 1'b0, b_waits = 1'b0;
    reg [ADDRESS_BITS-1:0]    ar_held, aw_held;
    reg [DATA_WIDTH+LANES:0]  w_held;
    reg [DATA_WIDTH+3:0]      r_held;
    reg [2:0]                 b_held;

    // Lengths of the bursts under way, in rings.
    reg [7:0] read_lengths  [0:BURSTS-1];
    reg [7:0] write_lengths [0:BURSTS-1];
    integer reads_asked = 0, reads_ended = 0, read_beat = 0;
    integer writes_asked = 0, writes_ended = 0, writes_answered = 0, write_beat = 0;
    // Beats of the data bursts that came before their address.
    integer early_beats [0:BURSTS-1];

    task check_address(input [ADDRESS_WIDTH-1:0] address, input [7:0] length, input [2:0] size, input [1:0] kind,
                       input id);
        begin
            check(BURST, kind === 2'b01 && id === 1'b0 && (1 << size) == LANES && address % LANES == 0,
                  "not INCR, whole beats or ID 0");
            check(BOUNDARY, address[11:0] + (length + 1) * LANES <= 4096, "crosses 4 KB");
        end
    endtask

    always @(posedge clk) begin
        cycle = cycle + 1;
        if (rst !== 1'b0) begin
            if (rst === 1'b1 && cycle > 2)
                check(RESET, {arvalid, awvalid, wvalid, rvalid, bvalid} === 5'b0, "a valid signal is high");
            {ar_waits, aw_waits, w_waits, r_waits, b_waits} = 5'b0;
            reads_ended = reads_asked;
            writes_ended = writes_asked;
            writes_answered = writes_asked;
            read_beat = 0;
            write_beat = 0;
        end else begin
            check(UNKNOWN, ^{arvalid, arready, awvalid, awready, wvalid, wready, rvalid, rready, bvalid, bready} !== 1'bx,
                  "a valid or ready");

            if (ar_waits) check(STABLE, arvalid === 1'b1 && ar === ar_held, "read address");
            if (aw_waits) check(STABLE, awvalid === 1'b1 && aw === aw_held, "write address");
            if (w_waits) check(STABLE, wvalid === 1'b1 && w === w_held, "write data");
            if (r_waits) check(STABLE, rvalid === 1'b1 && r === r_held, "read data");
            if (b_waits) check(STABLE, bvalid === 1'b1 && b === b_held, "write response");

            if (arvalid === 1'b1) check(UNKNOWN, ^ar !== 1'bx, "read address");
            if (awvalid === 1'b1) check(UNKNOWN, ^aw !== 1'bx, "write address");
            if (wvalid === 1'b1) check(UNKNOWN, ^{wlast, wstrb} !== 1'bx && ^(wdata & mask) !== 1'bx, "write data");
            if (rvalid === 1'b1) check(UNKNOWN, ^{rid, rresp, rlast} !== 1'bx, "read data");
            if (bvalid === 1'b1) check(UNKNOWN, ^b !== 1'bx, "write response");

            // What comes in this cycle was owed before it.
            if (rvalid === 1'b1) begin
                check(READ_OWED, reads_ended < reads_asked, "no read is under way");
                if (reads_ended < reads_asked) begin
                    check(READ_LAST, rlast === (read_beat == read_lengths[reads_ended % BURSTS]), "wrong last beat");
                    if (rready === 1'b1) begin
                        read_beat = read_beat + 1;
                        if (read_beat > read_lengths[reads_ended % BURSTS]) begin
                            read_beat = 0;
                            reads_ended = reads_ended + 1;
                        end
                    end
                end
            end
            if (bvalid === 1'b1)
                check(WRITE_OWED, writes_answered < writes_ended && writes_answered < writes_asked,
                      "no write is complete");
            if (bvalid === 1'b1 && bready === 1'b1 && writes_answered < writes_ended)
                writes_answered = writes_answered + 1;

            if (arvalid === 1'b1 && arready === 1'b1) begin
                check_address(araddr, arlen, arsize, arburst, arid);
                read_lengths[reads_asked % BURSTS] = arlen;
                reads_asked = reads_asked + 1;
            end
            if (awvalid === 1'b1 && awready === 1'b1) begin
                check_address(awaddr, awlen, awsize, awburst, awid);
                write_lengths[writes_asked % BURSTS] = awlen;
                if (writes_asked < writes_ended)
                    check(WRITE_LAST, early_beats[writes_asked % BURSTS] == awlen + 1, "data before their address");
                writes_asked = writes_asked + 1;
            end
            if (wvalid === 1'b1 && wready === 1'b1) begin
                write_beat = write_beat + 1;
                if (writes_ended < writes_asked)
                    check(WRITE_LAST, wlast === (write_beat == write_lengths[writes_ended % BURSTS] + 1),
                          "wrong last beat");
                else if (wlast === 1'b1)
                    early_beats[writes_ended % BURSTS] = write_beat;
                if (writes_ended < writes_asked ? write_beat == write_lengths[writes_ended % BURSTS] + 1 : wlast) begin
                    write_beat = 0;
                    writes_ended = writes_ended + 1;
                end
            end

            ar_waits = arvalid && !arready;
            aw_waits = awvalid && !awready;
            w_waits  = wvalid && !wready;
            r_waits  = rvalid && !rready;
            b_waits  = bvalid && !bready;
            ar_held = ar;
            aw_held = aw;
            w_held  = w;
            r_held  = r;
            b_held  = b;
        end
    end

    /* verilator lint_on WIDTH */
    /* verilator lint_on BLKSEQ */

endmodule

`default_nettype wire
