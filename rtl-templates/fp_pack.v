// fp_pack: rounds sign, exponent and an exact magnitude of any position to a number: overflow to infinity, gradual
// underflow.
//
// Latency     1 + CUT_LIMIT + CUT_COARSE + CUT_ALIGN; one per cycle, all registers move in every cycle
// Parameters  EXPONENT     bits of the result's exponent
//             SIGNIFICAND  bits of the result's significand with the hidden one
//             RANGE        bits of s_exponent, at least EXPONENT + 2
//             WORD         bits of the magnitude, more than SIGNIFICAND
//             COUNT        bits of s_zeros; 2^COUNT is more than SIGNIFICAND
//             CUT_LIMIT    registers behind the amount of the shift, 0 or 1
//             CUT_COARSE   registers behind its coarse half, 0 or 1
//             CUT_ALIGN    registers behind its fine half, 0 or 1
//
// A one at the top of s_word counts 2^(s_exponent + 1 - bias); s_exponent is signed. s_zeros are the zeros above the
// highest one of s_word. s_zero says that the word is zero, s_infinite that the result is infinite, with s_nan a NaN.
`default_nettype none

module fp_pack #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24,
    parameter integer RANGE       = 10,
    parameter integer WORD        = 48,
    parameter integer COUNT       = 5,
    parameter integer CUT_LIMIT   = 1,
    parameter integer CUT_COARSE  = 1,
    parameter integer CUT_ALIGN   = 1
) (
    input  wire                            clk,
    input  wire                            s_sign,
    input  wire [RANGE-1:0]                s_exponent,
    input  wire [WORD-1:0]                 s_word,
    input  wire [COUNT-1:0]                s_zeros,
    input  wire                            s_zero,
    input  wire                            s_infinite,
    input  wire                            s_nan,
    output wire [EXPONENT+SIGNIFICAND-1:0] m_result
);

    generate
        if (RANGE < EXPONENT + 2 || RANGE <= COUNT) begin : illegal_range
            fp_pack_error_RANGE_must_be_at_least_EXPONENT_plus_2 stop ();
        end
        if (WORD <= SIGNIFICAND || (1 << COUNT) <= SIGNIFICAND) begin : illegal_word
            fp_pack_error_WORD_and_COUNT_must_exceed_SIGNIFICAND stop ();
        end
    endgenerate

    localparam integer WIDTH  = EXPONENT + SIGNIFICAND;
    // Zeros in front of the word, so that a shift to the right is a shorter shift to the left.
    localparam integer FRONT  = 1 << COUNT;
    // The lowest bit of the coarse shift, and the bits it leaves.
    localparam integer MIDDLE = COUNT - 1;
    localparam integer LEFT   = SIGNIFICAND + (1 << MIDDLE);

    // Limit: left over is the exponent of the highest one; below 0 the result is subnormal, and the shift comes from
    // the exponent instead of the zeros.
    wire [RANGE-1:0]    left_over  = s_exponent - {{(RANGE - COUNT) {1'b0}}, s_zeros};
    wire                subnormal  = left_over[RANGE-1];
    wire                overflow   = !subnormal && (|left_over[RANGE-2:EXPONENT] || &left_over[EXPONENT-1:1]);
    wire                right      = s_exponent[RANGE-1];
    wire                far        = right && !(&s_exponent[RANGE-1:COUNT]);
    wire [COUNT-1:0]    fine       = subnormal ? s_exponent[COUNT-1:0] & {COUNT{!far}} : s_zeros;
    wire [COUNT:0]      amount_0   = {!right || !subnormal, fine};
    wire [EXPONENT-1:0] field_0    = subnormal || s_zero ? {EXPONENT{1'b0}} : left_over[EXPONENT-1:0];

    wire                sign_1;
    wire                infinite_1;
    wire                nan_1;
    wire [COUNT:0]      amount_1;
    wire [EXPONENT-1:0] field_1;
    wire [WORD-1:0]     word_1;

    delay_line #(
        .WIDTH  (4 + COUNT + EXPONENT + WORD),
        .CYCLES (CUT_LIMIT)
    ) u_limit (
        .clk    (clk),
        .s_data ({s_sign, s_infinite || (overflow && !s_zero), s_nan, amount_0, field_0, s_word}),
        .m_data ({sign_1, infinite_1, nan_1, amount_1, field_1, word_1})
    );

    wire [LEFT-1:0] coarse_1;
    wire            sticky_1;

    fp_align #(
        .IN_WIDTH  (FRONT + WORD),
        .OUT_WIDTH (LEFT),
        .HIGH      (COUNT),
        .LOW       (MIDDLE)
    ) u_coarse (
        .s_data   ({{FRONT{1'b0}}, word_1}),
        .s_sticky (1'b0),
        .s_amount (amount_1[COUNT:MIDDLE]),
        .m_data   (coarse_1),
        .m_sticky (sticky_1)
    );

    wire                sign_2;
    wire                infinite_2;
    wire                nan_2;
    wire                sticky_2;
    wire [MIDDLE-1:0]   amount_2;
    wire [EXPONENT-1:0] field_2;
    wire [LEFT-1:0]     coarse_2;

    delay_line #(
        .WIDTH  (4 + MIDDLE + EXPONENT + LEFT),
        .CYCLES (CUT_COARSE)
    ) u_coarse_cut (
        .clk    (clk),
        .s_data ({sign_1, infinite_1, nan_1, sticky_1, amount_1[MIDDLE-1:0], field_1, coarse_1}),
        .m_data ({sign_2, infinite_2, nan_2, sticky_2, amount_2, field_2, coarse_2})
    );

    wire [SIGNIFICAND:0] aligned_2;
    wire                 below_2;

    fp_align #(
        .IN_WIDTH  (LEFT),
        .OUT_WIDTH (SIGNIFICAND + 1),
        .HIGH      (MIDDLE - 1),
        .LOW       (0)
    ) u_fine (
        .s_data   (coarse_2),
        .s_sticky (sticky_2),
        .s_amount (amount_2),
        .m_data   (aligned_2),
        .m_sticky (below_2)
    );

    wire                 sign_3;
    wire                 infinite_3;
    wire                 nan_3;
    wire                 sticky_3;
    wire [EXPONENT-1:0]  field_3;
    wire [SIGNIFICAND:0] aligned_3;

    delay_line #(
        .WIDTH  (5 + EXPONENT + SIGNIFICAND),
        .CYCLES (CUT_ALIGN)
    ) u_align_cut (
        .clk    (clk),
        .s_data ({sign_2, infinite_2, nan_2, below_2, field_2, aligned_2}),
        .m_data ({sign_3, infinite_3, nan_3, sticky_3, field_3, aligned_3})
    );

    wire [WIDTH-1:0] rounded;

    fp_round #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND)
    ) u_round (
        .s_sign        (sign_3),
        .s_exponent    (field_3),
        .s_significand (aligned_3[SIGNIFICAND:1]),
        .s_guard       (aligned_3[0]),
        .s_sticky      (sticky_3),
        .s_infinite    (infinite_3),
        .s_nan         (nan_3),
        .m_result      (rounded)
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
