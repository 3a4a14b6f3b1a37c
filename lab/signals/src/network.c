/* network.c: load on the network between the ranks of an MPI job.
 *
 * ping: rank i of the lower half sends a message to rank i + n/2, which sends one back.
 * all-to-all: one MPI_Alltoall.
 * incast: all ranks send a message to rank 0 at once, and get a short answer when it has them all.
 *
 * Bytes are those that a process sends: its part of the load, counted once on the whole job.
 *
 * RATIONALE: ranks must agree when to stop and when a burst is over, or one waits for ever for a
 * message that no rank sends. A separate agreement per operation would be a load of its own, and
 * would take longer than a ping. So it is part of the messages: each message begins with its
 * sender's vote, cast before the operation ("this is my last of the burst, because..."), the
 * greatest vote decides, and all ranks of the operation know it. */
#include "signal.h"

#include <stdio.h>
#include <string.h>

typedef uint64_t vote_t;
enum { VOTE = sizeof(vote_t) };
static const uint64_t largest = JST_GIB; /* MPI counts bytes in an int */

struct buffers {
    char *out, *in;
    size_t size; /* of a message */
};

static bool together(const struct jst_options *options)
{
    (void)options;
    return true;
}

static bool fits(const struct jst_options *options, char *why, size_t size)
{
    if (options->chunk < VOTE || options->chunk > largest) {
        snprintf(why, size,
                 "a message cannot have %llu bytes: it has at least %d (the ranks' agreement when "
                 "to stop travels in it) and at most 1 GiB; change --chunk",
                 (unsigned long long)options->chunk, VOTE);
        return false;
    }
    return true;
}

/* Buffers for so many messages each way; the counts of ranks that a pattern needs. */
static bool prepare(struct jst_run *run, unsigned messages, unsigned ranks, bool even)
{
    static struct buffers buffers;
    void *memory;

    if (run->team.ranks < ranks || (even && run->team.ranks % 2 != 0)) {
        return jst_fail(run, "%s needs %s ranks%s, and here %s %u: mpirun -n %u",
                        run->options.pattern->name, even ? "an even number of" : "at least two",
                        run->team.half != NULL ? " in each half" : "",
                        run->team.ranks == 1 ? "is" : "are", run->team.ranks,
                        run->team.half != NULL ? 8 : 4);
    }
    buffers.size = run->options.chunk;
    if (!jst_allocate(run, 2 * messages * buffers.size, "the messages", &memory)) {
        return false;
    }
    buffers.out = memory;
    buffers.in = buffers.out + messages * buffers.size;
    jst_fill_random(buffers.out, messages * buffers.size, 1 + run->team.world_rank);
    run->state = &buffers;
    return true;
}

static void cast(struct jst_run *run, char *message)
{
    vote_t vote = (vote_t)run->vote;
    memcpy(message, &vote, VOTE);
}

/* The greatest vote so far; a value that cannot be a vote (a damaged message) is an error. */
static void heed(struct jst_run *run, const char *message)
{
    vote_t vote;
    memcpy(&vote, message, VOTE);
    if (vote > JST_REASON_ERROR) {
        vote = JST_REASON_ERROR;
    }
    if ((enum jst_reason)vote > run->verdict) {
        run->verdict = (enum jst_reason)vote;
    }
}

static bool lost(struct jst_run *run)
{
    return jst_fail(run, "a message failed: a rank is gone; see its messages");
}

static void sent(struct jst_run *run, uint64_t messages, uint64_t bytes)
{
    run->counts.messages += messages;
    run->moved += bytes;
}

/* ---- ping ------------------------------------------------------------------------------------ */

static bool ping_prepare(struct jst_run *run)
{
    return prepare(run, 1, 2, true);
}

static bool ping_step(struct jst_run *run)
{
    struct buffers *b = run->state;
    unsigned half = run->team.ranks / 2, rank = run->team.rank;
    bool first = rank < half;
    unsigned partner = first ? rank + half : rank - half;
    bool good;

    run->verdict = run->vote;
    cast(run, b->out);
    if (first) {
        good = jst_team_send(&run->team, partner, b->out, b->size) &&
               jst_team_receive(&run->team, partner, b->in, b->size);
    } else {
        good = jst_team_receive(&run->team, partner, b->in, b->size) &&
               jst_team_send(&run->team, partner, b->out, b->size);
    }
    if (!good) {
        return lost(run);
    }
    heed(run, b->in);
    sent(run, 1, b->size);
    return true;
}

/* ---- all-to-all ------------------------------------------------------------------------------ */

static uint64_t all_to_all_amount(const struct jst_run *run)
{
    return run->team.ranks * run->options.chunk;
}

static bool all_to_all_prepare(struct jst_run *run)
{
    return prepare(run, run->team.ranks, 2, false);
}

static bool all_to_all_step(struct jst_run *run)
{
    struct buffers *b = run->state;

    run->verdict = run->vote;
    for (unsigned i = 0; i < run->team.ranks; i++) {
        cast(run, b->out + i * b->size);
    }
    if (!jst_team_all_to_all(&run->team, b->out, b->in, b->size)) {
        return lost(run);
    }
    for (unsigned i = 0; i < run->team.ranks; i++) {
        heed(run, b->in + i * b->size);
    }
    sent(run, run->team.ranks - 1, all_to_all_amount(run));
    return true;
}

/* ---- incast ---------------------------------------------------------------------------------- */

/* The mean over the ranks, of which rank 0 sends only short answers: all make equally many
 * operations. */
static uint64_t incast_amount(const struct jst_run *run)
{
    uint64_t mean = (run->options.chunk + VOTE) * (run->team.ranks - 1) / run->team.ranks;
    return mean > 0 ? mean : 1;
}

static bool incast_prepare(struct jst_run *run)
{
    return prepare(run, run->team.rank == 0 ? run->team.ranks : 1, 2, false);
}

static bool answer(struct jst_run *run, const struct buffers *b)
{
    for (unsigned i = 1; i < run->team.ranks; i++) {
        heed(run, b->in + i * b->size);
    }
    for (unsigned i = 1; i < run->team.ranks; i++) {
        vote_t verdict = (vote_t)run->verdict;
        if (!jst_team_send(&run->team, i, &verdict, VOTE)) {
            return lost(run);
        }
    }
    sent(run, run->team.ranks - 1, (uint64_t)VOTE * (run->team.ranks - 1));
    return true;
}

static bool incast_step(struct jst_run *run)
{
    struct buffers *b = run->state;
    char verdict[VOTE];

    run->verdict = run->vote;
    cast(run, b->out);
    if (!jst_team_incast(&run->team, b->out, b->in, b->size)) {
        return lost(run);
    }
    if (run->team.rank == 0) {
        return answer(run, b);
    }
    if (!jst_team_receive(&run->team, 0, verdict, VOTE)) {
        return lost(run);
    }
    heed(run, verdict);
    sent(run, 1, b->size);
    return true;
}

const struct jst_pattern jst_ping = {
    .name = "ping",
    .operation = "a message to the partner (rank i to i + n/2) and one back",
    .resource = JST_NETWORK,
    .flush = JST_FLUSH_NONE,
    .moves = 1,
    .needs_mpi = true,
    .votes = true,
    .collective = together,
    .fits = fits,
    .prepare = ping_prepare,
    .step = ping_step,
};

const struct jst_pattern jst_all_to_all = {
    .name = "all-to-all",
    .operation = "one MPI_Alltoall: a message from every rank to every rank",
    .resource = JST_NETWORK,
    .flush = JST_FLUSH_NONE,
    .needs_mpi = true,
    .votes = true,
    .amount = all_to_all_amount,
    .collective = together,
    .fits = fits,
    .prepare = all_to_all_prepare,
    .step = all_to_all_step,
};

const struct jst_pattern jst_incast = {
    .name = "incast",
    .operation = "a message from every rank to rank 0, and a short answer",
    .resource = JST_NETWORK,
    .flush = JST_FLUSH_NONE,
    .needs_mpi = true,
    .votes = true,
    .amount = incast_amount,
    .collective = together,
    .fits = fits,
    .prepare = incast_prepare,
    .step = incast_step,
};
