// SPDX-License-Identifier: MIT OR Apache-2.0
//
// avalon_master: the memory port of an accelerator as an Avalon-MM master of 32 to 512 bits with bursts.
//
// Latency     two cycles from a load command to avm_read; three from a beat to its word, one more where a beat is wider;
//             one from a beat's last word to avm_write.
// Parameters  ADDRESS_WIDTH  bits of a word address
//             LENGTH_WIDTH   bits of a command's length in words
//             WORD_WIDTH     log2 of the bytes of a word, 2 to 6
//             BEAT_WIDTH     log2 of the words of a beat, at most 6 - WORD_WIDTH
//             BURST_WIDTH    log2 of the beats of the longest burst, 1 to 8
//             READ_DEPTH     beats of reads that may be under way, a power of two, at least 4 and the longest burst
// Handshake   s_load, m_read, s_store, s_write, m_written: the memory port of docs/ARCHITECTURE.md; a store has taken
//             effect when its last beat has been accepted, because the port does its accesses in order
//             idle  all accepted stores have been written
//             avm_* Avalon-MM, byte addresses, burstcount from 1 on, pipelined reads with readdatavalid, byteenable
//
// A read of a burst takes the bus for one cycle, a write for as many as it has beats; reads go first where a write burst
// has not begun. A burst is asked for when its beats have room in the FIFO behind the bus. A write burst begins when its
// first beat is there, and the bus waits for the others; they come a word per cycle.
`default_nettype none

module avalon_master #(
    parameter integer ADDRESS_WIDTH = 30,
    parameter integer LENGTH_WIDTH  = 10,
    parameter integer WORD_WIDTH    = 2,
    parameter integer BEAT_WIDTH    = 0,
    parameter integer BURST_WIDTH   = 6,
    parameter integer READ_DEPTH    = 512
) (
    input  wire                                    clk,
    input  wire                                    rst,
    output wire                                    idle,

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

    output wire [ADDRESS_WIDTH+WORD_WIDTH-1:0]     avm_address,
    output wire [BURST_WIDTH:0]                    avm_burstcount,
    output wire                                    avm_read,
    output wire                                    avm_write,
    output wire [(8<<(WORD_WIDTH+BEAT_WIDTH))-1:0] avm_writedata,
    output wire [(1<<(WORD_WIDTH+BEAT_WIDTH))-1:0] avm_byteenable,
    input  wire                                    avm_waitrequest,
    input  wire [(8<<(WORD_WIDTH+BEAT_WIDTH))-1:0] avm_readdata,
    input  wire                                    avm_readdatavalid
);

    generate
        if (READ_DEPTH < 4 || READ_DEPTH < (1 << BURST_WIDTH) || (READ_DEPTH & (READ_DEPTH - 1)) != 0) begin : illegal_depth
            avalon_master_error_READ_DEPTH_must_be_a_power_of_two_that_holds_a_burst stop ();
        end
    endgenerate

    localparam integer DATA_WIDTH   = 8 << (WORD_WIDTH + BEAT_WIDTH);
    localparam integer STROBE_WIDTH = 1 << (WORD_WIDTH + BEAT_WIDTH);
    localparam integer PLACE_WIDTH  = BURST_WIDTH + BEAT_WIDTH;
    localparam integer BEATS_WIDTH  = ADDRESS_WIDTH - BEAT_WIDTH;
    localparam integer OFFSET_WIDTH = BEAT_WIDTH == 0 ? 1 : BEAT_WIDTH;

    // -- The bus ------------------------------------------------------------------------------------------------------

    // All outputs come from flip-flops; what they hold has moved when no slave waits.
    reg                    read_reg;
    reg                    write_reg;
    reg [BEATS_WIDTH-1:0]  address_reg;
    reg [BURST_WIDTH:0]    count_reg;
    reg [DATA_WIDTH-1:0]   data_reg;
    reg [STROBE_WIDTH-1:0] enable_reg;
    reg                    written_reg;   // the beat in data_reg is the last of its command
    reg                    writing_reg;   // a write burst has begun and not ended

    wire free = !avm_waitrequest || !(read_reg || write_reg);

    assign avm_read       = read_reg;
    assign avm_write      = write_reg;
    assign avm_address    = {address_reg, {(WORD_WIDTH + BEAT_WIDTH){1'b0}}};
    assign avm_burstcount = count_reg;
    assign avm_writedata  = data_reg;
    assign avm_byteenable = enable_reg;

    wire                    read_valid;
    wire [BEATS_WIDTH-1:0]  read_address;
    wire [7:0]              read_length;
    wire                    read_granted;

    wire                    write_valid;
    wire [BEATS_WIDTH-1:0]  write_address;
    /* verilator lint_off UNUSED */
    wire [7:0]              write_length;
    /* verilator lint_on UNUSED */

    wire                    beat_valid;
    wire [DATA_WIDTH-1:0]   beat_data;
    wire [STROBE_WIDTH-1:0] beat_strobe;
    wire                    beat_last;
    wire                    beat_cmd_last;

    wire starts_read  = free && !writing_reg && read_valid && read_granted;
    wire starts_write = free && !writing_reg && !(read_valid && read_granted) && write_valid && beat_valid;
    wire takes_beat   = starts_write || (free && writing_reg && beat_valid);

    always @(posedge clk) begin
        if (starts_read || starts_write) begin
            address_reg <= starts_read ? read_address : write_address;
            count_reg   <= {1'b0, starts_read ? read_length[BURST_WIDTH-1:0] : write_length[BURST_WIDTH-1:0]} + 1'b1;
        end
        if (starts_read) begin
            enable_reg <= {STROBE_WIDTH{1'b1}};
        end
        if (takes_beat) begin
            data_reg    <= beat_data;
            enable_reg  <= beat_strobe;
            written_reg <= beat_cmd_last;
        end
        if (free) begin
            read_reg    <= starts_read;
            write_reg   <= takes_beat;
            writing_reg <= takes_beat ? !beat_last : writing_reg;
        end
        if (rst) begin
            read_reg    <= 1'b0;
            write_reg   <= 1'b0;
            writing_reg <= 1'b0;
        end
    end

    // -- Reads --------------------------------------------------------------------------------------------------------

    wire splitter_ready;
    wire queue_ready;

    /* verilator lint_off UNUSED */
    wire read_last;
    wire write_last;
    wire beats_ready;
    /* verilator lint_on UNUSED */

    assign s_load_ready = splitter_ready && queue_ready;

    burst_splitter #(
        .ADDRESS_WIDTH (ADDRESS_WIDTH),
        .LENGTH_WIDTH  (LENGTH_WIDTH),
        .BEAT_WIDTH    (BEAT_WIDTH),
        .BURST_WIDTH   (BURST_WIDTH)
    ) u_reads (
        .clk             (clk),
        .rst             (rst),
        .s_cmd_valid     (s_load_valid && queue_ready),
        .s_cmd_ready     (splitter_ready),
        .s_cmd_address   (s_load_address),
        .s_cmd_length    (s_load_length),
        .m_burst_valid   (read_valid),
        .m_burst_ready   (starts_read),
        .m_burst_address (read_address),
        .m_burst_length  (read_length),
        .m_burst_last    (read_last)
    );

    wire                  come_valid;
    wire                  come_ready;
    wire [DATA_WIDTH-1:0] come_data;

    beat_room #(
        .DEPTH (READ_DEPTH)
    ) u_room (
        .clk            (clk),
        .rst            (rst),
        .s_burst_length (read_length),
        .granted        (read_granted),
        .taken          (starts_read),
        .returned       (come_valid && come_ready)
    );

    fifo #(
        .WIDTH (DATA_WIDTH),
        .DEPTH (READ_DEPTH)
    ) u_come (
        .clk     (clk),
        .rst     (rst),
        .s_valid (avm_readdatavalid),
        .s_ready (beats_ready),
        .s_data  (avm_readdata),
        .m_valid (come_valid),
        .m_ready (come_ready),
        .m_data  (come_data)
    );

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
        .s_beat_valid (come_valid),
        .s_beat_ready (come_ready),
        .s_beat_data  (come_data),
        .m_word_valid (m_read_valid),
        .m_word_ready (m_read_ready),
        .m_word_data  (m_read_data)
    );

    // -- Writes -------------------------------------------------------------------------------------------------------

    wire write_splitter_ready;
    wire write_queue_ready;

    assign s_store_ready = write_splitter_ready && write_queue_ready;

    burst_splitter #(
        .ADDRESS_WIDTH (ADDRESS_WIDTH),
        .LENGTH_WIDTH  (LENGTH_WIDTH),
        .BEAT_WIDTH    (BEAT_WIDTH),
        .BURST_WIDTH   (BURST_WIDTH)
    ) u_writes (
        .clk             (clk),
        .rst             (rst),
        .s_cmd_valid     (s_store_valid && write_queue_ready),
        .s_cmd_ready     (write_splitter_ready),
        .s_cmd_address   (s_store_address),
        .s_cmd_length    (s_store_length),
        .m_burst_valid   (write_valid),
        .m_burst_ready   (starts_write),
        .m_burst_address (write_address),
        .m_burst_length  (write_length),
        .m_burst_last    (write_last)
    );

    words_to_beats #(
        .WORD_WIDTH   (WORD_WIDTH),
        .BEAT_WIDTH   (BEAT_WIDTH),
        .BURST_WIDTH  (BURST_WIDTH),
        .LENGTH_WIDTH (LENGTH_WIDTH)
    ) u_beats (
        .clk             (clk),
        .rst             (rst),
        .s_cmd_valid     (s_store_valid && write_splitter_ready),
        .s_cmd_ready     (write_queue_ready),
        .s_cmd_place     (s_store_address[PLACE_WIDTH-1:0]),
        .s_cmd_length    (s_store_length),
        .s_word_valid    (s_write_valid),
        .s_word_ready    (s_write_ready),
        .s_word_data     (s_write_data),
        .s_word_strobe   (s_write_strobe),
        .m_beat_valid    (beat_valid),
        .m_beat_ready    (takes_beat),
        .m_beat_data     (beat_data),
        .m_beat_strobe   (beat_strobe),
        .m_beat_last     (beat_last),
        .m_beat_cmd_last (beat_cmd_last)
    );

    reg [7:0] inside_reg;   // commands

    assign m_written = write_reg && written_reg && !avm_waitrequest;
    assign idle      = inside_reg == 8'd0;

    wire enters = s_store_valid && s_store_ready;

    always @(posedge clk) begin
        if (enters && !m_written) begin
            inside_reg <= inside_reg + 1'b1;
        end else if (m_written && !enters) begin
            inside_reg <= inside_reg - 1'b1;
        end
        if (rst) begin
            inside_reg <= 8'd0;
        end
    end

`ifdef FORMAL
    // The bus's rules, for a slave that sends the beats it owes: what waits does not change, a burst stays in its block and
    // none reads within a write burst, which has as many beats as it said; beats under way have room. Of any one store:
    // m_written comes with its last beat.
    (* anyseq *) wire watch_store;

    localparam integer COUNT_WIDTH = (LENGTH_WIDTH > PLACE_WIDTH ? LENGTH_WIDTH : PLACE_WIDTH) + 4;

    reg                                started_reg = 1'b0;
    reg                                waits_reg = 1'b0;
    reg                                waiting_read_reg;
    reg [ADDRESS_WIDTH+WORD_WIDTH-1:0] waiting_address_reg;
    reg [BURST_WIDTH:0]                waiting_count_reg;
    reg [DATA_WIDTH-1:0]               waiting_data_reg;
    reg [STROBE_WIDTH-1:0]             waiting_enable_reg;
    reg                                word_waits_reg = 1'b0;
    reg [(8<<WORD_WIDTH)-1:0]          waiting_word_reg;
    reg [11:0]                         owed_reg;          // beats asked for that have not come
    reg [11:0]                         stored_reg;        // beats that came and are in the FIFO
    reg [BURST_WIDTH:0]                left_reg;          // beats of the write burst that has begun
    reg [7:0]                          stores_reg;        // accepted and not written
    reg [7:0]                          stores_before_reg;
    reg                                watched_reg;
    reg [COUNT_WIDTH-1:0]              beats_reg;         // of all stores up to here, modulo
    reg [COUNT_WIDTH-1:0]              beats_at_end_reg;  // up to the end of the watched one
    reg [COUNT_WIDTH-1:0]              moved_reg;

    // The beats that a store touches.
    wire [COUNT_WIDTH-1:0] offset     = s_store_address[PLACE_WIDTH-1:0] & ((1 << BEAT_WIDTH) - 1);
    wire [COUNT_WIDTH-1:0] beats      = ((offset + s_store_length - 1'b1) >> BEAT_WIDTH) + 1'b1;
    wire [COUNT_WIDTH-1:0] still_owed = beats_at_end_reg - moved_reg - write_moves;

    wire read_moves   = avm_read && !avm_waitrequest;
    wire write_moves  = avm_write && !avm_waitrequest;
    wire taken        = come_valid && come_ready;
    wire watch_begins = enters && watch_store && !watched_reg;
    wire watch_ends   = watched_reg && m_written && stores_before_reg == 8'd0;

    wire [ADDRESS_WIDTH+WORD_WIDTH-1:0]  in_block     = avm_address & ((1 << (WORD_WIDTH + PLACE_WIDTH)) - 1);
    wire [ADDRESS_WIDTH+13:0] end_in_block = in_block + ({{(ADDRESS_WIDTH + 13 - BURST_WIDTH){1'b0}}, avm_burstcount} << (WORD_WIDTH + BEAT_WIDTH));

    always @(posedge clk) begin
        started_reg         <= 1'b1;
        waits_reg           <= started_reg && !rst && (avm_read || avm_write) && avm_waitrequest;
        waiting_read_reg    <= avm_read;
        waiting_address_reg <= avm_address;
        waiting_count_reg   <= avm_burstcount;
        waiting_data_reg    <= avm_writedata;
        waiting_enable_reg  <= avm_byteenable;
        word_waits_reg      <= started_reg && !rst && m_read_valid && !m_read_ready;
        waiting_word_reg    <= m_read_data;
        owed_reg            <= owed_reg + (read_moves ? {{(11 - BURST_WIDTH){1'b0}}, avm_burstcount} : 12'd0) - {11'd0, avm_readdatavalid};
        stored_reg          <= stored_reg + {11'd0, avm_readdatavalid} - {11'd0, taken};
        stores_reg          <= stores_reg + {7'd0, enters} - {7'd0, m_written};
        moved_reg           <= moved_reg + write_moves;
        if (write_moves) begin
            left_reg <= (left_reg == 0 ? avm_burstcount : left_reg) - 1'b1;
        end
        if (enters) begin
            beats_reg <= beats_reg + beats;
        end
        if (watch_begins) begin
            watched_reg       <= 1'b1;
            stores_before_reg <= stores_reg - {7'd0, m_written};
            beats_at_end_reg  <= beats_reg + beats;
        end else if (watch_ends) begin
            watched_reg <= 1'b0;
        end else if (m_written) begin
            stores_before_reg <= stores_before_reg - 1'b1;
        end
        if (rst) begin
            owed_reg    <= 12'd0;
            stored_reg  <= 12'd0;
            left_reg    <= 0;
            stores_reg  <= 8'd0;
            watched_reg <= 1'b0;
            beats_reg   <= 0;
            moved_reg   <= 0;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!s_load_valid || s_load_length != 0);
        assume (!s_store_valid || s_store_length != 0);
        assume (!avm_readdatavalid || owed_reg != 12'd0);
        if (started_reg) begin
            assert (!(avm_read && avm_write));
            if (waits_reg) begin
                assert (avm_read == waiting_read_reg && avm_write == !waiting_read_reg);
                assert (avm_address == waiting_address_reg && avm_burstcount == waiting_count_reg);
                assert (avm_byteenable == waiting_enable_reg);
            end
            if (waits_reg && avm_write) begin
                assert (avm_writedata == waiting_data_reg);
            end
            if (word_waits_reg) begin
                assert (m_read_valid && m_read_data == waiting_word_reg);
            end
            if (avm_read) begin
                assert (left_reg == 0);
                assert (&avm_byteenable);
            end
            if (avm_read || (avm_write && left_reg == 0)) begin
                assert (avm_burstcount != 0 && end_in_block <= 4 << PLACE_WIDTH);
            end
            if (write_moves) begin
                assert (writing_reg == (left_reg == 0 ? avm_burstcount != 1 : left_reg != 1));
            end
            if (avm_readdatavalid) begin
                assert (beats_ready);
            end
            assert (owed_reg + stored_reg + (avm_read ? avm_burstcount : 0) <= READ_DEPTH);
            assert (inside_reg == stores_reg);
            if (m_written) begin
                assert (stores_reg != 8'd0);
            end
            if (watch_ends) begin
                assert (still_owed == 0);
            end
            if (idle) begin
                assert (!avm_write && moved_reg == beats_reg);
            end
            cover (owed_reg + stored_reg == READ_DEPTH);
            cover (waits_reg && avm_write && left_reg == 1);
            cover (watch_ends && stores_reg != 8'd1);
            cover (avm_readdatavalid && avm_write && word_waits_reg);
        end
    end
`endif

endmodule

`default_nettype wire
