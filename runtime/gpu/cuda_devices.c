/* cuda_devices.c: which GPU a number of CUPTI's or a context means.
 *
 * CUDA numbers the GPUs that a process may see (CUDA_VISIBLE_DEVICES), so a number alone names none.
 * The driver is queried once for each: bus id, UUID, name and memory. An instance of a divided GPU
 * (MIG) has the bus id of the whole and a UUID of its own.
 */
#include "cuda_devices.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ORDINALS 64u
#define UNKNOWN UINT32_MAX

static const jst_gpu_host *host;
static pid_t process;
static int (*context_device)(void *context, uint32_t *ordinal);
static _Atomic unsigned known[ORDINALS]; /* number + 1; 0: not queried yet */
static _Atomic unsigned nameless;        /* number of GPUs unknown to the driver, + 1 */

typedef struct driver {
    int (*get)(int *device, int ordinal);
    int (*bus_id)(char *text, int size, int device);
    int (*uuid)(uint8_t id[16], int device);
    int (*name)(char *text, int size, int device);
    int (*memory)(size_t *bytes, int device);
} driver;

static bool find_driver(driver *d)
{
    void *object = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!object)
        return false;
    d->get = (int (*)(int *, int))dlsym(object, "cuDeviceGet");
    d->bus_id = (int (*)(char *, int, int))dlsym(object, "cuDeviceGetPCIBusId");
    d->uuid = (int (*)(uint8_t *, int))dlsym(object, "cuDeviceGetUuid_v2");
    d->name = (int (*)(char *, int, int))dlsym(object, "cuDeviceGetName");
    d->memory = (int (*)(size_t *, int))dlsym(object, "cuDeviceTotalMem_v2");
    return d->get && d->bus_id;
}

static void put_uuid(jst_gpu_device *g, const uint8_t id[16])
{
    const char *prefix = strstr(g->name, " MIG ") ? "MIG" : "GPU";
    snprintf(g->uuid, sizeof g->uuid,
             "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", prefix,
             id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11],
             id[12], id[13], id[14], id[15]);
}

static bool describe(uint32_t ordinal, jst_gpu_device *g)
{
    driver d;
    int device;
    size_t bytes = 0;
    uint8_t id[16];
    *g = (jst_gpu_device){.numa = -1};
    if (!find_driver(&d) || d.get(&device, (int)ordinal) != 0 ||
        d.bus_id(g->pci, sizeof g->pci, device) != 0)
        return false;
    if (!d.name || d.name(g->name, sizeof g->name, device) != 0)
        g->name[0] = 0;
    if (d.uuid && d.uuid(id, device) == 0)
        put_uuid(g, id);
    if (d.memory && d.memory(&bytes, device) == 0)
        g->memory_bytes = bytes;
    return true;
}

void cuda_devices_begin(const jst_gpu_host *of, const struct cupti_library *library)
{
    host = of;
    process = getpid(); /* a forked child makes no calls of CUPTI */
    context_device = library->device_of;
}

static unsigned nobody(void)
{
    static const jst_gpu_device unknown = {.numa = -1};
    unsigned number = atomic_load(&nameless);
    if (!number)
        atomic_store(&nameless, number = host->device(&unknown) + 1);
    return number - 1;
}

unsigned cuda_device(uint32_t ordinal)
{
    jst_gpu_device device;
    if (ordinal >= ORDINALS)
        return nobody();
    unsigned number = atomic_load_explicit(&known[ordinal], memory_order_relaxed);
    if (!number) {
        number = (describe(ordinal, &device) ? host->device(&device) : nobody()) + 1;
        atomic_store(&known[ordinal], number);
    }
    return number - 1;
}

unsigned cuda_device_of(void *context, uint32_t context_uid)
{
    static __thread uint32_t last_uid, last_ordinal = UNKNOWN;
    uint32_t ordinal = UNKNOWN;
    if (!context || !context_device)
        return nobody();
    if (last_ordinal != UNKNOWN && context_uid == last_uid && context_uid)
        return cuda_device(last_ordinal);
    if (getpid() != process || context_device(context, &ordinal) != CUPTI_SUCCESS)
        return nobody();
    last_uid = context_uid;
    last_ordinal = ordinal;
    return cuda_device(ordinal);
}
