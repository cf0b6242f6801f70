//! Every cell with properties: under which parameters it is proved, how far, and what must break it.
//!
//! Parameters are small: depths of one, of a power of two and beside one, widths that let counters go round.

use crate::By::{Abc, Steps, Z3};
use crate::{Mutation, Proof, mutation, mutation_of};

/// One test per cell, so that they run side by side.
macro_rules! proofs {
    ($($cell:ident { $parameters:expr, $steps:expr, $by:expr, $cover_steps:expr, $mutations:expr $(,)? })*) => {
        pub const PROOFS: &[Proof] = &[$(Proof {
            cell: stringify!($cell),
            parameters: &$parameters,
            steps: $steps,
            by: $by,
            cover_steps: $cover_steps,
            mutations: { const MUTATIONS: &[Mutation] = &$mutations; MUTATIONS },
        }),*];

        $(
            #[test]
            fn $cell() {
                crate::prove(stringify!($cell));
            }
        )*
    };
}

proofs! {
    beat_packer {
        ["BEAT_WIDTH 1 BURST_WIDTH 1 LENGTH_WIDTH 3", "BEAT_WIDTH 0 BURST_WIDTH 2 LENGTH_WIDTH 3",
            "BEAT_WIDTH 2 BURST_WIDTH 2 LENGTH_WIDTH 3"],
        8, Z3, 16,
        [
            mutation("wire output_moves = m_beat_ready || !m_beat_valid_reg;", "wire output_moves = 1'b1;", &["m_beat_valid", "m_beat_data", "m_beat_strobe", "m_beat_last"]),
            mutation("m_beat_data     = m_beat_data_reg;", "m_beat_data     = m_beat_data_reg ^ m_beat_ready;", &["m_beat_data"]),
            mutation("m_beat_strobe   = m_beat_strobe_reg;", "m_beat_strobe   = m_beat_strobe_reg ^ m_beat_ready;", &["m_beat_strobe"]),
            mutation("m_beat_last     = m_beat_last_reg;", "m_beat_last     = m_beat_last_reg ^ m_beat_ready;", &["m_beat_last"]),
        ]
    }
    beat_room {
        ["DEPTH 256", "DEPTH 257", "DEPTH 512"],
        6, Z3, 8,
        [
            mutation("2'b01: free_reg <= free_reg + 1'b1;", "2'b01: free_reg <= free_reg + 2'd2;", &["free_reg"]),
            mutation("2'b11: free_reg <= free_reg - length;", "2'b11: free_reg <= free_reg + length;", &["free_reg"]),
            mutation("granted = length < free_reg;", "granted = length <= free_reg;", &["free_reg"]),
        ]
    }
    beat_unpacker {
        ["BEAT_WIDTH 1 LENGTH_WIDTH 3 OFFSET_WIDTH 1", "BEAT_WIDTH 0 LENGTH_WIDTH 3 OFFSET_WIDTH 1",
            "BEAT_WIDTH 2 LENGTH_WIDTH 3 OFFSET_WIDTH 2"],
        8, Z3, 12,
        [
            mutation("if (m_word_ready || !m_word_valid_reg) begin", "if (1'b1) begin", &["m_word_valid"]),
            mutation("s_beat_valid && (m_word_ready || !m_word_valid_reg);", "s_beat_valid;", &["m_word_data"]),
        ]
    }
    burst_splitter {
        ["ADDRESS_WIDTH 6 LENGTH_WIDTH 4 BEAT_WIDTH 0 BURST_WIDTH 2", "ADDRESS_WIDTH 7 LENGTH_WIDTH 4 BEAT_WIDTH 2 BURST_WIDTH 1",
            "ADDRESS_WIDTH 10 LENGTH_WIDTH 4 BEAT_WIDTH 1 BURST_WIDTH 8"],
        8, Z3, 12,
        [
            mutation("assign m_burst_last    = left_reg <= to_end;", "assign m_burst_last    = left_reg <= to_end + 1'b1;", &["!end_in_block"]),
            mutation("assign m_burst_valid   = active_reg;", "assign m_burst_valid   = active_reg && s_cmd_valid;", &["m_burst_valid"]),
            mutation("end else if (m_burst_ready) begin", "end else begin", &["m_burst_address", "m_burst_length"]),
            mutation("m_burst_last ? left_reg[7:0] : to_end[7:0];", "m_burst_ready ? 8'd0 : to_end[7:0];", &["m_burst_length"]),
        ]
    }
    divide_serial {
        ["WIDTH 3 SIGNED 0", "WIDTH 4 SIGNED 1", "WIDTH 1 SIGNED 0"],
        8, Z3, 12,
        [
            mutation("end else if (finish) begin", "end else if (m_valid_reg) begin", &["!(busy_reg"]),
            mutation("busy_reg    <= busy_next;", "busy_reg    <= busy_next || m_valid_next;", &["!(busy_reg"]),
            mutation_of(1, "left_reg             <= ALL;", "left_reg             <= ALL + ONE;", &["!busy_reg"]),
            mutation("assign m_quotient  = m_quotient_reg;", "assign m_quotient  = m_quotient_reg ^ s_valid;", &["m_quotient"]),
        ]
    }
    dual_port_ram {
        ["WIDTH 2 DEPTH 3 ADDRESS_WIDTH 2", "WIDTH 1 DEPTH 1 ADDRESS_WIDTH 1", "WIDTH 2 DEPTH 4 ADDRESS_WIDTH 2",
            "WIDTH 1 DEPTH 5 ADDRESS_WIDTH 3"],
        6, Z3, 8,
        [
            mutation("if (write_enable) begin", "if (write_enable && read_enable) begin", &["memory", "read_data"]),
            mutation("read_data_reg <= memory[read_address];", "read_data_reg <= memory[write_address];", &["read_data"]),
            mutation("write_enable && write_address == read_address", "write_enable", &["read_data"]),
        ]
    }
    fifo {
        ["WIDTH 3 DEPTH 4", "WIDTH 3 DEPTH 1", "WIDTH 3 DEPTH 3", "WIDTH 2 DEPTH 5"],
        12, Z3, 14,
        [
            mutation("assign s_ready = write_pointer_reg", "assign s_ready = 1'b1 || write_pointer_reg", &["occupancy"]),
            mutation("if (more) begin", "if (1'b1) begin", &["occupancy"]),
            mutation("assign m_valid = m_valid_reg;", "assign m_valid = m_valid_reg && !m_ready;", &["m_valid"]),
            mutation("wire fetch = m_ready || !m_valid_reg;", "wire fetch = 1'b1;", &["m_data"]),
            mutation(".read_enable   (fetch)", ".read_enable   (1'b1)", &["m_data"]),
        ]
    }
    line_gather {
        ["WORD 1 BEAT 1 LINE 2 ADDRESS 2 DEPTH 1", "WORD 1 BEAT 2 LINE 4 ADDRESS 3 DEPTH 2",
            "WORD 1 BEAT 1 LINE 4 ADDRESS 2 DEPTH 1"],
        6, Z3, 12,
        [
            mutation("take && place == b[PLACE-1:0] && s_elements[w]", "take && place == b[PLACE-1:0]", &["is_in_reg"]),
            mutation("if (push) begin", "if (push && !take) begin", &["is_in_reg"]),
            mutation_of(1, "<= s_data[w*WORD +: WORD];", "<= s_data[0 +: WORD];", &["data_reg"]),
            mutation_of(1, "open_reg    <= 1'b1;", "open_reg    <= s_elements[0];", &["elements_reg"]),
            mutation("(s_valid && !is_same)", "1'b0", &["is_in_reg"]),
        ]
    }
    memory_arbiter {
        ["ADDRESS_WIDTH 4 LENGTH_WIDTH 2 HOLD 3", "ADDRESS_WIDTH 4 LENGTH_WIDTH 2 HOLD 1",
            "ADDRESS_WIDTH 1 LENGTH_WIDTH 1 HOLD 4"],
        8, Z3, 12,
        [
            mutation("assign s_load_ready  = output_moves && granted == LOAD;", "assign s_load_ready  = output_moves;", &["!(s_load_ready"]),
            mutation("if (silence_reg == SILENCE_LIMIT[SILENCE_WIDTH-1:0]) begin", "if (silence_reg > SILENCE_LIMIT[SILENCE_WIDTH-1:0]) begin", &["silence_reg"]),
            mutation("wire output_moves = m_cmd_ready || !m_cmd_valid_reg;", "wire output_moves = 1'b1;", &["m_cmd_valid", "m_cmd_write", "m_cmd_address", "m_cmd_length"]),
            mutation("assign m_cmd_write   = m_cmd_write_reg;", "assign m_cmd_write   = m_cmd_write_reg ^ m_cmd_ready;", &["m_cmd_write"]),
            mutation("assign m_cmd_length  = m_cmd_length_reg;", "assign m_cmd_length  = m_cmd_length_reg ^ m_cmd_ready;", &["m_cmd_length"]),
        ]
    }
    row_packer {
        ["WORD_WIDTH 2 BEAT_WIDTH 2 GRAIN 0 END_WIDTH 5", "WORD_WIDTH 2 BEAT_WIDTH 1 GRAIN 0 END_WIDTH 5",
            "WORD_WIDTH 3 BEAT_WIDTH 3 GRAIN 2 END_WIDTH 6", "WORD_WIDTH 2 BEAT_WIDTH 1 GRAIN 0 END_WIDTH 5 MASKED 1"],
        8, Z3, 12,
        [
            mutation("words_left_reg <= BYTES[END_WIDTH-1:0];", "words_left_reg < BYTES[END_WIDTH-1:0];", &["words_left_reg != 0"]),
            mutation("flush_reg      <= last_beat;", "flush_reg      <= 1'b0;", &["flush_reg || beats_left_reg"]),
            mutation("after[WORD_WIDTH] ^ emits", "after[WORD_WIDTH]", &["flush_reg || place_reg"]),
            mutation("words_left_reg <= s_row_words_end;", "words_left_reg <= s_row_words_end + BYTES[END_WIDTH-1:0];", &["flush_reg || words_left_reg"]),
            mutation("after >= TWO_WORDS", "after > TWO_WORDS", &["!flush_reg"]),
            mutation("first_reg      <= 1'b0;", "first_reg      <= 1'b1;", &["!first_reg"]),
            mutation("size_reg       <= s_row_size;", "size_reg       <= s_row_size + 1'b1;", &["size_reg"]),
            mutation("ALL << offset_reg : ALL)", "ALL << offset_reg << 1 : ALL)", &["m_word_strobe !"]),
            mutation("assign m_word_valid  = m_word_valid_reg;", "assign m_word_valid  = m_word_valid_reg && !m_word_ready;", &["m_word_valid"]),
            mutation("assign m_word_data   = m_word_data_reg;", "assign m_word_data   = m_word_data_reg ^ m_word_ready;", &["m_word_data"]),
            mutation("assign m_word_strobe = m_word_strobe_reg;", "assign m_word_strobe = m_word_strobe_reg ^ m_word_ready;", &["m_word_strobe ="]),
        ]
    }
    row_unpacker {
        ["WORD_WIDTH 2 BEAT_WIDTH 2 GRAIN 0 END_WIDTH 5", "WORD_WIDTH 2 BEAT_WIDTH 1 GRAIN 0 END_WIDTH 5",
            "WORD_WIDTH 3 BEAT_WIDTH 3 GRAIN 2 END_WIDTH 6"],
        8, Z3, 12,
        [
            mutation("words_left_reg <= BYTES[END_WIDTH-1:0];", "words_left_reg < BYTES[END_WIDTH-1:0];", &["words_left_reg"]),
            mutation("beats_left_reg <= step_bytes;", "beats_left_reg < step_bytes;", &["beats_left_reg"]),
            mutation("size_reg       <= s_row_size;", "size_reg       <= s_row_size + 1'b1;", &["size_reg"]),
            mutation("advanced[WORD_WIDTH] ^ takes", "advanced[WORD_WIDTH]", &["place_reg"]),
            mutation("assign m_beat_valid = m_beat_valid_reg;", "assign m_beat_valid = m_beat_valid_reg && !m_beat_ready;", &["m_beat_valid"]),
            mutation("assign m_beat_data  = m_beat_data_reg;", "assign m_beat_data  = m_beat_data_reg ^ m_beat_ready;", &["m_beat_data"]),
        ]
    }
    stream_register {
        ["WIDTH 4", "WIDTH 1"],
        8, Z3, 10,
        [
            mutation("spare_valid_next = s_valid;", "spare_valid_next = 1'b0;", &["s_ready =", "m_valid", "!m_valid", "queue_count_reg"]),
            mutation("spare_valid_reg || s_valid;", "spare_valid_reg || (s_valid && m_ready);", &["s_ready |"]),
            mutation("m_data_next      = spare_valid_reg ? spare_reg : s_data;", "m_data_next      = s_data;", &["!m_valid"]),
            mutation("spare_next       = s_data;", "spare_next       = spare_reg;", &["s_ready |"]),
            mutation("assign s_ready = !spare_valid_reg;", "assign s_ready = 1'b1;", &["s_ready ="]),
        ]
    }
    token_fifo {
        ["DEPTH 3 INITIAL 1", "DEPTH 1 INITIAL 0", "DEPTH 2 INITIAL 2", "DEPTH 5 INITIAL 0", "DEPTH 4 INITIAL 4"],
        8, Z3, 12,
        [
            mutation_of(3, "assign s_ready = count_reg != FULL;", "assign s_ready = 1'b1;", &["count_reg"]),
            mutation("end else if (pop && !push) begin", "end else if (!push) begin", &["!waiting_reg"]),
        ]
    }
    word_packer {
        ["COUNT_WIDTH 3", "COUNT_WIDTH 1", "COUNT_WIDTH 3 MASKED 1"],
        8, Z3, 10,
        [
            mutation("element_ends && remaining_reg == 1;", "element_ends && remaining_reg == 0;", &["remaining_reg"]),
            mutation("position_reg <= next_position[1:0];", "position_reg <= next_position[1:0] + 1'b1;", &["size_reg"]),
            mutation("high_reg     <= !element_ends;", "high_reg     <= element_ends;", &["!high_reg"]),
            mutation("m_word_valid_reg  <= step && word_ends;", "m_word_valid_reg  <= word_ends;", &["m_word_strobe !"]),
            mutation("assign m_word_valid    = m_word_valid_reg;", "assign m_word_valid    = m_word_valid_reg && !m_word_ready;", &["m_word_valid"]),
            mutation("assign m_word_data     = m_word_data_reg;", "assign m_word_data     = m_word_data_reg ^ m_word_ready;", &["m_word_data"]),
            mutation("assign m_word_strobe   = m_word_strobe_reg;", "assign m_word_strobe   = m_word_strobe_reg ^ m_word_ready;", &["m_word_strobe ="]),
        ]
    }
    word_unpacker {
        ["COUNT_WIDTH 3", "COUNT_WIDTH 1"],
        8, Z3, 10,
        [
            mutation("element_ends && remaining_reg == 1;", "element_ends && remaining_reg == 0;", &["remaining_reg"]),
            mutation("position_reg <= next_position[1:0];", "position_reg <= next_position[1:0] + 1'b1;", &["size_reg"]),
            mutation("high_reg     <= !element_ends;", "high_reg     <= element_ends;", &["!high_reg || size_reg", "!high_reg || !"]),
            mutation("m_element_valid_reg <= step && element_ends;", "m_element_valid_reg <= step;", &["!high_reg || !"]),
            mutation("assign m_element_valid = m_element_valid_reg;", "assign m_element_valid = m_element_valid_reg && !m_element_ready;", &["m_element_valid"]),
            mutation("assign m_element_data  = m_element_data_reg;", "assign m_element_data  = m_element_data_reg ^ m_element_ready;", &["m_element_data"]),
        ]
    }
    ddr_timer {
        ["CLOCKS 8", "CLOCKS 3", "CLOCKS 5"],
        12, Abc(&[]), 12,
        [
            mutation("load_slot ? load_clocks[CLOCKS-1:1]", "!load_slot ? load_clocks[CLOCKS-1:1]", &["wait_0", "wait_1"]),
            mutation("waits_reg >> 2", "waits_reg >> 1", &["wait_0"]),
            mutation("assign wait_1 = waits_reg[1];", "assign wait_1 = waits_reg[0];", &["wait_1"]),
        ]
    }
    read_fifo {
        ["DEPTH 4", "DEPTH 2"],
        12, Abc(&[]), 24,
        [
            mutation("assign full         = reserved_reg ==", "assign full         = written_reg ==", &["full =", "reserved", "m_read_data == waiting_data_reg", "words[", "m_read_data == held_data_reg", "there <", "m_read_valid", "written_reg"]),
            mutation("assign empty        = reserved_reg ==", "assign empty        = written_reg ==", &["empty ="]),
            mutation("assign m_read_valid = written_reg != taken_reg;", "assign m_read_valid = written_reg != taken_reg && !s_phy_valid;", &["m_read_valid"]),
            mutation("assign m_read_data  = words[", "assign m_read_data  = s_phy_valid + words[", &["m_read_data == held_data_reg"]),
            mutation("taken_reg <= taken_reg + 1'b1;", "taken_reg <= taken_reg + 2'd2;", &["reserved"]),
        ]
    }
    page_splitter {
        ["ADDRESS_WIDTH 11 LENGTH_WIDTH 4", "ADDRESS_WIDTH 16 LENGTH_WIDTH 10"],
        8, Abc(&[&[], &["words <", "beyond", "{33'd0"]]), 8,
        [
            mutation("assign s_cmd_ready      = enable &", "assign s_cmd_ready      = 1'b1 &", &["enabled_reg"]),
            mutation("s_digits[1:0] + s_digits[3:2]", "s_digits[1:0] - s_digits[3:2]", &["m_segment_bank"]),
            mutation("page_reg    <= page_reg + 1'b1;", "page_reg    <= page_reg + 2'd2;", &["page_reg", "m_segment_row"]),
            mutation("column_reg  <= 8'd0;", "column_reg  <= 8'd1;", &["m_segment_column", "m_segment_end", "last_segment", "beyond"]),
            mutation_of(1, "borders_reg <= sum[SUM_WIDTH-1:8];", "borders_reg <= sum[SUM_WIDTH-1:8] + 1'b1;", &["words <", "left_reg", "{33'd0"]),
            mutation("end_reg     <= sum[7:0];", "end_reg     <= sum[7:0] - 1'b1;", &["m_segment_end"]),
            mutation("(borders_reg == 1 && end_reg == 8'd0)", "borders_reg == 1", &["last_segment"]),
            mutation("assign m_segment_valid  = valid_reg;", "assign m_segment_valid  = valid_reg && !s_cmd_write;", &["m_segment_valid"]),
            mutation("assign m_segment_row    = page_reg[PAGE_WIDTH-1:2];", "assign m_segment_row    = page_reg[PAGE_WIDTH-1:2] + s_cmd_write;", &["m_segment_row"]),
        ]
    }
    axi4_lite_slave {
        [""],
        12, Abc(&[]), 12,
        [
            mutation("assign s_axil_awready = idle && s_axil_wvalid;", "assign s_axil_awready = idle;", &["takes_write", "writes_open_reg", "pulses_owed_reg"]),
            mutation("state_reg <= s_axil_bready ? IDLE : WRITTEN;", "state_reg <= IDLE;", &["s_axil_bvalid"]),
            mutation("state_reg <= s_axil_rready ? IDLE : READ;", "state_reg <= IDLE;", &["reads_open_reg", "s_axil_rvalid"]),
            mutation("state_reg == WRITE && whole_reg;", "state_reg == WRITE;", &["pulses_owed_reg"]),
            mutation("assign m_reg_data    = data_reg;", "assign m_reg_data    = s_axil_wdata;", &["m_reg_address"]),
            mutation("assign s_axil_rvalid  = state_reg == READ;", "assign s_axil_rvalid  = state_reg == READ && !s_axil_rready;", &["reads_open_reg"]),
        ]
    }
    avalon_slave {
        [""],
        12, Abc(&[]), 12,
        [
            mutation("wire settled = waited_reg == 2'd2;", "wire settled = waited_reg == 2'd1;", &["!avs_read"]),
            mutation("assign avs_waitrequest = avs_read && !settled;", "assign avs_waitrequest = !settled;", &["!avs_write"]),
            mutation("avs_write && &avs_byteenable;", "avs_write && |avs_byteenable;", &["m_reg_write"]),
            mutation("if (rst || !avs_read || settled) begin", "if (rst || settled) begin", &["cycles_reg"]),
        ]
    }
    cycle_counters {
        ["COUNT 2"],
        20, Abc(&[&["m_count"]]), 24,
        [mutation("total_reg[31:3] + {28'd0, carry}", "total_reg[31:3]", &["m_count"]), mutation("fresh_reg <= 1'b1;", "fresh_reg <= 1'b0;", &["m_count"])]
    }
    store_tracker {
        ["COUNT_WIDTH 4 DEPTH 4"],
        9, Abc(&[&["before_reg"]]), 12,
        [
            mutation("wire [COUNT_WIDTH-1:0] beyond = written_reg - mark;", "wire [COUNT_WIDTH-1:0] beyond = written_reg - mark + 1'b1;", &["before_reg"]),
            mutation("assign m_end = mark_valid &&", "assign m_end = mark_valid ||", &["marks_reg"]),
        ]
    }
    axi4_writer {
        ["ADDRESS_WIDTH 6 LENGTH_WIDTH 3 BEAT_WIDTH 0 BURST_WIDTH 1 OUTSTANDING 4",
            "ADDRESS_WIDTH 12 LENGTH_WIDTH 4 BEAT_WIDTH 2 BURST_WIDTH 8 OUTSTANDING 4"],
        10, Abc(&[&["m_axi_wvalid", "m_axi_wlast", "open_bursts_reg +", "commands_reg <", "commands_reg !", "still_owed", "open_bursts_reg ="], &["m_axi_wvalid", "m_axi_wlast", "m_axi_bready", "open_bursts_reg +", "commands_reg <", "commands_reg !", "still_owed", "open_bursts_reg ="]]), 11,
        [
            mutation("assign m_axi_awvalid = awvalid_reg;", "assign m_axi_awvalid = awvalid_reg && is_open;", &["m_axi_awvalid"]),
            mutation_of(1, "awlen_reg   <= burst_length;", "awlen_reg   <= burst_length + 2'd2;", &["end_in_page", "m_axi_wlast"]),
            mutation("wire address_moves = m_axi_awready || !awvalid_reg;", "wire address_moves = 1'b1;", &["m_axi_awaddr", "m_axi_awlen ="]),
            mutation("awlen_reg   <= burst_length;", "awlen_reg   <= burst_length + 2'd2;", &["m_axi_awlen >"]),
            mutation("assign m_axi_wvalid = beat_valid && is_open;", "assign m_axi_wvalid = beat_valid;", &["open_bursts_reg !", "open_bursts_reg +", "m_axi_bready", "open_bursts_reg ="]),
            mutation("m_axi_wready && is_open", "1'b1", &["m_axi_wvalid", "{m_axi_wdata"]),
            mutation("m_beat_last     (m_axi_wlast)", "m_beat_cmd_last (m_axi_wlast)", &["m_axi_wlast"]),
            mutation("expected_ready && address_moves),", "address_moves),", &["commands_reg <"]),
            mutation(".m_ready (m_axi_bvalid)", ".m_ready (m_axi_wvalid)", &["still_owed"]),
            mutation("open_reg <= open_reg + 1'b1;", "open_reg <= open_reg + 2'd2;", &["open_reg"]),
            mutation("if (enters && !written_reg) begin", "if (enters) begin", &["inside_reg"]),
            mutation("expected_valid && expected_last;", "expected_valid;", &["commands_reg !"]),
            mutation("assign idle         = inside_reg == 8'd0;", "assign idle         = !is_open;", &["open_bursts_reg ="]),
        ]
    }
    axi4_reader {
        ["ADDRESS_WIDTH 5 LENGTH_WIDTH 3 BEAT_WIDTH 0 BURST_WIDTH 1 DEPTH 4",
            "ADDRESS_WIDTH 6 LENGTH_WIDTH 4 BEAT_WIDTH 1 BURST_WIDTH 2 DEPTH 4"],
        10, Abc(&[&[], &["m_axi_rready"]]), 11,
        [
            mutation("assign m_axi_arvalid = arvalid_reg;", "assign m_axi_arvalid = arvalid_reg && !beat_valid;", &["m_axi_arvalid"]),
            mutation("assign m_axi_araddr  = {araddr_reg, {(WORD_WIDTH + BEAT_WIDTH){1'b0}}};", "assign m_axi_araddr  = {araddr_reg, {(2 + BEAT_WIDTH){m_axi_arready}}};", &["end_in_block", "m_axi_araddr"]),
            mutation("assign m_axi_arlen   = arlen_reg;", "assign m_axi_arlen   = arlen_reg + {m_axi_arready, 1'b0};", &["m_axi_arlen >", "m_axi_arlen =", "waiting_beats", "m_axi_rready"]),
            mutation(".s_burst_length (burst_length)", ".s_burst_length (8'd0)", &["waiting_beats"]),
            mutation(".returned       (beat_valid && beat_ready)", ".returned       (m_axi_rvalid)", &["waiting_beats"]),
            mutation(".m_word_ready (m_read_ready)", ".m_word_ready (1'b1)", &["m_read_valid", "m_read_data"]),
            mutation(".m_ready (beat_ready)", ".m_ready (1'b0)", &["stored_reg"]),
        ]
    }
    axi4_master {
        ["ADDRESS_WIDTH 5 LENGTH_WIDTH 3 BEAT_WIDTH 0 BURST_WIDTH 1 OUTSTANDING 4 READ_DEPTH 4"],
        8, Steps, 11,
        [
            mutation("(status_reg & ~clear) | {write_error, read_error}", "(status_reg | {write_error, read_error}) & ~clear", &["status"]),
            mutation("assign m_axi_arburst = INCR;", "assign m_axi_arburst = 2'b10;", &["(8 << m_axi_arsize"]),
            mutation("assign m_axi_awsize  = SIZE;", "assign m_axi_awsize  = SIZE + 1'b1;", &["(8 << m_axi_awsize"]),
            mutation(".m_axi_awready   (m_axi_awready)", ".m_axi_awready   (1'b1)", &["open_bursts_reg !"]),
            mutation(".m_axi_bvalid    (m_axi_bvalid)", ".m_axi_bvalid    (m_axi_wready)", &["open_bursts_reg ="]),
        ]
    }
    avalon_master {
        ["ADDRESS_WIDTH 5 LENGTH_WIDTH 3 BEAT_WIDTH 0 BURST_WIDTH 1 READ_DEPTH 4"],
        12, Steps, 13,
        [
            mutation("wire free = !avm_waitrequest || !(read_reg || write_reg);", "wire free = 1'b1;", &["avm_read", "avm_address", "avm_byteenable", "avm_writedata", "writing_reg", "still_owed", "left_reg", "!avm_write"]),
            mutation("wire starts_write = free && !writing_reg && !(read_valid && read_granted) &&", "wire starts_write = free && !writing_reg &&", &["!(avm_read", "&avm_byteenable"]),
            mutation("wire starts_read  = free && !writing_reg &&", "wire starts_read  = free &&", &["!(avm_read"]),
            mutation("assign avm_address    = {address_reg, {(WORD_WIDTH + BEAT_WIDTH){1'b0}}};", "assign avm_address    = {address_reg ^ avm_waitrequest, {(2 + BEAT_WIDTH){1'b0}}};", &["avm_burstcount"]),
            mutation("enable_reg <= {STROBE_WIDTH{1'b1}};", "enable_reg <= {STROBE_WIDTH{1'b0}};", &["&avm_byteenable"]),
            mutation("read_valid && read_granted;", "read_valid;", &["owed_reg", "beats_ready"]),
            mutation("write_length[BURST_WIDTH-1:0]} + 1'b1;", "write_length[BURST_WIDTH-1:0]};", &["avm_burstcount"]),
            mutation(".m_word_ready (m_read_ready)", ".m_word_ready (1'b1)", &["m_read_valid"]),
            mutation("m_beat_last     (beat_last)", "m_beat_cmd_last (beat_last)", &["writing_reg"]),
            mutation("if (enters && !m_written) begin", "if (enters) begin", &["inside_reg"]),
            mutation("!beat_last : writing_reg", "!beat_cmd_last : writing_reg", &["writing_reg"]),
            mutation("assign m_written = write_reg && written_reg &&", "assign m_written = write_reg &&", &["stores_reg"]),
            mutation("assign idle      = inside_reg == 8'd0;", "assign idle      = !write_valid;", &["!avm_write"]),
            mutation("written_reg <= beat_cmd_last;", "written_reg <= beat_last;", &["still_owed"]),
            mutation("assign avm_writedata  = data_reg;", "assign avm_writedata  = data_reg ^ avm_waitrequest;", &["avm_writedata"]),
        ]
    }
    ddr_controller {
        ["ADDRESS_WIDTH 11 LENGTH_WIDTH 2 READ_FIFO_DEPTH 2 CAS_LATENCY 2 T_RCD 4 T_RP 2 T_RAS 8 T_RC 12 T_RRD 4 T_WR 2 T_WTR 1 \
            T_RFC 3 T_MRD 4 T_REFI 8 INIT_CLOCKS 2 DLL_CLOCKS 18"],
        25, Steps, 30,
        [
            mutation("row_request && !row_wait_0 &&", "row_request &&", &["kept(is_command, is_mode", "kept(is_command, is_refresh", "kept(is_activate"]),
            mutation("!(running ? bank_busy_1 : any_busy_1)", "1'b1", &["kept(precharges & is_open, activates", "kept(precharges & is_open, is_write", "kept(activates"]),
            mutation("!row_open && (head_closed || next_valid)", "head_closed || next_valid", &["(column &", "kept(precharges & is_open, is_read"]),
            mutation("!head_write_reg && !head_wait_0 &&", "!head_write_reg &&", &["row_closed_long_enough"]),
            mutation("&& !(turnaround_reg[0] && (head_write_reg != last_write_reg))", "", &["kept(is_read, is_write", "kept(column", "kept(is_write"]),
            mutation("wire next_take = next_valid && row_match &&", "wire next_take = next_valid &&", &["(column["]),
            mutation("head_valid_reg && (head_bank_reg == next_bank)", "1'b0", &["(column &"]),
            mutation("head_column_next == head_end_reg", "1'b0", &["words_reg", "watched_write_reg", "column_bank", "column_address"]),
            mutation("head_write_reg  <= next_write;", "head_write_reg  <= !next_write;", &["watched_write_reg"]),
            mutation("head_bank_reg   <= next_bank;", "head_bank_reg   <= next_bank + 1'b1;", &["(column &"]),
            mutation("head_column_reg <= next_column;", "head_column_reg <= next_end;", &["column_address"]),
            mutation("row_address[ROW_WIDTH-1:0] = row;", "row_address[ROW_WIDTH-1:0] = ~row;", &["(column["]),
            mutation("phy_write_enable <= write_go;", "phy_write_enable <= read_go;", &["is_read"]),
            mutation("row_address      = system_address;", "row_address      = system_address | 12'h100;", &["kept(is_read, dll_resets"]),
            mutation("row_open ? COMMAND_PRECHARGE : COMMAND_ACTIVATE;", "COMMAND_ACTIVATE;", &["((activates"]),
            mutation("phy_command_0 <= row_go_0 ? row_command :", "phy_command_0 <= row_go_0 ? row_command : !phy_cke ? COMMAND_MODE :", &["phy_cke"]),
        ]
    }
    sdr_controller {
        ["ADDRESS_WIDTH 11 LENGTH_WIDTH 2 READ_FIFO_DEPTH 2 CAS_LATENCY 2 T_RCD 3 T_RP 2 T_RAS 7 T_RC 11 T_RRD 5 T_WR 2 T_RFC 3 \
            T_MRD 7 T_REFI 12 INIT_CLOCKS 2 FIRST_REFRESHES 1"],
        26, Steps, 34,
        [
            mutation("row_request && !command_wait_reg[0] &&", "row_request &&", &["refreshed_reg", "mode_reg", "any_activated_reg"]),
            mutation("(activate_want || precharge_want) && !subject_busy", "(activate_want || precharge_want)", &["activated_reg >= T_RAS", "written_reg", "read_reg", "activated_reg >= T_RC"]),
            mutation("system_request && !any_busy", "system_request", &["precharged_reg"]),
            mutation(".activate      (activate_go)", ".activate      (activate_want)", &["bank_open_reg", "row_reg"]),
            mutation("head_write_reg && !turnaround_reg[0] &&", "head_write_reg &&", &["any_read_reg"]),
            mutation("head_ready && running && !second_reg", "head_ready && running", &["any_written_reg"]),
            mutation("phy_read_enable  <= read_go ||", "phy_read_enable  <= write_go ||", &["phy_read_enable"]),
            mutation("phy_write_enable <= write_go ||", "phy_write_enable <= read_go ||", &["phy_write_enable"]),
            mutation("(column_go && head_last_reg)", "(column_go && 1'b0)", &["words_reg", "watched_write_reg", "phy_address", "phy_bank"]),
            mutation("head_write_reg  <= next_write;", "head_write_reg  <= !next_write;", &["watched_write_reg"]),
            mutation("head_bank_reg   <= next_bank;", "head_bank_reg   <= next_bank + 1'b1;", &["phy_bank"]),
            mutation("phy_address[8:0] <= {head_column_reg, 1'b0};", "phy_address <= {5'd31, head_column_reg};", &["!phy_address"]),
            mutation("phy_address[ROW_WIDTH-1:0] <= subject_row;", "phy_address[ROW_WIDTH-1:0] <= ~subject_row;", &["row_reg"]),
            mutation("phy_cke     <= !rst;", "phy_cke     <= 1'b0;", &["phy_cke"]),
            mutation("open_reg ? COMMAND_PRECHARGE : COMMAND_ACTIVATE;", "COMMAND_ACTIVATE;", &["!activates"]),
        ]
    }
}
