// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_divide: a / b of IEEE 754-2019, rounded to nearest even, with subnormal numbers. Any NaN gives the quiet NaN.
//
// Latency     6 + ceil((SIGNIFICAND + 2) / DIGITS); one quotient per cycle, all registers move in every
//             cycle
// Resources   Cyclone V by Yosys, binary32 at DIGITS 1: 1707 ALUTs, 2280 registers
// Parameters  EXPONENT     bits of the exponent: 8 for binary32, 11 for binary64
//             SIGNIFICAND  bits of the significand with the hidden one: 24, 53
//             DIGITS       bits of the quotient per cycle, at least 1
//
// Both significands are shifted to begin with a one; then one row of a subtractor and a multiplexer per bit.
`default_nettype none

module fp_divide #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24,
    parameter integer DIGITS      = 1
) (
    input  wire                            clk,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_a,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_b,
    output wire [EXPONENT+SIGNIFICAND-1:0] m_result
);

    generate
        if (DIGITS < 1) begin : illegal_digits
            fp_divide_error_DIGITS_must_be_at_least_1 stop ();
        end
    endgenerate

    localparam integer FRACTION = SIGNIFICAND - 1;
    localparam integer WIDTH    = EXPONENT + SIGNIFICAND;
    localparam integer COUNT    = $clog2(SIGNIFICAND + 1);
    localparam integer RANGE    = EXPONENT + 2;
    // The first bit of the quotient counts 1 and may be zero; the significand and its guard follow.
    localparam integer QUOTIENT = SIGNIFICAND + 2;
    localparam integer ROWS     = (QUOTIENT + DIGITS - 1) / DIGITS;

    // fp_pack counts from one exponent lower.
    localparam [RANGE-1:0] BIAS = {{(RANGE - EXPONENT + 1) {1'b0}}, {(EXPONENT - 2) {1'b1}}, 1'b0};

    wire hidden_a = |s_a[WIDTH-2:FRACTION];
    wire hidden_b = |s_b[WIDTH-2:FRACTION];
    wire ones_a   = &s_a[WIDTH-2:FRACTION];
    wire ones_b   = &s_b[WIDTH-2:FRACTION];
    wire none_a   = s_a[FRACTION-1:0] == {FRACTION{1'b0}};
    wire none_b   = s_b[FRACTION-1:0] == {FRACTION{1'b0}};
    wire zero_a   = !hidden_a && none_a;
    wire zero_b   = !hidden_b && none_b;

    wire sign     = s_a[WIDTH-1] != s_b[WIDTH-1];
    wire infinite = ones_a || zero_b;
    wire zero     = zero_a || ones_b;
    // 0 / 0 and infinity / infinity are no numbers.
    wire nan      = (ones_a && (!none_a || ones_b)) || (ones_b && !none_b) || (zero_a && zero_b);

    wire [COUNT-1:0] zeros_a_0;
    wire [COUNT-1:0] zeros_b_0;
    wire [COUNT-1:0] zeros_a;
    wire [COUNT-1:0] zeros_b;

    leading_zeros #(
        .WIDTH       (SIGNIFICAND),
        .COUNT_WIDTH (COUNT)
    ) u_zeros_a (
        .s_data  ({hidden_a, s_a[FRACTION-1:0]}),
        .m_count (zeros_a_0)
    );

    leading_zeros #(
        .WIDTH       (SIGNIFICAND),
        .COUNT_WIDTH (COUNT)
    ) u_zeros_b (
        .s_data  ({hidden_b, s_b[FRACTION-1:0]}),
        .m_count (zeros_b_0)
    );

    wire [EXPONENT-1:0]    exponent_a;
    wire [EXPONENT-1:0]    exponent_b;
    wire [SIGNIFICAND-1:0] unshifted_a;
    wire [SIGNIFICAND-1:0] unshifted_b;

    delay_line #(
        .WIDTH  (2 * WIDTH + 2 * COUNT),
        .CYCLES (1)
    ) u_count (
        .clk    (clk),
        .s_data ({zeros_a_0, s_a[WIDTH-2:SIGNIFICAND], s_a[FRACTION] || !hidden_a, hidden_a, s_a[FRACTION-1:0],
                  zeros_b_0, s_b[WIDTH-2:SIGNIFICAND], s_b[FRACTION] || !hidden_b, hidden_b, s_b[FRACTION-1:0]}),
        .m_data ({zeros_a, exponent_a, unshifted_a, zeros_b, exponent_b, unshifted_b})
    );

    wire [RANGE-1:0]       difference_1 = {2'b00, exponent_a} - {2'b00, exponent_b} + BIAS;
    wire [RANGE-1:0]       zeros_1      = {{(RANGE - COUNT) {1'b0}}, zeros_b} - {{(RANGE - COUNT) {1'b0}}, zeros_a};
    wire [RANGE-1:0]       difference;
    wire [RANGE-1:0]       zeros;
    wire [SIGNIFICAND-1:0] a;
    wire [SIGNIFICAND-1:0] b;

    delay_line #(
        .WIDTH  (2 * RANGE + 2 * SIGNIFICAND),
        .CYCLES (1)
    ) u_shift (
        .clk    (clk),
        .s_data ({difference_1, zeros_1, unshifted_a << zeros_a, unshifted_b << zeros_b}),
        .m_data ({difference, zeros, a, b})
    );

    wire [RANGE-1:0] exponent;
    wire             sign_out;
    wire             infinite_out;
    wire             zero_out;
    wire             nan_out;

    delay_line #(
        .WIDTH  (RANGE),
        .CYCLES (ROWS)
    ) u_exponent (
        .clk    (clk),
        .s_data (difference + zeros),
        .m_data (exponent)
    );

    delay_line #(
        .WIDTH  (4),
        .CYCLES (ROWS + 2)
    ) u_flags (
        .clk    (clk),
        .s_data ({sign, infinite, zero, nan}),
        .m_data ({sign_out, infinite_out, zero_out, nan_out})
    );

    // Row i finds the quotient's bits from i DIGITS on. The remainder is less than twice the divisor. A row's operands
    // are the results of the row before.
    genvar row;

    generate
        for (row = 0; row < ROWS; row = row + 1) begin : rows
            localparam integer LAST = row == ROWS - 1 ? QUOTIENT - row * DIGITS : DIGITS;

            wire [SIGNIFICAND:0]   remainder_in;
            wire [SIGNIFICAND-1:0] divisor_in;
            wire [QUOTIENT-1:0]    quotient_in;
            wire [SIGNIFICAND:0]   remainder_out;
            /* verilator lint_off UNUSEDSIGNAL */ // nobody divides behind the last row
            wire [SIGNIFICAND-1:0] divisor_out;
            /* verilator lint_on UNUSEDSIGNAL */
            wire [QUOTIENT-1:0]    quotient_out;

            if (row == 0) begin : first
                assign remainder_in = {1'b0, a};
                assign divisor_in   = b;
                assign quotient_in  = {QUOTIENT{1'b0}};
            end else begin : others
                assign remainder_in = rows[row-1].remainder_out;
                assign divisor_in   = rows[row-1].divisor_out;
                assign quotient_in  = rows[row-1].quotient_out;
            end

            reg [SIGNIFICAND:0] remainder;
            reg [SIGNIFICAND:0] rest;
            reg                 fits;
            reg [QUOTIENT-1:0]  quotient;
            integer             digit;

            always @* begin
                remainder = remainder_in;
                quotient  = quotient_in;
                for (digit = 0; digit < LAST; digit = digit + 1) begin
                    {fits, rest} = {1'b1, remainder} - {2'b00, divisor_in};
                    remainder    = fits ? rest << 1 : remainder << 1;
                    quotient     = {quotient[QUOTIENT-2:0], fits};
                end
            end

            delay_line #(
                .WIDTH  (2 * SIGNIFICAND + 1 + QUOTIENT),
                .CYCLES (1)
            ) u_row (
                .clk    (clk),
                .s_data ({remainder, divisor_in, quotient}),
                .m_data ({remainder_out, divisor_out, quotient_out})
            );
        end
    endgenerate

    wire [QUOTIENT-1:0] quotient_out = rows[ROWS-1].quotient_out;
    wire                inexact      = rows[ROWS-1].remainder_out != {(SIGNIFICAND + 1) {1'b0}};

    fp_pack #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .RANGE       (RANGE),
        .WORD        (QUOTIENT + 1),
        .COUNT       (COUNT),
        .ZEROS       (1),
        .CUT_COUNT   (0),
        .CUT_FIRST   (0),
        .CUT_SECOND  (1),
        .CUT_THIRD   (1),
        .CUT_LAST    (1)
    ) u_pack (
        .clk        (clk),
        .s_sign     (sign_out),
        .s_exponent (exponent),
        .s_word     ({quotient_out & {QUOTIENT{!zero_out}}, inexact && !zero_out}),
        .s_zero     (zero_out),
        .s_infinite (infinite_out || nan_out),
        .s_nan      (nan_out),
        .m_result   (m_result)
    );

endmodule

`default_nettype wire
