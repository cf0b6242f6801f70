// SPDX-License-Identifier: MIT OR Apache-2.0
//
// sdr_phy_ecp5: joins sdr_controller to the pins of a x16 SDR SDRAM on Lattice ECP5. All pins have registers in their
// I/O cells; chip select is tied low.
//
// clk_memory is clk, 270 degrees later (PLL); sdram_clk is a copy of it, by an output cell of its own so that it leaves
// with the same delay as commands and data. With T the period, and all pins' delays to and from clk alike:
//   to the device    commands change at 0 and are taken at 0.75 T: set-up 0.75 T, hold 0.25 T
//   from the device  data that its clock at 0.75 T brings are taken at 2 T, 1.25 T later, less the way out of the clock
//                    and the way in of the data; they hold until T + tOH + both ways after that clock
// At 100 MHz (T = 10 ns) and tAC = 5.4 ns, tOH = 2.5 ns, both ways may take 0 to 7.1 ns together, and must take more
// than what the input register's hold asks for.
//
// Latency     a command is on the pins one cycle after it is on the port; phy_read_valid comes CAS_LATENCY + 2 cycles
//             after phy_read_enable
// Parameters  CAS_LATENCY  cycles
`default_nettype none

module sdr_phy_ecp5 #(
    parameter integer CAS_LATENCY = 3
) (
    input  wire        clk,
    input  wire        clk_memory,
    input  wire        rst,

    input  wire        phy_cke,
    input  wire [2:0]  phy_command,
    input  wire [1:0]  phy_bank,
    input  wire [12:0] phy_address,
    input  wire        phy_write_enable,
    input  wire [15:0] phy_write_data,
    input  wire [1:0]  phy_write_mask,
    input  wire        phy_read_enable,
    output wire        phy_read_valid,
    output wire [15:0] phy_read_data,

    output wire        sdram_clk,
    output wire        sdram_cke,
    output wire        sdram_csn,
    output wire        sdram_rasn,
    output wire        sdram_casn,
    output wire        sdram_wen,
    output wire [1:0]  sdram_ba,
    output wire [12:0] sdram_a,
    output wire [1:0]  sdram_dqm,
    inout  wire [15:0] sdram_d
);

    generate
        if (CAS_LATENCY < 2 || CAS_LATENCY > 3) begin : illegal_cas_latency
            sdr_phy_ecp5_error_CAS_LATENCY_must_be_2_or_3 stop ();
        end
    endgenerate

    assign sdram_csn = 1'b0;

    ODDRX1F clock_cell (
        .D0   (1'b1),
        .D1   (1'b0),
        .SCLK (clk_memory),
        .RST  (1'b0),
        .Q    (sdram_clk)
    );

    // The cells start with ones: no command, all bytes masked.
    localparam integer OUTPUTS = 21;

    wire [OUTPUTS-1:0] outputs = {phy_cke, phy_command, phy_bank, phy_address, phy_write_mask};
    wire [OUTPUTS-1:0] pins;

    assign {sdram_cke, sdram_rasn, sdram_casn, sdram_wen, sdram_ba, sdram_a, sdram_dqm} = pins;

    genvar index;
    generate
        for (index = 0; index < OUTPUTS; index = index + 1) begin : output_cells
            OFS1P3BX register (
                .PD   (1'b0),
                .SP   (1'b1),
                .SCLK (clk),
                .D    (outputs[index]),
                .Q    (pins[index])
            );
        end

        for (index = 0; index < 16; index = index + 1) begin : data_cells
            wire data_out;
            wire data_in;
            wire high_z;

            OFS1P3BX output_register (
                .PD   (1'b0),
                .SP   (1'b1),
                .SCLK (clk),
                .D    (phy_write_data[index]),
                .Q    (data_out)
            );

            OFS1P3BX enable_register (
                .PD   (1'b0),
                .SP   (1'b1),
                .SCLK (clk),
                .D    (~phy_write_enable),
                .Q    (high_z)
            );

            IFS1P3BX input_register (
                .PD   (1'b0),
                .SP   (1'b1),
                .SCLK (clk),
                .D    (data_in),
                .Q    (phy_read_data[index])
            );

            BB pad (
                .I (data_out),
                .T (high_z),
                .O (data_in),
                .B (sdram_d[index])
            );
        end
    endgenerate

    reg [CAS_LATENCY+1:0] read_pipe_reg;

    assign phy_read_valid = read_pipe_reg[CAS_LATENCY+1];

    always @(posedge clk) begin
        read_pipe_reg <= {read_pipe_reg[CAS_LATENCY:0], phy_read_enable};
        if (rst) begin
            read_pipe_reg <= {(CAS_LATENCY + 2){1'b0}};
        end
    end

endmodule

`default_nettype wire
