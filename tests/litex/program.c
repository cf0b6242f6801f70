/* On the RISC-V core of the SoC: runs the accelerator by its driver, and compares with the kernel itself. Tells a letter: A, all is
   well; else what went wrong. */
#include "drivers/../matmul.h"

void matmul(int N, int32_t a[N][N], int32_t b[N][N], int32_t c[N][N]);

static volatile uint32_t *const told = (volatile uint32_t *)TOLD;
static volatile uint32_t *const registers = (volatile uint32_t *)0x90000000;

/* main_ram is all data's. */
#define N 9
struct arrays {
    int32_t a[N][N] __attribute__((aligned(8))), b[N][N] __attribute__((aligned(8))), c[N][N] __attribute__((aligned(8)));
    int32_t expected[N][N];
};

static uint32_t at(const void *place)
{
    return (uint32_t)(uintptr_t)place;
}

static char run(struct arrays *data)
{
    uint32_t random = 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            data->a[i][j] = (int32_t)(random = random * 1664525u + 1013904223u);
            data->b[i][j] = (int32_t)(random = random * 1664525u + 1013904223u);
            data->c[i][j] = data->expected[i][j] = i - j;
        }
    if (matmul_start(registers, 2000, at(data->a), at(data->b), at(data->c)) != MATMUL_SIZE_ERROR)
        return 'B';
    if (matmul_start(registers, N, at(data->a), at(data->b), at(data->c)) != 0)
        return 'C';
    if (matmul_wait(registers) == 0 || matmul_errors(registers) != 0)
        return 'D';
    matmul(N, data->a, data->b, data->expected);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (data->c[i][j] != data->expected[i][j])
                return 'E';
    return 'A';
}

void program(void)
{
    *told = (uint32_t)run((struct arrays *)0x40000000);
    for (;;) {
    }
}

__asm__(".section .text.start\n.global _start\n_start:\nlui sp, 0x40010\nj program\n");
