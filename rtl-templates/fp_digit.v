// fp_digit: a digit of the amount by which a word is shifted left: that of the zeros above its highest one, or of a
// limit where that is less. Digits have the values 0 to 3; those before are found, and the word is shifted by them.
//
// Latency     none, combinational
// Parameters  GROUP  weight of the digit
//             ZEROS  most zeros above the highest one
//
// s_free says that the digits before are less than the limit's, s_limit is the limit's digit. s_stuck says that the
// limit is the amount, whatever the word is; only words whose highest one is near the top need to know.
`default_nettype none

module fp_digit #(
    parameter integer GROUP = 8,
    parameter integer ZEROS = 24
) (
    /* verilator lint_off UNUSEDSIGNAL */ // one or the other
    input  wire [3*GROUP-1:0] s_top,
    input  wire               s_stuck,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire [1:0]         s_limit,
    input  wire               s_free,
    output wire [1:0]         m_digit,
    output wire               m_free
);

    // Whether there is a one in the first, second and third group of bits.
    wire [2:0] some;

    generate
        if (ZEROS < GROUP) begin : no_zeros
            assign some = {3{!s_stuck}};
        end else begin : zeros
            assign some = {|s_top[3*GROUP-1:2*GROUP], |s_top[2*GROUP-1:GROUP], |s_top[GROUP-1:0]};
        end
    endgenerate

    wire [1:0] found = some[2] ? 2'd0 : some[1] ? 2'd1 : some[0] ? 2'd2 : 2'd3;
    wire       less  = found < s_limit;

    assign m_digit = s_free || less ? found : s_limit;
    assign m_free  = s_free || less;

endmodule

`default_nettype wire
