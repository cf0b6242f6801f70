// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_to_int: a floating-point number to an integer, truncated towards zero. What C leaves undefined (a NaN, or a number
// whose integer part the type does not hold) gives any integer.
//
// Latency     LATENCY; one integer per cycle, all registers move in every cycle
// Resources   Cyclone V by Yosys, binary32 to 32 bits at LATENCY 3: 213 ALUTs, 108 registers
// Parameters  EXPONENT     bits of the exponent: 8 for binary32, 11 for binary64
//             SIGNIFICAND  bits of the significand with the hidden one: 24, 53
//             WIDTH        bits of the integer, 2 to 127
//             LATENCY      1 to 3
//
// Signed and unsigned integers of one width come out of the same circuit.
`default_nettype none

module fp_to_int #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24,
    parameter integer WIDTH       = 32,
    parameter integer LATENCY     = 3
) (
    input  wire                            clk,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_a,
    output wire [WIDTH-1:0]                m_integer
);

    localparam integer FRACTION = SIGNIFICAND - 1;
    localparam integer ALL      = EXPONENT + SIGNIFICAND;
    // The shift is the number of bits of the integer part.
    localparam integer COUNT    = $clog2(WIDTH + 1);
    localparam integer MIDDLE   = COUNT / 2;
    localparam integer LEFT     = WIDTH + (1 << MIDDLE) - 1;

    // The exponent of 1/2: none of its bits are before the point.
    localparam [EXPONENT-1:0] HALF = {1'b0, {(EXPONENT - 2) {1'b1}}, 1'b0};

    localparam integer CUT_SHIFT  = LATENCY >= 2 ? 1 : 0;
    localparam integer CUT_COARSE = LATENCY >= 3 ? 1 : 0;

    generate
        if (LATENCY < 1 || LATENCY > 3) begin : illegal_latency
            fp_to_int_error_LATENCY_must_be_1_to_3 stop ();
        end
        if (WIDTH < 2 || WIDTH > 127) begin : illegal_width
            fp_to_int_error_WIDTH_must_be_2_to_127 stop ();
        end
    endgenerate

    /* verilator lint_off UNUSEDSIGNAL */ // more bits than the integer has
    wire [EXPONENT:0]  bits_0   = {1'b0, s_a[ALL-2:FRACTION]} - {1'b0, HALF};
    /* verilator lint_on UNUSEDSIGNAL */
    wire [COUNT-1:0]   amount_0 = bits_0[COUNT-1:0] & {COUNT{!bits_0[EXPONENT]}};
    wire [LEFT-1:0]    coarse_0;

    /* verilator lint_off PINCONNECTEMPTY */ // the fraction is cut off
    fp_align #(
        .IN_WIDTH  (WIDTH + SIGNIFICAND),
        .OUT_WIDTH (LEFT),
        .HIGH      (COUNT - 1),
        .LOW       (MIDDLE)
    ) u_coarse (
        .s_data   ({{WIDTH{1'b0}}, 1'b1, s_a[FRACTION-1:0]}),
        .s_sticky (1'b0),
        .s_amount (amount_0[COUNT-1:MIDDLE]),
        .m_data   (coarse_0),
        .m_sticky ()
    );

    wire              sign_1;
    wire [MIDDLE-1:0] amount_1;
    wire [LEFT-1:0]   coarse_1;
    wire [WIDTH-1:0]  whole_1;

    delay_line #(
        .WIDTH  (1 + MIDDLE + LEFT),
        .CYCLES (CUT_COARSE)
    ) u_coarse_cut (
        .clk    (clk),
        .s_data ({s_a[ALL-1], amount_0[MIDDLE-1:0], coarse_0}),
        .m_data ({sign_1, amount_1, coarse_1})
    );

    fp_align #(
        .IN_WIDTH  (LEFT),
        .OUT_WIDTH (WIDTH),
        .HIGH      (MIDDLE - 1),
        .LOW       (0)
    ) u_fine (
        .s_data   (coarse_1),
        .s_sticky (1'b0),
        .s_amount (amount_1),
        .m_data   (whole_1),
        .m_sticky ()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    wire             sign_2;
    wire [WIDTH-1:0] whole_2;

    delay_line #(
        .WIDTH  (1 + WIDTH),
        .CYCLES (CUT_SHIFT)
    ) u_shift (
        .clk    (clk),
        .s_data ({sign_1, whole_1}),
        .m_data ({sign_2, whole_2})
    );

    delay_line #(
        .WIDTH  (WIDTH),
        .CYCLES (1)
    ) u_result (
        .clk    (clk),
        .s_data (sign_2 ? -whole_2 : whole_2),
        .m_data (m_integer)
    );

endmodule

`default_nettype wire
