/* run.c: the loop of a signal. A run is a sequence of windows in which the signal is on (one
 * without end when it is sustained); in each, operations follow each other until the window or the
 * run is over.
 *
 * Of most patterns each process decides for itself. Where all must make the same operations (the
 * pattern is collective) they agree: before each operation, or, when the pattern votes, in its
 * messages; and once before each window, 60 ms ahead of it, so that none enters one that another
 * has given up. */
#include "run.h"

#include "stop.h"

static const int64_t meeting_ahead = 60 * JST_MS;

struct loop {
    struct jst_run *run;
    const struct jst_pattern *pattern;
    bool collective;
    bool
        finished; /* a voting process that has made all its operations, and still meets the others */
    int64_t start_ns, deadline_ns;
    int64_t took_ns; /* by the last operation */
};

static enum jst_reason asked_to_stop(struct jst_run *run)
{
    if (run->error[0])
        return JST_REASON_ERROR;
    if (jst_stop_signal)
        return JST_REASON_SIGNAL;
    return jst_team_requested(&run->team);
}

static enum jst_reason limit_reached(const struct jst_run *run, uint64_t operations)
{
    return run->operations && operations >= run->operations ? run->limit : JST_GO_ON;
}

static enum jst_reason time_over(const struct loop *loop, const struct jst_window *window,
                                 int64_t now)
{
    if (now >= loop->deadline_ns)
        return JST_REASON_TIME;
    return now >= window->end_ns ? JST_BURST_OVER : JST_GO_ON;
}

static enum jst_reason agree(struct jst_run *run, enum jst_reason mine)
{
    int64_t value = mine;
    return jst_team_max(&run->team, &value, 1) ? (enum jst_reason)value : JST_REASON_SIGNAL;
}

/* Why the next operation shall not be made; now is when the last one ended. */
static enum jst_reason before_step(struct loop *loop, const struct jst_window *window, int64_t now)
{
    struct jst_run *run = loop->run;
    /* The first operation of a window begins on time; agreeing with others may take a while
     * (clock.c). */
    enum jst_reason mine = run->log.burst_operations || jst_stop_signal || run->error[0]
                               ? asked_to_stop(run)
                               : JST_GO_ON;

    if (loop->pattern->votes) {
        int64_t then = now + loop->took_ns; /* when this one will probably have ended */
        run->vote = mine;
        if (!run->vote)
            run->vote = limit_reached(run, run->counts.operations + 1);
        if (!run->vote)
            run->vote = time_over(loop, window, then);
        run->verdict = JST_GO_ON;
        return JST_GO_ON;
    }
    if (!mine)
        mine = limit_reached(run, run->counts.operations);
    if (loop->collective) {
        if (!mine)
            mine = time_over(loop, window, now);
        mine = agree(run, mine);
    }
    return mine;
}

static bool one_operation(struct loop *loop, int64_t *now)
{
    struct jst_run *run = loop->run;

    run->begin_ns = *now;
    run->moved = 0;
    bool good = loop->pattern->step(run);
    int64_t end = jst_now();
    jst_wait_over();
    if (!good)
        return false;
    run->counts.operations++;
    run->counts.bytes += run->moved;
    loop->took_ns = end - run->begin_ns;
    jst_log_operation(&run->log, run->begin_ns, end, run->moved);
    jst_team_progress(&run->team, run->counts.bytes);
    jst_progress(run, end);
    *now = end;
    return true;
}

static bool stopping(void *run)
{
    return jst_stopping(run);
}

/* With --every the next operation begins so long after the last one began, or with the next window. */
static int64_t paced(const struct loop *loop, const struct jst_window *window, int64_t now)
{
    int64_t next = loop->run->begin_ns + loop->run->options.every_ns;
    if (next > window->end_ns)
        next = window->end_ns;
    if (next > loop->deadline_ns)
        next = loop->deadline_ns;
    if (next <= now)
        return now;
    jst_wait_until(next, false, stopping, loop->run);
    return jst_now();
}

static enum jst_reason burst(struct loop *loop, const struct jst_window *window)
{
    struct jst_run *run = loop->run;
    enum jst_reason over = JST_GO_ON;
    int64_t now = jst_now();

    if (!loop->collective && now >= window->end_ns) {
        /* The last operation outlasted all of this window. */
        enum jst_reason asked = asked_to_stop(run);
        return asked ? asked : time_over(loop, window, now);
    }
    jst_log_burst_begin(&run->log, window->due_ns, now);
    while (!over) {
        over = before_step(loop, window, now);
        if (over)
            break;
        if (!one_operation(loop, &now))
            over = JST_REASON_ERROR;
        else if (loop->pattern->votes)
            over = run->verdict;
        else if (run->options.every_ns)
            over = time_over(loop, window, now = paced(loop, window, now));
        else if (!loop->collective)
            over = time_over(loop, window, now);
    }
    jst_log_burst_end(&run->log, now);
    return over;
}

/* Waits for a window, or for the end when that comes first. All processes of a collective pattern
 * agree meanwhile; last is how this process's last window ended. JST_GO_ON: the window is to be
 * entered. */
static enum jst_reason wait_for(struct loop *loop, int64_t due_ns, enum jst_reason last)
{
    struct jst_run *run = loop->run;
    const bool busy = due_ns != loop->start_ns && !run->options.rest;
    const int64_t until = due_ns < loop->deadline_ns ? due_ns : loop->deadline_ns;
    enum jst_reason mine = last == JST_BURST_OVER ? JST_GO_ON : last;

    if (mine == JST_GO_ON && !loop->finished) {
        int64_t ahead = loop->collective ? meeting_ahead : 0;
        if (!jst_wait_until(until - ahead, busy, stopping, run))
            mine = asked_to_stop(run);
        else if (until == loop->deadline_ns)
            mine = JST_REASON_TIME;
    }
    if (!loop->collective)
        return mine;
    /* Pairs of a ping do not communicate: a process that is asked to stop must not wait for other
     * pairs. */
    if (mine >= JST_REASON_SIGNAL)
        jst_team_request(&run->team, mine);
    int64_t values[2] = {mine, !loop->finished};
    if (!jst_team_max(&run->team, values, 2))
        return JST_REASON_SIGNAL;
    if (values[0])
        return (enum jst_reason)values[0];
    if (!values[1])
        return run->limit;
    if (!loop->finished)
        jst_wait_until(until, busy, NULL, NULL);
    return JST_GO_ON;
}

enum jst_reason jst_run_pattern(struct jst_run *run, int64_t start_ns, int64_t now_ns)
{
    const struct jst_options *o = &run->options;
    struct loop loop = {.run = run, .pattern = o->pattern, .start_ns = start_ns};
    enum jst_reason over = JST_BURST_OVER;
    int64_t from = start_ns;

    /* If the start is long past, all periods that are over are left out at once. */
    if (o->rhythm.period_ns && now_ns > start_ns)
        from += (now_ns - start_ns) / o->rhythm.period_ns * o->rhythm.period_ns;
    loop.collective = o->pattern->votes || (o->pattern->collective && o->pattern->collective(o));
    loop.deadline_ns = o->time_ns ? start_ns + o->time_ns : INT64_MAX;
    for (;;) {
        const struct jst_window window = jst_window_at(&o->rhythm, from);
        over = wait_for(&loop, window.due_ns, over);
        if (over)
            return over;
        over = JST_BURST_OVER;
        if (window.end_ns > window.due_ns && !loop.finished)
            over = burst(&loop, &window);
        if (over == JST_REASON_ITERATIONS || over == JST_REASON_VOLUME) {
            if (!loop.pattern->votes)
                return over;
            loop.finished = true;
            over = JST_BURST_OVER;
        } else if (over != JST_BURST_OVER && !loop.pattern->votes) {
            return over;
        }
        from = window.end_ns;
    }
}
