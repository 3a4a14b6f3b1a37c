/* rocprofiler.c: the function by which a ROCm runtime (HIP, HSA) offers its own functions to profilers.
 * It is the moment at which rocprofiler-sdk searches tools: so libjostle_rocm.so is loaded now, and
 * registers with it. Not in calls.def: the next definition may be in a local scope and be loaded
 * late.
 */
#include <dlfcn.h>

#include "../../include/jst_gpu.h"
#include "block.h"
#include "common.h"
#include "symbols/loaded_object.h"
#include "text.h"

#define NO_TOOLS 1 /* ROCP_REG_NO_TOOLS */
#define RECORDER "libjostle_rocm.so"

JST_EXPORT jst_rocm_register_type rocprofiler_register_library_api_table;

static bool is_ours(const void *p)
{
    return p == (void *)rocprofiler_register_library_api_table;
}

static bool is_wanted(void)
{
    const char *option = jst_env("JOSTLE_GPU");
    return option && (jst_str_equal(option, "on") || jst_str_equal(option, "kernels")) &&
           jst_enter();
}

/* In the folder of libjostle.so. NULL: it is not there. */
static jst_rocm_offer_type *load_recorder(void)
{
    char path[4096];
    Dl_info info;
    if (!dladdr((void *)is_ours, &info) || !info.dli_fname)
        return NULL;
    size_t folder = jst_library_folder(info.dli_fname);
    if (folder + sizeof RECORDER > sizeof path)
        return NULL;
    jst_copy(path, info.dli_fname, folder);
    jst_copy(path + folder, RECORDER, sizeof RECORDER);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return object ? (jst_rocm_offer_type *)dlsym(object, "jst_rocm_offer") : NULL;
}

JST_EXPORT int rocprofiler_register_library_api_table(const char *name, void *import,
                                                      uint32_t version, void **tables,
                                                      uint64_t count, void *id)
{
    jst_rocm_register_type *next = (jst_rocm_register_type *)jst_function_behind(
        "rocprofiler_register_library_api_table", is_ours);
    if (!next)
        return NO_TOOLS;
    jst_rocm_offer_type *offer = is_wanted() ? load_recorder() : NULL;
    return offer ? offer(next, name, import, version, tables, count, id)
                 : next(name, import, version, tables, count, id);
}
