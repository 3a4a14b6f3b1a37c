/* gpu_record.c: writes increases of GPUs as 'D' records. Only the heartbeat calls it (except the
 * start).
 *
 * As with partners (mpi/peer_record.c) a reader sums the records of a place; what the place in the
 * header has beyond the sum belongs to the slices after the last record. So one append commits a
 * record.
 */
#include "gpu_record.h"

#include "block.h"
#include "modules/gpu_devices.h"
#include "profile/area.h"
#include "profile/encode.h"
#include "record.h"
#include "record_space.h"
#include "text.h"

/* Space: about 1 MB per GPU and day at 4 s slices; beyond that records span several slices. */
#define SPACE_BURST (64 * 1024)
#define SPACE_PER_SLICE 48

#define WORDS (sizeof((jst_gpu *)0)->words / sizeof(uint64_t))
#define ENTRY_MOST (1 + 4 + 10 * WORDS)

typedef uint64_t words[WORDS];

JST_LARGE static words base[JST_GPUS]; /* the sum of records */
JST_LARGE static words now[JST_GPUS];
JST_LARGE static uint8_t buffer[32 + JST_GPUS * ENTRY_MOST + JST_FRAME_GAP + 8];
static uint64_t newest_end; /* end of the newest record */
static jst_record_space space;

void jst_gpu_records_begin(void)
{
    static bool any;
    if (any || jst_gpus_used()) { /* else no page of it is touched */
        jst_zero(base, sizeof base);
        jst_gpus_to_head();
    }
    any = jst_gpus_used() != 0;
    newest_end = jst_a.head.first_slice;
    space = (jst_record_space){.first_slice = newest_end, .burst = SPACE_BURST};
    uint64_t open = jst_a.commit[atomic_load(&jst_a.head.generation) & 1].open_slice;
    atomic_store(&jst_a.head.gpu_slice, open);
}

/* Writes the change of a GPU; nothing where there is none. */
static uint8_t *put_gpu(uint8_t *p, unsigned place, unsigned *next)
{
    uint64_t mask = 0;
    for (unsigned w = 0; w < WORDS; w++) {
        uint64_t word = JST_LOAD(jst_a.gpus[place].words[w]), old = base[place][w];
        /* NOTE: less, if the profile was written again: increases at that instant are lost. */
        now[place][w] = word > old ? word : old;
        mask |= (uint64_t)(word > old) << w;
    }
    if (!mask)
        return p;
    p = jst_put_varint(p, place - *next + 1);
    p = jst_put_varint(p, mask);
    for (unsigned w = 0; w < WORDS; w++)
        if (mask >> w & 1)
            p = jst_put_varint(p, now[place][w] - base[place][w]);
    *next = place + 1;
    return p;
}

void jst_gpu_records_tick(int fd, uint64_t slice)
{
    unsigned used = jst_gpus_used(), next = 0;
    uint64_t open = atomic_load(&jst_a.head.gpu_slice);
    uint64_t end = slice > open ? slice : open + 1; /* the clock may have gone back */
    space.per_slice = SPACE_PER_SLICE * used;
    if (used && jst_record_waits(&space, end))
        return;
    uint8_t *const begin = buffer + JST_FRAME_GAP;
    uint8_t *p = begin, *entries = begin;
    if (used) {
        p = jst_put_svarint(begin, (int64_t)(open - newest_end));
        p = entries = jst_put_varint(p, end - open);
    }
    for (unsigned place = 0; place < used; place++)
        p = put_gpu(p, place, &next);
    if (p != entries) {
        *p++ = 0;
        /* Where the disk refuses it, the next record spans this slice too. */
        if (!jst_append(fd, JST_RECORD_GPU_SLICES, buffer, (size_t)(p - begin)))
            return;
        jst_copy(base, now, used * sizeof *base);
        newest_end = end;
        jst_record_counts(&space, (size_t)(p - begin));
    }
    atomic_store(&jst_a.head.gpu_slice, slice);
}
