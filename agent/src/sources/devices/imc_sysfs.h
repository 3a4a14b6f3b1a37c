/* imc_sysfs.h: the counters of memory controllers in /sys/bus/event_source/devices. */
#ifndef JST_IMC_SYSFS_H
#define JST_IMC_SYSFS_H

#include "sysfs.h"

#define JST_IMC_CPUS 16  /* sockets */
#define JST_IMC_EVENTS 4 /* a controller's events of one direction */

typedef struct jst_imc_event {
    uint64_t config, config1, config2;
    double bytes; /* of one count */
} jst_imc_event;

typedef struct jst_imc {
    uint32_t type;
    unsigned cpus[JST_IMC_CPUS]; /* one of each socket, on which its counters are read */
    unsigned n_cpus;
    jst_imc_event reads[JST_IMC_EVENTS], writes[JST_IMC_EVENTS];
    unsigned n_reads, n_writes;
    bool counts_commands; /* of the controller (cas_count), not one of the free-running counters */
} jst_imc;

/** Puts `value` into the bits that a format (`config:0-7,32`) names. False: no such format, or it
 * does not fit. */
bool jst_format_put(const char *format, uint64_t value, jst_imc_event *to);
/** Bytes of one count, from `6.103515625e-5` and `MiB`. 0: unknown. */
double jst_event_bytes(const char *scale, const char *unit);
/** Reads one event (`event=0x04,umask=0x03`) of a device's folder, with its scale and unit. */
bool jst_event_text(const char *device, const char *text, jst_imc_event *to);
/** Reads a device's folder. False: no controller whose traffic can be counted. */
bool jst_imc_read(const char *device, jst_imc *to);

#endif
