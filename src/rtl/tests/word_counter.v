`default_nettype none

// Counts the words of a burst and adds up their products with a weight.
// Latency: one cycle.
module word_counter (
    input  wire               clk,
    input  wire               rst,
    input  wire               start,
    input  wire         [7:0] length,
    input  wire               s_valid,
    output wire               s_ready,
    input  wire signed [11:0] s_data,
    output reg                done,
    output reg  signed [23:0] total,
    output reg                nearly
);
    localparam [1:0] IDLE = 2'd0;
    localparam [1:0] RUN = 2'd1;
    localparam [1:0] LAST = 2'd2;

    // State
    reg [1:0] state;
    reg [7:0] count;
    wire [7:0] count_next;
    wire transfer = s_valid && s_ready;
    assign s_ready = state == RUN || state == LAST;

    // verilator lint_off PINCONNECTEMPTY
    increment count_increment (
        .value(count),
        .next(count_next),
        .carry()
    );
    // verilator lint_on PINCONNECTEMPTY

    wire signed [19:0] total_product = s_data * -20'sd37;

    // The state machine.
    always @(posedge clk) begin
        done <= 1'b0;
        case (state)
            IDLE: begin
                if (start) begin
                    count <= 8'd0;
                    total <= 24'sd0;
                    state <= RUN;
                end
            end
            RUN, LAST: begin
                if (transfer) begin
                    count <= count_next;
                    total <= total + {{4{total_product[19]}}, total_product};
                    if (count_next == length) begin
                        state <= IDLE;
                        done <= 1'b1;
                    end else if ($signed({1'b0, length} - {1'b0, count_next}) < 9'sd2) begin
                        state <= LAST;
                    end
                end
            end
            default: state <= IDLE;
        endcase
        if (rst) begin
            state <= IDLE;
            done <= 1'b0;
        end
    end

    // Whether the last word is near.
    always @* begin
        nearly = 1'b0;
        if (state == LAST) begin
            nearly = $signed({4'd0, count}) < $signed(s_data >>> 4);
        end
    end

`ifdef FORMAL
    // A word that waits stays as it is; counters of tiles do not go round; stores follow what they store.
    reg started_reg = 1'b0;
    reg s_waits;
    reg [11:0] s_data_before;

    always @(posedge clk) begin
        started_reg <= 1'b1;
        s_waits <= !rst && s_valid && !s_ready;
        s_data_before <= s_data;
    end

    always @* begin
        assume (rst == !started_reg);
        if (started_reg && !rst) begin
            assume (!s_waits || s_valid);
            assume (!s_waits || s_data == s_data_before);
        end
    end
`endif
endmodule

`default_nettype wire
