/* rocprofiler_library.c: finds librocprofiler-sdk.
 *
 * First the one that the process has: a second one would take the runtimes' tables alone.
 * Frameworks have their own, next to librocprofiler-register.
 */
#include "rocprofiler_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME "librocprofiler-sdk.so.1"
#define LOG_LEVEL "ROCPROFILER_LOG_LEVEL"

static void *open_in(const char *folder, const char *below)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s%s/" NAME, folder, below);
    return n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_LAZY | RTLD_GLOBAL) : NULL;
}

static void *open_near_register(void)
{
    char folder[4096]; /* PATH_MAX: as much as the loader writes */
    void *object = dlopen("librocprofiler-register.so.0", RTLD_LAZY | RTLD_NOLOAD);
    return object && dlinfo(object, RTLD_DI_ORIGIN, folder) == 0 ? open_in(folder, "") : NULL;
}

static void *open_any(void)
{
    const char *named = getenv("ROCPROFILER_REGISTER_LIBRARY"), *root = getenv("ROCM_PATH");
    void *object = NULL;
    if (named && *named) /* rocprofiler-register uses this one */
        return dlopen(named, RTLD_LAZY | RTLD_GLOBAL);
    if (!(object = dlopen(NAME, RTLD_LAZY | RTLD_GLOBAL)) && !(object = open_near_register()) &&
        root && root[0] == '/')
        object = open_in(root, "/lib");
    return object ? object : open_in("/opt/rocm", "/lib");
}

/* RATIONALE: newer ones warn of each tool on standard error, which is the program's. */
static void *open_quietly(void)
{
    bool ours = !getenv(LOG_LEVEL) && setenv(LOG_LEVEL, "error", 0) == 0;
    void *object = open_any();
    if (ours)
        unsetenv(LOG_LEVEL);
    return object;
}

bool rocprofiler_open(struct rocprofiler_library *library)
{
    static const char *const loaded[] = {NAME, "librocprofiler-sdk.so.0"};
    void *object = NULL;
    const struct {
        const char *name;
        void **to;
    } functions[] = {
        {"rocprofiler_get_version", (void **)&library->get_version},
        {"rocprofiler_is_initialized", (void **)&library->is_initialized},
        {"rocprofiler_get_timestamp", (void **)&library->get_timestamp},
        {"rocprofiler_create_context", (void **)&library->create_context},
        {"rocprofiler_start_context", (void **)&library->start_context},
        {"rocprofiler_stop_context", (void **)&library->stop_context},
        {"rocprofiler_create_buffer", (void **)&library->create_buffer},
        {"rocprofiler_flush_buffer", (void **)&library->flush_buffer},
        {"rocprofiler_configure_buffer_tracing_service", (void **)&library->trace_into_buffer},
        {"rocprofiler_configure_callback_tracing_service", (void **)&library->trace_calls},
        {"rocprofiler_iterate_callback_tracing_kind_operations", (void **)&library->each_operation},
        {"rocprofiler_query_callback_tracing_kind_operation_name",
         (void **)&library->operation_name},
        {"rocprofiler_query_available_agents", (void **)&library->agents},
    };
    for (unsigned i = 0; !object && i < sizeof loaded / sizeof *loaded; i++)
        object = dlopen(loaded[i], RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
    if (!object)
        object = open_quietly();
    for (unsigned i = 0; object && i < sizeof functions / sizeof *functions; i++)
        if (!(*functions[i].to = dlsym(object, functions[i].name)))
            return false;
    return object != NULL;
}
