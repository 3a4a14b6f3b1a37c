/* nvidia.c: samples NVIDIA's GPUs and their MIG instances by the driver's own library (NVML).
 *
 * DCGM is never used: its fields of PCIe and NVLink take a lock of the whole machine. From Hopper on the
 * library samples them itself (GPM); before, a window of 20 ms represents the slice.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hardware.h"
#include "nvml.h"
#include "sysfs.h"

#define GPUS 64            /* GPUs and instances */
#define LOOK_NS (300 * NS) /* instances come and go, GPUs seldom */
#define EVENTS 64          /* taken in one sample at most: the rest in the next */
#define NS UINT64_C(1000000000)

typedef struct gpu {
    nvml_device device, parent; /* parent: of an instance */
    uint64_t at_ns, errors;
    void *gpm[2]; /* the sample before, and this one */
    unsigned instance;
    bool has_gpm, sampled;     /* sampled: gpm[0] has one */
    char name[96], domain[64]; /* domain: of NVLink, "": none */
    jst_place place;
} gpu;

static struct {
#define DECLARE(name, there, parameters) int(*name) parameters;
    NVML_FUNCTIONS(DECLARE)
} nvml;

const char *jst_nvml_library = "libnvidia-ml.so.1";
static void *library, *events;
static bool begun;
static gpu gpus[GPUS];
static unsigned n_gpus;
static uint64_t looked_ns;
static char problem[160];

static uint64_t monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS + (uint64_t)t.tv_nsec;
}

/* Calls what this driver may not have. */
#define CALL(function, ...) (nvml.function && nvml.function(__VA_ARGS__) == NVML_OK)

static void add(nvml_device device, const gpu *parent, const char *name, const jst_place *place)
{
    nvml_gpm_support support = {.version = 1};
    if (n_gpus == GPUS)
        return;
    gpu *g = &gpus[n_gpus++];
    if (g->device == device && !strcmp(g->name, name))
        return;
    /* A place keeps its samples: they belong to no device, and need not be freed. */
    *g = (gpu){.device = device,
               .parent = parent ? parent->device : NULL,
               .at_ns = monotonic_ns(),
               .gpm = {g->gpm[0], g->gpm[1]}};
    snprintf(g->name, sizeof g->name, "%s", name);
    g->place = *place;
    if (events && !parent)
        (void)CALL(event_register, device, NVML_XID, events);
    if (!nvml.gpm_sample || !nvml.gpm_metrics || (parent && !nvml.gpm_mig_sample) ||
        !CALL(gpm_support, parent ? parent->device : device, &support) || !support.supported ||
        (parent && !CALL(mig_instance, device, &g->instance)))
        return;
    for (int i = 0; i < 2; i++)
        if (!g->gpm[i] && !CALL(gpm_alloc, &g->gpm[i]))
            g->gpm[i] = NULL;
    g->has_gpm = g->gpm[0] && g->gpm[1];
}

static void add_instances(const gpu *whole)
{
    unsigned on = 0, pending = 0, count = 0;
    if (!CALL(mig_mode, whole->device, &on, &pending) || !on ||
        !CALL(mig_count, whole->device, &count))
        return;
    for (unsigned i = 0; i < count && i < GPUS; i++) {
        nvml_device device;
        char uuid[96] = "";
        if (CALL(mig_handle, whole->device, i, &device) &&
            CALL(uuid, device, uuid, (unsigned)sizeof uuid))
            add(device, whole, uuid, &whole->place);
    }
}

/* ---- domains of NVLink ---- */

/* The targets of a GPU's links: other GPUs, or switches. Numbers of PCI devices. */
typedef struct reach {
    uint64_t self, others[NVML_MOST_LINKS];
    unsigned n, gpu; /* gpu: its place in `gpus` */
} reach;

static uint64_t pci_number(const nvml_pci *pci)
{
    return (uint64_t)pci->domain << 16 | (pci->bus & 0xff) << 8 | (pci->device & 0xff);
}

static void look_along(reach *r)
{
    for (unsigned link = 0; link < NVML_MOST_LINKS; link++) {
        unsigned on = 0;
        nvml_pci there = {0};
        if (CALL(link_state, gpus[r->gpu].device, link, &on) && on &&
            CALL(link_remote, gpus[r->gpu].device, link, &there))
            r->others[r->n++] = pci_number(&there);
    }
}

/* Are they linked to each other, or to the same switch? A switch that is invisible to a virtual
 * machine also has one number for all GPUs. */
static bool are_linked(const reach *a, const reach *b)
{
    for (unsigned i = 0; i < a->n; i++) {
        if (a->others[i] == b->self)
            return true;
        for (unsigned k = 0; k < b->n; k++)
            if (a->others[i] == b->others[k] || b->others[k] == a->self)
                return true;
    }
    return false;
}

/* For GPUs of several nodes that switches join: the number of their fabric, and of their part of
 * it. */
static bool fabric_of(gpu *g)
{
    static const unsigned char none[16];
    nvml_fabric f = {.version = sizeof f | 2u << 24};
    if (!CALL(fabric, g->device, &f) || f.state != NVML_FABRIC_COMPLETED || f.status != NVML_OK ||
        !memcmp(f.cluster, none, sizeof none))
        return false;
    char *to = g->domain;
    for (unsigned i = 0; i < sizeof f.cluster; i++)
        to += sprintf(to, "%02x", f.cluster[i]);
    sprintf(to, "/%u", f.clique);
    return true;
}

/* A domain within a node has the name of the first of its GPUs. */
static void find_domains(reach *reaches, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        look_along(&reaches[i]);
    for (unsigned i = 0; i < n; i++) {
        gpu *g = &gpus[reaches[i].gpu];
        if (*g->domain || fabric_of(g))
            continue;
        /* All that can be reached from it, step by step. */
        unsigned queue[GPUS] = {i}, known = 1;
        bool is_in[GPUS] = {[0] = false};
        char first[sizeof g->domain];
        snprintf(first, sizeof first, "%.60s", g->name);
        is_in[i] = true;
        for (unsigned at = 0; at < known; at++)
            for (unsigned k = 0; k < n; k++)
                if (!is_in[k] && are_linked(&reaches[queue[at]], &reaches[k])) {
                    is_in[k] = true;
                    queue[known++] = k;
                }
        for (unsigned at = 0; at < known && known > 1; at++)
            memcpy(gpus[reaches[queue[at]].gpu].domain, first, sizeof first);
    }
}

static void end(void)
{
    for (unsigned i = 0; i < GPUS; i++)
        for (int k = 0; k < 2; k++)
            if (gpus[i].gpm[k])
                (void)CALL(gpm_free, gpus[i].gpm[k]);
    memset(gpus, 0, sizeof gpus);
    if (begun)
        (void)CALL(shutdown);
    begun = false;
    events = NULL;
    n_gpus = 0;
}

static const char *look(void)
{
    static reach reaches[GPUS];
    unsigned count = 0, whole_ones = 0;
    n_gpus = 0;
    looked_ns = monotonic_ns();
    if (nvml.count(&count) != NVML_OK) {
        end();
        return "the driver names no GPUs";
    }
    for (unsigned i = 0; i < count && n_gpus < GPUS; i++) {
        nvml_device device;
        nvml_pci pci = {0};
        char name[96], link[JST_PATH];
        if (nvml.handle(i, &device) != NVML_OK || nvml.pci(device, &pci) != NVML_OK)
            continue;
        snprintf(name, sizeof name, "%04x:%02x:%02x.0", pci.domain, pci.bus, pci.device);
        snprintf(link, sizeof link, "/sys/bus/pci/devices/%s", name);
        jst_place place = jst_place_of(link);
        gpu *whole = &gpus[n_gpus];
        *whole->domain = 0;
        reaches[whole_ones++] = (reach){.self = pci_number(&pci), .gpu = n_gpus};
        add(device, NULL, name, &place);
        add_instances(whole);
    }
    find_domains(reaches, whole_ones);
    return n_gpus ? NULL : "no NVIDIA GPU";
}

static const char *open_gpus(void)
{
    end();
    if (!library && !(library = dlopen(jst_nvml_library, RTLD_NOW | RTLD_LOCAL)))
        return "no NVIDIA driver";
#define FIND(name, there, parameters) *(void **)&nvml.name = dlsym(library, #there);
    NVML_FUNCTIONS(FIND)
    if (!nvml.init || !nvml.count || !nvml.handle || !nvml.pci)
        return "the library of NVIDIA's driver is too old";
    int r = nvml.init();
    if (r != NVML_OK) {
        snprintf(problem, sizeof problem,
                 r == NVML_DRIVER_NOT_LOADED ? "NVIDIA's driver is not loaded"
                                             : "NVIDIA's driver cannot be used: error %d of NVML",
                 r);
        return problem;
    }
    begun = true;
    if (!CALL(event_set, &events))
        events = NULL;
    const char *why = look();
    if (why)
        end();
    return why;
}

/* ---- one GPU ---- */

static void rates_by_gpm(jst_component *c, gpu *g, uint64_t ns)
{
    static nvml_gpm_metrics m; /* of this source's thread */
    static const struct {
        unsigned id;
        enum jst_component_metric metric;
    } wanted[] = {{NVML_GPM_BUSY, JST_DEVICE_BUSY_NS},
                  {NVML_GPM_PCIE_SENT, JST_LINK_SEND_BYTES},
                  {NVML_GPM_PCIE_RECEIVED, JST_LINK_RECEIVE_BYTES},
                  {NVML_GPM_LINK_SENT, JST_DEVICE_PEER_SEND_BYTES},
                  {NVML_GPM_LINK_RECEIVED, JST_DEVICE_PEER_RECEIVE_BYTES}};
    const unsigned n = sizeof wanted / sizeof *wanted;
    int r = g->parent ? nvml.gpm_mig_sample(g->parent, g->instance, g->gpm[1])
                      : nvml.gpm_sample(g->device, g->gpm[1]);
    m = (nvml_gpm_metrics){.version = 1, .count = n, .before = g->gpm[0], .after = g->gpm[1]};
    for (unsigned i = 0; i < n; i++)
        m.metrics[i].id = wanted[i].id;
    bool both = r == NVML_OK && g->sampled && nvml.gpm_metrics(&m) == NVML_OK;
    for (unsigned i = 0; i < n; i++) {
        double v = m.metrics[i].value;
        bool busy = wanted[i].id == NVML_GPM_BUSY;
        double scaled = v * (busy ? (double)ns / 100 : (double)ns / (double)NS * 1048576);
        if (!g->sampled && r == NVML_OK)
            jst_increase(c, wanted[i].metric, 0);
        else if (!both)
            jst_unknown(c, wanted[i].metric);
        else if (m.metrics[i].result == NVML_OK && scaled >= 0 && scaled < 1e18)
            jst_increase(c, wanted[i].metric, (uint64_t)scaled);
    }
    g->sampled = r == NVML_OK;
    void *now = g->gpm[1];
    g->gpm[1] = g->gpm[0];
    g->gpm[0] = now;
}

/* NVLink counts by itself, in KiB, over all of a GPU's links. */
static void peer_bytes(jst_component *c, const gpu *g)
{
    nvml_field f[2] = {{.id = NVML_LINK_SENT, .scope = UINT_MAX},
                       {.id = NVML_LINK_RECEIVED, .scope = UINT_MAX}};
    if (!CALL(fields, g->device, 2, f))
        return;
    for (int i = 0; i < 2; i++)
        if (f[i].result == NVML_OK && f[i].type == NVML_U64)
            jst_counter(c, i ? JST_DEVICE_PEER_RECEIVE_BYTES : JST_DEVICE_PEER_SEND_BYTES,
                        f[i].value * 1024);
}

/* Before Hopper: the last moments represent the slice. */
static void rates_by_window(jst_component *c, const gpu *g, uint64_t ns)
{
    nvml_utilization u;
    unsigned kilobytes;
    if (CALL(utilization, g->device, &u) && u.gpu <= 100)
        jst_increase(c, JST_DEVICE_BUSY_NS, ns / 100 * u.gpu);
    if (CALL(throughput, g->device, NVML_PCIE_SENT, &kilobytes))
        jst_increase(c, JST_LINK_SEND_BYTES, (uint64_t)(kilobytes * 1e-6 * (double)ns));
    if (CALL(throughput, g->device, NVML_PCIE_RECEIVED, &kilobytes))
        jst_increase(c, JST_LINK_RECEIVE_BYTES, (uint64_t)(kilobytes * 1e-6 * (double)ns));
    peer_bytes(c, g);
}

static void clocks_and_power(jst_component *c, const gpu *g, uint64_t ns)
{
    unsigned n;
    unsigned long long wide;
    nvml_violation power, heat;
    if (CALL(clock, g->device, NVML_SM_CLOCK, &n))
        jst_level(c, JST_DEVICE_CLOCK_KHZ, n * UINT64_C(1000));
    if (CALL(clock_limit, g->device, NVML_SM_CLOCK, &n))
        jst_level(c, JST_DEVICE_CLOCK_LIMIT_KHZ, n * UINT64_C(1000));
    if (CALL(energy, g->device, &wide))
        jst_counter(c, JST_POWER_ENERGY_UJ, wide * 1000);
    if (CALL(power_limit, g->device, &n))
        jst_level(c, JST_POWER_LIMIT_UW, n * UINT64_C(1000));
    if (CALL(temperature, g->device, 0, &n))
        jst_level(c, JST_POWER_TEMPERATURE_MC, n * UINT64_C(1000));
    if (CALL(violation, g->device, NVML_BY_POWER, &power) &&
        CALL(violation, g->device, NVML_BY_HEAT, &heat))
        jst_counter(c, JST_DEVICE_THROTTLE_NS, power.ns + heat.ns);
    else if (CALL(reasons, g->device, &wide))
        jst_increase(c, JST_DEVICE_THROTTLE_NS, wide & NVML_SLOWED ? ns : 0);
}

static void bus_and_errors(jst_component *c, const gpu *g)
{
    /* Bytes a second of one lane, by generation, without the coding of the line. */
    static const uint64_t lane[] = {0,          250000000,  500000000, 984615384,
                                    1969230769, 3938461538, 7563025210};
    unsigned generation, width, replays;
    unsigned long long ecc;
    if (CALL(generation, g->device, &generation) && CALL(width, g->device, &width) &&
        generation < sizeof lane / sizeof *lane && width <= 32)
        jst_level(c, JST_LINK_RATE_BYTES, lane[generation] * width);
    if (CALL(replays, g->device, &replays))
        jst_counter(c, JST_LINK_ERROR_OPS, replays);
    uint64_t errors = g->errors;
    if (CALL(ecc, g->device, NVML_UNCORRECTED, NVML_SINCE_LOADED, &ecc))
        errors += ecc;
    jst_counter(c, JST_DEVICE_ERROR_OPS, errors);
}

static bool report(jst_sample *s, gpu *g)
{
    nvml_memory memory;
    int r = nvml.memory ? nvml.memory(g->device, &memory) : NVML_OK;
    if (r == NVML_LOST || r == NVML_RESET) {
        snprintf(problem, sizeof problem, "GPU %.40s %s", g->name,
                 r == NVML_LOST ? "is lost" : "must be reset");
        g->sampled = false;
        return false;
    }
    jst_component *c = jst_component_of(s, &(jst_names){.kind = JST_KIND_GPU,
                                                        .name = g->name,
                                                        .source = g->domain,
                                                        .path = g->place.path,
                                                        .numa = g->place.numa});
    uint64_t now = monotonic_ns(), ns = now - g->at_ns;
    g->at_ns = now;
    if (nvml.memory && r == NVML_OK) {
        jst_level(c, JST_MEMORY_USED_BYTES, memory.used);
        jst_level(c, JST_MEMORY_LIMIT_BYTES, memory.total);
    }
    if (g->has_gpm)
        rates_by_gpm(c, g, ns);
    else if (!g->parent)
        rates_by_window(c, g, ns);
    if (!g->parent) {
        clocks_and_power(c, g, ns);
        bus_and_errors(c, g);
    }
    return true;
}

static void take_events(void)
{
    nvml_event e;
    for (unsigned n = 0; events && n < EVENTS && CALL(event_wait, events, &e, 0); n++)
        for (unsigned i = 0; i < n_gpus; i++)
            if (gpus[i].device == e.device && e.type == NVML_XID)
                gpus[i].errors++;
}

static const char *sample_gpus(jst_sample *s)
{
    const char *why = NULL;
    if (!begun)
        why = open_gpus();
    else if (monotonic_ns() - looked_ns >= LOOK_NS)
        why = look();
    if (why)
        return why;
    take_events();
    unsigned here = 0;
    for (unsigned i = 0; i < n_gpus; i++)
        here += report(s, &gpus[i]);
    if (here == n_gpus)
        return NULL;
    if (!here)
        end(); /* the driver may be reloaded */
    return problem;
}

const jst_source jst_source_nvidia = {
    .name = "nvidia", .open = open_gpus, .sample = sample_gpus, .stack = 1 << 20};
