/* recorder.c: the common part of recorders, whichever vendor's library they use: joins
 * libjostle.so, compares clocks, has a thread that makes the library deliver its records, and ends.
 *
 * Whatever fails here switches the recorder off, with a note in the profile: the program goes on as it
 * would without it. Calls of the library are made under one lock, except those inside its own
 * callbacks.
 * A forked child makes none: a lock may be held by a thread that it does not have.
 */
#include "recorder.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const jst_gpu_host *recorder_host;
static const struct recorder_library *library;
static pid_t process;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool active;                 /* under the lock */
static _Atomic int64_t to_realtime; /* CLOCK_REALTIME minus the library's clock */

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Takes the closest of a few pairs: the thread may lose its core between two readings. */
static void align_clocks(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 4; i++) {
        uint64_t theirs = 0, before = clock_ns(CLOCK_REALTIME);
        if (library->stamp(&theirs) != 0)
            return;
        uint64_t after = clock_ns(CLOCK_REALTIME);
        if (after >= before && after - before < best) {
            best = after - before;
            atomic_store(&to_realtime, (int64_t)(before + best / 2 - theirs));
        }
    }
}

/* ---- records ---- */

void recorder_transfer(unsigned device, unsigned kind, uint64_t bytes, uint64_t start, uint64_t end)
{
    uint64_t offset = (uint64_t)atomic_load(&to_realtime);
    uint64_t from = start + offset, to = end + offset;
    if (!start || end < start) /* the library does not know the time */
        from = to = clock_ns(CLOCK_REALTIME);
    recorder_host->transfer(device, kind, bytes, from, to);
}

/* A GPU that runs several kernels at once is busy once. Their records come nearly in the order of
 * their ends; time before the latest end so far is left out, so the sum is never too large. */
void recorder_kernel(unsigned device, uint64_t start, uint64_t end)
{
    static _Atomic uint64_t until[JST_GPUS + 1];
    _Atomic uint64_t *u = &until[device < JST_GPUS ? device : JST_GPUS];
    uint64_t seen = atomic_load(u), offset = (uint64_t)atomic_load(&to_realtime);
    if (!start || end <= start)
        return;
    while (end > seen && !atomic_compare_exchange_weak(u, &seen, end))
        ;
    if (end > seen)
        recorder_host->busy(device, (start > seen ? start : seen) + offset, end + offset);
}

void recorder_lost(uint64_t n, const char *note)
{
    static _Atomic bool noted;
    if (n == 0)
        return;
    recorder_host->count(JST_GPUS, JST_GPU_LOST, n); /* the GPU is not known */
    if (!atomic_exchange(&noted, true))
        recorder_host->note(note);
}

/* ---- from join to end ---- */

bool recorder_wants_kernels(void)
{
    const char *wanted = getenv("JOSTLE_GPU");
    return wanted && strcmp(wanted, "kernels") == 0;
}

bool recorder_join(const jst_gpu_recorder *recorder)
{
    jst_gpu_join_type *join = (jst_gpu_join_type *)dlsym(RTLD_DEFAULT, "jst_gpu_join");
    if (process || !join)
        return false;
    process = getpid();
    const jst_gpu_host *host = join(recorder);
    if (host && host->interface == JST_GPU_INTERFACE && host->size == sizeof *host)
        recorder_host = host;
    return recorder_host != NULL;
}

void recorder_give_up(const char *format, ...)
{
    char why[160], text[240];
    va_list values;
    va_start(values, format);
    vsnprintf(why, sizeof why, format, values);
    va_end(values);
    snprintf(text, sizeof text, "%s: what this process does with a GPU is not counted", why);
    recorder_host->note(text);
    recorder_host->over(); /* another vendor's recorder may join */
}

void recorder_yield(const char *note)
{
    if (getpid() != process)
        return;
    pthread_mutex_lock(&lock);
    if (active) {
        active = false;
        library->let_go();
        recorder_host->note(note);
    }
    pthread_mutex_unlock(&lock);
}

/* The vendor's library holds its lock while it delivers records, and its lock need not be fair: if
 * a flush that takes longer than a slice were followed by the next one at once, the program would
 * never get the lock. So it pauses as long as the flush took. */
static void rest(uint64_t began)
{
    uint64_t took = clock_ns(CLOCK_MONOTONIC) - began;
    struct timespec moment = {(time_t)(took / 1000000000u), (long)(took % 1000000000u)};
    if (took >= 1000000u)
        nanosleep(&moment, NULL);
}

static void *serve(void *unused)
{
    for (uint32_t request = 0;;) {
        request = recorder_host->await(request);
        uint64_t began = clock_ns(CLOCK_MONOTONIC);
        pthread_mutex_lock(&lock);
        if (active) {
            align_clocks();
            library->flush(false);
        }
        pthread_mutex_unlock(&lock);
        recorder_host->answer(request); /* also before a request: it belongs to the last one */
        rest(began);
    }
    return unused;
}

void recorder_end(void)
{
    if (getpid() != process)
        return;
    pthread_mutex_lock(&lock);
    if (active) {
        align_clocks();
        library->flush(true);
        active = false;
        recorder_host->over();
    }
    pthread_mutex_unlock(&lock);
}

static bool start_thread(void)
{
    pthread_t thread;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool runs = pthread_create(&thread, NULL, serve, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (runs)
        pthread_detach(thread);
    return runs;
}

bool recorder_begin(const struct recorder_library *of)
{
    int status = 0;
    library = of;
    pthread_mutex_lock(&lock);
    align_clocks();
    const char *failed = library->ask(&status);
    bool runs = active = !failed && start_thread();
    if (!runs) {
        library->let_go();
        if (failed)
            recorder_give_up("%s failed with error %d", failed, status);
        else
            recorder_give_up("no thread could be made for the recorder");
    } else {
        atexit(
            recorder_end); /* before the library's own end, whose handler was registered before */
    }
    pthread_mutex_unlock(&lock);
    return runs;
}
