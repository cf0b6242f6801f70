// Bench of fifo: ten depths side by side, each compared in every cycle with a queue that knows nothing of pointers.
`default_nettype none
`timescale 1ns / 1ps

module tb_fifo;

    localparam integer CASES   = 10;
    localparam integer CYCLES  = 6000;
    localparam integer RESTART = 3000;

    function integer depth_of(input integer index);
        case (index)
            0:       depth_of = 1;
            1:       depth_of = 2;
            2:       depth_of = 3;
            3:       depth_of = 4;
            4:       depth_of = 5;
            5:       depth_of = 7;
            6:       depth_of = 8;
            7:       depth_of = 9;
            8:       depth_of = 16;
            default: depth_of = 17;
        endcase
    endfunction

    function integer capacity_of(input integer depth);
        begin
            capacity_of = 4;
            while (capacity_of < depth) begin
                capacity_of = 2 * capacity_of;
            end
        end
    endfunction

    localparam INSTANCE = "depth";

`include "cell_bench.vh"
`include "cycles_bench.vh"

    // Chances in 4 that a side stalls; both change now and then, and are 0 for a while at the beginning.
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
        for (index = 0; index < CASES; index = index + 1) begin : depths
            localparam integer DEPTH    = depth_of(index);
            localparam integer CAPACITY = capacity_of(DEPTH);
            localparam integer WIDTH    = 5 + 7 * index;

            reg              s_valid = 1'b0;
            wire             s_ready;
            reg  [WIDTH-1:0] s_data = 0;
            wire             m_valid;
            reg              m_ready = 1'b0;
            wire [WIDTH-1:0] m_data;

            reg [WIDTH-1:0] queue [0:CYCLES];
            integer         queue_head = 0;
            integer         queue_tail = 0;
            integer         queue_seen = 0;  // the tail of the cycle before

            fifo #(
                .WIDTH (WIDTH),
                .DEPTH (DEPTH)
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
                    queue_seen = queue_tail;
                    s_valid <= 1'b0;
                end else begin
                    // The output holds one word more, or not yet.
                    check(s_ready || queue_tail - queue_head >= CAPACITY, DEPTH, "s_ready low");
                    check(!s_ready || queue_tail - queue_head <= CAPACITY, DEPTH, "s_ready high");
                    check(m_valid === (queue_seen != queue_head), DEPTH, "m_valid");
                    if (m_valid) begin
                        check(m_data === queue[queue_head], DEPTH, "m_data");
                    end
                    queue_seen = queue_tail;
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
