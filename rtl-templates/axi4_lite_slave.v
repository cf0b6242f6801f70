// SPDX-License-Identifier: MIT OR Apache-2.0
//
// axi4_lite_slave: a register bus as an AXI4-Lite slave.
//
// Latency     a write is answered two cycles after address and data have both come, a read four after its address.
// Parameters  none; 256 words, of which the register bus shows one at a time
// Handshake   s_axil_*  AXI4-Lite, 32 bits; reads and writes one at a time, a write that waits goes first
//             m_reg_write, m_reg_address (word index), m_reg_data, s_reg_data: the register bus, whose read data belong
//             to the address of two cycles before
//
// A write must have all four strobes; any other changes nothing and is answered with SLVERR.
`default_nettype none

module axi4_lite_slave (
    input  wire        clk,
    input  wire        rst,

    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [9:0]  s_axil_awaddr,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0]  s_axil_wstrb,
    output wire        s_axil_bvalid,
    input  wire        s_axil_bready,
    output wire [1:0]  s_axil_bresp,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    input  wire [9:0]  s_axil_araddr,
    output wire        s_axil_rvalid,
    input  wire        s_axil_rready,
    output wire [31:0] s_axil_rdata,
    output wire [1:0]  s_axil_rresp,

    output wire        m_reg_write,
    output wire [7:0]  m_reg_address,
    output wire [31:0] m_reg_data,
    input  wire [31:0] s_reg_data
);

    localparam [2:0] IDLE = 3'd0, WRITE = 3'd1, WRITTEN = 3'd2, ADDRESS = 3'd3, SETTLE = 3'd4, READ = 3'd5;

    localparam [1:0] OKAY = 2'b00, SLVERR = 2'b10;

    reg [2:0]  state_reg;
    reg [7:0]  address_reg;
    reg [31:0] data_reg;
    reg        whole_reg;

    wire idle   = state_reg == IDLE;
    wire writes = s_axil_awvalid && s_axil_wvalid;

    assign s_axil_awready = idle && s_axil_wvalid;
    assign s_axil_wready  = idle && s_axil_awvalid;
    assign s_axil_bvalid  = state_reg == WRITTEN;
    assign s_axil_bresp   = whole_reg ? OKAY : SLVERR;
    assign s_axil_arready = idle && !writes;
    assign s_axil_rvalid  = state_reg == READ;
    assign s_axil_rdata   = data_reg;
    assign s_axil_rresp   = OKAY;

    assign m_reg_write   = state_reg == WRITE && whole_reg;
    assign m_reg_address = address_reg;
    assign m_reg_data    = data_reg;

    // The byte of a word is not chosen by the address.
    /* verilator lint_off UNUSED */
    wire unused = &{1'b0, s_axil_awaddr[1:0], s_axil_araddr[1:0]};
    /* verilator lint_on UNUSED */

    always @(posedge clk) begin
        if (idle) begin
            address_reg <= writes ? s_axil_awaddr[9:2] : s_axil_araddr[9:2];
            data_reg    <= s_axil_wdata;
            whole_reg   <= &s_axil_wstrb;
        end else if (state_reg == SETTLE) begin
            data_reg    <= s_reg_data;
        end
        case (state_reg)
            IDLE:    state_reg <= writes ? WRITE : s_axil_arvalid ? ADDRESS : IDLE;
            WRITE:   state_reg <= WRITTEN;
            WRITTEN: state_reg <= s_axil_bready ? IDLE : WRITTEN;
            ADDRESS: state_reg <= SETTLE;
            SETTLE:  state_reg <= READ;
            READ:    state_reg <= s_axil_rready ? IDLE : READ;
            default: state_reg <= IDLE;
        endcase
        if (rst) begin
            state_reg <= IDLE;
        end
    end

`ifdef FORMAL
    // A response per request, which waits unchanged; a write of all bytes, and nothing else, writes the register, once,
    // with what came.
    reg         started_reg = 1'b0;
    reg         written_waits_reg = 1'b0;
    reg  [1:0]  written_response_reg;
    reg         read_waits_reg = 1'b0;
    reg  [31:0] read_data_reg;
    reg  [1:0]  writes_open_reg;
    reg  [1:0]  reads_open_reg;
    reg  [1:0]  pulses_owed_reg;
    reg  [7:0]  owed_address_reg;
    reg  [31:0] owed_data_reg;

    wire takes_write = s_axil_awvalid && s_axil_awready;
    wire takes_read  = s_axil_arvalid && s_axil_arready;

    always @(posedge clk) begin
        started_reg          <= 1'b1;
        written_waits_reg    <= started_reg && !rst && s_axil_bvalid && !s_axil_bready;
        written_response_reg <= s_axil_bresp;
        read_waits_reg       <= started_reg && !rst && s_axil_rvalid && !s_axil_rready;
        read_data_reg        <= s_axil_rdata;
        if (takes_write) begin
            owed_address_reg <= s_axil_awaddr[9:2];
            owed_data_reg    <= s_axil_wdata;
        end
        writes_open_reg <= writes_open_reg + {1'b0, takes_write} - {1'b0, s_axil_bvalid && s_axil_bready};
        reads_open_reg  <= reads_open_reg + {1'b0, takes_read} - {1'b0, s_axil_rvalid && s_axil_rready};
        pulses_owed_reg <= pulses_owed_reg + {1'b0, takes_write && &s_axil_wstrb} - {1'b0, m_reg_write};
        if (rst) begin
            writes_open_reg <= 2'd0;
            reads_open_reg  <= 2'd0;
            pulses_owed_reg <= 2'd0;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        if (started_reg) begin
            assert (takes_write == (s_axil_wvalid && s_axil_wready));
            assert (writes_open_reg == {1'b0, state_reg == WRITE || state_reg == WRITTEN});
            assert (reads_open_reg == {1'b0, state_reg == ADDRESS || state_reg == SETTLE || state_reg == READ});
            assert (pulses_owed_reg == {1'b0, state_reg == WRITE && whole_reg});
            if (m_reg_write) begin
                assert (m_reg_address == owed_address_reg && m_reg_data == owed_data_reg);
            end
            if (written_waits_reg) begin
                assert (s_axil_bvalid && s_axil_bresp == written_response_reg);
            end
            if (read_waits_reg) begin
                assert (s_axil_rvalid && s_axil_rdata == read_data_reg);
            end
            cover (written_waits_reg && s_axil_bresp == SLVERR);
            cover (m_reg_write && s_axil_arvalid);
            cover (read_waits_reg && s_axil_rready);
        end
    end
`endif

endmodule

`default_nettype wire
