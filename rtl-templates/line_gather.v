// SPDX-License-Identifier: MIT OR Apache-2.0
//
// line_gather: collects the beats that fill a buffer into lines, as a line takes the buffer's write port for one cycle.
//
// Latency     three cycles from the last beat of a line to the line at m_valid.
// Parameters  WORD     bits of a word, at least 1
//             BEAT     words of a beat, a power of two
//             LINE     words of a line, a power of two above BEAT; a line begins at a multiple of it
//             ADDRESS  bits of a word's address, at least those of a place in a line
//             DEPTH    lines that wait for the port, at least 1
// Handshake   a beat per cycle. s_elements has a bit for each of a beat's words: those that count. A line goes on when a
//             beat of another one comes, when it is full, and with flush, which is held until empty is high. asks is high
//             for a cycle with each line, when it is at m_valid or waits behind others that are.
`default_nettype none

module line_gather #(
    parameter integer WORD    = 32,
    parameter integer BEAT    = 8,
    parameter integer LINE    = 32,
    parameter integer ADDRESS = 10,
    parameter integer DEPTH   = 8
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 flush,
    input  wire                 s_valid,
    output wire                 s_ready,
    input  wire [ADDRESS-1:0]   s_address,
    input  wire [BEAT-1:0]      s_elements,
    input  wire [BEAT*WORD-1:0] s_data,
    output wire                 m_valid,
    input  wire                 m_ready,
    output wire [ADDRESS-1:0]   m_address,
    output wire [LINE-1:0]      m_elements,
    output wire [LINE*WORD-1:0] m_data,
    output wire                 asks,
    output wire                 empty
);

    generate
        if (WORD < 1 || BEAT < 1 || LINE <= BEAT) begin : illegal_line
            line_gather_error_LINE_must_be_above_BEAT stop ();
        end
        if (ADDRESS < $clog2(LINE)) begin : illegal_address
            line_gather_error_ADDRESS_must_reach_a_line stop ();
        end
        if (DEPTH < 1) begin : illegal_depth
            line_gather_error_DEPTH_must_be_at_least_1 stop ();
        end
    endgenerate

    localparam integer BEATS      = LINE / BEAT;
    localparam integer PLACE      = $clog2(BEATS);
    localparam integer BEAT_SHIFT = $clog2(BEAT);
    localparam integer LINE_SHIFT = $clog2(LINE);

    reg                 open_reg;
    reg [ADDRESS-1:0]   address_reg;
    reg [LINE-1:0]      elements_reg;
    reg [LINE*WORD-1:0] data_reg;

    wire             queue_ready;
    wire             is_same = (s_address >> LINE_SHIFT) == (address_reg >> LINE_SHIFT);
    wire             is_full = elements_reg[LINE-1];
    wire [PLACE-1:0] place   = s_address[BEAT_SHIFT+:PLACE];
    wire             is_over = flush || is_full || (s_valid && !is_same);
    wire             push    = open_reg && queue_ready && is_over;
    wire             take    = s_valid && s_ready;

    assign s_ready = !open_reg || queue_ready || (is_same && !is_full);

    integer b, w;

    always @(posedge clk) begin
        if (push) begin
            open_reg     <= 1'b0;
            elements_reg <= {LINE{1'b0}};
        end
        if (take) begin
            open_reg    <= 1'b1;
            address_reg <= s_address;
        end
        for (b = 0; b < BEATS; b = b + 1) begin
            for (w = 0; w < BEAT; w = w + 1) begin
                if (take && place == b[PLACE-1:0] && s_elements[w]) begin
                    elements_reg[b*BEAT+w]           <= 1'b1;
                    data_reg[(b*BEAT+w)*WORD +: WORD] <= s_data[w*WORD +: WORD];
                end
            end
        end
        if (rst) begin
            open_reg     <= 1'b0;
            elements_reg <= {LINE{1'b0}};
        end
    end

    // A queue's output is two cycles behind its input.
    reg       asks_reg;
    reg       asks_next_reg;
    reg [1:0] entering_reg;

    fifo #(
        .WIDTH (ADDRESS + LINE + LINE * WORD),
        .DEPTH (DEPTH)
    ) u_lines (
        .clk     (clk),
        .rst     (rst),
        .s_valid (open_reg && is_over),
        .s_ready (queue_ready),
        .s_data  ({address_reg, elements_reg, data_reg}),
        .m_valid (m_valid),
        .m_ready (m_ready),
        .m_data  ({m_address, m_elements, m_data})
    );

    always @(posedge clk) begin
        asks_next_reg <= push;
        asks_reg      <= asks_next_reg;
        entering_reg  <= {entering_reg[0], push};
        if (rst) begin
            asks_next_reg <= 1'b0;
            asks_reg      <= 1'b0;
            entering_reg  <= 2'b00;
        end
    end

    assign asks  = asks_reg;
    assign empty = !open_reg && !m_valid && entering_reg == 2'b00;

`ifdef FORMAL
    // A word that a beat brings is in the line until that goes on, with its last value, and nothing else is.
    (* anyconst *) wire [ADDRESS-1:0] watched;
    localparam integer WATCHED = $clog2(LINE);
    wire [WATCHED-1:0] word   = watched[WATCHED-1:0];
    wire               is_own = (address_reg >> LINE_SHIFT) == (watched >> LINE_SHIFT);
    wire               comes  = take && (s_address >> BEAT_SHIFT) == (watched >> BEAT_SHIFT)
                                && ((s_elements >> (word & (BEAT - 1))) & 1'b1) == 1'b1;

    reg                started_reg = 1'b0;
    reg                waiting_reg = 1'b0;
    reg [ADDRESS-1:0]  waiting_address_reg;
    reg                is_in_reg   = 1'b0;
    reg [WORD-1:0]     last_reg;

    always @(posedge clk) begin
        started_reg         <= 1'b1;
        waiting_reg         <= started_reg && !rst && s_valid && !s_ready;
        waiting_address_reg <= s_address;
        if (push && is_own) begin
            is_in_reg <= 1'b0;
        end
        if (comes) begin
            is_in_reg <= 1'b1;
            last_reg  <= s_data >> ((word & (BEAT - 1)) * WORD);
        end
        if (rst) begin
            is_in_reg <= 1'b0;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        if (started_reg && waiting_reg) begin
            assume (s_valid);
            assume (s_address == waiting_address_reg);
        end
        if (started_reg) begin
            assert (is_in_reg == (open_reg && is_own && elements_reg[word]));
            if (is_in_reg) begin
                assert (data_reg[word*WORD +: WORD] == last_reg);
            end
            if (!open_reg) begin
                assert (elements_reg == {LINE{1'b0}});
            end
            cover (push && take);
            cover (s_valid && !s_ready);
            cover (m_valid && &m_elements);
        end
    end
`endif

endmodule

`default_nettype wire
