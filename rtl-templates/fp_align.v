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

    // Bits that the steps to come cannot bring into the result are sticky.
    reg [IN_WIDTH-1:0] shifted;
    reg                sticky;
    integer            step;
    integer            bit_index;

    always @* begin
        shifted = s_data;
        sticky  = s_sticky;
        for (step = HIGH; step >= LOW; step = step - 1) begin
            if (s_amount[step-LOW]) begin
                shifted = shifted << (1 << step);
            end
            for (bit_index = 0; bit_index < IN_WIDTH - OUT_WIDTH - (1 << step) + (1 << LOW);
                 bit_index = bit_index + 1) begin
                sticky             = sticky || shifted[bit_index];
                shifted[bit_index] = 1'b0;
            end
        end
    end

    assign m_data   = shifted[IN_WIDTH-1:IN_WIDTH-OUT_WIDTH];
    assign m_sticky = sticky;

endmodule

`default_nettype wire
