// An accelerator behind AXI4, as Verilator has compiled it, for drivers: registers are read and written through its AXI4-Lite slave, its
// masters find an array of bytes. PORTS(X) lists the masters, DATA_BYTES is their width.
#include <cstdint>
#include <cstring>
#include <deque>

#include "Vmodel.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

namespace {

struct Burst {
    uint64_t address;
    unsigned beats, taken;
};

struct Master {
    std::deque<Burst> reads, writes;
    std::deque<unsigned> answers;
    unsigned response = 0;
};

Vmodel *top;
uint8_t *memory;
uint64_t first, size;
bool hangs;

bool holds(uint64_t address) { return address >= first && address - first + DATA_BYTES <= size; }

// What a master sees before the edge.
#define GIVE(m)                                                                                                        \
    {                                                                                                                  \
        Master &state = of_##m;                                                                                        \
        top->m##_arready = !hangs && state.reads.size() < 4;                                                           \
        top->m##_awready = !hangs && state.writes.size() < 4;                                                          \
        top->m##_wready = !state.writes.empty();                                                                       \
        top->m##_bvalid = !state.answers.empty();                                                                      \
        top->m##_bresp = state.answers.empty() ? 0 : state.answers.front();                                            \
        top->m##_bid = 0;                                                                                              \
        top->m##_rid = 0;                                                                                              \
        top->m##_rvalid = !state.reads.empty();                                                                        \
        if (!state.reads.empty()) {                                                                                    \
            const Burst &burst = state.reads.front();                                                                  \
            const uint64_t address = burst.address + DATA_BYTES * burst.taken;                                         \
            uint64_t data = 0;                                                                                         \
            if (holds(address))                                                                                        \
                memcpy(&data, memory + (address - first), DATA_BYTES);                                                 \
            top->m##_rdata = data;                                                                                     \
            top->m##_rresp = holds(address) ? 0 : 3;                                                                   \
            top->m##_rlast = burst.taken + 1 == burst.beats;                                                           \
        }                                                                                                              \
    }

// What moves at the edge.
#define TAKE(m)                                                                                                        \
    {                                                                                                                  \
        Master &state = of_##m;                                                                                        \
        const bool reads = top->m##_rvalid && top->m##_rready, writes = top->m##_wvalid && top->m##_wready;            \
        if (top->m##_bvalid && top->m##_bready)                                                                        \
            state.answers.pop_front();                                                                                 \
        if (reads && ++state.reads.front().taken == state.reads.front().beats)                                         \
            state.reads.pop_front();                                                                                   \
        if (writes) {                                                                                                  \
            Burst &burst = state.writes.front();                                                                       \
            const uint64_t address = burst.address + DATA_BYTES * burst.taken, data = top->m##_wdata;                  \
            for (unsigned k = 0; k < DATA_BYTES; k++)                                                                  \
                if (top->m##_wstrb >> k & 1) {                                                                         \
                    if (holds(address))                                                                                \
                        memory[address - first + k] = data >> 8 * k;                                                   \
                    else                                                                                               \
                        state.response = 3;                                                                            \
                }                                                                                                      \
            if (++burst.taken == burst.beats) {                                                                        \
                state.answers.push_back(state.response);                                                               \
                state.response = 0;                                                                                    \
                state.writes.pop_front();                                                                              \
            }                                                                                                          \
        }                                                                                                              \
        if (top->m##_arvalid && top->m##_arready)                                                                      \
            state.reads.push_back({top->m##_araddr & ~uint64_t(DATA_BYTES - 1), top->m##_arlen + 1u, 0});              \
        if (top->m##_awvalid && top->m##_awready)                                                                      \
            state.writes.push_back({top->m##_awaddr & ~uint64_t(DATA_BYTES - 1), top->m##_awlen + 1u, 0});             \
    }

#define STATE(m) Master of_##m;
PORTS(STATE)

void cycle() {
    PORTS(GIVE)
    top->clk = 0;
    top->eval();
    PORTS(TAKE)
    top->clk = 1;
    top->eval();
}

} // namespace

extern "C" {

// Memory from the address `begin` of the accelerator's on; what lies outside is answered with DECERR.
void model_memory(void *bytes, uint64_t begin, uint64_t count) {
    memory = static_cast<uint8_t *>(bytes);
    first = begin;
    size = count;
}

// Whether the memory takes nothing more.
void model_hang(int yes) { hangs = yes; }

void model_reset() {
    delete top;
    top = new Vmodel;
#define EMPTY(m) of_##m = Master();
    PORTS(EMPTY)
    hangs = false;
    top->rst = 1;
    for (int k = 0; k < 4; k++)
        cycle();
    top->rst = 0;
    cycle();
}

// Whether the interrupt is high, or gets so within so many cycles.
int model_interrupt(uint32_t cycles) {
    for (; !top->irq && cycles > 0; cycles--)
        cycle();
    return top->irq;
}

void model_write32(uint32_t word, uint32_t value) {
    top->s_axil_awaddr = 4 * word;
    top->s_axil_wdata = value;
    top->s_axil_wstrb = 15;
    top->s_axil_awvalid = top->s_axil_wvalid = top->s_axil_bready = 1;
    for (bool ended = false; !ended;) {
        top->clk = 0;
        top->eval();
        const bool address = top->s_axil_awvalid && top->s_axil_awready, data = top->s_axil_wvalid && top->s_axil_wready;
        ended = top->s_axil_bvalid;
        cycle();
        if (address)
            top->s_axil_awvalid = 0;
        if (data)
            top->s_axil_wvalid = 0;
    }
    top->s_axil_bready = 0;
}

// Whoever reads lets some time pass.
uint32_t model_read32(uint32_t word) {
    for (int k = 0; k < 200; k++)
        cycle();
    top->s_axil_araddr = 4 * word;
    top->s_axil_arvalid = top->s_axil_rready = 1;
    uint32_t value = 0;
    for (bool ended = false; !ended;) {
        top->clk = 0;
        top->eval();
        const bool address = top->s_axil_arvalid && top->s_axil_arready;
        ended = top->s_axil_rvalid;
        value = top->s_axil_rdata;
        cycle();
        if (address)
            top->s_axil_arvalid = 0;
    }
    top->s_axil_rready = 0;
    return value;
}
}
