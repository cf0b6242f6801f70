// SPDX-License-Identifier: MIT OR Apache-2.0
//
// store_tracker: tells when the stores of a tile are in memory, where commands and their completion lie far apart.
//
// Latency     three cycles from s_end to m_end, if everything has been written.
// Parameters  COUNT_WIDTH  bits of the number of commands under way, which must stay below 2^(COUNT_WIDTH-1)
//             DEPTH        end marks that may wait; one that finds no room would be lost, and its tile wait for ever
// Handshake   s_command  a store command has been accepted
//             s_written  the oldest one that was not has taken effect
//             s_end      all commands of a tile have been accepted before
//             m_end      for a cycle per s_end, in order: every command accepted up to it has taken effect
`default_nettype none

module store_tracker #(
    parameter integer COUNT_WIDTH = 8,
    parameter integer DEPTH       = 8
) (
    input  wire clk,
    input  wire rst,
    input  wire s_command,
    input  wire s_written,
    input  wire s_end,
    output wire m_end
);

    generate
        if (COUNT_WIDTH < 2) begin : illegal_count_width
            store_tracker_error_COUNT_WIDTH_must_be_at_least_2 stop ();
        end
        if (DEPTH < 1) begin : illegal_depth
            store_tracker_error_DEPTH_must_be_at_least_1 stop ();
        end
    endgenerate

    reg  [COUNT_WIDTH-1:0] commands_reg;
    reg  [COUNT_WIDTH-1:0] written_reg;

    wire                   mark_valid;
    wire [COUNT_WIDTH-1:0] mark;

    /* verilator lint_off UNUSED */ // whoever instantiates this sees to it that there is room
    wire                   mark_ready;
    /* verilator lint_on UNUSED */

    fifo #(
        .WIDTH (COUNT_WIDTH),
        .DEPTH (DEPTH)
    ) u_marks (
        .clk     (clk),
        .rst     (rst),
        .s_valid (s_end),
        .s_ready (mark_ready),
        .s_data  (commands_reg),
        .m_valid (mark_valid),
        .m_ready (m_end),
        .m_data  (mark)
    );

    // Modulo 2^COUNT_WIDTH: whether the commands written since the mark are none or more.
    wire [COUNT_WIDTH-1:0] beyond = written_reg - mark;

    assign m_end = mark_valid && !beyond[COUNT_WIDTH-1];

    always @(posedge clk) begin
        commands_reg <= commands_reg + {{(COUNT_WIDTH - 1){1'b0}}, s_command};
        written_reg  <= written_reg + {{(COUNT_WIDTH - 1){1'b0}}, s_written};
        if (rst) begin
            commands_reg <= {COUNT_WIDTH{1'b0}};
            written_reg  <= {COUNT_WIDTH{1'b0}};
        end
    end

`ifdef FORMAL
    // Any one of the end marks, watched: when it comes out, all commands accepted before it have taken effect.
    (* anyseq *) wire watch;

    reg                   started_reg = 1'b0;
    reg                   watching_reg;
    reg [COUNT_WIDTH-1:0] under_way_reg;     // commands that have not taken effect
    reg [COUNT_WIDTH-1:0] before_reg;        // those of them before the watched mark
    reg [7:0]             marks_reg;         // that wait
    reg [7:0]             marks_before_reg;  // those of them before the watched one

    wire begins = s_end && watch && !watching_reg;
    wire ends   = watching_reg && m_end && marks_before_reg == 8'd0;

    always @(posedge clk) begin
        started_reg <= 1'b1;
        watching_reg  <= begins || (watching_reg && !ends);
        under_way_reg <= under_way_reg + {{(COUNT_WIDTH - 1){1'b0}}, s_command} - {{(COUNT_WIDTH - 1){1'b0}}, s_written};
        marks_reg     <= marks_reg + {7'd0, s_end} - {7'd0, m_end};
        if (begins) begin
            before_reg       <= under_way_reg - {{(COUNT_WIDTH - 1){1'b0}}, s_written};
            marks_before_reg <= marks_reg - {7'd0, m_end};
        end else begin
            if (s_written && before_reg != {COUNT_WIDTH{1'b0}}) begin
                before_reg <= before_reg - 1'b1;
            end
            marks_before_reg <= marks_before_reg - {7'd0, m_end};
        end
        if (rst) begin
            watching_reg  <= 1'b0;
            under_way_reg <= {COUNT_WIDTH{1'b0}};
            marks_reg     <= 8'd0;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!s_written || under_way_reg != {COUNT_WIDTH{1'b0}});
        assume (!s_command || !under_way_reg[COUNT_WIDTH-2] || |(~under_way_reg[COUNT_WIDTH-2:0]));
        assume (!s_command || under_way_reg != {1'b0, {(COUNT_WIDTH - 1){1'b1}}});
        assume (!s_end || mark_ready);
        if (started_reg) begin
            if (m_end) begin
                assert (marks_reg != 8'd0);
            end
            if (ends) begin
                assert (before_reg == {COUNT_WIDTH{1'b0}});
            end
            cover (ends && under_way_reg != {COUNT_WIDTH{1'b0}});
            cover (watching_reg && mark_valid && !m_end);
        end
    end
`endif

endmodule

`default_nettype wire
