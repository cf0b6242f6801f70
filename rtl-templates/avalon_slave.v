// SPDX-License-Identifier: MIT OR Apache-2.0
//
// avalon_slave: a register bus as an Avalon-MM slave.
//
// Latency     a write is taken in its first cycle, a read in its third, with its data.
// Parameters  none; 256 words, of which the register bus shows one at a time
// Handshake   avs_*  Avalon-MM with word addresses, 32 bits, waitrequest and no read latency
//             m_reg_write, m_reg_address (word index), m_reg_data, s_reg_data: the register bus, whose read data belong
//             to the address of two cycles before
//
// A write must have all byte enables; any other changes nothing.
`default_nettype none

module avalon_slave (
    input  wire        clk,
    input  wire        rst,

    input  wire [7:0]  avs_address,
    input  wire        avs_read,
    input  wire        avs_write,
    input  wire [31:0] avs_writedata,
    input  wire [3:0]  avs_byteenable,
    output wire [31:0] avs_readdata,
    output wire        avs_waitrequest,

    output wire        m_reg_write,
    output wire [7:0]  m_reg_address,
    output wire [31:0] m_reg_data,
    input  wire [31:0] s_reg_data
);

    // Cycles that the address has been there.
    reg [1:0] waited_reg;

    wire settled = waited_reg == 2'd2;

    assign avs_waitrequest = avs_read && !settled;
    assign avs_readdata    = s_reg_data;
    assign m_reg_write     = avs_write && &avs_byteenable;
    assign m_reg_address   = avs_address;
    assign m_reg_data      = avs_writedata;

    always @(posedge clk) begin
        waited_reg <= waited_reg + 1'b1;
        if (rst || !avs_read || settled) begin
            waited_reg <= 2'd0;
        end
    end

`ifdef FORMAL
    // A read ends in its third cycle, when the register bus has had its address for two; a write is one pulse.
    reg       started_reg = 1'b0;
    reg       read_reg = 1'b0;      // a read that waits
    reg [7:0] address_reg;
    reg [1:0] cycles_reg;           // that the read has waited

    always @(posedge clk) begin
        started_reg <= 1'b1;
        read_reg    <= started_reg && !rst && avs_read && avs_waitrequest;
        address_reg <= avs_address;
        cycles_reg  <= started_reg && !rst && avs_read && avs_waitrequest ? cycles_reg + 1'b1 : 2'd0;
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!(avs_read && avs_write));
        assume (!read_reg || (avs_read && avs_address == address_reg));
        if (started_reg) begin
            assert (cycles_reg == waited_reg);
            assert (!avs_write || !avs_waitrequest);
            assert (!avs_read || avs_waitrequest == (cycles_reg != 2'd2));
            assert (m_reg_write == (avs_write && avs_byteenable == 4'b1111));
            cover (avs_read && !avs_waitrequest);
            cover (m_reg_write);
        end
    end
`endif

endmodule

`default_nettype wire
