/* gpu_devices.c: the GPUs that this process has used. Each has a place in the table in the
 * profile's header, from when a recorder first names it. Its bus and NUMA node are read from /sys,
 * in one way for all vendors. */
#include "gpu_devices.h"

#include "profile/area.h"
#include "sys.h"
#include "text.h"

#ifndef JST_PCI_DEVICES
#define JST_PCI_DEVICES "/sys/bus/pci/devices/"
#endif

JST_LARGE static jst_gpu known[JST_GPUS]; /* the text of places; no numbers */
static _Atomic uint32_t used;
static _Atomic bool held;

static void hold(void)
{
    while (atomic_exchange(&held, true))
        jst_sys0(SYS_sched_yield);
}

static void let_go(void)
{
    atomic_store(&held, false);
}

/* ---- the identity of a GPU ---- */

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* A bus id as the kernel writes it: 0000:3b:00.0. Vendors' libraries use capitals, some eight digits for
 * the domain. Empty where it is no bus id: it becomes part of a path. */
static void put_bus_id(char *to, const char *end, const char *from)
{
    char id[32];
    unsigned n = 0;
    while (n + 1 < sizeof id && from[n]) {
        char c = from[n];
        id[n++] = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
    }
    id[n] = 0;
    const char *digits = n == 16 && jst_begins_with(id, "0000") ? id + 4 : id;
    static const char shape[] = "xxxx:xx:xx.x";
    for (unsigned i = 0; i < sizeof shape; i++) /* its end, too */
        if (shape[i] == 'x' ? !is_hex(digits[i]) : digits[i] != shape[i])
            return;
    jst_put_text(to, end, digits);
}

/* The link of a device names its position in the tree:
 * ../../../devices/pci0000:80/0000:80:01.1/... */
static void find_path(jst_gpu *g)
{
    char link[64], target[512];
    const char *end = link + sizeof link;
    jst_put_text(jst_put_text(link, end, JST_PCI_DEVICES), end, g->pci);
    long n = jst_sys4(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1);
    if (n <= 0)
        return;
    target[n] = 0;
    for (const char *p = target; *p; p++)
        if (jst_begins_with(p, "/devices/")) {
            p += sizeof "/devices/" - 1;
            if (jst_strlen(p) < sizeof g->path) /* a part of it would be another device's */
                jst_put_text(g->path, g->path + sizeof g->path, p);
            return;
        }
}

static void find_numa(jst_gpu *g)
{
    char path[80], text[16];
    const char *end = path + sizeof path, *p = text;
    char *q = jst_put_text(jst_put_text(path, end, JST_PCI_DEVICES), end, g->pci);
    jst_put_text(q, end, "/numa_node");
    if (jst_read_file(path, text, sizeof text) > 0 && text[0] >= '0' && text[0] <= '9')
        g->numa = (uint32_t)jst_next_number(&p) + 1;
}

/* Text of a recorder, which may lack its NUL. */
#define PUT_FIELD(g, field, from)                                                                  \
    put_field((g)->field, sizeof(g)->field, (from)->field, sizeof(from)->field)

static void put_field(char *to, size_t room, const char *from, size_t bytes)
{
    size_t n = 0;
    while (n < bytes && n + 1 < room && from[n]) {
        to[n] = from[n];
        n++;
    }
    to[n] = 0;
}

static void describe(jst_gpu *g, const jst_gpu_device *device)
{
    char pci[sizeof device->pci + 1];
    put_field(pci, sizeof pci, device->pci, sizeof device->pci);
    jst_zero(g, sizeof *g);
    put_bus_id(g->pci, g->pci + sizeof g->pci, pci);
    PUT_FIELD(g, uuid, device);
    PUT_FIELD(g, name, device);
    PUT_FIELD(g, path, device);
    g->numa = device->numa >= 0 ? (uint32_t)device->numa + 1 : 0;
    g->memory_bytes = device->memory_bytes;
    if (g->pci[0] && !g->path[0])
        find_path(g);
    if (g->pci[0] && !g->numa)
        find_numa(g);
}

/* ---- places ---- */

static void to_head(unsigned place)
{
    jst_copy(&jst_a.gpus[place], &known[place], offsetof(jst_gpu, words));
    atomic_store(&jst_a.head.gpus_used, place + 1);
}

static unsigned place_of(const jst_gpu *g)
{
    uint32_t n = atomic_load(&used);
    for (unsigned i = 0; i < n; i++)
        if (jst_str_equal(known[i].pci, g->pci) && jst_str_equal(known[i].uuid, g->uuid))
            return i;
    return JST_GPUS;
}

unsigned jst_gpu_number(const jst_gpu_device *device)
{
    jst_gpu g;
    describe(&g, device);
    hold();
    unsigned place = place_of(&g);
    uint32_t n = atomic_load(&used);
    if (place == JST_GPUS && n < JST_GPUS) {
        place = n;
        jst_copy(&known[place], &g, sizeof g);
        to_head(place);
        atomic_store(&used, n + 1);
    }
    let_go();
    return place;
}

unsigned jst_gpus_used(void)
{
    return atomic_load(&used);
}

void jst_gpus_to_head(void)
{
    uint32_t n = atomic_load(&used);
    for (unsigned i = 0; i < n; i++)
        to_head(i);
}

void jst_gpus_child(void)
{
    atomic_store(&used, 0);
    atomic_store(&held, false);
}
