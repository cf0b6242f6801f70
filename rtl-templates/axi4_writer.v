// SPDX-License-Identifier: MIT OR Apache-2.0
//
// axi4_writer: write commands to bursts of an AXI4 bus of 32 to 512 bits.
//
// Latency     two cycles from a command to m_axi_awvalid, one from a beat's last word to m_axi_wvalid, one from the
//             response of a command's last burst to m_written.
// Parameters  ADDRESS_WIDTH  bits of a word address
//             LENGTH_WIDTH   bits of a command's length in words
//             WORD_WIDTH     log2 of the bytes of a word, 2 to 6
//             BEAT_WIDTH     log2 of the words of a beat, 0 to 4
//             BURST_WIDTH    log2 of the beats of the longest burst; at most 8, and 12 - BEAT_WIDTH - WORD_WIDTH for 4 KB
//             OUTSTANDING    bursts whose response has not come, 4 to 64; the FIFO that has a power of two of them, and
//                            one more at its output, sets the bound
// Handshake   s_store  address, and length of at least 1
//             s_write  one word per word of a command, in order, with byte strobes
//             m_written  high for a cycle per command, in order, when all its bursts have been responded to
//             error    {DECERR, SLVERR} of a response, for a cycle
//             idle     every accepted command has been written
//
// INCR bursts, all with ID 0. An address goes out before its data are there; data never before their address.
`default_nettype none

module axi4_writer #(
    parameter integer ADDRESS_WIDTH = 30,
    parameter integer LENGTH_WIDTH  = 10,
    parameter integer WORD_WIDTH    = 2,
    parameter integer BEAT_WIDTH    = 0,
    parameter integer BURST_WIDTH   = 8,
    parameter integer OUTSTANDING   = 16
) (
    input  wire                                    clk,
    input  wire                                    rst,
    output wire                                    idle,
    output wire [1:0]                              error,

    input  wire                                    s_store_valid,
    output wire                                    s_store_ready,
    input  wire [ADDRESS_WIDTH-1:0]                s_store_address,
    input  wire [LENGTH_WIDTH-1:0]                 s_store_length,
    input  wire                                    s_write_valid,
    output wire                                    s_write_ready,
    input  wire [(8<<WORD_WIDTH)-1:0]              s_write_data,
    input  wire [(1<<WORD_WIDTH)-1:0]              s_write_strobe,
    output wire                                    m_written,

    output wire                                    m_axi_awvalid,
    input  wire                                    m_axi_awready,
    output wire [ADDRESS_WIDTH+WORD_WIDTH-1:0]     m_axi_awaddr,
    output wire [7:0]                              m_axi_awlen,
    output wire                                    m_axi_wvalid,
    input  wire                                    m_axi_wready,
    output wire [(8<<(WORD_WIDTH+BEAT_WIDTH))-1:0] m_axi_wdata,
    output wire [(1<<(WORD_WIDTH+BEAT_WIDTH))-1:0] m_axi_wstrb,
    output wire                                    m_axi_wlast,
    input  wire                                    m_axi_bvalid,
    output wire                                    m_axi_bready,
    input  wire [1:0]                              m_axi_bresp
);

    generate
        if (WORD_WIDTH + BEAT_WIDTH + BURST_WIDTH > 12) begin : illegal_burst_width
            axi4_writer_error_bursts_must_not_cross_4_KB stop ();
        end
        if (OUTSTANDING < 4 || OUTSTANDING > 64) begin : illegal_outstanding
            axi4_writer_error_OUTSTANDING_must_be_4_to_64 stop ();
        end
    endgenerate

    localparam integer PLACE_WIDTH = BURST_WIDTH + BEAT_WIDTH;

    wire splitter_ready;
    wire queue_ready;

    assign s_store_ready = splitter_ready && queue_ready;

    // -- Addresses ----------------------------------------------------------------------------------------------------

    wire                                burst_valid;
    wire [ADDRESS_WIDTH-BEAT_WIDTH-1:0] burst_address;
    wire [7:0]                          burst_length;
    wire                                burst_last;
    wire                                expected_ready;

    reg                                 awvalid_reg;
    reg [ADDRESS_WIDTH-BEAT_WIDTH-1:0]  awaddr_reg;
    reg [7:0]                           awlen_reg;

    wire address_moves = m_axi_awready || !awvalid_reg;

    burst_splitter #(
        .ADDRESS_WIDTH (ADDRESS_WIDTH),
        .LENGTH_WIDTH  (LENGTH_WIDTH),
        .BEAT_WIDTH    (BEAT_WIDTH),
        .BURST_WIDTH   (BURST_WIDTH)
    ) u_splitter (
        .clk             (clk),
        .rst             (rst),
        .s_cmd_valid     (s_store_valid && queue_ready),
        .s_cmd_ready     (splitter_ready),
        .s_cmd_address   (s_store_address),
        .s_cmd_length    (s_store_length),
        .m_burst_valid   (burst_valid),
        .m_burst_ready   (expected_ready && address_moves),
        .m_burst_address (burst_address),
        .m_burst_length  (burst_length),
        .m_burst_last    (burst_last)
    );

    assign m_axi_awvalid = awvalid_reg;
    assign m_axi_awaddr  = {awaddr_reg, {(WORD_WIDTH + BEAT_WIDTH){1'b0}}};
    assign m_axi_awlen   = awlen_reg;

    always @(posedge clk) begin
        if (address_moves) begin
            awaddr_reg  <= burst_address;
            awlen_reg   <= burst_length;
            awvalid_reg <= burst_valid && expected_ready;
        end
        if (rst) begin
            awvalid_reg <= 1'b0;
        end
    end

    // -- Data ---------------------------------------------------------------------------------------------------------

    wire beat_valid;

    /* verilator lint_off UNUSED */
    wire beat_cmd_last;
    /* verilator lint_on UNUSED */

    // Bursts whose address has gone out and whose last beat has not.
    reg [6:0] open_reg;

    wire is_open     = open_reg != 7'd0;
    wire opens       = awvalid_reg && m_axi_awready;
    wire closes      = m_axi_wvalid && m_axi_wready && m_axi_wlast;

    assign m_axi_wvalid = beat_valid && is_open;

    words_to_beats #(
        .WORD_WIDTH   (WORD_WIDTH),
        .BEAT_WIDTH   (BEAT_WIDTH),
        .BURST_WIDTH  (BURST_WIDTH),
        .LENGTH_WIDTH (LENGTH_WIDTH)
    ) u_beats (
        .clk             (clk),
        .rst             (rst),
        .s_cmd_valid     (s_store_valid && splitter_ready),
        .s_cmd_ready     (queue_ready),
        .s_cmd_place     (s_store_address[PLACE_WIDTH-1:0]),
        .s_cmd_length    (s_store_length),
        .s_word_valid    (s_write_valid),
        .s_word_ready    (s_write_ready),
        .s_word_data     (s_write_data),
        .s_word_strobe   (s_write_strobe),
        .m_beat_valid    (beat_valid),
        .m_beat_ready    (m_axi_wready && is_open),
        .m_beat_data     (m_axi_wdata),
        .m_beat_strobe   (m_axi_wstrb),
        .m_beat_last     (m_axi_wlast),
        .m_beat_cmd_last (beat_cmd_last)
    );

    // -- Responses ----------------------------------------------------------------------------------------------------

    // Per burst without a response, whether it is the last of its command.
    wire expected_valid;
    wire expected_last;

    fifo #(
        .WIDTH (1),
        .DEPTH (OUTSTANDING)
    ) u_expected (
        .clk     (clk),
        .rst     (rst),
        .s_valid (burst_valid && address_moves),
        .s_ready (expected_ready),
        .s_data  (burst_last),
        .m_valid (expected_valid),
        .m_ready (m_axi_bvalid),
        .m_data  (expected_last)
    );

    reg       written_reg;
    reg [7:0] inside_reg;   // commands

    assign m_axi_bready = expected_valid;
    assign m_written    = written_reg;
    assign idle         = inside_reg == 8'd0;
    assign error        = {m_axi_bresp == 2'b11, m_axi_bresp == 2'b10} & {2{m_axi_bvalid && m_axi_bready}};

    wire enters = s_store_valid && s_store_ready;

    always @(posedge clk) begin
        written_reg <= m_axi_bvalid && expected_valid && expected_last;
        if (opens && !closes) begin
            open_reg <= open_reg + 1'b1;
        end else if (closes && !opens) begin
            open_reg <= open_reg - 1'b1;
        end
        if (enters && !written_reg) begin
            inside_reg <= inside_reg + 1'b1;
        end else if (written_reg && !enters) begin
            inside_reg <= inside_reg - 1'b1;
        end
        if (rst) begin
            open_reg    <= 7'd0;
            written_reg <= 1'b0;
            inside_reg  <= 8'd0;
        end
    end

`ifdef FORMAL
    // The rules of AXI4's write channels, for a slave that answers what it owes: addresses and data that wait do not change,
    // bursts stay in their block and so in 4 KB, data follow their address and end with their burst, the counters keep
    // count. Of any one command: m_written comes when its last burst has been responded to, not before.
    (* anyseq *) wire watch_burst;
    (* anyseq *) wire watch_command;

    localparam integer WORDS_WIDTH = (LENGTH_WIDTH > PLACE_WIDTH ? LENGTH_WIDTH : PLACE_WIDTH) + 1;

    reg                                started_reg = 1'b0;
    reg                                address_waits_reg = 1'b0;
    reg [ADDRESS_WIDTH+WORD_WIDTH-1:0] waiting_address_reg;
    reg [7:0]                          waiting_length_reg;
    reg                                data_wait_reg = 1'b0;
    reg [(36<<BEAT_WIDTH):0]           waiting_data_reg;

    reg [7:0]                          open_bursts_reg;    // address accepted, last beat not
    reg [7:0]                          owed_reg;           // both accepted, no response yet
    reg                                burst_watched_reg;
    reg [7:0]                          bursts_before_reg;  // whose data come before those of the watched burst
    reg [7:0]                          beats_left_reg;     // of the watched burst, without the next

    reg [7:0]                          commands_reg;       // accepted and not yet written
    reg                                command_watched_reg;
    reg [7:0]                          commands_before_reg;
    reg [WORDS_WIDTH+2:0]              bursts_reg;         // of all commands up to here, modulo
    reg [WORDS_WIDTH+2:0]              bursts_at_end_reg;  // up to the end of the watched command
    reg [WORDS_WIDTH+2:0]              answered_reg;
    reg [WORDS_WIDTH+2:0]              asked_reg;

    // The blocks that a command touches are its bursts.
    wire [WORDS_WIDTH-1:0] last_place = s_store_address[PLACE_WIDTH-1:0] + s_store_length - 1'b1;
    wire [WORDS_WIDTH+2:0] bursts     = (last_place >> PLACE_WIDTH) + 1'b1;

    wire [WORDS_WIDTH+2:0] still_owed = bursts_at_end_reg - answered_reg;
    wire [WORDS_WIDTH+2:0] still_due  = bursts_reg - asked_reg;

    wire answered       = m_axi_bvalid && m_axi_bready;
    wire data_move      = m_axi_wvalid && m_axi_wready;
    wire burst_begins   = opens && watch_burst && !burst_watched_reg;
    wire burst_is_next  = burst_watched_reg && bursts_before_reg == 8'd0;
    wire command_begins = enters && watch_command && !command_watched_reg;
    wire command_ends   = command_watched_reg && m_written && commands_before_reg == 8'd0;
    wire [ADDRESS_WIDTH+13:0] address = m_axi_awaddr;
    wire [12:0] end_in_page = {1'b0, address[11:0]} + (({5'd0, m_axi_awlen} + 1'b1) << (WORD_WIDTH + BEAT_WIDTH));

    always @(posedge clk) begin
        started_reg         <= 1'b1;
        address_waits_reg   <= started_reg && !rst && m_axi_awvalid && !m_axi_awready;
        waiting_address_reg <= m_axi_awaddr;
        waiting_length_reg  <= m_axi_awlen;
        data_wait_reg       <= started_reg && !rst && m_axi_wvalid && !m_axi_wready;
        waiting_data_reg    <= {m_axi_wdata, m_axi_wstrb, m_axi_wlast};
        open_bursts_reg     <= open_bursts_reg + {7'd0, opens} - {7'd0, closes};
        owed_reg            <= owed_reg + {7'd0, closes} - {7'd0, answered};
        commands_reg        <= commands_reg + {7'd0, enters} - {7'd0, m_written};
        answered_reg        <= answered_reg + answered;
        asked_reg           <= asked_reg + opens;
        if (burst_begins) begin
            burst_watched_reg <= 1'b1;
            bursts_before_reg <= open_bursts_reg - {7'd0, closes};
            beats_left_reg    <= m_axi_awlen;
        end else if (burst_is_next && data_move) begin
            burst_watched_reg <= beats_left_reg != 8'd0;
            beats_left_reg    <= beats_left_reg - 1'b1;
        end else if (closes) begin
            bursts_before_reg <= bursts_before_reg - 1'b1;
        end
        if (enters) begin
            bursts_reg <= bursts_reg + bursts;
        end
        if (command_begins) begin
            command_watched_reg <= 1'b1;
            commands_before_reg <= commands_reg - {7'd0, m_written};
            bursts_at_end_reg   <= bursts_reg + bursts;
        end else if (command_ends) begin
            command_watched_reg <= 1'b0;
        end else if (m_written) begin
            commands_before_reg <= commands_before_reg - 1'b1;
        end
        if (rst) begin
            open_bursts_reg     <= 8'd0;
            owed_reg            <= 8'd0;
            burst_watched_reg   <= 1'b0;
            commands_reg        <= 8'd0;
            command_watched_reg <= 1'b0;
            bursts_reg          <= 0;
            answered_reg        <= 0;
            asked_reg           <= 0;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!s_store_valid || s_store_length != 0);
        assume (!started_reg || !m_axi_bvalid || owed_reg != 8'd0);
        if (started_reg) begin
            if (address_waits_reg) begin
                assert (m_axi_awvalid);
                assert (m_axi_awaddr == waiting_address_reg);
                assert (m_axi_awlen == waiting_length_reg);
            end
            if (data_wait_reg) begin
                assert (m_axi_wvalid);
                assert ({m_axi_wdata, m_axi_wstrb, m_axi_wlast} == waiting_data_reg);
            end
            if (m_axi_awvalid) begin
                assert (end_in_page <= 13'd4096);
                assert (m_axi_awlen >> BURST_WIDTH == 8'd0);
            end
            if (m_axi_wvalid) begin
                assert (open_bursts_reg != 8'd0);
            end
            if (m_axi_wvalid && burst_is_next) begin
                assert (m_axi_wlast == (beats_left_reg == 8'd0));
            end
            if (m_axi_bvalid) begin
                assert (m_axi_bready);
            end
            assert (open_bursts_reg + owed_reg <= OUTSTANDING + 1);
            assert (open_reg == open_bursts_reg[6:0]);
            assert (inside_reg == commands_reg);
            assert (commands_reg <= OUTSTANDING + 3);
            if (m_written) begin
                assert (commands_reg != 8'd0);
            end
            if (command_ends) begin
                assert (still_owed == 0 || still_owed[WORDS_WIDTH+2]);
            end
            if (idle) begin
                assert (open_bursts_reg == 8'd0 && owed_reg == 8'd0 && still_due == 0 && !m_axi_awvalid && !m_axi_wvalid);
            end
            cover (open_bursts_reg + owed_reg == OUTSTANDING + 1);
            cover (burst_is_next && data_move && beats_left_reg != 8'd0);
            cover (command_ends && commands_reg != 8'd1);
            cover (address_waits_reg && data_wait_reg);
        end
    end
`endif

endmodule

`default_nettype wire
