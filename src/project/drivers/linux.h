/* Runs the accelerator {{kernel}} from a program under Linux, as on a Zynq: its registers through UIO (/dev/uioN, of the
   kernel's uio_pdrv_genirq), its arrays in the contiguous buffer of u-dma-buf (/dev/NAME). The buffer is opened with O_SYNC:
   the processor does not cache it, so nothing has to be flushed. The end of a run is waited for by the interrupt, where the
   UIO device has one, else by reading the status word. Every function returns 0, or -1 with the reason in `message`. */
#ifndef BURSTC_{{upper}}_LINUX_H
#define BURSTC_{{upper}}_LINUX_H

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../{{kernel}}.h"

/* The folder that has dev and sys. */
#ifndef {{upper}}_ROOT
#define {{upper}}_ROOT ""
#endif

struct {{kernel}}_device {
    volatile uint32_t *registers;
    size_t register_bytes;
    unsigned char *memory; /* the buffer, its address in the accelerator's memory, and how much of it is allocated */
    uint64_t address;
    size_t bytes, used;
    int interrupt; /* the open UIO device, or -1 */
    char message[200];
};

/* A number in a file of /sys. */
static inline int {{kernel}}_number(struct {{kernel}}_device *device, const char *path, uint64_t *number)
{
    FILE *file = fopen(path, "r");
    long long value;
    const int read = file != NULL && fscanf(file, "%lli", &value) == 1;
    if (file != NULL)
        fclose(file);
    if (!read) {
        snprintf(device->message, sizeof device->message, "cannot read %s", path);
        return -1;
    }
    *number = (uint64_t)value;
    return 0;
}

static inline void *{{kernel}}_map(struct {{kernel}}_device *device, const char *path, size_t bytes)
{
    const int file = open(path, O_RDWR | O_SYNC);
    void *place = file < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (place == MAP_FAILED) {
        snprintf(device->message, sizeof device->message, "cannot map %zu bytes of %s", bytes, path);
        return NULL;
    }
    return place;
}

static inline void {{kernel}}_close(struct {{kernel}}_device *device)
{
    if (device->registers != NULL)
        munmap((void *)device->registers, device->register_bytes);
    if (device->memory != NULL)
        munmap(device->memory, device->bytes);
    if (device->interrupt >= 0)
        close(device->interrupt);
    device->registers = NULL;
    device->memory = NULL;
    device->interrupt = -1;
}

/* The accelerator of /dev/uio<number>, with the buffer of this name, as in {{kernel}}_open(&device, 0, "udmabuf0"). */
static inline int {{kernel}}_open(struct {{kernel}}_device *device, unsigned number, const char *buffer)
{
    char path[160];
    uint64_t bytes;
    memset(device, 0, sizeof *device);
    device->interrupt = -1;
    snprintf(path, sizeof path, {{upper}}_ROOT "/sys/class/uio/uio%u/maps/map0/size", number);
    if ({{kernel}}_number(device, path, &bytes) != 0)
        return -1;
    device->register_bytes = (size_t)bytes;
    snprintf(path, sizeof path, {{upper}}_ROOT "/sys/class/u-dma-buf/%s/phys_addr", buffer);
    if ({{kernel}}_number(device, path, &device->address) != 0)
        return -1;
    snprintf(path, sizeof path, {{upper}}_ROOT "/sys/class/u-dma-buf/%s/size", buffer);
    if ({{kernel}}_number(device, path, &bytes) != 0)
        return -1;
    device->bytes = (size_t)bytes;
    snprintf(path, sizeof path, {{upper}}_ROOT "/dev/uio%u", number);
    device->registers = (volatile uint32_t *){{kernel}}_map(device, path, device->register_bytes);
    snprintf(path, sizeof path, {{upper}}_ROOT "/dev/%s", buffer);
    device->memory = device->registers == NULL ? NULL : (unsigned char *){{kernel}}_map(device, path, device->bytes);
    if (device->memory == NULL) {
        {{kernel}}_close(device);
        return -1;
    }
    snprintf(path, sizeof path, {{upper}}_ROOT "/dev/uio%u", number);
    device->interrupt = open(path, O_RDWR);
    return 0;
}

/* Lets the interrupt come; whether there is one. A UIO device without one refuses to be written. */
static inline int {{kernel}}_listen(struct {{kernel}}_device *device)
{
    const uint32_t on = 1;
    return device->interrupt >= 0 && write(device->interrupt, &on, sizeof on) == (ssize_t)sizeof on;
}

/* Waits for the interrupt, up to so many milliseconds; whether it came. */
static inline int {{kernel}}_came(struct {{kernel}}_device *device, int milliseconds)
{
    struct pollfd waits = {device->interrupt, POLLIN, 0};
    uint32_t count;
    return poll(&waits, 1, milliseconds) == 1 && read(device->interrupt, &count, sizeof count) == (ssize_t)sizeof count;
}

/* Room for an array in the buffer, from a multiple of 64 on; NULL where it does not fit. {{kernel}}_release gives all of it back. */
static inline void *{{kernel}}_allocate(struct {{kernel}}_device *device, size_t bytes)
{
    if (bytes > device->bytes - device->used) {
        snprintf(device->message, sizeof device->message, "%zu bytes do not fit: %zu of the buffer's %zu are taken", bytes,
            device->used, device->bytes);
        return NULL;
    }
    void *place = device->memory + device->used;
    const size_t rest = device->bytes - device->used, taken = bytes > rest - rest % 64 ? rest : (bytes + 63) / 64 * 64;
    device->used += taken;
    return place;
}

static inline void {{kernel}}_release(struct {{kernel}}_device *device)
{
    device->used = 0;
}

/* The accelerator's address of an array that takes so many bytes. */
static inline int {{kernel}}_place(struct {{kernel}}_device *device, const char *name, const void *array, uint64_t bytes,
    uint32_t *base)
{
    const uintptr_t begin = (uintptr_t)device->memory, place = (uintptr_t)array;
    if (place < begin || place - begin > device->bytes || bytes > device->bytes - (place - begin)) {
        snprintf(device->message, sizeof device->message, "array %s, %" PRIu64 " bytes, is not all inside the buffer", name, bytes);
        return -1;
    }
    const uint64_t address = device->address + (place - begin);
    if ({{kernel}}_is_misplaced(address, bytes)) {
        snprintf(device->message, sizeof device->message,
            "array %s, at 0x%" PRIx64 ", is not aligned or beyond what the accelerator addresses", name, address);
        return -1;
    }
    *base = (uint32_t)address;
    return 0;
}

/* The errors of a status word in words. */
static inline int {{kernel}}_failed(struct {{kernel}}_device *device, uint32_t status)
{
    static const struct {
        uint32_t bit;
        const char *meaning;
    } errors[] = {
{{errors}}
    };
    size_t length = (size_t)snprintf(device->message, sizeof device->message, "status 0x%" PRIx32, status);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if ((status & errors[i].bit) != 0 && length < sizeof device->message)
            length += (size_t)snprintf(device->message + length, sizeof device->message - length, "; %s", errors[i].meaning);
    return -1;
}

/* {{prototype}}
   Arrays lie in the buffer ({{kernel}}_allocate){{packed}}. Gives up after so many milliseconds; the run may go on behind that, and must
   have ended before the next. `cycles`, if not NULL, takes the cycles of the run. */
static inline int {{kernel}}_run(struct {{kernel}}_device *device, unsigned milliseconds, uint32_t *cycles{{parameters}})
{
{{checks}}    int listens = 0;
    if (({{kernel}}_read32(device->registers, {{upper}}_CONTROL) & {{upper}}_BUSY) == 0) {
        {{kernel}}_acknowledge_interrupt(device->registers);
        listens = {{kernel}}_listen(device);
        /* One of a run that was given up. */
        if (listens && {{kernel}}_came(device, 0))
            listens = {{kernel}}_listen(device);
    }
    const uint32_t refused = {{kernel}}_start(device->registers{{started}});
    if (refused == {{upper}}_BUSY) {
        snprintf(device->message, sizeof device->message, "the accelerator is busy");
        return -1;
    }
    if (refused != 0)
        return {{kernel}}_failed(device, refused);
    const struct timespec moment = {0, 20000};
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    uint32_t status;
    while (((status = {{kernel}}_read32(device->registers, {{upper}}_CONTROL)) & {{upper}}_BUSY) != 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        const long long left =
            (long long)milliseconds - ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000);
        if (left <= 0) {
            snprintf(device->message, sizeof device->message, "not done after %u ms: status 0x%" PRIx32 "%s", milliseconds, status,
                (status & {{upper}}_MEMORY_READY) != 0 ? "" : ", memory is not ready");
            return -1;
        }
        /* Now and then the status word is read all the same: an interrupt may be wired to another line than the system believes. */
        if (!listens)
            nanosleep(&moment, NULL);
        else if ({{kernel}}_came(device, left < 100 ? (int)left : 100))
            listens = {{kernel}}_listen(device);
    }
    {{kernel}}_acknowledge_interrupt(device->registers);
    if ((status & {{upper}}_ERRORS) != 0 || (status & {{upper}}_DONE) == 0)
        return {{kernel}}_failed(device, status);
    if (cycles != NULL)
        *cycles = {{kernel}}_read32(device->registers, {{upper}}_CYCLES);
    return 0;
}

#endif
