/* lustre.h: common functions of the sources of Lustre (lustre.c): the paths of its statistics.
 * Their texts are in lustre_stats.h.
 */
#ifndef JST_LUSTRE_H
#define JST_LUSTRE_H

#include "lustre_stats.h"
#include "sysfs.h"

extern const jst_source jst_source_lustre_client; /* lustre_client.c: mounts, osc, mdc */
extern const jst_source jst_source_lustre_server; /* lustre_server.c: OSTs, MDTs */
extern const jst_source jst_source_lustre_jobs;   /* lustre_jobs.c: job_stats of OSTs and MDTs */

/** Calls `each` with ROOT/folder/ENTRY/file opened for reading, for every entry, where ROOT is the first
 *  of /proc/fs/lustre, /sys/fs/lustre and /sys/kernel/debug/lustre (root only; clients since 2.12) in which
 *  one is there. Returns how many there are, or -EACCES when there may be some that only root may read. */
int jst_lustre_each(const char *folder, const char *file,
                    void (*each)(void *to, const char *entry, int fd), void *to);
/** Whether there are any, for `open`: NULL, or why not. */
const char *jst_lustre_missing(const char *folder, const char *file, const char *none);

/** Reads and sums one file of statistics. If it cannot be read or is incomplete, all is unknown. */
void jst_lustre_read(int fd, jst_lustre_totals *t);

/** The file system of a target "scratch-OST0003": "scratch". False: it is not the name of a target. */
bool jst_lustre_file_system(const char *target, char to[JST_NAME]);

#define JST_LUSTRE_ROOT_ONLY "Lustre's statistics can be read by root only"

uint64_t jst_lustre_hash(uint64_t from, const char *text);

#endif
