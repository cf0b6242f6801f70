// Bench of avalon_master: random loads and stores on all widths of the bus, in front of a memory that holds back at random
// and under the protocol checker; then the throughput of both directions at once.
`default_nettype none
`timescale 1ns / 1ps

module tb_avalon_master;

    localparam integer CASES    = 5;
    localparam integer BYTES    = 32768;
    localparam integer DEADLINE = 120000;

    reg clk = 1'b0;

    always #5 clk = !clk;

    integer passed = 0;
    integer failed = 0;
    integer ended  = 0;
    integer cycle  = 0;

    always @(posedge clk) begin
        cycle <= cycle + 1;
        if (ended == CASES || cycle == DEADLINE) begin
            if (ended != CASES) begin
                $display("%0d of %0d widths came to the end", ended, CASES);
                failed = failed + 1;
            end
            $display("%0d passed, %0d failed", passed, failed);
            $finish;
        end
    end

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

            integer k;
            integer begun;
            integer round;

            task check(input ok, input [8*32-1:0] what);
                traffic.check(ok, what);
            endtask

            task restart;
                begin
                    @(negedge clk);
                    rst = 1'b1;
                    traffic.finished = 1'b0;
                    traffic.loads = 0;
                    traffic.stores = 0;
                    traffic.written = 0;
                    repeat (3) @(negedge clk);
                    rst = 1'b0;
                end
            endtask

            initial begin
                #1;
                for (k = 0; k < BYTES; k = k + 1)
                    slave.memory[k] = traffic.start_data(k);
                for (round = 1; round <= 3; round = round + 1) begin
                    slave.seed = round + 3 * index;
                    slave.latency = 10 * round;
                    traffic.stalls = round - 1;
                    restart;
                    while (!finished) @(negedge clk);
                end
                begun = 0;
                for (k = 0; k < BYTES; k = k + 1)
                    begun = begun + (slave.memory[k] !== traffic.expected[k]);
                check(begun == 0, "memory");

                // Long commands, nothing holds back: a word per cycle in both directions.
                slave.seed = 0;
                slave.latency = 30;
                traffic.stalls = 0;
                traffic.lengths = 500;
                traffic.apart = 1;
                restart;
                begun = cycle;
                k = traffic.words_asked;
                round = traffic.words_made;
                while (!finished) @(negedge clk);
                k = traffic.words_asked - k;
                round = traffic.words_made - round;
                // The direction that has more to do is never held up.
                check((k > round ? k : round) > (cycle - begun) * 17 / 20, "throughput");

                check(protocol.violations == 0, "protocol");
                passed = passed + traffic.passed;
                failed = failed + traffic.failed;
                ended = ended + 1;
            end
        end
    endgenerate

endmodule

`default_nettype wire
