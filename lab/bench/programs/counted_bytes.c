/*
 * counted_bytes: bytes that a fixed workload takes in a profile, by the runtime's own encoder.
 *
 * It prints a line for each workload: bytes of 1000 slices, name. Values are synthetic: each is
 * below a limit of its own, the same from slice to slice, as for a program in a steady state.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../runtime/src/profile/encode.h"
#include "../../runtime/src/text.h"

enum { SLICES = 1000, TICK_NS_BITS = 31 };
static const uint64_t TICK_NS = UINT64_C(3) << TICK_NS_BITS; /* 1.5 ns per tick, 32.32 */

/* The encoder's neighbour in text.c, whose other functions need the whole runtime. */
void jst_copy(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
}

static uint64_t next(void)
{
    static uint64_t random = 88172645463325252u;
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    return random;
}

/* Every n-th cell moves; mounts: how many of a process's mounts are in use. */
static void workload(const char *name, unsigned nth, unsigned mounts)
{
    static uint64_t delta[JST_CELL_COUNT], taken[JST_CELL_COUNT];
    static uint8_t frame[JST_RECORD_MAX + 64];
    size_t bytes = 0, size = 0;

    memset(delta, 0, sizeof delta);
    for (int slice = 0; slice < SLICES; slice++) {
        for (unsigned c = 0; c < JST_CELL_COUNT; c++) {
            unsigned bits = 4 + c * 7 % 24, mount = c / JST_MOUNT_STRIDE;
            if (c % nth == 0 && (mount < mounts || mount >= JST_MOUNT_SLOTS) &&
                jst_cell_kind[c] != JST_CODE_UNUSED)
                delta[c] += (UINT64_C(1) << bits) + next() % (UINT64_C(1) << (bits - 2));
        }
        memset(taken, 0, sizeof taken);
        uint8_t *payload = frame + JST_FRAME_GAP;
        const uint8_t *end = jst_put_cells(payload, delta, taken, TICK_NS);
        jst_frame(frame, 'S', (size_t)(end - payload), &size);
        bytes += size;
        for (unsigned c = 0; c < JST_CELL_COUNT; c++)
            delta[c] -= taken[c];
    }
    printf("%zu %s\n", bytes, name);
}

int main(void)
{
    workload("every metric, one mount", 1, 1);
    workload("every metric, all mounts", 1, JST_MOUNT_SLOTS);
    workload("every fifth metric, one mount", 5, 1);
    workload("nothing", 1000000, 0);
    return 0;
}
