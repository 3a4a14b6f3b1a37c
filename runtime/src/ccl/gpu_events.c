/* gpu_events.c: finds the functions for events in the GPU's driver, if the process has loaded one. */
#include <dlfcn.h>

#include "gpu_events.h"

typedef struct driver {
    const char *library;
    const char *create, *record, *query, *elapsed, *is_capturing;
} driver;

#define HIP(name)                                                                                  \
    {                                                                                              \
        name, "hipEventCreateWithFlags", "hipEventRecord", "hipEventQuery", "hipEventElapsedTime", \
            "hipStreamIsCapturing"                                                                 \
    }
static const driver drivers[] = {
    {"libcuda.so.1", "cuEventCreate", "cuEventRecord", "cuEventQuery", "cuEventElapsedTime",
     "cuStreamIsCapturing"},
    HIP("libamdhip64.so.7"),
    HIP("libamdhip64.so.6"),
    HIP("libamdhip64.so.5"),
};

const jst_gpu_events *jst_gpu_events_of_driver(void)
{
    static jst_gpu_events events;
    for (unsigned i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        const driver *d = &drivers[i];
        void *object = dlopen(d->library, RTLD_NOW | RTLD_NOLOAD);
        if (!object)
            continue;
        events.create = (int (*)(void **, unsigned))dlsym(object, d->create);
        events.record = (int (*)(void *, void *))dlsym(object, d->record);
        events.query = (int (*)(void *))dlsym(object, d->query);
        events.elapsed = (int (*)(float *, void *, void *))dlsym(object, d->elapsed);
        events.is_capturing = (int (*)(void *, int *))dlsym(object, d->is_capturing);
        if (events.create && events.record && events.query && events.elapsed && events.is_capturing)
            return &events;
    }
    return NULL;
}
