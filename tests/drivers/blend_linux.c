/* The driver for Linux against the accelerator's Verilog and the kernel itself. */
#include <stdlib.h>
#include <string.h>

#define BLEND_OWN_ACCESS
#include <stdint.h>
void model_memory(void *bytes, uint64_t begin, uint64_t count);
void model_hang(int yes);
void model_reset(void);
uint32_t model_read32(uint32_t word);
void model_write32(uint32_t word, uint32_t value);
static inline uint32_t blend_read32(const volatile uint32_t *registers, uint32_t word)
{
    (void)registers;
    return model_read32(word);
}
static inline void blend_write32(volatile uint32_t *registers, uint32_t word, uint32_t value)
{
    (void)registers;
    model_write32(word, value);
}
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
    for (int run = 0; run < 3; run++) {
        const int N = (int[]){8, 33, 0}[run];
        const long M = (long[]){6, 40, 2}[run];
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
    blend_close(&device);
    puts("all is well");
    return 0;
}
