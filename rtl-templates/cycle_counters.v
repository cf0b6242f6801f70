// SPDX-License-Identifier: MIT OR Apache-2.0
//
// cycle_counters: counts the cycles of two to five events, 32 bits each, in one memory with one adder.
//
// Every event has a small counter of its own, the low bits of its total. They are visited in turn, and the total in the
// memory follows. Between runs the memory's port serves whoever reads.
//
// Latency     m_count shows the total of s_index one cycle later, from the second cycle on in which settled is high
// Parameters  COUNT  events, 2 to 5; event n is counter n + 1
// Handshake   clear sets all counters to 0 and counts nothing of its own cycle. settled rises 8 cycles after the last
//             event: then every event is in its total.
`default_nettype none

module cycle_counters #(
    parameter integer COUNT = 5
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             clear,
    input  wire [COUNT-1:0] s_events,
    output wire             settled,
    input  wire [2:0]       s_index,
    output wire [31:0]      m_count
);

    generate
        if (COUNT < 2 || COUNT > 5) begin : illegal_count
            cycle_counters_error_COUNT_must_be_2_to_5 stop ();
        end
    endgenerate

    // A few bits plus one, and their comparison, without a carry chain.
    function [2:0] plus_one(input [2:0] n);
        plus_one = {n[2] ^ (n[1] && n[0]), n[1] ^ n[0], !n[0]};
    endfunction

    function below(input [2:0] a, input [2:0] b);
        below = (!a[2] && b[2]) || (a[2] == b[2] && ((!a[1] && b[1]) || (a[1] == b[1] && !a[0] && b[0])));
    endfunction

    reg [2:0] slot_reg;         // the total that is read in this cycle
    reg [2:0] slot_before_reg;  // the one that is written
    reg       write_reg;
    reg       fresh_reg;        // the first round after clear: totals are 0, whatever the memory holds
    reg [2:0] quiet_reg;        // cycles without an event

    assign settled = quiet_reg == 3'd7;

    // Every event counts in three bits. At most seven cycles lie between two visits, two of them where counting goes on
    // after a pause, so that a total is less than eight behind and its low bits tell by how much.
    wire [8*3-1:0] low_bits;

    genvar event_index;

    generate
        for (event_index = 0; event_index < 8; event_index = event_index + 1) begin : events
            if (event_index >= 1 && event_index <= COUNT) begin : counted
                reg [2:0] count_reg;
                always @(posedge clk) begin
                    if (s_events[event_index-1]) begin
                        count_reg <= plus_one(count_reg);
                    end
                    if (rst || clear) begin
                        count_reg <= 3'd0;
                    end
                end
                assign low_bits[3*event_index +: 3] = count_reg;
            end else begin : not_counted
                assign low_bits[3*event_index +: 3] = 3'd0;
            end
        end
    endgenerate

    // Yosys has its own word for LUT RAM, whichever the maker.
`ifdef YOSYS
    (* ram_style = "distributed", no_rw_check *)
`else
    (* ramstyle = "MLAB, no_rw_check" *)
`endif
    reg [31:0] totals [0:7];
    reg [31:0] total_reg;

    reg  [2:0] visited_reg;
    wire       carry   = below(visited_reg, total_reg[2:0]);
    wire [2:0] address = settled ? s_index : slot_reg;

    assign m_count = total_reg;

    always @(posedge clk) begin
        if (write_reg) begin
            totals[slot_before_reg] <= {total_reg[31:3] + {28'd0, carry}, visited_reg};
        end
        visited_reg <= low_bits[3*slot_reg +: 3];
        if (fresh_reg) begin
            total_reg <= 32'd0;
        end else begin
            total_reg <= totals[address];
        end
    end

    always @(posedge clk) begin
        slot_before_reg <= slot_reg;
        write_reg <= !settled;
        if (slot_reg == COUNT[2:0]) begin
            slot_reg  <= 3'd1;
            fresh_reg <= 1'b0;
        end else if (!settled) begin
            slot_reg <= plus_one(slot_reg);
        end
        if (s_events != {COUNT{1'b0}}) begin
            quiet_reg <= 3'd0;
        end else if (!settled) begin
            quiet_reg <= plus_one(quiet_reg);
        end
        if (rst || clear) begin
            slot_reg  <= 3'd1;
            write_reg <= 1'b0;
            fresh_reg <= 1'b1;
            quiet_reg <= 3'd0;
        end
    end

`ifdef FORMAL
    // Of any one event: from the second settled cycle on, its total is the number of its cycles.
    (* anyconst *) wire [2:0] watched;

    reg        started_reg = 1'b0;
    reg        shown_reg = 1'b0;    // the total of the watched event is shown
    reg        settled_reg = 1'b0;
    reg        cleared_reg = 1'b0;
    reg [31:0] cycles_reg;

    wire [7:0] events_by_number = {{(8 - COUNT){1'b0}}, s_events} << 1;

    always @(posedge clk) begin
        started_reg <= 1'b1;
        settled_reg <= settled && !clear && !rst;
        shown_reg   <= settled && settled_reg && s_index == watched && !clear && !rst;
        if (events_by_number[watched]) begin
            cycles_reg <= cycles_reg + 32'd1;
        end
        if (rst || clear) begin
            cycles_reg <= 32'd0;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        if (started_reg && shown_reg && settled && watched >= 3'd1 && watched <= COUNT) begin
            assert (m_count == cycles_reg);
            cover (m_count == 32'd4);
        end
    end
`endif

endmodule

`default_nettype wire
