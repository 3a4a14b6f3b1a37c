/* beegfs.c: samples each client's requests to BeeGFS's servers, as reported by beegfs-ctl (7.x) on
 * the management host.
 *
 * There are no cumulative counters in the kernel, so a program has to be run, which queries all
 * servers: once for a file system, not on every client. A client's numbers are sums over servers:
 * when a server restarts they go back by its counts, and the client's requests meanwhile are not
 * known.
 */
#include "beegfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "beegfs_text.h"
#include "child.h"

#define CTL "/usr/bin/beegfs-ctl"
#define MANAGEMENT "/opt/beegfs/sbin/beegfs-mgmtd" /* where the management host has it */
#define CLIENTS 4096
#define SHARE 50 /* runs that took t of CPU are followed by a pause of 50 t: 2 % of a core */

static char *const of_storage[] = {
    CTL, "--clientstats", "--nodetype=storage", "--interval=0", "--rwunit=B", "--maxlines=4096",
    NULL};
static char *const of_meta[] = {
    CTL, "--clientstats", "--nodetype=meta", "--interval=0", "--rwunit=B", "--maxlines=4096", NULL};
static jst_child children[2] = {{.arguments = of_storage}, {.arguments = of_meta}};
static int deadline_ms = 30000;

static char output[1 << 20];

/* A client with its counts, by either kind of server. */
static struct {
    jst_beegfs_client now;
    uint64_t before[JST_BEEGFS_CELLS];
} clients[CLIENTS];
static int count;
static bool too_many;
static int64_t rest_until_ns;

static int64_t clock_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void take_client(void *to, const jst_beegfs_client *client)
{
    (void)to;
    int i = 0;
    while (i < count && strcmp(clients[i].now.name, client->name) != 0)
        i++;
    if (i == CLIENTS) {
        too_many = true;
        return;
    }
    if (i == count) {
        memset(&clients[i], 0, sizeof clients[i]);
        memcpy(clients[i].now.name, client->name, sizeof client->name);
        count++;
    }
    clients[i].now.unknown |= client->unknown;
    for (unsigned m = 0; m < JST_BEEGFS_CELLS; m++)
        clients[i].now.value[m] += client->value[m];
}

static bool is_time(unsigned metric)
{
    return metric == JST_STORAGE_READ_NS || metric == JST_STORAGE_WRITE_NS ||
           metric == JST_STORAGE_META_NS;
}

static void report(jst_sample *s, bool failed)
{
    for (int i = 0; i < count; i++) {
        jst_component *c =
            jst_component_of(s, &(jst_names){.kind = JST_KIND_BEEGFS_CLIENT,
                                             .name = clients[i].now.name,
                                             .source = "beegfs_nodev"}); /* as in mounts */
        for (unsigned m = 0; m < JST_BEEGFS_CELLS; m++) {
            if (is_time(m))
                continue;
            bool lost = failed || clients[i].now.unknown >> m & 1 ||
                        clients[i].now.value[m] < clients[i].before[m];
            if (lost)
                jst_unknown(c, (enum jst_component_metric)m);
            else
                jst_counter(c, (enum jst_component_metric)m, clients[i].now.value[m]);
            if (!failed)
                clients[i].before[m] = clients[i].now.value[m];
        }
    }
}

static const char *open_beegfs(void)
{
    static char *const management[] = {MANAGEMENT, NULL};
    if (!jst_child_there(&(jst_child){.arguments = management}))
        return "not a BeeGFS management host (" MANAGEMENT ")";
    return jst_child_there(&children[0]) ? NULL : "no " CTL;
}

/* Runs both. Returns NULL, or the error. */
static const char *run(void)
{
    int64_t own = clock_of(CLOCK_THREAD_CPUTIME_ID), used = 0, cpu_ns;
    const char *why = NULL;
    for (int i = 0; i < 2 && !why; i++) {
        long n = jst_child_run(&children[i], output, sizeof output, deadline_ms, &cpu_ns);
        used += cpu_ns;
        if (n == -ETIMEDOUT)
            why = "beegfs-ctl did not answer";
        else if (n < 0)
            why = "beegfs-ctl failed, or its output is too long";
        else if (!jst_beegfs_clients(output, (size_t)n, take_client, NULL))
            why = "the output of beegfs-ctl was cut off";
    }
    used += clock_of(CLOCK_THREAD_CPUTIME_ID) - own;
    rest_until_ns = clock_of(CLOCK_MONOTONIC) + used * SHARE;
    return why;
}

static const char *sample_beegfs(jst_sample *s)
{
    int64_t left = rest_until_ns - clock_of(CLOCK_MONOTONIC);
    if (left > 0)
        nanosleep(&(struct timespec){left / 1000000000, left % 1000000000}, NULL);
    for (int i = 0; i < count; i++) {
        memset(clients[i].now.value, 0, sizeof clients[i].now.value);
        clients[i].now.unknown = 0;
    }
    too_many = false;
    const char *why = run();
    report(s, why != NULL);
    return why || !too_many ? why : "BeeGFS has more clients than are followed";
}

const jst_source jst_source_beegfs = {
    .name = "beegfs", .program = MANAGEMENT, .open = open_beegfs, .sample = sample_beegfs};
