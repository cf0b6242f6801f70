// Bench of stream_register: four widths side by side, each compared in every cycle with a queue of two words.
`default_nettype none
`timescale 1ns / 1ps

module tb_stream_register;

    localparam integer CASES   = 4;
    localparam integer CYCLES  = 6000;
    localparam integer RESTART = 3000;

    localparam INSTANCE = "width";

`include "cell_bench.vh"
`include "cycles_bench.vh"

    // Chances in 4 that a side stalls.
    integer s_stall = 0;
    integer m_stall = 0;

    always @(posedge clk) begin
        if (cycle > 200 && cycle % 64 == 0) begin
            s_stall <= $random & 3;
            m_stall <= $random & 3;
        end
    end

    genvar index;

    generate
        for (index = 0; index < CASES; index = index + 1) begin : widths
            localparam integer WIDTH = 1 + 21 * index;

            reg              s_valid = 1'b0;
            wire             s_ready;
            reg  [WIDTH-1:0] s_data = 0;
            wire             m_valid;
            reg              m_ready = 1'b0;
            wire [WIDTH-1:0] m_data;

            reg [WIDTH-1:0] queue [0:CYCLES];
            integer         queue_head = 0;
            integer         queue_tail = 0;

            stream_register #(
                .WIDTH (WIDTH)
            ) dut (
                .clk     (clk),
                .rst     (rst),
                .s_valid (s_valid),
                .s_ready (s_ready),
                .s_data  (s_data),
                .m_valid (m_valid),
                .m_ready (m_ready),
                .m_data  (m_data)
            );

            always @(posedge clk) begin
                if (rst) begin
                    queue_head = queue_tail;
                    s_valid <= 1'b0;
                end else begin
                    check(s_ready === (queue_tail - queue_head < 2), WIDTH, "s_ready");
                    check(m_valid === (queue_tail != queue_head), WIDTH, "m_valid");
                    if (m_valid) begin
                        check(m_data === queue[queue_head], WIDTH, "m_data");
                    end
                    if (m_valid && m_ready) begin
                        queue_head = queue_head + 1;
                    end
                    if (s_valid && s_ready) begin
                        queue[queue_tail] = s_data;
                        queue_tail = queue_tail + 1;
                    end
                    if (!s_valid || s_ready) begin
                        s_valid <= ($random & 3) >= s_stall;
                        s_data  <= {$random, $random, $random};
                    end
                end
                m_ready <= ($random & 3) >= m_stall;
            end
        end
    endgenerate

endmodule

`default_nettype wire
