/* rocprofiler.c: the function by which a ROCm runtime (HIP, HSA) offers its own functions to profilers. It is
 * the moment at which rocprofiler-sdk looks for tools: so libjostle_rocm.so is loaded now, if at all.
 *
 * RATIONALE: not by ROCP_TOOL_LIBRARIES: where that is set, rocprofiler-register ends the process if there
 * is no librocprofiler-sdk, and this if it cannot load the tool; both happen in containers. Not in calls.def:
 * the next definition may lie in a local scope and come late.
 */
#include <dlfcn.h>

#include "../../include/jst_gpu.h"
#include "block.h"
#include "common.h"
#include "loaded_object.h"
#include "text.h"

#define NO_TOOLS 1 /* ROCP_REG_NO_TOOLS */
#define RECORDER "libjostle_rocm.so"

JST_EXPORT int rocprofiler_register_library_api_table(const char *name, void *import,
                                                      uint32_t version, void **tables,
                                                      uint64_t count, void *id);

static bool is_ours(const void *p)
{
    return p == (void *)rocprofiler_register_library_api_table;
}

static bool is_wanted(void)
{
    const char *wish = jst_env("JOSTLE_GPU");
    return wish && (jst_str_equal(wish, "on") || jst_str_equal(wish, "kernels"));
}

/* Beside libjostle.so. In the global scope, where rocprofiler-register looks, only when all is there that
 * it needs. */
static jst_rocm_ready_type *load_recorder(void)
{
    char path[4096];
    Dl_info info;
    if (!dladdr((void *)is_ours, &info) || !info.dli_fname)
        return NULL;
    size_t folder = (size_t)(jst_base_name(info.dli_fname) - info.dli_fname);
    if (folder + sizeof RECORDER > sizeof path)
        return NULL;
    jst_copy(path, info.dli_fname, folder);
    jst_copy(path + folder, RECORDER, sizeof RECORDER);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    jst_rocm_ready_type *ready =
        object ? (jst_rocm_ready_type *)dlsym(object, "jst_rocm_ready") : NULL;
    if (!ready || !ready())
        return NULL;
    dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    return ready;
}

JST_EXPORT int rocprofiler_register_library_api_table(const char *name, void *import,
                                                      uint32_t version, void **tables,
                                                      uint64_t count, void *id)
{
    static _Atomic bool begun;
    int (*next)(const char *, void *, uint32_t, void **, uint64_t, void *) =
        (int (*)(const char *, void *, uint32_t, void **, uint64_t, void *))jst_function_behind(
            "rocprofiler_register_library_api_table", is_ours);
    if (!next)
        return NO_TOOLS;
    if (!is_wanted() || !jst_enter() || atomic_exchange(&begun, true))
        return next(name, import, version, tables, count, id);
    jst_rocm_ready_type *ready = load_recorder();
    int status = next(name, import, version, tables, count, id);
    if (ready)
        ready();
    return status;
}
