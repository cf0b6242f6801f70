// cycle_counters: counts the cycles of up to seven events, 32 bits each, in one memory with one adder.
//
// Every event has a small counter of its own; they are visited in turn, and what has come together is added to the
// total in the memory. Between runs the memory's port serves whoever reads.
//
// Latency     m_count shows the total of s_index one cycle later, while settled is high
// Parameters  COUNT  events, 1 to 7; event n is counter n + 1
// Handshake   clear sets all counters to 0 and counts nothing of its own cycle. settled rises 15 cycles after the last
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
        if (COUNT < 1 || COUNT > 7) begin : illegal_count
            cycle_counters_error_COUNT_must_be_1_to_7 stop ();
        end
    endgenerate

    reg [2:0] slot_reg;         // the total that is read in this cycle
    reg [2:0] slot_before_reg;  // the one that is written
    reg       write_reg;
    reg       fresh_reg;        // the first round after clear: totals are 0, whatever the memory holds
    reg [3:0] quiet_reg;        // cycles without an event

    assign settled = quiet_reg == 4'd15;

    // Eight cycles lie between two visits: at most 8 events, and 8 more that came before the visit.
    wire [8*4-1:0] gathered;

    genvar event_index;

    generate
        for (event_index = 0; event_index < 8; event_index = event_index + 1) begin : events
            if (event_index >= 1 && event_index <= COUNT) begin : counted
                reg  [3:0] gathered_reg;
                wire       visited = write_reg && slot_before_reg == event_index[2:0];
                always @(posedge clk) begin
                    if (rst || clear) begin
                        gathered_reg <= 4'd0;
                    end else begin
                        gathered_reg <= (visited ? 4'd0 : gathered_reg) + {3'd0, s_events[event_index-1]};
                    end
                end
                assign gathered[4*event_index +: 4] = gathered_reg;
            end else begin : not_counted
                assign gathered[4*event_index +: 4] = 4'd0;
            end
        end
    endgenerate

    wire [31:0] total = m_count & {32{!fresh_reg}};

    dual_port_ram #(
        .WIDTH         (32),
        .DEPTH         (8),
        .ADDRESS_WIDTH (3)
    ) totals (
        .clk           (clk),
        .write_enable  (write_reg),
        .write_address (slot_before_reg),
        .write_data    (total + {28'd0, gathered[4*slot_before_reg +: 4]}),
        .read_enable   (1'b1),
        .read_address  (settled ? s_index : slot_reg),
        .read_data     (m_count)
    );

    always @(posedge clk) begin
        slot_before_reg <= slot_reg;
        if (rst || clear) begin
            slot_reg  <= 3'd0;
            write_reg <= 1'b0;
            fresh_reg <= 1'b1;
            quiet_reg <= 4'd0;
        end else begin
            write_reg <= !settled;
            if (!settled) begin
                slot_reg <= slot_reg + 3'd1;
            end
            if (write_reg && slot_before_reg == 3'd7) begin
                fresh_reg <= 1'b0;
            end
            if (s_events != {COUNT{1'b0}}) begin
                quiet_reg <= 4'd0;
            end else if (!settled) begin
                quiet_reg <= quiet_reg + 4'd1;
            end
        end
    end

endmodule

`default_nettype wire
