/* rocm.c: libjostle_rocm.so, which records by AMD's rocprofiler-sdk what the GPU does for this
 * process.
 *
 * libjostle.so loads it when a ROCm runtime offers its functions to profilers
 * (runtime/src/wrappers/rocprofiler.c). rocprofiler-sdk finds it like any other tool, and several
 * tools may be active. It uses records of copies, and calls of HIP that launch, fill and wait;
 * records of kernels on request only (JOSTLE_GPU=kernels).
 *
 * Never run on AMD's hardware.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../include/jst_gpu.h"
#include "recorder.h"
#include "rocm_devices.h"
#include "rocprofiler_library.h"

#define EXPORT __attribute__((visibility("default")))

/* RATIONALE: a full buffer blocks the thread that adds to it for as long as ours takes to count the
 * other buffer. The policy that drops records instead uses only one of the two buffers, and fails
 * while it is flushed. */
#define BUFFER_BYTES 65536
#define WATERMARK (BUFFER_BYTES / 2)

/* ---- calls of HIP ---- */

enum role { NONE, LAUNCH, GRAPH, WAIT, FILL, FILL_2, FILL_4 };

static const struct {
    const char *name;
    uint8_t role;
} watched[] = {
    {"hipLaunchKernel", LAUNCH},
    {"hipLaunchKernel_spt", LAUNCH},
    {"hipLaunchKernelExC", LAUNCH},
    {"hipDrvLaunchKernelEx", LAUNCH},
    {"hipLaunchByPtr", LAUNCH},
    {"hipExtLaunchKernel", LAUNCH},
    {"hipModuleLaunchKernel", LAUNCH},
    {"hipExtModuleLaunchKernel", LAUNCH},
    {"hipHccModuleLaunchKernel", LAUNCH},
    {"hipLaunchCooperativeKernel", LAUNCH},
    {"hipLaunchCooperativeKernel_spt", LAUNCH},
    {"hipModuleLaunchCooperativeKernel", LAUNCH},
    {"hipGraphLaunch", GRAPH},
    {"hipGraphLaunch_spt", GRAPH},
    {"hipDeviceSynchronize", WAIT},
    {"hipCtxSynchronize", WAIT},
    {"hipEventSynchronize", WAIT},
    {"hipStreamSynchronize", WAIT},
    {"hipStreamSynchronize_spt", WAIT},
    {"hipMemset", FILL},
    {"hipMemset_spt", FILL},
    {"hipMemsetAsync", FILL},
    {"hipMemsetAsync_spt", FILL},
    {"hipMemsetD8", FILL},
    {"hipMemsetD8Async", FILL},
    {"hipMemsetD16", FILL_2},
    {"hipMemsetD16Async", FILL_2},
    {"hipMemsetD32", FILL_4},
    {"hipMemsetD32Async", FILL_4},
};
#define COUNT(array) (sizeof array / sizeof *array)
#define OPERATIONS 2048

static struct rocprofiler_library rocprofiler;
static uint64_t context, buffer;
static uint8_t roles[OPERATIONS]; /* by the operation's number */
static int32_t operations[COUNT(watched)];
static unsigned operation_count;

static int take_operation(uint32_t kind, int32_t operation, void *data)
{
    const char *name = NULL;
    uint64_t length = 0;
    (void)data;
    if (operation < 0 || operation >= OPERATIONS || operation_count == COUNT(operations) ||
        rocprofiler.operation_name(kind, operation, &name, &length) != ROCPROFILER_SUCCESS || !name)
        return 0;
    for (unsigned i = 0; i < COUNT(watched); i++)
        if (strcmp(watched[i].name, name) == 0) {
            roles[operation] = watched[i].role;
            operations[operation_count++] = operation;
        }
    return 0;
}

/* HIP fills by kernels of its own: their times are not reported. */
static void take_fill(const rocprofiler_fill *fill, unsigned unit)
{
    if (fill && fill->size >= sizeof *fill)
        recorder_transfer(rocm_device_of_thread(), JST_GPU_SET, fill->count * unit, 0, 0);
}

static void called(rocprofiler_call call, uint64_t *ours, void *data)
{
    (void)data;
    bool enters = call.phase == ROCPROFILER_ENTER;
    if (call.kind != ROCPROFILER_CALLS_OF_HIP || call.operation < 0 || call.operation >= OPERATIONS)
        return;
    uint8_t role = roles[call.operation];
    if (role == WAIT) {
        if (enters)
            *ours = recorder_host->wait_begin();
        else if (call.phase == ROCPROFILER_EXIT)
            recorder_host->wait_end(*ours);
    } else if (enters && (role == LAUNCH || role == GRAPH)) {
        recorder_host->count(rocm_device_of_thread(),
                             role == GRAPH ? JST_GPU_GRAPH : JST_GPU_LAUNCH, 1);
    } else if (enters && role != NONE) {
        take_fill(call.payload, role == FILL_4 ? 4 : role == FILL_2 ? 2 : 1);
    }
}

/* ---- records ---- */

static void take_copy(const rocprofiler_copy *c)
{
    switch (c->operation) {
    case ROCPROFILER_HOST_TO_DEVICE:
        recorder_transfer(rocm_device(c->to), JST_GPU_H2D, c->bytes, c->start, c->end);
        break;
    case ROCPROFILER_DEVICE_TO_HOST:
        recorder_transfer(rocm_device(c->from), JST_GPU_D2H, c->bytes, c->start, c->end);
        break;
    case ROCPROFILER_DEVICE_TO_DEVICE:
        recorder_transfer(rocm_device(c->to), c->to == c->from ? JST_GPU_D2D : JST_GPU_PEER,
                          c->bytes, c->start, c->end);
        break;
    default: /* from host to host: no GPU moves it */
        break;
    }
}

static void take(const rocprofiler_header *h)
{
    if (h->category != ROCPROFILER_TRACING || !h->record)
        return;
    if (h->kind == ROCPROFILER_COPIES) {
        const rocprofiler_copy *c = h->record;
        if (c->size >= sizeof *c)
            take_copy(c);
    } else if (h->kind == ROCPROFILER_KERNELS) {
        const rocprofiler_kernel *k = h->record;
        if (k->size >= sizeof *k)
            recorder_kernel(rocm_device(k->agent), k->start, k->end);
    }
}

/* By one thread of the library's. Dropped: since the buffer was made. */
static void filled(uint64_t of, uint64_t which, rocprofiler_header **headers, size_t count,
                   void *data, uint64_t dropped)
{
    static _Atomic uint64_t known;
    (void)of, (void)which, (void)data;
    for (size_t i = 0; i < count; i++)
        if (headers[i])
            take(headers[i]);
    uint64_t before = atomic_exchange(&known, dropped);
    if (dropped > before)
        recorder_lost(dropped - before, "rocprofiler-sdk dropped records of copies: gpu_lost_ops "
                                        "says how many");
}

/* ---- from join to end ---- */

static const char *ask_for_records(int *status)
{
    if ((*status = rocm_devices_begin(&rocprofiler)) != ROCPROFILER_SUCCESS)
        return "rocprofiler_query_available_agents";
    if ((*status = rocprofiler.create_context(&context)) != ROCPROFILER_SUCCESS)
        return "rocprofiler_create_context";
    if ((*status = rocprofiler.create_buffer(context, BUFFER_BYTES, WATERMARK, ROCPROFILER_LOSSLESS,
                                             filled, NULL, &buffer)) != ROCPROFILER_SUCCESS)
        return "rocprofiler_create_buffer";
    for (uint32_t kind = ROCPROFILER_COPIES;
         kind <= (recorder_wants_kernels() ? ROCPROFILER_KERNELS : ROCPROFILER_COPIES); kind++)
        if ((*status = rocprofiler.trace_into_buffer(context, kind, NULL, 0, buffer)) !=
            ROCPROFILER_SUCCESS)
            return "rocprofiler_configure_buffer_tracing_service";
    *status = rocprofiler.each_operation(ROCPROFILER_CALLS_OF_HIP, take_operation, NULL);
    if (*status != ROCPROFILER_SUCCESS || operation_count == 0) /* 0 would mean all of them */
        return "rocprofiler_iterate_callback_tracing_kind_operations";
    if ((*status = rocprofiler.trace_calls(context, ROCPROFILER_CALLS_OF_HIP, operations,
                                           operation_count, called, NULL)) != ROCPROFILER_SUCCESS)
        return "rocprofiler_configure_callback_tracing_service";
    if ((*status = rocprofiler.start_context(context)) != ROCPROFILER_SUCCESS)
        return "rocprofiler_start_context";
    return NULL;
}

static void flush(bool at_end)
{
    (void)at_end;
    rocprofiler.flush_buffer(buffer);
}

static void let_go(void)
{
    if (context)
        rocprofiler.stop_context(context);
    if (buffer)
        rocprofiler.flush_buffer(buffer);
}

/* The program's use of CUPTI does not matter here. */
static void yield(void) {}

static int stamp(uint64_t *ns)
{
    return rocprofiler.get_timestamp(ns);
}

/* Called while rocprofiler-sdk initialises, the only time at which it accepts requests. */
static int initialize(void (*finalize)(void), void *data)
{
    static const struct recorder_library library = {stamp, ask_for_records, flush, let_go};
    (void)finalize, (void)data;
    return recorder_begin(&library) ? 0 : -1;
}

static void finalize(void *data)
{
    (void)data;
    recorder_end();
}

static bool prepare(void)
{
    static const jst_gpu_recorder recorder = {JST_GPU_INTERFACE, sizeof recorder, yield};
    uint32_t major = 0, minor = 0, patch = 0;
    int initialized = 0;
    if (!recorder_join(&recorder))
        return false;
    if (!rocprofiler_open(&rocprofiler)) {
        recorder_give_up("no usable librocprofiler-sdk.so.1 was found");
        return false;
    }
    rocprofiler.get_version(&major, &minor, &patch);
    rocprofiler.is_initialized(&initialized);
    if (major != ROCPROFILER_MAJOR)
        recorder_give_up("this is rocprofiler-sdk %u.%u.%u, and %d is needed", major, minor, patch,
                         ROCPROFILER_MAJOR);
    else if (initialized == 1)
        recorder_give_up("another tool has set rocprofiler-sdk up before");
    return major == ROCPROFILER_MAJOR && initialized != 1;
}

static _Atomic enum { NOT_HERE, PREPARED, CONFIGURED } state;

/* Two runtimes may come up at once. */
static void prepare_once(void)
{
    static _Atomic bool begun;
    if (!atomic_exchange(&begun, true) && prepare())
        atomic_store(&state, PREPARED);
}

/* ---- registration with rocprofiler-sdk ---- */

/* Variables that are restored after the call: the list of tools, and those that rocprofiler-sdk
 * sets. */
static const char *const variables[] = {"ROCP_TOOL_LIBRARIES", "ROCPROFILER_REGISTER_LIBRARY"};
static char *before[COUNT(variables)]; /* NULL: it was not set */
static _Atomic unsigned calls_in_progress;

/* RATIONALE: for the time of the call only. Where one of these is set, rocprofiler-register ends
 * the process if it finds no librocprofiler-sdk, and this ends it if it cannot load a tool: a child
 * in a container would have neither. In the global scope we would also be found, but then all
 * objects of the process are searched for tools, gigabytes in a framework. After the last colon
 * nothing is read. */
static void name_ourselves(void)
{
    char list[8192];
    Dl_info info;
    if (atomic_fetch_add(&calls_in_progress, 1) != 0)
        return;
    for (unsigned i = 0; i < COUNT(variables); i++) {
        const char *value = getenv(variables[i]);
        before[i] = value ? strdup(value) : NULL;
    }
    if (!dladdr((void *)name_ourselves, &info))
        return;
    int n = snprintf(list, sizeof list, before[0] && *before[0] ? "%s:%s:" : "%s%s",
                     before[0] ? before[0] : "", info.dli_fname);
    if (n > 0 && (size_t)n < sizeof list)
        setenv(variables[0], list, 1);
}

static void restore_variables(void)
{
    if (atomic_fetch_sub(&calls_in_progress, 1) != 1)
        return;
    for (unsigned i = 0; i < COUNT(variables); i++) {
        if (before[i])
            setenv(variables[i], before[i], 1);
        else
            unsetenv(variables[i]);
        free(before[i]);
        before[i] = NULL;
    }
}

EXPORT jst_rocm_offer_type jst_rocm_offer;

EXPORT int jst_rocm_offer(jst_rocm_register_type *next, const char *name, void *import,
                          uint32_t version, void **tables, uint64_t count, void *id)
{
    prepare_once();
    if (state == NOT_HERE)
        return next(name, import, version, tables, count, id);
    name_ourselves();
    int status = next(name, import, version, tables, count, id);
    restore_variables();
    if (state == PREPARED) {
        recorder_give_up("rocprofiler-sdk asked for no tools");
        state = NOT_HERE;
    }
    return status;
}

EXPORT rocprofiler_tool *rocprofiler_configure(uint32_t version, const char *text,
                                               uint32_t priority, void *client);

EXPORT rocprofiler_tool *rocprofiler_configure(uint32_t version, const char *text,
                                               uint32_t priority, void *client)
{
    static rocprofiler_tool tool = {sizeof tool, initialize, finalize, NULL};
    (void)version, (void)text, (void)priority, (void)client;
    prepare_once(); /* named by the user */
    if (state != PREPARED)
        return NULL;
    state = CONFIGURED;
    return &tool;
}
