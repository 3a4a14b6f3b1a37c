/* cuda.c: libjostle_cuda.so, which the CUDA driver loads (CUDA_INJECTION64_PATH) and which records
 * by CUPTI what the GPU does for this process.
 *
 * It uses what costs little and changes nothing: records of copies and fills, and callbacks of the
 * driver's calls that launch and that wait. Records of kernels, which make the loading of modules
 * slow, are used on request only (JOSTLE_GPU=kernels); nothing is ever finalised, which crashes
 * with CUDA graphs.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "../include/jst_gpu.h"
#include "cuda_devices.h"
#include "cupti.h"
#include "cupti_library.h"
#include "recorder.h"

#define EXPORT __attribute__((visibility("default")))

/* Small buffers, since CUPTI keeps one back while a single record in it is incomplete; enough of them for
 * each thread to have one. */
#define BUFFER_BYTES 8192
#define BUFFERS 256

static struct cupti_library cupti;
static void *subscriber;
static bool
    several; /* others may subscribe as well: functions that name the subscriber are called */
static uint8_t buffers[BUFFERS][BUFFER_BYTES] __attribute__((aligned(64)));
static _Atomic bool lent[BUFFERS];

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
    if (kind != JST_GPU_TRANSFER_COUNT)
        recorder_transfer(cuda_device(t->device), kind, t->bytes, t->start, t->end);
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
        recorder_kernel(cuda_device(r.kernel.device), r.kernel.start, r.kernel.end);
    }
    return true;
}

static void count_lost(void *context, uint32_t stream)
{
    size_t lost = 0;
    int status = several ? cupti.several.dropped(subscriber, context, stream, &lost)
                         : cupti.dropped(context, stream, &lost);
    if (status == CUPTI_SUCCESS)
        recorder_lost(lost,
                      "CUPTI dropped records of copies for want of buffers: gpu_lost_ops says "
                      "how many");
}

static bool next_record(uint8_t *buffer, size_t valid, void **record)
{
    return (several ? cupti.several.next_record(subscriber, buffer, valid, record)
                    : cupti.next_record(buffer, valid, record)) == CUPTI_SUCCESS;
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    uint8_t *record = NULL, *first = &buffers[0][0];
    size_t number = (size_t)(buffer - first) / BUFFER_BYTES;
    (void)size;
    if (!buffer || buffer < first || number >= BUFFERS || valid > BUFFER_BYTES)
        return;
    while (valid && next_record(buffer, valid, (void **)&record))
        if (record < buffer || !take(record, buffer + valid))
            break;
    count_lost(context, stream);
    atomic_store(&lent[number], false);
}

static void requested_v2(uint8_t **buffer, size_t *size, size_t *records, void *about)
{
    (void)about;
    requested(buffer, size, records);
}

static void completed_v2(uint8_t *buffer, size_t size, size_t valid, void *about)
{
    (void)about;
    completed(NULL, 0, buffer, size, valid);
}

/* ---- calls of the driver ---- */

static void called(void *data, uint32_t domain, uint32_t id, const void *about)
{
    /* RATIONALE: not CUPTI's word for this, which may be shared by all subscribers. */
    static __thread uint64_t waits_since;
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
            recorder_host->count(cuda_device_of(call->context, call->context_uid), JST_GPU_LAUNCH,
                                 1);
        break;
    case CUPTI_CU_GRAPH_LAUNCH:
    case CUPTI_CU_GRAPH_LAUNCH_PTSZ:
        if (call->site == CUPTI_ENTER)
            recorder_host->count(cuda_device_of(call->context, call->context_uid), JST_GPU_GRAPH,
                                 1);
        break;
    default: /* one that waits */
        if (call->site == CUPTI_ENTER)
            waits_since = recorder_host->wait_begin();
        else
            recorder_host->wait_end(waits_since);
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

static const char *ask_for_records(int *status)
{
    if (recorder_wants_kernels())
        kinds = COUNT(recorded);
    *status = several ? cupti.several.register_callbacks(subscriber, requested_v2, completed_v2)
                      : cupti.register_callbacks(requested, completed);
    if (*status != CUPTI_SUCCESS)
        return "cuptiActivityRegisterCallbacks";
    for (unsigned i = 0; i < COUNT(watched); i++) /* an older driver lacks some */
        cupti.enable_callback(1, subscriber, CUPTI_DOMAIN_DRIVER, watched[i]);
    for (unsigned i = 0; i < kinds; i++) {
        *status = several ? cupti.several.enable(subscriber, recorded[i], NULL)
                          : cupti.enable(recorded[i]);
        if (*status != CUPTI_SUCCESS)
            return "cuptiActivityEnable";
    }
    return NULL;
}

static void flush(bool at_end)
{
    cupti.flush(at_end ? CUPTI_FLUSH_FORCED : 0);
}

static void let_go(void)
{
    for (unsigned i = 0; i < kinds; i++)
        several ? cupti.several.disable(subscriber, recorded[i], NULL) : cupti.disable(recorded[i]);
    cupti.flush(CUPTI_FLUSH_FORCED);
    cupti.unsubscribe(subscriber);
}

static int stamp(uint64_t *ns)
{
    return several ? cupti.several.get_timestamp(subscriber, ns) : cupti.get_timestamp(ns);
}

static void yield(void)
{
    recorder_yield(
        "the program uses CUPTI itself (a profiler does): from here on, what it does with "
        "a GPU is not counted");
}

static int subscribe(void)
{
    cupti_subscription request = {.size = sizeof request, .name = "jostle", .several = 1};
    several = cupti.several.subscribe &&
              cupti.several.subscribe(&subscriber, called, NULL, &request) == CUPTI_SUCCESS;
    if (several)
        recorder_host->shares();
    return several ? CUPTI_SUCCESS : cupti.subscribe(&subscriber, called, NULL);
}

static void begin(void)
{
    static const struct recorder_library library = {stamp, ask_for_records, flush, let_go};
    int status;
    if (recorder_host->taken) {
        recorder_give_up("the program uses CUPTI itself (a profiler does)");
    } else if (!cupti_open(&cupti)) {
        recorder_give_up("no usable libcupti.so.13 or .12 was found");
    } else if ((status = subscribe()) == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
        recorder_give_up("another tool has CUPTI (cuptiSubscribe: error %d)", status);
    } else if (status != CUPTI_SUCCESS) {
        recorder_give_up("cuptiSubscribe failed with error %d", status);
    } else {
        cuda_devices_begin(recorder_host, &cupti);
        recorder_begin(&library);
    }
}

EXPORT int InitializeInjection(void);

EXPORT int InitializeInjection(void)
{
    static const jst_gpu_recorder recorder = {JST_GPU_INTERFACE, sizeof recorder, yield};
    if (recorder_join(&recorder))
        begin();
    return 1;
}
