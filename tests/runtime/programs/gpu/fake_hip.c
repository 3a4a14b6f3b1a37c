/* Of our own making, in one file: with -DREGISTER librocprofiler-register.so.0, else libamdhip64.so.7, which
 * calls it when it comes up. As documented, the former ends the process where a tool is there and
 * librocprofiler-sdk is not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int rocprofiler_register_library_api_table(const char *name, void *import, uint32_t version,
                                           void **tables, uint64_t count, uint64_t *id);

#ifdef REGISTER
int rocprofiler_register_library_api_table(const char *name, void *import, uint32_t version,
                                           void **tables, uint64_t count, uint64_t *id)
{
    int (*set)(const char *, uint64_t, uint64_t, void **, uint64_t);
    (void)import;
    *id = 1;
    if (!dlsym(RTLD_DEFAULT, "rocprofiler_configure") && !getenv("ROCP_TOOL_LIBRARIES"))
        return 1;
    if (!dlsym(RTLD_DEFAULT, "rocprofiler_set_api_table"))
        dlopen("librocprofiler-sdk.so", RTLD_GLOBAL | RTLD_LAZY);
    set = (int (*)(const char *, uint64_t, uint64_t, void **, uint64_t))dlsym(
        RTLD_DEFAULT, "rocprofiler_set_api_table");
    if (!set) {
        fprintf(stderr, "rocprofiler_set_api_table not found\n");
        abort();
    }
    return set(name, version, 0, tables, count);
}
#else
int fake_hip_device;

int hipGetDevice(int *device)
{
    *device = fake_hip_device;
    return 0;
}

int hipDeviceGetPCIBusId(char *text, int size, int device)
{
    return snprintf(text, (size_t)size, "0001:%02X:02.0", 0x3b + device) < size ? 0 : 1;
}

int fake_hip_begin(void)
{
    static void *table;
    uint64_t id = 0;
    int status = rocprofiler_register_library_api_table("hsa", NULL, 1, &table, 1, &id);
    rocprofiler_register_library_api_table("hip", NULL, 7, &table, 1, &id);
    return status;
}
#endif
