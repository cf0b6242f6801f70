// Bench of axi4_master: random loads and stores on all widths of the bus, in front of a memory that holds back on every
// channel and under the protocol checker; then the throughput of both directions at once, and the error responses.
`default_nettype none
`timescale 1ns / 1ps

module tb_axi4_master;

    localparam integer CASES    = 5;
    localparam integer BYTES    = 32768;
    localparam integer DEADLINE = 120000;

    localparam INSTANCE = "width";

`include "cell_bench.vh"
`include "cases_bench.vh"

    genvar index;

    generate
        for (index = 0; index < CASES; index = index + 1) begin : widths
            localparam integer BEAT_WIDTH    = index;
            localparam integer BURST_WIDTH   = index == 1 ? 4 : BEAT_WIDTH < 2 ? 8 : 10 - BEAT_WIDTH;
            localparam integer DATA_WIDTH    = 32 << BEAT_WIDTH;
            localparam integer ADDRESS_WIDTH = 20;
            localparam integer LENGTH_WIDTH  = 10;

            reg                     rst = 1'b1;
            reg  [3:0]              clear = 4'b0000;
            wire                    idle, finished, written;
            wire [3:0]              status;
            wire                    load_valid, load_ready, read_valid, read_ready;
            wire                    store_valid, store_ready, write_valid, write_ready;
            wire [ADDRESS_WIDTH-1:0] load_address, store_address;
            wire [LENGTH_WIDTH-1:0] load_length, store_length;
            wire [31:0]             read_data, write_data;
            wire [3:0]              write_strobe;
            wire                    arid, arlock, arvalid, arready, rid, rlast, rvalid, rready;
            wire                    awid, awlock, awvalid, awready, wlast, wvalid, wready, bid, bvalid, bready;
            wire [ADDRESS_WIDTH+1:0] araddr, awaddr;
            wire [7:0]              arlen, awlen;
            wire [2:0]              arsize, awsize, arprot, awprot;
            wire [3:0]              arcache, awcache;
            wire [1:0]              arburst, awburst, rresp, bresp;
            wire [DATA_WIDTH-1:0]   rdata, wdata;
            wire [DATA_WIDTH/8-1:0] wstrb;

            bus_traffic #(
                .ADDRESS_WIDTH (ADDRESS_WIDTH),
                .LENGTH_WIDTH  (LENGTH_WIDTH),
                .BYTES         (BYTES)
            ) traffic (
                .clk             (clk),
                .rst             (rst),
                .idle            (idle),
                .finished        (finished),
                .m_load_valid    (load_valid),
                .m_load_ready    (load_ready),
                .m_load_address  (load_address),
                .m_load_length   (load_length),
                .s_read_valid    (read_valid),
                .s_read_ready    (read_ready),
                .s_read_data     (read_data),
                .m_store_valid   (store_valid),
                .m_store_ready   (store_ready),
                .m_store_address (store_address),
                .m_store_length  (store_length),
                .m_write_valid   (write_valid),
                .m_write_ready   (write_ready),
                .m_write_data    (write_data),
                .m_write_strobe  (write_strobe),
                .s_written       (written)
            );

            axi4_master #(
                .ADDRESS_WIDTH (ADDRESS_WIDTH),
                .LENGTH_WIDTH  (LENGTH_WIDTH),
                .BEAT_WIDTH    (BEAT_WIDTH),
                .BURST_WIDTH   (BURST_WIDTH)
            ) dut (
                .clk             (clk),
                .rst             (rst),
                .idle            (idle),
                .clear           (clear),
                .status          (status),
                .s_load_valid    (load_valid),
                .s_load_ready    (load_ready),
                .s_load_address  (load_address),
                .s_load_length   (load_length),
                .m_read_valid    (read_valid),
                .m_read_ready    (read_ready),
                .m_read_data     (read_data),
                .s_store_valid   (store_valid),
                .s_store_ready   (store_ready),
                .s_store_address (store_address),
                .s_store_length  (store_length),
                .s_write_valid   (write_valid),
                .s_write_ready   (write_ready),
                .s_write_data    (write_data),
                .s_write_strobe  (write_strobe),
                .m_written       (written),
                .m_axi_arid      (arid),
                .m_axi_araddr    (araddr),
                .m_axi_arlen     (arlen),
                .m_axi_arsize    (arsize),
                .m_axi_arburst   (arburst),
                .m_axi_arlock    (arlock),
                .m_axi_arcache   (arcache),
                .m_axi_arprot    (arprot),
                .m_axi_arvalid   (arvalid),
                .m_axi_arready   (arready),
                .m_axi_rid       (rid),
                .m_axi_rdata     (rdata),
                .m_axi_rresp     (rresp),
                .m_axi_rlast     (rlast),
                .m_axi_rvalid    (rvalid),
                .m_axi_rready    (rready),
                .m_axi_awid      (awid),
                .m_axi_awaddr    (awaddr),
                .m_axi_awlen     (awlen),
                .m_axi_awsize    (awsize),
                .m_axi_awburst   (awburst),
                .m_axi_awlock    (awlock),
                .m_axi_awcache   (awcache),
                .m_axi_awprot    (awprot),
                .m_axi_awvalid   (awvalid),
                .m_axi_awready   (awready),
                .m_axi_wdata     (wdata),
                .m_axi_wstrb     (wstrb),
                .m_axi_wlast     (wlast),
                .m_axi_wvalid    (wvalid),
                .m_axi_wready    (wready),
                .m_axi_bid       (bid),
                .m_axi_bresp     (bresp),
                .m_axi_bvalid    (bvalid),
                .m_axi_bready    (bready)
            );

            axi4_memory #(
                .DATA_WIDTH    (DATA_WIDTH),
                .ADDRESS_WIDTH (ADDRESS_WIDTH + 2),
                .BYTES         (BYTES)
            ) slave (
                .clk           (clk),
                .rst           (rst),
                .s_axi_arid    (arid),
                .s_axi_araddr  (araddr),
                .s_axi_arlen   (arlen),
                .s_axi_arvalid (arvalid),
                .s_axi_arready (arready),
                .s_axi_rid     (rid),
                .s_axi_rdata   (rdata),
                .s_axi_rresp   (rresp),
                .s_axi_rlast   (rlast),
                .s_axi_rvalid  (rvalid),
                .s_axi_rready  (rready),
                .s_axi_awid    (awid),
                .s_axi_awaddr  (awaddr),
                .s_axi_awlen   (awlen),
                .s_axi_awvalid (awvalid),
                .s_axi_awready (awready),
                .s_axi_wdata   (wdata),
                .s_axi_wstrb   (wstrb),
                .s_axi_wlast   (wlast),
                .s_axi_wvalid  (wvalid),
                .s_axi_wready  (wready),
                .s_axi_bid     (bid),
                .s_axi_bresp   (bresp),
                .s_axi_bvalid  (bvalid),
                .s_axi_bready  (bready)
            );

            axi4_checker #(
                .DATA_WIDTH    (DATA_WIDTH),
                .ADDRESS_WIDTH (ADDRESS_WIDTH + 2)
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

`include "master_bench.vh"

            initial begin
                #1;
                random_traffic;
                check(status === 4'b0000, "status without an error");

                both_directions(10);

                check(status === 4'b0000, "status without an error");
                traffic.lengths = 40;
                traffic.apart = 0;
                for (round = 0; round < 2; round = round + 1) begin
                    // A page whose accesses fail.
                    slave.faulty = round;
                    restart;
                    while (!finished) @(negedge clk);
                    check(status === 4'b0101 << round, "status of an error");
                    clear = ~(4'b0101 << round);
                    @(negedge clk);
                    check(status === 4'b0101 << round, "status that nobody cleared");
                    clear = 4'b0101 << round;
                    @(negedge clk);
                    clear = 4'b0000;
                    check(status === 4'b0000, "status cleared");
                    slave.faulty = 32'hffffffff;
                end
                end_of_case;
            end
        end
    endgenerate

endmodule

`default_nettype wire
