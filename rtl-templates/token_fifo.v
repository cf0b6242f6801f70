// SPDX-License-Identifier: MIT OR Apache-2.0
//
// token_fifo: a counting semaphore; a fifo without payload.
//
// Latency     one cycle from a token's entry to m_valid, one cycle from its exit to s_ready.
// Parameters  DEPTH    tokens it holds, at least 1, exact
//             INITIAL  tokens it holds after reset, 0 to DEPTH
// Handshake   s_ready and m_valid come from the counter alone, so no combinational path joins the two sides. Full
//             throughput from DEPTH 2 on; at DEPTH 1 a token enters in every second cycle at best.
`default_nettype none

module token_fifo #(
    parameter integer DEPTH   = 2,
    parameter integer INITIAL = 0
) (
    input  wire clk,
    input  wire rst,
    input  wire s_valid,
    output wire s_ready,
    output wire m_valid,
    input  wire m_ready
);

    generate
        if (DEPTH < 1) begin : illegal_depth
            token_fifo_error_DEPTH_must_be_at_least_1 stop ();
        end
        if (INITIAL < 0 || INITIAL > DEPTH) begin : illegal_initial
            token_fifo_error_INITIAL_must_be_0_to_DEPTH stop ();
        end
    endgenerate

    localparam integer COUNT_WIDTH = $clog2(DEPTH + 1);

    localparam [COUNT_WIDTH-1:0] FULL  = DEPTH[COUNT_WIDTH-1:0];
    localparam [COUNT_WIDTH-1:0] START = INITIAL[COUNT_WIDTH-1:0];
    localparam [COUNT_WIDTH-1:0] EMPTY = {COUNT_WIDTH{1'b0}};
    localparam [COUNT_WIDTH-1:0] ONE   = EMPTY + 1'b1;

    reg [COUNT_WIDTH-1:0] count_reg;
    reg [COUNT_WIDTH-1:0] count_next;

    wire push = s_valid && s_ready;
    wire pop  = m_valid && m_ready;

    assign s_ready = count_reg != FULL;
    assign m_valid = count_reg != EMPTY;

    always @* begin
        count_next = count_reg;
        if (push && !pop) begin
            count_next = count_reg + ONE;
        end else if (pop && !push) begin
            count_next = count_reg - ONE;
        end
    end

    always @(posedge clk) begin
        count_reg <= count_next;
        if (rst) begin
            count_reg <= START;
        end
    end

`ifdef FORMAL
    // The count never leaves 0 to DEPTH, and a token that waits stays.
    reg started_reg = 1'b0;
    reg waiting_reg = 1'b0;

    always @(posedge clk) begin
        started_reg <= 1'b1;
        waiting_reg <= started_reg && !rst && m_valid && !m_ready;
    end

    always @* begin
        assume (rst == !started_reg);
        if (started_reg) begin
            assert (count_reg <= FULL);
            assert (!waiting_reg || m_valid);
            cover (!s_ready);
            cover (!m_valid);
            cover (waiting_reg && pop);
        end
    end
`endif

endmodule

`default_nettype wire
