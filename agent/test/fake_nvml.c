/* fake_nvml.c: a simulated libnvidia-ml.so.1. It has two GPUs, the second with one MIG instance;
 * their values are in the file that FAKE_NVML names, in lines `KEY NUMBER`, read at each call. With
 * FAKE_OLD it lacks functions of Hopper and later, like an old driver. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/sources/devices/nvml.h"

#define EXPORT __attribute__((visibility("default")))
#define DEVICE(i) ((nvml_device)(fake + (i)))

static char fake[3]; /* GPU 0, GPU 1, the instance of GPU 1 */

static long number(const char *key, long otherwise)
{
    const char *path = getenv("FAKE_NVML");
    FILE *f = path ? fopen(path, "r") : NULL;
    char name[32];
    long n, found = otherwise;
    while (f && fscanf(f, "%31s %ld", name, &n) == 2)
        if (!strcmp(name, key))
            found = n;
    if (f)
        fclose(f);
    return found;
}

static int index_of(nvml_device d)
{
    return (int)((char *)d - fake);
}

static int give(nvml_device d, const char *key, unsigned *to)
{
    if (number("lost", -1) == index_of(d))
        return NVML_LOST;
    *to = (unsigned)number(key, 0);
    return NVML_OK;
}

EXPORT int nvmlInit_v2(void)
{
    return (int)number("init", NVML_OK);
}
EXPORT int nvmlShutdown(void)
{
    return NVML_OK;
}
EXPORT int nvmlDeviceGetCount_v2(unsigned *n)
{
    *n = (unsigned)number("gpus", 2);
    return NVML_OK;
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned i, nvml_device *d)
{
    *d = DEVICE(i);
    return NVML_OK;
}
EXPORT int nvmlDeviceGetPciInfo_v3(nvml_device d, nvml_pci *pci)
{
    memset(pci, 0, sizeof *pci);
    pci->bus = index_of(d) ? 0xaf : 0x3b;
    return NVML_OK;
}
EXPORT int nvmlDeviceGetMemoryInfo(nvml_device d, nvml_memory *m)
{
    if (number("lost", -1) == index_of(d))
        return NVML_LOST;
    m->total = 80u * 1000000000ull;
    m->used = (unsigned long long)number("used", 0);
    m->free = m->total - m->used;
    return NVML_OK;
}
EXPORT int nvmlDeviceGetUtilizationRates(nvml_device d, nvml_utilization *u)
{
    u->memory = 0;
    return give(d, "busy", &u->gpu);
}
EXPORT int nvmlDeviceGetClockInfo(nvml_device d, unsigned type, unsigned *mhz)
{
    return give(d, type == NVML_SM_CLOCK ? "clock" : "other_clock", mhz);
}
EXPORT int nvmlDeviceGetMaxClockInfo(nvml_device d, unsigned type, unsigned *mhz)
{
    return give(d, type == NVML_SM_CLOCK ? "clock_limit" : "other_clock", mhz);
}
EXPORT int nvmlDeviceGetTemperature(nvml_device d, unsigned sensor, unsigned *c)
{
    return give(d, sensor == 0 ? "temperature" : "", c);
}
EXPORT int nvmlDeviceGetPcieThroughput(nvml_device d, unsigned counter, unsigned *kb)
{
    return give(d, counter == NVML_PCIE_SENT ? "sent" : "received", kb);
}
EXPORT int nvmlDeviceGetCurrPcieLinkGeneration(nvml_device d, unsigned *n)
{
    return give(d, "generation", n);
}
EXPORT int nvmlDeviceGetCurrPcieLinkWidth(nvml_device d, unsigned *n)
{
    return give(d, "width", n);
}
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(nvml_device d, unsigned long long *bits)
{
    unsigned n = 0;
    int r = give(d, "reasons", &n);
    *bits = n;
    return r;
}

#ifndef FAKE_OLD
static char event_set;
static unsigned taken; /* of the events */

EXPORT int nvmlDeviceGetUUID(nvml_device d, char *to, unsigned n)
{
    snprintf(to, n, index_of(d) == 2 ? "MIG-0000-1" : "GPU-0000-%d", index_of(d));
    return NVML_OK;
}
EXPORT int nvmlDeviceGetTotalEnergyConsumption(nvml_device d, unsigned long long *mj)
{
    unsigned n = 0;
    int r = give(d, "energy", &n);
    *mj = n;
    return r;
}
EXPORT int nvmlDeviceGetEnforcedPowerLimit(nvml_device d, unsigned *mw)
{
    return give(d, "power_limit", mw);
}
EXPORT int nvmlDeviceGetViolationStatus(nvml_device d, unsigned policy, nvml_violation *v)
{
    unsigned n = 0;
    int r = give(d, policy == NVML_BY_POWER ? "by_power" : "by_heat", &n);
    v->ns = n;
    return r;
}
EXPORT int nvmlDeviceGetTotalEccErrors(nvml_device d, unsigned type, unsigned counter,
                                       unsigned long long *to)
{
    unsigned n = 0;
    int r = give(d, type == NVML_UNCORRECTED && counter == NVML_SINCE_LOADED ? "ecc" : "", &n);
    *to = n;
    return r;
}
EXPORT int nvmlDeviceGetPcieReplayCounter(nvml_device d, unsigned *n)
{
    return give(d, "replays", n);
}
EXPORT int nvmlDeviceGetMigMode(nvml_device d, unsigned *now, unsigned *pending)
{
    *now = *pending = index_of(d) == 1;
    return NVML_OK;
}
EXPORT int nvmlDeviceGetMaxMigDeviceCount(nvml_device d, unsigned *n)
{
    *n = index_of(d) == 1 ? 7 : 0;
    return NVML_OK;
}
EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(nvml_device d, unsigned i, nvml_device *to)
{
    *to = DEVICE(2);
    return index_of(d) == 1 && i == 3 ? NVML_OK : 6; /* not found */
}
EXPORT int nvmlDeviceGetGpuInstanceId(nvml_device d, unsigned *id)
{
    *id = 5;
    return index_of(d) == 2 ? NVML_OK : 3;
}
EXPORT int nvmlGpmQueryDeviceSupport(nvml_device d, nvml_gpm_support *s)
{
    (void)d;
    s->supported = number("gpm", 1) != 0;
    return s->version == 1 ? NVML_OK : 2;
}
EXPORT int nvmlGpmSampleAlloc(void **to)
{
    return (*to = malloc(64)) ? NVML_OK : 20;
}
EXPORT int nvmlGpmSampleFree(void *sample)
{
    free(sample);
    return NVML_OK;
}
EXPORT int nvmlGpmSampleGet(nvml_device d, void *sample)
{
    memset(sample, index_of(d), 64);
    return number("lost", -1) == index_of(d) ? NVML_LOST : NVML_OK;
}
EXPORT int nvmlGpmMigSampleGet(nvml_device d, unsigned instance, void *sample)
{
    memset(sample, 2, 64);
    return index_of(d) == 1 && instance == 5 ? NVML_OK : 2;
}
EXPORT int nvmlGpmMetricsGet(nvml_gpm_metrics *m)
{
    if (m->version != 1 || memcmp(m->before, m->after, 64) != 0)
        return 2; /* samples of two GPUs */
    for (unsigned i = 0; i < m->count; i++) {
        char key[16];
        snprintf(key, sizeof key, "gpm%u", m->metrics[i].id);
        long v = number(key, -1);
        m->metrics[i].result = v < 0 ? 3 : NVML_OK;
        m->metrics[i].value = (double)v;
    }
    return NVML_OK;
}
/* nvlink 1: the GPUs are linked; 2: both to a switch; 3: the first alone is. */
EXPORT int nvmlDeviceGetNvLinkState(nvml_device d, unsigned link, unsigned *on)
{
    long how = number("nvlink", 0);
    *on = link == 4 && (how == 3 ? index_of(d) == 0 : how && index_of(d) < 2);
    return link < 18 ? NVML_OK : 2;
}
EXPORT int nvmlDeviceGetNvLinkRemotePciInfo_v2(nvml_device d, unsigned link, nvml_pci *pci)
{
    memset(pci, 0, sizeof *pci);
    pci->bus = number("nvlink", 0) != 1 ? 0xc4 : index_of(d) ? 0x3b : 0xaf;
    return link == 4 ? NVML_OK : 3;
}
EXPORT int nvmlDeviceGetGpuFabricInfoV(nvml_device d, nvml_fabric *f)
{
    if (f->version != (36u | 2u << 24))
        return 25; /* another version of the struct */
    memset(f->cluster, number("fabric", 0) ? 0xab : 0, sizeof f->cluster);
    f->status = NVML_OK;
    f->clique = 7;
    f->state = index_of(d) < 2 ? NVML_FABRIC_COMPLETED : 0;
    return NVML_OK;
}
EXPORT int nvmlDeviceGetFieldValues(nvml_device d, int n, nvml_field *fields)
{
    for (int i = 0; i < n; i++) {
        bool sent = fields[i].id == NVML_LINK_SENT;
        long v = number(sent ? "peer_sent" : "peer_received", -1);
        fields[i].result = v < 0 || fields[i].scope != UINT32_MAX ? 3 : NVML_OK;
        fields[i].type = NVML_U64;
        fields[i].value = (uint64_t)v;
    }
    return d ? NVML_OK : 2;
}
EXPORT int nvmlEventSetCreate(void **set)
{
    *set = &event_set;
    return NVML_OK;
}
EXPORT int nvmlDeviceRegisterEvents(nvml_device d, unsigned long long types, void *set)
{
    (void)d;
    return types == NVML_XID && set == &event_set ? NVML_OK : 2;
}
EXPORT int nvmlEventSetWait_v2(void *set, nvml_event *e, unsigned ms)
{
    if (set != &event_set || ms != 0 || taken >= (unsigned)number("xids", 0))
        return 10; /* time is up */
    taken++;
    *e = (nvml_event){.device = DEVICE(0), .type = NVML_XID, .data = 79};
    return NVML_OK;
}
#endif
