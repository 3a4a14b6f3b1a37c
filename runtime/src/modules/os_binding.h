/* os_binding.h: on which cores and NUMA nodes the process may run, as text in the header of the
 * profile (os_binding.c): for os_cores.c, in the heartbeat. */
#ifndef JST_OS_BINDING_H
#define JST_OS_BINDING_H

#include <stddef.h>
#include <stdint.h>

typedef struct jst_cpus {
    uint64_t words[128]; /* a bit for each of 8192 cores */
} jst_cpus;

void jst_binding_begin(void);              /* what was written before is not in this file */
void jst_binding_say(const jst_cpus *now); /* where its threads may run together */
void jst_binding_ran(uint32_t tid);        /* a thread wanted a core: counts its NUMA node */

/** Calls look(folder, root) for each folder in which a control group of this process may have its
 *  settings of `controller`; of the path, `look` may change what is after its first `root`
 *  letters. */
void jst_groups_look(const char *controller, void (*look)(char *folder, size_t root));

#endif
