/* roster.h: world ranks of the ranks of a communicator or a window (roster.c). Part of adapter.h.
 */
#ifndef JST_ROSTER_H
#define JST_ROSTER_H

/* From which ranks a rank receives and to which it sends in a neighbourhood collective: world
 * ranks, or JST_MPI_NO_PEER. */
typedef struct jst_neighbours {
    uint32_t in, out;
    uint32_t ranks[]; /* in, then out */
} jst_neighbours;

/* Ranks of a communicator (of an inter-communicator: of the other group) or of a window. Such a record
 * is never freed, but used again for another handle. */
typedef struct jst_roster {
    uintptr_t handle; /* 0: free */
    uint32_t *world;  /* world ranks, or JST_MPI_NO_PEER, JST_NOT_ASKED; NULL: the same ranks */
    jst_neighbours *neighbours;
    struct jst_roster *next;
    uint32_t size;
    uint32_t id;    /* as in jst_peer_communicator */
    uint32_t stamp; /* changes when the handle is freed */
    bool members;   /* it is an intra-communicator of several members, and id is theirs */
    bool passed;    /* to the host */
    bool window;
} jst_roster;

#define JST_ROSTER_CACHE 64u
extern jst_roster *jst_roster_cache[JST_ROSTER_CACHE];
extern jst_roster *jst_roster_world; /* that of MPI_COMM_WORLD; NULL: not made yet */

jst_roster *jst_roster_slow(MPI_Comm comm);
jst_roster *jst_roster_of_window_slow(MPI_Win win);
void jst_roster_drop(uintptr_t handle);
uint32_t jst_ask_world(const jst_roster *ranks, uint32_t rank);
void jst_pass_communicator(jst_roster *ranks);
/** Neighbours in comm's topology, NULL: none, or memory is short. */
const jst_neighbours *jst_neighbours_of(MPI_Comm comm);

#define JST_NOT_ASKED 0xfffffffeu

static inline jst_roster *jst_roster_known(uintptr_t handle)
{
    jst_roster *ranks =
        __atomic_load_n(&jst_roster_cache[(handle ^ handle >> 6 ^ handle >> 12) % JST_ROSTER_CACHE],
                        __ATOMIC_ACQUIRE);
    return ranks && __atomic_load_n(&ranks->handle, __ATOMIC_ACQUIRE) == handle ? ranks : NULL;
}

/** NULL: not known (no MPI_COMM_WORLD, memory is short). */
static inline __attribute__((always_inline)) jst_roster *jst_roster_of(MPI_Comm comm)
{
    jst_roster *ranks = comm == __atomic_load_n(&jst_world, __ATOMIC_RELAXED)
                            ? __atomic_load_n(&jst_roster_world, __ATOMIC_ACQUIRE)
                            : jst_roster_known(jst_key((uintptr_t)comm));
    return JST_LIKELY(ranks != NULL) ? ranks : jst_roster_slow(comm);
}

static inline uint32_t jst_world_rank(const jst_roster *ranks, int rank)
{
    if (!ranks || rank < 0 || (uint32_t)rank >= ranks->size) { /* MPI_PROC_NULL, MPI_ANY_SOURCE */
        return JST_MPI_NO_PEER;
    }
    if (!ranks->world) {
        return (uint32_t)rank;
    }
    const uint32_t world = __atomic_load_n(&ranks->world[rank], __ATOMIC_RELAXED);
    return JST_LIKELY(world != JST_NOT_ASKED) ? world : jst_ask_world(ranks, (uint32_t)rank);
}

/** World rank of a one-sided call's target. */
static inline uint32_t jst_target(int rank, MPI_Win win)
{
    if (rank < 0 || !jst_host.peers) {
        return JST_MPI_NO_PEER;
    }
    const jst_roster *ranks = jst_roster_known(jst_key((uintptr_t)win));
    return jst_world_rank(JST_LIKELY(ranks != NULL) ? ranks : jst_roster_of_window_slow(win), rank);
}

/** Passes the members of a communicator to the host, as far as they are known. */
static inline jst_roster *jst_pass(jst_roster *ranks)
{
    if (ranks && ranks->members && !JST_LIKELY(__atomic_load_n(&ranks->passed, __ATOMIC_RELAXED))) {
        jst_pass_communicator(ranks);
    }
    return ranks;
}

static inline void jst_pass_sent(uint32_t rank, uint64_t bytes)
{
    if (rank != JST_MPI_NO_PEER) {
        jst_host.sent(rank, bytes);
    }
}

static inline void jst_pass_received(uint32_t rank, uint64_t bytes)
{
    if (rank != JST_MPI_NO_PEER) {
        jst_host.received(rank, bytes, false);
    }
}

/** Sets the collective and communicator of a call whose record has no partner yet; root: a rank of
 *  it, or -1. */
static inline __attribute__((always_inline)) void
jst_set_collective(jst_mpi_call *call, const char *name, jst_roster *ranks, int root)
{
    if (!ranks || !ranks->members) {
        return;
    }
    if (!JST_LIKELY(__atomic_load_n(&ranks->passed, __ATOMIC_RELAXED))) {
        jst_pass_communicator(ranks);
    }
    call->collective = name;
    call->communicator = ranks->id;
    if (root >= 0) {
        call->peer = jst_world_rank(ranks, root);
    }
}

#endif
