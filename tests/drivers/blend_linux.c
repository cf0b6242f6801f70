/* The driver for Linux against the accelerator's Verilog and the kernel itself. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLEND_OWN_ACCESS
#include <stdint.h>
void model_memory(void *bytes, uint64_t begin, uint64_t count);
void model_hang(int yes);
void model_reset(void);
int model_interrupt(uint32_t cycles);
uint32_t model_read32(uint32_t word);
void model_write32(uint32_t word, uint32_t value);
static int status_reads;
/* The UIO device, as the kernel's uio_pdrv_genirq has it: an interrupt closes its line until somebody writes 1, and is counted. */
static int has_interrupt, is_miswired, is_open, came, seen, polls;
static ssize_t uio_write(int file, const void *value, size_t bytes)
{
    uint32_t on;
    (void)file;
    if (!has_interrupt || bytes != sizeof on) {
        errno = EIO;
        return -1;
    }
    memcpy(&on, value, sizeof on);
    is_open = on == 1;
    return (ssize_t)bytes;
}
static int uio_poll(struct pollfd *waits, unsigned long count, int milliseconds)
{
    polls++;
    if (is_open && !is_miswired && model_interrupt(milliseconds > 0 ? 200000 : 0)) {
        is_open = 0;
        came++;
    }
    if (count == 1 && came == seen && milliseconds > 0)
        usleep(1000u * (unsigned)milliseconds);
    waits->revents = came != seen ? POLLIN : 0;
    return came != seen;
}
static ssize_t uio_read(int file, void *value, size_t bytes)
{
    const uint32_t count = (uint32_t)came;
    (void)file;
    if (came == seen || bytes != sizeof count)
        abort(); /* it would wait for ever */
    seen = came;
    memcpy(value, &count, sizeof count);
    return (ssize_t)bytes;
}
static inline uint32_t blend_read32(const volatile uint32_t *registers, uint32_t word)
{
    (void)registers;
    status_reads += word == 0;
    return model_read32(word);
}
static inline void blend_write32(volatile uint32_t *registers, uint32_t word, uint32_t value)
{
    (void)registers;
    model_write32(word, value);
}
#define write uio_write
#define poll(waits, count, milliseconds) uio_poll(waits, count, milliseconds)
#define read(file, value, bytes) uio_read(file, value, bytes)
#include "out/drivers/blend_linux.h"

void blend(int N, long M, float s, int8_t lambda, _Bool inverted, uint8_t a[N][M], float b[N], int64_t c[M]);

#define CHECK(condition)                                                                          \
    if (!(condition)) {                                                                           \
        printf("line %d: %s: %s\n", __LINE__, #condition, device.message);                        \
        return 1;                                                                                 \
    }
#define SAYS(text) CHECK(strstr(device.message, text) != NULL)

int main(void)
{
    struct blend_device device;
    CHECK(blend_open(&device, 7, "udmabuf0") == -1);
    SAYS("cannot read root/sys/class/uio/uio7/maps/map0/size");
    CHECK(blend_open(&device, 0, "other") == -1);
    SAYS("/u-dma-buf/other/phys_addr");
    CHECK(blend_open(&device, 0, "udmabuf0") == 0);
    CHECK(device.address == 0x10000000 && device.bytes == 65536 && device.register_bytes == 4096);
    model_memory(device.memory, device.address, device.bytes);
    model_reset();
    uint32_t cycles = 0;
    for (int run = 0; run < 9; run++) {
        const int N = (int[]){24, 33, 0}[run % 3];
        const long M = (long[]){18, 40, 2}[run % 3];
        has_interrupt = run >= 3;
        is_miswired = run >= 6;
        status_reads = 0;
        uint8_t *a = blend_allocate(&device, (size_t)(N * M));
        float *b = blend_allocate(&device, (size_t)N * sizeof *b);
        int64_t *c = blend_allocate(&device, (size_t)M * sizeof *c);
        CHECK(a != NULL && b != NULL && c != NULL);
        float copy_b[64];
        int64_t copy_c[40];
        for (int k = 0; k < N * M; k++)
            a[k] = (uint8_t)(k * 37 + run);
        for (int k = 0; k < N; k++)
            b[k] = copy_b[k] = 0.37f * (float)k - 2;
        for (int k = 0; k < M; k++)
            c[k] = copy_c[k] = (int64_t)k << (k % 50);
        CHECK(blend_run(&device, 20000, &cycles, N, M, 1.7f, -5, run == 1, a, b, c) == 0);
        CHECK(cycles > 0);
        /* Before the start, there, behind it, and behind the interrupt; none is left for the next run. */
        CHECK(run / 3 != 1 || status_reads <= 4);
        CHECK(model_interrupt(100) == 0 && seen == came);
        /* The empty run may be over before anyone waits, and so may all where several ports make them short. */
        const unsigned most = run < 3 ? 0 : run < 6 ? (unsigned)run - 2 : (unsigned)came;
        CHECK((unsigned)came <= most && (run % 3 == 2 || BLEND_IS_SHORT || (unsigned)came == most));
        blend(N, M, 1.7f, -5, run == 1, (void *)a, copy_b, copy_c);
        CHECK(memcmp(b, copy_b, (size_t)N * sizeof *b) == 0 && memcmp(c, copy_c, (size_t)M * sizeof *c) == 0);
        blend_release(&device);
    }
    uint8_t *a = blend_allocate(&device, 64 * 40);
    float *b = blend_allocate(&device, 64 * sizeof *b);
    int64_t *c = blend_allocate(&device, 40 * sizeof *c);
    CHECK(blend_allocate(&device, 65536) == NULL);
    SAYS("65536 bytes do not fit: 3136 of the buffer's 65536 are taken");
    CHECK(blend_run(&device, 1000, NULL, 65, 6, 1, 1, 0, a, b, c) == -1);
    SAYS("N = 65 is not from 0 to 64");
    CHECK(blend_run(&device, 1000, NULL, -1, 6, 1, 1, 0, a, b, c) == -1);
    SAYS("N = -1 is not from 0 to 64");
    CHECK(blend_run(&device, 1000, NULL, 8, 1, 1, 1, 0, a, b, c) == -1);
    SAYS("M = 1 is not from 2 to 40");
    float elsewhere[64] = {0};
    CHECK(blend_run(&device, 1000, NULL, 8, 6, 1, 1, 0, a, elsewhere, c) == -1);
    SAYS("array b, 32 bytes, is not all inside the buffer");
    CHECK(blend_run(&device, 1000, NULL, 8, 6, 1, 1, 0, a, (float *)(device.memory + 65536 - 28), c) == -1);
    SAYS("array b, 32 bytes, is not all inside the buffer");
    CHECK(blend_run(&device, 1000, NULL, 8, 6, 1, 1, 0, a, b + 1, c) == -1);
    SAYS("array b, at 0x10000a04, is not aligned");
    /* Half of the buffer answers with errors. */
    model_memory(device.memory, device.address, 1024);
    CHECK(blend_run(&device, 20000, NULL, 64, 40, 1, 1, 0, a, b, c) == -1);
    SAYS("DECERR to a read");
    SAYS("DECERR to a write");
    model_memory(device.memory, device.address, device.bytes);
    CHECK(blend_run(&device, 20000, NULL, 64, 40, 1, 1, 0, a, b, c) == 0);
    model_hang(1);
    CHECK(blend_run(&device, 50, NULL, 64, 40, 1, 1, 0, a, b, c) == -1);
    SAYS("not done after 50 ms: status 0x5");
    CHECK(blend_run(&device, 50, NULL, 64, 40, 1, 1, 0, a, b, c) == -1);
    SAYS("the accelerator is busy");
    /* That run ends behind all that, and its interrupt is none of the next one's. */
    is_miswired = 0;
    model_hang(0);
    CHECK(model_interrupt(200000) == 1);
    is_open = 0;
    came++;
    CHECK(blend_run(&device, 20000, NULL, 64, 40, 1, 1, 0, a, b, c) == 0);
    CHECK(seen == came && model_interrupt(100) == 0);
    blend_close(&device);
    puts("all is well");
    return 0;
}
