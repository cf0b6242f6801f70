// SPDX-License-Identifier: MIT OR Apache-2.0
//
// burst_splitter: cuts commands, in words at any alignment, into bursts of whole beats of a wider bus.
//
// Latency     one cycle from a command's entry to its first burst.
// Parameters  ADDRESS_WIDTH  bits of a word address
//             LENGTH_WIDTH   bits of a command's length in words
//             BEAT_WIDTH     log2 of the words of a beat, 0 to 4
//             BURST_WIDTH    log2 of the beats of the longest burst, 1 to 8
// Handshake   s_cmd    length is at least 1
//             m_burst  address of its first beat, counted in beats; length is its number of beats less one; last is high
//                      on the last burst of its command
//
// A burst ends where the address is a multiple of 2^BURST_WIDTH beats. So none crosses a block of that size, which may
// be the 4 KB of AXI, and who walks the words knows a burst's last beat from its address alone.
// One burst per cycle, without a gap between commands; s_cmd_ready follows m_burst_ready in the same cycle.
`default_nettype none

module burst_splitter #(
    parameter integer ADDRESS_WIDTH = 30,
    parameter integer LENGTH_WIDTH  = 10,
    parameter integer BEAT_WIDTH    = 0,
    parameter integer BURST_WIDTH   = 8
) (
    input  wire                                clk,
    input  wire                                rst,
    input  wire                                s_cmd_valid,
    output wire                                s_cmd_ready,
    input  wire [ADDRESS_WIDTH-1:0]            s_cmd_address,
    input  wire [LENGTH_WIDTH-1:0]             s_cmd_length,
    output wire                                m_burst_valid,
    input  wire                                m_burst_ready,
    output wire [ADDRESS_WIDTH-BEAT_WIDTH-1:0] m_burst_address,
    output wire [7:0]                          m_burst_length,
    output wire                                m_burst_last
);

    generate
        if (BEAT_WIDTH < 0 || BEAT_WIDTH > 4) begin : illegal_beat_width
            burst_splitter_error_BEAT_WIDTH_must_be_0_to_4 stop ();
        end
        if (BURST_WIDTH < 1 || BURST_WIDTH > 8) begin : illegal_burst_width
            burst_splitter_error_BURST_WIDTH_must_be_1_to_8 stop ();
        end
        if (ADDRESS_WIDTH <= BEAT_WIDTH + BURST_WIDTH) begin : illegal_address_width
            burst_splitter_error_ADDRESS_WIDTH_must_be_more_than_a_burst stop ();
        end
    endgenerate

    function integer larger(input integer first, input integer second);
        larger = first > second ? first : second;
    endfunction

    localparam integer BEATS_WIDTH = ADDRESS_WIDTH - BEAT_WIDTH;
    // Holds the words of a command and those before it in its first beat.
    localparam integer SPAN_WIDTH  = larger(LENGTH_WIDTH, 8) + 1;

    wire [SPAN_WIDTH-1:0] offset;
    wire [SPAN_WIDTH-1:0] length = {{(SPAN_WIDTH - LENGTH_WIDTH){1'b0}}, s_cmd_length};
    // The command's last word, counted from the first beat's first.
    wire [SPAN_WIDTH-1:0] last_word = offset + length - 1'b1;

    generate
        if (BEAT_WIDTH == 0) begin : words_are_beats
            assign offset = {SPAN_WIDTH{1'b0}};
        end else begin : beats_are_wider
            assign offset = {{(SPAN_WIDTH - BEAT_WIDTH){1'b0}}, s_cmd_address[BEAT_WIDTH-1:0]};
        end
    endgenerate

    reg                   active_reg;
    reg [BEATS_WIDTH-1:0] beat_reg;
    reg [SPAN_WIDTH-1:0]  left_reg;   // beats of the command from beat_reg on, less one

    // Beats up to the end of the block, less one.
    wire [SPAN_WIDTH-1:0] to_end = {{(SPAN_WIDTH - BURST_WIDTH){1'b0}}, ~beat_reg[BURST_WIDTH-1:0]};

    assign m_burst_valid   = active_reg;
    assign m_burst_address = beat_reg;
    assign m_burst_last    = left_reg <= to_end;
    assign m_burst_length  = m_burst_last ? left_reg[7:0] : to_end[7:0];
    assign s_cmd_ready     = !active_reg || (m_burst_ready && m_burst_last);

    always @(posedge clk) begin
        if (s_cmd_ready) begin
            active_reg <= s_cmd_valid;
            beat_reg   <= s_cmd_address[ADDRESS_WIDTH-1:BEAT_WIDTH];
            left_reg   <= last_word >> BEAT_WIDTH;
        end else if (m_burst_ready) begin
            beat_reg <= {beat_reg[BEATS_WIDTH-1:BURST_WIDTH] + 1'b1, {BURST_WIDTH{1'b0}}};
            left_reg <= left_reg - to_end - 1'b1;
        end
        if (rst) begin
            active_reg <= 1'b0;
        end
    end

`ifdef FORMAL
    // A burst that waits does not change, and none leaves its block.
    reg                    started_reg = 1'b0;
    reg                    waiting_reg = 1'b0;
    reg [BEATS_WIDTH-1:0]  waiting_address_reg;
    reg [7:0]              waiting_length_reg;

    wire [BURST_WIDTH:0] end_in_block = {1'b0, m_burst_address[BURST_WIDTH-1:0]} + {1'b0, m_burst_length[BURST_WIDTH-1:0]};

    always @(posedge clk) begin
        started_reg         <= 1'b1;
        waiting_reg         <= started_reg && !rst && m_burst_valid && !m_burst_ready;
        waiting_address_reg <= m_burst_address;
        waiting_length_reg  <= m_burst_length;
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!s_cmd_valid || s_cmd_length != 0);
        if (started_reg) begin
            assert (!end_in_block[BURST_WIDTH] && m_burst_length >> BURST_WIDTH == 8'd0);
            if (waiting_reg) begin
                assert (m_burst_valid);
                assert (m_burst_address == waiting_address_reg);
                assert (m_burst_length == waiting_length_reg);
            end
            cover (waiting_reg && !m_burst_last);
            cover (waiting_reg && m_burst_last && m_burst_length != 8'd0);
        end
    end
`endif

endmodule

`default_nettype wire
