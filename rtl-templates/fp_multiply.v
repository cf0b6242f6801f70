// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_multiply: a b of IEEE 754-2019, rounded to nearest even, with subnormal numbers. Any NaN gives the quiet NaN.
//
// Latency     LATENCY; one product per cycle, all registers move in every cycle
// Resources   Cyclone V by Yosys, BLOCK 27: binary32 at LATENCY 9 196 ALUTs, 522 registers, 1 DSP; binary64 at LATENCY 10
//             540, 1256, 4. ECP5, speed grade 8, by nextpnr, BLOCK 18: about 180 and 165 MHz
// Parameters  EXPONENT     bits of the exponent: 8 for binary32, 11 for binary64
//             SIGNIFICAND  bits of the significand with the hidden one: 24, 53
//             BLOCK        bits of a factor of one DSP block: 18, or 27 in Cyclone V
//             LATENCY      1 to 10
//
// Significands are multiplied as they stand. One shifter behind the product moves it left where a factor was
// subnormal and right where the result is.
`default_nettype none

module fp_multiply #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24,
    parameter integer BLOCK       = 18,
    parameter integer LATENCY     = 9
) (
    input  wire                            clk,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_a,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_b,
    output wire [EXPONENT+SIGNIFICAND-1:0] m_result
);

    generate
        if (LATENCY < 1 || LATENCY > 10) begin : illegal_latency
            fp_multiply_error_LATENCY_must_be_1_to_10 stop ();
        end
    endgenerate

    localparam integer FRACTION = SIGNIFICAND - 1;
    localparam integer WIDTH    = EXPONENT + SIGNIFICAND;
    localparam integer PRODUCT  = 2 * SIGNIFICAND;
    localparam integer RANGE    = EXPONENT + 2;
    // A subnormal factor leaves up to SIGNIFICAND zeros.
    localparam integer COUNT    = $clog2(SIGNIFICAND + 1);
    localparam integer GROUPS   = (FRACTION + 5) / 6;

    // Registers behind the steps, in the order in which more latency adds them. One always ends the last step.
    localparam integer CUT_PIECES = LATENCY >= 2 ? 1 : 0;
    localparam integer CUT_TOTAL  = LATENCY >= 3 ? 1 : 0;
    localparam integer CUT_SECOND = LATENCY >= 4 ? 1 : 0;
    localparam integer CUT_LAST   = LATENCY >= 5 ? 1 : 0;
    localparam integer CUT_FIRST  = LATENCY >= 6 ? 1 : 0;
    localparam integer CUT_THIRD  = LATENCY >= 7 ? 1 : 0;
    localparam integer CUT_MIDDLE = LATENCY >= 8 ? 1 : 0;
    localparam integer CUT_UNPACK = LATENCY >= 9 ? 1 : 0;
    localparam integer CUT_COUNT  = LATENCY >= 10 ? 1 : 0;

    // Unpack. Operands may come late in their cycle, so that nothing is added yet. Fractions are looked at in groups of six
    // bits, which is what a look-up table takes.
    wire                hidden_a_0 = |s_a[WIDTH-2:FRACTION];
    wire                hidden_b_0 = |s_b[WIDTH-2:FRACTION];
    wire [GROUPS-1:0]   some_a_0;
    wire [GROUPS-1:0]   some_b_0;
    wire                sign_0     = s_a[WIDTH-1] != s_b[WIDTH-1];

    genvar group;

    generate
        for (group = 0; group < GROUPS; group = group + 1) begin : fractions
            localparam integer LOW = 6 * group;
            localparam integer TOP = LOW + 6 > FRACTION ? FRACTION - 1 : LOW + 5;

            assign some_a_0[group] = |s_a[TOP:LOW];
            assign some_b_0[group] = |s_b[TOP:LOW];
        end
    endgenerate

    wire                sign_1;
    wire [EXPONENT-1:0] power_a;
    wire [EXPONENT-1:0] power_b;
    wire [GROUPS-1:0]   some_a;
    wire [GROUPS-1:0]   some_b;
    wire                hidden_a;
    wire                hidden_b;
    wire [FRACTION-1:0] fraction_a;
    wire [FRACTION-1:0] fraction_b;

    delay_line #(
        .WIDTH  (1 + 2 * EXPONENT + 2 * GROUPS + 2 * SIGNIFICAND),
        .CYCLES (CUT_UNPACK)
    ) u_unpack (
        .clk    (clk),
        .s_data ({sign_0, s_a[WIDTH-2:FRACTION], s_b[WIDTH-2:FRACTION], some_a_0, some_b_0,
                  hidden_a_0, s_a[FRACTION-1:0], hidden_b_0, s_b[FRACTION-1:0]}),
        .m_data ({sign_1, power_a, power_b, some_a, some_b, hidden_a, fraction_a, hidden_b, fraction_b})
    );

    // Both exponents and one more, which comes in as a carry; less the bias and one more changes only the highest bits.
    // A subnormal number has the exponent 1.
    /* verilator lint_off UNUSEDSIGNAL */ // the carry's bit
    wire [EXPONENT+1:0] sum        = {1'b0, power_a[EXPONENT-1:1], power_a[0] || !hidden_a, 1'b1}
                                     + {1'b0, power_b[EXPONENT-1:1], power_b[0] || !hidden_b, 1'b1};
    /* verilator lint_on UNUSEDSIGNAL */
    wire [1:0]          top        = sum[EXPONENT+1:EXPONENT];
    wire [RANGE-1:0]    exponent_1 = {top == 2'd0, top[1] == top[0], !top[0], sum[EXPONENT-1:1]};

    wire ones_a     = &power_a;
    wire ones_b     = &power_b;
    wire none_a     = some_a == {GROUPS{1'b0}};
    wire none_b     = some_b == {GROUPS{1'b0}};
    wire zero_a     = !hidden_a && none_a;
    wire zero_b     = !hidden_b && none_b;
    wire infinite_1 = ones_a || ones_b;
    wire nan_1      = (ones_a && (!none_a || zero_b)) || (ones_b && (!none_b || zero_a));
    wire zero_1     = zero_a || zero_b;

    // Multiply.
    wire               sign_2;
    wire               infinite_2;
    wire               nan_2;
    wire               zero_2;
    wire [RANGE-1:0]   exponent_2;
    wire [PRODUCT-1:0] product_2;

    delay_line #(
        .WIDTH  (4 + RANGE),
        .CYCLES (CUT_PIECES + CUT_MIDDLE + CUT_TOTAL)
    ) u_meanwhile (
        .clk    (clk),
        .s_data ({sign_1, infinite_1, nan_1, zero_1, exponent_1}),
        .m_data ({sign_2, infinite_2, nan_2, zero_2, exponent_2})
    );

    fp_product #(
        .WIDTH      (SIGNIFICAND),
        .BLOCK      (BLOCK),
        .CUT_PIECES (CUT_PIECES),
        .CUT_MIDDLE (CUT_MIDDLE),
        .CUT_TOTAL  (CUT_TOTAL)
    ) u_product (
        .clk       (clk),
        .s_a       ({hidden_a, fraction_a}),
        .s_b       ({hidden_b, fraction_b}),
        .m_product (product_2)
    );

    fp_pack #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .RANGE       (RANGE),
        .WORD        (PRODUCT),
        .COUNT       (COUNT),
        .ZEROS       (SIGNIFICAND),
        .CUT_COUNT   (CUT_COUNT),
        .CUT_FIRST   (CUT_FIRST),
        .CUT_SECOND  (CUT_SECOND),
        .CUT_THIRD   (CUT_THIRD),
        .CUT_LAST    (CUT_LAST)
    ) u_pack (
        .clk        (clk),
        .s_sign     (sign_2),
        .s_exponent (exponent_2),
        .s_word     (product_2),
        .s_zero     (zero_2),
        .s_infinite (infinite_2),
        .s_nan      (nan_2),
        .m_result   (m_result)
    );

endmodule

`default_nettype wire
