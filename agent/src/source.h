/* source.h: the interface of the agent's sources, and their reports (component.c).
 *
 * A source reads the counters of one kind of component: one file in sources/, one row in the table of
 * sources.c. Each source runs in a thread of its own, so that one that hangs (a dead server, a device
 * that does not answer) stops neither the others nor the slice boundary: later reports are in a
 * later record, which spans the slices.
 *
 * `sample` is called at each slice boundary. It names components and gives the *absolute* numbers that the
 * kernel shows; the agent subtracts the previous ones. The numbers of the first sample of a source,
 * and of the first sample with a component, are only the start of counting. A component that is not
 * named in a sample is gone; one that returns within 64 samples continues from its last numbers. A
 * counter that the kernel leaves out while it is 0 must be reported as 0, or its first numbers are
 * lost.
 *
 * All memory is taken when the source opens or a component first appears, and is bounded: beyond
 * JST_SOURCE_COMPONENTS the rest of a source's components are summed in one whose name is "others".
 * Threads have JST_SOURCE_STACK bytes of stack: buffers of more than 4 KiB are static.
 */
#ifndef JST_SOURCE_H
#define JST_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../runtime/include/jst_components.h"
#include "../../runtime/include/jst_profile.h"

#define JST_SOURCE_COMPONENTS 4096
#define JST_SOURCE_STACK 65536
#define JST_LOOK_NS UINT64_C(500000000)

typedef struct jst_sample jst_sample;       /* the report of one call of `sample` */
typedef struct jst_component jst_component; /* of one source; found again in each sample */

typedef struct jst_source {
    const char *name; /* as shown by `jostle-agent --once` */
    /** Searches what this source reads. Returns NULL: it is here; else why not, in a few words: "no
     *  NFS mount". Called again every few minutes while it is not here. */
    const char *(*open)(void);
    /** Reports all components. Returns NULL, or what could not be read (reported once per text). */
    const char *(*sample)(jst_sample *s);
    /** Samples between boundaries, JST_LOOK_NS after the last time; it reports nothing. NULL: not
     *  needed. */
    void (*look)(void);
    /** The program that `open` or `sample` starts, or NULL. Where no such program is installed, the
     *  agent drops the right to start programs. */
    const char *program;
    /** Does it connect to sockets of this machine's daemons? NULL: never. Where it does the agent keeps the
     *  right to do so. */
    bool (*connects)(void);
    size_t stack; /* of its thread, for a source that calls a library; 0: JST_SOURCE_STACK */
} jst_source;

/* The identity of a component: all texts are copied, and may be NULL for "". Two with the same
 * kind, name, job and pid are the same component; of a process also with the same source. */
typedef struct jst_names {
    enum jst_component_kind kind;
    const char *name;   /* sda, eth0, scratch-OST0003, mlx5_0/1 */
    const char *source; /* its resource: SRV:/export, a file system's name; of a process the cores
                         * on which it was seen, or may run: 0-3,8 */
    const char *job;    /* slurm-123: only if it counts for one batch job */
    const char *path;   /* its mount point, or bus; of a process its control group */
    uint32_t major, minor;
    uint32_t numa; /* its NUMA node, plus 1; 0: not known */
    uint32_t pid;  /* of a process: distinguishes two of one name; 0: it is none */
    uint32_t uid;  /* of a process: its owner, plus 1; 0: not known, or not to be recorded */
    /* Its counters began at 0 when it came into being (a control group, a job): its first numbers
     * are an increase, except in a source's first sample. */
    bool from_zero;
} jst_names;

/** The component of these names; never NULL. A source that was not known before is adopted. */
jst_component *jst_component_of(jst_sample *s, const jst_names *names);

/** The current value of a counter. A number smaller than the last one begins a new epoch. */
void jst_counter(jst_component *c, enum jst_component_metric metric, uint64_t now);
/** The increase of a counter since the last sample, where the source itself keeps the previous
 * value. */
void jst_increase(jst_component *c, enum jst_component_metric metric, uint64_t by);
/** A counter that begins again at 0 after `most` (RAPL): going back is a wrap, not an epoch, unless more than
 *  three quarters of `most` would have been gained. */
void jst_counter_wraps(jst_component *c, enum jst_component_metric metric, uint64_t now,
                       uint64_t most);
/** The current value of a level. */
void jst_level(jst_component *c, enum jst_component_metric metric, uint64_t now);
/** There is such a counter, but it has no usable number: saturated, or it cannot be read. */
void jst_unknown(jst_component *c, enum jst_component_metric metric);
/** The start of the component's counters by the source itself (start_time): another value than last
 *  time begins a new epoch. To be called before the counters. */
void jst_since(jst_component *c, uint64_t start);
/** Its increases in this sample are since the slice `first` began, which is earlier than the
 *  previous sample: it was not read at each boundary. */
void jst_gained_since(jst_component *c, uint64_t first);

/* ---- reading ------------------------------------------------------------------------------- */

/** The folder of /proc and /sys: "" except in tests, which set a folder of fixtures. */
extern const char *jst_root;

/** Reads a whole file of at most n - 1 bytes (path as in the kernel) and ends it with a NUL.
 *  Returns its length, or -errno. A longer file is -EFBIG. */
long jst_read_text(const char *path, char *to, size_t n);
/** Reads a file that holds one decimal number and nothing else. 0, or -errno; -EINVAL: no number. */
long jst_read_number(const char *path, uint64_t *to);
/** Calls `each` with the lines of a file of any length, without their ends; a line is cut after 4 KiB, and
 *  a last line without its end is left out. 0, or -errno. */
long jst_each_line(const char *path, void (*each)(const char *line, void *with), void *with);
/** Calls `each` with the names in a folder, except those that begin with a dot. 0, or -errno. */
long jst_each_name(const char *path, void (*each)(const char *name, void *with), void *with);

#endif
