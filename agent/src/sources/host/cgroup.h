/* cgroup.h: control groups of batch jobs: finding them (cgroup_find.c), parsing their files
 * (cgroup_text.c), and the source (cgroup.c). */
#ifndef JST_CGROUP_H
#define JST_CGROUP_H

#include "sysfs.h"

#define JST_CGROUP "/sys/fs/cgroup"

/* The numbers of a group, by metric. */
typedef struct jst_numbers {
    uint64_t of[JST_COMPONENT_METRICS];
    enum { JST_NUMBER_NONE, JST_NUMBER_KNOWN, JST_NUMBER_UNKNOWN } is[JST_COMPONENT_METRICS];
} jst_numbers;

/** Stores a number, times `unit`. BAD, or too large: there is such a number, but it is unknown. */
void jst_take(jst_numbers *n, enum jst_component_metric metric, jst_found found, uint64_t number,
              uint64_t unit);

/* ---- texts of version 2 ---- */

/** cpu.stat: CPU time of programs and kernel, time stopped by a limit. */
void jst_cgroup_cpu(const char *text, jst_numbers *n);
/** Bytes that could be reclaimed, in memory.stat (version 1: its keys begin with total_). */
uint64_t jst_cgroup_reclaimable(const char *text);
/** memory.max and memory.limit_in_bytes: ABSENT where there is no limit. */
jst_found jst_cgroup_limit(const char *text, uint64_t *bytes);
/** io.stat: bytes and requests over all devices, each counted once: disks, or what is stacked on
 *  disks, whichever is more. An incomplete text makes them unknown. */
void jst_cgroup_io(const char *text, int (*level)(uint32_t major, uint32_t minor), jst_numbers *n);
/** `some` or `full` of a pressure file, in ns. */
jst_found jst_cgroup_pressure(const char *text, const char *which, uint64_t *ns);

/* ---- texts of version 1 ---- */

/** cpuacct.stat: in ticks of 10 ms. */
void jst_cgroup_cpuacct(const char *text, jst_numbers *n);
/** blkio.throttle.io_service_bytes_recursive and io_serviced_recursive. */
void jst_cgroup_blkio(const char *text, int (*level)(uint32_t major, uint32_t minor),
                      enum jst_component_metric reads, enum jst_component_metric writes,
                      jst_numbers *n);

/* The result of `level` for a device. */
enum { JST_DEVICE_DISK, JST_DEVICE_STACKED, JST_DEVICE_SKIP };

/* ---- finding groups ---- */

typedef struct jst_group {
    char path[JST_PATH]; /* version 2: all of it; version 1: after /sys/fs/cgroup/CONTROLLER */
    char name[JST_NAME]; /* of its folder */
    char job[JST_NAME];  /* slurm-123; "" where that is not known */
    int version;
    bool
        old; /* its counters may include its use before the agent's start, though it is seen late */
} jst_group;

/** Calls `each` for each group of a batch job; NULL: the source opens. Returns how many, or -1 where no control groups are mounted. */
int jst_each_group(void (*each)(void *state, const jst_group *g), void *state);
/** The number of the job in the title of a slurmstepd: `slurmstepd: [123.batch]`. */
bool jst_job_of_title(const char *title, uint64_t *job);
/** Whether a name is one of Slurm's own job ids (`s5K1KKYAYG5D00`). */
bool jst_is_sluid(const char *name);

#endif
