// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_sqrt: the square root of IEEE 754-2019, rounded to nearest even. A NaN and a number below zero give the quiet NaN;
// the root of -0 is -0.
//
// Latency     3 + ceil((SIGNIFICAND + 1) / DIGITS); one root per cycle, all registers move in every cycle
// Resources   Cyclone V by Yosys, binary32 at DIGITS 1: 1502 ALUTs, 1430 registers
// Parameters  EXPONENT     bits of the exponent: 8 for binary32, 11 for binary64
//             SIGNIFICAND  bits of the significand with the hidden one: 24, 53
//             DIGITS       bits of the root per cycle, at least 1
//
// The significand is shifted to begin with a one; then one row of a subtractor and a multiplexer per bit.
`default_nettype none

module fp_sqrt #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24,
    parameter integer DIGITS      = 1
) (
    input  wire                            clk,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_a,
    output wire [EXPONENT+SIGNIFICAND-1:0] m_result
);

    generate
        if (DIGITS < 1) begin : illegal_digits
            fp_sqrt_error_DIGITS_must_be_at_least_1 stop ();
        end
    endgenerate

    localparam integer FRACTION = SIGNIFICAND - 1;
    localparam integer WIDTH    = EXPONENT + SIGNIFICAND;
    localparam integer COUNT    = $clog2(SIGNIFICAND + 1);
    localparam integer RANGE    = EXPONENT + 1;
    // The root's significand and its guard.
    localparam integer ROOT     = SIGNIFICAND + 1;
    localparam integer ROWS     = (ROOT + DIGITS - 1) / DIGITS;
    localparam integer REST     = ROOT + 2;

    // fp_round wants the exponent without the significand's top bit; infinity has the greatest.
    localparam [EXPONENT-1:0] BIAS    = {2'b00, {(EXPONENT - 3) {1'b1}}, 1'b0};
    localparam [EXPONENT-1:0] HIGHEST = {{(EXPONENT - 1) {1'b1}}, 1'b0};

    wire             hidden = |s_a[WIDTH-2:FRACTION];
    wire             ones   = &s_a[WIDTH-2:FRACTION];
    wire             none   = s_a[FRACTION-1:0] == {FRACTION{1'b0}};
    wire             zero   = !hidden && none;
    wire             nan    = (ones && !none) || (s_a[WIDTH-1] && !zero);
    wire [COUNT-1:0] zeros_0;
    wire [COUNT-1:0] zeros;

    leading_zeros #(
        .WIDTH       (SIGNIFICAND),
        .COUNT_WIDTH (COUNT)
    ) u_zeros (
        .s_data  ({hidden, s_a[FRACTION-1:0]}),
        .m_count (zeros_0)
    );

    wire                   sign_1;
    wire                   infinite_1;
    wire                   nan_1;
    wire                   zero_1;
    wire [EXPONENT-1:0]    exponent_1;
    wire [SIGNIFICAND-1:0] unshifted;

    delay_line #(
        .WIDTH  (4 + WIDTH + COUNT),
        .CYCLES (1)
    ) u_count (
        .clk    (clk),
        .s_data ({s_a[WIDTH-1], ones || nan, nan, zero,
                  zeros_0, s_a[WIDTH-2:SIGNIFICAND], s_a[FRACTION] || !hidden, hidden, s_a[FRACTION-1:0]}),
        .m_data ({sign_1, infinite_1, nan_1, zero_1, zeros, exponent_1, unshifted})
    );

    // Biased exponents of even numbers are odd: their significand is in [1, 2), that of the others in [2, 4). Infinity is
    // the root of 1 with the greatest exponent, and a NaN, 1.5 with that, the root of 2.25.
    wire [RANGE-1:0]       shifted_exponent = {1'b0, exponent_1} - {{(RANGE - COUNT) {1'b0}}, zeros};
    wire                   sign_2;
    wire                   infinite_2;
    wire                   zero_2;
    wire [RANGE-1:0]       exponent_2;
    wire [SIGNIFICAND-1:0] significand;

    delay_line #(
        .WIDTH  (3 + RANGE + SIGNIFICAND),
        .CYCLES (1)
    ) u_shift (
        .clk    (clk),
        .s_data ({sign_1, infinite_1, zero_1,
                  nan_1 ? {{RANGE{1'b0}}, 4'b1001, {(SIGNIFICAND - 4) {1'b0}}} : {shifted_exponent, unshifted << zeros}}),
        .m_data ({sign_2, infinite_2, zero_2, exponent_2, significand})
    );

    wire                odd     = exponent_2[0];
    wire [ROOT-1:0]     operand = odd ? {1'b0, significand} : {significand, 1'b0};
    wire [EXPONENT-1:0] half    = exponent_2[RANGE-1:1] + BIAS + {{(EXPONENT - 1) {1'b0}}, odd};
    wire                sign_out;
    wire [EXPONENT-1:0] field;

    delay_line #(
        .WIDTH  (1 + EXPONENT),
        .CYCLES (ROWS)
    ) u_exponent (
        .clk    (clk),
        .s_data ({sign_2, infinite_2 ? HIGHEST : zero_2 ? {EXPONENT{1'b0}} : half}),
        .m_data ({sign_out, field})
    );

    // Row i finds the root's bits from i DIGITS on. Each takes two bits of the operand, zeros behind its end. A row's
    // operands are the results of the row before.
    genvar row;

    generate
        for (row = 0; row < ROWS; row = row + 1) begin : rows
            localparam integer LAST = row == ROWS - 1 ? ROOT - row * DIGITS : DIGITS;

            wire [REST-1:0] remainder_in;
            wire [ROOT-1:0] left_in;
            wire [ROOT-1:0] root_in;
            wire [REST-1:0] remainder_out;
            /* verilator lint_off UNUSEDSIGNAL */ // the last row leaves nothing of the operand
            wire [ROOT-1:0] left_out;
            /* verilator lint_on UNUSEDSIGNAL */
            wire [ROOT-1:0] root_out;

            if (row == 0) begin : first
                assign remainder_in = {REST{1'b0}};
                assign left_in      = operand;
                assign root_in      = {ROOT{1'b0}};
            end else begin : others
                assign remainder_in = rows[row-1].remainder_out;
                assign left_in      = rows[row-1].left_out;
                assign root_in      = rows[row-1].root_out;
            end

            reg [REST-1:0] remainder;
            reg [REST-1:0] rest;
            reg            fits;
            reg [ROOT-1:0] left;
            reg [ROOT-1:0] root;
            integer        digit;

            always @* begin
                remainder = remainder_in;
                left      = left_in;
                root      = root_in;
                for (digit = 0; digit < LAST; digit = digit + 1) begin
                    remainder    = {remainder[REST-3:0], left[ROOT-1:ROOT-2]};
                    {fits, rest} = {1'b1, remainder} - {1'b0, root, 2'b01};
                    remainder    = fits ? rest : remainder;
                    left         = left << 2;
                    root         = {root[ROOT-2:0], fits};
                end
            end

            delay_line #(
                .WIDTH  (REST + 2 * ROOT),
                .CYCLES (1)
            ) u_row (
                .clk    (clk),
                .s_data ({remainder, left, root}),
                .m_data ({remainder_out, left_out, root_out})
            );
        end
    endgenerate

    wire [ROOT-1:0]  root_out = rows[ROWS-1].root_out;
    wire             inexact  = rows[ROWS-1].remainder_out != {REST{1'b0}};
    wire [WIDTH-1:0] rounded;

    // The root of a number is never subnormal, and never a power of two by rounding up but where that fits.
    fp_round #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND)
    ) u_round (
        .s_sign     (sign_out),
        .s_number   ({field, root_out[SIGNIFICAND-1:0]}),
        .s_addend   ({{(EXPONENT - 1) {1'b0}}, root_out[SIGNIFICAND], {SIGNIFICAND{1'b0}}}),
        .s_sticky   (inexact),
        .m_result   (rounded)
    );

    delay_line #(
        .WIDTH  (WIDTH),
        .CYCLES (1)
    ) u_result (
        .clk    (clk),
        .s_data (rounded),
        .m_data (m_result)
    );

endmodule

`default_nettype wire
