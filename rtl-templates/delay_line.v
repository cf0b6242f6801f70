// SPDX-License-Identifier: MIT OR Apache-2.0
//
// delay_line: registers in a row; all move in every cycle.
//
// Latency     CYCLES
// Parameters  WIDTH   bits of a word, at least 1
//             CYCLES  at least 0; at 0 the output is the input
`default_nettype none

module delay_line #(
    parameter integer WIDTH  = 32,
    parameter integer CYCLES = 1
) (
    /* verilator lint_off UNUSEDSIGNAL */ // no register at CYCLES = 0
    input  wire             clk,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire [WIDTH-1:0] s_data,
    output wire [WIDTH-1:0] m_data
);

    generate
        if (WIDTH < 1) begin : illegal_width
            delay_line_error_WIDTH_must_be_at_least_1 stop ();
        end
        if (CYCLES < 0) begin : illegal_cycles
            delay_line_error_CYCLES_must_be_at_least_0 stop ();
        end
        if (CYCLES == 0) begin : no_register
            assign m_data = s_data;
        end else begin : registers
            reg [CYCLES*WIDTH-1:0] row_reg;

            if (CYCLES == 1) begin : one
                always @(posedge clk) begin
                    row_reg <= s_data;
                end
            end else begin : several
                always @(posedge clk) begin
                    row_reg <= {row_reg[(CYCLES-1)*WIDTH-1:0], s_data};
                end
            end

            assign m_data = row_reg[CYCLES*WIDTH-1:(CYCLES-1)*WIDTH];
        end
    endgenerate

endmodule

`default_nettype wire
