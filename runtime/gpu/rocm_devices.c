/* rocm_devices.c: which GPU an agent of rocprofiler-sdk's or a number of HIP's means.
 *
 * An agent has its bus address, and its number from the driver, which is in the names that AMD's
 * tools give it (GPU-...). HIP numbers the GPUs that a process may see; it is queried once for the
 * bus id of each.
 * Parts of a divided GPU have one bus id: a launch counts for the first of them.
 */
#include "rocm_devices.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <strings.h>

#include "recorder.h"

#define MOST 64u

struct agent {
    uint64_t id;
    jst_gpu_device device;
    _Atomic unsigned known; /* number + 1; 0: not used yet */
};

static struct agent agents[MOST];
static unsigned agent_count;
static _Atomic unsigned nameless;           /* number of GPUs without a known agent, + 1 */
static _Atomic unsigned ordinals[MOST];     /* by HIP's number: number + 1; 0: not queried yet */
static int (*hip_get_device)(int *ordinal); /* NULL: there is no HIP */
static int (*hip_bus_id)(char *text, int size, int ordinal);

static void describe(const rocprofiler_agent *a, jst_gpu_device *g)
{
    *g = (jst_gpu_device){.numa = -1};
    snprintf(g->pci, sizeof g->pci, "%04x:%02x:%02x.%x", a->domain & 0xffff,
             a->location >> 8 & 0xff, a->location >> 3 & 0x1f, a->location & 7);
    snprintf(g->name, sizeof g->name, "%s", a->product ? a->product : "");
    if (a->size >= sizeof *a && a->unique)
        snprintf(g->uuid, sizeof g->uuid, "GPU-%016llx", (unsigned long long)a->unique);
    for (uint32_t i = 0; a->banks && i < a->banks_count; i++)
        if (a->banks[i].heap == ROCPROFILER_PUBLIC_MEMORY ||
            a->banks[i].heap == ROCPROFILER_PRIVATE_MEMORY)
            g->memory_bytes += a->banks[i].bytes;
}

static int take_agents(uint32_t version, const void **list, size_t count, void *data)
{
    (void)version, (void)data;
    for (size_t i = 0; i < count && agent_count < MOST; i++) {
        const rocprofiler_agent *a = list[i];
        if (a->size < offsetof(rocprofiler_agent, unique) || a->type != ROCPROFILER_GPU)
            continue;
        agents[agent_count].id = a->id;
        describe(a, &agents[agent_count++].device);
    }
    return ROCPROFILER_SUCCESS;
}

static void find_hip(void)
{
    static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.8", "libamdhip64.so"};
    void *object = NULL;
    for (unsigned i = 0; !object && i < sizeof names / sizeof *names; i++)
        object = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    if (object) {
        hip_bus_id = (int (*)(char *, int, int))dlsym(object, "hipDeviceGetPCIBusId");
        hip_get_device = (int (*)(int *))dlsym(object, "hipGetDevice");
    }
}

int rocm_devices_begin(const struct rocprofiler_library *library)
{
    return library->agents(ROCPROFILER_AGENTS_V0, take_agents, offsetof(rocprofiler_agent, unique),
                           NULL);
}

static unsigned nobody(void)
{
    static const jst_gpu_device unknown = {.numa = -1};
    unsigned number = atomic_load(&nameless);
    if (!number)
        atomic_store(&nameless, number = recorder_host->device(&unknown) + 1);
    return number - 1;
}

static unsigned number_of(struct agent *a)
{
    unsigned number = atomic_load_explicit(&a->known, memory_order_relaxed);
    if (!number)
        atomic_store(&a->known, number = recorder_host->device(&a->device) + 1);
    return number - 1;
}

unsigned rocm_device(uint64_t id)
{
    for (unsigned i = 0; i < agent_count; i++)
        if (agents[i].id == id)
            return number_of(&agents[i]);
    return nobody();
}

static unsigned ask_hip(int ordinal)
{
    char pci[64];
    if (!hip_bus_id || hip_bus_id(pci, sizeof pci, ordinal) != 0)
        return nobody();
    for (unsigned i = 0; i < agent_count; i++)
        if (strcasecmp(agents[i].device.pci, pci) == 0)
            return number_of(&agents[i]);
    return nobody();
}

unsigned rocm_device_of_thread(void)
{
    static _Atomic bool looked;
    int ordinal = -1;
    if (!atomic_load(&looked)) { /* twice is harmless */
        find_hip();
        atomic_store(&looked, true);
    }
    if (!hip_get_device || hip_get_device(&ordinal) != 0 || ordinal < 0 || ordinal >= (int)MOST)
        return nobody();
    unsigned number = atomic_load_explicit(&ordinals[ordinal], memory_order_relaxed);
    if (!number)
        atomic_store(&ordinals[ordinal], number = ask_hip(ordinal) + 1);
    return number - 1;
}
