// axi4_memory: model of a memory behind an AXI4 slave, with the freedom that the protocol gives a real one.
//
// Parameters  DATA_WIDTH     bits of the bus
//             ADDRESS_WIDTH  bits of a byte address
//             BYTES          size of the memory, a multiple of the longest burst; beyond it every access gets DECERR
//             QUEUE          requests it accepts before the oldest is done, per direction
// Plusargs    +latency=N     cycles from an address to its first data, and from a burst's last data to its response;
//                            default 30
//             +bandwidth=P   per cent of the cycles in which a direction may move a beat; default 100
//             +total=N       beats that both directions together may move in a million cycles; default 2000000
//             +stalls=SEED   with a seed above 0, every channel holds back at random, in phases of its own; default 0
//             +fault=ADDR    (hex) accesses that begin in this 4 KB page get SLVERR, or DECERR if ADDR is odd
//
// Only responses order reads and writes: with stalls, a read takes its data from the memory anywhere between its address
// and its first beat, and a write changes it anywhere between its last beat and its response. A master that does not
// wait for responses reads old data here. Bytes are in `memory`, counts in the integers below.
`default_nettype none
`timescale 1ns / 1ps

module axi4_memory #(
    parameter integer DATA_WIDTH    = 32,
    parameter integer ADDRESS_WIDTH = 32,
    parameter integer BYTES         = 16777216,
    parameter integer QUEUE         = 16
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     s_axi_arid,
    input  wire [ADDRESS_WIDTH-1:0] s_axi_araddr,
    input  wire [7:0]               s_axi_arlen,
    input  wire                     s_axi_arvalid,
    output reg                      s_axi_arready,
    output reg                      s_axi_rid,
    output reg  [DATA_WIDTH-1:0]    s_axi_rdata,
    output reg  [1:0]               s_axi_rresp,
    output reg                      s_axi_rlast,
    output reg                      s_axi_rvalid,
    input  wire                     s_axi_rready,
    input  wire                     s_axi_awid,
    input  wire [ADDRESS_WIDTH-1:0] s_axi_awaddr,
    input  wire [7:0]               s_axi_awlen,
    input  wire                     s_axi_awvalid,
    output reg                      s_axi_awready,
    input  wire [DATA_WIDTH-1:0]    s_axi_wdata,
    input  wire [DATA_WIDTH/8-1:0]  s_axi_wstrb,
    input  wire                     s_axi_wlast,
    input  wire                     s_axi_wvalid,
    output reg                      s_axi_wready,
    output reg                      s_axi_bid,
    output reg  [1:0]               s_axi_bresp,
    output reg                      s_axi_bvalid,
    input  wire                     s_axi_bready
);

    /* verilator lint_off BLKSEQ */ // a model's statements happen in their order
    /* verilator lint_off WIDTH */  // integers count
    /* verilator lint_off UNUSED */

    localparam integer LANES = DATA_WIDTH / 8;
    localparam integer BEATS = QUEUE * 256;

    localparam [1:0] OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;

    localparam integer CHANNELS = 5;
    localparam integer AR = 0, R = 1, AW = 2, W = 3, B = 4;

    reg [7:0] memory [0:BYTES-1];

    integer read_bursts  = 0;
    integer write_bursts = 0;
    integer read_beats   = 0;
    integer write_beats  = 0;

    integer latency   = 30;
    integer bandwidth = 100;
    integer total     = 2000000;
    integer seed      = 0;
    reg [31:0] faulty = 32'hffffffff;

    reg [31:0] random = 32'd1;

    initial begin
        if (!$value$plusargs("latency=%d", latency)) latency = 30;
        if (!$value$plusargs("bandwidth=%d", bandwidth)) bandwidth = 100;
        if (!$value$plusargs("total=%d", total)) total = 2000000;
        if (total > 2000000) total = 2000000;
        if (!$value$plusargs("stalls=%d", seed)) seed = 0;
        if (!$value$plusargs("fault=%h", faulty)) faulty = 32'hffffffff;
        if (latency < 1) latency = 1;
        random = seed * 32'h9e3779b1 + 32'd88172645;
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
    integer chance [0:CHANNELS-1];
    integer channel;

    // Whether a channel holds back in the coming cycle.
    reg holds;

    task hold(input integer which);
        begin
            holds = 1'b0;
            if (seed != 0) begin
                draw;
                holds = random[10:8] < chance[which];
            end
        end
    endtask

    function [1:0] response(input [ADDRESS_WIDTH-1:0] address);
        response = address >= BYTES ? DECERR : address >> 12 != faulty >> 12 ? OKAY : faulty[0] ? DECERR : SLVERR;
    endfunction

    // What both directions share, in millionths of a beat. A write's beat is paid for when it is let in, and paid back if
    // it does not come; where there is too little for both, they take turns.
    localparam integer MILLION = 1000000;

    integer total_credit = 0;
    reg     is_scarce;
    reg     write_comes;
    reg     write_turn = 1'b0;

    integer now = 0;
    integer lane, beat;
    reg [ADDRESS_WIDTH-1:0] place;

    // -- Reads --------------------------------------------------------------------------------------------------------

    reg [ADDRESS_WIDTH-1:0] read_address [0:QUEUE-1];
    integer                 read_length  [0:QUEUE-1];
    integer                 read_time    [0:QUEUE-1];
    reg                     read_taken   [0:QUEUE-1];  // its data are in read_data
    reg [DATA_WIDTH-1:0]    read_data    [0:BEATS-1];
    integer                 read_first = 0;
    integer                 read_count = 0;
    integer                 read_beat  = 0;
    integer                 read_credit = 0;
    integer                 slot;

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

    reg [ADDRESS_WIDTH-1:0] write_address [0:QUEUE-1];
    integer                 write_length  [0:QUEUE-1];
    integer                 write_time    [0:QUEUE-1];  // when its last beat came
    reg                     write_whole   [0:QUEUE-1];
    reg                     write_done    [0:QUEUE-1];  // its data are in the memory
    reg [DATA_WIDTH-1:0]    write_data    [0:BEATS-1];
    reg [LANES-1:0]         write_strobe  [0:BEATS-1];
    integer                 write_first  = 0;
    integer                 write_count  = 0;  // bursts with an address
    integer                 beat_first   = 0;  // of write_first's data
    integer                 beat_count   = 0;
    integer                 write_credit = 0;

    // The data of the oldest bursts are in the ring, one after the other.
    task put_data(input integer to, input integer first);
        begin
            for (beat = 0; beat <= write_length[to]; beat = beat + 1) begin
                place = write_address[to] / LANES * LANES + beat * LANES;
                for (lane = 0; lane < LANES; lane = lane + 1)
                    if (write_strobe[(first + beat) % BEATS][lane] && place < BYTES)
                        memory[place + lane] = write_data[(first + beat) % BEATS][8*lane +: 8];
            end
            write_done[to] = 1'b1;
        end
    endtask

    integer burst, start, found;

    // Marks the bursts whose data have all come.
    task find_wholes;
        begin
            start = beat_first;
            found = 0;
            for (burst = 0; burst < write_count; burst = burst + 1) begin
                slot = (write_first + burst) % QUEUE;
                found = found + write_length[slot] + 1;
                if (found <= beat_count && !write_whole[slot]) begin
                    write_whole[slot] = 1'b1;
                    write_time[slot] = now;
                    write_beats = write_beats + write_length[slot] + 1;
                    // Earlier bursts first: what they have not written yet must not come later.
                    if (seed == 0 || (random[16] && (burst == 0 || write_done[(slot + QUEUE - 1) % QUEUE])))
                        put_data(slot, start);
                end
                start = (start + write_length[slot] + 1) % BEATS;
            end
        end
    endtask

    always @(posedge clk) begin
        now = now + 1;
        if (now % 64 == 1)
            for (channel = 0; channel < CHANNELS; channel = channel + 1) begin
                draw;
                chance[channel] = random[20:18] == 3'd7 ? 7 : random[19:18] * 2;
            end
        if (read_credit < 100) read_credit = read_credit + bandwidth;
        if (write_credit < 100) write_credit = write_credit + bandwidth;
        if (total_credit < 2 * MILLION) total_credit = total_credit + total;

        if (rst) begin
            s_axi_arready <= 1'b0;
            s_axi_rvalid  <= 1'b0;
            s_axi_awready <= 1'b0;
            s_axi_wready  <= 1'b0;
            s_axi_bvalid  <= 1'b0;
            read_count  = 0;
            read_beat   = 0;
            write_count = 0;
            beat_count  = 0;
        end else begin
            if (s_axi_wready && !s_axi_wvalid) total_credit = total_credit + MILLION;
            is_scarce = total_credit < 2 * MILLION;
            write_comes = s_axi_wvalid && beat_count < BEATS - 2 && write_credit >= 100;

            // Read address
            if (s_axi_arvalid && s_axi_arready) begin
                slot = (read_first + read_count) % QUEUE;
                read_address[slot] = s_axi_araddr;
                read_length[slot] = s_axi_arlen;
                read_time[slot] = now;
                read_taken[slot] = 1'b0;
                read_count = read_count + 1;
                read_bursts = read_bursts + 1;
                if (seed != 0 && random[17]) take_data(slot);
            end
            hold(AR);
            s_axi_arready <= read_count < QUEUE && !holds;

            // Read data
            if (s_axi_rvalid && s_axi_rready) read_beats = read_beats + 1;
            if (!s_axi_rvalid || s_axi_rready) begin
                hold(R);
                s_axi_rvalid <= 1'b0;
                if (read_count > 0 && now >= read_time[read_first] + latency - 1 && read_credit >= 100
                    && total_credit >= MILLION && !(is_scarce && write_comes && write_turn) && !holds) begin
                    if (!read_taken[read_first]) take_data(read_first);
                    s_axi_rvalid <= 1'b1;
                    s_axi_rid    <= 1'b0;
                    s_axi_rdata  <= read_data[read_first * 256 + read_beat];
                    s_axi_rresp  <= response(read_address[read_first]);
                    s_axi_rlast  <= read_beat == read_length[read_first];
                    read_credit = read_credit - 100;
                    total_credit = total_credit - MILLION;
                    if (is_scarce) write_turn = 1'b1;
                    if (read_beat == read_length[read_first]) begin
                        read_beat  = 0;
                        read_count = read_count - 1;
                        read_first = (read_first + 1) % QUEUE;
                    end else
                        read_beat = read_beat + 1;
                end
            end

            // Write address
            if (s_axi_awvalid && s_axi_awready) begin
                slot = (write_first + write_count) % QUEUE;
                write_address[slot] = s_axi_awaddr;
                write_length[slot] = s_axi_awlen;
                write_whole[slot] = 1'b0;
                write_done[slot] = 1'b0;
                write_count = write_count + 1;
                write_bursts = write_bursts + 1;
            end
            hold(AW);
            s_axi_awready <= write_count < QUEUE && !holds;

            // Write data
            if (s_axi_wvalid && s_axi_wready) begin
                write_data[(beat_first + beat_count) % BEATS] = s_axi_wdata;
                write_strobe[(beat_first + beat_count) % BEATS] = s_axi_wstrb;
                beat_count = beat_count + 1;
                write_credit = write_credit - 100;
            end
            find_wholes;
            hold(W);
            s_axi_wready <= 1'b0;
            if (beat_count < BEATS - 1 && write_credit + bandwidth >= 100 && total_credit >= MILLION && !holds) begin
                s_axi_wready <= 1'b1;
                total_credit = total_credit - MILLION;
                if (is_scarce) write_turn = 1'b0;
            end

            // Write response
            if (!s_axi_bvalid || s_axi_bready) begin
                hold(B);
                s_axi_bvalid <= 1'b0;
                if (write_count > 0 && write_whole[write_first] && now >= write_time[write_first] + latency - 1
                    && !holds) begin
                    if (!write_done[write_first]) put_data(write_first, beat_first);
                    s_axi_bvalid <= 1'b1;
                    s_axi_bid    <= 1'b0;
                    s_axi_bresp  <= response(write_address[write_first]);
                    beat_first  = (beat_first + write_length[write_first] + 1) % BEATS;
                    beat_count  = beat_count - write_length[write_first] - 1;
                    write_count = write_count - 1;
                    write_first = (write_first + 1) % QUEUE;
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
