/* main.c: jostle-ship, which sends the profiles of a spool to `jostle receive`. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "connection/pace.h"
#include "spool/alive.h"
#include "spool/turn.h"

#define CONFIG JST_SYSCONFDIR "/jostle/agent.conf"

static jst_ship_settings settings;
static jst_spool spool;
static jst_state state;
static jst_post post;
static jst_answer answer;
static jst_pace pace;
static uint64_t posts, raw_bytes;
static char last_answer[700] = "none yet";

/* Waits until a time of CLOCK_BOOTTIME, at most a minute at once: a machine may have slept. Returns
 * false when the program shall end. */
static bool wait_until(int64_t until)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    for (int64_t now; (now = jst_ship_now()) < until;) {
        int64_t left = until - now < 60 * JST_NS ? until - now : 60 * JST_NS;
        struct timespec t = {left / JST_NS, left % JST_NS};
        if (sigtimedwait(&set, NULL, &t) > 0)
            return false;
    }
    return !jst_net_must_end();
}

/* Not ru_maxrss, which includes the program that started this one. */
static unsigned long resident_kib(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%*u %lu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

static void write_status(void)
{
    char text[JST_STATE_TEXT];
    struct rusage used;
    uint64_t waiting = 0;
    for (jst_ship_user *u = spool.users; u; u = u->next)
        for (jst_ship_file *f = u->cursor, *end = f; f; f = f->next == end ? NULL : f->next)
            waiting += f->size > f->have ? f->size - f->have : 0;
    getrusage(RUSAGE_SELF, &used);
    time_t now = time(NULL);
    struct tm tm;
    char when[40];
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    snprintf(
        text, sizeof text,
        "receiver     %s\nlast answer  %s (%s)\nfiles        %u\nto be sent   %llu bytes, without "
        "changes of headers\nposts        %llu, %llu bytes, %llu compressed\nCPU time     %.2f s\n"
        "memory       %lu KiB\n",
        settings.receiver, last_answer, when, spool.files, (unsigned long long)waiting,
        (unsigned long long)posts, (unsigned long long)raw_bytes,
        (unsigned long long)jst_net_sent(),
        (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
            1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec),
        resident_kib());
    jst_state_text(&state, text);
}

/* One post and its answer. Returns how long to wait; 0: it succeeded. */
static int64_t send_post(void)
{
    jst_reply reply;
    bool was_away = pace.away_ns != 0;
    jst_net_post(&settings, &post, &reply, &answer);
    posts++;
    raw_bytes += post.size;
    int64_t now = jst_ship_now(), away = pace.away_ns;
    int64_t wait = jst_pace_after(&pace, &reply, &answer, now);
    if (reply.outcome == JST_STORED) {
        jst_turn_take(&spool, &state, &post, &answer);
        snprintf(last_answer, sizeof last_answer, "stored");
        if (was_away)
            jst_ship_say(JST_TOPIC_RECEIVER, "the receiver takes posts again, after %lld s",
                         (long long)((now - away) / JST_NS));
        jst_ship_hush(JST_TOPIC_RECEIVER);
        return 0;
    }
    jst_turn_lost(&post);
    if (!jst_net_must_end())
        jst_ship_say(JST_TOPIC_RECEIVER, "%s", reply.why);
    snprintf(last_answer, sizeof last_answer, "%s", reply.why);
    if (reply.outcome == JST_BAD && jst_turn_set_aside(&post))
        return 1;
    return wait;
}

/* Sends until nothing is left, the receiver requests a pause, or does not accept a post. Returns
 * how long to wait, 0: until the next regular time. `all`: the receiver's pauses are observed, but
 * all is sent. */
static int64_t send_all(bool all)
{
    jst_alive_forget();
    while (jst_turn_fill(&spool, &state, &post, pace.credit, pace.ranges)) {
        int64_t wait = send_post();
        if (wait || jst_net_must_end())
            return wait;
        if (!pace.after_ns)
            continue;
        if (!all)
            return 0;
        if (!wait_until(jst_ship_now() + pace.after_ns))
            return 0;
    }
    return 0;
}

static int run_once(void)
{
    jst_spool_scan(&spool);
    int64_t wait = send_all(true);
    jst_turn_keep_quota(&spool, &state, settings.quota);
    write_status();
    return wait ? 1 : 0;
}

static int run(void)
{
    while (!jst_net_must_end()) {
        if (!jst_spool_is_current(&spool, settings.spool))
            return 1;
        jst_spool_scan(&spool);
        int64_t wait = send_all(false), now = jst_ship_now();
        jst_turn_keep_quota(&spool, &state, settings.quota);
        write_status();
        if (!wait_until(wait ? now + wait : jst_pace_due(&pace, now)))
            break;
    }
    return 0;
}

static int show_status(void)
{
    char text[JST_STATE_TEXT];
    uint32_t gaps;
    if (!jst_spool_open(&spool, settings.spool))
        return 1;
    jst_state_read(spool.dir, text, sizeof text, &gaps);
    jst_spool_scan(&spool);
    printf("spool        %s: %u files, %llu bytes\n", settings.spool, spool.files,
           (unsigned long long)spool.disk);
    printf("gaps         %u not sent yet\n", gaps);
    printf("%s", *text ? text
                       : "No jostle-ship has run on this spool, or its status is closed to you.\n");
    return 0;
}

static void usage(FILE *to)
{
    fputs("Usage: jostle-ship [--config FILE] [--once | --status]\n\n"
          "Sends the profiles of this machine's spool to\n"
          "`jostle receive`.\n\n"
          "  --config FILE  instead of " CONFIG "\n"
          "  --once         send the files that are there, then end;\n"
          "                 status 1 if some could not be sent\n"
          "  --status       show the files to be sent, and the last\n"
          "                 answer\n"
          "  --version      show the version\n",
          to);
}

static int fail(const char *why)
{
    fprintf(stderr, "jostle-ship: %s\n", why);
    return 2;
}

static int start(bool once)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (!jst_spool_open(&spool, settings.spool) || !jst_state_open(&state, &spool))
        return 1;
    if (!jst_ship_drop_rights(spool.owner)) {
        fprintf(stderr, "jostle-ship: capabilities cannot be given up: %s\n", strerror(errno));
        return 1;
    }
    const char *why = jst_net_open(&settings);
    if (why)
        return fail(why);
    jst_pace_begin(&pace, settings.interval_ns, settings.node);
    int status = once ? run_once() : run();
    jst_net_close();
    return status;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'}, {"once", no_argument, NULL, 'o'},
        {"status", no_argument, NULL, 's'},       {"version", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    const char *config = NULL;
    bool once = false, status = false;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (c) {
        case 'c':
            config = optarg;
            break;
        case 'o':
            once = true;
            break;
        case 's':
            status = true;
            break;
        case 'v':
            puts("jostle-ship " JST_VERSION);
            return 0;
        case 'h':
            usage(stdout);
            return 0;
        default:
            usage(stderr);
            return 2;
        }
    if (optind < argc) {
        usage(stderr);
        return 2;
    }
    const char *why = jst_ship_read_settings(config ? config : CONFIG, !config, &settings);
    if (!why && !status)
        why = jst_ship_check_settings(&settings);
    if (why)
        return fail(why);
    return status ? show_status() : start(once);
}
