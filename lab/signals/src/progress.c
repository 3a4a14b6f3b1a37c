/* progress.c: shows the progress of a signal in one line on a terminal. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "run.h"
#include "sys.h"

static int64_t next_ns = INT64_MAX, began_ns;

void jst_progress_start(const struct jst_run *run, int64_t start_ns)
{
    began_ns = start_ns;
    if (run->team.world_rank == 0 && !run->options.quiet && isatty(2))
        next_ns = start_ns + JST_SECOND / 2;
}

static void put_amount(char *text, size_t size, const struct jst_run *run, double seconds)
{
    unsigned known;
    uint64_t bytes = jst_team_progress_sum((struct jst_team *)&run->team, &known);

    if (run->options.pattern->moves || run->options.pattern->amount)
        snprintf(text, size, "%.1f MiB, %.1f MiB/s%s", (double)bytes / JST_MIB,
                 (double)bytes / JST_MIB / seconds, known < run->team.world ? " by rank 0" : "");
    else
        snprintf(text, size, "%" PRIu64 " operations, %.0f/s by process 0", run->counts.operations,
                 (double)run->counts.operations / seconds);
}

static double seconds_since_begin(int64_t now)
{
    return now > began_ns ? (double)(now - began_ns) / 1e9 : 1e-9;
}

void jst_progress(struct jst_run *run, int64_t now)
{
    char text[256], amount[128];

    if (now < next_ns)
        return;
    next_ns = now + JST_SECOND / 2;
    double seconds = seconds_since_begin(now);
    put_amount(amount, sizeof amount, run, seconds);
    int n = snprintf(text, sizeof text, "\r\033[K%s, %u process%s: %.0f s, %s",
                     run->options.pattern->name, run->team.world, run->team.world > 1 ? "es" : "",
                     seconds, amount);
    if (run->options.time_ns && n > 0 && (size_t)n < sizeof text)
        snprintf(text + n, sizeof text - (size_t)n, ", %.0f s left",
                 (double)run->options.time_ns / 1e9 - seconds);
    jst_sys_say(text);
}

void jst_progress_end(struct jst_run *run, enum jst_reason reason, int64_t now)
{
    char text[5120], amount[128];

    if (next_ns == INT64_MAX)
        return;
    jst_sys_say("\r\033[K");
    if (reason == JST_REASON_ERROR)
        return;
    put_amount(amount, sizeof amount, run, seconds_since_begin(now));
    snprintf(text, sizeof text, "%s: %s in %.1f s%s%s\n", run->options.pattern->name, amount,
             seconds_since_begin(now), run->log.path[0] ? "; log: " : "", run->log.path);
    jst_sys_say(text);
}
