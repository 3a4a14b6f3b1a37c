/* peer_record.c: writes increases of partners and collectives as 'T' records, and members of
 * communicators as 'U' records. Only the heartbeat calls it (except the start).
 *
 * A reader sums the records of a place; what the place in the header has beyond the sum belongs to
 * the slices after the last record. So one append commits a record, and no kill loses or doubles
 * anything.
 */
#include "block.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "peer_table.h"
#include "peers.h"
#include "profile/area.h"
#include "profile/encode.h"
#include "profile/records/record.h"
#include "profile/records/record_space.h"
#include "sys.h"
#include "text.h"

/* Space: at most 1 MB per process and day at 4 s slices. */
#define SPACE_BURST (64 * 1024)
#define SPACE_PER_SLICE 44

#define PEER_WORDS 5
#define COLLECTIVE_WORDS 2
#define ENTRY_MOST(words) (5 + 1 + 5 + 5 + 33 + 10 * (words))
#define RECORD_MOST                                                                                \
    (40 + JST_PEERS * ENTRY_MOST(PEER_WORDS) + JST_COLLECTIVES * ENTRY_MOST(COLLECTIVE_WORDS))

/* The heartbeat's data on places. */
typedef struct ledger {
    const jst_sketch *sketch;
    uint64_t (*base)[PEER_WORDS]; /* the sum of records */
    uint32_t *named;              /* the claim that records name */
    uint32_t *weight;             /* of the last slices, the newest counts most */
    bool *closing;                /* the next record has the rest of it */
    unsigned places, words, ops;  /* ops: a bit per word that counts no bytes */
} ledger;

JST_LARGE static uint64_t peer_base[JST_PEERS][PEER_WORDS],
    collective_base[JST_COLLECTIVES][PEER_WORDS];
JST_LARGE static uint32_t peer_named[JST_PEERS], collective_named[JST_COLLECTIVES];
JST_LARGE static uint32_t peer_weight[JST_PEERS], collective_weight[JST_COLLECTIVES];
static bool peer_closing[JST_PEERS], collective_closing[JST_COLLECTIVES];

static const ledger peers = {&jst_peer_sketch, peer_base, peer_named, peer_weight,
                             peer_closing,     JST_PEERS, PEER_WORDS, 5};
static const ledger collectives = {
    &jst_collective_sketch, collective_base, collective_named, collective_weight,
    collective_closing,     JST_COLLECTIVES, COLLECTIVE_WORDS, 1};

JST_LARGE static uint8_t buffer[RECORD_MOST + JST_FRAME_GAP + 8];
static size_t pending;         /* payload that the disk refused: it is written first */
static uint64_t pending_slice; /* where that record ends */
static uint64_t newest_end;    /* end of the newest record */
static jst_record_space space;

static void forget(void)
{
    jst_zero(peer_base, sizeof peer_base);
    jst_zero(collective_base, sizeof collective_base);
    jst_zero(peer_named, sizeof peer_named);
    jst_zero(collective_named, sizeof collective_named);
    jst_zero(peer_weight, sizeof peer_weight);
    jst_zero(collective_weight, sizeof collective_weight);
    jst_zero(peer_closing, sizeof peer_closing);
    jst_zero(collective_closing, sizeof collective_closing);
}

void jst_peer_records_begin(void)
{
    static bool used;
    if (used) /* else no page of it is touched */
        forget();
    used = true;
    newest_end = jst_a.head.first_slice;
    pending = 0;
    space = (jst_record_space){
        .first_slice = newest_end, .burst = SPACE_BURST, .per_slice = SPACE_PER_SLICE};
    uint64_t open = jst_a.commit[atomic_load(&jst_a.head.generation) & 1].open_slice;
    atomic_store(&jst_a.head.traffic_slice, open);
}

/* ---- one place ---- */

static uint64_t *words_of(const ledger *l, unsigned place)
{
    return l == &peers ? &jst_a.peers[place].sent_ops : &jst_a.collectives[place].ops;
}

static bool is_of_others(const ledger *l, unsigned place)
{
    return (place + 1) % (l->places / 2) == 0;
}

/* Without an owner, or not yet with one. */
static bool is_unused(const ledger *l, unsigned place)
{
    uint32_t tag = atomic_load_explicit(&l->sketch->tags[place], memory_order_acquire);
    return !is_of_others(l, place) && (tag == JST_TAG_FREE || tag == JST_TAG_CLAIMED);
}

static uint8_t *put_name(uint8_t *p, const ledger *l, unsigned place)
{
    if (l == &peers) {
        uint64_t key = atomic_load_explicit(&jst_a.peers[place].key, memory_order_relaxed);
        return jst_put_varint(p, key - JST_KEY_OTHERS);
    }
    const jst_collective *c = &jst_a.collectives[place];
    uint32_t root = is_of_others(l, place) ? UINT32_MAX : c->root;
    p = jst_put_varint(p, c->communicator);
    p = jst_put_varint(p, (uint32_t)(root + 1));
    return jst_put_string(p, c->operation, jst_strlen(c->operation));
}

static void weigh(const ledger *l, unsigned place, uint64_t gained)
{
    uint32_t most = UINT32_MAX / 2;
    l->weight[place] = l->weight[place] / 2 + (gained < most ? (uint32_t)gained : most);
}

/* Writes the change of a place, which counts as recorded from here on; nothing where there is
 * none. */
static uint8_t *put_place(uint8_t *p, const ledger *l, unsigned place, unsigned *next)
{
    uint64_t delta[PEER_WORDS], gained = 0;
    const uint64_t *words = words_of(l, place);
    uint8_t mask = 0;
    for (unsigned w = 0; w < l->words; w++) {
        uint64_t now = JST_LOAD(words[w]), *base = &l->base[place][w];
        /* NOTE: less, if the profile was written again: increases at that instant are lost. */
        delta[w] = now > *base ? now - *base : 0;
        *base += delta[w];
        gained += l->ops >> w & 1 ? delta[w] * JST_OP_WEIGHT : delta[w];
        mask |= (uint8_t)((delta[w] != 0) << (w + 1));
    }
    weigh(l, place, gained);
    if (!mask)
        return p;
    uint32_t claims = atomic_load_explicit(&l->sketch->claims[place], memory_order_relaxed) +
                      is_of_others(l, place);
    mask |= l->named[place] != claims;
    p = jst_put_varint(p, place - *next + 1);
    *p++ = mask;
    if (mask & 1)
        p = put_name(p, l, place);
    for (unsigned w = 0; w < l->words; w++)
        if (delta[w])
            p = jst_put_varint(p, delta[w]);
    l->named[place] = claims;
    *next = place + 1;
    return p;
}

/* ---- the owner of a place ---- */

/* A record has all that a closed place had: the next owner may take it. */
static void free_place(const ledger *l, unsigned place)
{
    l->closing[place] = false;
    l->weight[place] = 0;
    if (l == &peers)
        atomic_store(&jst_a.peers[place].key, 0);
    else
        atomic_store(&jst_a.collectives[place].state, 0);
    atomic_store_explicit(&l->sketch->tags[place], JST_TAG_FREE, memory_order_release);
}

/* Closes the lightest place of a set for one that has none and weighs more. From now on it is not
 * found; a thread that found it before has added to it long before the next boundary. */
static void make_room(const ledger *l, unsigned first, jst_rival *r)
{
    uint64_t rival = atomic_load_explicit(&r->weight, memory_order_relaxed);
    unsigned lightest = first;
    if (rival == 0) { /* it did not come again */
        atomic_store_explicit(&r->tag, 0, memory_order_relaxed);
        return;
    }
    atomic_store_explicit(&r->weight, rival / 2, memory_order_relaxed);
    for (unsigned place = first; place < first + JST_WAYS; place++) {
        if (l->closing[place] || is_unused(l, place))
            return;
        if (l->weight[place] < l->weight[lightest])
            lightest = place;
    }
    if (l->weight[lightest] >= rival / 2)
        return;
    l->closing[lightest] = true;
    atomic_store(&l->sketch->tags[lightest], JST_TAG_CLOSED);
}

static void give_places(const ledger *l)
{
    for (unsigned place = 0; place < l->places; place++)
        if (l->closing[place])
            free_place(l, place);
    for (unsigned set = 0; set < 2 * l->sketch->sets; set++) {
        unsigned table = set / l->sketch->sets, of_table = set % l->sketch->sets;
        if (atomic_load_explicit(&l->sketch->rivals[set].tag, memory_order_relaxed))
            make_room(l, table * (l->places / 2) + of_table * JST_WAYS, &l->sketch->rivals[set]);
    }
}

/* ---- records ---- */

static uint8_t *put_places(uint8_t *p, const ledger *l)
{
    unsigned next = 0;
    for (unsigned place = 0; place < l->places; place++)
        if (!is_unused(l, place))
            p = put_place(p, l, place, &next);
    *p++ = 0;
    return p;
}

static bool append_pending(int fd)
{
    if (!jst_append(fd, JST_RECORD_TRAFFIC, buffer, pending))
        return false;
    jst_record_counts(&space, pending);
    newest_end = pending_slice;
    atomic_store(&jst_a.head.traffic_slice, pending_slice);
    pending = 0;
    return true;
}

void jst_peers_tick(int fd, uint64_t slice)
{
    if (!jst_peers_are_on())
        return;
    jst_communicators_drain(fd);
    if (pending && !append_pending(fd))
        return;
    uint64_t open = atomic_load(&jst_a.head.traffic_slice);
    uint64_t end = slice > open ? slice : open + 1; /* the clock may have gone back */
    if (jst_record_waits(&space, end))
        return;
    uint8_t *const begin = buffer + JST_FRAME_GAP;
    uint8_t *p = jst_put_svarint(begin, (int64_t)(open - newest_end));
    uint8_t *head_end = p = jst_put_varint(p, end - open);
    p = put_places(put_places(p, &peers), &collectives);
    if (p == head_end + 2) {
        atomic_store(&jst_a.head.traffic_slice, slice);
    } else {
        pending = (size_t)(p - begin);
        pending_slice = end;
        if (!append_pending(fd))
            return;
        atomic_store(&jst_a.head.traffic_slice, slice);
    }
    give_places(&peers);
    give_places(&collectives);
}

/* ---- members of communicators ---- */

void jst_communicators_drain(int fd)
{
    JST_LARGE static uint8_t pieces[sizeof jst_members.data];
    JST_LARGE static uint8_t record[JST_MEMBERS_MOST + 64 + JST_FRAME_GAP];
    static uint32_t bytes, at; /* of pieces; how far they are written */
    static bool said;
    if (!jst_peers_are_on())
        return;
    if (JST_LOAD(jst_members.dropped) && !said) {
        said = true;
        jst_note(fd, jst_clock_ns(CLOCK_REALTIME),
                 "the members of some communicators are not recorded: there are too many");
    }
    if (at == bytes) {
        if (JST_LOAD(jst_members.bytes) == 0 || !jst_members_hold())
            return;
        bytes = jst_members.bytes;
        at = 0;
        jst_copy(pieces, jst_members.data, bytes);
        jst_members.bytes = 0;
        jst_members_let_go();
    }
    while (at < bytes) {
        size_t n = pieces[at] | (size_t)pieces[at + 1] << 8;
        jst_copy(record + JST_FRAME_GAP, pieces + at + 2, n);
        if (!jst_append(fd, JST_RECORD_COMMUNICATOR, record, n))
            return;
        at += (uint32_t)n + 2;
    }
}
