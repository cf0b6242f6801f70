// avalon_memory: model of a memory behind an Avalon-MM slave with bursts and pipelined reads.
//
// Parameters  DATA_WIDTH     bits of the bus
//             ADDRESS_WIDTH  bits of a byte address
//             BYTES          size of the memory, a multiple of the longest burst
//             QUEUE          reads it accepts before the oldest is done
// Plusargs    +latency=N     cycles from a read to its first data; default 30
//             +bandwidth=P   per cent of the cycles in which a direction may move a beat; default 100
//             +total=N       beats that both directions together may move in a million cycles; default 2000000
//             +stalls=SEED   with a seed above 0, waitrequest and readdatavalid hold back at random, in phases; default 0
//
// The slave does its accesses in order: with stalls, a read takes its data anywhere between its acceptance and its first
// beat, but never after a later write. Bytes are in `memory`, counts in the integers below.
`default_nettype none
`timescale 1ns / 1ps

module avalon_memory #(
    parameter integer DATA_WIDTH    = 32,
    parameter integer ADDRESS_WIDTH = 32,
    parameter integer BYTES         = 16777216,
    parameter integer QUEUE         = 16
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire [ADDRESS_WIDTH-1:0] avs_address,
    input  wire [8:0]               avs_burstcount,
    input  wire                     avs_read,
    input  wire                     avs_write,
    input  wire [DATA_WIDTH-1:0]    avs_writedata,
    input  wire [DATA_WIDTH/8-1:0]  avs_byteenable,
    output reg                      avs_waitrequest,
    output reg  [DATA_WIDTH-1:0]    avs_readdata,
    output reg                      avs_readdatavalid
);

    /* verilator lint_off BLKSEQ */ // a model's statements happen in their order
    /* verilator lint_off WIDTH */  // integers count
    /* verilator lint_off UNUSED */

    localparam integer LANES = DATA_WIDTH / 8;
    localparam integer BEATS = QUEUE * 256;

    reg [7:0] memory [0:BYTES-1];

    integer read_bursts  = 0;
    integer write_bursts = 0;
    integer read_beats   = 0;
    integer write_beats  = 0;
    // Bursts by their beats, less one.
    integer read_lengths [0:255], write_lengths [0:255];

    integer latency   = 30;
    integer bandwidth = 100;
    integer total     = 2000000;
    integer seed      = 0;

    reg [31:0] random = 32'd1;

    initial begin
        if (!$value$plusargs("latency=%d", latency)) latency = 30;
        if (!$value$plusargs("bandwidth=%d", bandwidth)) bandwidth = 100;
        if (!$value$plusargs("total=%d", total)) total = 2000000;
        if (total > 2000000) total = 2000000;
        if (!$value$plusargs("stalls=%d", seed)) seed = 0;
        if (latency < 1) latency = 1;
        random = seed * 32'h9e3779b1 + 32'd88172645;
        for (slot = 0; slot < 256; slot = slot + 1) begin
            read_lengths[slot] = 0;
            write_lengths[slot] = 0;
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

    // Chances in 8 that the command side and the data side hold back, drawn anew every 64 cycles.
    integer wait_chance = 0;
    integer data_chance = 0;
    reg     holds;

    task hold(input integer chance);
        begin
            holds = 1'b0;
            if (seed != 0) begin
                draw;
                holds = random[10:8] < chance;
            end
        end
    endtask

    // What both directions share, in millionths of a beat. A write's beat is paid for when it is let in, and paid back if
    // it does not come; where there is too little for both, they take turns.
    localparam integer MILLION = 1000000;

    integer total_credit = 0;
    reg     paid = 1'b0;
    reg     is_scarce;
    reg     write_turn = 1'b0;
    reg     may_write;
    reg     reads_wait;                                // for nothing but their turn

    integer now = 0;
    integer lane, beat, slot;
    reg [ADDRESS_WIDTH-1:0] place;

    reg [ADDRESS_WIDTH-1:0] read_address [0:QUEUE-1];
    integer                 read_length  [0:QUEUE-1];
    integer                 read_time    [0:QUEUE-1];
    reg                     read_taken   [0:QUEUE-1];  // its data are in read_data
    reg [DATA_WIDTH-1:0]    read_data    [0:BEATS-1];
    integer                 read_first = 0;
    integer                 read_count = 0;
    integer                 read_beat  = 0;
    integer                 read_credit = 0;
    integer                 write_credit = 0;
    integer                 write_left = 0;            // beats of the burst under way
    reg [ADDRESS_WIDTH-1:0] write_address;

    task take_data(input integer from);
        if (!read_taken[from]) begin
            for (beat = 0; beat < read_length[from]; beat = beat + 1) begin
                place = read_address[from] + beat * LANES;
                for (lane = 0; lane < LANES; lane = lane + 1)
                    read_data[from * 256 + beat][8*lane +: 8] = place >= BYTES ? 8'h00 : memory[place + lane];
            end
            read_taken[from] = 1'b1;
        end
    endtask

    always @(posedge clk) begin
        now = now + 1;
        if (now % 64 == 1) begin
            draw;
            wait_chance = random[20:18] == 3'd7 ? 7 : random[19:18] * 2;
            data_chance = random[24:22] == 3'd7 ? 7 : random[23:22] * 2;
        end
        if (read_credit < 100) read_credit = read_credit + bandwidth;
        if (write_credit < 100) write_credit = write_credit + bandwidth;
        if (total_credit < 2 * MILLION) total_credit = total_credit + total;

        if (rst) begin
            avs_waitrequest   <= 1'b1;
            avs_readdatavalid <= 1'b0;
            read_count = 0;
            read_beat  = 0;
            write_left = 0;
        end else begin
            if (paid && !avs_write) total_credit = total_credit + MILLION;
            reads_wait = read_count > 0 && now >= read_time[read_first] + latency - 1 && read_credit >= 100;
            is_scarce = total_credit < 2 * MILLION;
            may_write = total_credit >= MILLION && !(is_scarce && reads_wait && !(avs_write && write_turn));
            paid = 1'b0;
            if (avs_read && !avs_waitrequest) begin
                slot = (read_first + read_count) % QUEUE;
                read_address[slot] = avs_address;
                read_length[slot] = avs_burstcount;
                read_time[slot] = now;
                read_taken[slot] = 1'b0;
                read_count = read_count + 1;
                read_bursts = read_bursts + 1;
                read_lengths[avs_burstcount - 9'd1] = read_lengths[avs_burstcount - 9'd1] + 1;
                if (seed != 0 && random[17]) take_data(slot);
            end
            if (avs_write && !avs_waitrequest) begin
                for (slot = 0; slot < read_count; slot = slot + 1)
                    take_data((read_first + slot) % QUEUE);
                if (write_left == 0) begin
                    write_left = avs_burstcount;
                    write_address = avs_address;
                    write_bursts = write_bursts + 1;
                    write_lengths[avs_burstcount - 9'd1] = write_lengths[avs_burstcount - 9'd1] + 1;
                end
                for (lane = 0; lane < LANES; lane = lane + 1)
                    if (avs_byteenable[lane] && write_address < BYTES)
                        memory[write_address + lane] = avs_writedata[8*lane +: 8];
                write_address = write_address + LANES;
                write_left = write_left - 1;
                write_beats = write_beats + 1;
                write_credit = write_credit - 100;
            end
            hold(wait_chance);
            avs_waitrequest <= 1'b1;
            // A read that waits stays a read.
            if (read_count < QUEUE && write_credit + bandwidth >= 100 && (may_write || avs_read && avs_waitrequest) && !holds)
            begin
                avs_waitrequest <= 1'b0;
                paid = !(avs_read && avs_waitrequest);
            end
            if (paid) begin
                total_credit = total_credit - MILLION;
                if (is_scarce) write_turn = 1'b0;
            end

            hold(data_chance);
            avs_readdatavalid <= 1'b0;
            if (read_count > 0 && now >= read_time[read_first] + latency - 1 && read_credit >= 100 && total_credit >= MILLION
                && !holds) begin
                take_data(read_first);
                avs_readdatavalid <= 1'b1;
                avs_readdata      <= read_data[read_first * 256 + read_beat];
                read_beats = read_beats + 1;
                read_credit = read_credit - 100;
                total_credit = total_credit - MILLION;
                if (is_scarce) write_turn = 1'b1;
                read_beat = read_beat + 1;
                if (read_beat == read_length[read_first]) begin
                    read_beat  = 0;
                    read_count = read_count - 1;
                    read_first = (read_first + 1) % QUEUE;
                end
            end
        end
    end

    /* verilator lint_on UNUSED */
    /* verilator lint_on WIDTH */
    /* verilator lint_on BLKSEQ */

endmodule

`default_nettype wire
