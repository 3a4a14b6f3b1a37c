/* main.c: from the command line to the end of the process. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/folder.h"
#include "run.h"
#include "stop.h"
#include "sys.h"

/* Decisions of rank 0 for all ranks. */
struct plan {
    int status; /* not 0: all leave with it */
    char job[sizeof((struct jst_run *)0)->job];
    char folder[sizeof((struct jst_run *)0)->folder];
    uint64_t disk;         /* bytes that all may use on disk */
    uint64_t disk_reserve; /* and that stay free */
};

static bool has_folder(const struct jst_run *run)
{
    enum jst_resource resource = run->options.pattern->resource;
    return resource == JST_FILES || resource == JST_METADATA;
}

/* ---- space on the disk ----------------------------------------------------------------------- */
/* Bytes that must fit: all that aggregate-write is to write; for the others, which remove or
 * overwrite what they wrote, a chunk of each process. */
static uint64_t disk_needed(const struct jst_run *run)
{
    const struct jst_options *o = &run->options;
    const uint64_t least = o->chunk * run->team.world;
    uint64_t all = 0;

    if (o->pattern != &jst_aggregate_write)
        return o->pattern->resource == JST_FILES ? least : 0;
    if (o->volume)
        all = o->volume;
    if (o->iterations && (!all || o->iterations < all / least))
        all = o->iterations > UINT64_MAX / 2 / least ? UINT64_MAX / 2 : o->iterations * least;
    /* If its time ends it before that, the volume need not fit: it starts its files over. */
    return all && !o->time_ns ? all : least;
}

/* A size for people: in MiB, or in GiB from one on. */
static double unit_of(uint64_t bytes)
{
    return bytes < JST_GIB ? JST_MIB : JST_GIB;
}

static const char *unit_name(uint64_t bytes)
{
    return bytes < JST_GIB ? "MiB" : "GiB";
}

static bool plan_disk(const struct jst_run *run, struct plan *plan)
{
    uint64_t space;
    const uint64_t needed = disk_needed(run);

    long result = jst_folder_space(plan->folder, &space);
    if (result < 0) {
        fprintf(stderr,
                "jostle-signal: cannot find out how much space --dir %s has: %s; choose another\n",
                run->options.dir, strerror((int)-result));
        return false;
    }
    plan->disk_reserve = space / 10;
    plan->disk = space - plan->disk_reserve;
    bool capped = run->options.max_disk && run->options.max_disk < plan->disk;
    if (capped)
        plan->disk = run->options.max_disk;
    if (needed <= plan->disk)
        return true;
    fprintf(
        stderr, "jostle-signal: %s would hold %.2f %s in --dir %s, and may hold %.2f %s (%s); %s\n",
        run->options.pattern->name, (double)needed / unit_of(needed), unit_name(needed),
        run->options.dir, (double)plan->disk / unit_of(plan->disk), unit_name(plan->disk),
        capped ? "--max-disk" : "a tenth of the free space is always left",
        run->options.pattern == &jst_aggregate_write && needed > run->options.chunk
            ? "lower --volume, --iterations or --chunk, give a --time (it then starts its files "
              "over), or choose another --dir"
            : "lower --chunk or the number of processes, or choose another --dir");
    return false;
}

/* ---- values that all know -------------------------------------------------------------------- */
static void make_plan(const struct jst_run *run, struct plan *plan)
{
    const struct jst_options *o = &run->options;

    if (o->job)
        snprintf(plan->job, sizeof plan->job, "%s", o->job);
    else
        snprintf(plan->job, sizeof plan->job, "%s-%ld", o->pattern->name, (long)getpid());
    if (!has_folder(run))
        return;
    if (!jst_folder_make(plan->folder, sizeof plan->folder, o->dir, plan->job)) {
        plan->status = JST_EXIT_USAGE;
    } else {
        if (!o->keep)
            jst_janitor_watch(plan->folder, -1);
        if (!plan_disk(run, plan))
            plan->status = JST_EXIT_USAGE;
    }
}

/* Each rank has the folder too: --dir may be another disk on another node. */
static bool follow_plan(struct jst_run *run, const struct plan *plan)
{
    memcpy(run->job, plan->job, sizeof run->job);
    memcpy(run->folder, plan->folder, sizeof run->folder);
    if (!jst_team_mpi || !run->folder[0] || run->team.world_rank == 0)
        return true;
    if (!run->options.keep)
        jst_janitor_watch(run->folder, (int)run->team.world_rank);
    long result = jst_sys_mkdir(run->folder, 0700);
    if (result < 0 && result != -EEXIST)
        return jst_fail(run,
                        "rank %u on %s cannot make %s: %s; choose a --dir that is on every node",
                        run->team.world_rank, run->host, run->folder, strerror((int)-result));
    return true;
}

/* The limit of operations of this process: the nearer one of --iterations and its part of --volume,
 * which is dealt out in whole chunks, the first ranks taking the rest. */
static void share_out(struct jst_run *run, const struct plan *plan)
{
    const struct jst_options *o = &run->options;
    const struct jst_team *t = &run->team;
    const uint64_t amount =
        o->pattern->amount ? o->pattern->amount(run) : o->pattern->moves * o->chunk;

    run->disk_share = plan->disk / t->world;
    run->disk_reserve = plan->disk_reserve;
    run->operations = o->iterations;
    run->limit = JST_REASON_ITERATIONS;
    run->first = o->iterations * t->rank;
    if (o->volume && amount) {
        uint64_t all = o->volume / amount + (o->volume % amount != 0);
        bool together = o->pattern->votes || (o->pattern->collective && o->pattern->collective(o));
        uint64_t mine = all / t->ranks + (t->rank < all % t->ranks);
        if (together) /* all make the same number */
            mine = all / t->ranks + (all % t->ranks != 0);
        if (!o->iterations || mine < o->iterations) {
            run->operations = mine;
            run->limit = JST_REASON_VOLUME;
            run->first = together ? mine * t->rank
                                  : all / t->ranks * t->rank +
                                        (t->rank < all % t->ranks ? t->rank : all % t->ranks);
        }
    }
    /* In a shared file of no known size each has a section as large as it may get. */
    if (!o->iterations && !o->volume)
        run->first = run->disk_share / o->chunk * t->rank;
}

static void split(struct jst_run *run)
{
    struct jst_options *o = &run->options;

    if (!jst_team_split(&run->team)) {
        jst_fail(run, "the communicator cannot be split; see what MPI says");
        return;
    }
    if (run->team.half[0] == 'p') {
        o->rhythm = (struct jst_rhythm){0}; /* the probe is continuous */
        return;
    }
    if ((o->volume || o->iterations) && !o->time_ns)
        o->until_stopped = true;
    o->volume = o->iterations = 0; /* the noise lasts until the probe ends */
}

/* ---- the start ----------------------------------------------------------------------------------- */
static int64_t decide_start(const struct jst_run *run)
{
    const struct jst_options *o = &run->options;
    int64_t now = jst_now();
    char text[160];

    if (!o->start_ns)
        return jst_slice_ahead(now, o->slice_ns, JST_SECOND / 5);
    if (o->start_ns < now) {
        snprintf(text, sizeof text,
                 "jostle-signal: --start has passed by %.3f s before all was ready, so it begins "
                 "late; the log records when\n",
                 (double)(now - o->start_ns) / 1e9);
        jst_sys_say(text);
    }
    return o->start_ns;
}

/* Reports once per job why it failed: others mostly have the same error. */
static void say_error(struct jst_run *run)
{
    char text[sizeof run->error + 64];

    if (!run->error[0] || jst_team_requested(&run->team) == JST_REASON_ERROR)
        return;
    jst_team_request(&run->team, JST_REASON_ERROR);
    snprintf(text, sizeof text, "%sjostle-signal: %s\n", isatty(2) ? "\r\033[K" : "", run->error);
    jst_sys_say(text);
}

/* Removes what this process made, waits for the others, removes what is left, and ends. */
__attribute__((noreturn)) static void leave(struct jst_run *run, int status)
{
    const bool removes = run->folder[0] && !run->options.keep;

    if (removes && run->team.world > 1)
        jst_folder_empty(run->folder, (int)run->team.world_rank);
    bool all = jst_team_gather(&run->team, &status);
    if (removes && run->team.world_rank == 0)
        jst_folder_remove(run->folder, -1);
    else if (removes && jst_team_mpi) /* it may be another folder, on another node's disk */
        jst_folder_remove(run->folder, all ? -1 : (int)run->team.world_rank);
    if (run->folder[0] && run->options.keep && !run->options.quiet && run->team.world_rank == 0)
        fprintf(stderr, "jostle-signal: its files are kept: %s\n", run->folder);
    /* Where a rank is missing others may still write, until they are killed: left to the
     * janitor. */
    if (jst_team_mpi ? all : run->team.world_rank == 0)
        jst_janitor_done();
    jst_team_end(&run->team, status, all);
}

static bool all_fine(struct jst_run *run)
{
    say_error(run);
    int64_t failed = run->error[0] != '\0';
    return jst_team_world_max(&run->team, &failed, 1) && !failed;
}

static bool make_ready(struct jst_run *run, int *status)
{
    static struct plan plan;

    gethostname(run->host, sizeof run->host - 1);
    if (run->team.world_rank == 0)
        make_plan(run, &plan);
    if (!jst_team_bcast(&run->team, &plan, sizeof plan)) {
        *status = JST_EXIT_FAILURE;
        return false;
    }
    follow_plan(run, &plan);
    *status = plan.status;
    if (plan.status)
        return false;
    if (run->options.split)
        split(run);
    share_out(run, &plan);
    *status = JST_EXIT_FAILURE;
    if (!all_fine(run)) /* preparing together would wait for the one that cannot */
        return false;
    run->options.pattern->prepare(run);
    return all_fine(run);
}

static int status_of(const struct jst_run *run, enum jst_reason reason)
{
    if (reason == JST_REASON_ERROR)
        return JST_EXIT_FAILURE;
    if (jst_stop_signal == SIGINT && !run->options.until_stopped)
        return JST_EXIT_SIGINT;
    return 0;
}

/* The end of the load; the final sync is left out when a process was asked to stop at once. */
static enum jst_reason finish(struct jst_run *run, enum jst_reason reason)
{
    const struct jst_pattern *pattern = run->options.pattern;
    bool flush = run->options.flush == JST_FLUSH_END;

    if (flush) {
        int64_t worst = reason;
        flush = jst_team_max(&run->team, &worst, 1) && worst < JST_REASON_SIGNAL;
    }
    if (pattern->finish && !pattern->finish(run, flush))
        return JST_REASON_ERROR;
    return reason;
}

static int run_signal(struct jst_run *run)
{
    const bool decides = run->team.world_rank == 0;
    int64_t times[2] = {decides ? decide_start(run) : 0, decides ? jst_now() : 0};

    if (!jst_team_world_max(&run->team, times, 2))
        return JST_EXIT_FAILURE;
    const int64_t start = times[0];
    if (!jst_log_open(&run->log, run, start)) {
        run->options.log = "none"; /* it has reported why */
        jst_log_open(&run->log, run, start);
        jst_fail(run, "no log");
        jst_team_request(&run->team, JST_REASON_ERROR);
    }
    if (run->prepared)
        jst_log_event(&run->log, "prepare", jst_now(), run->prepared);
    jst_progress_start(run, start);
    enum jst_reason reason = jst_run_pattern(run, start, times[1]);
    /* The probe of a split ends its noise; a process that was asked to stop, or failed, ends
     * all. */
    if (reason >= JST_REASON_SIGNAL || (run->team.half && run->team.half[0] == 'p')) {
        say_error(run);
        jst_team_request(&run->team, reason);
    }
    reason = finish(run, reason);
    int64_t end = jst_now();
    say_error(run);
    if (reason == JST_REASON_ERROR && !run->error[0])
        jst_fail(run, "another process of this signal failed");
    jst_log_end(&run->log, run, jst_reason_name(reason), end);
    jst_progress_end(run, reason, end);
    return status_of(run, reason);
}

int main(int count, char **values)
{
    static struct jst_run run;
    int status;

    if (!jst_read_options(&run.options, count, values, &status))
        return status;
    if (has_folder(&run) && !run.options.keep)
        jst_janitor_start();
    jst_stop_install();
    if (!jst_team_start(&run.team, &count, &values, run.options.processes)) {
        jst_janitor_done();
        return JST_EXIT_FAILURE;
    }
    jst_stop_install(); /* again: an MPI may have handlers of its own */
    if (make_ready(&run, &status))
        status = run_signal(&run);
    leave(&run, status);
}
