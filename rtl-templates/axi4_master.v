// SPDX-License-Identifier: MIT OR Apache-2.0
//
// axi4_master: the memory port of an accelerator as an AXI4 master of 32 to 512 bits, its two directions apart.
//
// Latency     that of axi4_reader and axi4_writer.
// Parameters  ADDRESS_WIDTH  bits of a word address
//             LENGTH_WIDTH   bits of a command's length in words
//             WORD_WIDTH     log2 of the bytes of a word, 2 to 6
//             BEAT_WIDTH     log2 of the words of a beat, at most 6 - WORD_WIDTH
//             BURST_WIDTH    log2 of the beats of the longest burst; at most 8, and 12 - BEAT_WIDTH - WORD_WIDTH for 4 KB
//             READ_DEPTH     beats of reads that may be under way, a power of two, at least 4 and the longest burst
//             OUTSTANDING    writes without a response, 4 to 64 bursts; the next power of two and one more may be
// Handshake   s_load, m_read, s_store, s_write, m_written: the memory port of docs/ARCHITECTURE.md
//             idle    all accepted writes have been responded to
//             status  {write DECERR, write SLVERR, read DECERR, read SLVERR} since its bit of clear, or reset
//
// The words of a beat lie in it from the lowest bits on. Attributes: ID 0, INCR, whole beats, normal non-cacheable bufferable memory,
// unprivileged secure data access.
`default_nettype none

module axi4_master #(
    parameter integer ADDRESS_WIDTH = 30,
    parameter integer LENGTH_WIDTH  = 10,
    parameter integer WORD_WIDTH    = 2,
    parameter integer BEAT_WIDTH    = 0,
    parameter integer BURST_WIDTH   = 8,
    parameter integer READ_DEPTH    = 512,
    parameter integer OUTSTANDING   = 16
) (
    input  wire                                    clk,
    input  wire                                    rst,
    output wire                                    idle,
    input  wire [3:0]                              clear,
    output wire [3:0]                              status,

    input  wire                                    s_load_valid,
    output wire                                    s_load_ready,
    input  wire [ADDRESS_WIDTH-1:0]                s_load_address,
    input  wire [LENGTH_WIDTH-1:0]                 s_load_length,
    output wire                                    m_read_valid,
    input  wire                                    m_read_ready,
    output wire [(8<<WORD_WIDTH)-1:0]              m_read_data,
    input  wire                                    s_store_valid,
    output wire                                    s_store_ready,
    input  wire [ADDRESS_WIDTH-1:0]                s_store_address,
    input  wire [LENGTH_WIDTH-1:0]                 s_store_length,
    input  wire                                    s_write_valid,
    output wire                                    s_write_ready,
    input  wire [(8<<WORD_WIDTH)-1:0]              s_write_data,
    input  wire [(1<<WORD_WIDTH)-1:0]              s_write_strobe,
    output wire                                    m_written,

    output wire                                    m_axi_arid,
    output wire [ADDRESS_WIDTH+WORD_WIDTH-1:0]     m_axi_araddr,
    output wire [7:0]                              m_axi_arlen,
    output wire [2:0]                              m_axi_arsize,
    output wire [1:0]                              m_axi_arburst,
    output wire                                    m_axi_arlock,
    output wire [3:0]                              m_axi_arcache,
    output wire [2:0]                              m_axi_arprot,
    output wire                                    m_axi_arvalid,
    input  wire                                    m_axi_arready,
    input  wire                                    m_axi_rid,
    input  wire [(8<<(WORD_WIDTH+BEAT_WIDTH))-1:0] m_axi_rdata,
    input  wire [1:0]                              m_axi_rresp,
    input  wire                                    m_axi_rlast,
    input  wire                                    m_axi_rvalid,
    output wire                                    m_axi_rready,
    output wire                                    m_axi_awid,
    output wire [ADDRESS_WIDTH+WORD_WIDTH-1:0]     m_axi_awaddr,
    output wire [7:0]                              m_axi_awlen,
    output wire [2:0]                              m_axi_awsize,
    output wire [1:0]                              m_axi_awburst,
    output wire                                    m_axi_awlock,
    output wire [3:0]                              m_axi_awcache,
    output wire [2:0]                              m_axi_awprot,
    output wire                                    m_axi_awvalid,
    input  wire                                    m_axi_awready,
    output wire [(8<<(WORD_WIDTH+BEAT_WIDTH))-1:0] m_axi_wdata,
    output wire [(1<<(WORD_WIDTH+BEAT_WIDTH))-1:0] m_axi_wstrb,
    output wire                                    m_axi_wlast,
    output wire                                    m_axi_wvalid,
    input  wire                                    m_axi_wready,
    input  wire                                    m_axi_bid,
    input  wire [1:0]                              m_axi_bresp,
    input  wire                                    m_axi_bvalid,
    output wire                                    m_axi_bready
);

    generate
        if (WORD_WIDTH < 2 || BEAT_WIDTH < 0 || WORD_WIDTH + BEAT_WIDTH > 6) begin : illegal_beat_width
            axi4_master_error_WORD_WIDTH_and_BEAT_WIDTH_must_be_2_to_6 stop ();
        end
        if (BURST_WIDTH < 1 || BURST_WIDTH > 8) begin : illegal_burst_width
            axi4_master_error_BURST_WIDTH_must_be_1_to_8 stop ();
        end
    endgenerate

    localparam [2:0] SIZE           = WORD_WIDTH[2:0] + BEAT_WIDTH[2:0];
    localparam [1:0] INCR           = 2'b01;
    localparam [3:0] BUFFERABLE     = 4'b0011;
    localparam [2:0] SECURE_DATA    = 3'b000;

    wire [1:0] read_error;
    wire [1:0] write_error;

    reg [3:0] status_reg;

    assign status = status_reg;

    always @(posedge clk) begin
        status_reg <= (status_reg & ~clear) | {write_error, read_error};
        if (rst) begin
            status_reg <= 4'b0000;
        end
    end

    assign m_axi_arid    = 1'b0;
    assign m_axi_arsize  = SIZE;
    assign m_axi_arburst = INCR;
    assign m_axi_arlock  = 1'b0;
    assign m_axi_arcache = BUFFERABLE;
    assign m_axi_arprot  = SECURE_DATA;
    assign m_axi_awid    = 1'b0;
    assign m_axi_awsize  = SIZE;
    assign m_axi_awburst = INCR;
    assign m_axi_awlock  = 1'b0;
    assign m_axi_awcache = BUFFERABLE;
    assign m_axi_awprot  = SECURE_DATA;

    // One ID and beats in order: what these say is known.
    /* verilator lint_off UNUSED */
    wire unused = &{1'b0, m_axi_rid, m_axi_rlast, m_axi_bid};
    /* verilator lint_on UNUSED */

    axi4_reader #(
        .ADDRESS_WIDTH (ADDRESS_WIDTH),
        .LENGTH_WIDTH  (LENGTH_WIDTH),
        .WORD_WIDTH    (WORD_WIDTH),
        .BEAT_WIDTH    (BEAT_WIDTH),
        .BURST_WIDTH   (BURST_WIDTH),
        .DEPTH         (READ_DEPTH)
    ) u_reader (
        .clk            (clk),
        .rst            (rst),
        .error          (read_error),
        .s_load_valid   (s_load_valid),
        .s_load_ready   (s_load_ready),
        .s_load_address (s_load_address),
        .s_load_length  (s_load_length),
        .m_read_valid   (m_read_valid),
        .m_read_ready   (m_read_ready),
        .m_read_data    (m_read_data),
        .m_axi_arvalid  (m_axi_arvalid),
        .m_axi_arready  (m_axi_arready),
        .m_axi_araddr   (m_axi_araddr),
        .m_axi_arlen    (m_axi_arlen),
        .m_axi_rvalid   (m_axi_rvalid),
        .m_axi_rready   (m_axi_rready),
        .m_axi_rdata    (m_axi_rdata),
        .m_axi_rresp    (m_axi_rresp)
    );

    axi4_writer #(
        .ADDRESS_WIDTH (ADDRESS_WIDTH),
        .LENGTH_WIDTH  (LENGTH_WIDTH),
        .WORD_WIDTH    (WORD_WIDTH),
        .BEAT_WIDTH    (BEAT_WIDTH),
        .BURST_WIDTH   (BURST_WIDTH),
        .OUTSTANDING   (OUTSTANDING)
    ) u_writer (
        .clk             (clk),
        .rst             (rst),
        .idle            (idle),
        .error           (write_error),
        .s_store_valid   (s_store_valid),
        .s_store_ready   (s_store_ready),
        .s_store_address (s_store_address),
        .s_store_length  (s_store_length),
        .s_write_valid   (s_write_valid),
        .s_write_ready   (s_write_ready),
        .s_write_data    (s_write_data),
        .s_write_strobe  (s_write_strobe),
        .m_written       (m_written),
        .m_axi_awvalid   (m_axi_awvalid),
        .m_axi_awready   (m_axi_awready),
        .m_axi_awaddr    (m_axi_awaddr),
        .m_axi_awlen     (m_axi_awlen),
        .m_axi_wvalid    (m_axi_wvalid),
        .m_axi_wready    (m_axi_wready),
        .m_axi_wdata     (m_axi_wdata),
        .m_axi_wstrb     (m_axi_wstrb),
        .m_axi_wlast     (m_axi_wlast),
        .m_axi_bvalid    (m_axi_bvalid),
        .m_axi_bready    (m_axi_bready),
        .m_axi_bresp     (m_axi_bresp)
    );

`ifdef FORMAL
    // Responses come for what the slave owes. An error of either direction is kept until it is cleared, and the directions
    // do not mix; the channels' rules are asserted in axi4_reader and axi4_writer.
    (* anyconst *) wire [1:0] watched;

    reg        started_reg = 1'b0;
    reg [15:0] read_beats_reg;   // asked for and not come
    reg [7:0]  open_bursts_reg;  // write addresses accepted, last beats not
    reg [7:0]  owed_reg;         // writes without a response
    reg        failed_reg;

    wire read_comes  = m_axi_rvalid && m_axi_rready;
    wire burst_ends  = m_axi_wvalid && m_axi_wready && m_axi_wlast;
    wire answered    = m_axi_bvalid && m_axi_bready;
    wire fails       = watched[1] ? answered && m_axi_bresp == {1'b1, watched[0]}
                                  : read_comes && m_axi_rresp == {1'b1, watched[0]};

    always @(posedge clk) begin
        started_reg <= 1'b1;
        read_beats_reg  <= read_beats_reg - {15'd0, read_comes}
                         + (m_axi_arvalid && m_axi_arready ? {8'd0, m_axi_arlen} + 16'd1 : 16'd0);
        open_bursts_reg <= open_bursts_reg + {7'd0, m_axi_awvalid && m_axi_awready} - {7'd0, burst_ends};
        owed_reg        <= owed_reg + {7'd0, burst_ends} - {7'd0, answered};
        failed_reg      <= fails || (failed_reg && !clear[watched]);
        if (rst) begin
            read_beats_reg  <= 16'd0;
            open_bursts_reg <= 8'd0;
            owed_reg        <= 8'd0;
            failed_reg      <= 1'b0;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!s_load_valid || s_load_length != 0);
        assume (!s_store_valid || s_store_length != 0);
        assume (!m_axi_rvalid || read_beats_reg != 16'd0);
        assume (!m_axi_bvalid || owed_reg != 8'd0);
        if (started_reg) begin
            assert (status[watched] == failed_reg);
            assert ((8 << m_axi_arsize) == (8 << (WORD_WIDTH + BEAT_WIDTH)) && m_axi_arburst == 2'b01 && !m_axi_arid);
            assert ((8 << m_axi_awsize) == (8 << (WORD_WIDTH + BEAT_WIDTH)) && m_axi_awburst == 2'b01 && !m_axi_awid);
            if (m_axi_wvalid) begin
                assert (open_bursts_reg != 8'd0);
            end
            if (idle) begin
                assert (open_bursts_reg == 8'd0 && owed_reg == 8'd0);
            end
            cover (read_comes && answered && failed_reg);
            cover (m_written && m_axi_arvalid && m_axi_wvalid);
        end
    end
`endif

endmodule

`default_nettype wire
