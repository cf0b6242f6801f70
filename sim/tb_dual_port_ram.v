// Bench of dual_port_ram: four shapes side by side, random writes and reads compared with a plain array. A read that
// collides with a write of the same address gives an unknown word, where the simulator has such.
`default_nettype none
`timescale 1ns / 1ps

module tb_dual_port_ram;

    localparam integer CASES  = 4;
    localparam integer CYCLES = 20000;

    function integer width_of(input integer index);
        case (index)
            0:       width_of = 32;
            1:       width_of = 8;
            2:       width_of = 1;
            default: width_of = 64;
        endcase
    endfunction

    function integer depth_of(input integer index);
        case (index)
            0:       depth_of = 1024;
            1:       depth_of = 5;
            2:       depth_of = 1;
            default: depth_of = 48;
        endcase
    endfunction

    function integer address_width_of(input integer index);
        case (index)
            0:       address_width_of = 10;
            1:       address_width_of = 3;
            2:       address_width_of = 1;
            default: address_width_of = 7;
        endcase
    endfunction

    localparam INSTANCE = "depth";

`include "cell_bench.vh"


    always @(posedge clk) begin
        if (cycle == CYCLES) begin
            verdict;
        end
    end

    genvar index;

    generate
        for (index = 0; index < CASES; index = index + 1) begin : shapes
            localparam integer WIDTH         = width_of(index);
            localparam integer DEPTH         = depth_of(index);
            localparam integer ADDRESS_WIDTH = address_width_of(index);

            reg                      write_enable  = 1'b0;
            reg  [ADDRESS_WIDTH-1:0] write_address = 0;
            reg  [WIDTH-1:0]         write_data    = 0;
            reg                      read_enable   = 1'b0;
            reg  [ADDRESS_WIDTH-1:0] read_address  = 0;
            wire [WIDTH-1:0]         read_data;

            reg [WIDTH-1:0] model [0:DEPTH-1];
            reg [DEPTH-1:0] written = 0;
            reg [WIDTH-1:0] expected;
            reg             judged = 1'b0;

            dual_port_ram #(
                .WIDTH         (WIDTH),
                .DEPTH         (DEPTH),
                .ADDRESS_WIDTH (ADDRESS_WIDTH)
            ) dut (
                .clk           (clk),
                .write_enable  (write_enable),
                .write_address (write_address),
                .write_data    (write_data),
                .read_enable   (read_enable),
                .read_address  (read_address),
                .read_data     (read_data)
            );

            always @(posedge clk) begin
                if (judged) begin
                    check(read_data === expected, DEPTH, "read_data");
                end
                if (read_enable) begin
                    judged   = written[read_address];
                    expected = model[read_address];
                    if (write_enable && write_address == read_address) begin
`ifdef VERILATOR
                        judged   = 1'b0;
`else
                        judged   = 1'b1;
                        expected = {WIDTH{1'bx}};
`endif
                    end
                end
                if (write_enable) begin
                    model[write_address] = write_data;
                    written[write_address] = 1'b1;
                end
                write_enable  <= $random;
                write_address <= $unsigned($random) % DEPTH;
                write_data    <= {$random, $random};
                read_enable   <= $random;
                read_address  <= $unsigned($random) % DEPTH;
            end
        end
    endgenerate

endmodule

`default_nettype wire
