/* peer_table.h: shared declarations of peers.c and peer_record.c.
 *
 * Each kind of table exists twice: the thread that initialised MPI adds to the first by plain additions,
 * all others to the second by atomic ones. A table is sets of WAYS places, and one place more for all that
 * has none. The set of a key is a hash of it, so that a look-up costs the same whether the table is
 * empty or full. */
#ifndef JST_PEER_TABLE_H
#define JST_PEER_TABLE_H

#include "common.h"
#include "profile/area.h"

#define JST_WAYS 8u
#define JST_PEER_SETS 15u
#define JST_COLLECTIVE_SETS 4u
#define JST_PLACES_OF(sets) ((sets)*JST_WAYS + 1) /* the last is that of all others */
_Static_assert(2 * JST_PLACES_OF(JST_PEER_SETS) == JST_PEERS, "partners");
_Static_assert(2 * JST_PLACES_OF(JST_COLLECTIVE_SETS) == JST_COLLECTIVES, "collectives");

/* Tags of places without an owner. */
#define JST_TAG_FREE 0u
#define JST_TAG_CLAIMED 0xfffffffeu /* a thread is writing its owner */
#define JST_TAG_CLOSED 0xffffffffu  /* the heartbeat takes it from its owner */

#define JST_KEY_OTHERS 1u
#define JST_KEY_FIRST 2u
#define JST_COLLECTIVE_NAMED 2u
#define JST_OP_WEIGHT 64u /* a message weighs as much as so many bytes */

/* The heaviest of those that found their set full. Only a hint: updates may get lost. */
typedef struct jst_rival {
    _Atomic uint32_t tag;
    _Atomic uint64_t weight;
} jst_rival;

typedef struct jst_sketch {
    _Atomic uint32_t *tags;   /* per place */
    _Atomic uint32_t *claims; /* per place: how often it got another owner */
    jst_rival *rivals;        /* per set */
    unsigned sets;            /* of one of the two tables */
} jst_sketch;

extern JST_HIDDEN const jst_sketch jst_peer_sketch, jst_collective_sketch;
extern JST_HIDDEN _Atomic bool jst_peers_on;

static inline bool jst_peers_are_on(void)
{
    return atomic_load_explicit(&jst_peers_on, memory_order_acquire);
}

/* Communicators that wait for a record. */
typedef struct jst_member_queue {
    _Atomic bool busy;
    uint32_t bytes;   /* of pieces: u16 length, payload of a 'U' record */
    uint32_t dropped; /* communicators that are not recorded */
    uint8_t data[8192];
} jst_member_queue;

extern JST_HIDDEN jst_member_queue jst_members;
bool jst_members_hold(void);
void jst_members_let_go(void);

void jst_peer_records_begin(void);

#endif
