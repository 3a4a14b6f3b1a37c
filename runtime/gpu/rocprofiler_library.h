/* rocprofiler_library.h: librocprofiler-sdk, found at run time (rocprofiler_library.c). */
#ifndef JST_ROCPROFILER_LIBRARY_H
#define JST_ROCPROFILER_LIBRARY_H

#include <stdbool.h>

#include "rocprofiler.h"

struct rocprofiler_library {
    int (*get_version)(uint32_t *major, uint32_t *minor, uint32_t *patch);
    int (*is_initialized)(int *status); /* 1: it has initialised its tools */
    int (*get_timestamp)(uint64_t *ns);
    int (*create_context)(uint64_t *context);
    int (*start_context)(uint64_t context);
    int (*stop_context)(uint64_t context);
    int (*create_buffer)(uint64_t context, size_t bytes, size_t watermark, uint32_t policy,
                         rocprofiler_filled *filled, void *data, uint64_t *buffer);
    int (*flush_buffer)(uint64_t buffer);
    int (*trace_into_buffer)(uint64_t context, uint32_t kind, const int32_t *operations,
                             size_t count, uint64_t buffer);
    int (*trace_calls)(uint64_t context, uint32_t kind, const int32_t *operations, size_t count,
                       rocprofiler_called *called, void *data);
    int (*each_operation)(uint32_t kind, rocprofiler_operation *each, void *data);
    int (*operation_name)(uint32_t kind, int32_t operation, const char **name, uint64_t *length);
    int (*agents)(uint32_t version, rocprofiler_agents *each, size_t agent_bytes, void *data);
};

/** Loads the library that the process has already, else one that the loader finds or that is in a
 *  usual place, into the global scope, where rocprofiler-register looks for it. False: there is
 *  none with all these functions. */
bool rocprofiler_open(struct rocprofiler_library *library);

#endif
