// Bench of token_fifo: depths and initial fillings side by side, each compared in every cycle with a plain count.
`default_nettype none
`timescale 1ns / 1ps

module tb_token_fifo;

    localparam integer CASES   = 8;
    localparam integer CYCLES  = 6000;
    localparam integer RESTART = 3000;

    function integer depth_of(input integer index);
        case (index)
            0, 1:    depth_of = 1;
            2, 3:    depth_of = 2;
            4:       depth_of = 3;
            5:       depth_of = 4;
            6:       depth_of = 5;
            default: depth_of = 8;
        endcase
    endfunction

    function integer initial_of(input integer index);
        case (index)
            1, 4:    initial_of = 1;
            3, 6:    initial_of = 2;
            5:       initial_of = 4;
            default: initial_of = 0;
        endcase
    endfunction

    localparam INSTANCE = "depth";

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
        for (index = 0; index < CASES; index = index + 1) begin : depths
            localparam integer DEPTH   = depth_of(index);
            localparam integer INITIAL = initial_of(index);

            reg  s_valid = 1'b0;
            wire s_ready;
            wire m_valid;
            reg  m_ready = 1'b0;

            integer tokens = 0;

            token_fifo #(
                .DEPTH   (DEPTH),
                .INITIAL (INITIAL)
            ) dut (
                .clk     (clk),
                .rst     (rst),
                .s_valid (s_valid),
                .s_ready (s_ready),
                .m_valid (m_valid),
                .m_ready (m_ready)
            );

            always @(posedge clk) begin
                if (rst) begin
                    tokens = INITIAL;
                    s_valid <= 1'b0;
                end else begin
                    check(s_ready === (tokens < DEPTH), DEPTH, "s_ready");
                    check(m_valid === (tokens > 0), DEPTH, "m_valid");
                    tokens = tokens + (s_valid && s_ready ? 1 : 0) - (m_valid && m_ready ? 1 : 0);
                    if (!s_valid || s_ready) begin
                        s_valid <= ($random & 3) >= s_stall;
                    end
                end
                m_ready <= ($random & 3) >= m_stall;
            end
        end
    endgenerate

endmodule

`default_nettype wire
