/* runner.c: threads of sources.
 *
 * A source may hang in the kernel for hours: then its thread remains there, it is not sampled
 * again, and no thread waits for it. Threads are never joined: they end with the process.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "runner.h"
#include "sources.h"
#include "sys.h"

#define NS UINT64_C(1000000000)
#define HEAD_START_NS (NS / 50)
#define AGAIN_NS (300 * NS) /* until an absent one is searched again */

jst_runner jst_runners[JST_RUNNERS];
unsigned jst_runner_count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done;

static void say(char *to, size_t n, const char *text)
{
    snprintf(to, n, "%s", text ? text : "");
}

static void work(jst_runner *r)
{
    const jst_source *source = r->source;
    uint64_t now = r->open ? 0 : jst_clock_ns(CLOCK_MONOTONIC);
    if (!r->open && (!r->looked_ns || now - r->looked_ns >= AGAIN_NS)) {
        const char *why = source->open();
        r->open = !why;
        r->looked_ns = now;
        say(r->why, sizeof r->why, why);
    }
    if (!r->open)
        return;
    jst_sample_begin(&r->sample);
    const char *what = source->sample(&r->sample);
    jst_sample_end(&r->sample);
    say(r->what, sizeof r->what, what);
}

/* Sleeps until a sample of the source is requested; one that samples in between does so meanwhile.
 * With the lock. */
static void wait_to_be_asked(jst_runner *r, uint64_t *look_ns)
{
    while (r->state != JST_RUNNING) {
        if (!r->open || !r->source->look) {
            pthread_cond_wait(&r->go, &lock);
            continue;
        }
        struct timespec at = {(time_t)(*look_ns / NS), (long)(*look_ns % NS)};
        if (pthread_cond_timedwait(&r->go, &lock, &at) != ETIMEDOUT || r->state == JST_RUNNING)
            continue;
        pthread_mutex_unlock(&lock);
        r->source->look();
        *look_ns = jst_clock_ns(CLOCK_MONOTONIC) + JST_LOOK_NS;
        pthread_mutex_lock(&lock);
    }
}

static void *run(void *with)
{
    jst_runner *r = with;
    uint64_t look_ns = jst_clock_ns(CLOCK_MONOTONIC) + JST_LOOK_NS;
    char title[16];
    snprintf(title, sizeof title, "%s", r->source->name);
    prctl(PR_SET_NAME, title);
    pthread_mutex_lock(&lock);
    for (;;) {
        wait_to_be_asked(r, &look_ns);
        pthread_mutex_unlock(&lock);
        work(r);
        pthread_mutex_lock(&lock);
        r->state = JST_DONE;
        pthread_cond_signal(&done);
    }
    return NULL;
}

bool jst_list_has(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; p && *p;) {
        size_t length = strcspn(p, ",");
        if (length == n && strncmp(p, word, n) == 0)
            return true;
        p += length + (p[length] == ',');
    }
    return false;
}

int jst_runners_begin(const char *without, const char *only)
{
    pthread_condattr_t monotonic;
    pthread_attr_t small;
    mallopt(M_ARENA_MAX, 1); /* threads rarely allocate: one heap is enough */
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&done, &monotonic);
    pthread_attr_init(&small);
    int r = 0;
    for (const jst_source *const *s = jst_sources; *s && r == 0; s++) {
        pthread_t thread;
        if (jst_list_has(without, (*s)->name) || (only && !jst_list_has(only, (*s)->name)))
            continue;
        if (jst_runner_count == JST_RUNNERS)
            return -E2BIG;
        jst_runner *runner = &jst_runners[jst_runner_count++];
        runner->source = *s;
        pthread_cond_init(&runner->go, &monotonic);
        pthread_attr_setstacksize(&small, (*s)->stack ? (*s)->stack : JST_SOURCE_STACK);
        r = -pthread_create(&thread, &small, run, runner);
        if (r == 0)
            pthread_detach(thread);
    }
    pthread_attr_destroy(&small);
    pthread_condattr_destroy(&monotonic);
    return r;
}

static void ask(unsigned from, unsigned to, uint64_t now_ns)
{
    for (unsigned i = from; i < to; i++)
        if (jst_runners[i].state == JST_IDLE) {
            jst_runners[i].state = JST_RUNNING;
            jst_runners[i].asked_ns = now_ns;
            pthread_cond_signal(&jst_runners[i].go);
        }
}

static bool any_at_work(unsigned n, uint64_t now_ns)
{
    for (unsigned i = 0; i < n; i++)
        if (jst_runners[i].state == JST_RUNNING && jst_runners[i].asked_ns == now_ns)
            return true;
    return false;
}

/* Waits for the first n. */
static void wait_for(unsigned n, uint64_t now_ns, uint64_t patience_ns)
{
    uint64_t until = jst_clock_ns(CLOCK_MONOTONIC) + patience_ns;
    struct timespec at = {(time_t)(until / NS), (long)(until % NS)};
    while (any_at_work(n, now_ns) && pthread_cond_timedwait(&done, &lock, &at) != ETIMEDOUT)
        continue;
}

/* The first starts earlier: it counts the threads that want a core, and the others must not be
 * among them. */
void jst_runners_ask(uint64_t now_ns)
{
    unsigned first = jst_runner_count ? 1 : 0;
    pthread_mutex_lock(&lock);
    ask(0, first, now_ns);
    wait_for(first, now_ns, HEAD_START_NS);
    ask(first, jst_runner_count, now_ns);
    pthread_mutex_unlock(&lock);
}

void jst_runners_wait(uint64_t now_ns, uint64_t patience_ns)
{
    pthread_mutex_lock(&lock);
    wait_for(jst_runner_count, now_ns, patience_ns);
    pthread_mutex_unlock(&lock);
}

jst_runner_state jst_runner_state_of(jst_runner *r)
{
    pthread_mutex_lock(&lock);
    jst_runner_state state = r->state;
    pthread_mutex_unlock(&lock);
    return state;
}

void jst_runner_is_idle(jst_runner *r)
{
    pthread_mutex_lock(&lock);
    r->state = JST_IDLE;
    pthread_mutex_unlock(&lock);
}
