// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_widen: a number to a format of more exponent and significand bits, as float to double; exact. A NaN gives the
// quiet NaN.
//
// Latency     LATENCY; one number per cycle, all registers move in every cycle
// Resources   Cyclone V by Yosys at LATENCY 2: 122 ALUTs, 73 registers
// Parameters  EXPONENT, SIGNIFICAND            of the operand: 8, 24 for binary32
//             WIDE_EXPONENT, WIDE_SIGNIFICAND  of the result: 11, 53 for binary64
//             LATENCY                          1 or 2
`default_nettype none

module fp_widen #(
    parameter integer EXPONENT         = 8,
    parameter integer SIGNIFICAND      = 24,
    parameter integer WIDE_EXPONENT    = 11,
    parameter integer WIDE_SIGNIFICAND = 53,
    parameter integer LATENCY          = 2
) (
    input  wire                                      clk,
    input  wire [EXPONENT+SIGNIFICAND-1:0]           s_a,
    output wire [WIDE_EXPONENT+WIDE_SIGNIFICAND-1:0] m_result
);

    localparam integer FRACTION = SIGNIFICAND - 1;
    localparam integer WIDTH    = EXPONENT + SIGNIFICAND;
    localparam integer WIDE     = WIDE_EXPONENT + WIDE_SIGNIFICAND;
    localparam integer COUNT    = $clog2(SIGNIFICAND + 1);

    // From one bias to the other.
    localparam integer             DISTANCE = (1 << (WIDE_EXPONENT - 1)) - (1 << (EXPONENT - 1));
    localparam [WIDE_EXPONENT-1:0] REBIAS   = DISTANCE[WIDE_EXPONENT-1:0];

    generate
        if (LATENCY < 1 || LATENCY > 2) begin : illegal_latency
            fp_widen_error_LATENCY_must_be_1_or_2 stop ();
        end
        if (WIDE_SIGNIFICAND <= SIGNIFICAND || DISTANCE < SIGNIFICAND) begin : illegal_width
            fp_widen_error_the_result_must_be_wider stop ();
        end
    endgenerate

    wire                   hidden_0      = |s_a[WIDTH-2:FRACTION];
    wire [EXPONENT-1:0]    exponent_0    = {s_a[WIDTH-2:SIGNIFICAND], s_a[FRACTION] || !hidden_0};
    wire [SIGNIFICAND-1:0] significand_0 = {hidden_0, s_a[FRACTION-1:0]};
    wire [COUNT-1:0]       zeros_0;

    leading_zeros #(
        .WIDTH       (SIGNIFICAND),
        .COUNT_WIDTH (COUNT)
    ) u_zeros (
        .s_data  (significand_0),
        .m_count (zeros_0)
    );

    wire                   sign;
    wire [EXPONENT-1:0]    exponent;
    wire [SIGNIFICAND-1:0] significand;
    wire [COUNT-1:0]       zeros;

    delay_line #(
        .WIDTH  (1 + EXPONENT + SIGNIFICAND + COUNT),
        .CYCLES (LATENCY - 1)
    ) u_count (
        .clk    (clk),
        .s_data ({s_a[WIDTH-1], exponent_0, significand_0, zeros_0}),
        .m_data ({sign, exponent, significand, zeros})
    );

    wire [WIDE_EXPONENT-1:0] rebiased = {{(WIDE_EXPONENT - EXPONENT) {1'b0}}, exponent} + REBIAS
                                        - {{(WIDE_EXPONENT - COUNT) {1'b0}}, zeros};
    wire [SIGNIFICAND-1:0]   shifted  = significand << zeros;
    wire                     infinite = &exponent;
    wire                     nan      = infinite && significand[FRACTION-1:0] != {FRACTION{1'b0}};
    wire [WIDE_EXPONENT-1:0] field    = infinite ? {WIDE_EXPONENT{1'b1}}
                                                 : rebiased & {WIDE_EXPONENT{shifted[FRACTION]}};

    delay_line #(
        .WIDTH  (WIDE),
        .CYCLES (1)
    ) u_result (
        .clk    (clk),
        .s_data ({sign, field, nan || shifted[FRACTION-1], shifted[FRACTION-2:0],
                  {(WIDE_SIGNIFICAND - SIGNIFICAND) {1'b0}}}),
        .m_data (m_result)
    );

endmodule

`default_nettype wire
