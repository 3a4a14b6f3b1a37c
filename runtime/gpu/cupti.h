/* cupti.h: the part of CUPTI that jostle needs, declared here from its documentation.
 *
 * RATIONALE: the build needs no CUDA, and the two majors (12 and 13) need no two builds. The
 * records of copies and fills have grown at their end only, from CUDA 5 to 13.5, so their first 40
 * bytes are enough for all; the numbers of callbacks are never reused. runtime/gpu/README.md
 * describes how this was compared with NVIDIA's headers.
 */
#ifndef JST_CUPTI_H
#define JST_CUPTI_H

#include <stddef.h>
#include <stdint.h>

enum { CUPTI_SUCCESS = 0, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39 };

/* CUpti_ActivityKind */
enum {
    CUPTI_KIND_MEMCPY = 1,
    CUPTI_KIND_MEMSET = 2,
    CUPTI_KIND_CONCURRENT_KERNEL = 10,
    CUPTI_KIND_MEMCPY2 = 22
};

/* CUpti_ActivityMemcpyKind; A: a CUDA array, which is in the GPU's memory */
enum {
    CUPTI_HTOD = 1,
    CUPTI_DTOH = 2,
    CUPTI_HTOA = 3,
    CUPTI_ATOH = 4,
    CUPTI_ATOA = 5,
    CUPTI_ATOD = 6,
    CUPTI_DTOA = 7,
    CUPTI_DTOD = 8,
    CUPTI_HTOH = 9,
    CUPTI_PTOP = 10
};

enum { CUPTI_FLUSH_FORCED = 1 };

/* The first fields of CUpti_ActivityMemcpy, ...Memcpy2 to 7, ...MemcpyPtoP to 4 and ...Memset to 5.
 * Of a fill, copy_kind is part of the value. */
typedef struct cupti_transfer {
    uint32_t kind;
    uint8_t copy_kind;
    uint8_t more[3];
    uint64_t bytes, start, end; /* ns of cuptiGetTimestamp; 0: not known */
    uint32_t device, context;   /* device: among those that the process sees */
} cupti_transfer;

/* The first fields of CUpti_ActivityKernel4 to 11. */
typedef struct cupti_kernel {
    uint32_t kind;
    uint8_t more[12];
    uint64_t start, end, completed;
    uint32_t device, context;
} cupti_kernel;

enum { CUPTI_DOMAIN_DRIVER = 1 };
enum { CUPTI_ENTER = 0, CUPTI_EXIT = 1 };

/* CUpti_CallbackData */
typedef struct cupti_call {
    uint32_t site;
    const char *function;
    const void *parameters;
    void *result;
    const char *symbol;
    void *context;
    uint32_t context_uid;
    uint64_t *ours; /* a word that is kept from enter to exit; not used */
    uint32_t correlation;
} cupti_call;

/* CUpti_driver_api_trace_cbid: those that launch, and those that wait. */
enum {
    CUPTI_CU_CTX_SYNCHRONIZE = 17,
    CUPTI_CU_EVENT_SYNCHRONIZE = 121,
    CUPTI_CU_STREAM_SYNCHRONIZE = 126,
    CUPTI_CU_LAUNCH_KERNEL = 307,
    CUPTI_CU_STREAM_SYNCHRONIZE_PTSZ = 440,
    CUPTI_CU_LAUNCH_KERNEL_PTSZ = 442,
    CUPTI_CU_LAUNCH_COOPERATIVE = 477,
    CUPTI_CU_LAUNCH_COOPERATIVE_PTSZ = 478,
    CUPTI_CU_GRAPH_LAUNCH = 514,
    CUPTI_CU_GRAPH_LAUNCH_PTSZ = 515,
    CUPTI_CU_LAUNCH_KERNEL_EX = 652,
    CUPTI_CU_LAUNCH_KERNEL_EX_PTSZ = 653,
    CUPTI_CU_CTX_SYNCHRONIZE_V2 = 800
};

/* CUpti_SubscriberParams, of cuptiSubscribe_v2 */
typedef struct cupti_subscription {
    size_t size;
    const char *name;
    char *other; /* where the name of another subscriber goes */
    size_t other_size;
    uint8_t several; /* 1: together with others that allow it */
    uint8_t more[7];
} cupti_subscription;

typedef void cupti_callback(void *data, uint32_t domain, uint32_t id, const void *call);
typedef void cupti_requested(uint8_t **buffer, size_t *size, size_t *records);
typedef void cupti_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                             size_t valid);
typedef void cupti_requested_v2(uint8_t **buffer, size_t *size, size_t *records, void *about);
typedef void cupti_completed_v2(uint8_t *buffer, size_t size, size_t valid, void *about);

#endif
