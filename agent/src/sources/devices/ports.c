/* ports.c: samples ports of fabrics in /sys/class/infiniband: InfiniBand, Omni-Path and EFA. The
 * kind of a port is recognised by its files, not by its name, which an administrator can change.
 *
 * An Ethernet port (RoCE, iWARP) is an interface, not a fabric, and is left out. A port that was never
 * active is left out too: cards have unused ports. One that went down is kept, with a rate of 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware.h"
#include "ports.h"

#define CLASS "/sys/class/infiniband"
#define MOST_PORTS 64
#define PARTS 3

/* A metric is the sum of the existing files. bits: the width at which the device's counter
 * saturates, all ones, instead of beginning again. */
struct part {
    const char *file;
    unsigned bits;
};
struct counter {
    enum jst_component_metric metric;
    unsigned unit;
    struct part parts[PARTS];
};

/* The widths are those of the port counters of InfiniBand's performance management (PortCounters). Today's
 * cards keep data and packets in 64 bits, which never saturate. */
static const struct counter infiniband[] = {
    {JST_LINK_SEND_BYTES, 4, {{"counters/port_xmit_data", 32}}},
    {JST_LINK_RECEIVE_BYTES, 4, {{"counters/port_rcv_data", 32}}},
    {JST_LINK_SEND_PACKETS, 1, {{"counters/port_xmit_packets", 32}}},
    {JST_LINK_RECEIVE_PACKETS, 1, {{"counters/port_rcv_packets", 32}}},
    {JST_LINK_WAIT_TICKS, 1, {{"counters/port_xmit_wait", 32}}},
    {JST_LINK_ERROR_OPS, 1, {{"counters/symbol_error", 16}, {"counters/port_rcv_errors", 16}}},
    {JST_LINK_DROP_OPS, 1, {{"counters/port_xmit_discards", 16}}},
    {JST_LINK_DOWN_OPS, 1, {{"counters/link_downed", 8}}},
    {JST_LINK_RETRY_OPS,
     1,
     {{"hw_counters/packet_seq_err", 64}, {"hw_counters/local_ack_timeout_err", 64}}},
};
/* Kernels before 4.5 keep the wide counters of the same port elsewhere. */
static const struct counter infiniband_ext[] = {
    {JST_LINK_SEND_BYTES, 4, {{"counters_ext/port_xmit_data_64", 64}}},
    {JST_LINK_RECEIVE_BYTES, 4, {{"counters_ext/port_rcv_data_64", 64}}},
    {JST_LINK_SEND_PACKETS, 1, {{"counters_ext/port_xmit_packets_64", 64}}},
    {JST_LINK_RECEIVE_PACKETS, 1, {{"counters_ext/port_rcv_packets_64", 64}}},
};
#define EXT (sizeof infiniband_ext / sizeof *infiniband_ext)
static const struct counter omnipath[] = {
    {JST_LINK_SEND_BYTES, 4, {{"hw_counters/TxWords", 64}}},
    {JST_LINK_RECEIVE_BYTES, 4, {{"hw_counters/RxWords", 64}}},
    {JST_LINK_SEND_PACKETS, 1, {{"hw_counters/TxPkt", 64}}},
    {JST_LINK_RECEIVE_PACKETS, 1, {{"hw_counters/RxPkt", 64}}},
    {JST_LINK_WAIT_TICKS, 1, {{"hw_counters/TxWait", 64}}},
    {JST_LINK_DROP_OPS, 1, {{"hw_counters/PktDrop", 64}}},
    {JST_LINK_RETRY_OPS, 1, {{"hw_counters/RcResend", 64}}},
    {JST_LINK_ERROR_OPS, 1, {{"counters/symbol_error", 16}, {"counters/port_rcv_errors", 16}}},
    {JST_LINK_DOWN_OPS, 1, {{"counters/link_downed", 8}}},
};
static const struct counter efa[] = {
    {JST_LINK_SEND_BYTES, 1, {{"hw_counters/tx_bytes", 64}}},
    {JST_LINK_RECEIVE_BYTES, 1, {{"hw_counters/rx_bytes", 64}}},
    {JST_LINK_SEND_PACKETS, 1, {{"hw_counters/tx_pkts", 64}}},
    {JST_LINK_RECEIVE_PACKETS, 1, {{"hw_counters/rx_pkts", 64}}},
    {JST_LINK_DROP_OPS, 1, {{"hw_counters/rx_drops", 64}}},
    {JST_LINK_RETRY_OPS, 1, {{"hw_counters/retrans_pkts", 64}}},
    {JST_LINK_ERROR_OPS,
     1,
     {{"hw_counters/rdma_read_wr_err", 64}, {"hw_counters/rdma_write_wr_err", 64}}},
};

struct fabric {
    const char *name;
    const struct counter *counters;
    size_t n;
};
#define LIST(c) c, sizeof c / sizeof *c
static const struct fabric ib = {"infiniband", LIST(infiniband)};
static const struct fabric opa = {"omnipath", LIST(omnipath)};
static const struct fabric aws = {"efa", LIST(efa)};

/* Ports that were active once, by name. */
static char active_once[MOST_PORTS][JST_NAME];
static unsigned n_active;
static char left_out[160];

bool jst_port_is_active(const char *state)
{
    /* By the number: "inactive" contains "active". 5 is ACTIVE_DEFER, a link that is about to go down. */
    uint64_t number;
    return jst_scan_number(state, &number, NULL) && (number == 4 || number == 5);
}

uint64_t jst_port_rate(const char *rate)
{
    /* `40 Gb/sec (4X QDR)`, `2.5 Gb/sec (1X SDR)` */
    char *end;
    double gigabits = strtod(rate, &end);
    if (end == rate || !(gigabits > 0 && gigabits < 1e6) || strncmp(end, " Gb/sec", 7) != 0)
        return 0;
    /* Up to QDR a link sends 10 bits for 8 of data, and the rate is of the former. */
    if (strstr(end, " SDR") || strstr(end, " DDR") || strstr(end, " QDR"))
        gigabits *= 0.8;
    return (uint64_t)(gigabits * 1e9 / 8 + 0.5);
}

jst_found jst_port_number(const char *text, unsigned bits, uint64_t *number)
{
    const char *end;
    /* `N/A (no PMA)` has no number. */
    if (!jst_scan_number(text, number, &end) || (*end != '\n' && *end != 0))
        return JST_BAD;
    return *number == UINT64_MAX >> (64 - bits) ? JST_BAD : JST_THERE;
}

static void report(jst_component *c, const char *port, const struct counter *counter)
{
    uint64_t sum = 0;
    bool there = false, bad = false;
    for (unsigned i = 0; i < PARTS && counter->parts[i].file; i++) {
        char text[64];
        uint64_t number;
        jst_found found = jst_file_text(port, counter->parts[i].file, text, sizeof text);
        if (found == JST_ABSENT)
            continue;
        there = true;
        if (found == JST_BAD || jst_port_number(text, counter->parts[i].bits, &number) == JST_BAD ||
            __builtin_add_overflow(sum, number, &sum))
            bad = true;
    }
    if (there && (bad || __builtin_mul_overflow(sum, counter->unit, &sum)))
        jst_unknown(c, counter->metric);
    else if (there)
        jst_counter(c, counter->metric, sum);
}

static const struct fabric *fabric_of(const char *device, const char *port)
{
    char text[JST_NAME];
    uint64_t number;
    if (jst_file_word(device, "device/vendor", text) == JST_THERE && !strcmp(text, "0x1d0f"))
        return &aws;
    if (jst_file_number(port, "hw_counters/TxWords", &number) != JST_ABSENT)
        return &opa;
    return jst_file_text(port, "link_layer", text, sizeof text) == JST_THERE &&
                   strncmp(text, "InfiniBand", 10) != 0
               ? NULL
               : &ib;
}

static bool is_wanted(const char *name, bool active)
{
    for (unsigned i = 0; i < n_active; i++)
        if (!strcmp(active_once[i], name))
            return true;
    if (!active || n_active == MOST_PORTS)
        return active;
    snprintf(active_once[n_active++], JST_NAME, "%s", name);
    return true;
}

/* Returns whether it is a port of a fabric; with a sample, reports it. */
static bool take_port(jst_sample *s, const char *device, const char *device_name,
                      const char *number)
{
    char folder[JST_PATH], port[JST_PATH], link[JST_PATH], name[JST_NAME], text[JST_NAME];
    uint64_t wide;
    if (!jst_join(folder, device, "ports") || !jst_join(port, folder, number) ||
        snprintf(name, sizeof name, "%s/%s", device_name, number) >= (int)sizeof name)
        return false;
    const struct fabric *fabric = fabric_of(device, port);
    if (!fabric) {
        snprintf(left_out, sizeof left_out,
                 "no port of a fabric: %.60s is Ethernet, see its interface", name);
        return false;
    }
    bool active =
        jst_file_text(port, "state", text, sizeof text) == JST_THERE && jst_port_is_active(text);
    if (!s || !is_wanted(name, active))
        return true;
    jst_place place = {.path = ""};
    if (jst_join(link, device, "device"))
        place = jst_place_of(link);
    jst_component *c = jst_component_of(s, &(jst_names){.kind = JST_KIND_PORT,
                                                        .name = name,
                                                        .source = fabric->name,
                                                        .path = place.path,
                                                        .numa = place.numa});
    bool ext =
        fabric == &ib && jst_file_number(port, infiniband_ext[0].parts[0].file, &wide) == JST_THERE;
    for (size_t i = 0; i < fabric->n; i++)
        report(c, port, ext && i < EXT ? &infiniband_ext[i] : &fabric->counters[i]);
    bool rated = jst_file_text(port, "rate", text, sizeof text) == JST_THERE;
    jst_level(c, JST_LINK_RATE_BYTES, active && rated ? jst_port_rate(text) : 0);
    return true;
}

static unsigned each_port(jst_sample *s)
{
    unsigned ports = 0;
    DIR *devices = jst_open_folder(CLASS);
    if (!devices)
        return 0;
    for (const char *name; (name = jst_next_name(devices, ""));) {
        char device[JST_PATH], folder[JST_PATH];
        if (!jst_join(device, CLASS, name) || !jst_join(folder, device, "ports"))
            continue;
        DIR *numbers = jst_open_folder(folder);
        if (!numbers)
            continue;
        for (const char *number; (number = jst_next_name(numbers, ""));)
            ports += take_port(s, device, name, number);
        closedir(numbers);
    }
    closedir(devices);
    return ports;
}

static const char *open_ports(void)
{
    strcpy(left_out, "no InfiniBand, Omni-Path or EFA");
    n_active = 0;
    return each_port(NULL) ? NULL : left_out;
}

static const char *sample_ports(jst_sample *s)
{
    return each_port(s) ? NULL : "the ports of the fabric are gone";
}

const jst_source jst_source_fabric = {.name = "fabric", .open = open_ports, .sample = sample_ports};
