// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_shift_right: a word shifted right, filled from above with one bit, and whether a bit that differs from it is lost.
// Part of a pipelined shifter: it shifts by the bits HIGH to LOW of a shift amount.
//
// Latency     none, combinational
// Parameters  WIDTH      bits of the word
//             HIGH, LOW  bits of the shift amount, HIGH at least LOW
`default_nettype none

module fp_shift_right #(
    parameter integer WIDTH = 26,
    parameter integer HIGH  = 4,
    parameter integer LOW   = 0
) (
    input  wire [WIDTH-1:0]  s_data,
    input  wire              s_fill,
    input  wire              s_sticky,
    input  wire [HIGH-LOW:0] s_amount,
    output wire [WIDTH-1:0]  m_data,
    output wire              m_sticky
);

    generate
        if (LOW < 0 || HIGH < LOW || HIGH > 7) begin : illegal_amount
            fp_shift_right_error_HIGH_must_be_at_least_LOW stop ();
        end
    endgenerate

    reg [WIDTH-1:0] shifted;
    reg             sticky;
    integer         step;

    always @* begin
        shifted = s_data;
        sticky  = s_sticky;
        for (step = HIGH; step >= LOW; step = step - 1) begin
            sticky = sticky || (s_amount[step-LOW] && |((shifted ^ {WIDTH{s_fill}}) & ~({WIDTH{1'b1}} << (1 << step))));
            if (s_amount[step-LOW]) begin
                shifted = shifted >> (1 << step) | ~({WIDTH{!s_fill}} | {WIDTH{1'b1}} >> (1 << step));
            end
        end
    end

    assign m_data   = shifted;
    assign m_sticky = sticky;

endmodule

`default_nettype wire
