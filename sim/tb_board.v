// Bench of a whole board without a processor, from the oscillator to the memory's pins: a run after power-up and one at
// the press of the button, each on the same data, after which the memory must hold what the C program leaves.
//
// Macros      BOARD            the module under test, <kernel>_board
//             OSCILLATOR_PS    the oscillator's period
//             SDR_DEVICE       parameters of sdr_sdram
//             MEMORY_BYTES     of the largest image, at most 32 MB, as much as the device has
// Plusargs    +image=FILE      memory before, hex bytes from address 0 ($readmemh); +bytes=N of them
//             +expected=FILE   memory after; +compared=N bytes of it
//             +max_us=N        give up so many microseconds after power-up or button
//
// The last line is "PASS" or "FAIL: ...". Lines `VIOLATION rule ...` come from the device.
`default_nettype none
`timescale 1ps / 1ps

`ifndef MEMORY_BYTES
`define MEMORY_BYTES 16777216
`endif

module tb_board;

    localparam integer MICROSECOND = 1000000;

    reg oscillator = 1'b0;
    reg start = 1'b0;

    wire        ready, busy, done, keep_high;
    wire        sdram_clk, sdram_cke, sdram_csn, sdram_rasn, sdram_casn, sdram_wen;
    wire [1:0]  sdram_ba, sdram_dqm;
    wire [12:0] sdram_a;
    wire [15:0] sdram_d;

    initial
        forever #(`OSCILLATOR_PS / 2) oscillator = !oscillator;

    `BOARD dut (
        .oscillator (oscillator),
        .start      (start),
        .ready      (ready),
        .busy       (busy),
        .done       (done),
        .keep_high  (keep_high),
        .sdram_clk  (sdram_clk),
        .sdram_cke  (sdram_cke),
        .sdram_csn  (sdram_csn),
        .sdram_rasn (sdram_rasn),
        .sdram_casn (sdram_casn),
        .sdram_wen  (sdram_wen),
        .sdram_ba   (sdram_ba),
        .sdram_a    (sdram_a),
        .sdram_dqm  (sdram_dqm),
        .sdram_d    (sdram_d)
    );

    sdr_sdram #(
        `SDR_DEVICE
    ) device (
        .sdram_clk  (sdram_clk),
        .sdram_cke  (sdram_cke),
        .sdram_csn  (sdram_csn),
        .sdram_rasn (sdram_rasn),
        .sdram_casn (sdram_casn),
        .sdram_wen  (sdram_wen),
        .sdram_ba   (sdram_ba),
        .sdram_a    (sdram_a),
        .sdram_dqm  (sdram_dqm),
        .sdram_d    (sdram_d)
    );

    reg [7:0] image [0:`MEMORY_BYTES-1];
    reg [7:0] expected [0:`MEMORY_BYTES-1];

    reg [8*1024:1] file_name;
    integer        bytes, compared, max_us;
    integer        index, waited, wrong;

    // Where the controller puts two bytes in the device: {row, bank, column} with the banks permuted.
    function [23:0] device_address(input [24:1] address);
        reg [1:0] bank;
        begin
            bank = address[11:10] + address[13:12] + address[15:14];
            device_address = {address[24:12], bank, address[9:1]};
        end
    endfunction

    task stop(input [8*40:1] reason);
        begin
            $display("FAIL: %0s", reason);
            $finish;
            // $finish ends the time step, not the process.
            forever #(MICROSECOND);
        end
    endtask

    task fill_memory;
        for (index = 0; index < bytes; index = index + 2)
            device.memory[device_address(index[24:1])] = {image[index + 1], image[index]};
    endtask

    task wait_for_run;
        begin
            waited = 0;
            while (done !== 1'b1) begin
                #(MICROSECOND) waited = waited + 1;
                if (waited > max_us)
                    stop("not done");
            end
            if (busy !== 1'b0 || ready !== 1'b1 || keep_high !== 1'b1)
                stop("lights after the run");
            wrong = 0;
            for (index = 0; index < compared; index = index + 2)
                if (device.memory[device_address(index[24:1])] !== {expected[index + 1], expected[index]})
                    wrong = wrong + 1;
            if (wrong != 0)
                stop("memory differs");
        end
    endtask

    initial begin
        if (!$value$plusargs("bytes=%d", bytes) || !$value$plusargs("compared=%d", compared)
            || !$value$plusargs("max_us=%d", max_us))
            stop("needs +bytes, +compared, +max_us");
        if (!$value$plusargs("image=%s", file_name))
            stop("needs +image");
        $readmemh(file_name, image, 0, bytes - 1);
        if (!$value$plusargs("expected=%s", file_name))
            stop("needs +expected");
        $readmemh(file_name, expected, 0, compared - 1);

        fill_memory;
        wait_for_run;
        fill_memory;
        start = 1'b1;
        #(MICROSECOND) start = 1'b0;
        wait_for_run;
        if (device.timing_violations != 0)
            stop("the device's rules are broken");
        $display("PASS");
        $finish;
    end

endmodule

`default_nettype wire
