// SPDX-License-Identifier: MIT OR Apache-2.0
//
// axi4_reader: read commands to bursts of an AXI4 bus of 32 to 512 bits.
//
// Latency     two cycles from a command to m_axi_arvalid, two from a beat to its word, one more where a beat is wider.
// Parameters  ADDRESS_WIDTH  bits of a word address
//             LENGTH_WIDTH   bits of a command's length in words
//             WORD_WIDTH     log2 of the bytes of a word, 2 to 6
//             BEAT_WIDTH     log2 of the words of a beat, 0 to 4
//             BURST_WIDTH    log2 of the beats of the longest burst; at most 8, and 12 - BEAT_WIDTH - WORD_WIDTH for 4 KB
//             DEPTH          beats that may be under way, a power of two, at least 4 and the longest burst
// Handshake   s_load   address, and length of at least 1
//             m_read   one word per word of a command, in order
//             error    {DECERR, SLVERR} of a beat, for a cycle
//
// INCR bursts, all with ID 0. A burst is asked for when its beats have room in the FIFO behind the bus: so m_axi_rready
// never falls, whoever reads the words, and a memory that serves others as well is not held up. Full throughput as long
// as latency and longest burst fit DEPTH.
`default_nettype none

module axi4_reader #(
    parameter integer ADDRESS_WIDTH = 30,
    parameter integer LENGTH_WIDTH  = 10,
    parameter integer WORD_WIDTH    = 2,
    parameter integer BEAT_WIDTH    = 0,
    parameter integer BURST_WIDTH   = 8,
    parameter integer DEPTH         = 512
) (
    input  wire                                    clk,
    input  wire                                    rst,
    output wire [1:0]                              error,

    input  wire                                    s_load_valid,
    output wire                                    s_load_ready,
    input  wire [ADDRESS_WIDTH-1:0]                s_load_address,
    input  wire [LENGTH_WIDTH-1:0]                 s_load_length,
    output wire                                    m_read_valid,
    input  wire                                    m_read_ready,
    output wire [(8<<WORD_WIDTH)-1:0]              m_read_data,

    output wire                                    m_axi_arvalid,
    input  wire                                    m_axi_arready,
    output wire [ADDRESS_WIDTH+WORD_WIDTH-1:0]     m_axi_araddr,
    output wire [7:0]                              m_axi_arlen,
    input  wire                                    m_axi_rvalid,
    output wire                                    m_axi_rready,
    input  wire [(8<<(WORD_WIDTH+BEAT_WIDTH))-1:0] m_axi_rdata,
    input  wire [1:0]                              m_axi_rresp
);

    generate
        if (WORD_WIDTH + BEAT_WIDTH + BURST_WIDTH > 12) begin : illegal_burst_width
            axi4_reader_error_bursts_must_not_cross_4_KB stop ();
        end
        if (DEPTH < 4 || DEPTH < (1 << BURST_WIDTH) || (DEPTH & (DEPTH - 1)) != 0) begin : illegal_depth
            axi4_reader_error_DEPTH_must_be_a_power_of_two_that_holds_a_burst stop ();
        end
    endgenerate

    localparam integer DATA_WIDTH   = 8 << (WORD_WIDTH + BEAT_WIDTH);
    localparam integer OFFSET_WIDTH = BEAT_WIDTH == 0 ? 1 : BEAT_WIDTH;

    wire                    splitter_ready;
    wire                    queue_ready;

    assign s_load_ready = splitter_ready && queue_ready;

    // -- Bursts -------------------------------------------------------------------------------------------------------

    wire                                burst_valid;
    wire [ADDRESS_WIDTH-BEAT_WIDTH-1:0] burst_address;
    wire [7:0]                          burst_length;
    wire                                burst_granted;

    /* verilator lint_off UNUSED */
    wire                                burst_last;
    /* verilator lint_on UNUSED */

    reg                                 arvalid_reg;
    reg [ADDRESS_WIDTH-BEAT_WIDTH-1:0]  araddr_reg;
    reg [7:0]                           arlen_reg;

    burst_splitter #(
        .ADDRESS_WIDTH (ADDRESS_WIDTH),
        .LENGTH_WIDTH  (LENGTH_WIDTH),
        .BEAT_WIDTH    (BEAT_WIDTH),
        .BURST_WIDTH   (BURST_WIDTH)
    ) u_splitter (
        .clk             (clk),
        .rst             (rst),
        .s_cmd_valid     (s_load_valid && queue_ready),
        .s_cmd_ready     (splitter_ready),
        .s_cmd_address   (s_load_address),
        .s_cmd_length    (s_load_length),
        .m_burst_valid   (burst_valid),
        .m_burst_ready   (burst_granted && (m_axi_arready || !arvalid_reg)),
        .m_burst_address (burst_address),
        .m_burst_length  (burst_length),
        .m_burst_last    (burst_last)
    );

    wire asks = burst_valid && burst_granted && (m_axi_arready || !arvalid_reg);

    assign m_axi_arvalid = arvalid_reg;
    assign m_axi_araddr  = {araddr_reg, {(WORD_WIDTH + BEAT_WIDTH){1'b0}}};
    assign m_axi_arlen   = arlen_reg;

    always @(posedge clk) begin
        if (m_axi_arready || !arvalid_reg) begin
            araddr_reg  <= burst_address;
            arlen_reg   <= burst_length;
            arvalid_reg <= burst_valid && burst_granted;
        end
        if (rst) begin
            arvalid_reg <= 1'b0;
        end
    end

    // -- Beats --------------------------------------------------------------------------------------------------------

    wire                  beat_valid;
    wire                  beat_ready;
    wire [DATA_WIDTH-1:0] beat_data;

    beat_room #(
        .DEPTH (DEPTH)
    ) u_room (
        .clk            (clk),
        .rst            (rst),
        .s_burst_length (burst_length),
        .granted        (burst_granted),
        .taken          (asks),
        .returned       (beat_valid && beat_ready)
    );

    fifo #(
        .WIDTH (DATA_WIDTH),
        .DEPTH (DEPTH)
    ) u_beats (
        .clk     (clk),
        .rst     (rst),
        .s_valid (m_axi_rvalid),
        .s_ready (m_axi_rready),
        .s_data  (m_axi_rdata),
        .m_valid (beat_valid),
        .m_ready (beat_ready),
        .m_data  (beat_data)
    );

    assign error = {m_axi_rresp == 2'b11, m_axi_rresp == 2'b10} & {2{m_axi_rvalid && m_axi_rready}};

    // -- Words --------------------------------------------------------------------------------------------------------

    beats_to_words #(
        .WORD_WIDTH   (WORD_WIDTH),
        .BEAT_WIDTH   (BEAT_WIDTH),
        .LENGTH_WIDTH (LENGTH_WIDTH),
        .OFFSET_WIDTH (OFFSET_WIDTH)
    ) u_words (
        .clk          (clk),
        .rst          (rst),
        .s_cmd_valid  (s_load_valid && splitter_ready),
        .s_cmd_ready  (queue_ready),
        .s_cmd_offset (s_load_address[OFFSET_WIDTH-1:0]),
        .s_cmd_length (s_load_length),
        .s_beat_valid (beat_valid),
        .s_beat_ready (beat_ready),
        .s_beat_data  (beat_data),
        .m_word_valid (m_read_valid),
        .m_word_ready (m_read_ready),
        .m_word_data  (m_read_data)
    );

`ifdef FORMAL
    // The rules of AXI4's read channels, for a slave that sends the beats it owes: addresses that wait do not change, bursts
    // stay in their block and so in 4 KB, every beat that is under way has room, and words come only of beats that did.
    reg                                started_reg = 1'b0;
    reg                                address_waits_reg = 1'b0;
    reg [ADDRESS_WIDTH+WORD_WIDTH-1:0] waiting_address_reg;
    reg [7:0]                          waiting_length_reg;
    reg                                word_waits_reg = 1'b0;
    reg [(8<<WORD_WIDTH)-1:0]          waiting_word_reg;
    reg [11:0]                         owed_reg;    // beats asked for that have not come
    reg [11:0]                         stored_reg;  // beats that came and are in the FIFO

    wire                      asked   = m_axi_arvalid && m_axi_arready;
    wire                      came    = m_axi_rvalid && m_axi_rready;
    wire                      taken   = beat_valid && beat_ready;
    wire [ADDRESS_WIDTH+13:0] address = m_axi_araddr;
    wire [12:0]               end_in_block = (address[11:0] & ((1 << (WORD_WIDTH + BEAT_WIDTH + BURST_WIDTH)) - 1))
                                           + (({5'd0, m_axi_arlen} + 1'b1) << (WORD_WIDTH + BEAT_WIDTH));
    wire [11:0]               waiting_beats = m_axi_arvalid ? {4'd0, m_axi_arlen} + 12'd1 : 12'd0;

    always @(posedge clk) begin
        started_reg         <= 1'b1;
        address_waits_reg   <= started_reg && !rst && m_axi_arvalid && !m_axi_arready;
        waiting_address_reg <= m_axi_araddr;
        waiting_length_reg  <= m_axi_arlen;
        word_waits_reg      <= started_reg && !rst && m_read_valid && !m_read_ready;
        waiting_word_reg    <= m_read_data;
        owed_reg            <= owed_reg + (asked ? {4'd0, m_axi_arlen} + 12'd1 : 12'd0) - {11'd0, came};
        stored_reg          <= stored_reg + {11'd0, came} - {11'd0, taken};
        if (rst) begin
            owed_reg   <= 12'd0;
            stored_reg <= 12'd0;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!s_load_valid || s_load_length != 0);
        assume (!started_reg || !m_axi_rvalid || owed_reg != 12'd0);
        if (started_reg) begin
            if (address_waits_reg) begin
                assert (m_axi_arvalid);
                assert (m_axi_araddr == waiting_address_reg);
                assert (m_axi_arlen == waiting_length_reg);
            end
            if (word_waits_reg) begin
                assert (m_read_valid);
                assert (m_read_data == waiting_word_reg);
            end
            if (m_axi_arvalid) begin
                assert (end_in_block <= 4 << (BEAT_WIDTH + BURST_WIDTH));
                assert (m_axi_arlen >> BURST_WIDTH == 8'd0);
            end
            if (m_axi_rvalid) begin
                assert (m_axi_rready);
            end
            assert (waiting_beats + owed_reg + stored_reg <= DEPTH);
            if (beat_valid) begin
                assert (stored_reg != 12'd0);
            end
            cover (waiting_beats + owed_reg + stored_reg == DEPTH);
            cover (address_waits_reg && word_waits_reg && came);
            cover (came && taken && asked);
        end
    end
`endif

endmodule

`default_nettype wire
