// bus_traffic: random loads and stores at the memory port of a bus master, every word compared.
//
// Parameters  ADDRESS_WIDTH, LENGTH_WIDTH  of the port
//             BYTES     memory it uses, from address 0, a multiple of 4
//             COMMANDS  of each direction
// Handshake   the memory port's streams, as their master. finished goes high after the last command has come back.
//
// A load may overlap no store that has not been written, and a store no load that is under way; then each load knows its
// data. `expected` holds the memory's bytes, `start_data(address)` what they have to be at the beginning; `stalls`
// chooses between random gaps and none; `lengths` bounds the length of a command; with `apart`, loads and stores keep
// to a half of the memory each.
`default_nettype none
`timescale 1ns / 1ps

module bus_traffic #(
    parameter integer ADDRESS_WIDTH = 20,
    parameter integer LENGTH_WIDTH  = 10,
    parameter integer BYTES         = 32768,
    parameter integer COMMANDS      = 120
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     idle,
    output reg                      finished,
    output reg                      m_load_valid,
    input  wire                     m_load_ready,
    output reg  [ADDRESS_WIDTH-1:0] m_load_address,
    output reg  [LENGTH_WIDTH-1:0]  m_load_length,
    input  wire                     s_read_valid,
    output reg                      s_read_ready,
    input  wire [31:0]              s_read_data,
    output reg                      m_store_valid,
    input  wire                     m_store_ready,
    output reg  [ADDRESS_WIDTH-1:0] m_store_address,
    output reg  [LENGTH_WIDTH-1:0]  m_store_length,
    output reg                      m_write_valid,
    input  wire                     m_write_ready,
    output reg  [31:0]              m_write_data,
    output reg  [3:0]               m_write_strobe,
    input  wire                     s_written
);

    localparam integer WORDS = BYTES / 4;
    localparam integer RING  = 8192;

    integer passed  = 0;
    integer failed  = 0;
    integer stalls  = 1;
    integer lengths = 40;
    integer apart   = 0;

    reg [7:0] expected [0:BYTES-1];

    function [7:0] start_data(input integer address);
        reg [31:0] mixed;
        begin
            mixed      = address * 32'h9e3779b1 + 32'h7f4a7c15;
            start_data = (mixed ^ (mixed >> 15)) >> 5;
        end
    endfunction

    integer i;

    initial
        for (i = 0; i < BYTES; i = i + 1)
            expected[i] = start_data(i);

    task check(input ok, input [8*24-1:0] what);
        begin
            if (ok === 1'b1)
                passed = passed + 1;
            else begin
                failed = failed + 1;
                if (failed <= 10)
                    $display("%m: %0s", what);
            end
        end
    endtask

    // Stores not yet written and loads not yet back, per word.
    integer writing [0:WORDS-1];
    integer reading [0:WORDS-1];
    // Commands under way, and the words they bring or wait for, in rings.
    integer store_address [0:RING-1];
    integer store_length  [0:RING-1];
    reg [35:0] to_write   [0:RING-1];
    integer loaded        [0:RING-1];   // word addresses
    reg [31:0] to_read    [0:RING-1];

    integer loads = 0, stores = 0, written = 0;
    integer words_asked = 0, words_read = 0, words_made = 0, words_written = 0;
    integer first, length, word, lane;
    reg     free;
    reg     gap;
    reg [35:0] made;

    initial begin
        finished = 1'b0;
        m_load_valid = 1'b0;
        m_store_valid = 1'b0;
        m_write_valid = 1'b0;
        s_read_ready = 1'b0;
        for (i = 0; i < WORDS; i = i + 1) begin
            writing[i] = 0;
            reading[i] = 0;
        end
    end

    task choose(input integer half);
        begin
            length = 1 + $unsigned($random) % ($random & 1 ? 4 : lengths);
            first = apart == 0 ? $unsigned($random) % (WORDS - length)
                               : half * WORDS / 2 + $unsigned($random) % (WORDS / 2 - length);
        end
    endtask

    task draw_gap;
        gap = stalls != 0 && ($random & 3) == 0;
    endtask

    always @(posedge clk)
        if (!rst) begin
            if (written < stores)
                check(!idle || m_store_valid, "idle with a store inside");
            if (s_read_valid && s_read_ready) begin
                check(words_read < words_asked, "a word too many");
                check(s_read_data === to_read[words_read % RING], "word");
                reading[loaded[words_read % RING]] = reading[loaded[words_read % RING]] - 1;
                words_read = words_read + 1;
            end
            if (s_written) begin
                check(written < stores, "written too often");
                for (i = 0; i < store_length[written % RING]; i = i + 1)
                    writing[store_address[written % RING] + i] = writing[store_address[written % RING] + i] - 1;
                written = written + 1;
            end
            if (!m_load_valid || m_load_ready) begin
                m_load_valid <= 1'b0;
                choose(0);
                free = 1'b1;
                for (i = 0; i < length; i = i + 1)
                    free = free && writing[first + i] == 0;
                draw_gap;
                if (loads < COMMANDS && free && !gap && words_asked - words_read < RING - 512) begin
                    m_load_valid   <= 1'b1;
                    m_load_address <= first;
                    m_load_length  <= length;
                    loads = loads + 1;
                    for (i = 0; i < length; i = i + 1) begin
                        word = first + i;
                        reading[word] = reading[word] + 1;
                        loaded[words_asked % RING] = word;
                        to_read[words_asked % RING] =
                            {expected[4*word+3], expected[4*word+2], expected[4*word+1], expected[4*word]};
                        words_asked = words_asked + 1;
                    end
                end
            end
            if (!m_store_valid || m_store_ready) begin
                m_store_valid <= 1'b0;
                choose(1);
                free = 1'b1;
                for (i = 0; i < length; i = i + 1)
                    free = free && reading[first + i] == 0;
                draw_gap;
                if (stores < COMMANDS && free && !gap && words_made - words_written < RING - 512) begin
                    m_store_valid   <= 1'b1;
                    m_store_address <= first;
                    m_store_length  <= length;
                    store_address[stores % RING] = first;
                    store_length[stores % RING] = length;
                    stores = stores + 1;
                    for (i = 0; i < length; i = i + 1) begin
                        word = first + i;
                        writing[word] = writing[word] + 1;
                        made = {$random, $random};
                        if ($random & 1) made[35:32] = 4'b1111;
                        to_write[words_made % RING] = made;
                        words_made = words_made + 1;
                        for (lane = 0; lane < 4; lane = lane + 1)
                            if (made[32 + lane]) expected[4*word+lane] = made[8*lane +: 8];
                    end
                end
            end
            if (!m_write_valid || m_write_ready) begin
                draw_gap;
                m_write_valid <= 1'b0;
                if (words_written < words_made && !gap) begin
                    m_write_valid <= 1'b1;
                    {m_write_strobe, m_write_data} <= to_write[words_written % RING];
                    words_written = words_written + 1;
                end
            end
            draw_gap;
            s_read_ready <= !gap;
            finished <= loads == COMMANDS && stores == COMMANDS && words_read == words_asked && written == stores
                     && idle;
        end

endmodule

`default_nettype wire
