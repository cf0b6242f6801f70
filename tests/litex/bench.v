// Clock and reset of the SoC, and what its program tells.
`timescale 1ns / 1ps
module bench;
    reg       clk = 1'b0;
    reg       rst = 1'b1;
    wire [7:0] told;
    integer   cycle = 0;

    soc u_soc (.sys_clk(clk), .sys_rst(rst), .told(told));

    always #10 clk = !clk;

    always @(posedge clk) begin
        cycle <= cycle + 1;
        if (cycle == 10) rst <= 1'b0;
        if (cycle > 20 && told != 8'd0) begin
            $display("TOLD %c", told);
            $finish;
        end
        if (cycle == 2000000) begin
            $display("TOLD nothing");
            $finish;
        end
    end
endmodule
