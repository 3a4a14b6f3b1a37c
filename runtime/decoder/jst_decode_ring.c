/* jst_decode_ring.c: the ring in the header, which has the end of the stream of segments. */
#include "jst_decode_parts.h"

#define PATIENCE 16 /* readings of a ring that changes meanwhile */
#define RING_HEAD offsetof(jst_ring, data)
#define RING_MAX (64u << 20)

static bool words(jst_job *j, uint64_t at, uint64_t *written, uint64_t *drained)
{
    jst_source_forget(j->s);
    const uint8_t *p = jst_source_at(j->s, at, 16);
    if (p == NULL)
        return false;
    *written = jst_load64(p);
    *drained = jst_load64(p + 8);
    return true;
}

static bool copy(jst_job *j, jst_ring_copy *r, uint64_t at, uint64_t size)
{
    uint64_t room_at = 0;
    if (!jst_memory_grow(&r->bytes, r->written - r->drained)) {
        j->no_memory = true;
        return false;
    }
    for (uint64_t n = r->drained; n < r->written;) {
        uint64_t place = n % size, piece = r->written - n;
        piece = piece < size - place ? piece : size - place;
        piece = piece < JST_PAYLOAD_MAX ? piece : JST_PAYLOAD_MAX;
        const uint8_t *p = jst_source_at(j->s, at + place, piece);
        if (p == NULL)
            return false;
        memcpy(r->bytes.p + room_at, p, piece);
        room_at += piece;
        n += piece;
    }
    return true;
}

/* RATIONALE: the process continues to write while we read. What is beyond `drained` does not change
 * until `drained` moves, and what it moves over is in the records by then: so the copy is taken
 * first, and again when `drained` has moved meanwhile. */
void jst_ring_read(jst_job *j, jst_ring_copy *r)
{
    uint64_t at = JST_HEADER(j, ring_offset), bytes = JST_HEADER(j, ring_bytes);
    uint64_t written, drained;
    const char *wrong = "the ring of the segments is not inside the header";
    if (bytes == 0)
        return;
    if (bytes > RING_HEAD && bytes <= RING_MAX && jst_head_holds(j, at, bytes))
        wrong = "the ring of the segments contradicts itself, or changes faster than it can be "
                "read";
    else
        at = 0;
    for (int attempt = 0; at != 0 && attempt < PATIENCE; attempt++) {
        if (!words(j, at, &r->written, &r->drained))
            break;
        if (r->drained > r->written || r->written - r->drained > bytes - RING_HEAD)
            continue;
        if (r->written == r->drained)
            return;
        if (!copy(j, r, at + RING_HEAD, bytes - RING_HEAD))
            break;
        if (words(j, at, &written, &drained) && drained == r->drained)
            return;
    }
    r->written = r->drained = 0;
    jst_warn(j, at, wrong);
}
