// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_add: a + b of IEEE 754-2019, rounded to nearest even, with subnormal numbers. Any NaN gives the quiet NaN. For
// a - b, invert the sign of b.
//
// Latency     LATENCY; one sum per cycle, all registers move in every cycle
// Resources   Cyclone V by Yosys: binary32 at LATENCY 8 440 ALUTs, 395 registers; binary64 at LATENCY 9 925, 874. ECP5,
//             speed grade 8, by nextpnr: about 200 and 175 MHz
// Parameters  EXPONENT     bits of the exponent: 8 for binary32, 11 for binary64
//             SIGNIFICAND  bits of the significand with the hidden one: 24, 53
//             LATENCY      1 to 9
//
// One path: the number of less magnitude is shifted right and added, the sum is shifted left, but not below the least
// exponent, and rounded.
`default_nettype none

module fp_add #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24,
    parameter integer LATENCY     = 9
) (
    input  wire                            clk,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_a,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_b,
    output wire [EXPONENT+SIGNIFICAND-1:0] m_result
);

    generate
        if (LATENCY < 1 || LATENCY > 9) begin : illegal_latency
            fp_add_error_LATENCY_must_be_1_to_9 stop ();
        end
    endgenerate

    localparam integer FRACTION = SIGNIFICAND - 1;
    localparam integer WIDTH    = EXPONENT + SIGNIFICAND;
    // The smaller number with two more bits, guard and round; its bits below are one sticky bit. The sum has a carry.
    localparam integer SMALL    = SIGNIFICAND + 2;
    localparam integer SUM      = SMALL + 1;
    localparam integer RIGHT    = $clog2(SMALL + 1);
    localparam integer MIDDLE   = RIGHT - 2;
    localparam integer LEFT     = $clog2(SUM + 1);
    // The exponent of infinity, less the significand's top bit.
    localparam [EXPONENT-1:0] HIGHEST = {{(EXPONENT - 1) {1'b1}}, 1'b0};

    // Registers behind the steps, in the order in which more latency adds them. One always ends the last step.
    localparam integer CUT_ADD     = LATENCY >= 2 ? 1 : 0;
    localparam integer CUT_SWAP    = LATENCY >= 3 ? 1 : 0;
    localparam integer CUT_COUNT   = LATENCY >= 4 ? 1 : 0;
    localparam integer CUT_SHIFT   = LATENCY >= 5 ? 1 : 0;
    localparam integer CUT_ALIGN   = LATENCY >= 6 ? 1 : 0;
    localparam integer CUT_COMPARE = LATENCY >= 7 ? 1 : 0;
    localparam integer CUT_LIMIT   = LATENCY >= 8 ? 1 : 0;
    localparam integer CUT_COARSE  = LATENCY >= 9 ? 1 : 0;

    // Compare.
    wire             swap_0       = s_a[WIDTH-2:0] < s_b[WIDTH-2:0];
    wire             hidden_a_0   = |s_a[WIDTH-2:FRACTION];
    wire             hidden_b_0   = |s_b[WIDTH-2:FRACTION];
    wire [WIDTH-1:0] a;
    wire [WIDTH-1:0] b;
    wire             swap;
    wire             hidden_a;
    wire             hidden_b;

    delay_line #(
        .WIDTH  (2 * WIDTH + 3),
        .CYCLES (CUT_COMPARE)
    ) u_compare (
        .clk    (clk),
        .s_data ({s_a, s_b, swap_0, hidden_a_0, hidden_b_0}),
        .m_data ({a, b, swap, hidden_a, hidden_b})
    );

    // Swap. A subnormal number has the exponent 1 and no hidden one. For a difference, the smaller number is inverted.
    wire                   subtract_1   = a[WIDTH-1] != b[WIDTH-1];
    wire                   sign_1       = swap ? b[WIDTH-1] : a[WIDTH-1];
    wire [WIDTH-2:0]       large_1      = swap ? b[WIDTH-2:0] : a[WIDTH-2:0];
    wire [WIDTH-2:0]       small_1      = swap ? a[WIDTH-2:0] : b[WIDTH-2:0];
    wire                   hidden_l_1   = swap ? hidden_b : hidden_a;
    wire                   hidden_s_1   = swap ? hidden_a : hidden_b;
    wire [EXPONENT-1:0]    exponent_1   = {large_1[WIDTH-2:SIGNIFICAND], large_1[FRACTION] || !hidden_l_1};
    wire [EXPONENT-1:0]    less_1       = {small_1[WIDTH-2:SIGNIFICAND], small_1[FRACTION] || !hidden_s_1};
    wire [EXPONENT-1:0]    distance_1   = exponent_1 - less_1;
    wire [SIGNIFICAND-1:0] operand_1    = {hidden_s_1, small_1[FRACTION-1:0]} ^ {SIGNIFICAND{subtract_1}};
    wire                   less_ones_1  = &small_1[WIDTH-2:FRACTION];

    wire                   subtract;
    wire                   sign_2;
    wire                   less_ones;
    wire [EXPONENT-1:0]    exponent_2;
    wire [EXPONENT-1:0]    distance;
    wire [SIGNIFICAND-1:0] large_2;
    wire [SIGNIFICAND-1:0] operand;

    delay_line #(
        .WIDTH  (3 + 2 * EXPONENT + 2 * SIGNIFICAND),
        .CYCLES (CUT_SWAP)
    ) u_swap (
        .clk    (clk),
        .s_data ({subtract_1, sign_1, less_ones_1, exponent_1, distance_1,
                  hidden_l_1, large_1[FRACTION-1:0], operand_1}),
        .m_data ({subtract, sign_2, less_ones, exponent_2, distance, large_2, operand})
    );

    // Align, in two halves of the amount.
    wire [RIGHT-1:0] amount = |distance[EXPONENT-1:RIGHT] ? {RIGHT{1'b1}} : distance[RIGHT-1:0];

    wire [SMALL-1:0] coarse_2;
    wire             lost_2;

    fp_shift_right #(
        .WIDTH (SMALL),
        .HIGH  (RIGHT - 1),
        .LOW   (MIDDLE)
    ) u_coarse (
        .s_data   ({operand, {2{subtract}}}),
        .s_fill   (subtract),
        .s_sticky (1'b0),
        .s_amount (amount[RIGHT-1:MIDDLE]),
        .m_data   (coarse_2),
        .m_sticky (lost_2)
    );

    // The large number's exponent is all ones: infinity, NaN, or both are infinite with opposite signs.
    wire infinite_2 = &exponent_2;
    wire nan_2      = infinite_2 && (large_2[FRACTION-1:0] != {FRACTION{1'b0}} || (less_ones && subtract));

    wire                   subtract_3;
    wire                   sign_3;
    wire                   infinite_3;
    wire                   nan_3;
    wire                   lost_3;
    wire [EXPONENT-1:0]    exponent_3;
    wire [SIGNIFICAND-1:0] large_3;
    wire [SMALL-1:0]       coarse_3;
    wire [MIDDLE-1:0]      amount_3;
    wire [SMALL-1:0]       small_3;
    wire                   sticky_3;

    delay_line #(
        .WIDTH  (5 + EXPONENT + SIGNIFICAND + SMALL + MIDDLE),
        .CYCLES (CUT_COARSE)
    ) u_coarse_cut (
        .clk    (clk),
        .s_data ({subtract, sign_2, infinite_2, nan_2, lost_2, exponent_2, large_2, coarse_2, amount[MIDDLE-1:0]}),
        .m_data ({subtract_3, sign_3, infinite_3, nan_3, lost_3, exponent_3, large_3, coarse_3, amount_3})
    );

    fp_shift_right #(
        .WIDTH (SMALL),
        .HIGH  (MIDDLE - 1),
        .LOW   (0)
    ) u_fine (
        .s_data   (coarse_3),
        .s_fill   (subtract_3),
        .s_sticky (lost_3),
        .s_amount (amount_3),
        .m_data   (small_3),
        .m_sticky (sticky_3)
    );

    wire                   subtract_4;
    wire                   sign_4;
    wire                   infinite_4;
    wire                   nan_4;
    wire                   sticky_4;
    wire [EXPONENT-1:0]    exponent_4;
    wire [SIGNIFICAND-1:0] large_4;
    wire [SMALL-1:0]       small_4;

    delay_line #(
        .WIDTH  (5 + EXPONENT + SIGNIFICAND + SMALL),
        .CYCLES (CUT_ALIGN)
    ) u_align (
        .clk    (clk),
        .s_data ({subtract_3, sign_3, infinite_3, nan_3, sticky_3, exponent_3, large_3, small_3}),
        .m_data ({subtract_4, sign_4, infinite_4, nan_4, sticky_4, exponent_4, large_4, small_4})
    );

    // Add. The inverted number is one too small, but where it lost bits: there the next lower number is right.
    /* verilator lint_off UNUSEDSIGNAL */ // the carry's bit
    wire [SUM:0]   total = {1'b0, large_4, 2'b00, 1'b1} + {subtract_4, small_4, subtract_4 && !sticky_4};
    /* verilator lint_on UNUSEDSIGNAL */
    wire [SUM-1:0] sum_4 = total[SUM:1];

    wire                subtract_5;
    wire                sign_5;
    wire                infinite_5;
    wire                nan_5;
    wire                sticky_5;
    wire [EXPONENT-1:0] exponent_5;
    wire [SUM-1:0]      sum_5;

    delay_line #(
        .WIDTH  (5 + EXPONENT + SUM),
        .CYCLES (CUT_ADD)
    ) u_add (
        .clk    (clk),
        .s_data ({subtract_4, sign_4, infinite_4, nan_4, sticky_4, exponent_4, sum_4}),
        .m_data ({subtract_5, sign_5, infinite_5, nan_5, sticky_5, exponent_5, sum_5})
    );

    // Count. What cancels is +0; a carry out of the greatest exponent is infinity.
    wire [LEFT-1:0] zeros_5;

    leading_zeros #(
        .WIDTH       (SUM),
        .COUNT_WIDTH (LEFT)
    ) u_zeros (
        .s_data  (sum_5),
        .m_count (zeros_5)
    );

    wire overflow_5 = infinite_5 || (sum_5[SUM-1] && &exponent_5[EXPONENT-1:1]);
    wire cancels_5  = subtract_5 && sum_5 == {SUM{1'b0}};

    wire                sign_6;
    wire                cancels_6;
    wire                infinite_6;
    wire                nan_6;
    wire                sticky_6;
    wire [LEFT-1:0]     zeros_6;
    wire [EXPONENT-1:0] exponent_6;
    wire [SUM-1:0]      sum_6;

    delay_line #(
        .WIDTH  (5 + LEFT + EXPONENT + SUM),
        .CYCLES (CUT_COUNT)
    ) u_count (
        .clk    (clk),
        .s_data ({sign_5 && !cancels_5, cancels_5, overflow_5, nan_5, sticky_5, zeros_5, exponent_5, sum_5}),
        .m_data ({sign_6, cancels_6, infinite_6, nan_6, sticky_6, zeros_6, exponent_6, sum_6})
    );

    // Limit the shift to what the exponent allows: a subnormal sum's field is 0.
    wire [EXPONENT:0]   left_over   = {1'b0, exponent_6} - {{(EXPONENT + 1 - LEFT) {1'b0}}, zeros_6};
    wire                subnormal_6 = left_over[EXPONENT];
    wire [LEFT-1:0]     shift_6     = subnormal_6 ? exponent_6[LEFT-1:0] : zeros_6;
    wire [EXPONENT-1:0] field_6     = subnormal_6 || cancels_6 ? {EXPONENT{1'b0}} : left_over[EXPONENT-1:0];

    wire                sign_7;
    wire                infinite_7;
    wire                nan_7;
    wire                sticky_7;
    wire [LEFT-1:0]     shift_7;
    wire [EXPONENT-1:0] field_7;
    wire [SUM-1:0]      sum_7;

    delay_line #(
        .WIDTH  (4 + LEFT + EXPONENT + SUM),
        .CYCLES (CUT_LIMIT)
    ) u_limit (
        .clk    (clk),
        .s_data ({sign_6, infinite_6, nan_6, sticky_6, shift_6, field_6, sum_6}),
        .m_data ({sign_7, infinite_7, nan_7, sticky_7, shift_7, field_7, sum_7})
    );

    // Shift. Infinity is one, not shifted, with the greatest exponent; a NaN has the bit below as well.
    wire [SUM-1:0] shifted_7 = sum_7 << shift_7;

    wire                sign_8;
    wire                sticky_8;
    wire [EXPONENT-1:0] field_8;
    wire [SUM-1:0]      shifted_8;

    delay_line #(
        .WIDTH  (2 + EXPONENT + SUM),
        .CYCLES (CUT_SHIFT)
    ) u_shift (
        .clk    (clk),
        .s_data ({sign_7, sticky_7, infinite_7 ? {HIGHEST, 1'b1, nan_7, {(SUM - 2) {1'b0}}} : {field_7, shifted_7}}),
        .m_data ({sign_8, sticky_8, field_8, shifted_8})
    );

    // Round.
    wire [WIDTH-1:0] rounded;

    fp_round #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND)
    ) u_round (
        .s_sign     (sign_8),
        .s_number   ({field_8, shifted_8[SUM-2:2]}),
        .s_addend   ({{(EXPONENT - 1) {1'b0}}, shifted_8[SUM-1], {SIGNIFICAND{1'b0}}}),
        .s_sticky   (sticky_8 || shifted_8[1:0] != 2'b00),
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
