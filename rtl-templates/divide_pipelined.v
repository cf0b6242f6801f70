// SPDX-License-Identifier: MIT OR Apache-2.0
//
// divide_pipelined: quotient and remainder as C has them, truncated towards zero; one division per cycle.
//
// Latency     WIDTH + 2, all registers move in every cycle
// Parameters  WIDTH   bits of the operands and results, at least 1
//             SIGNED  1: two's complement, 0: unsigned
//
// One row of a subtractor and a multiplexer per bit of the quotient. What C leaves undefined is as in divide_serial:
// x / 0 is all ones and x % 0 is x; the smallest number divided by -1 is itself, remainder 0.
`default_nettype none

module divide_pipelined #(
    parameter integer WIDTH  = 32,
    parameter integer SIGNED = 1
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] s_dividend,
    input  wire [WIDTH-1:0] s_divisor,
    output wire [WIDTH-1:0] m_quotient,
    output wire [WIDTH-1:0] m_remainder
);

    generate
        if (WIDTH < 1) begin : illegal_width
            divide_pipelined_error_WIDTH_must_be_at_least_1 stop ();
        end
        if (SIGNED != 0 && SIGNED != 1) begin : illegal_signed
            divide_pipelined_error_SIGNED_must_be_0_or_1 stop ();
        end
    endgenerate

    wire dividend_negative = SIGNED == 1 && s_dividend[WIDTH-1];
    wire divisor_negative  = SIGNED == 1 && s_divisor[WIDTH-1];

    reg [WIDTH-1:0] dividend_reg;
    reg [WIDTH-1:0] divisor_reg;
    wire            negate_quotient;
    wire            negate_remainder;
    reg [WIDTH-1:0] m_quotient_reg;
    reg [WIDTH-1:0] m_remainder_reg;

    assign m_quotient  = m_quotient_reg;
    assign m_remainder = m_remainder_reg;

    // The quotient by zero is all ones as it stands.
    delay_line #(
        .WIDTH  (2),
        .CYCLES (WIDTH + 1)
    ) u_signs (
        .clk    (clk),
        .s_data ({dividend_negative != divisor_negative && s_divisor != {WIDTH{1'b0}}, dividend_negative}),
        .m_data ({negate_quotient, negate_remainder})
    );

    // Row i finds the quotient's bit i from the top. Bits of the dividend leave at the top, bits of the quotient enter at the
    // bottom; the remainder has one bit more in every row.
    genvar row;

    generate
        for (row = 0; row < WIDTH; row = row + 1) begin : rows
            wire [WIDTH-1:0] bits;
            wire [WIDTH-1:0] divisor;
            wire [row:0]     shifted;
            wire [WIDTH-1:0] next_bits;

            if (row == 0) begin : first
                assign bits    = dividend_reg;
                assign divisor = divisor_reg;
                assign shifted = bits[WIDTH-1];
            end else begin : behind
                assign bits    = rows[row-1].bits_reg;
                assign divisor = rows[row-1].row_divisor_reg;
                assign shifted = {rows[row-1].remainder_reg, bits[WIDTH-1]};
            end

            // A divisor with bits above the remainder's is larger.
            wire [WIDTH:0] above = {1'b0, divisor} >> (row + 1);
            wire [row+1:0] rest  = {1'b0, shifted} - {1'b0, divisor[row:0]};
            wire           fits  = above == {(WIDTH + 1) {1'b0}} && !rest[row+1];

            if (WIDTH == 1) begin : one_bit
                assign next_bits = fits;
            end else begin : several_bits
                assign next_bits = {bits[WIDTH-2:0], fits};
            end

            reg [WIDTH-1:0] bits_reg;
            /* verilator lint_off UNUSEDSIGNAL */ // nobody divides behind the last row
            reg [WIDTH-1:0] row_divisor_reg;
            /* verilator lint_on UNUSEDSIGNAL */
            reg [row:0]     remainder_reg;

            always @(posedge clk) begin
                bits_reg        <= next_bits;
                row_divisor_reg <= divisor;
                remainder_reg   <= fits ? rest[row:0] : shifted;
            end
        end
    endgenerate

    wire [WIDTH-1:0] quotient  = rows[WIDTH-1].bits_reg;
    wire [WIDTH-1:0] remainder = rows[WIDTH-1].remainder_reg;

    always @(posedge clk) begin
        dividend_reg    <= dividend_negative ? -s_dividend : s_dividend;
        divisor_reg     <= divisor_negative ? -s_divisor : s_divisor;
        m_quotient_reg  <= negate_quotient ? -quotient : quotient;
        m_remainder_reg <= negate_remainder ? -remainder : remainder;
    end

endmodule

`default_nettype wire
