/* main.c: jostle-probe: measures how long a small message takes between each two nodes of a job.
 *
 *     mpirun -n N --map-by node jostle-probe FILE REPEATS SEED
 *
 * One rank of each node takes part. Each pair plays ping-pong, several times REPEATS times; the
 * shortest time counts, which others' load changes least. Rank 0 writes FILE: a,b,latency_ns.
 * `jostle topology probe` starts it, `jostle topology import` reads FILE. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#include "rounds.h"

enum { NAME = 256, WARM = 5, SWEEPS = 5, TAG = 1, MOST_REPEATS = 1000000, ONE_BY_ONE = 128 };
enum { TURN_NS = 100000, REST_NS = 10000000 }; /* how long waiting ranks sleep */

struct probe {
    MPI_Comm nodes; /* one rank of each node */
    int size, rank;
    char *names;  /* of all nodes, NAME bytes each */
    double *best; /* from here to each other, ns */
    unsigned long repeats;
    uint64_t seed;
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Reads a whole number from 1 to most; 0: it is none. */
static unsigned long number_of(const char *text, unsigned long most)
{
    char *end = NULL;

    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    return errno || end == text || *end || value > most || *text == '-' ? 0 : value;
}

/* ---- the ranks that take part ---------------------------------------------------------------- */
/* Makes `nodes` of the first rank of each host; the others get MPI_COMM_NULL. */
static bool choose_nodes(struct probe *probe)
{
    int world = 0, me = 0;
    char own[NAME] = "";

    MPI_Comm_size(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    gethostname(own, sizeof own - 1);
    char *names = calloc((size_t)world, NAME);
    if (!names)
        return false;
    MPI_Allgather(own, NAME, MPI_CHAR, names, NAME, MPI_CHAR, MPI_COMM_WORLD);
    bool first = true;
    for (int rank = 0; rank < me && first; rank++)
        first = strcmp(names + (size_t)rank * NAME, own) != 0;
    free(names);
    MPI_Comm_split(MPI_COMM_WORLD, first ? 0 : MPI_UNDEFINED, me, &probe->nodes);
    if (!first)
        return true;
    MPI_Comm_size(probe->nodes, &probe->size);
    MPI_Comm_rank(probe->nodes, &probe->rank);
    probe->names = calloc((size_t)probe->size, NAME);
    probe->best = calloc((size_t)probe->size, sizeof *probe->best);
    if (!probe->names || !probe->best)
        return false;
    MPI_Allgather(own, NAME, MPI_CHAR, probe->names, NAME, MPI_CHAR, probe->nodes);
    return true;
}

/* ---- measuring --------------------------------------------------------------------------------- */
/* Plays ping-pong with a partner; the one with the lower number begins, and measures. */
static void play(struct probe *probe, int partner)
{
    char ball[8] = "";
    double shortest = 0;

    for (unsigned long k = 0; k < WARM + probe->repeats; k++) {
        double begin = now_ns();
        if (probe->rank < partner) {
            MPI_Send(ball, sizeof ball, MPI_CHAR, partner, TAG, probe->nodes);
            MPI_Recv(ball, sizeof ball, MPI_CHAR, partner, TAG, probe->nodes, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(ball, sizeof ball, MPI_CHAR, partner, TAG, probe->nodes, MPI_STATUS_IGNORE);
            MPI_Send(ball, sizeof ball, MPI_CHAR, partner, TAG, probe->nodes);
        }
        double half = (now_ns() - begin) / 2;
        if (k >= WARM && (shortest == 0 || half < shortest))
            shortest = half;
    }
    double *best = &probe->best[partner];
    if (probe->rank < partner && (*best == 0 || shortest < *best))
        *best = shortest;
}

/* Waits for all without taking a core from those that measure. */
static void wait_for(MPI_Comm comm, long pause_ns)
{
    MPI_Request request;
    int done = 0;

    MPI_Ibarrier(comm, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
    }
}

/* One round: few nodes measure pair after pair, so that none disturbs another; many all at once. */
static void play_round(struct probe *probe, uint32_t round)
{
    const uint32_t n = (uint32_t)probe->size, me = (uint32_t)probe->rank;
    const uint32_t partner = jst_round_partner(n, round, me);

    if (n > ONE_BY_ONE) {
        if (partner < n)
            play(probe, (int)partner);
        MPI_Barrier(probe->nodes);
        return;
    }
    for (uint32_t first = 0; first < n; first++) {
        uint32_t second = jst_round_partner(n, round, first);
        if (second >= n || second < first)
            continue;
        if (me == first || me == second)
            play(probe, (int)partner);
        wait_for(probe->nodes, TURN_NS);
    }
}

static bool measure(struct probe *probe)
{
    const uint32_t rounds = jst_rounds((uint32_t)probe->size);
    uint32_t *order = calloc(rounds + 1, sizeof *order);

    if (!order)
        return false;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        jst_rounds_order(order, rounds, probe->seed + (uint64_t)sweep);
        for (uint32_t k = 0; k < rounds; k++)
            play_round(probe, order[k]);
    }
    free(order);
    return true;
}

/* ---- the file ---------------------------------------------------------------------------------- */
/* Writes all pairs; 0, or the error's number. */
static int write_pairs(const struct probe *probe, const double *all, const char *path)
{
    char part[PATH_MAX];

    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
        return ENAMETOOLONG;
    FILE *file = fopen(part, "w");
    if (!file)
        return errno;
    fprintf(file, "a,b,latency_ns\n");
    for (int a = 0; a < probe->size; a++)
        for (int b = a + 1; b < probe->size; b++)
            fprintf(file, "%s,%s,%.0f\n", probe->names + (size_t)a * NAME,
                    probe->names + (size_t)b * NAME, all[(size_t)a * (size_t)probe->size + b]);
    bool wrote = !ferror(file);
    int error = fclose(file) != 0 || !wrote ? errno : 0;
    if (!error && rename(part, path) != 0)
        error = errno;
    if (error)
        unlink(part);
    return error;
}

static int collect(struct probe *probe, const char *path)
{
    double *all = NULL;
    int error = 0;

    if (probe->rank == 0)
        all = calloc((size_t)probe->size * (size_t)probe->size, sizeof *all);
    MPI_Gather(probe->best, probe->size, MPI_DOUBLE, all, probe->size, MPI_DOUBLE, 0, probe->nodes);
    if (probe->rank == 0) {
        error = all ? write_pairs(probe, all, path) : ENOMEM;
        if (error)
            fprintf(stderr, "jostle-probe: %s cannot be written: %s; choose another --out\n", path,
                    strerror(error));
        else
            fprintf(stderr, "%d nodes measured; next: jostle topology import %s\n", probe->size,
                    path);
    }
    free(all);
    return error;
}

int main(int argc, char **argv)
{
    struct probe probe = {.nodes = MPI_COMM_NULL};
    int error = 0;

    MPI_Init(&argc, &argv);
    unsigned long repeats = argc == 4 ? number_of(argv[2], MOST_REPEATS) : 0;
    unsigned long seed = argc == 4 ? number_of(argv[3], ULONG_MAX) : 0;
    if (!repeats || !seed) {
        fprintf(stderr, "usage: jostle-probe FILE REPEATS SEED\n");
        MPI_Finalize();
        return 2;
    }
    probe.repeats = repeats;
    probe.seed = seed;
    if (!choose_nodes(&probe))
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (probe.nodes != MPI_COMM_NULL && probe.size < 2) {
        fprintf(stderr, "jostle-probe: all ranks are on one node; start one on each of several\n");
        error = EINVAL;
    } else if (probe.nodes != MPI_COMM_NULL) {
        if (!measure(&probe))
            MPI_Abort(MPI_COMM_WORLD, 1);
        error = collect(&probe, argv[1]);
    }
    wait_for(MPI_COMM_WORLD, REST_NS);
    free(probe.names);
    free(probe.best);
    MPI_Finalize();
    return error ? 1 : 0;
}
