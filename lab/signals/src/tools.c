/* tools.c: helpers of patterns: memory, random bytes, the record of their first failure. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "signal.h"
#include "stop.h"
#include "sys.h"

bool jst_fail(struct jst_run *run, const char *format, ...)
{
    va_list arguments;

    if (!run->error[0]) {
        va_start(arguments, format);
        vsnprintf(run->error, sizeof run->error, format, arguments);
        va_end(arguments);
    }
    return false;
}

/* Bytes that the kernel could allocate without swapping; UINT64_MAX when it does not report it. */
static uint64_t memory_available(void)
{
    char text[1024];
    long fd = jst_sys_open("/proc/meminfo", O_RDONLY, 0);

    if (fd < 0)
        return UINT64_MAX;
    long n = jst_sys_read((int)fd, text, sizeof text - 1);
    jst_sys_close((int)fd);
    text[n > 0 ? n : 0] = '\0';
    const char *line = strstr(text, "MemAvailable:");
    return line ? strtoull(line + 13, NULL, 10) * JST_KIB : UINT64_MAX;
}

bool jst_allocate(struct jst_run *run, size_t size, const char *what, void **memory)
{
    /* Checked before, since memory is overcommitted: the process that fills it would be killed. */
    const unsigned here = jst_team_mpi ? 1 : run->team.world;
    const uint64_t available = memory_available();

    if (size > available / here)
        return jst_fail(run,
                        "%s of %zu bytes for each of %u processes does not fit into the memory: "
                        "%llu bytes are available; choose a smaller --chunk, or move it in pieces "
                        "by --piece",
                        what, size, here, (unsigned long long)available);
    *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (*memory == MAP_FAILED)
        return jst_fail(run, "%s of %zu bytes: %s; choose a smaller --chunk", what, size,
                        strerror(errno));
    return true;
}

uint64_t jst_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void jst_fill_random(void *data, size_t size, uint64_t seed)
{
    char *to = data;

    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = jst_random(&seed);
        memcpy(to + at, &word, size - at < 8 ? size - at : 8);
    }
}

bool jst_stopping(struct jst_run *run)
{
    return jst_stop_signal || jst_team_requested(&run->team) != JST_GO_ON;
}

const char *jst_flush_name(enum jst_flush flush)
{
    static const char *const names[] = {"default", "each", "end", "none"};
    return names[flush];
}

const char *jst_reason_name(enum jst_reason reason)
{
    static const char *const names[] = {"none",   "none",   "time", "iterations",
                                        "volume", "signal", "error"};
    return names[reason];
}
