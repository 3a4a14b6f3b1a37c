/* recorder.c: libjostle_cuda.so, which the CUDA driver loads (CUDA_INJECTION64_PATH) and which asks CUPTI
 * what the GPU does for this process.
 *
 * What CUPTI is asked for costs little and changes nothing: records of copies and fills, and callbacks of
 * the driver's calls that launch and that wait. Records of kernels, which make the loading of modules slow,
 * are asked for on request only (JOSTLE_GPU=kernels); nothing is ever finalised, which crashes with CUDA graphs. Whatever fails here switches the recorder
 * off, with a note in the profile: the program goes on as it would without it.
 *
 * Calls of CUPTI are made under one lock, but for those inside its own callbacks. A forked child makes none:
 * a lock may be held by a thread that it does not have.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../include/jst_gpu.h"
#include "cupti.h"
#include "cupti_library.h"
#include "devices.h"

#define EXPORT __attribute__((visibility("default")))

/* Small buffers, since CUPTI keeps one back while a single record in it is incomplete; enough of them for
 * each thread to have one. */
#define BUFFER_BYTES 8192
#define BUFFERS 256

static struct cupti_library cupti;
static const jst_gpu_host *host;
static void *subscriber;
static pid_t process;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool active;                 /* under the lock */
static _Atomic int64_t to_realtime; /* CLOCK_REALTIME minus cuptiGetTimestamp */
static uint8_t buffers[BUFFERS][BUFFER_BYTES] __attribute__((aligned(64)));
static _Atomic bool lent[BUFFERS];

static uint64_t realtime_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The closest of a few pairs: the thread may lose its core between two readings. */
static void align_clocks(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 4; i++) {
        uint64_t theirs = 0, before = realtime_ns();
        if (cupti.get_timestamp(&theirs) != CUPTI_SUCCESS)
            return;
        uint64_t after = realtime_ns();
        if (after >= before && after - before < best) {
            best = after - before;
            atomic_store(&to_realtime, (int64_t)(before + best / 2 - theirs));
        }
    }
}

/* ---- buffers of records ---- */

/* Where all are lent, CUPTI drops records and counts them. */
static void requested(uint8_t **buffer, size_t *size, size_t *records)
{
    *buffer = NULL;
    *size = *records = 0;
    for (unsigned i = 0; i < BUFFERS; i++) {
        bool is_lent = false;
        if (!atomic_load_explicit(&lent[i], memory_order_relaxed) &&
            atomic_compare_exchange_strong(&lent[i], &is_lent, true)) {
            *buffer = buffers[i];
            *size = BUFFER_BYTES;
            return;
        }
    }
}

static unsigned kind_of_copy(uint8_t kind)
{
    switch (kind) {
    case CUPTI_HTOD:
    case CUPTI_HTOA:
        return JST_GPU_H2D;
    case CUPTI_DTOH:
    case CUPTI_ATOH:
        return JST_GPU_D2H;
    case CUPTI_PTOP:
        return JST_GPU_PEER;
    case CUPTI_HTOH: /* no GPU moves it */
        return JST_GPU_TRANSFER_COUNT;
    default:
        return JST_GPU_D2D;
    }
}

static void take_transfer(const cupti_transfer *t)
{
    unsigned kind = t->kind == CUPTI_KIND_MEMSET    ? JST_GPU_SET
                    : t->kind == CUPTI_KIND_MEMCPY2 ? JST_GPU_PEER
                    : t->kind == CUPTI_KIND_MEMCPY  ? kind_of_copy(t->copy_kind)
                                                    : JST_GPU_TRANSFER_COUNT;
    if (kind == JST_GPU_TRANSFER_COUNT)
        return;
    int64_t offset = atomic_load(&to_realtime);
    uint64_t begin = t->start + (uint64_t)offset, end = t->end + (uint64_t)offset;
    if (!t->start || t->end < t->start) /* CUPTI does not know when: now */
        begin = end = realtime_ns();
    host->transfer(cuda_device(t->device), kind, t->bytes, begin, end);
}

/* A GPU that runs several kernels at once is busy once. Their records come nearly in the order of their
 * ends; what lies before the latest end seen is left out, so the sum is never too large. */
static void take_kernel(const cupti_kernel *k)
{
    static _Atomic uint64_t until[JST_GPUS + 1];
    unsigned device = cuda_device(k->device);
    _Atomic uint64_t *u = &until[device < JST_GPUS ? device : JST_GPUS];
    uint64_t seen = atomic_load(u), offset = (uint64_t)atomic_load(&to_realtime);
    if (!k->start || k->end <= k->start)
        return;
    while (k->end > seen && !atomic_compare_exchange_weak(u, &seen, k->end))
        ;
    if (k->end > seen)
        host->busy(device, (k->start > seen ? k->start : seen) + offset, k->end + offset);
}

static bool take(const uint8_t *record, const uint8_t *end)
{
    union {
        uint32_t kind;
        cupti_transfer transfer;
        cupti_kernel kernel;
    } r;
    if (record + sizeof r.transfer > end)
        return false;
    memcpy(&r.transfer, record, sizeof r.transfer);
    if (r.kind != CUPTI_KIND_CONCURRENT_KERNEL) {
        take_transfer(&r.transfer);
    } else if (record + sizeof r.kernel <= end) {
        memcpy(&r.kernel, record, sizeof r.kernel);
        take_kernel(&r.kernel);
    }
    return true;
}

static void count_lost(void *context, uint32_t stream)
{
    static _Atomic bool noted;
    size_t lost = 0;
    if (cupti.dropped(context, stream, &lost) != CUPTI_SUCCESS || lost == 0)
        return;
    host->count(JST_GPUS, JST_GPU_LOST, lost); /* of which GPU is not said */
    if (!atomic_exchange(&noted, true))
        host->note(
            "CUPTI dropped records of copies for want of buffers: gpu_lost_ops says how many");
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    uint8_t *record = NULL, *first = &buffers[0][0];
    size_t number = (size_t)(buffer - first) / BUFFER_BYTES;
    (void)size;
    if (!buffer || buffer < first || number >= BUFFERS || valid > BUFFER_BYTES)
        return;
    while (valid && cupti.next_record(buffer, valid, (void **)&record) == CUPTI_SUCCESS)
        if (record < buffer || !take(record, buffer + valid))
            break;
    count_lost(context, stream);
    atomic_store(&lent[number], false);
}

/* ---- calls of the driver ---- */

static void called(void *data, uint32_t domain, uint32_t id, const void *about)
{
    const cupti_call *call = about;
    (void)data;
    if (domain != CUPTI_DOMAIN_DRIVER)
        return;
    switch (id) {
    case CUPTI_CU_LAUNCH_KERNEL:
    case CUPTI_CU_LAUNCH_KERNEL_PTSZ:
    case CUPTI_CU_LAUNCH_KERNEL_EX:
    case CUPTI_CU_LAUNCH_KERNEL_EX_PTSZ:
    case CUPTI_CU_LAUNCH_COOPERATIVE:
    case CUPTI_CU_LAUNCH_COOPERATIVE_PTSZ:
        if (call->site == CUPTI_ENTER)
            host->count(cuda_device_of(call->context, call->context_uid), JST_GPU_LAUNCH, 1);
        break;
    case CUPTI_CU_GRAPH_LAUNCH:
    case CUPTI_CU_GRAPH_LAUNCH_PTSZ:
        if (call->site == CUPTI_ENTER)
            host->count(cuda_device_of(call->context, call->context_uid), JST_GPU_GRAPH, 1);
        break;
    default: /* one that waits */
        if (!call->ours)
            break;
        if (call->site == CUPTI_ENTER)
            *call->ours = host->wait_begin();
        else
            host->wait_end(*call->ours);
    }
}

static const uint32_t watched[] = {
    CUPTI_CU_LAUNCH_KERNEL,         CUPTI_CU_LAUNCH_KERNEL_PTSZ, CUPTI_CU_LAUNCH_KERNEL_EX,
    CUPTI_CU_LAUNCH_KERNEL_EX_PTSZ, CUPTI_CU_LAUNCH_COOPERATIVE, CUPTI_CU_LAUNCH_COOPERATIVE_PTSZ,
    CUPTI_CU_GRAPH_LAUNCH,          CUPTI_CU_GRAPH_LAUNCH_PTSZ,  CUPTI_CU_CTX_SYNCHRONIZE,
    CUPTI_CU_CTX_SYNCHRONIZE_V2,    CUPTI_CU_STREAM_SYNCHRONIZE, CUPTI_CU_STREAM_SYNCHRONIZE_PTSZ,
    CUPTI_CU_EVENT_SYNCHRONIZE,
};
#define COUNT(array) (sizeof array / sizeof *array)
static const uint32_t recorded[] = {CUPTI_KIND_MEMCPY, CUPTI_KIND_MEMCPY2, CUPTI_KIND_MEMSET,
                                    CUPTI_KIND_CONCURRENT_KERNEL};
static unsigned kinds = COUNT(recorded) - 1; /* of recorded: kernels on request */

/* ---- from join to end ---- */

static void note_failure(const char *function, int status)
{
    char text[200];
    snprintf(
        text, sizeof text,
        status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
            ? "another tool has CUPTI (%s: error %d): what this process does with a GPU is not "
              "counted"
            : "%s failed with error %d: what this process does with a GPU is not counted",
        function, status);
    host->note(text);
}

/* Under the lock. CUPTI hands over what it has and forgets us. */
static void let_go(void)
{
    active = false;
    for (unsigned i = 0; i < kinds; i++)
        cupti.disable(recorded[i]);
    cupti.flush(CUPTI_FLUSH_FORCED);
    cupti.unsubscribe(subscriber);
}

static void yield(void)
{
    if (getpid() != process)
        return;
    pthread_mutex_lock(&lock);
    if (active) {
        let_go();
        host->note(
            "the program uses CUPTI itself (a profiler does): from here on, what it does with "
            "a GPU is not counted");
    }
    pthread_mutex_unlock(&lock);
}

static void hand_over(uint32_t flag)
{
    pthread_mutex_lock(&lock);
    if (active) {
        align_clocks();
        cupti.flush(flag);
    }
    pthread_mutex_unlock(&lock);
}

static void *serve(void *unused)
{
    for (uint32_t wish = 0;;) {
        wish = host->await(wish);
        hand_over(0);
        host->answer(wish); /* also before a wish: it is the last one's then */
    }
    return unused;
}

/* Before CUPTI and the driver come down: their handlers were registered before ours. */
static void at_end(void)
{
    if (getpid() != process)
        return;
    hand_over(CUPTI_FLUSH_FORCED);
    pthread_mutex_lock(&lock);
    active = false; /* and CUPTI is called no more */
    pthread_mutex_unlock(&lock);
    host->over();
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

/* The name of what failed, NULL: all went well. */
static const char *ask_for_records(int *status)
{
    if ((*status = cupti.register_callbacks(requested, completed)) != CUPTI_SUCCESS)
        return "cuptiActivityRegisterCallbacks";
    for (unsigned i = 0; i < COUNT(watched); i++) /* an older driver lacks some */
        cupti.enable_callback(1, subscriber, CUPTI_DOMAIN_DRIVER, watched[i]);
    for (unsigned i = 0; i < kinds; i++)
        if ((*status = cupti.enable(recorded[i])) != CUPTI_SUCCESS)
            return "cuptiActivityEnable";
    return NULL;
}

static void begin(void)
{
    int status;
    const char *failed;
    if (host->taken) {
        host->note(
            "the program uses CUPTI itself (a profiler does): what it does with a GPU is not "
            "counted");
        return;
    }
    if (!cupti_open(&cupti)) {
        host->note(
            "no usable libcupti.so.13 or .12 was found: what this process does with a GPU is "
            "not counted");
        return;
    }
    if ((status = cupti.subscribe(&subscriber, called, NULL)) != CUPTI_SUCCESS) {
        note_failure("cuptiSubscribe", status);
        return;
    }
    cuda_devices_begin(host, &cupti);
    pthread_mutex_lock(&lock);
    active = true;
    align_clocks();
    if ((failed = ask_for_records(&status))) {
        note_failure(failed, status);
        let_go();
    } else if (!start_thread()) {
        host->note(
            "no thread could be made for CUPTI's records: what this process does with a GPU is "
            "not counted");
        let_go();
    } else {
        atexit(at_end);
    }
    pthread_mutex_unlock(&lock);
}

EXPORT int InitializeInjection(void);

EXPORT int InitializeInjection(void)
{
    static const jst_gpu_recorder recorder = {JST_GPU_INTERFACE, sizeof recorder, yield};
    jst_gpu_join_type *join = (jst_gpu_join_type *)dlsym(RTLD_DEFAULT, "jst_gpu_join");
    if (process || !join)
        return 1;
    process = getpid();
    host = join(&recorder);
    if (host && host->interface == JST_GPU_INTERFACE && host->size == sizeof *host) {
        const char *wanted = getenv("JOSTLE_GPU");
        if (wanted && strcmp(wanted, "kernels") == 0)
            kinds = COUNT(recorded);
        begin();
    }
    return 1;
}
