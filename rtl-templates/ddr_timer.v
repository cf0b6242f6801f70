// Countdown in memory clocks for logic that runs at half their rate.
//
// A timer is loaded in the cycle in which a command is given, with the value for the next cycle: the clocks still
// to wait from slot 0 of that cycle on. It then loses two clocks a cycle. A command may go out in slot 0 when
// `wait_0` is low and in slot 1 when `wait_1` is low.
//
// Parameters: WIDTH, bits of the count.
`default_nettype none

module ddr_timer #(
    parameter WIDTH = 4
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             load,
    input  wire [WIDTH-1:0] load_clocks,
    output wire             wait_0,
    output wire             wait_1
);
    reg [WIDTH-1:0] clocks_reg;

    assign wait_1 = |clocks_reg[WIDTH-1:1];
    assign wait_0 = wait_1 | clocks_reg[0];

    always @(posedge clk)
        if (rst)
            clocks_reg <= {WIDTH{1'b0}};
        else if (load)
            clocks_reg <= load_clocks;
        else if (wait_1)
            clocks_reg[WIDTH-1:1] <= clocks_reg[WIDTH-1:1] - 1'b1;
        else
            clocks_reg[0] <= 1'b0;
endmodule

`default_nettype wire
