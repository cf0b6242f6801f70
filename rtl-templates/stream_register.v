// SPDX-License-Identifier: MIT OR Apache-2.0
//
// stream_register: register slice; cuts every path between its two sides.
//
// Latency     one cycle forwards (valid, data), one cycle backwards (ready).
// Parameters  WIDTH  bits of a word, at least 1
// Handshake   full throughput. m_valid, m_data and s_ready come from flip-flops; a second register holds the word
//             that arrives in the cycle in which the output stops.
`default_nettype none

module stream_register #(
    parameter integer WIDTH = 32
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             s_valid,
    output wire             s_ready,
    input  wire [WIDTH-1:0] s_data,
    output wire             m_valid,
    input  wire             m_ready,
    output wire [WIDTH-1:0] m_data
);

    generate
        if (WIDTH < 1) begin : illegal_width
            stream_register_error_WIDTH_must_be_at_least_1 stop ();
        end
    endgenerate

    reg             m_valid_reg;
    reg             m_valid_next;
    reg             spare_valid_reg;
    reg             spare_valid_next;
    reg [WIDTH-1:0] m_data_reg;
    reg [WIDTH-1:0] m_data_next;
    reg [WIDTH-1:0] spare_reg;
    reg [WIDTH-1:0] spare_next;

    wire output_moves = m_ready || !m_valid_reg;

    assign s_ready = !spare_valid_reg;
    assign m_valid = m_valid_reg;
    assign m_data  = m_data_reg;

    always @* begin
        m_valid_next     = m_valid_reg;
        m_data_next      = m_data_reg;
        spare_valid_next = spare_valid_reg;
        spare_next       = spare_reg;
        if (output_moves) begin
            m_valid_next     = spare_valid_reg || s_valid;
            m_data_next      = spare_valid_reg ? spare_reg : s_data;
            spare_valid_next = 1'b0;
        end else if (!spare_valid_reg) begin
            spare_valid_next = s_valid;
            spare_next       = s_data;
        end
    end

    always @(posedge clk) begin
        m_data_reg <= m_data_next;
        spare_reg  <= spare_next;
        m_valid_reg     <= m_valid_next;
        spare_valid_reg <= spare_valid_next;
        if (rst) begin
            m_valid_reg     <= 1'b0;
            spare_valid_reg <= 1'b0;
        end
    end

`ifdef FORMAL
    // In every cycle the registers hold what a queue of two words holds, so no word is lost, doubled or changed.
    reg             started_reg = 1'b0;
    reg [1:0]       queue_count_reg;
    reg [WIDTH-1:0] queue_first_reg;
    reg [WIDTH-1:0] queue_second_reg;

    wire       push       = s_valid && s_ready;
    wire       pop        = m_valid && m_ready;
    wire [1:0] queue_left = queue_count_reg - {1'b0, pop};

    always @(posedge clk) begin
        started_reg     <= 1'b1;
        queue_count_reg <= rst ? 2'd0 : queue_left + {1'b0, push};
        if (pop) begin
            queue_first_reg <= queue_second_reg;
        end
        if (push && queue_left == 2'd0) begin
            queue_first_reg <= s_data;
        end
        if (push && queue_left == 2'd1) begin
            queue_second_reg <= s_data;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        if (started_reg) begin
            assert (queue_count_reg <= 2'd2);
            assert (m_valid == (queue_count_reg != 2'd0));
            assert (s_ready == (queue_count_reg != 2'd2));
            assert (!m_valid || m_data == queue_first_reg);
            assert (s_ready || spare_reg == queue_second_reg);
            cover (!s_ready && m_ready);
            cover (push && pop);
        end
    end
`endif

endmodule

`default_nettype wire
