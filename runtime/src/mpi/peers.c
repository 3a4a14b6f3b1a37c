/* peers.c: counts bytes and messages per partner, collectives per communicator (peer_table.h).
 *
 * The tables are in the mapped header, so their content survives any death. No lock, no system
 * call. The owner of a place changes in three steps, so that no message is counted for another
 * partner: a thread claims a free place; the heartbeat closes the lightest of a full set when a
 * partner without a place weighs more; it frees the place one boundary later, when a record has all
 * that it had (peer_record.c).
 */
#include "peers.h"
#include "block.h"
#include "config.h"
#include "heartbeat.h"
#include "peer_table.h"
#include "profile/encode.h"
#include "text.h"

#include "../../include/jst_mpi.h"

#define PEER_PLACES JST_PLACES_OF(JST_PEER_SETS)
#define COLLECTIVE_PLACES JST_PLACES_OF(JST_COLLECTIVE_SETS)
#define PATIENCE 1000 /* waits for a thread that holds the queue: we may have interrupted it */

_Atomic bool jst_peers_on;

static _Atomic uint32_t peer_tags[JST_PEERS] __attribute__((aligned(64)));
static _Atomic uint32_t collective_tags[JST_COLLECTIVES] __attribute__((aligned(64)));
static _Atomic uint32_t peer_claims[JST_PEERS], collective_claims[JST_COLLECTIVES];
static jst_rival peer_rivals[2 * JST_PEER_SETS], collective_rivals[2 * JST_COLLECTIVE_SETS];
static const char *operations[JST_COLLECTIVES]; /* of the places, as named by the wrappers */
static const jst_block *owner;                  /* of the first table */

const jst_sketch jst_peer_sketch = {peer_tags, peer_claims, peer_rivals, JST_PEER_SETS};
const jst_sketch jst_collective_sketch = {collective_tags, collective_claims, collective_rivals,
                                          JST_COLLECTIVE_SETS};

JST_LARGE jst_member_queue jst_members;

/* ---- places ---- */

/* The table to which the calling thread adds. */
static inline unsigned table_now(void)
{
    return jst_tls_block != owner;
}

static inline void add(unsigned table, uint64_t *word, uint64_t n)
{
    if (JST_LIKELY(!table))
        jst_add(word, n);
    else
        atomic_fetch_add_explicit((_Atomic uint64_t *)word, n, memory_order_relaxed);
}

/* A key may have its place in either of two sets: the second is for keys that find the first one
 * full. */
static inline unsigned set_of(uint32_t tag, unsigned sets)
{
    return (unsigned)((uint64_t)(tag * UINT32_C(0x9e3779b1)) * sets >> 32);
}

static inline unsigned second_set_of(uint32_t tag, unsigned sets)
{
    return (unsigned)((uint64_t)(tag * UINT32_C(0x85ebca6b)) * sets >> 32);
}

static inline uint32_t tag_at(const _Atomic uint32_t *tag)
{
    return atomic_load_explicit(tag, memory_order_acquire);
}

static inline int way_of(const jst_sketch *s, unsigned first, uint32_t tag)
{
    for (unsigned way = 0; way < JST_WAYS; way++)
        if (JST_LIKELY(tag_at(&s->tags[first + way]) == tag))
            return (int)(first + way);
    return -1;
}

/* One of the heaviest of those without a place: one that weighs more in one message than the rival
 * in all of its own replaces it; all others reduce the rival's weight. */
static void challenge(jst_rival *r, uint32_t tag, uint64_t weight)
{
    uint64_t now = atomic_load_explicit(&r->weight, memory_order_relaxed);
    if (atomic_load_explicit(&r->tag, memory_order_relaxed) == tag)
        now += weight;
    else if (weight > now) {
        atomic_store_explicit(&r->tag, tag, memory_order_relaxed);
        now = weight;
    } else {
        now -= weight / 16;
    }
    atomic_store_explicit(&r->weight, now, memory_order_relaxed);
}

/* Takes a free place, which is CLAIMED then. One that was freed for a rival is not given to one
 * that weighs much less. */
static bool claim(const jst_sketch *s, unsigned place, jst_rival *r, uint32_t tag, uint64_t weight)
{
    uint32_t rival = atomic_load_explicit(&r->tag, memory_order_relaxed), free = JST_TAG_FREE;
    if (rival && rival != tag &&
        weight < atomic_load_explicit(&r->weight, memory_order_relaxed) / 2)
        return false;
    if (!atomic_compare_exchange_strong(&s->tags[place], &free, JST_TAG_CLAIMED))
        return false;
    atomic_store_explicit(&r->tag, 0, memory_order_relaxed);
    atomic_store_explicit(&r->weight, 0, memory_order_relaxed);
    return true;
}

/* The place of a key; *claimed: it is new, and not published yet. -1: it has none. */
static int place_of(const jst_sketch *s, unsigned table, uint32_t tag, uint64_t weight,
                    bool *claimed)
{
    const unsigned sets[2] = {set_of(tag, s->sets), second_set_of(tag, s->sets)};
    int free[2] = {-1, -1};
    *claimed = false;
    for (unsigned i = 0; i < 2; i++) {
        unsigned first = table * JST_PLACES_OF(s->sets) + sets[i] * JST_WAYS;
        for (unsigned place = first; place < first + JST_WAYS; place++) {
            uint32_t found = tag_at(&s->tags[place]);
            if (found == tag)
                return (int)place;
            if (found == JST_TAG_FREE && free[i] < 0) /* the first: searches begin there */
                free[i] = (int)place;
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        jst_rival *r = &s->rivals[table * s->sets + sets[i]];
        if (free[i] >= 0 && claim(s, (unsigned)free[i], r, tag, weight)) {
            *claimed = true;
            return free[i];
        }
    }
    challenge(&s->rivals[table * s->sets + sets[0]], tag, weight);
    return -1;
}

static void publish(const jst_sketch *s, unsigned place, uint32_t tag)
{
    atomic_fetch_add_explicit(&s->claims[place], 1, memory_order_relaxed);
    atomic_store_explicit(&s->tags[place], tag, memory_order_release);
}

/* ---- partners ---- */

static JST_COLD jst_peer *other_peers(unsigned table)
{
    jst_peer *p = &jst_a.peers[table * PEER_PLACES + PEER_PLACES - 1];
    atomic_store_explicit(&p->key, JST_KEY_OTHERS, memory_order_relaxed);
    return p;
}

static jst_peer *peer_of(unsigned table, uint32_t rank, uint64_t bytes)
{
    bool claimed;
    int place = place_of(&jst_peer_sketch, table, rank + 1, bytes + JST_OP_WEIGHT, &claimed);
    if (place < 0)
        return other_peers(table);
    if (claimed) {
        atomic_store(&jst_a.peers[place].key, rank + (uint64_t)JST_KEY_FIRST);
        publish(&jst_peer_sketch, (unsigned)place, rank + 1);
    }
    return &jst_a.peers[place];
}

/* The place of a partner in the table of the calling thread, which owns it; NULL: it does not, or
 * it is not in its usual place. There are no places where nothing is counted. */
static inline jst_peer *own_peer(uint32_t rank)
{
    if (JST_UNLIKELY(jst_tls_block != owner || rank >= JST_TAG_CLAIMED - 1))
        return NULL;
    int place = way_of(&jst_peer_sketch, set_of(rank + 1, JST_PEER_SETS) * JST_WAYS, rank + 1);
    return JST_LIKELY(place >= 0) ? &jst_a.peers[place] : NULL;
}

/* ops, word: offsets in jst_peer of the fields to add to. */
static JST_COLD void count_slowly(uint32_t rank, size_t ops, size_t word, uint64_t bytes)
{
    if (!jst_peers_are_on() || rank >= JST_TAG_CLAIMED - 1)
        return;
    unsigned table = table_now();
    char *p = (char *)peer_of(table, rank, bytes);
    add(table, (uint64_t *)(void *)(p + ops), 1);
    add(table, (uint64_t *)(void *)(p + word), bytes);
}

#define AT(field) offsetof(jst_peer, field)

void jst_peer_sent(uint32_t rank, uint64_t bytes)
{
    jst_peer *p = own_peer(rank);
    if (JST_UNLIKELY(!p)) {
        count_slowly(rank, AT(sent_ops), AT(sent_bytes), bytes);
        return;
    }
    jst_add(&p->sent_ops, 1);
    jst_add(&p->sent_bytes, bytes);
}

void jst_peer_received(uint32_t rank, uint64_t bytes, bool is_room)
{
    jst_peer *p = own_peer(rank);
    if (JST_UNLIKELY(!p)) {
        count_slowly(rank, AT(received_ops), is_room ? AT(received_room) : AT(received_bytes),
                     bytes);
        return;
    }
    jst_add(&p->received_ops, 1);
    jst_add(is_room ? &p->received_room : &p->received_bytes, bytes);
}

/* ---- collectives ---- */

static JST_COLD jst_collective *other_collectives(unsigned table)
{
    jst_collective *c = &jst_a.collectives[table * COLLECTIVE_PLACES + COLLECTIVE_PLACES - 1];
    atomic_store_explicit(&c->state, JST_KEY_OTHERS, memory_order_relaxed);
    return c;
}

static uint32_t tag_of(uint32_t communicator, const char *operation, uint32_t root)
{
    uint64_t h = (uintptr_t)operation ^ (uint64_t)communicator << 32 ^ (uint64_t)root << 16;
    return (uint32_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 33) + 1;
}

static inline bool is_of(const jst_collective *c, uint32_t communicator, const char *operation,
                         uint32_t root)
{
    return JST_LIKELY(JST_LOAD(c->communicator) == communicator && JST_LOAD(c->root) == root &&
                      JST_LOAD(operations[c - jst_a.collectives]) == operation);
}

static jst_collective *collective_of(unsigned table, uint32_t communicator, const char *operation,
                                     uint32_t root, uint64_t bytes)
{
    uint32_t tag = tag_of(communicator, operation, root);
    bool claimed;
    int place = place_of(&jst_collective_sketch, table, tag, bytes + JST_OP_WEIGHT, &claimed);
    if (place < 0)
        return other_collectives(table);
    jst_collective *c = &jst_a.collectives[place];
    if (claimed) {
        JST_STORE(c->communicator, communicator);
        JST_STORE(c->root, root);
        JST_STORE(operations[place], operation);
        jst_zero(c->operation, sizeof c->operation);
        jst_put_text(c->operation, c->operation + sizeof c->operation, operation);
        atomic_store(&c->state, JST_COLLECTIVE_NAMED);
        publish(&jst_collective_sketch, (unsigned)place, tag);
    } else if (!is_of(c, communicator, operation, root)) {
        /* Equal tags by chance; or the place has had another key since it was found. */
        return other_collectives(table);
    }
    return c;
}

static JST_SLOW void count_collective_slowly(uint32_t communicator, const char *operation,
                                             uint32_t root, uint64_t bytes)
{
    if (!jst_peers_are_on())
        return;
    unsigned table = table_now();
    jst_collective *c = collective_of(table, communicator, operation, root, bytes);
    add(table, &c->ops, 1);
    add(table, &c->bytes, bytes);
}

void jst_peer_collective(uint32_t communicator, const char *operation, uint32_t root,
                         uint64_t bytes)
{
    uint32_t tag = tag_of(communicator, operation, root);
    int place = -1;
    if (JST_LIKELY(jst_tls_block == owner)) /* as own_peer */
        place = way_of(&jst_collective_sketch, set_of(tag, JST_COLLECTIVE_SETS) * JST_WAYS, tag);
    jst_collective *c = &jst_a.collectives[place < 0 ? 0 : place];
    if (JST_UNLIKELY(place < 0 || !is_of(c, communicator, operation, root))) {
        count_collective_slowly(communicator, operation, root, bytes);
        return;
    }
    jst_add(&c->ops, 1);
    jst_add(&c->bytes, bytes);
}

/* ---- communicators ---- */

#define SEEN 256u /* communicators of a process whose members are recorded */

static uint32_t seen[SEEN];
static uint32_t seen_count;

bool jst_members_hold(void)
{
    for (unsigned i = 0; i < PATIENCE; i++)
        if (!atomic_exchange_explicit(&jst_members.busy, true, memory_order_acquire))
            return true;
    return false;
}

void jst_members_let_go(void)
{
    atomic_store_explicit(&jst_members.busy, false, memory_order_release);
}

/* Is it new? Then it is remembered. */
static bool is_new(uint32_t communicator)
{
    unsigned at = communicator % SEEN;
    if (seen_count >= SEEN / 4 * 3) {
        jst_members.dropped++;
        return false;
    }
    for (; seen[at]; at = (at + 1) % SEEN)
        if (seen[at] == communicator)
            return false;
    seen[at] = communicator;
    seen_count++;
    return true;
}

/* Runs of ranks with a constant step between them. Returns NULL where they take too many bytes. */
static uint8_t *put_members(uint8_t *p, const uint32_t *ranks, uint32_t size)
{
    const uint8_t *end = p + JST_MEMBERS_MOST - 3 * 10;
    uint32_t last = 0;
    for (uint32_t i = 0; i < size;) {
        uint32_t n = 1;
        int64_t step = i + 1 < size ? (int64_t)ranks[i + 1] - ranks[i] : 0;
        while (i + n < size && (int64_t)ranks[i + n] - ranks[i + n - 1] == step)
            n++;
        if (p > end)
            return NULL;
        p = jst_put_svarint(p, (int64_t)ranks[i] - last);
        p = jst_put_varint(p, n);
        if (n > 1)
            p = jst_put_svarint(p, step);
        last = ranks[i + n - 1];
        i += n;
    }
    return p;
}

static void put_communicator(uint32_t communicator, const uint32_t *ranks, uint32_t size)
{
    jst_member_queue *q = &jst_members;
    if (sizeof q->data - q->bytes < JST_MEMBERS_MOST + 32) {
        q->dropped++;
        return;
    }
    uint8_t *begin = q->data + q->bytes + 2;
    uint8_t *members = jst_put_varint(jst_put_varint(begin, communicator), size);
    uint8_t *end = put_members(members, ranks, size);
    size_t n = (size_t)((end ? end : members) - begin);
    begin[-2] = (uint8_t)n;
    begin[-1] = (uint8_t)(n >> 8);
    q->bytes += (uint32_t)n + 2;
}

void jst_peer_communicator(uint32_t communicator, const uint32_t *ranks, uint32_t size)
{
    if (!jst_peers_are_on() || communicator == 0 || !jst_members_hold())
        return;
    bool new = is_new(communicator);
    if (new)
        put_communicator(communicator, ranks, size);
    jst_members_let_go();
    if (new)
        jst_heartbeat_drain(); /* so that a kill later on does not lose its members */
}

/* ---- start ---- */

void jst_peers_new_part(void)
{
    jst_zero(peer_tags, sizeof peer_tags);
    jst_zero(collective_tags, sizeof collective_tags);
    jst_zero(peer_rivals, sizeof peer_rivals);
    jst_zero(collective_rivals, sizeof collective_rivals);
    jst_zero(seen, sizeof seen);
    seen_count = 0;
    jst_members.bytes = 0;
    atomic_store(&jst_members.busy, false);
    if (jst_peers_are_on())
        jst_peer_records_begin();
}

void jst_peers_child(void)
{
    if (jst_peers_are_on()) {
        atomic_store(&jst_peers_on, false);
        jst_peers_new_part();
    }
}

void jst_peers_begin(uint32_t world_size)
{
    (void)world_size; /* the members of MPI_COMM_WORLD follow from the header */
    if (jst_peers_are_on())
        return;
    owner = jst_tls_block;
    jst_peer_records_begin();
    atomic_store_explicit(&jst_peers_on, true, memory_order_release);
}
