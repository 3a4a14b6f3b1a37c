/* interface.c: samples network interfaces: /proc/net/dev, and /sys/class/net for their kind.
 *
 * An interface with a device of its own is hardware, or virtual hardware in a virtual machine.
 * Interfaces without one (bridges, bonds, veth, tunnels) pass on hardware's traffic: they are left
 * out where there is any hardware, and are the only ones in a container. lo is always left out.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "numbers.h"
#include "sysfs.h"
#include "system.h"

#define INTERFACES 256
#define NAME_BYTES 32
#define LOOK_S 300 /* the speed of a link is read so often: some drivers are slow */
#define MBIT_BYTES 125000

/* Columns of /proc/net/dev after the name. */
enum {
    RECEIVED,
    RECEIVED_PACKETS,
    RECEIVE_ERRORS,
    RECEIVE_DROPS,
    SENT = 8,
    SENT_PACKETS,
    SEND_ERRORS,
    SEND_DROPS,
    COLUMNS = 16
};

typedef struct interface {
    char name[NAME_BYTES];
    bool hardware;
    jst_place place;
    uint64_t bytes_per_s; /* 0: not known */
} interface;

static char text[256 * 1024];
static interface known[INTERFACES];
static unsigned count;
static time_t looked;
static bool any_hardware;

static void look_at(interface *i)
{
    char path[512];
    uint64_t mbit = 0;
    int n = snprintf(path, sizeof path, "%s/sys/class/net/%.31s/device", jst_root, i->name);
    i->hardware = n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
    snprintf(path, sizeof path, "/sys/class/net/%.31s/device", i->name);
    i->place = jst_place_of(path);
    i->bytes_per_s = 0;
    snprintf(path, sizeof path, "/sys/class/net/%.31s/speed", i->name);
    /* -1, or an error, while the link is down, and of virtual devices. */
    if (i->hardware && jst_read_number(path, &mbit) == 0 && mbit < 100000000)
        i->bytes_per_s = mbit * MBIT_BYTES;
    any_hardware = any_hardware || i->hardware;
}

/* Facts about a name; NULL beyond the first INTERFACES. */
static interface *interface_of(const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(known[i].name, name) == 0)
            return &known[i];
    if (count == INTERFACES)
        return NULL;
    interface *i = &known[count++];
    snprintf(i->name, sizeof i->name, "%s", name);
    look_at(i);
    return i;
}

static void report(jst_sample *s, const interface *i, const uint64_t *v)
{
    char path[128];
    uint64_t downs;
    jst_component *c = jst_component_of(s, &(jst_names){.kind = JST_KIND_INTERFACE,
                                                        .name = i->name,
                                                        .path = i->place.path,
                                                        .numa = i->place.numa});
    jst_counter(c, JST_LINK_RECEIVE_BYTES, v[RECEIVED]);
    jst_counter(c, JST_LINK_RECEIVE_PACKETS, v[RECEIVED_PACKETS]);
    jst_counter(c, JST_LINK_SEND_BYTES, v[SENT]);
    jst_counter(c, JST_LINK_SEND_PACKETS, v[SENT_PACKETS]);
    jst_counter(c, JST_LINK_ERROR_OPS, v[RECEIVE_ERRORS] + v[SEND_ERRORS]);
    jst_counter(c, JST_LINK_DROP_OPS, v[RECEIVE_DROPS] + v[SEND_DROPS]);
    snprintf(path, sizeof path, "/sys/class/net/%s/carrier_down_count", i->name);
    if (jst_read_number(path, &downs) == 0)
        jst_counter(c, JST_LINK_DOWN_OPS, downs);
    if (i->bytes_per_s)
        jst_level(c, JST_LINK_RATE_BYTES, i->bytes_per_s);
}

/* `  eth0: 1234 5 ...`; two lines of headings. There may be no blank between name and number. */
static bool parse_line(const char *line, char name[NAME_BYTES], uint64_t *v)
{
    const char *end = strchr(line, '\n'), *colon = NULL;
    while (*line == ' ')
        line++;
    for (const char *p = line; p < end; p++)
        if (*p == ':')
            colon = p;
    if (!colon || colon == line || colon - line >= NAME_BYTES)
        return false;
    snprintf(name, NAME_BYTES, "%.*s", (int)(colon - line), line);
    return jst_line_numbers(colon + 1, v, COLUMNS) > SEND_DROPS;
}

static void parse_interfaces(jst_sample *s, const char *from)
{
    char name[NAME_BYTES];
    uint64_t v[COLUMNS];
    /* First all are read: whether there is hardware decides for each. */
    for (int round = 0; round < 2; round++)
        for (const char *line = from; line && *line; line = jst_next_line(line)) {
            if (!parse_line(line, name, v) || strcmp(name, "lo") == 0)
                continue;
            const interface *i = interface_of(name);
            bool used = v[RECEIVED] || v[SENT];
            if (round == 1 && i && (i->hardware || (!any_hardware && used)))
                report(s, i, v);
        }
}

static const char *open_interfaces(void)
{
    count = 0;
    looked = 0;
    return jst_read_text("/proc/net/dev", text, sizeof text) > 0 ? NULL
                                                                 : "/proc/net/dev cannot be read";
}

static const char *sample_interfaces(jst_sample *s)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (jst_read_text("/proc/net/dev", text, sizeof text) < 0)
        return "/proc/net/dev cannot be read";
    if (!looked || now.tv_sec - looked >= LOOK_S) {
        looked = now.tv_sec + !now.tv_sec;
        count = 0;
        any_hardware = false;
    }
    parse_interfaces(s, text);
    return NULL;
}

const jst_source jst_source_interface = {
    .name = "interface", .open = open_interfaces, .sample = sample_interfaces};
