// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_pack: rounds sign, exponent and an exact magnitude of any position to a number: overflow to infinity, gradual
// underflow.
//
// Latency     1 + CUT_COUNT + CUT_FIRST + CUT_SECOND + CUT_THIRD + CUT_LAST; one per cycle, all registers move in every
//             cycle
// Parameters  EXPONENT     bits of the result's exponent, at least 7
//             SIGNIFICAND  bits of the result's significand with the hidden one
//             RANGE        bits of s_exponent, at least EXPONENT + 2
//             WORD         bits of the magnitude, at least SIGNIFICAND + 3
//             COUNT        5 or 6; 2^COUNT is more than SIGNIFICAND
//             ZEROS        most zeros above the highest one of s_word, where it has one and the result is not zero
//             CUT_COUNT    registers behind the first count of zeros, 0 or 1
//             CUT_FIRST    registers behind the first part of the shift, 0 or 1; CUT_SECOND and so on likewise
//
// A one at the top of s_word counts 2^(s_exponent + 1 - bias); s_exponent is signed. More than one zero above the
// highest one goes with an exponent that does not overflow. s_zero says that the word is zero, s_infinite that the
// result is infinite, with s_nan a NaN.
//
// The word is shifted left by its zeros, but not by more than the exponent, which may be negative: there the result is
// subnormal. That amount is found digit by digit, each from the word as the digits before have shifted it. The last bit
// takes no multiplexer: of two registers, one per value of it, one is cleared, and the rounding adder joins them.
`default_nettype none

module fp_pack #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24,
    parameter integer RANGE       = 10,
    parameter integer WORD        = 48,
    parameter integer COUNT       = 5,
    parameter integer ZEROS       = 24,
    parameter integer CUT_COUNT   = 1,
    parameter integer CUT_FIRST   = 1,
    parameter integer CUT_SECOND  = 1,
    parameter integer CUT_THIRD   = 1,
    parameter integer CUT_LAST    = 1
) (
    input  wire                            clk,
    input  wire                            s_sign,
    input  wire [RANGE-1:0]                s_exponent,
    input  wire [WORD-1:0]                 s_word,
    input  wire                            s_zero,
    input  wire                            s_infinite,
    input  wire                            s_nan,
    output wire [EXPONENT+SIGNIFICAND-1:0] m_result
);

    generate
        if (EXPONENT < 7 || RANGE < EXPONENT + 2) begin : illegal_range
            fp_pack_error_EXPONENT_must_be_7_or_more_and_RANGE_2_more stop ();
        end
        if (COUNT < 5 || COUNT > 6 || (1 << COUNT) <= SIGNIFICAND) begin : illegal_count
            fp_pack_error_COUNT_must_be_5_or_6_and_hold_SIGNIFICAND stop ();
        end
        if (WORD < SIGNIFICAND + 3) begin : illegal_word
            fp_pack_error_WORD_must_exceed_SIGNIFICAND_by_3 stop ();
        end
    endgenerate

    localparam integer WIDTH  = EXPONENT + SIGNIFICAND;
    // Zeros in front of the word, so that a shift to the right is a shorter shift to the left.
    localparam integer FRONT  = 1 << COUNT;
    // Significand, guard and the last bit of the shift; more for the digits with the weights 2, 8 and above.
    localparam integer LAST   = SIGNIFICAND + 2;
    localparam integer THIRD  = LAST + 6;
    localparam integer SECOND = THIRD + 24;
    // The exponent of infinity, less the significand's top bit.
    localparam [EXPONENT-1:0] HIGHEST = {{(EXPONENT - 1) {1'b1}}, 1'b0};

    // Count: whether the exponent is negative, so much that nothing is left of the word, or no limit; or overflows.
    wire right_0 = s_exponent[RANGE-1];
    wire far_0   = right_0 && !(&s_exponent[RANGE-1:COUNT]);
    wire above_0 = !right_0 && |s_exponent[RANGE-2:6];
    wire over_0  = !right_0 && (|s_exponent[RANGE-2:EXPONENT]
                                || (&s_exponent[EXPONENT-1:1] && (s_exponent[0] || s_word[WORD-1])));
    wire stuck_0 = right_0 || s_zero;
    wire some_0;

    generate
        if (ZEROS >= 32) begin : many_zeros
            assign some_0 = |s_word[WORD-1:WORD-32];
        end else begin : few_zeros
            assign some_0 = 1'b1;
        end
    endgenerate

    // First digit: whether the shift is to the left, and for a COUNT of 6 whether by 32 more. `free` says that the digits
    // so far are less than the exponent's, which is no limit any more.
    wire half_0 = right_0 ? s_exponent[5] : !some_0 && (above_0 || s_exponent[5]);
    wire free_0 = !stuck_0 && (above_0 || (some_0 && s_exponent[5]));

    wire                sign_1;
    wire                infinite_1;
    wire                nan_1;
    wire                stuck_1;
    wire                free_1;
    wire                far_1;
    wire                left_1;
    wire                half_1;
    wire [EXPONENT-1:0] exponent_1;
    wire [WORD-1:0]     word_1;

    delay_line #(
        .WIDTH  (8 + EXPONENT + WORD),
        .CYCLES (CUT_COUNT)
    ) u_count (
        .clk    (clk),
        .s_data ({s_sign, s_infinite || (over_0 && !s_zero), s_nan, stuck_0, free_0, far_0, !right_0, half_0,
                  s_exponent[EXPONENT-1:0], s_word}),
        .m_data ({sign_1, infinite_1, nan_1, stuck_1, free_1, far_1, left_1, half_1, exponent_1, word_1})
    );

    // First part of the shift, and the second digit.
    wire [COUNT-5:0]  amount_1;
    wire [2:0]        groups_1;
    wire [SECOND-1:0] shifted_1;
    wire              lost_1;
    wire [1:0]        second_1;
    wire              freed_1;

    generate
        if (COUNT == 6) begin : two_bits
            assign amount_1 = {left_1, half_1};
        end else begin : one_bit
            assign amount_1 = left_1;
        end
        if (ZEROS < 8) begin : no_bytes
            assign groups_1 = {3{!stuck_1}};
        end else if (COUNT == 6) begin : chosen_bytes
            // Which of three bytes are not zero, of either half.
            wire [2:0] high = {|word_1[WORD-1:WORD-8], |word_1[WORD-9:WORD-16], |word_1[WORD-17:WORD-24]};
            wire [2:0] low  = {|word_1[WORD-33:WORD-40], |word_1[WORD-41:WORD-48], |word_1[WORD-49:WORD-56]};

            assign groups_1 = (half_1 ? low : high) & {3{!stuck_1}};
        end else begin : highest_bytes
            wire [2:0] high = {|word_1[WORD-1:WORD-8], |word_1[WORD-9:WORD-16], |word_1[WORD-17:WORD-24]};

            assign groups_1 = high & {3{!stuck_1}};
        end
    endgenerate

    fp_align #(
        .IN_WIDTH  (FRONT + WORD),
        .OUT_WIDTH (SECOND),
        .HIGH      (COUNT),
        .LOW       (5)
    ) u_first (
        .s_data   ({{FRONT{1'b0}}, word_1}),
        .s_sticky (1'b0),
        .s_amount (amount_1),
        .m_data   (shifted_1),
        .m_sticky (lost_1)
    );

    fp_digit u_second_digit (
        .s_some  (groups_1),
        .s_limit (exponent_1[4:3]),
        .s_free  (free_1),
        .m_digit (second_1),
        .m_free  (freed_1)
    );

    wire                sign_2;
    wire                infinite_2;
    wire                nan_2;
    wire                stuck_2;
    wire                free_2;
    wire                sticky_2;
    wire [EXPONENT-1:0] exponent_2;
    wire                half_2;
    wire [1:0]          second_2;
    wire [SECOND-1:0]   word_2;

    delay_line #(
        .WIDTH  (9 + EXPONENT + SECOND),
        .CYCLES (CUT_FIRST)
    ) u_first_cut (
        .clk    (clk),
        .s_data ({sign_1, infinite_1, nan_1, stuck_1, freed_1, lost_1, exponent_1, half_1, second_1,
                  far_1 ? {SECOND{1'b0}} : shifted_1}),
        .m_data ({sign_2, infinite_2, nan_2, stuck_2, free_2, sticky_2, exponent_2, half_2, second_2, word_2})
    );

    // Second part of the shift, and the third digit.
    wire [THIRD-1:0] shifted_2;
    wire             lost_2;
    wire [1:0]       third_2;
    wire             freed_2;

    fp_align #(
        .IN_WIDTH  (SECOND),
        .OUT_WIDTH (THIRD),
        .HIGH      (4),
        .LOW       (3)
    ) u_second (
        .s_data   (word_2),
        .s_sticky (sticky_2),
        .s_amount (second_2),
        .m_data   (shifted_2),
        .m_sticky (lost_2)
    );

    // A shift to the right has left zeros at the top.
    wire [2:0] groups_2 = ZEROS < 2 ? {3{!stuck_2}}
                                    : {|shifted_2[THIRD-1:THIRD-2], |shifted_2[THIRD-3:THIRD-4],
                                       |shifted_2[THIRD-5:THIRD-6]};

    fp_digit u_third_digit (
        .s_some  (groups_2),
        .s_limit (exponent_2[2:1]),
        .s_free  (free_2),
        .m_digit (third_2),
        .m_free  (freed_2)
    );

    wire                sign_3;
    wire                infinite_3;
    wire                nan_3;
    wire                free_3;
    wire                sticky_3;
    wire [EXPONENT-1:0] exponent_3;
    wire                half_3;
    wire [1:0]          second_3;
    wire [1:0]          third_3;
    wire [THIRD-1:0]    word_3;

    delay_line #(
        .WIDTH  (10 + EXPONENT + THIRD),
        .CYCLES (CUT_SECOND)
    ) u_second_cut (
        .clk    (clk),
        .s_data ({sign_2, infinite_2, nan_2, freed_2, lost_2, exponent_2, half_2, second_2, third_2, shifted_2}),
        .m_data ({sign_3, infinite_3, nan_3, free_3, sticky_3, exponent_3, half_3, second_3, third_3, word_3})
    );

    // Third part of the shift, and the last bit.
    wire [LAST-1:0] shifted_3;
    wire            lost_3;

    fp_align #(
        .IN_WIDTH  (THIRD),
        .OUT_WIDTH (LAST),
        .HIGH      (2),
        .LOW       (1)
    ) u_third (
        .s_data   (word_3),
        .s_sticky (sticky_3),
        .s_amount (third_3),
        .m_data   (shifted_3),
        .m_sticky (lost_3)
    );

    wire                top_3   = shifted_3[LAST-1];
    wire                last_3  = !top_3 && (free_3 || exponent_3[0]);
    wire                freed_3 = free_3 || (top_3 && exponent_3[0]);

    // Infinity is one, not shifted, with the greatest exponent; a NaN has the bit below as well.
    wire                sign_4;
    wire                free_4;
    wire                sticky_4;
    wire [EXPONENT-1:0] exponent_4;
    wire [5:0]          amount_4;
    wire [LAST-1:0]     word_4;

    delay_line #(
        .WIDTH  (9 + EXPONENT + LAST),
        .CYCLES (CUT_THIRD)
    ) u_third_cut (
        .clk    (clk),
        .s_data ({sign_3, lost_3,
                  infinite_3 ? {1'b1, HIGHEST, 6'd0, 1'b1, nan_3, {(LAST - 2) {1'b0}}}
                             : {freed_3, exponent_3, half_3, second_3, third_3, last_3, shifted_3}}),
        .m_data ({sign_4, sticky_4, free_4, exponent_4, amount_4, word_4})
    );

    // Last bit. Where the exponent is no limit, the field is the exponent less the shift, and one more for the
    // significand's top bit; else it is that bit. Bits of a negative number: each is inverted above the lowest one.
    wire                last_4 = amount_4[0];
    wire                top_4  = last_4 ? word_4[LAST-2] : word_4[LAST-1];
    wire [EXPONENT-1:0] shift_4 = {{(EXPONENT - 6) {1'b0}}, amount_4};
    reg  [EXPONENT-1:0] negative_4;
    reg                 below;
    integer             k;

    always @* begin
        negative_4[0] = !last_4;
        below         = 1'b0;
        for (k = 1; k < EXPONENT; k = k + 1) begin
            negative_4[k] = below != shift_4[k];
            below         = below || shift_4[k];
        end
    end

    wire             sign_5;
    wire             sticky_5;
    wire [WIDTH-1:0] number_5;
    wire [WIDTH-1:0] addend_5;

    delay_line #(
        .WIDTH  (2 + 2 * WIDTH),
        .CYCLES (CUT_LAST)
    ) u_last_cut (
        .clk    (clk),
        .s_data ({sign_4, sticky_4 || (word_4[0] && !last_4),
                  free_4 ? exponent_4 : {EXPONENT{1'b0}}, last_4 ? {SIGNIFICAND{1'b0}} : word_4[SIGNIFICAND:1],
                  free_4 ? negative_4 : {{(EXPONENT - 1) {1'b0}}, top_4},
                  last_4 ? word_4[SIGNIFICAND-1:0] : {SIGNIFICAND{1'b0}}}),
        .m_data ({sign_5, sticky_5, number_5, addend_5})
    );

    wire [WIDTH-1:0] rounded;

    fp_round #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND)
    ) u_round (
        .s_sign   (sign_5),
        .s_number (number_5),
        .s_addend (addend_5),
        .s_sticky (sticky_5),
        .m_result (rounded)
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
