// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_narrow: a number to a format of fewer exponent and significand bits, as double to float, rounded to nearest even,
// with subnormal numbers. Any NaN gives the quiet NaN.
//
// Latency     LATENCY; one number per cycle, all registers move in every cycle
// Resources   Cyclone V by Yosys at LATENCY 5: 181 ALUTs, 264 registers. ECP5, speed grade 8: about 190 MHz
// Parameters  WIDE_EXPONENT, WIDE_SIGNIFICAND  of the operand: 11, 53 for binary64
//             EXPONENT, SIGNIFICAND            of the result: 8, 24 for binary32
//             LATENCY                          1 to 5
`default_nettype none

module fp_narrow #(
    parameter integer WIDE_EXPONENT    = 11,
    parameter integer WIDE_SIGNIFICAND = 53,
    parameter integer EXPONENT         = 8,
    parameter integer SIGNIFICAND      = 24,
    parameter integer LATENCY          = 3
) (
    input  wire                                      clk,
    input  wire [WIDE_EXPONENT+WIDE_SIGNIFICAND-1:0] s_a,
    output wire [EXPONENT+SIGNIFICAND-1:0]           m_result
);

    localparam integer FRACTION = WIDE_SIGNIFICAND - 1;
    localparam integer WIDE     = WIDE_EXPONENT + WIDE_SIGNIFICAND;
    localparam integer COUNT    = $clog2(SIGNIFICAND + 1);
    localparam integer RANGE    = WIDE_EXPONENT + 1;

    // From one bias to the other, and one less as fp_pack counts.
    localparam integer     DISTANCE = (1 << (WIDE_EXPONENT - 1)) - (1 << (EXPONENT - 1)) + 1;
    localparam [RANGE-1:0] REBIAS   = DISTANCE[RANGE-1:0];

    generate
        if (LATENCY < 1 || LATENCY > 5) begin : illegal_latency
            fp_narrow_error_LATENCY_must_be_1_to_5 stop ();
        end
        if (WIDE_SIGNIFICAND <= SIGNIFICAND || WIDE_EXPONENT <= EXPONENT) begin : illegal_width
            fp_narrow_error_the_result_must_be_narrower stop ();
        end
    endgenerate

    wire             none     = s_a[FRACTION-1:0] == {FRACTION{1'b0}};
    wire             hidden   = |s_a[WIDE-2:FRACTION];
    wire             infinite = &s_a[WIDE-2:FRACTION];
    wire [RANGE-1:0] exponent = {1'b0, s_a[WIDE-2:FRACTION]} - REBIAS;

    fp_pack #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .RANGE       (RANGE),
        .WORD        (WIDE_SIGNIFICAND),
        .COUNT       (COUNT),
        .ZEROS       (0),
        .CUT_COUNT   (0),
        .CUT_FIRST   (LATENCY >= 5 ? 1 : 0),
        .CUT_SECOND  (LATENCY >= 2 ? 1 : 0),
        .CUT_THIRD   (LATENCY >= 4 ? 1 : 0),
        .CUT_LAST    (LATENCY >= 3 ? 1 : 0)
    ) u_pack (
        .clk        (clk),
        .s_sign     (s_a[WIDE-1]),
        .s_exponent (exponent),
        .s_word     ({hidden, s_a[FRACTION-1:0]}),
        .s_zero     (!hidden && none),
        .s_infinite (infinite),
        .s_nan      (infinite && !none),
        .m_result   (m_result)
    );

endmodule

`default_nettype wire
