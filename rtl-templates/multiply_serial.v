// multiply_serial: unsigned a * b + c modulo 2^RESULT_WIDTH by shifts and additions, without a DSP block.
//
// Latency     from the operands' transfer to m_valid: 1 cycle + the significant bits of a (1 cycle for a = 0, 2 for
//             1, 4 for 5). Put the operand with fewer significant bits on a.
// Parameters  A_WIDTH, B_WIDTH, RESULT_WIDTH  bits of a, of b, and of c and the result, each at least 1
// Handshake   one product at a time: s_ready rises the cycle after the result has moved.
`default_nettype none

module multiply_serial #(
    parameter integer A_WIDTH      = 16,
    parameter integer B_WIDTH      = 16,
    parameter integer RESULT_WIDTH = 32
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire                    s_valid,
    output wire                    s_ready,
    input  wire [A_WIDTH-1:0]      s_a,
    input  wire [B_WIDTH-1:0]      s_b,
    input  wire [RESULT_WIDTH-1:0] s_c,
    output wire                    m_valid,
    input  wire                    m_ready,
    output wire [RESULT_WIDTH-1:0] m_result
);

    generate
        if (A_WIDTH < 1) begin : illegal_a_width
            multiply_serial_error_A_WIDTH_must_be_at_least_1 stop ();
        end
        if (B_WIDTH < 1) begin : illegal_b_width
            multiply_serial_error_B_WIDTH_must_be_at_least_1 stop ();
        end
        if (RESULT_WIDTH < 1) begin : illegal_result_width
            multiply_serial_error_RESULT_WIDTH_must_be_at_least_1 stop ();
        end
    endgenerate

    reg                    busy_reg;
    reg                    busy_next;
    reg                    m_valid_reg;
    reg                    m_valid_next;
    reg [A_WIDTH-1:0]      a_reg;
    reg [A_WIDTH-1:0]      a_next;
    reg [RESULT_WIDTH-1:0] b_reg;
    reg [RESULT_WIDTH-1:0] b_next;
    reg [RESULT_WIDTH-1:0] sum_reg;
    reg [RESULT_WIDTH-1:0] sum_next;

    // b in the result's width: bits beyond it cannot reach the result.
    wire [RESULT_WIDTH-1:0] b_fitted;

    generate
        if (B_WIDTH > RESULT_WIDTH) begin : narrow_b
            wire unused_high_bits = |s_b[B_WIDTH-1:RESULT_WIDTH];
            assign b_fitted = s_b[RESULT_WIDTH-1:0];
        end else if (B_WIDTH < RESULT_WIDTH) begin : widen_b
            assign b_fitted = {{RESULT_WIDTH-B_WIDTH{1'b0}}, s_b};
        end else begin : keep_b
            assign b_fitted = s_b;
        end
    endgenerate

    assign s_ready  = !busy_reg && !m_valid_reg;
    assign m_valid  = m_valid_reg;
    assign m_result = sum_reg;

    always @* begin
        busy_next    = busy_reg;
        m_valid_next = m_valid_reg;
        a_next       = a_reg;
        b_next       = b_reg;
        sum_next     = sum_reg;
        if (busy_reg) begin
            a_next = a_reg >> 1;
            b_next = b_reg << 1;
            if (a_reg[0]) begin
                sum_next = sum_reg + b_reg;
            end
            busy_next    = a_next != {A_WIDTH{1'b0}};
            m_valid_next = !busy_next;
        end else if (m_valid_reg) begin
            m_valid_next = !m_ready;
        end else if (s_valid) begin
            a_next       = s_a;
            b_next       = b_fitted;
            sum_next     = s_c;
            busy_next    = s_a != {A_WIDTH{1'b0}};
            m_valid_next = !busy_next;
        end
    end

    always @(posedge clk) begin
        a_reg   <= a_next;
        b_reg   <= b_next;
        sum_reg <= sum_next;
        if (rst) begin
            busy_reg    <= 1'b0;
            m_valid_reg <= 1'b0;
        end else begin
            busy_reg    <= busy_next;
            m_valid_reg <= m_valid_next;
        end
    end

`ifdef FORMAL
    // A result that waits does not change; no operands are taken while a product is under way; at every moment
    // a_reg * b_reg + sum_reg is the answer.
    reg                    started_reg = 1'b0;
    reg                    waiting_reg = 1'b0;
    reg [RESULT_WIDTH-1:0] waiting_result_reg;
    reg [RESULT_WIDTH-1:0] answer_reg;

    always @(posedge clk) begin
        started_reg        <= 1'b1;
        waiting_reg        <= started_reg && !rst && m_valid && !m_ready;
        waiting_result_reg <= m_result;
        if (s_valid && s_ready) begin
            answer_reg <= s_a * s_b + s_c;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        if (started_reg) begin
            assert (!(busy_reg && m_valid_reg));
            assert (busy_reg == (busy_reg && a_reg != 0));
            if (busy_reg) begin
                assert (answer_reg == (a_reg * b_reg + sum_reg));
            end
            if (m_valid) begin
                assert (m_result == answer_reg);
            end
            if (waiting_reg) begin
                assert (m_valid && m_result == waiting_result_reg);
            end
        end
    end
`endif

endmodule

`default_nettype wire
