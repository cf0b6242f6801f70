// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_align: the top bits of a word shifted left, and whether a one is left below them. Part of a pipelined shifter: it
// shifts by the bits HIGH to LOW of a shift amount; the part before leaves 2^LOW - 1 more bits for the part behind.
//
// Latency     none, combinational
// Parameters  IN_WIDTH   bits of the word
//             OUT_WIDTH  bits of the result, at most IN_WIDTH
//             HIGH, LOW  bits of the shift amount, HIGH at least LOW
//
// Ones shifted out at the top are lost: give the word as many zeros there as it may need.
`default_nettype none

module fp_align #(
    parameter integer IN_WIDTH  = 50,
    parameter integer OUT_WIDTH = 25,
    parameter integer HIGH      = 5,
    parameter integer LOW       = 0
) (
    input  wire [IN_WIDTH-1:0]  s_data,
    input  wire                 s_sticky,
    input  wire [HIGH-LOW:0]    s_amount,
    output wire [OUT_WIDTH-1:0] m_data,
    output wire                 m_sticky
);

    generate
        if (LOW < 0 || HIGH < LOW || HIGH > 7) begin : illegal_amount
            fp_align_error_HIGH_must_be_at_least_LOW stop ();
        end
        if (OUT_WIDTH < 1 || IN_WIDTH < OUT_WIDTH) begin : illegal_width
            fp_align_error_IN_WIDTH_must_be_at_least_OUT_WIDTH stop ();
        end
    endgenerate

    // Two bits of the amount at a time. What they and the bits to come cannot bring into the result is sticky: of the
    // dropped bits, group k is below the result where the digit is less than k.
    reg [IN_WIDTH-1:0] shifted;
    reg                sticky;
    reg                group;
    reg [1:0]          digit;
    integer            step;
    integer            k;

    // The lowest bit of the digit whose highest is `step`.
    function integer low_of(input integer step_index);
        low_of = step_index == LOW ? LOW : step_index - 1;
    endfunction

    // Bits that no later step brings into the result, after the digit with the lowest bit `low`.
    function integer dropped(input integer low);
        dropped = IN_WIDTH - OUT_WIDTH - (1 << low) + (1 << LOW);
    endfunction

    // The `count` lowest bits; none where it is negative.
    function [IN_WIDTH-1:0] below(input integer count);
        below = count <= 0 ? {IN_WIDTH{1'b0}} : ~({IN_WIDTH{1'b1}} << count);
    endfunction

    always @* begin
        shifted = s_data;
        sticky  = s_sticky;
        for (step = HIGH; step >= LOW; step = step - 2) begin
            digit = step == LOW ? {1'b0, s_amount[0]} : {s_amount[step-LOW], s_amount[low_of(step)-LOW]};
            for (k = 1; k <= 4; k = k + 1) begin
                group  = |(shifted & below(dropped(low_of(step)) - ((k - 1) << low_of(step)))
                           & ~(k == 4 ? {IN_WIDTH{1'b0}} : below(dropped(low_of(step)) - (k << low_of(step)))));
                sticky = sticky || (group && {30'd0, digit} < k);
            end
            // One multiplexer of four, which is one look-up table of six inputs, where a part has two bits.
            if (low_of(step) == step) begin
                shifted = digit[0] ? shifted << (1 << step) : shifted;
            end else begin
                case (digit)
                    2'd0: shifted = shifted;
                    2'd1: shifted = shifted << (1 << low_of(step));
                    2'd2: shifted = shifted << (2 << low_of(step));
                    default: shifted = shifted << (3 << low_of(step));
                endcase
            end
        end
    end

    assign m_data   = shifted[IN_WIDTH-1:IN_WIDTH-OUT_WIDTH];
    assign m_sticky = sticky;

endmodule

`default_nettype wire
