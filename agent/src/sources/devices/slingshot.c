/* slingshot.c: samples NICs of Slingshot (Cassini) in /sys/class/cxi.
 *
 * Telemetry has over 1400 files, and each read calls the driver. So this is a list of those with
 * the port's traffic, pauses and errors. A read that fails makes its metric unknown for that slice
 * and changes nothing else.
 */
#include <stdio.h>
#include <string.h>

#include "hardware.h"
#include "slingshot.h"

#define CLASS "/sys/class/cxi"
#define CLASSES 8 /* of traffic: NAME_0 to NAME_7 */
#define COUNTER_END                                                                                \
    ((UINT64_C(1) << 56) - 1) /* the device's counters have 56 bits, and begin again */

struct counter {
    const char *file;
    enum jst_component_metric metric;
    bool by_class; /* one file for each class of traffic, summed */
};

static const struct counter counters[] = {
    {"hni_sts_tx_ok_octets", JST_LINK_SEND_BYTES, false},
    {"hni_sts_rx_ok_octets", JST_LINK_RECEIVE_BYTES, false},
    {"hni_pkts_sent_by_tc", JST_LINK_SEND_PACKETS, true},
    {"hni_pkts_recv_by_tc", JST_LINK_RECEIVE_PACKETS, true},
    /* Cycles in which the switch did not let the port send: the sign of congestion. */
    {"hni_tx_paused", JST_LINK_WAIT_TICKS, true},
    {"hni_pause_recv", JST_LINK_PAUSE_OPS, true},
    {"hni_pcs_uncorrected_cw", JST_LINK_ERROR_OPS, false},
    {"hni_llr_tx_replay_event", JST_LINK_RETRY_OPS, false},
    {"hni_llr_tx_discard", JST_LINK_DROP_OPS, false},
};

jst_found jst_telemetry_number(const char *text, uint64_t *number)
{
    const char *end;
    if (!jst_scan_number(text, number, &end) || (*end != '@' && *end != '\n' && *end != 0))
        return JST_BAD;
    return *number > COUNTER_END ? JST_BAD : JST_THERE;
}

uint64_t jst_telemetry_speed(const char *speed)
{
    uint64_t gigabits;
    const char *end;
    speed += strcspn(speed, "0123456789");
    if (!jst_scan_number(speed, &gigabits, &end) || *end != 'G' || gigabits > 100000)
        return 0;
    return gigabits * 1000000000 / 8;
}

static jst_found file_counter(const char *folder, const char *name, uint64_t *number)
{
    char text[64];
    jst_found found = jst_file_text(folder, name, text, sizeof text);
    return found == JST_THERE ? jst_telemetry_number(text, number) : found;
}

static jst_found class_sum(const char *folder, const char *file, uint64_t *sum)
{
    bool there = false;
    *sum = 0;
    for (unsigned i = 0; i < CLASSES; i++) {
        char name[JST_NAME];
        uint64_t number;
        snprintf(name, sizeof name, "%s_%u", file, i);
        jst_found found = file_counter(folder, name, &number);
        if (found == JST_BAD)
            return JST_BAD;
        there |= found == JST_THERE;
        *sum += found == JST_THERE ? number : 0; /* 8 times 56 bits fit */
    }
    return there ? JST_THERE : JST_ABSENT;
}

static void report(jst_component *c, const char *folder, const struct counter *counter)
{
    uint64_t number;
    jst_found found = counter->by_class ? class_sum(folder, counter->file, &number)
                                        : file_counter(folder, counter->file, &number);
    if (found == JST_BAD)
        jst_unknown(c, counter->metric);
    else if (found == JST_THERE && !counter->by_class)
        jst_counter_wraps(c, counter->metric, number, COUNTER_END);
    else if (found == JST_THERE)
        jst_counter(c, counter->metric, number);
}

static bool is_here(const char *name, char device[JST_PATH], char folder[JST_PATH])
{
    char path[JST_PATH];
    if (!jst_join(path, CLASS, name) || !jst_join(device, path, "device") ||
        !jst_join(folder, device, "telemetry"))
        return false;
    DIR *d = jst_open_folder(folder);
    return d && closedir(d) == 0;
}

static unsigned each_nic(jst_sample *s)
{
    unsigned nics = 0;
    DIR *devices = jst_open_folder(CLASS);
    if (!devices)
        return 0;
    for (const char *name; (name = jst_next_name(devices, "cxi"));) {
        char device[JST_PATH], folder[JST_PATH], text[64];
        if (!is_here(name, device, folder))
            continue;
        nics++;
        if (!s)
            continue;
        jst_place place = jst_place_of(device);
        jst_component *c = jst_component_of(s, &(jst_names){.kind = JST_KIND_PORT,
                                                            .name = name,
                                                            .source = "slingshot",
                                                            .path = place.path,
                                                            .numa = place.numa});
        for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
            report(c, folder, &counters[i]);
        if (jst_file_text(folder, "../port/speed", text, sizeof text) == JST_THERE)
            jst_level(c, JST_LINK_RATE_BYTES, jst_telemetry_speed(text));
    }
    closedir(devices);
    return nics;
}

static const char *open_slingshot(void)
{
    return each_nic(NULL) ? NULL : "no Slingshot";
}

static const char *sample_slingshot(jst_sample *s)
{
    return each_nic(s) ? NULL : "the Slingshot NICs are gone";
}

const jst_source jst_source_slingshot = {
    .name = "slingshot", .open = open_slingshot, .sample = sample_slingshot};
