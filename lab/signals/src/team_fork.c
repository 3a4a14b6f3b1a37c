/* team_fork.c: the processes of one signal on one machine. The process that was started is rank 0
 * and forks the others, so that a signal of n processes is n processes; they communicate in a
 * shared page.
 *
 * NOTE: every process that waits checks whether the others still live: rank 0 its children, the
 * children (which the kernel also notifies, PR_SET_PDEATHSIG) rank 0. */
#ifndef JST_MPI

#include "team.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sys.h"

const char *const jst_team_mpi = NULL;

enum { MEETING = 8192, VALUES = 8 };

struct member {
    _Alignas(64) _Atomic uint64_t bytes; /* so far */
    pid_t pid;
    int status; /* of waitpid, once reaped; rank 0's own use */
    bool reaped;
    int64_t values[VALUES];
};

static struct shared {
    _Atomic int requested;  /* enum jst_reason */
    _Atomic int dead;       /* a process is gone that should not be */
    _Atomic uint32_t round; /* of the barrier; waited on */
    _Atomic uint32_t arrived;
    _Alignas(64) char meeting[MEETING];
    struct member members[];
} * shared;

static pid_t parent; /* of rank 0's children; 0 in rank 0 */
static volatile sig_atomic_t child_changed;

static void on_child(int number)
{
    (void)number;
    child_changed = 1;
}

/* Rank 0: finds which children are gone. Before the end none may be. */
static void reap(struct jst_team *team)
{
    child_changed = 0;
    for (unsigned i = 1; i < team->world; i++) {
        struct member *m = &shared->members[i];
        if (m->reaped || waitpid(m->pid, &m->status, WNOHANG) != m->pid)
            continue;
        m->reaped = true;
        if (!WIFEXITED(m->status)) {
            atomic_store(&shared->dead, 1);
            jst_team_request(team, JST_REASON_ERROR);
        }
    }
}

static bool someone_died(struct jst_team *team)
{
    if (team->world_rank == 0 && child_changed)
        reap(team);
    if (parent && getppid() != parent)
        atomic_store(&shared->dead, 1);
    return atomic_load_explicit(&shared->dead, memory_order_relaxed) != 0;
}

static bool become_child(struct jst_team *team, unsigned rank, pid_t of)
{
    parent = of;
    team->rank = team->world_rank = rank;
    shared->members[rank].pid = getpid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    return getppid() == of; /* else it died before that call */
}

bool jst_team_start(struct jst_team *team, int *count, char ***values, unsigned processes)
{
    (void)count;
    (void)values;
    pid_t self = getpid();

    *team = (struct jst_team){.ranks = processes, .world = processes};
    shared = mmap(NULL, sizeof *shared + processes * sizeof(struct member), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        fprintf(stderr, "jostle-signal: no shared memory for %u processes: %s\n", processes,
                strerror(errno));
        return false;
    }
    shared->members[0].pid = self;
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    sigaction(SIGCHLD, &action, NULL);
    for (unsigned rank = 1; rank < processes; rank++) {
        pid_t child = fork();
        if (child == 0)
            return become_child(team, rank, self);
        if (child < 0) {
            fprintf(stderr,
                    "jostle-signal: process %u of %u cannot be started: %s; start fewer by "
                    "--processes\n",
                    rank + 1, processes, strerror(errno));
            for (unsigned i = 1; i < rank; i++)
                kill(shared->members[i].pid, SIGKILL);
            return false;
        }
        shared->members[rank].pid = child;
    }
    return true;
}

bool jst_team_split(struct jst_team *team)
{
    (void)team;
    return false;
}

static long futex(_Atomic uint32_t *word, int operation, uint32_t value,
                  const struct timespec *time)
{
    return syscall(SYS_futex, (uint32_t *)word, operation, value, time, NULL, 0);
}

bool jst_team_barrier(struct jst_team *team)
{
    static const struct timespec look = {0, 50 * 1000000};
    uint32_t round = atomic_load(&shared->round);

    if (atomic_fetch_add(&shared->arrived, 1) + 1 == team->world) {
        atomic_store(&shared->arrived, 0);
        atomic_fetch_add(&shared->round, 1);
        futex(&shared->round, FUTEX_WAKE, INT_MAX, NULL);
        return !someone_died(team);
    }
    while (atomic_load(&shared->round) == round) {
        if (someone_died(team))
            return false;
        futex(&shared->round, FUTEX_WAIT, round, &look);
    }
    return true;
}

bool jst_team_bcast(struct jst_team *team, void *data, size_t size)
{
    for (size_t at = 0; at < size; at += MEETING) {
        size_t part = size - at < MEETING ? size - at : MEETING;
        if (team->world_rank == 0)
            memcpy(shared->meeting, (char *)data + at, part);
        if (!jst_team_barrier(team))
            return false;
        if (team->world_rank != 0)
            memcpy((char *)data + at, shared->meeting, part);
        if (!jst_team_barrier(team))
            return false;
    }
    return true;
}

static bool combine(struct jst_team *team, int64_t *values, unsigned count, bool sum)
{
    if (count > VALUES)
        return false;
    memcpy(shared->members[team->world_rank].values, values, count * sizeof *values);
    if (!jst_team_barrier(team))
        return false;
    for (unsigned i = 0; i < team->world; i++)
        for (unsigned v = 0; i != team->world_rank && v < count; v++) {
            int64_t other = shared->members[i].values[v];
            values[v] = sum ? values[v] + other : other > values[v] ? other : values[v];
        }
    return jst_team_barrier(team);
}

bool jst_team_max(struct jst_team *team, int64_t *values, unsigned count)
{
    return combine(team, values, count, false);
}

bool jst_team_world_max(struct jst_team *team, int64_t *values, unsigned count)
{
    return combine(team, values, count, false);
}

bool jst_team_sum(struct jst_team *team, int64_t *values, unsigned count)
{
    return combine(team, values, count, true);
}

void jst_team_request(struct jst_team *team, enum jst_reason reason)
{
    int before = atomic_load(&shared->requested);
    (void)team;
    while (before < (int)reason &&
           !atomic_compare_exchange_weak(&shared->requested, &before, (int)reason))
        ;
}

enum jst_reason jst_team_requested(struct jst_team *team)
{
    if (child_changed)
        someone_died(team);
    return (enum jst_reason)atomic_load_explicit(&shared->requested, memory_order_relaxed);
}

void jst_team_progress(struct jst_team *team, uint64_t bytes)
{
    atomic_store_explicit(&shared->members[team->world_rank].bytes, bytes, memory_order_relaxed);
}

uint64_t jst_team_progress_sum(struct jst_team *team, unsigned *ranks_known)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < team->world; i++)
        sum += atomic_load_explicit(&shared->members[i].bytes, memory_order_relaxed);
    *ranks_known = team->world;
    return sum;
}

/* ---- no messages here: the patterns that send any need MPI ---------------------------------- */
bool jst_team_send(struct jst_team *team, unsigned to, const void *data, size_t size)
{
    (void)team, (void)to, (void)data, (void)size;
    return false;
}

bool jst_team_receive(struct jst_team *team, unsigned from, void *data, size_t size)
{
    (void)team, (void)from, (void)data, (void)size;
    return false;
}

bool jst_team_exchange(struct jst_team *team, unsigned with, const void *out, void *in, size_t size)
{
    (void)team, (void)with, (void)out, (void)in, (void)size;
    return false;
}

bool jst_team_all_to_all(struct jst_team *team, const void *out, void *in, size_t size)
{
    (void)team, (void)out, (void)in, (void)size;
    return false;
}

bool jst_team_incast(struct jst_team *team, const void *out, void *in, size_t size)
{
    (void)team, (void)out, (void)in, (void)size;
    return false;
}

/* ---- the end --------------------------------------------------------------------------------- */
static void say_how(unsigned rank, pid_t pid, int status)
{
    char text[256];
    if (!WIFSIGNALED(status))
        return; /* it has reported itself why it failed */
    snprintf(text, sizeof text,
             "jostle-signal: process %u (pid %ld) was killed by signal %d (%s), so all were "
             "stopped; their files are removed\n",
             rank, (long)pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
    jst_sys_say(text);
}

bool jst_team_gather(struct jst_team *team, int *status)
{
    bool all = true;

    for (unsigned i = 1; team->world_rank == 0 && i < team->world; i++) {
        struct member *m = &shared->members[i];
        while (!m->reaped && waitpid(m->pid, &m->status, 0) < 0 && errno == EINTR)
            ;
        m->reaped = true;
        int of = WIFEXITED(m->status) ? WEXITSTATUS(m->status) : 1;
        say_how(i, m->pid, m->status);
        all = all && WIFEXITED(m->status);
        /* A failure is more important than how the user ended it. */
        if (of && (*status == 0 || *status > of))
            *status = of;
    }
    return all;
}

void jst_team_end(struct jst_team *team, int status, bool clean)
{
    (void)team;
    (void)clean;
    exit(status);
}

#endif
