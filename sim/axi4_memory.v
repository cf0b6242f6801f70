// axi4_memory: model of a memory behind an AXI4 slave, with the freedom that the protocol gives a real one.
//
// Parameters  DATA_WIDTH     bits of the bus
//             ADDRESS_WIDTH  bits of a byte address
//             BYTES          size of the memory, a multiple of the longest burst; beyond it every access gets DECERR
//             QUEUE          requests it accepts before the oldest is done, per port and direction
//             PORTS          slave ports in front of the one memory, each with its own latency, bandwidth and stalls; the signals of
//                            a channel lie beside each other, port 0 lowest
// Plusargs    +latency=N     cycles from an address to its first data, and from a burst's last data to its response;
//                            default 30
//             +bandwidth=P   per cent of the cycles in which a direction may move a beat; default 100
//             +total=N       beats that both directions of all ports together may move in a million cycles; default 2000000 per
//                            port
//             +stalls=SEED   with a seed above 0, every channel holds back at random, in phases of its own; default 0
//             +fault=ADDR    (hex) accesses that begin in this 4 KB page get SLVERR, or DECERR if ADDR is odd
//
// Only responses order reads and writes: with stalls, a read takes its data from the memory anywhere between its address
// and its first beat, and a write changes it anywhere between its last beat and its response. A master that does not
// wait for responses reads old data here, and so does a port that does not wait for another's. Bytes are in `memory`, counts in
// the integers below.
`default_nettype none
`timescale 1ns / 1ps

module axi4_memory #(
    parameter integer DATA_WIDTH    = 32,
    parameter integer ADDRESS_WIDTH = 32,
    parameter integer BYTES         = 16777216,
    parameter integer QUEUE         = 16,
    parameter integer PORTS         = 1
) (
    input  wire                               clk,
    input  wire                               rst,
    input  wire [PORTS-1:0]                   s_axi_arid,
    input  wire [PORTS*ADDRESS_WIDTH-1:0]     s_axi_araddr,
    input  wire [PORTS*8-1:0]                 s_axi_arlen,
    input  wire [PORTS-1:0]                   s_axi_arvalid,
    output reg  [PORTS-1:0]                   s_axi_arready,
    output reg  [PORTS-1:0]                   s_axi_rid,
    output reg  [PORTS*DATA_WIDTH-1:0]        s_axi_rdata,
    output reg  [PORTS*2-1:0]                 s_axi_rresp,
    output reg  [PORTS-1:0]                   s_axi_rlast,
    output reg  [PORTS-1:0]                   s_axi_rvalid,
    input  wire [PORTS-1:0]                   s_axi_rready,
    input  wire [PORTS-1:0]                   s_axi_awid,
    input  wire [PORTS*ADDRESS_WIDTH-1:0]     s_axi_awaddr,
    input  wire [PORTS*8-1:0]                 s_axi_awlen,
    input  wire [PORTS-1:0]                   s_axi_awvalid,
    output reg  [PORTS-1:0]                   s_axi_awready,
    input  wire [PORTS*DATA_WIDTH-1:0]        s_axi_wdata,
    input  wire [PORTS*DATA_WIDTH/8-1:0]      s_axi_wstrb,
    input  wire [PORTS-1:0]                   s_axi_wlast,
    input  wire [PORTS-1:0]                   s_axi_wvalid,
    output reg  [PORTS-1:0]                   s_axi_wready,
    output reg  [PORTS-1:0]                   s_axi_bid,
    output reg  [PORTS*2-1:0]                 s_axi_bresp,
    output reg  [PORTS-1:0]                   s_axi_bvalid,
    input  wire [PORTS-1:0]                   s_axi_bready
);

    /* verilator lint_off BLKSEQ */ // a model's statements happen in their order
    /* verilator lint_off WIDTH */  // integers count
    /* verilator lint_off UNUSED */

    localparam integer LANES = DATA_WIDTH / 8;
    localparam integer BEATS = QUEUE * 256;
    localparam integer MOST  = 2000000 * PORTS;

    localparam [1:0] OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;

    localparam integer CHANNELS = 5;
    localparam integer AR = 0, R = 1, AW = 2, W = 3, B = 4;

    reg [7:0] memory [0:BYTES-1];

    integer read_bursts  = 0;
    integer write_bursts = 0;
    integer read_beats   = 0;
    integer write_beats  = 0;
    // Bursts by their beats, less one.
    integer read_lengths [0:255], write_lengths [0:255];
    // Of port p from 4p on: beats read, beats written, bursts read, bursts written.
    integer moved [0:4*PORTS-1];

    // The port that is looked at, and of each port: its oldest read and how many there are, the beat of that one which comes next,
    // and hundredths of beats that it may read; its oldest write, bursts with an address, where that one's data begin, their beats,
    // and hundredths; and whether its writes are next where both directions cannot move.
    integer port, channel;
    integer read_first [0:PORTS-1], read_count [0:PORTS-1], read_beat [0:PORTS-1], read_credit [0:PORTS-1];
    integer write_first [0:PORTS-1], write_count [0:PORTS-1], write_credit [0:PORTS-1];
    integer beat_first [0:PORTS-1], beat_count [0:PORTS-1];
    reg     write_turn [0:PORTS-1];

    integer latency   = 30;
    integer bandwidth = 100;
    integer total     = MOST;
    integer seed      = 0;
    reg [31:0] faulty = 32'hffffffff;

    reg [31:0] random = 32'd1;

    initial begin
        if (!$value$plusargs("latency=%d", latency)) latency = 30;
        if (!$value$plusargs("bandwidth=%d", bandwidth)) bandwidth = 100;
        if (!$value$plusargs("total=%d", total)) total = MOST;
        if (total > MOST) total = MOST;
        if (!$value$plusargs("stalls=%d", seed)) seed = 0;
        if (!$value$plusargs("fault=%h", faulty)) faulty = 32'hffffffff;
        if (latency < 1) latency = 1;
        random = seed * 32'h9e3779b1 + 32'd88172645;
        for (channel = 0; channel < 4 * PORTS; channel = channel + 1)
            moved[channel] = 0;
        for (channel = 0; channel < 256; channel = channel + 1) begin
            read_lengths[channel] = 0;
            write_lengths[channel] = 0;
        end
        for (port = 0; port < PORTS; port = port + 1) begin
            read_first[port] = 0;
            read_count[port] = 0;
            read_beat[port] = 0;
            read_credit[port] = 0;
            write_first[port] = 0;
            write_count[port] = 0;
            beat_first[port] = 0;
            beat_count[port] = 0;
            write_credit[port] = 0;
            write_turn[port] = 1'b0;
        end
    end

    // xorshift32
    task draw;
        begin
            random = random ^ (random << 13);
            random = random ^ (random >> 17);
            random = random ^ (random << 5);
        end
    endtask

    // Chances in 8 that a channel holds back, drawn anew every 64 cycles.
    integer chance [0:CHANNELS*PORTS-1];

    // Whether a channel holds back in the coming cycle.
    reg holds;

    task hold(input integer which);
        begin
            holds = 1'b0;
            if (seed != 0) begin
                draw;
                holds = random[10:8] < chance[CHANNELS*port+which];
            end
        end
    endtask

    function [1:0] response(input [ADDRESS_WIDTH-1:0] address);
        response = address >= BYTES ? DECERR : address >> 12 != faulty >> 12 ? OKAY : faulty[0] ? DECERR : SLVERR;
    endfunction

    // What both directions of all ports share, in millionths of a beat. A write's beat is paid for when it is let in, and paid back if
    // it does not come; where there is too little for both, they take turns.
    localparam integer MILLION = 1000000;

    integer total_credit = 0;
    reg     is_scarce;
    reg     write_comes;

    integer now = 0;
    integer turn;
    integer lane, beat;
    reg [ADDRESS_WIDTH-1:0] place;

    // -- Reads --------------------------------------------------------------------------------------------------------

    reg [ADDRESS_WIDTH-1:0] read_address [0:PORTS*QUEUE-1];
    integer                 read_length  [0:PORTS*QUEUE-1];
    integer                 read_time    [0:PORTS*QUEUE-1];
    reg                     read_taken   [0:PORTS*QUEUE-1];  // its data are in read_data
    reg [DATA_WIDTH-1:0]    read_data    [0:PORTS*BEATS-1];
    integer                 slot;  // of the port

    task take_data(input integer from);
        begin
            for (beat = 0; beat <= read_length[from]; beat = beat + 1) begin
                place = read_address[from] / LANES * LANES + beat * LANES;
                for (lane = 0; lane < LANES; lane = lane + 1)
                    read_data[from * 256 + beat][8*lane +: 8] = place >= BYTES ? 8'h00 : memory[place + lane];
            end
            read_taken[from] = 1'b1;
        end
    endtask

    // -- Writes -------------------------------------------------------------------------------------------------------

    reg [ADDRESS_WIDTH-1:0] write_address [0:PORTS*QUEUE-1];
    integer                 write_length  [0:PORTS*QUEUE-1];
    integer                 write_time    [0:PORTS*QUEUE-1];  // when its last beat came
    reg                     write_whole   [0:PORTS*QUEUE-1];
    reg                     write_done    [0:PORTS*QUEUE-1];  // its data are in the memory
    reg [DATA_WIDTH-1:0]    write_data    [0:PORTS*BEATS-1];
    reg [LANES-1:0]         write_strobe  [0:PORTS*BEATS-1];

    // The data of the oldest bursts of the port are in its ring, one after the other.
    task put_data(input integer to, input integer first);
        begin
            for (beat = 0; beat <= write_length[to]; beat = beat + 1) begin
                place = write_address[to] / LANES * LANES + beat * LANES;
                for (lane = 0; lane < LANES; lane = lane + 1)
                    if (write_strobe[port * BEATS + (first + beat) % BEATS][lane] && place < BYTES)
                        memory[place + lane] = write_data[port * BEATS + (first + beat) % BEATS][8*lane +: 8];
            end
            write_done[to] = 1'b1;
        end
    endtask

    integer burst, start, found, previous;

    // Marks the bursts of the port whose data have all come.
    task find_wholes;
        begin
            start = beat_first[port];
            found = 0;
            for (burst = 0; burst < write_count[port]; burst = burst + 1) begin
                slot = port * QUEUE + (write_first[port] + burst) % QUEUE;
                previous = port * QUEUE + (write_first[port] + burst + QUEUE - 1) % QUEUE;
                found = found + write_length[slot] + 1;
                if (found <= beat_count[port] && !write_whole[slot]) begin
                    write_whole[slot] = 1'b1;
                    write_time[slot] = now;
                    write_beats = write_beats + write_length[slot] + 1;
                    moved[4*port+1] = moved[4*port+1] + write_length[slot] + 1;
                    // Earlier bursts first: what they have not written yet must not come later.
                    if (seed == 0 || (random[16] && (burst == 0 || write_done[previous])))
                        put_data(slot, start);
                end
                start = (start + write_length[slot] + 1) % BEATS;
            end
        end
    endtask

    always @(posedge clk) begin
        now = now + 1;
        if (now % 64 == 1)
            for (channel = 0; channel < CHANNELS * PORTS; channel = channel + 1) begin
                draw;
                chance[channel] = random[20:18] == 3'd7 ? 7 : random[19:18] * 2;
            end
        if (total_credit < MOST) total_credit = total_credit + total;
        // Where there is too little for all, none is always the first.
        for (turn = 0; turn < PORTS; turn = turn + 1) begin
            port = (now + turn) % PORTS;
            if (read_credit[port] < 100) read_credit[port] = read_credit[port] + bandwidth;
            if (write_credit[port] < 100) write_credit[port] = write_credit[port] + bandwidth;

            if (rst) begin
                s_axi_arready[port] <= 1'b0;
                s_axi_rvalid[port]  <= 1'b0;
                s_axi_awready[port] <= 1'b0;
                s_axi_wready[port]  <= 1'b0;
                s_axi_bvalid[port]  <= 1'b0;
                read_count[port]  = 0;
                read_beat[port]   = 0;
                write_count[port] = 0;
                beat_count[port]  = 0;
            end else begin
                if (s_axi_wready[port] && !s_axi_wvalid[port]) total_credit = total_credit + MILLION;
                is_scarce = total_credit < 2 * MILLION;
                write_comes = s_axi_wvalid[port] && beat_count[port] < BEATS - 2 && write_credit[port] >= 100;

                // Read address
                if (s_axi_arvalid[port] && s_axi_arready[port]) begin
                    slot = port * QUEUE + (read_first[port] + read_count[port]) % QUEUE;
                    read_address[slot] = s_axi_araddr[port*ADDRESS_WIDTH +: ADDRESS_WIDTH];
                    read_length[slot] = s_axi_arlen[port*8 +: 8];
                    read_time[slot] = now;
                    read_taken[slot] = 1'b0;
                    read_count[port] = read_count[port] + 1;
                    read_bursts = read_bursts + 1;
                    read_lengths[read_length[slot]] = read_lengths[read_length[slot]] + 1;
                    moved[4*port+2] = moved[4*port+2] + 1;
                    if (seed != 0 && random[17]) take_data(slot);
                end
                hold(AR);
                s_axi_arready[port] <= read_count[port] < QUEUE && !holds;

                // Read data
                if (s_axi_rvalid[port] && s_axi_rready[port]) begin
                    read_beats = read_beats + 1;
                    moved[4*port] = moved[4*port] + 1;
                end
                if (!s_axi_rvalid[port] || s_axi_rready[port]) begin
                    hold(R);
                    s_axi_rvalid[port] <= 1'b0;
                    slot = port * QUEUE + read_first[port];
                    if (read_count[port] > 0 && now >= read_time[slot] + latency - 1 && read_credit[port] >= 100
                        && total_credit >= MILLION && !(is_scarce && write_comes && write_turn[port]) && !holds) begin
                        if (!read_taken[slot]) take_data(slot);
                        s_axi_rvalid[port] <= 1'b1;
                        s_axi_rid[port]    <= 1'b0;
                        s_axi_rdata[port*DATA_WIDTH +: DATA_WIDTH] <= read_data[slot * 256 + read_beat[port]];
                        s_axi_rresp[port*2 +: 2] <= response(read_address[slot]);
                        s_axi_rlast[port]  <= read_beat[port] == read_length[slot];
                        read_credit[port] = read_credit[port] - 100;
                        total_credit = total_credit - MILLION;
                        if (is_scarce) write_turn[port] = 1'b1;
                        if (read_beat[port] == read_length[slot]) begin
                            read_beat[port]  = 0;
                            read_count[port] = read_count[port] - 1;
                            read_first[port] = (read_first[port] + 1) % QUEUE;
                        end else
                            read_beat[port] = read_beat[port] + 1;
                    end
                end

                // Write address
                if (s_axi_awvalid[port] && s_axi_awready[port]) begin
                    slot = port * QUEUE + (write_first[port] + write_count[port]) % QUEUE;
                    write_address[slot] = s_axi_awaddr[port*ADDRESS_WIDTH +: ADDRESS_WIDTH];
                    write_length[slot] = s_axi_awlen[port*8 +: 8];
                    write_whole[slot] = 1'b0;
                    write_done[slot] = 1'b0;
                    write_count[port] = write_count[port] + 1;
                    write_bursts = write_bursts + 1;
                    write_lengths[write_length[slot]] = write_lengths[write_length[slot]] + 1;
                    moved[4*port+3] = moved[4*port+3] + 1;
                end
                hold(AW);
                s_axi_awready[port] <= write_count[port] < QUEUE && !holds;

                // Write data
                if (s_axi_wvalid[port] && s_axi_wready[port]) begin
                    slot = port * BEATS + (beat_first[port] + beat_count[port]) % BEATS;
                    write_data[slot] = s_axi_wdata[port*DATA_WIDTH +: DATA_WIDTH];
                    write_strobe[slot] = s_axi_wstrb[port*LANES +: LANES];
                    beat_count[port] = beat_count[port] + 1;
                    write_credit[port] = write_credit[port] - 100;
                end
                find_wholes;
                hold(W);
                s_axi_wready[port] <= 1'b0;
                // Where there is too little for all ports, one that writes nothing lays none aside.
                if (beat_count[port] < BEATS - 1 && write_credit[port] + bandwidth >= 100 && total_credit >= MILLION
                    && !holds && (s_axi_wvalid[port] || total_credit >= PORTS * MILLION)) begin
                    s_axi_wready[port] <= 1'b1;
                    total_credit = total_credit - MILLION;
                    if (is_scarce) write_turn[port] = 1'b0;
                end

                // Write response
                if (!s_axi_bvalid[port] || s_axi_bready[port]) begin
                    hold(B);
                    s_axi_bvalid[port] <= 1'b0;
                    slot = port * QUEUE + write_first[port];
                    if (write_count[port] > 0 && write_whole[slot] && now >= write_time[slot] + latency - 1
                        && !holds) begin
                        if (!write_done[slot]) put_data(slot, beat_first[port]);
                        s_axi_bvalid[port] <= 1'b1;
                        s_axi_bid[port]    <= 1'b0;
                        s_axi_bresp[port*2 +: 2] <= response(write_address[slot]);
                        beat_first[port]  = (beat_first[port] + write_length[slot] + 1) % BEATS;
                        beat_count[port]  = beat_count[port] - write_length[slot] - 1;
                        write_count[port] = write_count[port] - 1;
                        write_first[port] = (write_first[port] + 1) % QUEUE;
                    end
                end
            end
        end
    end

    // One ID; a burst's end is known from its length.
    wire unused = &{1'b0, s_axi_arid, s_axi_awid, s_axi_wlast};

    /* verilator lint_on UNUSED */
    /* verilator lint_on WIDTH */
    /* verilator lint_on BLKSEQ */

endmodule

`default_nettype wire
