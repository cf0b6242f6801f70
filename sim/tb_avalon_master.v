// Bench of avalon_master: random loads and stores on all widths of the bus, in front of a memory that holds back at random
// and under the protocol checker; then the throughput of both directions at once.
`default_nettype none
`timescale 1ns / 1ps

module tb_avalon_master;

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
            localparam integer BURST_WIDTH   = index == 1 ? 4 : 6;
            localparam integer DATA_WIDTH    = 32 << BEAT_WIDTH;
            localparam integer ADDRESS_WIDTH = 20;
            localparam integer LENGTH_WIDTH  = 10;

            reg                     rst = 1'b1;
            wire                    idle, finished, written;
            wire                    load_valid, load_ready, read_valid, read_ready;
            wire                    store_valid, store_ready, write_valid, write_ready;
            wire [ADDRESS_WIDTH-1:0] load_address, store_address;
            wire [LENGTH_WIDTH-1:0] load_length, store_length;
            wire [31:0]             read_data, write_data;
            wire [3:0]              write_strobe;
            wire [ADDRESS_WIDTH+1:0] address;
            wire [BURST_WIDTH:0]    burstcount;
            wire [8:0]              wide_burstcount = burstcount;
            wire                    read, write, waitrequest, readdatavalid;
            wire [DATA_WIDTH-1:0]   writedata, readdata;
            wire [DATA_WIDTH/8-1:0] byteenable;

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

            avalon_master #(
                .ADDRESS_WIDTH (ADDRESS_WIDTH),
                .LENGTH_WIDTH  (LENGTH_WIDTH),
                .BEAT_WIDTH    (BEAT_WIDTH),
                .BURST_WIDTH   (BURST_WIDTH)
            ) dut (
                .clk             (clk),
                .rst             (rst),
                .idle            (idle),
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
                .avm_address       (address),
                .avm_burstcount    (burstcount),
                .avm_read          (read),
                .avm_write         (write),
                .avm_writedata     (writedata),
                .avm_byteenable    (byteenable),
                .avm_waitrequest   (waitrequest),
                .avm_readdata      (readdata),
                .avm_readdatavalid (readdatavalid)
            );

            avalon_memory #(
                .DATA_WIDTH    (DATA_WIDTH),
                .ADDRESS_WIDTH (ADDRESS_WIDTH + 2),
                .BYTES         (BYTES)
            ) slave (
                .clk               (clk),
                .rst               (rst),
                .avs_address       (address),
                .avs_burstcount    (wide_burstcount),
                .avs_read          (read),
                .avs_write         (write),
                .avs_writedata     (writedata),
                .avs_byteenable    (byteenable),
                .avs_waitrequest   (waitrequest),
                .avs_readdata      (readdata),
                .avs_readdatavalid (readdatavalid)
            );

            avalon_checker #(
                .DATA_WIDTH    (DATA_WIDTH),
                .ADDRESS_WIDTH (ADDRESS_WIDTH + 2),
                .MAX_BURST     (1 << BURST_WIDTH)
            ) protocol (
                .clk           (clk),
                .rst           (rst),
                .address       (address),
                .burstcount    (wide_burstcount),
                .read          (read),
                .write         (write),
                .writedata     (writedata),
                .byteenable    (byteenable),
                .waitrequest   (waitrequest),
                .readdata      (readdata),
                .readdatavalid (readdatavalid)
            );

`include "master_bench.vh"

            initial begin
                #1;
                random_traffic;

                both_directions(15);

                end_of_case;
            end
        end
    endgenerate

endmodule

`default_nettype wire
