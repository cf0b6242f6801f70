// Bench of a whole accelerator behind a bus: control through its slave, memory through its master, on data from files.
//
// Macros      TOP             the module under test, <kernel>_top or <kernel>_direct_top
//             BUS_BITS        bits of the bus's data
//             ADDRESS_BITS    bits of its byte address
//             CLOCK_PS        period of the clock
//             MEMORY_BYTES    of the largest image; accesses beyond it fault
//             BURSTC_AVALON   Avalon-MM, with BURSTCOUNT_BITS; otherwise AXI4 and AXI4-Lite
//             PORTS           memory ports of the module; AXI4 only, default 1. Those of a port lie beside each other in a
//                             vector, the first lowest; bench_ports.vh joins them.
//             BURSTC_TRACE    compiles the dump in
// Plusargs    +image=FILE     memory before, hex bytes from address 0 ($readmemh)
//             +bytes=N        bytes of that image, a multiple of 4
//             +dump=FILE      memory after, the same bytes
//             +registers=FILE writes to the registers before the start: lines of index and value, both hex; after a
//                             write to the control register, the bench waits while the accelerator is busy
//             +max_cycles=N   give up so many cycles after the start
//             +vcd=FILE       dump signals from the start on (with BURSTC_TRACE)
//             and those of axi4_memory or avalon_memory
//
// Prints one line `RESULT name=value ...` at the end: counts are from start to done. Lines `VIOLATION rule ...` come from
// the protocol checker, lines `PORT ...` from the checks of the accelerator's memory port here.
`default_nettype none
`timescale 1ns / 1ps

`ifndef MEMORY_BYTES
`define MEMORY_BYTES 16777216
`endif
`ifndef CLOCK_PS
`define CLOCK_PS 10000
`endif
`ifndef PORTS
`define PORTS 1
`endif

module tb_accelerator;

    localparam integer REPORT_LIMIT = 20;

    localparam [7:0] CONTROL = 8'd0, INTERRUPT = 8'd7;
    localparam integer BUSY = 0, DONE = 1, READY = 2;

    reg clk = 1'b0;
    reg rst = 1'b1;

    initial
        forever begin
            #(`CLOCK_PS / 2000.0) clk = !clk;
        end

    /* verilator lint_off BLKSEQ */ // statements of a bench happen in their order

    wire irq;

    // -- The accelerator, what controls it, and its memory ------------------------------------------------------------

`ifdef BURSTC_AVALON
    wire [7:0]               avs_address;
    wire                     avs_read, avs_write, avs_waitrequest;
    wire [31:0]              avs_writedata, avs_readdata;
    wire [3:0]               avs_byteenable;
    wire [`ADDRESS_BITS-1:0] avm_address;
    wire [`BURSTCOUNT_BITS-1:0] burstcount;
    /* verilator lint_off WIDTH */ // the board sets the longest burst
    wire [8:0]               avm_burstcount = burstcount;
    /* verilator lint_on WIDTH */
    wire                     avm_read, avm_write, avm_waitrequest, avm_readdatavalid;
    wire [`BUS_BITS-1:0]     avm_writedata, avm_readdata;
    wire [`BUS_BITS/8-1:0]   avm_byteenable;

    `TOP dut (
        .clk               (clk),
        .rst               (rst),
        .irq         (irq),
        .avs_address       (avs_address),
        .avs_read          (avs_read),
        .avs_write         (avs_write),
        .avs_writedata     (avs_writedata),
        .avs_byteenable    (avs_byteenable),
        .avs_readdata      (avs_readdata),
        .avs_waitrequest   (avs_waitrequest),
        .avm_address       (avm_address),
        .avm_burstcount    (burstcount),
        .avm_read          (avm_read),
        .avm_write         (avm_write),
        .avm_writedata     (avm_writedata),
        .avm_byteenable    (avm_byteenable),
        .avm_waitrequest   (avm_waitrequest),
        .avm_readdata      (avm_readdata),
        .avm_readdatavalid (avm_readdatavalid)
    );

    avalon_control control (
        .clk             (clk),
        .avm_address     (avs_address),
        .avm_read        (avs_read),
        .avm_write       (avs_write),
        .avm_writedata   (avs_writedata),
        .avm_byteenable  (avs_byteenable),
        .avm_readdata    (avs_readdata),
        .avm_waitrequest (avs_waitrequest)
    );

    avalon_memory #(
        .DATA_WIDTH    (`BUS_BITS),
        .ADDRESS_WIDTH (`ADDRESS_BITS),
        .BYTES         (`MEMORY_BYTES)
    ) device (
        .clk               (clk),
        .rst               (rst),
        .avs_address       (avm_address),
        .avs_burstcount    (avm_burstcount),
        .avs_read          (avm_read),
        .avs_write         (avm_write),
        .avs_writedata     (avm_writedata),
        .avs_byteenable    (avm_byteenable),
        .avs_waitrequest   (avm_waitrequest),
        .avs_readdata      (avm_readdata),
        .avs_readdatavalid (avm_readdatavalid)
    );

    avalon_checker #(
        .DATA_WIDTH    (`BUS_BITS),
        .ADDRESS_WIDTH (`ADDRESS_BITS)
    ) protocol (
        .clk           (clk),
        .rst           (rst),
        .address       (avm_address),
        .burstcount    (avm_burstcount),
        .read          (avm_read),
        .write         (avm_write),
        .writedata     (avm_writedata),
        .byteenable    (avm_byteenable),
        .waitrequest   (avm_waitrequest),
        .readdata      (avm_readdata),
        .readdatavalid (avm_readdatavalid)
    );
    wire [31:0] violations_of [0:0];
    assign violations_of[0] = protocol.violations;
`else
    wire                     axil_awvalid, axil_awready, axil_wvalid, axil_wready, axil_bvalid, axil_bready;
    wire                     axil_arvalid, axil_arready, axil_rvalid, axil_rready;
    wire [9:0]               axil_awaddr, axil_araddr;
    wire [31:0]              axil_wdata, axil_rdata;
    wire [3:0]               axil_wstrb;
    wire [1:0]               axil_bresp, axil_rresp;
    wire [`PORTS-1:0]        arid, arvalid, arready, rid, rlast, rvalid, rready;
    wire [`PORTS-1:0]        awid, awvalid, awready, wlast, wvalid, wready, bid, bvalid, bready;
    wire [`PORTS*`ADDRESS_BITS-1:0] araddr, awaddr;
    wire [`PORTS*8-1:0]      arlen, awlen;
    wire [`PORTS*3-1:0]      arsize, awsize;
    wire [`PORTS*2-1:0]      arburst, awburst, rresp, bresp;
    wire [`PORTS*`BUS_BITS-1:0] rdata, wdata;
    wire [`PORTS*`BUS_BITS/8-1:0] wstrb;
    // Constants of the master, which no memory here looks at.
    /* verilator lint_off UNUSED */
    wire [`PORTS-1:0]        arlock, awlock;
    wire [`PORTS*4-1:0]      arcache, awcache;
    wire [`PORTS*3-1:0]      arprot, awprot;
    /* verilator lint_on UNUSED */

    `TOP dut (
        .clk            (clk),
        .rst            (rst),
        .irq            (irq),
        .s_axil_awvalid (axil_awvalid),
        .s_axil_awready (axil_awready),
        .s_axil_awaddr  (axil_awaddr),
        .s_axil_wvalid  (axil_wvalid),
        .s_axil_wready  (axil_wready),
        .s_axil_wdata   (axil_wdata),
        .s_axil_wstrb   (axil_wstrb),
        .s_axil_bvalid  (axil_bvalid),
        .s_axil_bready  (axil_bready),
        .s_axil_bresp   (axil_bresp),
        .s_axil_arvalid (axil_arvalid),
        .s_axil_arready (axil_arready),
        .s_axil_araddr  (axil_araddr),
        .s_axil_rvalid  (axil_rvalid),
        .s_axil_rready  (axil_rready),
        .s_axil_rdata   (axil_rdata),
        .s_axil_rresp   (axil_rresp),
`include "bench_pins.vh"
    );

    axi4_control control (
        .clk            (clk),
        .m_axil_awvalid (axil_awvalid),
        .m_axil_awready (axil_awready),
        .m_axil_awaddr  (axil_awaddr),
        .m_axil_wvalid  (axil_wvalid),
        .m_axil_wready  (axil_wready),
        .m_axil_wdata   (axil_wdata),
        .m_axil_wstrb   (axil_wstrb),
        .m_axil_bvalid  (axil_bvalid),
        .m_axil_bready  (axil_bready),
        .m_axil_bresp   (axil_bresp),
        .m_axil_arvalid (axil_arvalid),
        .m_axil_arready (axil_arready),
        .m_axil_araddr  (axil_araddr),
        .m_axil_rvalid  (axil_rvalid),
        .m_axil_rready  (axil_rready),
        .m_axil_rdata   (axil_rdata),
        .m_axil_rresp   (axil_rresp)
    );

    axi4_memory #(
        .DATA_WIDTH    (`BUS_BITS),
        .ADDRESS_WIDTH (`ADDRESS_BITS),
        .BYTES         (`MEMORY_BYTES),
        .PORTS         (`PORTS)
    ) device (
        .clk           (clk),
        .rst           (rst),
        .s_axi_arid    (arid),
        .s_axi_araddr  (araddr),
        .s_axi_arlen   (arlen),
        .s_axi_arvalid (arvalid),
        .s_axi_arready (arready),
        .s_axi_rid     (rid),
        .s_axi_rdata   (rdata),
        .s_axi_rresp   (rresp),
        .s_axi_rlast   (rlast),
        .s_axi_rvalid  (rvalid),
        .s_axi_rready  (rready),
        .s_axi_awid    (awid),
        .s_axi_awaddr  (awaddr),
        .s_axi_awlen   (awlen),
        .s_axi_awvalid (awvalid),
        .s_axi_awready (awready),
        .s_axi_wdata   (wdata),
        .s_axi_wstrb   (wstrb),
        .s_axi_wlast   (wlast),
        .s_axi_wvalid  (wvalid),
        .s_axi_wready  (wready),
        .s_axi_bid     (bid),
        .s_axi_bresp   (bresp),
        .s_axi_bvalid  (bvalid),
        .s_axi_bready  (bready)
    );

    wire [31:0] violations_of [0:`PORTS-1];

    genvar axi;
    generate
        for (axi = 0; axi < `PORTS; axi = axi + 1) begin : of_port
            axi4_checker #(
                .DATA_WIDTH    (`BUS_BITS),
                .ADDRESS_WIDTH (`ADDRESS_BITS)
            ) protocol (
                .clk     (clk),
                .rst     (rst),
                .arid    (arid[axi]),
                .araddr  (araddr[axi*`ADDRESS_BITS+:`ADDRESS_BITS]),
                .arlen   (arlen[axi*8+:8]),
                .arsize  (arsize[axi*3+:3]),
                .arburst (arburst[axi*2+:2]),
                .arvalid (arvalid[axi]),
                .arready (arready[axi]),
                .rid     (rid[axi]),
                .rdata   (rdata[axi*`BUS_BITS+:`BUS_BITS]),
                .rresp   (rresp[axi*2+:2]),
                .rlast   (rlast[axi]),
                .rvalid  (rvalid[axi]),
                .rready  (rready[axi]),
                .awid    (awid[axi]),
                .awaddr  (awaddr[axi*`ADDRESS_BITS+:`ADDRESS_BITS]),
                .awlen   (awlen[axi*8+:8]),
                .awsize  (awsize[axi*3+:3]),
                .awburst (awburst[axi*2+:2]),
                .awvalid (awvalid[axi]),
                .awready (awready[axi]),
                .wdata   (wdata[axi*`BUS_BITS+:`BUS_BITS]),
                .wstrb   (wstrb[axi*(`BUS_BITS/8)+:`BUS_BITS/8]),
                .wlast   (wlast[axi]),
                .wvalid  (wvalid[axi]),
                .wready  (wready[axi]),
                .bid     (bid[axi]),
                .bresp   (bresp[axi*2+:2]),
                .bvalid  (bvalid[axi]),
                .bready  (bready[axi])
            );
            assign violations_of[axi] = protocol.violations;
        end
    endgenerate
`endif

    // -- Checks of the accelerator's memory port ----------------------------------------------------------------------

    integer index;
    integer cycle = 0;
    integer port_faults = 0;
    integer violations;
    integer image_bytes = 0;
    reg     checking = 1'b0;
    reg     has_moved = 1'b0; // a command, since the last write to the control register

`include "bench_ports.vh"

    // Of the accelerator's words.
    wire [31:0] image_words = (image_bytes + word_bytes - 1) / word_bytes;

    task port_fault(input [8*32:1] what, input [31:0] word_address);
        begin
            if (port_faults < REPORT_LIMIT)
                $display("PORT %0s at cycle %0d, byte address %h", what, cycle, word_address * word_bytes);
            port_faults = port_faults + 1;
        end
    endtask

    integer      strobe_index;
    integer      port;
    reg  [511:0] write_bits;

    always @(posedge clk)
        if (load_valid !== {`PORTS{1'b0}} || store_valid !== {`PORTS{1'b0}})
            has_moved = 1'b1;

    // Four-state simulators find an unknown bit; every simulator finds an access beyond the image: a command counts as soon
    // as it is offered, as it holds until it is taken.
    always @(posedge clk)
        if (checking) begin
            cycle <= cycle + 1;
            if (^{load_valid, store_valid, write_valid, read_ready, dut.u_accelerator.done} === 1'bx)
                port_fault("unknown valid or ready", 32'd0);
            for (port = 0; port < `PORTS; port = port + 1) begin
                if (load_valid[port] === 1'b1) begin
                    if (^{load_address[port], load_length[port]} === 1'bx)
                        port_fault("unknown load command", load_address[port]);
                    else if (load_address[port] + load_length[port] > image_words)
                        port_fault("read outside the arrays", load_address[port]);
                end
                if (store_valid[port] === 1'b1) begin
                    if (^{store_address[port], store_length[port]} === 1'bx)
                        port_fault("unknown store command", store_address[port]);
                    else if (store_address[port] + store_length[port] > image_words)
                        port_fault("write outside the arrays", store_address[port]);
                end
                if (write_valid[port] === 1'b1) begin
                    for (strobe_index = 0; strobe_index < 64; strobe_index = strobe_index + 1)
                        write_bits[8*strobe_index +: 8] = {8{strobe[port][strobe_index]}};
                    if (^strobe[port] === 1'bx || ^(write_data[port] & write_bits) === 1'bx)
                        port_fault("unknown write data", 32'd0);
                end
            end
        end

    // -- The run ------------------------------------------------------------------------------------------------------

`include "run_bench.vh"

    integer        reads, writes, read_bursts, write_bursts;
    integer        moved [0:4*`PORTS-1]; // the same of each port
    integer        read_lengths [0:255], write_lengths [0:255]; // bursts by their beats, less one

    task snapshot;
        begin
            reads        = device.read_beats - reads;
            writes       = device.write_beats - writes;
            read_bursts  = device.read_bursts - read_bursts;
            write_bursts = device.write_bursts - write_bursts;
            for (index = 0; index < 256; index = index + 1) begin
                read_lengths[index] = device.read_lengths[index] - read_lengths[index];
                write_lengths[index] = device.write_lengths[index] - write_lengths[index];
            end
`ifndef BURSTC_AVALON
            for (index = 0; index < 4 * `PORTS; index = index + 1)
                moved[index] = device.moved[index] - moved[index];
`endif
        end
    endtask

    // After a write to the control register: waits while busy, and says what the status word is then. An accelerator that
    // does not run leaves memory alone, and interrupts all the same.
    task settle(input starts);
        begin
            has_moved = 1'b0;
            index = 0;
            control.read(CONTROL);
            while (control.value[BUSY] !== 1'b0 && index < max_cycles) begin
                control.read(CONTROL);
                index = index + 1;
            end
            repeat (20) @(negedge clk);
            $display("STATUS %h", control.value);
            if (has_moved && !control.value[DONE])
                port_fault("command without a run", 32'd0);
            if (irq !== starts)
                port_fault("interrupt of a short run", 32'd0);
            control.write(INTERRUPT, 32'd3);
        end
    endtask

    initial begin
        open_files;
        $readmemh(image_name, device.memory, 0, image_bytes - 1);

        repeat (10) @(negedge clk);
        rst = 1'b0;
        control.write(INTERRUPT, 32'd1);
        fields = $fscanf(registers_file, "%h %h\n", register_index, register_value);
        while (fields == 2) begin
            control.write(register_index, register_value);
            if (register_index == CONTROL)
                settle(register_value[0]);
            fields = $fscanf(registers_file, "%h %h\n", register_index, register_value);
        end
        $fclose(registers_file);

`ifdef BURSTC_TRACE
        trace;
`endif
        {reads, writes, read_bursts, write_bursts} = 0;
        for (index = 0; index < 4 * `PORTS; index = index + 1)
            moved[index] = 0;
        for (index = 0; index < 256; index = index + 1) begin
            read_lengths[index] = 0;
            write_lengths[index] = 0;
        end
        snapshot;
        checking = 1'b1;
        if (irq !== 1'b0)
            port_fault("interrupt before the start", 32'd0);
        control.write(CONTROL, 32'd1);
        timed_out = 1'b0;
        while (!irq && !timed_out) begin
            @(negedge clk);
            timed_out = cycle > max_cycles;
        end
        checking = 1'b0;
        snapshot;
        // At once: done promises that the data are in the memory.
        $writememh(dump_name, device.memory, 0, image_bytes - 1);
        control.read(CONTROL);
        status = control.value;
        if (!timed_out && status[BUSY] !== 1'b0)
            port_fault("interrupt, but busy", 32'd0);
        if (status[READY] !== 1'b1)
            port_fault("memory not ready", 32'd0);
        control.write(INTERRUPT, 32'd3);
        if (irq !== 1'b0)
            port_fault("interrupt not acknowledged", 32'd0);
        for (index = 1; index <= 5; index = index + 1) begin
            control.read(index[7:0]);
            counters[index] = control.value;
        end
        if (control.errors != 0)
            port_fault("error of the control slave", 32'd0);
        if (`PORTS > 1)
            for (index = 0; index < `PORTS; index = index + 1)
                $display("MOVED %0d %0d %0d %0d", moved[4*index], moved[4*index+1], moved[4*index+2], moved[4*index+3]);
        for (index = 0; index < 256; index = index + 1)
            if (read_lengths[index] != 0 || write_lengths[index] != 0)
                $display("BURSTS %0d %0d %0d", index + 1, read_lengths[index], write_lengths[index]);
        violations = 0;
        for (index = 0; index < `PORTS; index = index + 1)
            violations = violations + violations_of[index];
        $write("RESULT timed_out=%0d bench_cycles=%0d", timed_out, cycle);
        $write(" cycles=%0d load_busy=%0d compute_busy=%0d compute_stall=%0d store_busy=%0d", counters[1], counters[2],
            counters[3], counters[4], counters[5]);
        $write(" reads=%0d writes=%0d read_bursts=%0d write_bursts=%0d", reads, writes, read_bursts, write_bursts);
        $write(" status=%0d timing_violations=%0d", status, violations);
        $display(" port_faults=%0d", port_faults);
        $finish;
    end

    /* verilator lint_on BLKSEQ */

endmodule

`default_nettype wire
