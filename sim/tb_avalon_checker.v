// Bench of avalon_checker: every rule is broken once, and the checker must say so and say nothing else.
`default_nettype none
`timescale 1ns / 1ps

module tb_avalon_checker;

    localparam INSTANCE = "rule";

`include "cell_bench.vh"

    reg rst = 1'b1;

    reg  [15:0] address;
    reg  [8:0]  burstcount;
    reg         read, write, waitrequest, readdatavalid;
    reg  [31:0] writedata, readdata;
    reg  [3:0]  byteenable;

    avalon_checker #(
        .DATA_WIDTH    (32),
        .ADDRESS_WIDTH (16),
        .MAX_BURST     (16),
        .SILENT        (1)
    ) protocol (
        .clk           (clk),
        .rst           (rst),
        .address       (address),
        .burstcount    (burstcount),
        .read          (read),
        .write         (write),
        .writedata     (writedata),
        .byteenable    (byteenable),
        .waitrequest   (waitrequest),
        .readdata      (readdata),
        .readdatavalid (readdatavalid)
    );

`include "checker_bench.vh"

    task quiet;
        begin
            {read, write, waitrequest, readdatavalid} = 4'd0;
            {address, writedata, readdata} = 80'd0;
            burstcount = 9'd1;
            byteenable = 4'b1111;
        end
    endtask

    initial begin
        restart;

        // What is allowed: waiting, pauses in a write burst, address and count that mean nothing after its first beat.
        write = 1'b1;
        burstcount = 9'd3;
        waitrequest = 1'b1;
        repeat (2) @(negedge clk);
        waitrequest = 1'b0;
        @(negedge clk) write = 1'b0;
        @(negedge clk) write = 1'b1;
        burstcount = 9'd0;
        address = 16'd3;
        byteenable = 4'b0000;
        writedata = 32'bx;
        repeat (2) @(negedge clk);
        quiet;
        read = 1'b1;
        burstcount = 9'd16;
        @(negedge clk) quiet;
        readdatavalid = 1'b1;
        repeat (16) @(negedge clk);
        quiet;
        @(negedge clk);
        expect_none("allowed");
        restart;

        read = 1'b1;
        waitrequest = 1'b1;
        @(negedge clk) address = 16'd4;
        expect_rule(protocol.STABLE, "address changes");
        write = 1'b1;
        waitrequest = 1'b1;
        @(negedge clk) writedata = 32'd4;
        expect_rule(protocol.STABLE, "data change");
        read = 1'b1;
        waitrequest = 1'b1;
        @(negedge clk) read = 1'b0;
        expect_rule(protocol.STABLE, "read goes");
        waitrequest = 1'bx;
        expect_rule(protocol.UNKNOWN, "unknown waitrequest");
        write = 1'b1;
        writedata = 32'bx;
        expect_rule(protocol.UNKNOWN, "unknown data");
        rst = 1'b1;
        read = 1'b1;
        expect_rule(protocol.RESET, "read in reset");
        read = 1'b1;
        write = 1'b1;
        @(negedge clk);
        check(protocol.broken[protocol.BOTH] > 0, protocol.BOTH, "read and write");
        restart;
        read = 1'b1;
        burstcount = 9'd17;
        expect_rule(protocol.BURST, "too long");
        read = 1'b1;
        burstcount = 9'd0;
        expect_rule(protocol.BURST, "no beat");
        write = 1'b1;
        address = 16'd2;
        expect_rule(protocol.BURST, "not aligned");
        write = 1'b1;
        burstcount = 9'd2;
        @(negedge clk) write = 1'b0;
        read = 1'b1;
        expect_rule(protocol.MIXED, "read in a write burst");
        readdatavalid = 1'b1;
        expect_rule(protocol.OWED, "nothing was read");
        read = 1'b1;
        @(negedge clk) read = 1'b0;
        readdatavalid = 1'b1;
        @(negedge clk);
        expect_rule(protocol.OWED, "a beat too many");
        read = 1'b1;
        byteenable = 4'b0111;
        expect_rule(protocol.ENABLES, "not all lanes");

        verdict;
    end

endmodule

`default_nettype wire
