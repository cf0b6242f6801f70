// axi4_control: writes and reads the registers of an accelerator as an AXI4-Lite master, for benches.
//
// `write(word, data)` and `read(word)` are tasks; the latter leaves its result in `value`. Answers other than OKAY count
// in `errors`. Signals change after the falling edge.
`default_nettype none
`timescale 1ns / 1ps

module axi4_control (
    input  wire        clk,
    output reg         m_axil_awvalid,
    input  wire        m_axil_awready,
    output reg  [9:0]  m_axil_awaddr,
    output reg         m_axil_wvalid,
    input  wire        m_axil_wready,
    output reg  [31:0] m_axil_wdata,
    output reg  [3:0]  m_axil_wstrb,
    input  wire        m_axil_bvalid,
    output reg         m_axil_bready,
    input  wire [1:0]  m_axil_bresp,
    output reg         m_axil_arvalid,
    input  wire        m_axil_arready,
    output reg  [9:0]  m_axil_araddr,
    input  wire        m_axil_rvalid,
    output reg         m_axil_rready,
    input  wire [31:0] m_axil_rdata,
    input  wire [1:0]  m_axil_rresp
);

    /* verilator lint_off BLKSEQ */

    reg [31:0] value  = 32'd0;
    integer    errors = 0;

    initial begin
        m_axil_awvalid = 1'b0;
        m_axil_awaddr  = 10'd0;
        m_axil_wvalid  = 1'b0;
        m_axil_wdata   = 32'd0;
        m_axil_wstrb   = 4'b1111;
        m_axil_bready  = 1'b0;
        m_axil_arvalid = 1'b0;
        m_axil_araddr  = 10'd0;
        m_axil_rready  = 1'b0;
    end

    reg address_taken, data_taken;

    task write(input [7:0] word, input [31:0] data);
        begin
            @(negedge clk);
            m_axil_awvalid = 1'b1;
            m_axil_awaddr  = {word, 2'b00};
            m_axil_wvalid  = 1'b1;
            m_axil_wdata   = data;
            m_axil_bready  = 1'b1;
            while (m_axil_awvalid || m_axil_wvalid) begin
                #1 address_taken = m_axil_awready;
                data_taken    = m_axil_wready;
                @(negedge clk);
                if (address_taken) m_axil_awvalid = 1'b0;
                if (data_taken) m_axil_wvalid = 1'b0;
            end
            while (!m_axil_bvalid) @(negedge clk);
            if (m_axil_bresp != 2'b00) errors = errors + 1;
            @(negedge clk) m_axil_bready = 1'b0;
        end
    endtask

    task read(input [7:0] word);
        begin
            @(negedge clk);
            m_axil_arvalid = 1'b1;
            m_axil_araddr  = {word, 2'b00};
            m_axil_rready  = 1'b1;
            address_taken  = 1'b0;
            while (!address_taken) begin
                #1 address_taken = m_axil_arready;
                @(negedge clk);
            end
            m_axil_arvalid = 1'b0;
            while (!m_axil_rvalid) @(negedge clk);
            value = m_axil_rdata;
            if (m_axil_rresp != 2'b00) errors = errors + 1;
            @(negedge clk) m_axil_rready = 1'b0;
        end
    endtask

    /* verilator lint_on BLKSEQ */

endmodule

`default_nettype wire
