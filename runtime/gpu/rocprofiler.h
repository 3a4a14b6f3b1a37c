/* rocprofiler.h: the part of AMD's rocprofiler-sdk that jostle needs, declared here from its
 * documentation.
 *
 * RATIONALE: the build needs no ROCm. The layouts are of version 1 of the interface (ROCm 7), in which a
 * call's record has three words of correlation; version 0 (ROCm 6) has two, and is refused at run time.
 * Structures grow at their end and contain their size. Operations of HIP are looked up by name, so
 * none of their numbers is needed. runtime/gpu/README.md describes how this was compared with AMD's
 * headers.
 */
#ifndef JST_ROCPROFILER_H
#define JST_ROCPROFILER_H

#include <stddef.h>
#include <stdint.h>

enum { ROCPROFILER_MAJOR = 1 };
enum { ROCPROFILER_SUCCESS = 0 };

/* rocprofiler_callback_tracing_kind_t and rocprofiler_buffer_tracing_kind_t */
enum { ROCPROFILER_CALLS_OF_HIP = 5 };
enum { ROCPROFILER_COPIES = 10, ROCPROFILER_KERNELS = 11 };

/* rocprofiler_memory_copy_operation_t */
enum {
    ROCPROFILER_HOST_TO_HOST = 1,
    ROCPROFILER_HOST_TO_DEVICE = 2,
    ROCPROFILER_DEVICE_TO_HOST = 3,
    ROCPROFILER_DEVICE_TO_DEVICE = 4
};

enum { ROCPROFILER_ENTER = 1, ROCPROFILER_EXIT = 2 };
enum { ROCPROFILER_LOSSLESS = 2 }; /* rocprofiler_buffer_policy_t */
enum { ROCPROFILER_TRACING = 1 };  /* rocprofiler_buffer_category_t */
enum { ROCPROFILER_AGENTS_V0 = 1 };
enum { ROCPROFILER_GPU = 2 }; /* rocprofiler_agent_type_t */

/* rocprofiler_record_header_t */
typedef struct rocprofiler_header {
    uint32_t category, kind;
    const void *record;
} rocprofiler_header;

/* The first fields of rocprofiler_buffer_tracing_memory_copy_record_t. */
typedef struct rocprofiler_copy {
    uint64_t size;
    uint32_t kind;
    int32_t operation;
    uint64_t correlation[2], thread;
    uint64_t start, end; /* ns of rocprofiler_get_timestamp */
    uint64_t to, from;   /* agents */
    uint64_t bytes;
} rocprofiler_copy;

/* The first fields of rocprofiler_buffer_tracing_kernel_dispatch_record_t. */
typedef struct rocprofiler_kernel {
    uint64_t size;
    uint32_t kind;
    int32_t operation;
    uint64_t correlation[2], thread;
    uint64_t start, end;
    uint64_t dispatch_size, agent;
} rocprofiler_kernel;

/* rocprofiler_callback_tracing_record_t, which is passed by value */
typedef struct rocprofiler_call {
    uint64_t context, thread;
    uint64_t correlation[3];
    uint32_t kind;
    int32_t operation;
    uint32_t phase;
    const void *payload;
} rocprofiler_call;

/* The payload of hipMemset and similar calls: their arguments. */
typedef struct rocprofiler_fill {
    uint64_t size;
    void *to;
    uint32_t value;
    size_t count; /* of bytes, or of units of 2 or 4 */
} rocprofiler_fill;

/* rocprofiler_agent_mem_bank_t */
typedef struct rocprofiler_bank {
    uint32_t heap, flags, width, clock;
    uint64_t bytes;
} rocprofiler_bank;
enum { ROCPROFILER_PUBLIC_MEMORY = 1, ROCPROFILER_PRIVATE_MEMORY = 2 };

/* The first fields of rocprofiler_agent_v0_t. */
typedef struct rocprofiler_agent {
    uint64_t size, id;
    uint32_t type, cores, simds, banks_count;
    uint32_t more[19];
    uint32_t location, domain; /* bus, device and function in bits 8, 3 and 0 */
    uint32_t even_more[27];
    const rocprofiler_bank *banks;
    const void *caches, *links;
    const char *name, *vendor, *product, *model;
    uint32_t node;
    int32_t number, number_of_type;
    uint32_t visible;
    uint64_t unique; /* the first half of its uuid: the number that the driver gives it; 0: none */
} rocprofiler_agent;

typedef void rocprofiler_filled(uint64_t context, uint64_t buffer, rocprofiler_header **headers,
                                size_t count, void *data, uint64_t dropped);
typedef void rocprofiler_called(rocprofiler_call call, uint64_t *ours, void *data);
typedef int rocprofiler_operation(uint32_t kind, int32_t operation, void *data);
typedef int rocprofiler_agents(uint32_t version, const void **agents, size_t count, void *data);

/* rocprofiler_tool_configure_result_t */
typedef struct rocprofiler_tool {
    size_t size;
    int (*initialize)(void (*finalize)(void), void *data); /* not 0: it failed */
    void (*finalize)(void *data);
    void *data;
} rocprofiler_tool;

#endif
