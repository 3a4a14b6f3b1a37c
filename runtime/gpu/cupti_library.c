/* cupti_library.c: finds libcupti.
 *
 * A second one in addition to that of the program would be a second client of the driver, which
 * serves one: so first the one that is loaded. Frameworks have their own; CUDA's toolkit has it in
 * a folder of its own, which the loader may not know.
 */
#include "cupti_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {"libcupti.so.13", "libcupti.so.12"};

static void *open_in(const char *root, const char *folder)
{
    char path[4096];
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        int n = snprintf(path, sizeof path, "%s/%s/%s", root, folder, names[i]);
        void *object =
            n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (object)
            return object;
    }
    return NULL;
}

static void *open_any(void)
{
    static const int ways[] = {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW | RTLD_LOCAL};
    const char *roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    void *object = NULL;
    for (unsigned way = 0; way < 2; way++)
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
            if ((object = dlopen(names[i], ways[way])))
                return object;
    for (unsigned i = 0; !object && i < sizeof roots / sizeof *roots; i++)
        if (roots[i] && roots[i][0] == '/' && !(object = open_in(roots[i], "extras/CUPTI/lib64")))
            object = open_in(roots[i], "lib64");
    return object;
}

struct function {
    const char *name;
    void **to;
};

static bool find(void *object, const struct function *functions, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!(*functions[i].to = dlsym(object, functions[i].name)))
            return false;
    return true;
}

bool cupti_open(struct cupti_library *library)
{
    void *object = open_any();
    const struct function functions[] = {
        {"cuptiSubscribe", (void **)&library->subscribe},
        {"cuptiUnsubscribe", (void **)&library->unsubscribe},
        {"cuptiEnableCallback", (void **)&library->enable_callback},
        {"cuptiActivityRegisterCallbacks", (void **)&library->register_callbacks},
        {"cuptiActivityEnable", (void **)&library->enable},
        {"cuptiActivityDisable", (void **)&library->disable},
        {"cuptiActivityFlushAll", (void **)&library->flush},
        {"cuptiActivityGetNextRecord", (void **)&library->next_record},
        {"cuptiActivityGetNumDroppedRecords", (void **)&library->dropped},
        {"cuptiGetTimestamp", (void **)&library->get_timestamp},
    };
    struct cupti_of_several *several = &library->several;
    const struct function of_several[] = {
        {"cuptiSubscribe_v2", (void **)&several->subscribe},
        {"cuptiActivityRegisterCallbacks_v2", (void **)&several->register_callbacks},
        {"cuptiActivityEnable_v2", (void **)&several->enable},
        {"cuptiActivityDisable_v2", (void **)&several->disable},
        {"cuptiActivityGetNextRecord_v2", (void **)&several->next_record},
        {"cuptiActivityGetNumDroppedRecords_v2", (void **)&several->dropped},
        {"cuptiGetTimestamp_v2", (void **)&several->get_timestamp},
    };
    if (!object || !find(object, functions, sizeof functions / sizeof *functions))
        return false;
    library->device_of = (int (*)(void *, uint32_t *))dlsym(object, "cuptiGetDeviceId");
    if (!find(object, of_several, sizeof of_several / sizeof *of_several))
        *several = (struct cupti_of_several){0};
    return true;
}
