// SPDX-License-Identifier: MIT OR Apache-2.0
//
// divide_serial: quotient and remainder as C has them, truncated towards zero, one bit per cycle.
//
// Latency     WIDTH + 2 cycles from the operands' transfer to m_valid, whatever the operands.
// Parameters  WIDTH   bits of the operands and results, at least 1
//             SIGNED  1: two's complement, 0: unsigned
// Handshake   one division at a time: s_ready falls after the operands' transfer and rises again with m_valid, which
//             is high for one cycle. The results hold until the next division's.
//
// What C leaves undefined: x / 0 is all ones and x % 0 is x; the smallest number divided by -1 is itself, remainder 0.
`default_nettype none

module divide_serial #(
    parameter integer WIDTH  = 32,
    parameter integer SIGNED = 1
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             s_valid,
    output wire             s_ready,
    input  wire [WIDTH-1:0] s_dividend,
    input  wire [WIDTH-1:0] s_divisor,
    output wire             m_valid,
    output wire [WIDTH-1:0] m_quotient,
    output wire [WIDTH-1:0] m_remainder
);

    generate
        if (WIDTH < 1) begin : illegal_width
            divide_serial_error_WIDTH_must_be_at_least_1 stop ();
        end
        if (SIGNED != 0 && SIGNED != 1) begin : illegal_signed
            divide_serial_error_SIGNED_must_be_0_or_1 stop ();
        end
    endgenerate

    localparam integer COUNT_WIDTH = $clog2(WIDTH + 1);

    localparam [COUNT_WIDTH-1:0] ALL  = WIDTH[COUNT_WIDTH-1:0];
    localparam [COUNT_WIDTH-1:0] NONE = {COUNT_WIDTH{1'b0}};
    localparam [COUNT_WIDTH-1:0] ONE  = NONE + 1'b1;

    reg                   busy_reg;
    reg                   busy_next;
    reg                   m_valid_reg;
    reg                   m_valid_next;
    // Bits of the quotient still to come.
    reg [COUNT_WIDTH-1:0] left_reg;
    reg                   negate_quotient_reg;
    reg                   negate_remainder_reg;
    reg [WIDTH-1:0]       divisor_reg;
    reg [WIDTH-1:0]       remainder_reg;
    // Bits of the dividend leave at the top, bits of the quotient enter at the bottom.
    reg [WIDTH-1:0]       quotient_reg;
    reg [WIDTH-1:0]       m_quotient_reg;
    reg [WIDTH-1:0]       m_remainder_reg;

    wire transfer          = s_valid && s_ready;
    wire finish            = busy_reg && left_reg == NONE;
    wire dividend_negative = SIGNED == 1 && s_dividend[WIDTH-1];
    wire divisor_negative  = SIGNED == 1 && s_divisor[WIDTH-1];

    wire [WIDTH:0]   shifted = {remainder_reg, quotient_reg[WIDTH-1]};
    wire             fits    = shifted >= {1'b0, divisor_reg};
    wire [WIDTH-1:0] rest    = shifted[WIDTH-1:0] - divisor_reg;

    wire [WIDTH-1:0] next_quotient;

    generate
        if (WIDTH == 1) begin : one_bit
            assign next_quotient = fits;
        end else begin : several_bits
            assign next_quotient = {quotient_reg[WIDTH-2:0], fits};
        end
    endgenerate

    assign s_ready     = !busy_reg;
    assign m_valid     = m_valid_reg;
    assign m_quotient  = m_quotient_reg;
    assign m_remainder = m_remainder_reg;

    always @* begin
        busy_next    = busy_reg;
        m_valid_next = finish;
        if (transfer) begin
            busy_next = 1'b1;
        end else if (finish) begin
            busy_next = 1'b0;
        end
    end

    always @(posedge clk) begin
        if (transfer) begin
            left_reg             <= ALL;
            divisor_reg          <= divisor_negative ? -s_divisor : s_divisor;
            remainder_reg        <= {WIDTH{1'b0}};
            quotient_reg         <= dividend_negative ? -s_dividend : s_dividend;
            // The quotient by zero is all ones as it stands.
            negate_quotient_reg  <= dividend_negative != divisor_negative && s_divisor != {WIDTH{1'b0}};
            negate_remainder_reg <= dividend_negative;
        end else if (!finish) begin
            left_reg      <= left_reg - ONE;
            remainder_reg <= fits ? rest : shifted[WIDTH-1:0];
            quotient_reg  <= next_quotient;
        end
        if (finish) begin
            m_quotient_reg  <= negate_quotient_reg ? -quotient_reg : quotient_reg;
            m_remainder_reg <= negate_remainder_reg ? -remainder_reg : remainder_reg;
        end
    end

    always @(posedge clk) begin
        busy_reg    <= busy_next;
        m_valid_reg <= m_valid_next;
        if (rst) begin
            busy_reg    <= 1'b0;
            m_valid_reg <= 1'b0;
        end
    end

`ifdef FORMAL
    // The results hold; no operands are taken while a division is under way, which ends in time.
    reg                   started_reg = 1'b0;
    reg                   waiting_reg = 1'b0;
    reg [WIDTH-1:0]       waiting_quotient_reg;
    reg [WIDTH-1:0]       waiting_remainder_reg;

    always @(posedge clk) begin
        started_reg           <= 1'b1;
        waiting_reg           <= started_reg && !rst && !finish;
        waiting_quotient_reg  <= m_quotient;
        waiting_remainder_reg <= m_remainder;
    end

    always @* begin
        assume (rst == !started_reg);
        if (started_reg) begin
            assert (!(busy_reg && m_valid_reg));
            assert (!busy_reg || left_reg <= ALL);
            if (waiting_reg) begin
                assert (m_quotient == waiting_quotient_reg && m_remainder == waiting_remainder_reg);
            end
            cover (m_valid && m_quotient != {WIDTH{1'b0}});
            cover (m_valid && m_remainder != {WIDTH{1'b0}});
        end
    end
`endif

endmodule

`default_nettype wire
