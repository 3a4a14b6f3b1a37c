/* peers.c: bytes and calls per partner of point-to-point calls (JOSTLE_PEERS=1).
 *
 * A bounded table, one entry per world rank below PEERS, one for all beyond. Written once, as a 'W'
 * record, when the process ends: for views of the network, not for slices.
 */
#include "peers.h"
#include "common.h"
#include "profile/encode.h"
#include "profile/profile_layout.h"
#include "profile/record.h"
#include "sys.h"

#define PEERS 4096u

typedef struct peer {
    _Atomic uint64_t sent_ops, sent_bytes, received_ops, room;
} peer;

static peer *_Atomic table; /* PEERS entries and one for all others */

void jst_peers_begin(uint32_t world_size)
{
    (void)world_size;
    if (atomic_load(&table))
        return;
    long p = jst_sys6(SYS_mmap, 0, (PEERS + 1) * sizeof(peer), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p > 0 || p < -4095)
        atomic_store(&table, (peer *)p);
}

static void add(_Atomic uint64_t *cell, uint64_t n)
{
    atomic_fetch_add_explicit(cell, n, memory_order_relaxed);
}

void jst_peer_sent(uint32_t rank, uint64_t bytes)
{
    peer *t = atomic_load_explicit(&table, memory_order_relaxed);
    if (!t)
        return;
    peer *p = &t[rank < PEERS ? rank : PEERS];
    add(&p->sent_ops, 1);
    add(&p->sent_bytes, bytes);
}

void jst_peer_received(uint32_t rank, uint64_t bytes, bool is_room)
{
    (void)is_room;
    peer *t = atomic_load_explicit(&table, memory_order_relaxed);
    if (!t)
        return;
    peer *p = &t[rank < PEERS ? rank : PEERS];
    add(&p->received_ops, 1);
    add(&p->room, bytes);
}

void jst_peer_collective(uint32_t communicator, const char *operation, uint32_t root,
                         uint64_t bytes)
{
    (void)communicator, (void)operation, (void)root, (void)bytes;
}

void jst_peer_communicator(uint32_t communicator, const uint32_t *ranks, uint32_t size)
{
    (void)communicator, (void)ranks, (void)size;
}

static bool is_used(const peer *p)
{
    return atomic_load(&p->sent_ops) || atomic_load(&p->received_ops);
}

/* In the heartbeat. A process that did not end after all (a failed exec) writes it again: the last
 * record counts. */
void jst_peers_write(int fd)
{
    static uint8_t frame[JST_FRAME_GAP + (PEERS + 1) * 45 + 32];
    peer *t = atomic_load(&table);
    if (!t)
        return;
    uint64_t n = 0;
    for (unsigned i = 0; i <= PEERS; i++)
        n += is_used(&t[i]);
    uint8_t *p = jst_put_varint(frame + JST_FRAME_GAP, n);
    for (unsigned i = 0; i <= PEERS; i++) {
        if (!is_used(&t[i]))
            continue;
        p = jst_put_varint(p, i < PEERS ? i : JST_PEERS_OTHERS);
        p = jst_put_varint(p, atomic_load(&t[i].sent_ops));
        p = jst_put_varint(p, atomic_load(&t[i].sent_bytes));
        p = jst_put_varint(p, atomic_load(&t[i].received_ops));
        p = jst_put_varint(p, atomic_load(&t[i].room));
    }
    jst_append(fd, JST_RECORD_PEERS, frame, (size_t)(p - frame) - JST_FRAME_GAP);
}
