// Bench of axi4_checker: every rule is broken once, and the checker must say so and say nothing else.
`default_nettype none
`timescale 1ns / 1ps

module tb_axi4_checker;

    localparam INSTANCE = "rule";

`include "cell_bench.vh"

    reg rst = 1'b1;

    reg         arid, arvalid, arready, rid, rlast, rvalid, rready;
    reg         awid, awvalid, awready, wlast, wvalid, wready, bid, bvalid, bready;
    reg  [15:0] araddr, awaddr;
    reg  [7:0]  arlen, awlen;
    reg  [2:0]  arsize, awsize;
    reg  [1:0]  arburst, awburst, rresp, bresp;
    reg  [31:0] rdata, wdata;
    reg  [3:0]  wstrb;

    axi4_checker #(
        .DATA_WIDTH    (32),
        .ADDRESS_WIDTH (16),
        .SILENT        (1)
    ) protocol (
        .clk     (clk),
        .rst     (rst),
        .arid    (arid),
        .araddr  (araddr),
        .arlen   (arlen),
        .arsize  (arsize),
        .arburst (arburst),
        .arvalid (arvalid),
        .arready (arready),
        .rid     (rid),
        .rdata   (rdata),
        .rresp   (rresp),
        .rlast   (rlast),
        .rvalid  (rvalid),
        .rready  (rready),
        .awid    (awid),
        .awaddr  (awaddr),
        .awlen   (awlen),
        .awsize  (awsize),
        .awburst (awburst),
        .awvalid (awvalid),
        .awready (awready),
        .wdata   (wdata),
        .wstrb   (wstrb),
        .wlast   (wlast),
        .wvalid  (wvalid),
        .wready  (wready),
        .bid     (bid),
        .bresp   (bresp),
        .bvalid  (bvalid),
        .bready  (bready)
    );

`include "checker_bench.vh"

    task quiet;
        begin
            {arid, arvalid, arready, rid, rlast, rvalid, rready} = 7'd0;
            {awid, awvalid, awready, wlast, wvalid, wready, bid, bvalid, bready} = 9'd0;
            {araddr, awaddr, arlen, awlen, rresp, bresp, rdata, wdata} = 116'd0;
            arsize = 3'd2;
            awsize = 3'd2;
            arburst = 2'b01;
            awburst = 2'b01;
            wstrb = 4'b1111;
        end
    endtask

    task ask(input write, input [15:0] address, input [7:0] length);
        begin
            if (write) begin
                awvalid = 1'b1;
                awready = 1'b1;
                awaddr = address;
                awlen = length;
            end else begin
                arvalid = 1'b1;
                arready = 1'b1;
                araddr = address;
                arlen = length;
            end
            @(negedge clk);
            {arvalid, arready, awvalid, awready} = 4'd0;
        end
    endtask

    task beat(input write, input last);
        begin
            if (write) begin
                wvalid = 1'b1;
                wready = 1'b1;
                wlast = last;
            end else begin
                rvalid = 1'b1;
                rready = 1'b1;
                rlast = last;
            end
            @(negedge clk);
            {wvalid, wready, rvalid, rready} = 4'd0;
        end
    endtask

    task answer;
        begin
            bvalid = 1'b1;
            bready = 1'b1;
            @(negedge clk);
            {bvalid, bready} = 2'd0;
        end
    endtask

    initial begin
        restart;

        // What is allowed: bursts up to the end of a page, waiting, data before their address.
        arvalid = 1'b1;
        araddr = 16'h0ffc;
        repeat (3) @(negedge clk);
        arready = 1'b1;
        @(negedge clk);
        {arvalid, arready} = 2'd0;
        beat(0, 1);
        ask(0, 16'h0c00, 8'd255);
        repeat (255) beat(0, 0);
        beat(0, 1);
        beat(1, 0);
        beat(1, 1);
        ask(1, 16'h1000, 8'd1);
        answer;
        ask(1, 16'h2000, 8'd0);
        wstrb = 4'b0001;
        wdata = 32'bx;
        wdata[7:0] = 8'd5;
        beat(1, 1);
        answer;
        @(negedge clk);
        expect_none("allowed");
        restart;

        // stable
        arvalid = 1'b1;
        @(negedge clk) araddr = 16'd4;
        expect_rule(protocol.STABLE, "read address changes");
        arvalid = 1'b1;
        @(negedge clk) arvalid = 1'b0;
        expect_rule(protocol.STABLE, "read address goes");
        awvalid = 1'b1;
        @(negedge clk) awlen = 8'd4;
        expect_rule(protocol.STABLE, "write address changes");
        ask(1, 16'd0, 8'd3);
        wvalid = 1'b1;
        @(negedge clk) wdata = 32'd4;
        expect_rule(protocol.STABLE, "write data change");
        ask(0, 16'd0, 8'd3);
        rvalid = 1'b1;
        @(negedge clk) rdata = 32'd4;
        expect_rule(protocol.STABLE, "read data change");
        ask(1, 16'd0, 8'd0);
        beat(1, 1);
        bvalid = 1'b1;
        @(negedge clk) bresp = 2'b10;
        expect_rule(protocol.STABLE, "response changes");

        // unknown
        arready = 1'bx;
        expect_rule(protocol.UNKNOWN, "unknown ready");
        ask(1, 16'd0, 8'd0);
        wvalid = 1'b1;
        wready = 1'b1;
        wlast = 1'b1;
        wdata = 32'bx;
        expect_rule(protocol.UNKNOWN, "unknown write data");

        // reset
        rst = 1'b1;
        awvalid = 1'b1;
        expect_rule(protocol.RESET, "valid in reset");

        // boundary, burst
        ask(0, 16'h0ffc, 8'd1);
        expect_rule(protocol.BOUNDARY, "crosses 4 KB");
        ask(1, 16'h0e00, 8'd128);
        expect_rule(protocol.BOUNDARY, "crosses 4 KB");
        arburst = 2'b10;
        ask(0, 16'd0, 8'd1);
        expect_rule(protocol.BURST, "wraps");
        ask(0, 16'd2, 8'd0);
        expect_rule(protocol.BURST, "not aligned");
        awsize = 3'd1;
        ask(1, 16'd0, 8'd0);
        expect_rule(protocol.BURST, "half a beat");

        // last beats
        ask(1, 16'd0, 8'd1);
        beat(1, 1);
        expect_rule(protocol.WRITE_LAST, "last too early");
        ask(1, 16'd0, 8'd0);
        beat(1, 0);
        expect_rule(protocol.WRITE_LAST, "last missing");
        beat(1, 1);
        ask(1, 16'd0, 8'd1);
        expect_rule(protocol.WRITE_LAST, "other length than data");
        ask(0, 16'd0, 8'd1);
        beat(0, 1);
        expect_rule(protocol.READ_LAST, "last too early");
        ask(0, 16'd0, 8'd0);
        beat(0, 0);
        expect_rule(protocol.READ_LAST, "last missing");

        // owed
        beat(0, 1);
        expect_rule(protocol.READ_OWED, "nothing was read");
        ask(0, 16'd0, 8'd0);
        beat(0, 1);
        beat(0, 1);
        expect_rule(protocol.READ_OWED, "a beat too many");
        answer;
        expect_rule(protocol.WRITE_OWED, "nothing was written");
        ask(1, 16'd0, 8'd1);
        beat(1, 0);
        answer;
        expect_rule(protocol.WRITE_OWED, "before the last data");
        beat(1, 1);
        answer;
        expect_rule(protocol.WRITE_OWED, "before the address");

        verdict;
    end

endmodule

`default_nettype wire
