/* perf_event.h: opening a performance counter of the kernel without its newest header.
 *
 * RATIONALE: inherit_thread came with Linux 5.13; a build on an older system must use it where the
 * program runs. So the first, 64-byte form of the attributes is declared here, with its flags as
 * one word.
 */
#ifndef JST_PERF_EVENT_H
#define JST_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "common.h"
#include "sys.h"

typedef struct jst_event_attr {
    uint32_t type, size;
    uint64_t config, sample_period, sample_type, read_format, flags;
    uint32_t wakeup_events, bp_type;
    uint64_t config1;
} jst_event_attr;

_Static_assert(sizeof(jst_event_attr) == PERF_ATTR_SIZE_VER0, "the kernel's first layout");

#define JST_EVENT_DISABLED (UINT64_C(1) << 0)
#define JST_EVENT_INHERIT (UINT64_C(1) << 1)
#define JST_EVENT_USER_ONLY (UINT64_C(3) << 5)       /* exclude_kernel, exclude_hv */
#define JST_EVENT_INHERIT_THREAD (UINT64_C(1) << 35) /* to threads, not to forked children */

/** A counter of one thread (0: the caller) on any CPU; a descriptor or -errno. */
static inline int jst_event_open(uint32_t type, uint64_t config, uint64_t flags, uint64_t format,
                                 uint32_t tid, int group)
{
    jst_event_attr attr = {
        .type = type, .size = sizeof attr, .config = config, .read_format = format, .flags = flags};
    return (int)jst_sys6(SYS_perf_event_open, JST_ARG(&attr), (long)tid, -1, group,
                         PERF_FLAG_FD_CLOEXEC, 0);
}

static inline void jst_event_switch(int fd, bool on)
{
    jst_sys3(SYS_ioctl, fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
             PERF_IOC_FLAG_GROUP);
}

#endif
