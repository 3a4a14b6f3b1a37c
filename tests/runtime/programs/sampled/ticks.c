/*
 * The runtime's own sources, driven with a clock of ours: argv is a seed. Slices of uneven length,
 * missed boundaries and steps back; after some ticks the profile is copied as a kill would leave
 * it. Prints, for each copy, what all counters had counted by then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "block.h"
#include "clock.h"
#include "config.h"
#include "core.h"
#include "profile/area.h"
#include "profile/records/slice.h"
#include "profile/spool.h"
#include "sys.h"

#define TICKS 400

static uint64_t counted, timed;

/* Two threads' worth of blocks, one of them beyond those of the file. */
static void count(void)
{
    uint64_t n = (uint64_t)random() % 1000000, t = (uint64_t)random() % 100000000;
    jst_block *b = &jst_a.blocks[random() % 3];
    jst_add(&b->cells[JST_CELL_POSIX_WRITE_BYTES], n);
    jst_add(&b->cells[JST_CELL_POSIX_WRITE_NS], t);
    jst_add(&b->cells[JST_CELL_STREAM_READ_OPS], 1);
    counted += n, timed += t;
}

static uint64_t later(uint64_t now)
{
    uint64_t slice = jst_cfg.slice_ns;
    switch (random() % 8) {
    case 0: /* missed: stopped, starved, or the clock was set forward */
        return now + slice * (uint64_t)(1 + random() % 50);
    case 1: /* the clock was set back */
        return now - slice * (uint64_t)(random() % 20);
    case 2: /* woken early */
        return now + slice / 3;
    default:
        return (now / slice + 1) * slice + (uint64_t)random() % 1000;
    }
}

static void copy(int fd, int step)
{
    static char bytes[4 << 20];
    char name[32];
    long n = jst_pread(fd, bytes, sizeof bytes, 0);
    snprintf(name, sizeof name, "copy.%d", step);
    int out = jst_openat(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
    if (n <= 0 || jst_write(out, bytes, (size_t)n) != n)
        exit(3);
    jst_close(out);
    printf("%d %llu %llu\n", step, (unsigned long long)counted, (unsigned long long)timed);
}

int main(int argc, char **argv)
{
    int fd = -1;
    srandom((unsigned)atoi(argv[argc - 1]));
    jst_tick_source = JST_TICKS_CLOCK; /* a tick is a nanosecond, exactly */
    jst_clock_begin();
    jst_tick_ns = (uint64_t)1 << 32;
    if (jst_profile_create(&fd) < 0)
        return 2;
    atomic_store(&jst_state, JST_MEMORY); /* no heartbeat: this program is it */
    atomic_store(&jst_a.head.blocks_used, 3);
    jst_slice_begin(fd);
    uint64_t now = jst_clock_ns(CLOCK_REALTIME);
    for (int step = 0; step < TICKS; step++) {
        for (int i = (int)(random() % 4); i > 0; i--)
            count();
        if (step % 7 != 0) {
            now = later(now);
            jst_slice_tick(fd, now);
        }
        if (step % 20 == 0)
            copy(fd, step);
    }
    fflush(stdout);
    _exit(0);
}
