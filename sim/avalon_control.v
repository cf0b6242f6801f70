// avalon_control: writes and reads the registers of an accelerator as an Avalon-MM master, for benches.
//
// `write(word, data)` and `read(word)` are tasks; the latter leaves its result in `value`. Signals change after the
// falling edge.
`default_nettype none
`timescale 1ns / 1ps

module avalon_control (
    input  wire        clk,
    output reg  [7:0]  avm_address,
    output reg         avm_read,
    output reg         avm_write,
    output reg  [31:0] avm_writedata,
    output reg  [3:0]  avm_byteenable,
    input  wire [31:0] avm_readdata,
    input  wire        avm_waitrequest
);

    /* verilator lint_off BLKSEQ */

    reg [31:0] value  = 32'd0;
    integer    errors = 0;

    initial begin
        avm_address    = 8'd0;
        avm_read       = 1'b0;
        avm_write      = 1'b0;
        avm_writedata  = 32'd0;
        avm_byteenable = 4'b1111;
    end

    reg taken;

    task write(input [7:0] word, input [31:0] data);
        begin
            @(negedge clk);
            avm_write     = 1'b1;
            avm_address   = word;
            avm_writedata = data;
            taken = 1'b0;
            while (!taken) begin
                #1 taken = !avm_waitrequest;
                @(negedge clk);
            end
            avm_write = 1'b0;
        end
    endtask

    task read(input [7:0] word);
        begin
            @(negedge clk);
            avm_read    = 1'b1;
            avm_address = word;
            taken = 1'b0;
            while (!taken) begin
                #1 taken = !avm_waitrequest;
                value = avm_readdata;
                @(negedge clk);
            end
            avm_read = 1'b0;
        end
    endtask

    /* verilator lint_on BLKSEQ */

endmodule

`default_nettype wire
