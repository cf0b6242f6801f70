// ddr_timer: counts down memory clocks in logic that runs at half their rate.
//
// It is loaded in the cycle in which a command is given, with the value for the next cycle: bit k of load_waits is high
// when more than k clocks are still to wait from slot 0 of that cycle on. A cycle takes two clocks off. The next
// command may go out in slot 0 while wait_0 is low, in slot 1 while wait_1 is low.
//
// Latency     one cycle from load to wait_0 and wait_1
// Parameters  WIDTH  the longest wait in clocks, at least 1
`default_nettype none

module ddr_timer #(
    parameter integer WIDTH = 8
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             load,
    input  wire [WIDTH-1:0] load_waits,
    output wire             wait_0,
    output wire             wait_1
);

    reg  [WIDTH-1:0] waits_reg;
    wire [WIDTH+1:0] waits = {2'b00, waits_reg};

    assign wait_0 = waits[0];
    assign wait_1 = waits[1];

    always @(posedge clk)
        if (rst)
            waits_reg <= {WIDTH{1'b0}};
        else
            waits_reg <= load ? load_waits : waits[WIDTH+1:2];

endmodule

`default_nettype wire
